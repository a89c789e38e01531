//! What `install` wrote, `uninstall` takes out, to the byte.

use crate::sandbox::Sandbox;
use crate::seeds::seeds;
use crate::table::{self, Unit, count_ours, units, user_units};

/// Runs `check` for each seed of `unit` in a sandbox of its own that holds it.
fn each_seed(unit: Unit, mut check: impl FnMut(&Sandbox, &str)) {
    for seed in seeds(unit) {
        let sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), &seed.text);
        let name = format!("{}, {}", unit.name(), seed.name);
        check(&sandbox, &name);
    }
}

fn text(unit: Unit, sandbox: &Sandbox) -> String {
    std::fs::read_to_string(unit.file(sandbox)).unwrap()
}

fn round_trip_of(host: usize) {
    let id = &table::hosts()[host].id;
    for unit in units().into_iter().filter(|unit| unit.host.id == *id) {
        each_seed(unit, |sandbox, name| {
            let before = sandbox.tree();
            let seed = text(unit, sandbox);
            let run = sandbox.run(&unit.args("install", &[]));
            assert_eq!(run.code(), 0, "{name}: {run}");
            let after = text(unit, sandbox);
            assert_eq!(count_ours(&after, unit), 1, "{name}: {after}");
            // Insertion only: every byte of theirs is still there, in order.
            let mut rest = after.chars();
            for c in seed.chars().filter(|c| !c.is_whitespace()) {
                assert!(
                    rest.any(|found| found == c),
                    "{name}: {c:?} lost in {after}"
                );
            }
            let run = sandbox.run(&unit.args("uninstall", &[]));
            assert_eq!(run.code(), 0, "{name}: {run}");
            let difference = sandbox.tree().differs(&before);
            assert!(difference.is_empty(), "{name}: {difference}");
        });
    }
}

#[test]
fn every_seed_of_the_first_host_comes_back() {
    round_trip_of(0);
}

#[test]
fn every_seed_of_the_second_host_comes_back() {
    round_trip_of(1);
}

#[test]
fn an_absent_file_and_an_absent_folder_are_absent_again() {
    for unit in units() {
        for with_folder in [false, true] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            if with_folder {
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            }
            let before = sandbox.tree();
            let run = sandbox.done(&unit.args("install", &["--json"]));
            assert_eq!(run.json()["changes"][0]["action"], "created", "{run}");
            let written = text(unit, &sandbox);
            assert_eq!(count_ours(&written, unit), 1);
            assert!(written.ends_with("}\n"), "{written}");
            let run = sandbox.done(&unit.args("uninstall", &["--json"]));
            assert_eq!(run.json()["changes"][0]["action"], "removed", "{run}");
            let difference = sandbox.tree().differs(&before);
            assert!(difference.is_empty(), "{}: {difference}", unit.name());
        }
    }
}

#[test]
fn all_scopes_and_hosts_at_once_come_back() {
    // Taken out in the order they came, and in the other: what they share (the
    // program, the state folder, a folder both lie in) goes with the last.
    for backwards in [false, true] {
        let sandbox = Sandbox::new();
        let before = sandbox.tree();
        let mut flags = ["--global", "--project", "--private"];
        for flag in flags {
            sandbox.done(&["install", "--host", "all", flag]);
        }
        for unit in units() {
            assert_eq!(count_ours(&text(unit, &sandbox), unit), 1);
        }
        if backwards {
            flags.reverse();
        }
        for flag in flags {
            assert!(sandbox.program().exists());
            sandbox.done(&["uninstall", "--host", "all", flag]);
        }
        let difference = sandbox.tree().differs(&before);
        assert!(difference.is_empty(), "{difference}");
    }
}

#[test]
fn what_is_installed_twice_is_written_once() {
    for unit in user_units() {
        each_seed(unit, |sandbox, name| {
            sandbox.done(&unit.args("install", &[]));
            let once = sandbox.tree();
            let run = sandbox.done(&unit.args("install", &["--json"]));
            let changes = &run.json()["changes"];
            assert_eq!(changes[0]["action"], "unchanged", "{name}: {run}");
            assert_eq!(changes[0]["entries"][0]["action"], "kept", "{name}");
            let mut difference = sandbox.tree().was_touched(&once);
            // Lock files are taken by every run; nothing is in them.
            difference = difference
                .lines()
                .filter(|line| !line.contains("/locks/"))
                .collect();
            assert!(difference.is_empty(), "{name}: {difference}");
        });
    }
}

#[test]
fn an_uninstall_with_nothing_to_do_leaves_no_trace() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), "{\n  \"a\": 1\n}");
        let before = sandbox.tree();
        let run = sandbox.done(&unit.args("uninstall", &[]));
        assert!(run.out.contains("unchanged"), "{run}");
        let difference = sandbox.tree().was_touched(&before);
        assert!(difference.is_empty(), "{difference}");
    }
}

#[test]
fn half_a_surrogate_pair_is_read_as_the_hosts_read_it() {
    // What JSON.parse accepts and the readers of these tests do not.
    let seed = "{\"x\": \"\\ud83d\", \"y\": \"\\udc00\\ud800\", \"hooks\": {}}";
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), seed);
        let before = sandbox.tree();
        sandbox.done(&unit.args("install", &[]));
        let after = text(unit, &sandbox);
        assert!(after.starts_with(seed.trim_end_matches("}}")), "{after}");
        assert_eq!(after.matches("hook guard --host").count(), 1, "{after}");
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(sandbox.tree().differs(&before), "", "{}", unit.name());
    }
}
