//! `enable`, `disable` and what `status` makes of switches and copies.

use std::os::unix::fs::MetadataExt;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::table::{Unit, parse, units, user_units};

fn config(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.home.join(".config/pan-hooks/config.json")
}

fn states(sandbox: &Sandbox) -> Vec<String> {
    let run = sandbox.done(&["status", "--json"]);
    run.json()["registrations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["state"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_hook_that_is_off_stays_registered_and_nothing_gets_into_the_project() {
    for unit in units() {
        let mut sandbox = Sandbox::new();
        sandbox.done(&unit.args("install", &[]));
        let before = sandbox.tree();
        sandbox.done(&["disable", "guard"]);
        let text = std::fs::read_to_string(config(&sandbox)).unwrap();
        let project = sandbox.project.to_str().unwrap();
        assert_eq!(parse(&text), json!({"disabled": {project: ["guard"]}}));
        for (path, node) in &before.0 {
            if path.starts_with("my project") || sandbox.root().join(path) == unit.file(&sandbox) {
                assert_eq!(sandbox.tree().0[path], *node);
            }
        }
        assert_eq!(states(&sandbox), ["disabled"]);
        let run = sandbox.done(&["status"]);
        assert!(run.flat().contains("pan-hooks enable guard"), "{run}");
        // Another project is not concerned.
        if unit.flag() == "--global" {
            let other = sandbox.root().join("other");
            std::fs::create_dir_all(&other).unwrap();
            let here = std::mem::replace(&mut sandbox.cwd, other);
            assert_eq!(states(&sandbox), ["active"]);
            sandbox.cwd = here;
        }
        // A folder below is the same project.
        let deep = sandbox.project.join("deep");
        std::fs::create_dir_all(&deep).unwrap();
        sandbox.cwd = deep;
        assert_eq!(states(&sandbox), ["disabled"]);
        sandbox.done(&["enable", "guard"]);
        assert_eq!(states(&sandbox), ["active"]);
    }
}

#[test]
fn off_everywhere_holds_in_every_project() {
    for unit in user_units() {
        let mut sandbox = Sandbox::new();
        sandbox.done(&unit.args("install", &[]));
        sandbox.done(&["disable", "guard", "--global"]);
        assert_eq!(states(&sandbox), ["disabled"]);
        sandbox.cwd = sandbox.home.clone();
        assert_eq!(states(&sandbox), ["disabled"]);
        let run = sandbox.done(&["enable", "guard"]);
        assert!(run.flat().contains("stays off everywhere"), "{run}");
        assert_eq!(states(&sandbox), ["disabled"]);
        sandbox.done(&["enable", "--global", "guard"]);
        assert_eq!(states(&sandbox), ["active"]);
    }
}

#[test]
fn the_rest_of_the_configuration_keeps_its_bytes() {
    let sandbox = Sandbox::new();
    let seed = "// mine\n{\n  // modes\n  \"guard\": {\"mode\": \"report\"}, // for now\n  \"disabled\": {\n    \"/elsewhere\": [\"statusline\"] // there\n  }\n}\n";
    sandbox.write(&config(&sandbox), seed);
    crate::sandbox::chmod(&config(&sandbox), 0o640);
    sandbox.done(&["disable", "guard", "cost-logger"]);
    let text = std::fs::read_to_string(config(&sandbox)).unwrap();
    let project = sandbox.project.to_str().unwrap();
    let json = parse(&text);
    assert_eq!(json["disabled"][project], json!(["guard", "cost-logger"]));
    assert_eq!(json["disabled"]["/elsewhere"], json!(["statusline"]));
    for comment in ["// mine", "// modes", "// for now", "// there"] {
        assert!(text.contains(comment), "{text}");
    }
    sandbox.done(&["disable", "guard"]);
    let again = std::fs::read_to_string(config(&sandbox)).unwrap();
    assert_eq!(again, text, "said twice, written once");
    sandbox.done(&["enable", "guard", "cost-logger"]);
    let json = parse(&std::fs::read_to_string(config(&sandbox)).unwrap());
    assert_eq!(json["disabled"], json!({"/elsewhere": ["statusline"]}));
    let mode = std::fs::metadata(config(&sandbox)).unwrap().mode() & 0o7777;
    assert_eq!(mode, 0o640);
    assert_eq!(sandbox.temp_files().len(), 0);
}

#[test]
fn a_configuration_that_cannot_be_read_is_refused_and_kept() {
    for bad in [
        "{",
        "[]",
        "{\"disabled\": []}",
        "{\"disabled\": {\"*\": 5}} x",
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(&config(&sandbox), bad);
        let run = sandbox.refused(&["disable", "guard"]);
        assert!(run.err.contains("~/.config/pan-hooks/config.json"), "{run}");
        assert_eq!(std::fs::read_to_string(config(&sandbox)).unwrap(), bad);
    }
}

#[test]
fn a_link_to_the_configuration_is_kept() {
    let sandbox = Sandbox::new();
    let real = sandbox.home.join("dots/pan.json");
    sandbox.write(&real, "{}\n");
    std::fs::create_dir_all(config(&sandbox).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&real, config(&sandbox)).unwrap();
    sandbox.done(&["disable", "guard", "--global"]);
    assert!(config(&sandbox).is_symlink());
    let text = std::fs::read_to_string(&real).unwrap();
    assert_eq!(parse(&text), json!({"disabled": {"*": ["guard"]}}));
}

#[test]
fn variables_that_silence_hooks_are_seen() {
    for unit in user_units() {
        for (name, value, state) in [
            ("PAN_HOOKS", "0", "disabled"),
            ("PAN_HOOKS", "1", "active"),
            ("PAN_HOOKS", "", "active"),
            ("PAN_HOOKS_SKIP", "statusline, guard", "disabled"),
            ("PAN_HOOKS_SKIP", "statusline", "active"),
        ] {
            let mut sandbox = Sandbox::new();
            sandbox.done(&unit.args("install", &[]));
            sandbox.set(name, value);
            assert_eq!(states(&sandbox), [state], "{name}={value}");
            sandbox.unset(name);
            assert_eq!(states(&sandbox), ["active"]);
        }
    }
}

fn with_switch(unit: Unit, keys: &[String], value: bool) -> String {
    let inner = keys.iter().rev().fold(value.to_string(), |inner, key| {
        format!("{{\"{key}\": {inner}}}")
    });
    format!("{inner}\n").replace("{host}", &unit.host.id)
}

#[test]
fn a_switch_of_the_host_is_seen() {
    for unit in units() {
        for switch in &unit.host.switches {
            let pan_hooks::host::table::SwitchIs::Bool(off) = switch.is else {
                continue;
            };
            for value in [off, !off] {
                let sandbox = Sandbox::new();
                sandbox.write(&unit.file(&sandbox), with_switch(unit, &switch.key, value));
                sandbox.done(&unit.args("install", &[]));
                let wanted = if value == off { "disabled" } else { "active" };
                assert_eq!(states(&sandbox), [wanted], "{}", switch.key.join("."));
            }
        }
    }
}

#[test]
fn copies_in_two_scopes_are_told_apart_from_one() {
    for user in user_units() {
        for unit in units() {
            if unit.host.id != user.host.id || unit.scope == user.scope {
                continue;
            }
            let sandbox = Sandbox::new();
            sandbox.done(&user.args("install", &[]));
            sandbox.done(&unit.args("install", &[]));
            // Equal commands are merged by these hosts: the second never runs twice.
            assert_eq!(states(&sandbox), ["active", "shadowed"]);
        }
    }
}

#[test]
fn a_program_that_is_gone_is_an_orphan_and_install_mends_it() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.done(&unit.args("install", &[]));
        std::fs::remove_file(sandbox.program()).unwrap();
        assert_eq!(states(&sandbox), ["orphan"]);
        sandbox.done(&unit.args("install", &[]));
        assert_eq!(states(&sandbox), ["active"]);
    }
}

