//! `enable` and `disable`: hooks that stay registered and do nothing.
//!
//! Kept in the person's own configuration, keyed by project: nothing about it goes
//! into a repository, and no host sees its registration change.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::Value;

use super::printer::Printer;
use super::{DONE, Failure};
use crate::error::Error;
use crate::hook::Hook;
use crate::host::paths::Here;
use crate::os::lock::Lock;
use crate::os::{env, fs};

/// The key for every project.
const EVERYWHERE: &str = "*";

/// The person's configuration of pan-hooks, as far as `enable` and `status` read it.
#[derive(Debug)]
pub struct Config {
    path: PathBuf,
    text: String,
    json: Value,
}

impl Config {
    /// Reads `config.json` in `folder`; no file is an empty one.
    ///
    /// # Errors
    /// It cannot be read, or is no JSON object.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("config.json");
        let failed = |what: String| {
            Error::new(what)
                .in_file(&path)
                .remedy("mend the file, or move it away to start with an empty one")
        };
        let bytes = fs::read(&path)
            .map_err(|error| failed(format!("cannot be read: {error}")))?
            .unwrap_or_default();
        let text = String::from_utf8(bytes).map_err(|_| failed("is not UTF-8".to_owned()))?;
        let bare = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let json = jsonc_parser::parse_to_value(bare, &ParseOptions::default())
            .map_err(|error| failed(format!("is not JSON: {error}")))?
            .map_or_else(|| Value::Object(serde_json::Map::new()), to_json);
        if !json.is_object() {
            return Err(failed("must hold a JSON object".to_owned()));
        }
        Ok(Self { path, text, json })
    }

    fn list(&self, key: &str) -> Vec<String> {
        self.json
            .get("disabled")
            .and_then(|all| all.get(key))
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|name| Some(name.as_str()?.to_owned()))
            .collect()
    }

    /// Why `hook` does nothing here, if so.
    pub fn off(&self, hook: Hook, here: &Here) -> Option<String> {
        if env::var("PAN_HOOKS").is_some_and(|value| value == "0") {
            return Some("PAN_HOOKS=0 is set here".to_owned());
        }
        let skipped = env::var("PAN_HOOKS_SKIP").is_some_and(|value| {
            value
                .to_string_lossy()
                .split(',')
                .any(|name| name.trim() == hook.name())
        });
        if skipped {
            return Some("PAN_HOOKS_SKIP names it here".to_owned());
        }
        for (key, place) in [
            (EVERYWHERE.to_owned(), "everywhere"),
            (here.project.display().to_string(), "in this project"),
        ] {
            if self.list(&key).iter().any(|name| name == hook.name()) {
                return Some(format!(
                    "switched off {place}; `pan-hooks enable {}` ends that",
                    hook.name()
                ));
            }
        }
        None
    }

    /// Writes the list of `key`, all else in the file as it is.
    fn write(&self, key: &str, hooks: &[String]) -> Result<(), Error> {
        let failed = |what: String| Error::new(what).in_file(&self.path);
        let bare = self.text.strip_prefix('\u{feff}').unwrap_or(&self.text);
        let start = if bare.trim().is_empty() { "{}\n" } else { bare };
        let root = CstRootNode::parse(start, &ParseOptions::default())
            .map_err(|error| failed(format!("is not JSON: {error}")))?;
        let wrong = || failed("`disabled` must be an object of lists".to_owned());
        let disabled = root
            .object_value_or_create()
            .and_then(|root| root.object_value_or_create("disabled"))
            .ok_or_else(wrong)?;
        if let Some(old) = disabled.get(key) {
            if hooks.is_empty() {
                old.remove();
            } else {
                old.set_value(list(hooks));
            }
        } else if !hooks.is_empty() {
            disabled.append(key, list(hooks));
        }
        let mut text = root.to_string();
        if self.text.starts_with('\u{feff}') {
            text.insert(0, '\u{feff}');
        }
        let failed = |error: std::io::Error| failed(format!("cannot be written: {error}"));
        let target = fs::follow(&self.path).map_err(failed)?;
        let folder = target.real.parent().unwrap_or(&target.real);
        fs::make_folders(folder, true).map_err(failed)?;
        let found = fs::find(&target.real).map_err(failed)?;
        let temp = fs::beside(&target.real, "new");
        let _ = fs::remove_file(&temp);
        let staged =
            fs::stage(&temp, &target.real, text.as_bytes(), found.as_ref()).map_err(failed)?;
        fs::place(&staged).map_err(failed)
    }
}

fn list(hooks: &[String]) -> CstInputValue {
    CstInputValue::Array(
        hooks
            .iter()
            .map(|name| CstInputValue::String(name.clone()))
            .collect(),
    )
}

fn to_json(value: jsonc_parser::JsonValue<'_>) -> Value {
    use jsonc_parser::JsonValue;
    match value {
        JsonValue::Object(object) => Value::Object(
            object
                .into_iter()
                .map(|(key, value)| (key.into_owned(), to_json(value)))
                .collect(),
        ),
        JsonValue::Array(array) => Value::Array(array.into_iter().map(to_json).collect()),
        JsonValue::String(text) => Value::String(text.into_owned()),
        JsonValue::Boolean(flag) => Value::Bool(flag),
        // No number in this file is read.
        JsonValue::Number(_) | JsonValue::Null => Value::Null,
    }
}

/// `enable` (`on`) or `disable`.
///
/// # Errors
/// The configuration cannot be read or written.
pub fn run(given: &ArgMatches, printer: &mut Printer, on: bool) -> Result<u8, Failure> {
    let here = Here::now()?;
    let folders = env::own_folders()?;
    let everywhere = given.get_flag("global");
    let key = if everywhere {
        EVERYWHERE.to_owned()
    } else {
        here.project.display().to_string()
    };
    // Beside the file, since the state folder may be gone with the last hook.
    let made = fs::make_folders(&folders.config, true).map_err(|error| {
        Error::new(format!("the folder cannot be made: {error}")).in_file(&folders.config)
    })?;
    let lock = Lock::take(&folders.config.join(".config.json.lock"))?;
    let config = Config::read(&folders.config)?;
    let mut hooks = config.list(&key);
    let place = if everywhere {
        "everywhere".to_owned()
    } else {
        format!("in {}", here.shown(&here.project))
    };
    let mut changed = false;
    for name in given.get_many::<String>("hooks").into_iter().flatten() {
        let listed = hooks.iter().any(|hook| hook == name);
        match (on, listed) {
            (true, true) => hooks.retain(|hook| hook != name),
            (false, false) => hooks.push(name.clone()),
            (true, false) => {
                printer.line(&format!("{name} was not switched off {place}"));
                continue;
            }
            (false, true) => {
                printer.line(&format!("{name} is switched off {place} already"));
                continue;
            }
        }
        changed = true;
        let word = if on { "on" } else { "off" };
        printer.line(&format!("{name} is switched {word} {place}"));
    }
    if changed {
        config.write(&key, &hooks)?;
    }
    if on && !everywhere && !config.list(EVERYWHERE).is_empty() {
        let left: Vec<_> = given
            .get_many::<String>("hooks")
            .into_iter()
            .flatten()
            .filter(|name| config.list(EVERYWHERE).contains(name))
            .cloned()
            .collect();
        if !left.is_empty() {
            printer.line(&format!(
                "{} stays off everywhere; `pan-hooks enable --global {}` ends that",
                left.join(", "),
                left.join(" ")
            ));
        }
    }
    fs::remove_left(&folders.config);
    lock.remove();
    // Made for the lock alone, it goes with it.
    fs::remove_folders(&made);
    Ok(DONE)
}
