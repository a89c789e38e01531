//! Runs that are ended at any point: each file is as it was or as it was to be, and
//! the next runs bring everything back to the byte.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::time::Duration;

use pan_hooks::plan::journal::{Record, sha256};
use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::seeded::Seeded;
use crate::table::{Unit, user_units};
use crate::tree::Tree;

/// Every point the program names, in the order a run reaches them.
const POINTS: [&str; 20] = [
    "noted",
    "making",
    "made",
    "own:1",
    "own:2",
    "own:3",
    "own:4",
    "entered",
    "linking",
    "supplied",
    "planned",
    "intent",
    "staged",
    "compared",
    "placed",
    "done",
    "cleaning",
    "forgetting",
    "forgotten",
    "cleaned",
];

/// Seeds in which an empty container or a missing file must come back, and others.
const SEEDS: [Option<&str>; 6] = [
    None,
    Some("{}"),
    Some("{\n  \"hooks\": {}\n}\n"),
    Some("{\"hooks\":{\"EVENT\":[ ]}}"),
    Some(
        "{\n  \"hooks\": {\n    \"EVENT\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"u1\"}]}\n    ]\n  }\n}\n",
    ),
    Some("{\r\n\t\"a\": [ ],\r\n\t\"hooks\": { }\r\n}"),
];

fn seeded(unit: Unit, seed: Option<&str>) -> Sandbox {
    let sandbox = Sandbox::new();
    if let Some(seed) = seed {
        let text = seed.replace("EVENT", unit.event());
        sandbox.write(&unit.file(&sandbox), text);
    }
    sandbox
}

fn content(unit: Unit, sandbox: &Sandbox) -> Option<String> {
    std::fs::read_to_string(unit.file(sandbox)).ok()
}

/// Makes what is installed look as if an earlier version with another timeout had
/// written it: in the file, and in the journal.
pub(crate) fn age(unit: Unit, sandbox: &Sandbox) {
    // No other number in these files begins with these digits.
    let now = unit.timeout().to_string();
    let then = now.replacen('1', "7", 1);
    let file = unit.file(sandbox);
    let text = std::fs::read_to_string(&file)
        .unwrap()
        .replacen(&now, &then, 1);
    sandbox.write(&file, &text);
    let folder = sandbox.state().join("journal");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut record = Record::from_json(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let state = record.state.as_mut().unwrap();
        state.sha256 = sha256(text.as_bytes());
        record.after = Some(state.sha256.clone());
        for piece in &mut state.pieces {
            piece.text = piece.text.replacen(&now, &then, 1);
        }
        for (key, value) in &mut state.entries[0].handler {
            if key == "timeout" {
                *value = Value::from(then.parse::<u64>().unwrap());
            }
        }
        for splice in &mut record.splices {
            splice.inserted = splice.inserted.replacen(&now, &then, 1);
        }
        std::fs::write(&path, record.to_json().unwrap()).unwrap();
    }
    let run = sandbox.run(&unit.args("diff", &[]));
    assert_eq!(run.code(), 1, "the older entry would be updated: {run}");
}

/// What is done before the run that is ended, and that run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Install,
    Uninstall,
    Upgrade,
    UndoInstall,
}

impl Act {
    const ALL: [Self; 4] = [
        Self::Install,
        Self::Uninstall,
        Self::Upgrade,
        Self::UndoInstall,
    ];

    fn prepare(self, unit: Unit, sandbox: &Sandbox) {
        if self != Self::Install {
            sandbox.done(&unit.args("install", &[]));
        }
        if self == Self::Upgrade {
            age(unit, sandbox);
        }
    }

    fn args(self, unit: Unit) -> Vec<&'static str> {
        match self {
            Self::Install | Self::Upgrade => unit.args("install", &[]),
            Self::Uninstall => unit.args("uninstall", &[]),
            Self::UndoInstall => vec!["undo", "--yes"],
        }
    }
}

/// After a run that was ended: what has to hold, and the way back.
fn check_and_heal(
    unit: Unit,
    sandbox: &Sandbox,
    old: Option<&String>,
    new: Option<&String>,
    before: &Tree,
    way: u64,
    name: &str,
) {
    let now = content(unit, sandbox);
    assert!(
        now.as_ref() == old || now.as_ref() == new,
        "{name}: neither old nor new: {now:?}"
    );
    // Verbs that only look do not stumble over what is left.
    sandbox.done(&["status"]);
    match way {
        0 => {
            sandbox.done(&unit.args("install", &[]));
            let temp = sandbox.temp_files();
            assert_eq!(temp, Vec::<PathBuf>::new(), "{name}");
        }
        1 => {}
        _ => {
            let run = sandbox.run(&["undo", "--yes"]);
            assert_eq!(run.code(), 0, "{name}: {run}");
        }
    }
    let run = sandbox.run(&unit.args("uninstall", &[]));
    assert_eq!(run.code(), 0, "{name}: {run}");
    let difference = sandbox.tree().differs(before);
    assert!(difference.is_empty(), "{name}: {difference}");
}

