//! Copilot CLI: two shapes. A camelCase event sends camelCase keys and a time in
//! milliseconds; a PascalCase event sends snake case keys, an ISO time and Claude's
//! tool names, but keeps its own argument keys. No id of the tool call in either.
//! Observed on 1.0.102.
//!
//! It also runs the hooks of a project's `.claude/settings.json`, so a call
//! registered for Claude may be one of its own. What tells the snake case shape:
//! a `timestamp`, which Claude and Codex never send, without a `permission_mode`,
//! `tool_use_id`, `turn_id` or `prompt_id`, which they send with each tool call.
//!
//! A denial is read at the top level. For a PascalCase event the nested form is
//! read too, and both are sent, so that a wrong guess still denies on Claude, which
//! ignores keys it does not know.

use crate::hook::json::{Object, push_string};
use crate::hook::outcome::Outcome;
use crate::hook::payload::{Args, Event, Payload, Tool};
use crate::host::dialect::{Dialect, Fit, is_snake, snake};

/// How this host speaks.
pub const DIALECT: Dialect = Dialect {
    host: "copilot",
    before_tool: &["preToolUse", "PreToolUse"],
    fits: |object| {
        if is_camel(object) {
            return Fit::Own;
        }
        let foreign = ["permission_mode", "tool_use_id", "turn_id", "prompt_id"];
        if !is_snake(object) || foreign.iter().any(|key| object.has(key)) {
            Fit::No
        } else if object.has("timestamp") && object.has("hook_event_name") {
            Fit::Own
        } else {
            Fit::Shared
        }
    },
    read,
    encode,
};

fn is_camel(object: &Object<'_>) -> bool {
    object.has("sessionId") || object.has("toolName")
}

fn read<'a>(object: &Object<'a>) -> Payload<'a> {
    if !is_camel(object) {
        return snake("copilot", object, tool);
    }
    let tool_name = object.string("toolName").unwrap_or_default();
    Payload {
        host: "copilot",
        event: Event::Other,
        event_name: object
            .string("hookName")
            .or_else(|| object.string("hook_event_name"))
            .unwrap_or_default(),
        session: object.string("sessionId"),
        agent: object
            .string("agentType")
            .or_else(|| object.string("agentName")),
        agent_id: object.string("agentId"),
        cwd: object.string("cwd"),
        call: None,
        timestamp: object.get("timestamp").map(|raw| raw.text().into()),
        tool: tool(&tool_name),
        tool_name,
        args: Args::of(object.get("toolArgs").or_else(|| object.get("toolInput"))),
    }
}

fn tool(name: &str) -> Tool {
    match name {
        "create" | "Write" => Tool::Write,
        // The PascalCase name of apply_patch is Edit as well; its arguments are
        // then a plain string.
        "edit" | "Edit" | "str_replace_editor" | "insert" => Tool::Edit,
        "apply_patch" => Tool::Patch,
        "bash" | "Bash" => Tool::Shell,
        "powershell" | "PowerShell" => Tool::PowerShell,
        _ => Tool::Other,
    }
}

fn encode(event: &str, outcome: &Outcome) -> String {
    let Some(reason) = &outcome.deny else {
        return String::new();
    };
    let mut out = String::from("{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":");
    push_string(&mut out, reason);
    if event.starts_with(|first: char| first.is_ascii_uppercase()) {
        out.push_str(",\"hookSpecificOutput\":{\"hookEventName\":");
        push_string(&mut out, event);
        out.push_str(",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":");
        push_string(&mut out, reason);
        out.push('}');
    }
    out.push('}');
    out
}
