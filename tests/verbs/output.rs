//! What is printed: the shapes scripts depend on, exit codes, and what must never
//! be shown.

use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::sandbox::{Run, Sandbox, finish};
use crate::seeds::seeds;
use crate::table::{Unit, hosts, units, user_units};
use crate::tree::Kind;

fn keys(value: &Value) -> Vec<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

/// Exactly these keys and no others; sorted, as the reader sorts them.
fn has_keys(value: &Value, wanted: &[&str], run: &Run) {
    let mut wanted: Vec<&str> = wanted.to_vec();
    wanted.sort_unstable();
    assert_eq!(keys(value), wanted, "{run}");
}

fn is_change_report(run: &Run) -> Value {
    let json = run.json();
    has_keys(&json, &["changes", "notes"], run);
    for change in json["changes"].as_array().unwrap() {
        has_keys(
            change,
            &["host", "scope", "path", "action", "entries", "reason"],
            run,
        );
        let actions = ["created", "changed", "removed", "unchanged", "refused"];
        assert!(
            actions.contains(&change["action"].as_str().unwrap()),
            "{run}"
        );
        assert!(["user", "project", "private"].contains(&change["scope"].as_str().unwrap()));
        assert!(change["path"].as_str().unwrap().starts_with('/'));
        assert_eq!(change["reason"].is_string(), change["action"] == "refused");
        for entry in change["entries"].as_array().unwrap() {
            has_keys(entry, &["hook", "event", "action"], run);
            let actions = ["added", "updated", "removed", "kept"];
            assert!(
                actions.contains(&entry["action"].as_str().unwrap()),
                "{run}"
            );
        }
    }
    for note in json["notes"].as_array().unwrap() {
        assert!(note.is_string());
    }
    json
}

#[test]
fn each_verb_prints_one_document_of_its_shape() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let only = |json: &Value, file: &str, entry: Option<&str>| {
            assert_eq!(json["changes"].as_array().unwrap().len(), 1, "{json}");
            let change = &json["changes"][0];
            assert_eq!(change["host"], unit.host.id.as_str());
            assert_eq!(change["scope"], unit.scope.name());
            assert_eq!(change["path"], unit.file(&sandbox).to_str().unwrap());
            assert_eq!(change["action"], file);
            let entries = entry.map_or(
                json!([]),
                |action| json!([{"hook": "guard", "event": unit.event(), "action": action}]),
            );
            assert_eq!(change["entries"], entries);
        };
        let args = unit.args("diff", &["--json"]);
        let run = sandbox.run(&args);
        assert_eq!(run.code(), 1, "{run}");
        only(&is_change_report(&run), "created", Some("added"));
        let run = sandbox.done(&unit.args("install", &["--json", "--dry-run"]));
        only(&is_change_report(&run), "created", Some("added"));
        assert!(!unit.file(&sandbox).exists());
        let run = sandbox.done(&unit.args("install", &["--json"]));
        only(&is_change_report(&run), "created", Some("added"));
        let run = sandbox.run(&args);
        assert_eq!(run.code(), 0, "{run}");
        only(&is_change_report(&run), "unchanged", Some("kept"));
        let run = sandbox.done(&["status", "--json"]);
        let status = run.json();
        has_keys(&status, &["registrations"], &run);
        let row = &status["registrations"][0];
        has_keys(
            row,
            &[
                "host", "hook", "event", "scope", "path", "source", "command", "state", "reason",
            ],
            &run,
        );
        assert_eq!(row["command"], unit.command());
        assert_eq!(row["state"], "active");
        let run = sandbox.done(&unit.args("uninstall", &["--json", "--dry-run"]));
        only(&is_change_report(&run), "removed", Some("removed"));
        assert!(unit.file(&sandbox).exists());
        let run = sandbox.done(&["undo", "--yes", "--json"]);
        only(&is_change_report(&run), "removed", Some("removed"));
        let run = sandbox.done(&unit.args("uninstall", &["--json"]));
        only(&is_change_report(&run), "unchanged", None);
    }
}

