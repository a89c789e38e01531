//! Which hosts are on this machine, and which version.
//!
//! Nothing is run: a version is read from the package beside the program, or
//! from the path it lies in.

use std::path::{Path, PathBuf};

use super::paths::{self, Here};
use super::table::Host;
use crate::os::{env, fs};

/// How many folders above a program its package may lie.
const PACKAGE_DEPTH: usize = 6;

/// What was found of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// Its config folder exists, or its program is on PATH.
    pub detected: bool,
    /// The program, as found on PATH.
    pub program: Option<PathBuf>,
    /// Its version, if that can be told without running it.
    pub version: Option<String>,
}

/// Looks for `host`.
pub fn detect(host: &Host, here: &Here) -> Detected {
    let program = env::search_path()
        .into_iter()
        .flat_map(|folder| {
            host.detect
                .programs
                .iter()
                .map(move |name| folder.join(name))
        })
        .find(|path| fs::is_program(path));
    let version = program
        .as_deref()
        .and_then(|program| version(program, &host.detect.package));
    Detected {
        detected: program.is_some() || fs::is_folder(&paths::config_dir(host, here).path),
        program,
        version,
    }
}

fn version(program: &Path, package: &str) -> Option<String> {
    let real = fs::real(program).ok()?;
    for folder in real.ancestors().skip(1).take(PACKAGE_DEPTH) {
        let Ok(Some(bytes)) = fs::read(&folder.join("package.json")) else {
            continue;
        };
        let Ok(json) = serde_json::from_slice::<serde_json::Value>(&bytes) else {
            continue;
        };
        if json.get("name").and_then(|name| name.as_str()) == Some(package) {
            return Some(json.get("version")?.as_str()?.to_owned());
        }
    }
    // Native installers keep each version in a folder or file of that name.
    real.iter()
        .rev()
        .filter_map(|part| part.to_str())
        .find(|part| is_version(part))
        .map(str::to_owned)
}

fn is_version(text: &str) -> bool {
    let mut parts = text.split('.');
    let numbers = parts
        .by_ref()
        .take(3)
        .filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        .count();
    numbers == 3 && parts.next().is_none()
}
