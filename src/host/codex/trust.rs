//! How Codex CLI approves hooks: one by one, by place and by hash. Observed on
//! 0.171.0; the formula gives all 43 hashes the host itself told for it.
//!
//! Nothing here approves anything: it only tells what was approved.

use serde_json::{Map, Value, json};

use crate::edit::{At, Found};
use crate::host::trust::Approvals;

/// How this host approves.
pub const APPROVALS: Approvals = Approvals {
    host: "codex",
    at: &["hooks", "state"],
    hash_key: "trusted_hash",
    key,
    hash,
    how: "approve it once in Codex with /hooks",
    folders_at: &["projects"],
    folder_key: "trust_level",
    folder_value: "trusted",
};

/// Events in which the host does not look at a matcher, nor hash it.
const NO_MATCHER: [&str; 5] = [
    "UserPromptSubmit",
    "Stop",
    "Interrupt",
    "PreModelRequest",
    "PostModelRequest",
];

/// Events whose hooks may add context; the limit for it is hashed in these alone.
const CONTEXT: [&str; 5] = [
    "PreToolUse",
    "PostToolUse",
    "SessionStart",
    "UserPromptSubmit",
    "SubagentStart",
];

/// Events the host does not wait for: one second, at most three.
const SHORT: [&str; 2] = ["SessionEnd", "Interrupt"];

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for character in event.chars() {
        if character.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(character.to_ascii_lowercase());
    }
    out
}

/// The name an approval is kept under: the file, the event, and two positions.
fn key(source: &str, at: &At) -> String {
    format!("{source}:{}:{}:{}", snake(&at.event), at.group, at.handler)
}

/// The hash of a command hook. `None` where the host would not take it: a timeout
/// that is no whole number.
fn hash(found: &Found) -> Option<String> {
    let preimage = preimage(found)?;
    Some(format!(
        "sha256:{}",
        crate::plan::journal::sha256(preimage.as_bytes())
    ))
}

/// Compact JSON with sorted keys, as the serializer's map has them.
fn preimage(found: &Found) -> Option<String> {
    let field = |name: &str| {
        let (_, value) = found.fields.iter().find(|(key, _)| key == name)?;
        (!value.is_null()).then_some(value)
    };
    let event = found.event.as_str();
    let given = field("timeout").map(Value::as_u64);
    let timeout = match (given, SHORT.contains(&event)) {
        (Some(None), _) => return None,
        (None, false) => 600,
        (Some(Some(seconds)), false) => seconds.max(1),
        (None, true) => 1,
        (Some(Some(seconds)), true) => seconds.clamp(1, 3),
    };
    let mut handler = Map::new();
    if let Some(limit) = field("additionalContextLimit")
        && CONTEXT.contains(&event)
    {
        handler.insert("additionalContextLimit".to_owned(), limit.clone());
    }
    let background = field("async").and_then(Value::as_bool).unwrap_or(false);
    handler.insert("async".to_owned(), json!(background));
    // On Windows another command takes its place (from the source, not tried).
    let command = field("commandWindows").filter(|_| cfg!(windows));
    let command = command.or_else(|| field("command"))?;
    handler.insert("command".to_owned(), command.clone());
    if let Some(message) = field("statusMessage") {
        handler.insert("statusMessage".to_owned(), message.clone());
    }
    handler.insert("timeout".to_owned(), json!(timeout));
    handler.insert("type".to_owned(), json!("command"));
    let mut identity = Map::new();
    identity.insert("event_name".to_owned(), json!(snake(event)));
    identity.insert("hooks".to_owned(), json!([handler]));
    if let Some(matcher) = &found.matcher
        && !NO_MATCHER.contains(&event)
    {
        identity.insert("matcher".to_owned(), json!(matcher));
    }
    serde_json::to_string(&Value::Object(identity)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    #[test]
    #[cfg(unix)]
    fn the_formula_gives_every_hash_the_host_told() {
        let text = include_str!("../../../fixtures/trust/codex.json");
        let all: Value = serde_json::from_str(text).unwrap();
        let vectors = all["vectors"].as_array().unwrap();
        assert_eq!(vectors.len(), 43);
        for vector in vectors {
            let handler = vector["handler"].as_object().unwrap();
            let found = Found {
                event: vector["event"].as_str().unwrap().to_owned(),
                group: 0,
                handler: 0,
                matcher: vector["matcher"].as_str().map(str::to_owned),
                command: handler["command"].as_str().unwrap().to_owned(),
                fields: handler.clone().into_iter().collect(),
                group_keys: Vec::new(),
                alone: true,
                place: Place { line: 1, column: 1 },
                span: 0..0,
            };
            assert_eq!(preimage(&found).as_deref(), vector["preimage"].as_str());
            assert_eq!(hash(&found).as_deref(), vector["hash"].as_str());
            let key = key("", &found.at());
            assert_eq!(Some(key.as_str()), vector["key_suffix"].as_str());
        }
    }
}