#[test]
fn hosts_lists_every_host_and_file() {
    let sandbox = Sandbox::new();
    let run = sandbox.done(&["hosts", "--json"]);
    let json = run.json();
    has_keys(&json, &["hosts"], &run);
    let rows = json["hosts"].as_array().unwrap();
    assert_eq!(rows.len(), pan_hooks::host::all().unwrap().len());
    for row in rows {
        has_keys(
            row,
            &[
                "host", "detected", "program", "version", "verified", "paths",
            ],
            &run,
        );
        assert_eq!(row["detected"], false);
        for path in row["paths"].as_array().unwrap() {
            has_keys(path, &["scope", "path", "chosen_by"], &run);
            assert_eq!(path["chosen_by"], Value::Null);
        }
    }
    // A folder or a program makes a host known; neither is run.
    for host in hosts() {
        let unit = user_units()
            .into_iter()
            .find(|u| u.host.id == host.id)
            .unwrap();
        for by_folder in [false, true] {
            let sandbox = Sandbox::new();
            let trap = sandbox.root().join("was run");
            if by_folder {
                std::fs::create_dir_all(unit.file(&sandbox).parent().unwrap()).unwrap();
            } else {
                let program = sandbox.root().join("bin").join(&host.detect.programs[0]);
                sandbox.write(&program, format!("#!/bin/sh\n: > '{}'\n", trap.display()));
                crate::sandbox::chmod(&program, 0o755);
            }
            let run = sandbox.done(&["hosts", "--json"]);
            for row in run.json()["hosts"].as_array().unwrap() {
                assert_eq!(row["detected"], row["host"] == host.id.as_str(), "{run}");
            }
            let run = sandbox.done(&["install", "--global", "--json"]);
            assert_eq!(run.json()["changes"].as_array().unwrap().len(), 1, "{run}");
            assert_eq!(run.json()["changes"][0]["host"], host.id.as_str());
            assert!(!trap.exists(), "a program of the host was run");
        }
    }
}

#[test]
fn a_line_of_theirs_never_shows_as_taken() {
    for unit in user_units() {
        for seed in seeds(unit) {
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), &seed.text);
            let mut shown = sandbox.run(&unit.args("diff", &[])).out;
            shown += &sandbox.done(&unit.args("install", &["--dry-run"])).out;
            for line in shown.lines() {
                assert!(
                    !line.starts_with('-'),
                    "{}, {}: {line}",
                    unit.name(),
                    seed.name
                );
            }
            assert!(shown.contains("pan:guard"), "{shown}");
            sandbox.done(&unit.args("install", &[]));
            let shown = sandbox.done(&unit.args("uninstall", &["--dry-run"])).out;
            for line in shown.lines() {
                assert!(
                    !line.starts_with('+'),
                    "{}, {}: {line}",
                    unit.name(),
                    seed.name
                );
                if let Some(taken) = line.strip_prefix("- ") {
                    for theirs in ["u1", "u2", "\"a\"", "// ", "日本", "\"z\""] {
                        assert!(!taken.contains(theirs), "{}: {line}", seed.name);
                    }
                }
            }
        }
    }
}

#[test]
fn the_patch_gives_what_install_writes() {
    for unit in units() {
        let mut tried = 0;
        for (turn, seed) in seeds(unit).iter().enumerate() {
            // The scopes take turns.
            let scopes = units().iter().filter(|u| u.host.id == unit.host.id).count();
            let own = units()
                .iter()
                .filter(|u| u.host.id == unit.host.id)
                .position(|u| u.scope == unit.scope);
            if Some(turn % scopes) != own || seed.text.is_empty() || seed.text.contains('\r') {
                continue;
            }
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            sandbox.write(&file, &seed.text);
            let run = sandbox.run(&unit.args("diff", &["--patch"]));
            if run.code() == 3 {
                // The line the comma goes to holds something else.
                assert!(
                    run.flat().contains("a patch would have to show this line"),
                    "{run}"
                );
                assert!(run.err.contains("mend: "), "{run}");
                continue;
            }
            assert_eq!(run.code(), 1, "{run}");
            let base = if unit.flag() == "--global" {
                &sandbox.home
            } else {
                &sandbox.project
            };
            let mut command = std::process::Command::new("git");
            sandbox.prepare(&mut command);
            command
                .args(["apply", "--unidiff-zero", "--whitespace=nowarn", "-"])
                .env("PATH", std::env::var_os("PATH").unwrap())
                .env("GIT_CEILING_DIRECTORIES", sandbox.root())
                .env("GIT_DIR", "/nonexistent")
                .current_dir(base);
            let applied =
                crate::sandbox::finish_with(command, &["git", "apply"], run.out.as_bytes());
            assert!(applied.status.success(), "{}: {run}{applied}", seed.name);
            let patched = std::fs::read_to_string(&file).unwrap();
            sandbox.write(&file, &seed.text);
            sandbox.done(&unit.args("install", &[]));
            let installed = std::fs::read_to_string(&file).unwrap();
            assert_eq!(patched, installed, "{}, {}", unit.name(), seed.name);
            tried += 1;
        }
        assert!(tried > 3, "{tried}");
    }
}

