//! What PAN's own installer registered before: named, replaced on request, once.

use std::path::PathBuf;

use pan_hooks::hook::Hook;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::table::{Unit, commands, count_ours, units};

/// Every form PAN wrote its guard in, for the host of `unit`.
fn forms(unit: Unit) -> Vec<String> {
    let legacy = unit.host.legacy.as_ref().unwrap();
    let script = &legacy.scripts[&Hook::Guard];
    let folder = &legacy.folders[0];
    let runner = &legacy.runner;
    vec![
        format!("{runner} {folder}/{script}"),
        format!("{runner} {folder}/{script} --host {}", unit.host.id),
        format!("{runner} \"/home/u v/{folder}/{script}\""),
        format!(
            "{runner} \"/home/u v/{folder}/{script}\" --host {}",
            unit.host.id
        ),
    ]
}

fn seed(unit: Unit, legacy: &str) -> Value {
    json!({
        "a": 1,
        "hooks": {
            unit.event(): [
                {"hooks": [{"type": "command", "command": "u1"}]},
                {"matcher": "x", "hooks": [{"type": "command", "command": legacy, "timeout": 5}]},
                {"hooks": [{"type": "command", "command": "u2"}]},
            ],
            unit.other_event(): [{"hooks": [{"type": "command", "command": "u3"}]}],
        },
    })
}

fn text(unit: Unit, sandbox: &Sandbox) -> String {
    std::fs::read_to_string(unit.file(sandbox)).unwrap()
}

fn legacy_units() -> Vec<Unit> {
    let units: Vec<_> = units()
        .into_iter()
        .filter(|unit| unit.host.legacy.is_some())
        .collect();
    assert!(units.len() >= 2);
    units
}

#[test]
fn what_pan_registered_is_named_and_the_flag_with_it() {
    for unit in legacy_units() {
        for form in forms(unit) {
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), format!("{:#}\n", seed(unit, &form)));
            let before = sandbox.tree();
            for more in [&[][..], &["--yes"]] {
                let run = sandbox.refused(&unit.args("install", more));
                assert!(run.flat().contains("--migrate"), "{form}: {run}");
                assert_eq!(sandbox.tree().was_touched(&before), "", "{form}");
            }
            let run = sandbox.done(&["status", "--json"]);
            assert_eq!(run.json()["registrations"][0]["source"], "pan", "{run}");
            // Not ours to take out.
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(sandbox.tree().was_touched(&before), "", "{form}");
        }
    }
}

#[test]
fn it_is_replaced_once_and_the_others_stay() {
    for unit in legacy_units() {
        for form in forms(unit) {
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), format!("{:#}\n", seed(unit, &form)));
            sandbox.done(&unit.args("install", &["--migrate"]));
            let after = text(unit, &sandbox);
            assert_eq!(
                commands(&after, unit.event()),
                ["u1".to_owned(), "u2".to_owned(), unit.command()],
                "{form}"
            );
            assert_eq!(count_ours(&after, unit), 1);
            let run = sandbox.done(&unit.args("install", &["--migrate"]));
            assert!(run.out.contains("unchanged"), "{run}");
            sandbox.done(&unit.args("uninstall", &[]));
            let mut wanted = seed(unit, &form);
            wanted["hooks"][unit.event()]
                .as_array_mut()
                .unwrap()
                .remove(1);
            assert_eq!(text(unit, &sandbox), format!("{wanted:#}\n"), "{form}");
            assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
        }
    }
}

#[test]
fn several_of_them_and_shared_groups_are_replaced_too() {
    for unit in legacy_units() {
        let forms = forms(unit);
        let handler = |command: &str| json!({"type": "command", "command": command});
        let sandbox = Sandbox::new();
        let seed = json!({"hooks": {unit.event(): [
            {"matcher": "m", "hooks": [handler(&forms[0]), handler("u1"), handler(&forms[1])]},
            {"hooks": [handler(&forms[2])]},
        ]}});
        sandbox.write(&unit.file(&sandbox), seed.to_string());
        sandbox.done(&unit.args("install", &["--migrate"]));
        let after = text(unit, &sandbox);
        assert_eq!(
            commands(&after, unit.event()),
            ["u1".to_owned(), unit.command()],
            "{after}"
        );
        sandbox.done(&unit.args("uninstall", &[]));
        let wanted = json!({"hooks": {unit.event(): [{"matcher": "m", "hooks": [handler("u1")]}]}});
        assert_eq!(text(unit, &sandbox), wanted.to_string());
    }
}

#[test]
fn a_script_of_that_name_elsewhere_is_theirs() {
    for unit in legacy_units() {
        let legacy = unit.host.legacy.as_ref().unwrap();
        let script = &legacy.scripts[&Hook::Guard];
        for command in [
            format!("{} /srv/mine/{script}", legacy.runner),
            format!(
                "{} {}/{script} && ./mine.sh",
                legacy.runner, legacy.folders[0]
            ),
            format!("deno {}/{script}", legacy.folders[0]),
            format!("echo {script}"),
        ] {
            let sandbox = Sandbox::new();
            sandbox.write(
                &unit.file(&sandbox),
                format!("{:#}\n", seed(unit, &command)),
            );
            let before = sandbox.tree();
            sandbox.done(&unit.args("install", &["--migrate"]));
            assert!(commands(&text(unit, &sandbox), unit.event()).contains(&command));
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(sandbox.tree().differs(&before), "", "{command}");
        }
    }
}
