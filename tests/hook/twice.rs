//! Two registrations of one hook, started at the same instant.

use crate::sandbox::{Sandbox, finish, secret};
use std::io::Write as _;

fn payload(sandbox: &Sandbox, host: &str, call: u32) -> String {
    let content = format!("K={}", secret(7));
    let cwd = sandbox.project();
    let time = format!("2026-11-30T19:23:33.{:03}Z", call);
    match host {
        "gemini" => serde_json::json!({
            "session_id": "s", "transcript_path": "t", "cwd": cwd, "hook_event_name": "BeforeTool",
            "timestamp": time, "tool_name": "write_file",
            "tool_input": {"file_path": "a.env", "content": content},
        }),
        "copilot" => serde_json::json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "timestamp": time, "cwd": cwd,
            "tool_name": "Write", "tool_input": {"path": "a.env", "file_text": content},
        }),
        "copilot camel" => serde_json::json!({
            "sessionId": "s", "timestamp": 1_796_066_613_000_u64 + u64::from(call), "cwd": cwd,
            "toolName": "create", "toolArgs": {"path": "a.env", "file_text": content},
        }),
        "opencode" => serde_json::json!({
            "hook_event_name": "tool.execute.before", "cwd": cwd,
            "input": {"tool": "write", "sessionID": "s", "callID": format!("call_{call}")},
            "output": {"args": {"filePath": "a.env", "content": content}},
        }),
        _ => serde_json::json!({
            "session_id": "s", "cwd": cwd, "prompt_id": "p", "hook_event_name": "PreToolUse",
            "tool_name": "Write", "tool_use_id": format!("call_{call}"),
            "tool_input": {"file_path": "a.env", "content": content},
        }),
    }
    .to_string()
}

/// Starts all calls, then hands each its payload; counts the denials.
fn at_once(sandbox: &Sandbox, calls: &[(&str, String)]) -> usize {
    let mut children: Vec<_> = calls
        .iter()
        .map(|(host, _)| sandbox.start(&["hook", "guard", "--host", host]))
        .collect();
    for (child, (_, payload)) in children.iter_mut().zip(calls) {
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(payload.as_bytes()).unwrap();
    }
    children
        .into_iter()
        .map(finish)
        .filter(|answer| {
            answer.assert_harmless("at once");
            answer.stdout.contains("secret_write")
        })
        .count()
}

#[test]
fn both_deny_and_one_row_is_written() {
    for host in ["claude", "gemini", "copilot", "opencode"] {
        let sandbox = Sandbox::enforced();
        let calls: Vec<_> = (0..6).map(|_| (host, payload(&sandbox, host, 1))).collect();
        assert_eq!(at_once(&sandbox, &calls), 6, "{host}");
        assert_eq!(sandbox.rows(".planning/guard.jsonl").len(), 1, "{host}");
    }
}

#[test]
fn two_shapes_of_one_event_are_one_event() {
    let sandbox = Sandbox::enforced();
    let calls = [
        ("claude", payload(&sandbox, "copilot", 1)),
        ("copilot", payload(&sandbox, "copilot camel", 1)),
    ];
    assert_eq!(at_once(&sandbox, &calls), 2);
    assert_eq!(sandbox.rows(".planning/guard.jsonl").len(), 1);
}

#[test]
fn different_events_lose_nothing() {
    let sandbox = Sandbox::enforced();
    let calls: Vec<_> = (0..20)
        .flat_map(|call| ["claude", "gemini"].map(|host| (host, call)))
        .map(|(host, call)| (host, payload(&sandbox, host, call)))
        .collect();
    assert_eq!(at_once(&sandbox, &calls), 40);
    assert_eq!(sandbox.rows(".planning/guard.jsonl").len(), 40);
}
