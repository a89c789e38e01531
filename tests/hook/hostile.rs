//! Projects and temporary folders that someone else prepared.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests build the world the program runs in"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::sandbox::{Answer, Sandbox, secret};

fn dirty(sandbox: &Sandbox) -> Answer {
    let payload = serde_json::json!({
        "session_id": "s", "cwd": sandbox.project(), "prompt_id": "p",
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "t",
        "tool_input": {"file_path": "a.env", "content": format!("K={}", secret(6))},
    });
    let answer = sandbox.guard("claude", &payload.to_string());
    answer.assert_harmless("hostile");
    answer
}

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

#[test]
fn a_linked_planning_tree_is_none() {
    let sandbox = Sandbox::new();
    sandbox.write("~/other/config.json", "{\"hooks\":{\"guard\":\"enforce\"}}");
    symlink("../other", sandbox.path(".planning")).unwrap();
    dirty(&sandbox).assert_silent("a linked tree");
    assert!(sandbox.rows("~/other/guard.jsonl").is_empty());
}

#[test]
fn a_pipe_as_config_does_not_hold_the_call() {
    let sandbox = Sandbox::new();
    sandbox.write(".planning/state.md", "");
    pipe(&sandbox.path(".planning/config.json"));
    dirty(&sandbox).assert_silent("report is the default");
    assert_eq!(sandbox.rows(".planning/guard.jsonl").len(), 1);
}

#[test]
fn a_config_that_is_a_link_or_has_two_names_is_not_read() {
    for hard in [false, true] {
        let sandbox = Sandbox::new();
        sandbox.write(".planning/state.md", "");
        sandbox.write("~/mine.json", "{\"hooks\":{\"guard\":\"off\"}}");
        let (from, to) = (
            sandbox.path("~/mine.json"),
            sandbox.path(".planning/config.json"),
        );
        if hard {
            fs::hard_link(from, to).unwrap();
        } else {
            symlink(from, to).unwrap();
        }
        dirty(&sandbox).assert_silent("report is the default");
        assert_eq!(
            sandbox.rows(".planning/guard.jsonl").len(),
            1,
            "hard: {hard}"
        );
    }
}

#[test]
fn a_huge_config_is_not_read() {
    let sandbox = Sandbox::new();
    let text = format!(
        "{{\"hooks\":{{\"guard\":\"off\"}},\"x\":\"{}\"}}",
        "x".repeat(400_000)
    );
    sandbox.write(".planning/config.json", &text);
    dirty(&sandbox);
    assert_eq!(sandbox.rows(".planning/guard.jsonl").len(), 1);
}

#[test]
fn a_log_that_is_not_plainly_ours_is_not_written_and_the_denial_stands() {
    for kind in ["link", "hard link", "pipe", "folder"] {
        let sandbox = Sandbox::enforced();
        sandbox.write("~/victim", "mine\n");
        let (victim, log) = (
            sandbox.path("~/victim"),
            sandbox.path(".planning/guard.jsonl"),
        );
        match kind {
            "link" => symlink(&victim, &log).unwrap(),
            "hard link" => fs::hard_link(&victim, &log).unwrap(),
            "pipe" => pipe(&log),
            _ => fs::create_dir(&log).unwrap(),
        }
        let answer = dirty(&sandbox);
        assert!(answer.stdout.contains("\"deny\""), "{kind}: {answer:?}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine\n", "{kind}");
    }
}

#[test]
fn a_torn_line_in_the_log_stays_a_line_of_its_own() {
    let sandbox = Sandbox::enforced();
    sandbox.write(".planning/guard.jsonl", "{\"v\":1}\n{\"torn\":");
    dirty(&sandbox);
    let text = fs::read_to_string(sandbox.path(".planning/guard.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert_eq!(lines[1], "{\"torn\":");
    assert!(serde_json::from_str::<serde_json::Value>(lines[2]).is_ok());
}

#[test]
fn a_tree_of_someone_else_is_none() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not checked: only root can give a folder away");
        return;
    }
    let sandbox = Sandbox::enforced();
    std::os::unix::fs::chown(sandbox.path(".planning"), Some(12345), None).unwrap();
    dirty(&sandbox).assert_silent("someone else's tree");
    assert!(sandbox.rows(".planning/guard.jsonl").is_empty());
}

