//! Gemini CLI: snake case keys, its own event names, an ISO `timestamp`, no id of
//! the tool call, paths that may be relative. Observed on 0.61.0.
//!
//! Claude's form of a denial is ignored here: the tool would run.

use crate::hook::json::push_string;
use crate::hook::outcome::Outcome;
use crate::hook::payload::Tool;
use crate::host::dialect::{Dialect, Fit, is_snake, snake};

/// Events no other host has.
const OWN_EVENTS: [&str; 8] = [
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "PreCompress",
];

/// Events another host that sends a time names the same; that one sends no
/// transcript with them.
const SHARED_EVENTS: [&str; 3] = ["SessionStart", "SessionEnd", "Notification"];

/// How this host speaks.
pub const DIALECT: Dialect = Dialect {
    host: "gemini",
    before_tool: &["BeforeTool"],
    fits: |object| {
        let event = object.string("hook_event_name").unwrap_or_default();
        if OWN_EVENTS.contains(&event.as_ref())
            || (SHARED_EVENTS.contains(&event.as_ref())
                && object.has("timestamp")
                && object.has("transcript_path"))
        {
            Fit::Own
        } else if is_snake(object) && event.is_empty() {
            Fit::Shared
        } else {
            Fit::No
        }
    },
    read: |object| snake("gemini", object, tool),
    encode,
};

fn tool(name: &str) -> Tool {
    match name {
        "write_file" => Tool::Write,
        "replace" | "edit" => Tool::Edit,
        "run_shell_command" if cfg!(windows) => Tool::PowerShell,
        "run_shell_command" => Tool::Shell,
        _ => Tool::Other,
    }
}

fn encode(_event: &str, outcome: &Outcome) -> String {
    let Some(reason) = &outcome.deny else {
        return String::new();
    };
    let mut out = String::from("{\"decision\":\"deny\",\"reason\":");
    push_string(&mut out, reason);
    out.push('}');
    out
}
