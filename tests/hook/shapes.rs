//! Every recorded payload through every registration, whole and damaged.
#![expect(
    clippy::disallowed_methods,
    reason = "tests build the world the program runs in"
)]

use std::path::Path;

use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::Value;

use crate::sandbox::{Sandbox, files, secret};

const HOSTS: [&str; 5] = ["claude", "codex", "gemini", "copilot", "opencode"];

/// Host, name and text of every recorded payload.
fn recorded() -> Vec<(String, String, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/payloads");
    let found: Vec<_> = files(&root)
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|kind| kind == "json"))
        .map(|(path, bytes)| {
            let part = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
            (
                part(path.parent().unwrap()),
                part(&path),
                serde_json::from_slice(&bytes).unwrap(),
            )
        })
        .collect();
    assert!(found.len() > 100, "only {} payloads found", found.len());
    found
}

/// The events before a tool call whose tool writes something, by what was recorded.
fn is_write(payload: &Value) -> bool {
    let event = payload["hook_event_name"].as_str().unwrap_or("preToolUse");
    let before = [
        "PreToolUse",
        "BeforeTool",
        "preToolUse",
        "tool.execute.before",
    ];
    let after = [
        "toolResult",
        "error",
        "tool_response",
        "tool_result",
        "toolInput",
    ];
    let tool = [
        &payload["tool_name"],
        &payload["toolName"],
        &payload["input"]["tool"],
    ]
    .into_iter()
    .find_map(Value::as_str)
    .unwrap_or("");
    let tools = [
        "Write",
        "Edit",
        "Bash",
        "write_file",
        "replace",
        "run_shell_command",
        "apply_patch",
        "create",
        "bash",
        "write",
    ];
    before.contains(&event)
        && !after.iter().any(|key| payload.get(key).is_some())
        && tools.contains(&tool)
}

/// Puts `text` where the tool's text is.
fn with_text(payload: &Value, text: &str) -> Value {
    let mut payload = payload.clone();
    for pointer in ["/tool_input", "/toolArgs", "/output/args"] {
        let Some(args) = payload.pointer_mut(pointer) else {
            continue;
        };
        if args.is_string() {
            *args = format!("*** Begin Patch\n*** Add File: z\n+{text}\n*** End Patch").into();
            continue;
        }
        let patch = args["command"]
            .as_str()
            .is_some_and(|command| command.starts_with("*** Begin"));
        for key in ["content", "new_string", "file_text", "command"] {
            if args.get(key).is_some() {
                args[key] = if patch {
                    format!("*** Begin Patch\n*** Add File: z\n+{text}\n*** End Patch").into()
                } else {
                    format!("echo '{text}'").into()
                };
            }
        }
    }
    payload
}

#[test]
fn recorded_calls_pass_and_deny_under_every_registration() {
    let sandbox = Sandbox::enforced();
    let cwd = Value::from(sandbox.project().to_str().unwrap());
    let mut writes = 0;
    for (host, name, payload) in recorded() {
        let mut payload = payload;
        if payload.get("cwd").is_some() {
            payload["cwd"] = cwd.clone();
        }
        for registered in HOSTS {
            let what = format!("{host}/{name} registered for {registered}");
            // The recorded calls are clean but for one that writes state.md of
            // another project.
            sandbox
                .guard(registered, &payload.to_string())
                .assert_silent(&what);
        }
        if !is_write(&payload) {
            continue;
        }
        writes += 1;
        let dirty = with_text(&payload, &secret(3)).to_string();
        for registered in HOSTS {
            let what = format!("{host}/{name} registered for {registered}");
            let answer = sandbox.guard(registered, &dirty);
            answer.assert_harmless(&what);
            let json: Value = serde_json::from_str(&answer.stdout).expect(&what);
            let nested = &json["hookSpecificOutput"];
            match host.as_str() {
                "claude" | "codex" => {
                    assert_eq!(json.as_object().unwrap().len(), 1, "{what}");
                    assert_eq!(nested.as_object().unwrap().len(), 3, "{what}");
                    assert_eq!(nested["hookEventName"], "PreToolUse", "{what}");
                    assert_eq!(nested["permissionDecision"], "deny", "{what}");
                }
                "gemini" => assert_eq!(json["decision"], "deny", "{what}"),
                "copilot" => {
                    assert_eq!(json["permissionDecision"], "deny", "{what}");
                    let pascal = name.starts_with("pascal");
                    assert_eq!(nested.is_object(), pascal, "{what}");
                }
                _ => assert!(json["deny"].is_string(), "{what}"),
            }
        }
    }
    assert!(writes >= 18, "only {writes} writing calls recorded");
}

#[test]
fn damaged_payloads_are_met_with_silence() {
    let sandbox = Sandbox::enforced();
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let odd = [
        Value::Null,
        Value::from(7),
        Value::from(true),
        Value::from(""),
        Value::from(vec![1, 2]),
        serde_json::json!({"a": {}}),
    ];
    for (host, name, payload) in recorded() {
        let text = payload.to_string();
        let mut damaged = Vec::new();
        for _ in 0..2 {
            damaged.push(text[..floor(&text, pick(&mut rng, text.len()))].to_owned());
            if let Value::Object(map) = &payload {
                let keys: Vec<&String> = map.keys().collect();
                let key = keys[pick(&mut rng, keys.len())];
                let mut less = map.clone();
                less.remove(key);
                damaged.push(Value::Object(less).to_string());
                let mut other = map.clone();
                other.insert(key.clone(), odd[pick(&mut rng, odd.len())].clone());
                damaged.push(Value::Object(other).to_string());
            }
        }
        for text in damaged {
            let answer = sandbox.guard(&host, &text);
            answer.assert_silent(&format!("{host}/{name}: {text}"));
        }
    }
}

fn pick(rng: &mut TestRng, below: usize) -> usize {
    use proptest::prelude::Rng as _;
    usize::try_from(rng.next_u32()).unwrap() % below.max(1)
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[test]
fn a_text_of_two_megabytes_is_read_to_its_end() {
    let sandbox = Sandbox::enforced();
    let line = "let value = compute(\\\"a\\\", 12); // nothing to see\\n";
    let clean = line.repeat(2_000_000 / line.len());
    let payload = |tail: &str| {
        format!(
            r#"{{"session_id":"s","cwd":{},"prompt_id":"p","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{{"file_path":"a.rs","content":"{clean}{tail}"}},"tool_use_id":"1"}}"#,
            Value::from(sandbox.project().to_str().unwrap())
        )
    };
    sandbox.guard("claude", &payload("")).assert_silent("clean");
    let answer = sandbox.guard("claude", &payload(&secret(4)));
    assert!(answer.stdout.contains("secret_write"), "{answer:?}");
}
