//! What we write in TOML. Keys of ours are few and flat, so every entry is either a
//! few assignments or one inline table.

use serde_json::Value;

use crate::edit::entries::{Entry, Shape};

/// A key, quoted where it has to be.
pub(super) fn key(name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !name.is_empty() && name.bytes().all(bare) {
        name.to_owned()
    } else {
        string(name)
    }
}

/// A basic string on one line.
pub(super) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => {
                let escape = format!("\\u{:04X}", u32::from(control));
                out.push_str(&escape);
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
    out
}

/// A value on one line. TOML has no null: a member that holds one is left out.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null => "false".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => string(text),
        Value::Array(all) => {
            let all: Vec<String> = all.iter().map(self::value).collect();
            format!("[{}]", all.join(", "))
        }
        Value::Object(members) => inline(members.iter().map(|(key, value)| (key.as_str(), value))),
    }
}

/// `key = value`.
pub(super) fn assignment(name: &str, value: &Value) -> String {
    format!("{} = {}", key(name), self::value(value))
}

fn inline<'v>(members: impl Iterator<Item = (&'v str, &'v Value)>) -> String {
    let all: Vec<String> = members
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| assignment(name, value))
        .collect();
    if all.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {} }}", all.join(", "))
    }
}

/// The handler of an entry as an inline table.
pub(super) fn handler(entry: &Entry) -> String {
    inline(
        entry
            .handler
            .iter()
            .map(|(key, value)| (key.as_str(), value)),
    )
}

/// `matcher = "..."`, if the entry has one.
pub(super) fn matcher(entry: &Entry, shape: &Shape) -> Option<String> {
    let matcher = entry.matcher.as_ref()?;
    Some(assignment(
        &shape.matcher_key,
        &Value::String(matcher.clone()),
    ))
}

/// `hooks = [{ ... }]`: the handlers of a group of ours.
pub(super) fn handlers(entry: &Entry, shape: &Shape) -> String {
    format!("{} = [{}]", key(&shape.group_key), handler(entry))
}

/// The group of an entry as an inline table.
pub(super) fn group(entry: &Entry, shape: &Shape) -> String {
    let all: Vec<String> = matcher(entry, shape)
        .into_iter()
        .chain([handlers(entry, shape)])
        .collect();
    format!("{{ {} }}", all.join(", "))
}

/// `hooks = []`: what an empty group holds.
pub(super) fn no_handlers(shape: &Shape) -> String {
    format!("{} = []", key(&shape.group_key))
}

/// The lines of a new table of the array `path`, its handlers in a table of their
/// own or in it.
pub(super) fn tables(path: &[String], entry: &Entry, shape: &Shape, nested: bool) -> Vec<String> {
    let name = |path: &[String]| -> String {
        let keys: Vec<String> = path.iter().map(|part| key(part)).collect();
        keys.join(".")
    };
    let mut lines = vec![format!("[[{}]]", name(path))];
    lines.extend(matcher(entry, shape));
    if nested {
        let mut inner = path.to_vec();
        inner.push(shape.group_key.clone());
        lines.push(String::new());
        lines.push(format!("[[{}]]", name(&inner)));
        for (key, value) in &entry.handler {
            if !value.is_null() {
                lines.push(assignment(key, value));
            }
        }
    } else {
        lines.push(handlers(entry, shape));
    }
    lines
}