/// A word that stands for a secret, not shaped like any.
const CANARY: &str = "canary in the mine";

fn secretive(unit: Unit) -> Vec<String> {
    let event = unit.event();
    let theirs = "{\"hooks\": [{\"type\": \"command\", \"command\": \"u1\"}]}";
    let mut seeds = vec![
        format!("{{\"token\": \"{CANARY}\"}}"),
        format!("{{\"token\": \"{CANARY}\", \"hooks\": {{}}, \"other\": \"{CANARY}\"}}"),
        format!(
            "{{\"token\": \"{CANARY}\", \"hooks\": {{\"{event}\": [{theirs}]}}, \"b\": \"{CANARY}\"}}"
        ),
        format!("{{\n  \"token\": \"{CANARY}\"\n}}\n"),
        format!(
            "{{\n  \"token\": \"{CANARY}\",\n  \"hooks\": {{}},\n  \"other\": \"{CANARY}\"\n}}\n"
        ),
        format!(
            "{{\n  \"token\": \"{CANARY}\", \"hooks\": {{\n    \"{event}\": [\n      {theirs}\n    ]\n  }}, \"other\": \"{CANARY}\"\n}}\n"
        ),
        format!(
            "{{\n  \"hooks\": {{\n    \"{event}\": [\n      {theirs}\n    ]\n  }},\n  \"a\": [\n    \"{CANARY}\"\n  ]}}"
        ),
        format!("{{\n  \"a\": \"{CANARY}\",\n  \"hooks\": {{\n    \"{event}\": [] }} }}"),
    ];
    if unit.grammar().comments {
        seeds.push(format!(
            "// {CANARY}\n{{\n  // {CANARY}\n  \"a\": 1 // {CANARY}\n  // {CANARY}\n}}\n// {CANARY}"
        ));
    }
    seeds
}

#[test]
fn what_stands_elsewhere_in_the_file_is_never_shown_or_kept() {
    for unit in user_units() {
        for seed in secretive(unit) {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            sandbox.write(&file, &seed);
            let silent = |sandbox: &Sandbox, args: &[&str]| {
                let run = sandbox.run(args);
                assert!(!run.said().contains("canary"), "{seed}\n{run}");
                // Nor in any file but the user's own.
                for (path, node) in &sandbox.tree().0 {
                    if let Kind::File(bytes) = &node.kind
                        && sandbox.root().join(path) != file
                    {
                        let text = String::from_utf8_lossy(bytes);
                        assert!(!text.contains("canary"), "{}: {text}", path.display());
                    }
                }
            };
            for verb in [
                unit.args("diff", &[]),
                unit.args("diff", &["--patch"]),
                unit.args("diff", &["--json"]),
                unit.args("install", &["--dry-run"]),
                unit.args("install", &[]),
                unit.args("install", &[]),
                vec!["status"],
                vec!["status", "--json"],
                unit.args("uninstall", &["--dry-run"]),
                vec!["undo"],
                unit.args("install", &["--json"]),
                unit.args("uninstall", &[]),
            ] {
                silent(&sandbox, &verb);
            }
            // A file that is refused is not quoted either.
            for broken in [
                seed.replacen('{', "{,", 1),
                seed.replacen(CANARY, &format!("{CANARY}\" x \""), 1),
                format!("{seed}x"),
                seed.replace("\"hooks\": {", "\"hooks\": {}, \"hooks\": {"),
            ] {
                sandbox.write(&file, broken);
                silent(&sandbox, &unit.args("install", &[]));
                silent(&sandbox, &["status"]);
            }
        }
    }
}

#[test]
fn a_pipe_gets_no_colour() {
    for unit in user_units() {
        for no_color in [false, true] {
            let mut sandbox = Sandbox::new();
            if no_color {
                sandbox.set("NO_COLOR", "1");
            }
            for args in [
                unit.args("diff", &[]),
                unit.args("install", &[]),
                vec!["status"],
                vec!["hosts"],
                vec!["--help"],
                vec!["install", "--help"],
                unit.args("uninstall", &[]),
                vec!["install", "--host", "nobody"],
                vec!["undo"],
            ] {
                let run = sandbox.run(&args);
                assert!(!run.said().contains('\u{1b}'), "{run}");
            }
        }
    }
}

