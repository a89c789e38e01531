//! `undo` takes back the last run.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::seeds::seeds;
use crate::table::{Unit, count_ours, hosts, parse, units, user_units};

fn text(unit: Unit, sandbox: &Sandbox) -> String {
    std::fs::read_to_string(unit.file(sandbox)).unwrap()
}

#[test]
fn an_install_is_taken_back_to_the_byte() {
    for host in hosts() {
        let own: Vec<Unit> = units()
            .into_iter()
            .filter(|u| u.host.id == host.id)
            .collect();
        for (turn, seed) in seeds(own[0]).iter().enumerate() {
            let unit = own[turn % own.len()];
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), &seed.text);
            let before = sandbox.tree();
            sandbox.done(&unit.args("install", &[]));
            sandbox.done(&["undo"]);
            let difference = sandbox.tree().differs(&before);
            assert!(
                difference.is_empty(),
                "{}, {}: {difference}",
                unit.name(),
                seed.name
            );
        }
    }
}

#[test]
fn a_file_that_was_made_is_gone_again() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let before = sandbox.tree();
        sandbox.done(&unit.args("install", &[]));
        sandbox.done(&["undo", "--yes"]);
        assert_eq!(sandbox.tree().differs(&before), "", "{}", unit.name());
    }
}

#[test]
fn an_uninstall_is_taken_back_while_something_of_ours_is_left() {
    for unit in units() {
        // Another unit stays installed: with the last one the record goes too.
        let other = units()
            .into_iter()
            .find(|u| u.name() != unit.name())
            .unwrap();
        let sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), "{\n  \"a\": [ 1 ]\n}");
        let seed = text(unit, &sandbox);
        sandbox.done(&other.args("install", &[]));
        sandbox.done(&unit.args("install", &[]));
        let installed = text(unit, &sandbox);
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(text(unit, &sandbox), seed);
        sandbox.done(&["undo"]);
        assert_eq!(text(unit, &sandbox), installed);
        let run = sandbox.run(&unit.args("diff", &[]));
        assert_eq!(run.code(), 0, "{run}");
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(text(unit, &sandbox), seed);
    }
}

#[test]
fn what_the_user_changed_since_stays() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{\n  \"a\": 1,\n  \"z\": 2\n}\n");
        sandbox.done(&unit.args("install", &[]));
        let edited = text(unit, &sandbox).replace("\"a\": 1", "\"a\": \"é\"");
        sandbox.write(&file, edited);
        sandbox.done(&["undo"]);
        assert_eq!(text(unit, &sandbox), "{\n  \"a\": \"é\",\n  \"z\": 2\n}\n");
        assert_eq!(sandbox.leftovers(), Vec::<std::path::PathBuf>::new());
    }
}

#[test]
fn undone_from_another_folder_it_is_still_that_file() {
    for unit in units() {
        let mut sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), "{}");
        let before = sandbox.tree();
        sandbox.done(&unit.args("install", &[]));
        sandbox.cwd = sandbox.home.clone();
        sandbox.done(&["undo"]);
        assert_eq!(sandbox.tree().differs(&before), "", "{}", unit.name());
    }
}

#[test]
fn only_the_last_run_is_taken_back_and_all_of_it() {
    let sandbox = Sandbox::new();
    for unit in user_units() {
        sandbox.write(&unit.file(&sandbox), "{\"a\": 1}");
    }
    let before = sandbox.tree();
    sandbox.done(&["install", "--global"]);
    let run = sandbox.done(&["undo", "--json"]);
    assert_eq!(
        run.json()["changes"].as_array().unwrap().len(),
        user_units().len()
    );
    assert_eq!(sandbox.tree().differs(&before), "");
    for unit in user_units() {
        sandbox.done(&unit.args("install", &[]));
    }
    sandbox.done(&["undo"]);
    let all = user_units();
    for (at, unit) in all.iter().enumerate() {
        let wanted = usize::from(at + 1 < all.len());
        assert_eq!(count_ours(&text(*unit, &sandbox), *unit), wanted);
    }
}

#[test]
fn an_upgrade_is_taken_back_to_the_byte_and_an_uninstall_still_works() {
    for unit in units() {
        for seed in ["{\n  \"a\": 1\n}\n", "{\"hooks\":{}}", "{\r\n}\r\n"] {
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), seed);
            let before = sandbox.tree();
            sandbox.done(&unit.args("install", &[]));
            let new = text(unit, &sandbox);
            crate::kills::age(unit, &sandbox);
            let old = text(unit, &sandbox);
            let run = sandbox.done(&unit.args("install", &["--json"]));
            let entries = &run.json()["changes"][0]["entries"];
            assert_eq!(entries[0]["action"], "updated", "{run}");
            assert_eq!(
                text(unit, &sandbox),
                new,
                "b_14: an older default is brought up"
            );
            sandbox.done(&["undo"]);
            assert_eq!(text(unit, &sandbox), old, "{}, {seed:?}", unit.name());
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(
                sandbox.tree().differs(&before),
                "",
                "{}, {seed:?}",
                unit.name()
            );
        }
    }
}

#[test]
fn a_migration_is_taken_back() {
    for unit in units() {
        let Some(legacy) = &unit.host.legacy else {
            continue;
        };
        let script = &legacy.scripts[&pan_hooks::hook::Hook::Guard];
        let command = format!("{} {}/{script}", legacy.runner, legacy.folders[0]);
        let sandbox = Sandbox::new();
        let seed = format!(
            "{:#}\n",
            json!({"hooks": {unit.event(): [{"hooks": [{"type": "command", "command": command}]}]}})
        );
        sandbox.write(&unit.file(&sandbox), &seed);
        let before = sandbox.tree();
        sandbox.done(&unit.args("install", &["--migrate"]));
        sandbox.done(&["undo"]);
        assert_eq!(sandbox.tree().differs(&before), "", "{}", unit.name());
    }
}

#[test]
fn nothing_to_take_back_is_said() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let run = sandbox.done(&["undo"]);
    assert!(run.flat().contains("nothing to take back"), "{run}");
    let run = sandbox.done(&["undo", "--json"]);
    assert_eq!(run.json(), json!({"changes": [], "notes": []}));
    assert_eq!(sandbox.tree().was_touched(&before), "");
}

#[test]
fn a_file_that_is_broken_now_is_not_taken_back() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{}");
        sandbox.done(&unit.args("install", &[]));
        let broken = text(unit, &sandbox).replacen('{', "{,", 1);
        sandbox.write(&file, &broken);
        let run = sandbox.refused(&["undo", "--json"]);
        assert_eq!(run.json()["changes"][0]["action"], "refused", "{run}");
        assert_eq!(text(unit, &sandbox), broken);
        assert!(sandbox.program().exists());
        sandbox.write(&file, broken.replacen("{,", "{", 1));
        sandbox.done(&["undo"]);
        assert_eq!(
            parse(&text(unit, &sandbox)),
            Value::Object(serde_json::Map::new())
        );
    }
}
