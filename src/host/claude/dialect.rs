//! Claude Code: snake case keys, `tool_use_id` on each call, the agent's name on
//! the calls of a subagent. Observed on 2.1.332.
//!
//! A denial is honoured at exit 0 when standard output is exactly this one object
//! and `hookEventName` names the event; otherwise the tool runs.

use crate::hook::json::push_string;
use crate::hook::outcome::Outcome;
use crate::hook::payload::Tool;
use crate::host::dialect::{Dialect, Fit, is_snake, snake};

/// How this host speaks.
pub const DIALECT: Dialect = Dialect {
    host: "claude",
    before_tool: &["PreToolUse"],
    fits: |object| {
        if object.has("prompt_id") && object.has("hook_event_name") {
            Fit::Own
        } else if is_snake(object) {
            Fit::Shared
        } else {
            Fit::No
        }
    },
    read: |object| snake("claude", object, tool),
    encode,
};

fn tool(name: &str) -> Tool {
    match name {
        "Write" => Tool::Write,
        "Edit" | "MultiEdit" => Tool::Edit,
        "NotebookEdit" => Tool::Notebook,
        "Bash" => Tool::Shell,
        "PowerShell" => Tool::PowerShell,
        _ => Tool::Other,
    }
}

/// The answer this host reads. One other host reads the very same.
pub(in crate::host) fn encode(event: &str, outcome: &Outcome) -> String {
    let Some(reason) = &outcome.deny else {
        return String::new();
    };
    let mut out = String::from("{\"hookSpecificOutput\":{\"hookEventName\":");
    push_string(&mut out, event);
    out.push_str(",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":");
    push_string(&mut out, reason);
    out.push_str("}}");
    out
}
