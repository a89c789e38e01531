//! The cases the host table gives: each host this version writes, in each scope
//! it has a file for.

use std::path::PathBuf;

use pan_hooks::hook::Hook;
use pan_hooks::host::command::{self, System};
use pan_hooks::host::table::{At, Grammar, Host, Registration, Scope};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// One host in one scope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) host: &'static Host,
    pub(crate) scope: Scope,
}

/// All hosts this version writes.
pub(crate) fn hosts() -> Vec<&'static Host> {
    let hosts: Vec<_> = pan_hooks::host::all()
        .unwrap()
        .iter()
        .filter(|host| host.unsupported.is_none())
        .collect();
    assert!(hosts.len() >= 2, "the table lost its hosts");
    hosts
}

/// All hosts in all their scopes.
pub(crate) fn units() -> Vec<Unit> {
    let mut units = Vec::new();
    for host in hosts() {
        for scope in Scope::ALL {
            if host.hook_files(scope).any(|file| !file.when_it_has_events) {
                units.push(Unit { host, scope });
            }
        }
    }
    assert!(units.len() >= 5, "the table lost its scopes");
    units
}

/// The units of the user scope, one a host.
pub(crate) fn user_units() -> Vec<Unit> {
    let units: Vec<_> = units()
        .into_iter()
        .filter(|unit| unit.scope == Scope::User)
        .collect();
    assert!(units.len() >= 2);
    units
}

impl Unit {
    /// The option for its scope.
    pub(crate) fn flag(self) -> &'static str {
        match self.scope {
            Scope::User => "--global",
            Scope::Project => "--project",
            Scope::Private => "--private",
        }
    }

    /// `verb --host H --scope` and `more`.
    pub(crate) fn args<'a>(self, verb: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let mut args = vec![verb, "--host", &self.host.id, self.flag()];
        args.extend(more);
        args
    }

    /// Its file in `sandbox`, no variable moving it.
    pub(crate) fn file(self, sandbox: &Sandbox) -> PathBuf {
        let file = self
            .host
            .hook_files(self.scope)
            .find(|file| !file.when_it_has_events)
            .unwrap();
        let folder = match file.at {
            At::Config => {
                let below = self.host.config_dir.default.strip_prefix("~/").unwrap();
                sandbox.home.join(below)
            }
            At::Project => sandbox.project.clone(),
        };
        folder.join(&file.path)
    }

    /// What the host accepts in that file.
    pub(crate) fn grammar(self) -> &'static Grammar {
        let file = self
            .host
            .hook_files(self.scope)
            .find(|file| !file.when_it_has_events)
            .unwrap();
        &self.host.grammars[&file.grammar]
    }

    /// Where the guard is registered.
    pub(crate) fn registration(self) -> &'static Registration {
        &self.host.registrations(Hook::Guard)[0]
    }

    /// The event of the guard.
    pub(crate) fn event(self) -> &'static str {
        &self.registration().event
    }

    /// Another event of the host.
    pub(crate) fn other_event(self) -> &'static str {
        self.host
            .events
            .iter()
            .find(|event| **event != self.event() && !self.host.entry.strict_events.contains(event))
            .unwrap()
    }

    /// The guard's command.
    pub(crate) fn command(self) -> String {
        command::render(self.host, Hook::Guard, self.registration(), System::this())
    }

    /// The guard's handler as this version writes it.
    pub(crate) fn handler(self) -> Value {
        json!({
            "type": "command",
            "command": self.command(),
            "timeout": self.timeout(),
            "_pan": "guard",
        })
    }

    /// The guard's timeout in the host's unit.
    pub(crate) fn timeout(self) -> u64 {
        self.registration().timeout * self.host.entry.timeout_per_second
    }

    /// The guard's group as this version writes it, on one line.
    pub(crate) fn group(self) -> String {
        format!(
            "{{\"matcher\": {}, \"hooks\": [{}]}}",
            json!(self.registration().matcher),
            self.handler()
        )
    }

    /// A name for messages.
    pub(crate) fn name(self) -> String {
        format!("{} {}", self.host.id, self.scope.name())
    }
}

/// A text of a host as JSON, comments passed over, numbers of any size as they are
/// written.
pub(crate) fn parse(text: &str) -> Value {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = jsonc_parser::parse_to_value(text, &jsonc_parser::ParseOptions::default());
    value
        .unwrap_or_else(|error| panic!("{error}: {text}"))
        .map_or(Value::Null, plain)
}

fn plain(value: jsonc_parser::JsonValue<'_>) -> Value {
    use jsonc_parser::JsonValue;
    match value {
        JsonValue::Object(object) => Value::Object(
            object
                .into_iter()
                .map(|(key, value)| (key.into_owned(), plain(value)))
                .collect(),
        ),
        JsonValue::Array(array) => Value::Array(array.into_iter().map(plain).collect()),
        JsonValue::String(text) => Value::String(text.into_owned()),
        JsonValue::Boolean(flag) => Value::Bool(flag),
        JsonValue::Number(number) => number
            .parse::<u64>()
            .map_or_else(|_| Value::String(number.to_owned()), Value::from),
        JsonValue::Null => Value::Null,
    }
}

/// The commands under `event`, in order.
pub(crate) fn commands(text: &str, event: &str) -> Vec<String> {
    let json = parse(text);
    let groups = json["hooks"][event].as_array().cloned().unwrap_or_default();
    groups
        .iter()
        .flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default())
        .filter_map(|handler| Some(handler["command"].as_str()?.to_owned()))
        .collect()
}

/// How often our command stands anywhere in the text.
pub(crate) fn count_ours(text: &str, unit: Unit) -> usize {
    let json = parse(text);
    let command = unit.command();
    let events = json["hooks"].as_object().cloned().unwrap_or_default();
    events
        .keys()
        .flat_map(|event| commands(text, event))
        .filter(|found| *found == command)
        .count()
}
