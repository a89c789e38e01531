//! The entries a host's file should hold for a hook.
//!
//! No IO here.

use serde_json::Value;

use crate::edit::Entry;
use crate::hook::Hook;
use crate::host::command::{self, System};
use crate::host::table::{Host, Registration};

/// The entry that fires `hook` on `host` for `registration`, on this system.
pub fn entry(host: &Host, hook: Hook, registration: &Registration) -> Entry {
    let command = command::render(host, hook, registration, System::this());
    let handler = host
        .entry
        .handler
        .iter()
        .map(|(key, value)| {
            let value = match value.as_str() {
                Some("<command>") => Value::from(command.clone()),
                Some("<command-posix>") => {
                    Value::from(command::render(host, hook, registration, System::Posix))
                }
                Some("<command-windows>") => {
                    Value::from(command::render(host, hook, registration, System::Windows))
                }
                Some("<timeout>") => {
                    Value::from(registration.timeout * host.entry.timeout_per_second)
                }
                Some("<hook>") => Value::from(hook.name()),
                _ => value.clone(),
            };
            (key.clone(), value)
        })
        .collect();
    Entry {
        event: registration.event.clone(),
        matcher: registration.matcher.clone(),
        handler,
    }
}
