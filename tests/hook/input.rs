//! Standard input as hosts really treat it, and command lines of other versions.
#![expect(
    clippy::disallowed_methods,
    reason = "one test starts itself again to see a panic from outside"
)]

use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::sandbox::{Sandbox, finish, secret};

const GUARD: [&str; 4] = ["hook", "guard", "--host", "claude"];

fn dirty(sandbox: &Sandbox) -> String {
    serde_json::json!({
        "session_id": "s", "cwd": sandbox.project(), "prompt_id": "p",
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "t",
        "tool_input": {"file_path": "a.env", "content": format!("K={}", secret(5))},
    })
    .to_string()
}

#[test]
fn a_pipe_that_stays_open_is_not_waited_for() {
    let sandbox = Sandbox::enforced();
    let mut child = sandbox.start(&GUARD);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(dirty(&sandbox).as_bytes()).unwrap();
    stdin.flush().unwrap();
    let started = Instant::now();
    let answer = finish(child);
    // Still open here, so the program cannot have seen an end.
    drop(stdin);
    assert!(answer.stdout.contains("secret_write"), "{answer:?}");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_payload_that_never_ends_is_given_up() {
    let sandbox = Sandbox::enforced();
    let mut child = sandbox.start(&GUARD);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"session_id\":\"s\"").unwrap();
    let answer = finish(child);
    drop(stdin);
    answer.assert_silent("half a payload");
    let rows = sandbox.rows(".planning/guard.jsonl");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["rule"], "unreadable");
}

#[test]
fn a_payload_in_pieces_is_put_together() {
    let sandbox = Sandbox::enforced();
    let payload = dirty(&sandbox);
    let mut child = sandbox.start(&GUARD);
    let mut stdin = child.stdin.take().unwrap();
    for piece in payload.as_bytes().chunks(7) {
        stdin.write_all(piece).unwrap();
        stdin.flush().unwrap();
    }
    stdin.write_all(b" \r\n trailing { bytes").unwrap();
    let answer = finish(child);
    assert!(answer.stdout.contains("secret_write"), "{answer:?}");
}

#[test]
fn input_that_is_no_payload_is_unreadable_not_clean() {
    let huge = "x".repeat(300_000);
    let deep = "[".repeat(100_000);
    let inputs: [&[u8]; 10] = [
        b"",
        b"   \n",
        b"garbage",
        b"{\"a\":",
        b"{\"a\" 1}",
        b"[]",
        b"\"text\"",
        b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\xff\"}",
        huge.as_bytes(),
        deep.as_bytes(),
    ];
    for input in inputs {
        let sandbox = Sandbox::enforced();
        let what = String::from_utf8_lossy(&input[..input.len().min(60)]).into_owned();
        sandbox.run(&GUARD, input).assert_silent(&what);
        let rows = sandbox.rows(".planning/guard.jsonl");
        assert_eq!(rows.len(), 1, "{what}");
        assert_eq!(rows[0]["rule"], "unreadable", "{what}");
        assert_eq!(rows[0]["decision"], "logged", "{what}");
    }
    // Outside a project there is nowhere to say so.
    let sandbox = Sandbox::new();
    sandbox.run(&GUARD, b"garbage").assert_silent("outside");
    assert!(crate::sandbox::files(&sandbox.home()).is_empty());
}

#[test]
fn a_call_of_a_nameless_tool_is_unreadable() {
    let sandbox = Sandbox::enforced();
    let payload = dirty(&sandbox).replace("\"tool_name\":\"Write\"", "\"tool_name\":7");
    sandbox.guard("claude", &payload).assert_silent("nameless");
    let rows = sandbox.rows(".planning/guard.jsonl");
    assert_eq!((rows.len(), &rows[0]["kind"]), (1, &"no tool name".into()));
}

#[test]
fn a_panic_is_silence() {
    // Runs this very test again, as a process that panics.
    if std::env::args().any(|arg| arg == "--include-ignored") {
        pan_hooks::cli::hook::leave_quietly_on_panic();
        panic!("this text must not be seen");
    }
    let out = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "input::a_panic_is_silence",
            "--nocapture",
            "--include-ignored",
        ])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0));
    let text = [out.stdout, out.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("running 1 test"), "{text}");
    assert!(
        !text.contains("panic") || !text.contains("must not be seen"),
        "{text}"
    );
    // The process left at once: the test neither failed nor passed.
    assert!(!text.contains("test result"), "{text}");
}

#[test]
fn a_mark_before_the_payload_is_no_part_of_it() {
    let sandbox = Sandbox::enforced();
    let payload = format!("\u{feff}{}", dirty(&sandbox));
    let answer = sandbox.guard("claude", &payload);
    assert!(answer.stdout.contains("secret_write"), "{answer:?}");
}

#[test]
fn other_command_lines_are_silent() {
    let sandbox = Sandbox::enforced();
    let payload = dirty(&sandbox);
    for args in [
        &["hook"][..],
        &["hook", "guard"],
        &["hook", "guard", "--host"],
        &["hook", "guard", "--host", "nobody"],
        &["hook", "guard", "--host="],
        &["hook", "no-such-hook", "--host", "claude"],
        &["hook", "--host", "claude"],
        &["hook", "cost-logger", "--host", "claude"],
    ] {
        let answer = sandbox.run(args, payload.as_bytes());
        answer.assert_silent(&format!("{args:?}"));
    }
    for args in [
        &["hook", "guard", "--host=claude"][..],
        &["hook", "--host", "claude", "guard"],
        &[
            "hook",
            "guard",
            "--new-flag",
            "--host",
            "claude",
            "--event",
            "PreToolUse",
        ],
    ] {
        let answer = sandbox.run(args, payload.as_bytes());
        assert!(answer.stdout.contains("\"deny\""), "{args:?}: {answer:?}");
    }
}

#[test]
fn the_event_of_the_payload_beats_that_of_the_command() {
    let sandbox = Sandbox::enforced();
    let payload = dirty(&sandbox);
    let args = [
        "hook",
        "guard",
        "--host",
        "claude",
        "--event",
        "PostToolUse",
    ];
    assert!(
        sandbox
            .run(&args, payload.as_bytes())
            .stdout
            .contains("\"deny\"")
    );
    let unnamed = payload.replace("\"hook_event_name\":\"PreToolUse\",", "");
    assert_ne!(unnamed, payload);
    sandbox
        .run(&args, unnamed.as_bytes())
        .assert_silent("named by the command");
}

#[test]
fn a_closed_standard_output_is_no_failure() {
    let sandbox = Sandbox::enforced();
    let mut child = sandbox.start(&GUARD);
    drop(child.stdout.take());
    child.stdout = None;
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(dirty(&sandbox).as_bytes()).unwrap();
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(sandbox.rows(".planning/guard.jsonl").len(), 1);
}
