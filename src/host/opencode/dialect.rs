//! OpenCode: no command hooks. Our plugin file hands its callback's arguments over
//! on standard input as
//! `{"hook_event_name":"tool.execute.before","cwd":D,"agent":A?,"input":{"tool","sessionID","callID"},"output":{"args"}}`
//! (`input` and `output` as observed on 1.18.33) and throws the text it finds at
//! `deny` in the answer; no answer lets the call run.

use crate::hook::json::{Object, push_string};
use crate::hook::outcome::Outcome;
use crate::hook::payload::{Args, Event, Payload, Tool};
use crate::host::dialect::{Dialect, Fit};

/// How this host speaks.
pub const DIALECT: Dialect = Dialect {
    host: "opencode",
    before_tool: &["tool.execute.before"],
    fits: |object| {
        let input = object.object("input");
        if input.is_some_and(|input| input.has("tool") || input.has("sessionID")) {
            Fit::Own
        } else {
            Fit::No
        }
    },
    read,
    encode,
};

fn read<'a>(object: &Object<'a>) -> Payload<'a> {
    let input = object.object("input").unwrap_or_default();
    let args = object
        .object("output")
        .and_then(|output| output.get("args"))
        .or_else(|| input.get("args"));
    let tool_name = input.string("tool").unwrap_or_default();
    Payload {
        host: "opencode",
        event: Event::Other,
        event_name: object.string("hook_event_name").unwrap_or_default(),
        session: input.string("sessionID"),
        agent: object.string("agent"),
        agent_id: None,
        cwd: object.string("cwd"),
        call: input.string("callID"),
        timestamp: None,
        tool: tool(&tool_name),
        tool_name,
        args: Args::of(args),
    }
}

fn tool(name: &str) -> Tool {
    match name {
        "write" => Tool::Write,
        "edit" | "multiedit" => Tool::Edit,
        "apply_patch" | "patch" => Tool::Patch,
        "bash" => Tool::Shell,
        _ => Tool::Other,
    }
}

fn encode(_event: &str, outcome: &Outcome) -> String {
    let Some(reason) = &outcome.deny else {
        return String::new();
    };
    let mut out = String::from("{\"deny\":");
    push_string(&mut out, reason);
    out.push('}');
    out
}
