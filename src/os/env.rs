//! What the environment says: variables, home, folders of our own.
//!
//! A variable that is set but empty counts as unset, everywhere.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::error::Error;

/// The value of `name`, unless it is unset or empty.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that reads the environment"
)]
pub fn var(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The home folder.
///
/// # Errors
/// HOME is unset, empty or not absolute: there is no place to look for settings.
pub fn home() -> Result<PathBuf, Error> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let path = var(name).map(PathBuf::from);
    path.filter(|path| path.is_absolute())
        .map(|path| plain(&path))
        .ok_or_else(|| {
            Error::new(format!("{name} is not set to an absolute path"))
                .remedy(format!("set {name} to your home folder and run again"))
        })
}

/// The current folder.
///
/// # Errors
/// It was removed, or may not be read.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that asks for the current folder"
)]
pub fn current_dir() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|error| {
        Error::new(format!("the current folder cannot be read: {error}"))
            .remedy("change to a folder that exists and run again")
    })
}

/// The running program, links resolved.
///
/// # Errors
/// The system does not say.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that asks for the running program"
)]
pub fn program() -> Result<PathBuf, Error> {
    std::env::current_exe()
        .map_err(|error| Error::new(format!("the path of this program is unknown: {error}")))
}

/// The temp folder.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that asks for the temp folder"
)]
pub fn temp_dir() -> PathBuf {
    std::env::temp_dir()
}

/// The absolute folders of PATH, in order. Relative ones are passed over: what
/// they name depends on where one stands.
pub fn search_path() -> Vec<PathBuf> {
    var("PATH").map_or_else(Vec::new, |path| {
        std::env::split_paths(&path)
            .filter(|folder| folder.is_absolute())
            .collect()
    })
}

/// Folders of our own.
#[derive(Debug, Clone)]
pub struct OwnFolders {
    /// Journal, locks, our guard log.
    pub state: PathBuf,
    /// The person's configuration of pan-hooks.
    pub config: PathBuf,
}

/// Where our own state and configuration lie on this system. The handlers, which
/// cannot afford this look-up, name the same folders in [`super::surroundings`].
///
/// # Errors
/// There is no home folder.
pub fn own_folders() -> Result<OwnFolders, Error> {
    home()?;
    let folders = directories::BaseDirs::new()
        .ok_or_else(|| Error::new("this system names no folder for a program's state"))?;
    let state = folders
        .state_dir()
        .unwrap_or_else(|| folders.data_local_dir());
    Ok(OwnFolders {
        state: state.join("pan-hooks"),
        config: folders.config_dir().join("pan-hooks"),
    })
}

/// `path` without `.` and with `..` taken back by text, links not looked at.
pub fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    out.push(part);
                }
            }
            _ => out.push(part),
        }
    }
    out
}
