//! What a hook call may know of its process: chosen variables, the folders that
//! follow from them, the clock. Nothing here tells which host calls.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the door to the environment and the clock for the handlers"
)]

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The variable `name`. An empty one counts as unset, and so does one that is not
/// Unicode.
pub fn variable(name: &str) -> Option<String> {
    std::env::var_os(name)?
        .into_string()
        .ok()
        .filter(|value| !value.is_empty())
}

/// The folder in the variable `name`; a relative one counts as unset.
pub fn folder(name: &str) -> Option<String> {
    variable(name).filter(|path| Path::new(path).is_absolute())
}

/// The home folder.
pub fn home() -> Option<String> {
    if cfg!(windows) {
        folder("USERPROFILE").or_else(|| folder("HOME"))
    } else {
        folder("HOME")
    }
}

/// The folder of the process.
pub fn current_folder() -> Option<String> {
    std::env::current_dir()
        .ok()?
        .into_os_string()
        .into_string()
        .ok()
}

/// Our file of settings.
pub fn config_file(home: Option<&str>) -> Option<String> {
    let (base, below) = if cfg!(windows) {
        (folder("APPDATA")?, "")
    } else if cfg!(target_os = "macos") {
        (home?.to_owned(), "/Library/Application Support")
    } else if let Some(base) = folder("XDG_CONFIG_HOME") {
        (base, "")
    } else {
        (home?.to_owned(), "/.config")
    };
    Some(format!("{base}{below}/pan-hooks/config.json"))
}

/// The folder our folder of state lies in.
pub fn state_base(home: Option<&str>) -> Option<String> {
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return Some(format!("{}/Library/Application Support", home?));
    }
    folder("XDG_STATE_HOME").or_else(|| Some(format!("{}/.local/state", home?)))
}

/// Makes the folder `path` and those above it that are missing, for the user alone.
pub fn make_folders(path: &str) {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    // Whether it is there shows when something is put into it.
    let _ = builder.create(path);
}

/// The temporary folder, as Node.js names it: PAN's own hooks are to find the same.
pub fn temp_folder() -> String {
    let named = ["TMPDIR", "TMP", "TEMP"].into_iter().find_map(variable);
    let folder = named.unwrap_or_else(|| "/tmp".to_owned());
    let trimmed = folder.trim_end_matches(['/', '\\']);
    if trimmed.is_empty() {
        folder
    } else {
        trimmed.to_owned()
    }
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
}

/// The text of the user's own file at `path`, when it is a regular file of at most
/// `limit` bytes. It may be a link: people keep their settings elsewhere.
pub fn own_file(path: &str, limit: u64) -> Option<String> {
    use std::io::Read as _;
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // A pipe in its place must not hold the call.
        options.custom_flags(i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).ok()?);
    }
    let file = options.open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || found.len() > limit {
        return None;
    }
    let mut text = String::new();
    file.take(limit).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The path behind all links of the folder `path` lies in, with its own name.
pub fn behind_links(path: &str) -> Option<String> {
    let path = Path::new(path);
    let folder = std::fs::canonicalize(path.parent()?).ok()?;
    folder
        .join(path.file_name()?)
        .into_os_string()
        .into_string()
        .ok()
}
