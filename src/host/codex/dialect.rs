//! Codex CLI: Claude's keys with a `turn_id`; a patch is `apply_patch` with the
//! text in `command`. Observed on 0.171.0.
//!
//! The answer is checked strictly: one key too many, a missing `hookEventName` or
//! an empty reason, and the hook counts as failed and the call goes ahead.

use crate::hook::payload::Tool;
use crate::host::claude;
use crate::host::dialect::{Dialect, Fit, is_snake, snake};

/// How this host speaks.
pub const DIALECT: Dialect = Dialect {
    host: "codex",
    before_tool: &["PreToolUse"],
    fits: |object| {
        if object.has("turn_id") && object.has("hook_event_name") {
            Fit::Own
        } else if is_snake(object) {
            Fit::Shared
        } else {
            Fit::No
        }
    },
    read: |object| snake("codex", object, tool),
    encode: claude::dialect::encode,
};

fn tool(name: &str) -> Tool {
    match name {
        "apply_patch" | "Edit" => Tool::Patch,
        "Write" => Tool::Write,
        "Bash" | "shell" | "local_shell" | "exec_command" => Tool::Shell,
        _ => Tool::Other,
    }
}
