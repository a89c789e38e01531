//! How each host writes a hook call down and reads the answer: the list of the
//! dialects, and the choice among them.
//!
//! A call is read by its own shape first, by the `--host` it was registered with
//! second, and never by the environment: two hosts set the variables of another.

use crate::hook::json::Object;
use crate::hook::outcome::Outcome;
use crate::hook::payload::{Args, Event, Payload, Tool};

use super::{claude, codex, copilot, gemini, opencode};

/// How well a payload fits a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// No other dialect writes this.
    Own,
    /// Several dialects write this; the `--host` decides.
    Shared,
    /// This dialect does not write this.
    No,
}

/// How one host speaks.
#[derive(Debug)]
pub struct Dialect {
    /// The host's id.
    pub host: &'static str,
    /// The names of the event before a tool call; the first is assumed when a
    /// payload and the command line name none.
    pub before_tool: &'static [&'static str],
    /// How well a payload fits.
    pub fits: fn(&Object<'_>) -> Fit,
    /// Reads the payload's fields.
    pub read: for<'a> fn(&Object<'a>) -> Payload<'a>,
    /// The answer for `event`, empty when there is nothing to say.
    pub encode: fn(event: &str, outcome: &Outcome) -> String,
}

/// All dialects. One that can tell its own payloads stands before one that shares.
pub const DIALECTS: [&Dialect; 5] = [
    &gemini::dialect::DIALECT,
    &copilot::dialect::DIALECT,
    &opencode::dialect::DIALECT,
    &codex::dialect::DIALECT,
    &claude::dialect::DIALECT,
];

/// The dialect of `payload`, which came through a command registered for `named`.
pub fn choose(payload: &Object<'_>, named: &str) -> Option<&'static Dialect> {
    let mut shared = None;
    for dialect in DIALECTS {
        match (dialect.fits)(payload) {
            Fit::Own => return Some(dialect),
            Fit::Shared if dialect.host == named => shared = Some(dialect),
            // The last in the list is the one most others copied.
            Fit::Shared if shared.is_none_or(|chosen: &Dialect| chosen.host != named) => {
                shared = Some(dialect);
            }
            Fit::Shared | Fit::No => {}
        }
    }
    shared
}

/// The id of the host `name` stands for, or nothing.
pub fn host_named(name: &str) -> Option<&'static str> {
    DIALECTS
        .iter()
        .map(|dialect| dialect.host)
        .find(|host| *host == name)
}

impl Dialect {
    /// Reads `object`, whose event is `event` when it does not say so itself.
    pub fn decode<'a>(&self, object: &Object<'a>, event: Option<&'a str>) -> Payload<'a> {
        let mut payload = (self.read)(object);
        if payload.event_name.is_empty() {
            let answered = ["tool_response", "tool_result", "toolResult", "error"];
            match (event, self.before_tool.first()) {
                (Some(event), _) => payload.event_name = event.into(),
                (None, Some(first)) if !answered.iter().any(|key| object.has(key)) => {
                    payload.event_name = (*first).into();
                }
                _ => {}
            }
        }
        if self.before_tool.contains(&payload.event_name.as_ref()) {
            payload.event = Event::BeforeTool;
        }
        payload
    }
}

/// The fields that the hosts with snake case keys share.
pub(super) fn snake<'a>(
    host: &'static str,
    object: &Object<'a>,
    tool: fn(&str) -> Tool,
) -> Payload<'a> {
    let tool_name = object.string("tool_name").unwrap_or_default();
    Payload {
        host,
        event: Event::Other,
        event_name: object.string("hook_event_name").unwrap_or_default(),
        session: object.string("session_id"),
        agent: object.string("agent_type"),
        agent_id: object.string("agent_id"),
        cwd: object.string("cwd"),
        call: object.string("tool_use_id"),
        timestamp: object.string("timestamp"),
        tool: tool(&tool_name),
        tool_name,
        args: Args::of(object.get("tool_input")),
    }
}

/// Whether the payload has the keys that several hosts share and no sign of
/// another family.
pub(super) fn is_snake(object: &Object<'_>) -> bool {
    object.has("hook_event_name") || object.has("tool_name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::json::Raw;

    fn chosen(text: &str, named: &str) -> Option<&'static str> {
        choose(&Raw::parse(text)?.object()?, named).map(|dialect| dialect.host)
    }

    #[test]
    fn the_shape_beats_the_registration() {
        let own = [
            (
                "gemini",
                r#"{"hook_event_name":"BeforeTool","tool_name":"write_file"}"#,
            ),
            (
                "copilot",
                r#"{"sessionId":"s","toolName":"bash","toolArgs":{}}"#,
            ),
            (
                "copilot",
                r#"{"hook_event_name":"PreToolUse","timestamp":"t","tool_name":"Write"}"#,
            ),
            (
                "codex",
                r#"{"hook_event_name":"PreToolUse","turn_id":"t","tool_name":"Bash"}"#,
            ),
            (
                "claude",
                r#"{"hook_event_name":"PreToolUse","prompt_id":"t","tool_name":"Bash"}"#,
            ),
            (
                "opencode",
                r#"{"hook_event_name":"tool.execute.before","input":{"tool":"bash"}}"#,
            ),
        ];
        for (host, text) in own {
            for named in ["claude", "codex", "gemini", "copilot", "opencode", "nobody"] {
                assert_eq!(chosen(text, named), Some(host), "{text} for {named}");
            }
        }
    }

    #[test]
    fn the_registration_decides_where_the_shape_is_shared() {
        let text = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"1"}"#;
        assert_eq!(chosen(text, "codex"), Some("codex"));
        assert_eq!(chosen(text, "claude"), Some("claude"));
        assert_eq!(chosen(text, "gemini"), Some("claude"));
        assert_eq!(
            chosen(r#"{"tool_name":"write_file"}"#, "gemini"),
            Some("gemini")
        );
        assert_eq!(chosen("{}", "claude"), None);
    }
}
