//! The cases in `fixtures/outcomes`: a payload, a project, the answer, the rows.
//! `fixtures/outcomes/README.md` says what stands in a case.
#![expect(
    clippy::disallowed_methods,
    reason = "tests build the world the program runs in"
)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sandbox::{Sandbox, files, secret};

/// The folders of all cases.
fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/outcomes");
    files(&root)
        .into_iter()
        .filter(|(path, _)| path.ends_with("case.json"))
        .map(|(path, _)| path.parent().unwrap().to_owned())
        .filter(|path| path.parent().unwrap().ends_with("guard"))
        .collect()
}

fn strings(value: &Value) -> Vec<(&str, &str)> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value.as_str().unwrap()))
        .collect()
}

fn run(folder: &Path) {
    let name = folder.display();
    let sandbox = Sandbox::new();
    let case = fs::read_to_string(folder.join("case.json")).unwrap();
    let case: Value = serde_json::from_str(&sandbox.fill(&case)).unwrap();
    let payload = fs::read_to_string(folder.join("payload.json")).unwrap();
    // Hosts write one line.
    let payload: Value = serde_json::from_str(&sandbox.fill(&payload)).unwrap();
    for (path, text) in strings(&case["files"]) {
        sandbox.write(path, text);
    }
    #[cfg(unix)]
    for (path, target) in strings(&case["links"]) {
        std::os::unix::fs::symlink(target, sandbox.path(path)).unwrap();
    }
    let before = files(&sandbox.home());
    let host = case["host"].as_str().unwrap();
    let answer = sandbox.run_with(
        &["hook", "guard", "--host", host],
        payload.to_string().as_bytes(),
        &strings(&case["env"]),
    );
    answer.assert_harmless(&format!("{name}"));

    let wanted = &case["answer"];
    if wanted.is_null() {
        assert_eq!(answer.stdout, "", "{name}");
    } else {
        let got: Value = serde_json::from_str(&answer.stdout)
            .unwrap_or_else(|error| panic!("{name}: {error}: {:?}", answer.stdout));
        let reason = reason(&got).unwrap_or_else(|| panic!("{name}: {got}"));
        let wanted = wanted.to_string();
        let quoted = Value::from(reason).to_string();
        let wanted = wanted.replace("\"{{reason}}\"", &quoted);
        assert_eq!(
            got,
            serde_json::from_str::<Value>(&wanted).unwrap(),
            "{name}"
        );
        for part in case["says"].as_array().into_iter().flatten() {
            let part = part.as_str().unwrap();
            assert!(reason.contains(part), "{name}: no {part:?} in {reason:?}");
        }
        assert!(
            reason.len() < 3000 && !reason.contains(char::is_control),
            "{name}"
        );
    }

    let log = case["log"].as_str().unwrap_or(".planning/guard.jsonl");
    let rows = sandbox.rows(log);
    let wanted = case["rows"].as_array().unwrap();
    assert_eq!(rows.len(), wanted.len(), "{name}: {rows:#?}");
    for (row, wanted) in rows.iter().zip(wanted) {
        for (key, value) in wanted.as_object().unwrap() {
            assert_eq!(&row[key], value, "{name}: {key} of {row}");
        }
        assert_eq!(row["v"], 1, "{name}");
    }

    // Nothing else is written, and the credential stands nowhere.
    let after = files(&sandbox.home());
    let new = after
        .iter()
        .filter(|file| !before.contains(file))
        .map(|(path, _)| path.clone())
        .collect::<Vec<_>>();
    if wanted.is_empty() {
        assert!(new.is_empty(), "{name} wrote {new:?}");
    } else {
        assert_eq!(new, [sandbox.path(log)], "{name}");
    }
    let mut texts = vec![answer.stdout.into_bytes()];
    texts.extend(new.iter().map(|path| fs::read(path).unwrap()));
    texts.extend(files(&sandbox.temp()).into_iter().map(|(_, bytes)| bytes));
    for text in texts {
        let text = String::from_utf8(text).unwrap();
        for secret in [secret(1), secret(2)] {
            // Not even a good part of it.
            assert!(
                !text.contains(&secret[4..16]),
                "{name} tells the credential"
            );
        }
    }
}

/// The reason in an answer of any host.
fn reason(answer: &Value) -> Option<&str> {
    [
        &answer["reason"],
        &answer["deny"],
        &answer["permissionDecisionReason"],
        &answer["hookSpecificOutput"]["permissionDecisionReason"],
    ]
    .into_iter()
    .find_map(Value::as_str)
}

#[test]
fn every_case_ends_as_it_says() {
    let cases = cases();
    assert!(cases.len() > 100, "only {} cases found", cases.len());
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|folder| {
            std::panic::catch_unwind(|| run(folder)).err().map(|error| {
                error
                    .downcast_ref::<String>()
                    .cloned()
                    .unwrap_or_else(|| folder.display().to_string())
            })
        })
        .collect();
    assert!(
        failed.is_empty(),
        "{} failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn every_host_has_the_common_cases() {
    let cases = cases();
    let named = |host: &str| -> Vec<String> {
        cases
            .iter()
            .filter(|path| path.iter().any(|part| part == host))
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect()
    };
    for host in ["claude", "codex", "gemini", "copilot", "opencode"] {
        let named = named(host);
        for case in [
            "secret-write",
            "clean-write",
            "state-write",
            "heredoc-secret",
            "no-text",
        ] {
            assert!(
                named.iter().any(|name| name == case),
                "{host} has no {case}"
            );
        }
    }
}
