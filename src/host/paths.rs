//! Where a host keeps its files on this machine, and which variable chose that.
//!
//! Reads the environment, opens nothing.

use std::path::{Path, PathBuf};

use super::table::{At, Host, HostFile, Scope};
use crate::error::Error;
use crate::os::{env, fs, git};

/// The person and the place a run starts from.
#[derive(Debug, Clone)]
pub struct Here {
    /// The home folder.
    pub home: PathBuf,
    /// The current folder.
    pub cwd: PathBuf,
    /// The git root of `cwd`; `cwd` itself outside git.
    pub project: PathBuf,
    /// `cwd` is in a git repository.
    pub in_git: bool,
}

impl Here {
    /// From the environment of this process.
    ///
    /// # Errors
    /// There is no home folder or no current folder.
    pub fn now() -> Result<Self, Error> {
        let home = env::home()?;
        let cwd = env::current_dir()?;
        let root = git::root(&cwd);
        Ok(Self {
            home,
            in_git: root.is_some(),
            project: root.unwrap_or_else(|| cwd.clone()),
            cwd,
        })
    }

    /// `path` as people read it: `~` for the home folder.
    pub fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(below) if below.as_os_str().is_empty() => "~".to_owned(),
            Ok(below) => printable(&format!("~/{}", below.display())),
            Err(_) => printable(&path.display().to_string()),
        }
    }

    /// The project is the home folder itself: what is written there would hold
    /// everywhere.
    pub fn project_is_home(&self) -> bool {
        let real = |path: &Path| fs::real(path).unwrap_or_else(|_| path.to_owned());
        real(&self.project) == real(&self.home)
    }
}

/// `text` with control characters made visible: a file name may hold anything.
pub fn printable(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    text.chars()
        .flat_map(|c| {
            let shown: Box<dyn Iterator<Item = char>> = if c.is_control() {
                Box::new(c.escape_default())
            } else {
                Box::new(std::iter::once(c))
            };
            shown
        })
        .collect()
}

/// A folder and the variable that chose it, if one did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The folder.
    pub path: PathBuf,
    /// The variable's name.
    pub by: Option<String>,
}

/// The folder with the person's settings of `host`.
pub fn config_dir(host: &Host, here: &Here) -> Chosen {
    for variable in &host.config_dir.variables {
        if let Some(value) = env::var(&variable.name) {
            let mut path = env::plain(&here.cwd.join(value));
            if !variable.below.is_empty() {
                path.push(&variable.below);
            }
            return Chosen {
                path,
                by: Some(variable.name.clone()),
            };
        }
    }
    let below = host
        .config_dir
        .default
        .strip_prefix("~/")
        .unwrap_or(&host.config_dir.default);
    Chosen {
        path: here.home.join(below),
        by: None,
    }
}

/// The path of `file` of `host`.
pub fn file(host: &Host, file: &HostFile, here: &Here) -> Chosen {
    let (folder, by) = match file.at {
        At::Config => {
            let chosen = config_dir(host, here);
            (chosen.path, chosen.by)
        }
        At::Project => (here.project.clone(), None),
    };
    let mut path = folder;
    path.extend(file.path.split('/'));
    Chosen { path, by }
}

/// The path of the first file that takes hook entries in `scope`.
pub fn hook_file(host: &Host, scope: Scope, here: &Here) -> Option<Chosen> {
    host.hook_files(scope)
        .find(|file| !file.when_it_has_events)
        .map(|found| file(host, found, here))
}