#[test]
fn a_control_character_in_a_name_is_shown_and_not_sent() {
    for unit in units() {
        if unit.flag() == "--global" {
            continue;
        }
        let mut sandbox = Sandbox::new();
        let name = std::ffi::OsStr::from_bytes(b"evil\x1b[2J\nname\x07");
        sandbox.project = sandbox.root().join(name);
        sandbox.cwd.clone_from(&sandbox.project);
        std::fs::create_dir_all(sandbox.project.join(".git")).unwrap();
        let before = sandbox.tree();
        for args in [
            unit.args("diff", &[]),
            unit.args("diff", &["--patch"]),
            unit.args("install", &[]),
            vec!["status"],
            vec!["disable", "guard"],
            vec!["enable", "guard"],
            vec!["hosts"],
            unit.args("uninstall", &[]),
        ] {
            let run = sandbox.run(&args);
            assert!(!run.said().contains(['\u{1b}', '\u{7}']), "{run:?}");
        }
        let _ = std::fs::remove_dir_all(sandbox.home.join(".config"));
        assert_eq!(sandbox.tree().differs(&before), "");
        sandbox.write(&unit.file(&sandbox), "{,}");
        let run = sandbox.refused(&unit.args("install", &[]));
        assert!(!run.said().contains(['\u{1b}', '\u{7}']), "{run:?}");
        assert!(run.err.contains("evil\\u{1b}[2J\\nname\\u{7}"), "{run}");
    }
}

#[test]
fn a_reader_that_left_does_not_break_the_work() {
    for unit in user_units() {
        for verb in ["install", "uninstall"] {
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), "{}");
            if verb == "uninstall" {
                sandbox.done(&unit.args("install", &[]));
            }
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let mut command = sandbox.command(&unit.args(verb, &[]));
            command.stdout(Stdio::from(writer.try_clone().unwrap()));
            command.stderr(Stdio::from(writer));
            let run = finish(command, &[verb]);
            assert_eq!(run.code(), 0, "{run}");
            let text = std::fs::read_to_string(unit.file(&sandbox)).unwrap();
            assert_eq!(
                crate::table::count_ours(&text, unit),
                usize::from(verb == "install")
            );
            assert_eq!(sandbox.temp_files().len(), 0);
        }
    }
}

#[test]
fn install_says_when_it_counts_and_where_it_is_not_seen() {
    for unit in units() {
        let mut sandbox = Sandbox::new();
        std::fs::create_dir_all(sandbox.project.join("deep/er")).unwrap();
        sandbox.cwd = sandbox.project.join("deep/er");
        let run = sandbox.done(&unit.args("install", &[]));
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(run.flat().contains(&flat(&unit.host.pickup)), "{run}");
        assert!(run.flat().contains(&flat(&unit.host.approval)), "{run}");
        assert!(unit.file(&sandbox).exists(), "at the git root: {run}");
        assert_eq!(
            run.flat().contains("that is the project"),
            unit.flag() != "--global",
            "{run}"
        );
    }
}

#[test]
fn a_manager_of_dotfiles_is_named() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{}\n");
        let below = file.strip_prefix(&sandbox.home).unwrap().to_str().unwrap();
        let source = sandbox
            .home
            .join(".local/share/chezmoi")
            .join(below.replacen('.', "dot_", 1));
        sandbox.write(&source, "{}\n");
        let run = sandbox.done(&unit.args("install", &[]));
        assert!(run.flat().contains("managed by chezmoi"), "{run}");
        sandbox.done(&unit.args("uninstall", &[]));
        std::fs::remove_file(&file).unwrap();
        let stowed = sandbox.home.join("stow/agent/settings.json");
        sandbox.write(&stowed, "{}\n");
        std::os::unix::fs::symlink(&stowed, &file).unwrap();
        std::fs::remove_dir_all(sandbox.home.join(".local/share/chezmoi")).unwrap();
        let run = sandbox.done(&unit.args("install", &[]));
        assert!(run.flat().contains("kept by stow"), "{run}");
    }
}

#[test]
fn completions_know_the_verbs() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = sandbox.done(&["completions", shell]);
        for word in ["uninstall", "completions", "dry-run"] {
            assert!(run.out.contains(word), "{shell} lacks {word}");
        }
    }
}