#[test]
fn status_writes_nothing() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let before = sandbox.tree();
        for args in [&["status"][..], &["status", "--json"], &["hosts"]] {
            sandbox.done(args);
        }
        assert_eq!(sandbox.tree().was_touched(&before), "");
        sandbox.write(&unit.file(&sandbox), "{,");
        let run = sandbox.done(&["status", "--json"]);
        assert_eq!(run.json()["registrations"], Value::Array(Vec::new()));
        assert!(run.err.contains(":1:2"), "{run}");
    }
}

#[test]
fn an_enable_with_nothing_to_do_leaves_no_folder() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let run = sandbox.done(&["enable", "guard"]);
    assert!(run.flat().contains("was not switched off"), "{run}");
    assert_eq!(sandbox.tree().differs(&before), "");
}

#[test]
fn what_a_run_that_was_ended_left_beside_the_configuration_goes() {
    let sandbox = Sandbox::new();
    sandbox.write(&config(&sandbox), "{}\n");
    let before = sandbox.tree();
    // No process has this number.
    sandbox.write(
        &config(&sandbox).with_file_name(".config.json.new.2147483647"),
        "{",
    );
    sandbox.done(&["disable", "guard"]);
    sandbox.done(&["enable", "guard"]);
    let names = |tree: &crate::tree::Tree| tree.0.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&sandbox.tree()), names(&before));
}