#[test]
fn the_home_folder_is_no_project() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "~/.planning/config.json",
        "{\"hooks\":{\"guard\":\"enforce\"}}",
    );
    let text = format!("K={}", secret(6));
    for cwd in [
        sandbox.home(),
        sandbox.home().parent().unwrap().to_owned(),
        sandbox.project(),
    ] {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": cwd, "prompt_id": "p",
            "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "t",
            "tool_input": {"file_path": "a.env", "content": text},
        });
        let answer = sandbox.guard("claude", &payload.to_string());
        answer.assert_silent(&format!("{}", cwd.display()));
    }
    assert!(sandbox.rows("~/.planning/guard.jsonl").is_empty());
    // Nor is a folder above it, not even one with a git root.
    let above = sandbox.home().parent().unwrap().to_owned();
    fs::create_dir(above.join(".git")).unwrap();
    fs::create_dir(above.join(".planning")).unwrap();
    for cwd in [&above, &sandbox.project()] {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": cwd, "prompt_id": "p",
            "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "t",
            "tool_input": {"file_path": "a.env", "content": text},
        });
        sandbox
            .guard("claude", &payload.to_string())
            .assert_silent("above home");
    }
    assert_eq!(fs::read_dir(above.join(".planning")).unwrap().count(), 0);
    // Nor is it under another name.
    symlink(sandbox.home(), sandbox.temp().join("link")).unwrap();
    let payload = serde_json::json!({
        "session_id": "s", "cwd": sandbox.temp().join("link"), "prompt_id": "p",
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "t",
        "tool_input": {"file_path": "a.env", "content": text},
    });
    sandbox
        .guard("claude", &payload.to_string())
        .assert_silent("a link to home");
}

#[test]
fn a_relative_home_counts_as_unset() {
    let sandbox = Sandbox::enforced();
    let payload = serde_json::json!({
        "session_id": "s", "cwd": sandbox.project(), "prompt_id": "p",
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "t",
        "tool_input": {"file_path": "~/a.env", "content": format!("K={}", secret(6))},
    })
    .to_string();
    let args = ["hook", "guard", "--host", "claude"];
    for home in ["", "relative", "."] {
        let answer = sandbox.run_with(&args, payload.as_bytes(), &[("HOME", home)]);
        assert!(answer.stdout.contains("\"deny\""), "{home:?}: {answer:?}");
    }
}

#[test]
fn a_runtime_folder_that_others_may_use_is_not_used() {
    for kind in ["open", "link", "file"] {
        let sandbox = Sandbox::enforced();
        let user = rustix::process::getuid().as_raw();
        let folder = sandbox.temp().join(format!("pan-hooks-{user}"));
        let elsewhere = sandbox.temp().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        match kind {
            "open" => {
                fs::create_dir(&folder).unwrap();
                fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
            }
            "link" => symlink(&elsewhere, &folder).unwrap(),
            _ => fs::write(&folder, "").unwrap(),
        }
        let answer = dirty(&sandbox);
        assert!(answer.stdout.contains("\"deny\""), "{kind}: {answer:?}");
        // Nothing is claimed there, and the row is not lost.
        assert_eq!(sandbox.rows(".planning/guard.jsonl").len(), 1, "{kind}");
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "{kind}");
        if kind == "open" {
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        }
    }
}

#[test]
fn what_is_made_is_for_the_user_alone() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "~/.config/pan-hooks/config.json",
        "{\"guard\":{\"outside\":\"report\"}}",
    );
    dirty(&sandbox).assert_silent("report");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&sandbox.path("~/.local/state/pan-hooks")), 0o700);
    assert_eq!(
        mode(&sandbox.path("~/.local/state/pan-hooks/guard.jsonl")),
        0o600
    );
    let user = rustix::process::getuid().as_raw();
    assert_eq!(
        mode(&sandbox.temp().join(format!("pan-hooks-{user}"))),
        0o700
    );
}

#[test]
fn names_in_a_payload_lead_nowhere() {
    let sandbox = Sandbox::enforced();
    let before = crate::sandbox::files(&sandbox.home()).len();
    let payload = serde_json::json!({
        "session_id": "../../../x", "cwd": sandbox.project(), "prompt_id": "p",
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "/../../../tmp/y\u{0}\n",
        "agent_id": "../z",
        "tool_input": {"file_path": "a\u{1b}[31m\n{\"v\":1}\u{202e}.env", "content": format!("K={}", secret(6))},
    });
    let answer = sandbox.guard("claude", &payload.to_string());
    assert!(answer.stdout.contains("\"deny\""));
    assert!(!answer.stdout.contains("\\u001b") && !answer.stdout.contains('\u{202e}'));
    assert_eq!(sandbox.rows(".planning/guard.jsonl").len(), 1);
    assert_eq!(crate::sandbox::files(&sandbox.home()).len(), before + 1);
}
