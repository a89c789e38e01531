//! The program every registered command names: one path, the same on every
//! machine, that leads to the installed binary.
//!
//! It is a link where the binary lies in a place that lasts, and a copy where it
//! does not (a temp folder, a build folder, a package runner's cache).

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::os::{env, fs};

/// The program below the home folder, as the registered command has it.
pub const BELOW_HOME: &str = if cfg!(windows) {
    ".local/share/pan-hooks/bin/pan-hooks.exe"
} else {
    ".local/share/pan-hooks/bin/pan-hooks"
};

/// Where the program is to be.
pub fn path(home: &Path) -> PathBuf {
    let mut path = home.to_owned();
    path.extend(BELOW_HOME.split('/'));
    path
}

/// How the program gets there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supply {
    /// It is there.
    There,
    /// A link to this path.
    Link(PathBuf),
    /// A copy of this file.
    Copy(PathBuf),
}

/// What is to be done so that the path leads to the running program.
///
/// # Errors
/// The running program is unknown, or a folder stands in its place.
pub fn plan(home: &Path) -> Result<Supply, Error> {
    let place = path(home);
    if fs::link(&place).is_none() && fs::is_folder(&place) {
        return Err(
            Error::new("a folder stands where the hook program should be")
                .in_file(place)
                .remedy("move that folder away, then run again"),
        );
    }
    let running = env::program()?;
    if fs::real(&place).is_ok_and(|real| real == running) {
        return Ok(Supply::There);
    }
    let lasting = lasting_name(&running);
    if cfg!(windows) || is_passing(&lasting, home) {
        let same = fs::link(&place).is_none()
            && match (fs::read(&place), fs::read(&running)) {
                (Ok(Some(there)), Ok(Some(running))) => there == running,
                _ => false,
            };
        return Ok(if same {
            Supply::There
        } else {
            Supply::Copy(running)
        });
    }
    Ok(Supply::Link(lasting))
}

/// The folders above the program that do not exist yet, outermost first.
pub fn missing_folders(home: &Path) -> Vec<PathBuf> {
    let place = path(home);
    fs::missing_folders(place.parent().unwrap_or(home))
}

/// Does it.
///
/// # Errors
/// The folder or the file cannot be written.
pub fn supply(home: &Path, supply: &Supply) -> Result<(), Error> {
    let place = path(home);
    let failed = |error: std::io::Error| {
        Error::new(format!("the hook program cannot be put here: {error}"))
            .in_file(&place)
            .remedy("nothing was registered; give this folder back to yourself, then run again")
    };
    let folder = place.parent().unwrap_or(home);
    fs::remove_left(folder);
    if *supply == Supply::There {
        return Ok(());
    }
    // What is shared with other programs is made as the system makes folders;
    // what is ours alone is for the person alone.
    let ours = folder.parent().unwrap_or(folder);
    fs::make_folders(ours.parent().unwrap_or(ours), false).map_err(failed)?;
    fs::make_folders(folder, true).map_err(failed)?;
    match supply {
        Supply::There => Ok(()),
        Supply::Link(to) => fs::make_link(to, &place),
        Supply::Copy(from) => fs::copy_program(from, &place),
    }
    .map_err(failed)
}

/// The name of the running program that an upgrade keeps: a link on PATH that
/// leads to it (a package manager's `bin`), else the file itself.
fn lasting_name(running: &Path) -> PathBuf {
    let Some(name) = running.file_name() else {
        return running.to_owned();
    };
    env::search_path()
        .into_iter()
        .map(|folder| folder.join(name))
        .find(|path| fs::real(path).is_ok_and(|real| real == running))
        .unwrap_or_else(|| running.to_owned())
}

/// Whether the file at `path` will soon be gone or another: it lies in the temp
/// folder (unless the home folder does too), in a build folder, or in a package
/// runner's cache.
fn is_passing(path: &Path, home: &Path) -> bool {
    let temp = env::temp_dir();
    let temp = fs::real(&temp).unwrap_or(temp);
    let home = fs::real(home).unwrap_or_else(|_| home.to_owned());
    if path.starts_with(&temp) && !path.starts_with(&home) {
        return true;
    }
    // Build tools and caches mark their folders with this file.
    path.ancestors()
        .any(|folder| fs::is_there(&folder.join("CACHEDIR.TAG")))
        || path
            .iter()
            .any(|part| part == "_npx" || part == ".cache" || part == "target")
}