/// Ends `act` at every point, over every seed, and counts the points it reached.
fn at_every_point(act: Act) {
    let units = user_units();
    let mut reached = std::collections::BTreeSet::new();
    for (turn, seed) in SEEDS.into_iter().enumerate() {
        let unit = units[turn % units.len()];
        let whole = seeded(unit, seed);
        act.prepare(unit, &whole);
        let old = content(unit, &whole);
        whole.done(&act.args(unit));
        let new = content(unit, &whole);
        for (at, point) in POINTS.into_iter().enumerate() {
            // What the first seed did not come to, the others do not either.
            if turn > 0 && !reached.contains(point) {
                continue;
            }
            let sandbox = seeded(unit, seed);
            let before = sandbox.tree();
            act.prepare(unit, &sandbox);
            let mut command = sandbox.command(&act.args(unit));
            command.env("PAN_HOOKS_KILL_AT", point);
            let run = crate::sandbox::finish(command, &act.args(unit));
            if run.status.signal().is_some() {
                reached.insert(point);
            }
            let name = format!("{act:?} ended at {point}, {}, {seed:?}", unit.name());
            let way = u64::try_from(at + turn).unwrap() % 3;
            check_and_heal(
                unit,
                &sandbox,
                old.as_ref(),
                new.as_ref(),
                &before,
                way,
                &name,
            );
        }
    }
    let needed: &[&str] = match act {
        Act::Install => &[
            "noted", "making", "made", "own:3", "entered", "linking", "supplied", "staged",
        ],
        Act::Uninstall | Act::UndoInstall => &["cleaning", "forgetting", "forgotten"],
        Act::Upgrade => &["staged", "own:2"],
    };
    for point in ["entered", "planned", "intent", "compared", "placed", "done"]
        .iter()
        .chain(needed)
    {
        assert!(reached.contains(point), "{act:?} never came to {point}");
    }
}

#[test]
fn an_install_may_be_ended_anywhere() {
    at_every_point(Act::Install);
}

#[test]
fn an_uninstall_may_be_ended_anywhere() {
    at_every_point(Act::Uninstall);
}

#[test]
fn an_upgrade_may_be_ended_anywhere() {
    at_every_point(Act::Upgrade);
}

#[test]
fn an_undo_may_be_ended_anywhere() {
    at_every_point(Act::UndoInstall);
}

#[test]
fn a_run_ended_at_any_moment_is_healed() {
    let units = user_units();
    let mut random = Seeded::new(7);
    let mut ended = 0;
    for round in 0..60 {
        let unit = units[round % units.len()];
        let seed = SEEDS[round % SEEDS.len()];
        let act = Act::ALL[round / 2 % 4];
        let whole = seeded(unit, seed);
        act.prepare(unit, &whole);
        let old = content(unit, &whole);
        whole.done(&act.args(unit));
        let new = content(unit, &whole);
        let sandbox = seeded(unit, seed);
        let before = sandbox.tree();
        act.prepare(unit, &sandbox);
        let mut child = sandbox.command(&act.args(unit)).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(random.below(14_000)));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        ended += usize::from(output.status.signal().is_some());
        let name = format!("round {round}, {act:?}, {}, {seed:?}", unit.name());
        let way = random.below(3);
        check_and_heal(
            unit,
            &sandbox,
            old.as_ref(),
            new.as_ref(),
            &before,
            way,
            &name,
        );
    }
    assert!(
        ended > 10,
        "only {ended} runs were ended before they were done"
    );
}

#[test]
fn a_copy_over_a_hard_link_that_was_cut_off_is_finished() {
    for unit in user_units() {
        for act in [Act::Install, Act::Uninstall] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            let twin = sandbox.home.join("twin.json");
            sandbox.write(&twin, format!("{{\n  \"a\": \"{}\"\n}}\n", "x".repeat(900)));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::hard_link(&twin, &file).unwrap();
            let before = sandbox.tree();
            act.prepare(unit, &sandbox);
            let mut command = sandbox.command(&act.args(unit));
            command.env("PAN_HOOKS_KILL_AT", "copying");
            let run = crate::sandbox::finish(command, &act.args(unit));
            assert!(run.status.signal().is_some(), "{run}");
            sandbox.done(&unit.args("install", &[]));
            assert_eq!(sandbox.temp_files(), Vec::<PathBuf>::new());
            let text = std::fs::read_to_string(&twin).unwrap();
            assert_eq!(crate::table::count_ours(&text, unit), 1, "{text}");
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(
                sandbox.tree().differs(&before),
                "",
                "{act:?} {}",
                unit.name()
            );
        }
    }
}

#[test]
fn what_others_wrote_after_a_run_was_ended_stays() {
    let theirs = "{\n  \"a\": 2,\n  \"theirs\": [true]\n}\n";
    for unit in user_units() {
        for point in ["intent", "staged", "compared", "placed"] {
            let sandbox = seeded(unit, Some("{\n  \"a\": 1\n}\n"));
            let mut command = sandbox.command(&unit.args("install", &[]));
            command.env("PAN_HOOKS_KILL_AT", point);
            let run = crate::sandbox::finish(command, &["install"]);
            assert!(run.status.signal().is_some(), "{run}");
            let file = unit.file(&sandbox);
            sandbox.write(&file, theirs);
            sandbox.done(&unit.args("install", &[]));
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(content(unit, &sandbox).unwrap(), theirs, "{point}");
            assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new(), "{point}");
            assert_eq!(sandbox.temp_files(), Vec::<PathBuf>::new(), "{point}");
        }
    }
}
