//! Several programs at once: ours, and others that write the same file.

use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::sandbox::{Sandbox, finish};
use crate::seeded::Seeded;
use crate::table::{Unit, count_ours, parse, units, user_units};

fn text(unit: Unit, sandbox: &Sandbox) -> String {
    std::fs::read_to_string(unit.file(sandbox)).unwrap()
}

fn start(sandbox: &Sandbox, args: &[&str]) -> Child {
    sandbox.command(args).spawn().unwrap()
}

fn ends_well(child: Child, name: &str) {
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{name}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_same_install_many_times_at_once_is_one() {
    for unit in user_units() {
        for round in 0..25 {
            let sandbox = Sandbox::new();
            if round % 2 == 0 {
                sandbox.write(&unit.file(&sandbox), "{\"hooks\": { }}");
            }
            let before = sandbox.tree();
            let args = unit.args("install", &[]);
            let runs: Vec<Child> = (0..2).map(|_| start(&sandbox, &args)).collect();
            for run in runs {
                ends_well(run, "install");
            }
            assert_eq!(count_ours(&text(unit, &sandbox), unit), 1);
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(sandbox.tree().differs(&before), "", "round {round}");
        }
    }
}

#[test]
fn installs_of_different_hosts_and_scopes_at_once_are_all_there() {
    for round in 0..10 {
        let sandbox = Sandbox::new();
        let before = sandbox.tree();
        let runs: Vec<Child> = units()
            .iter()
            .map(|unit| start(&sandbox, &unit.args("install", &[])))
            .collect();
        for run in runs {
            ends_well(run, "install");
        }
        for unit in units() {
            assert_eq!(count_ours(&text(unit, &sandbox), unit), 1, "round {round}");
        }
        assert!(sandbox.program().exists());
        let runs: Vec<Child> = units()
            .iter()
            .map(|unit| start(&sandbox, &unit.args("uninstall", &[])))
            .collect();
        for run in runs {
            ends_well(run, "uninstall");
        }
        let difference = sandbox.tree().differs(&before);
        assert!(difference.is_empty(), "round {round}: {difference}");
    }
}

#[test]
fn an_install_against_an_uninstall_is_all_or_nothing() {
    let all = user_units();
    let mut random = Seeded::new(3);
    for round in 0..30 {
        let unit = all[round % all.len()];
        let sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), "{\n  \"a\": 1\n}\n");
        let before = sandbox.tree();
        if round % 3 == 0 {
            sandbox.done(&unit.args("install", &[]));
        }
        let first = start(&sandbox, &unit.args("install", &[]));
        std::thread::sleep(Duration::from_micros(random.below(8000)));
        let second = start(&sandbox, &unit.args("uninstall", &[]));
        ends_well(first, "install");
        ends_well(second, "uninstall");
        let now = text(unit, &sandbox);
        let there = count_ours(&now, unit);
        assert!(there <= 1);
        if there == 1 {
            assert!(
                sandbox.program().exists(),
                "round {round}: registered, and no program"
            );
            sandbox.done(&unit.args("uninstall", &[]));
        }
        let difference = sandbox.tree().differs(&before);
        assert!(difference.is_empty(), "round {round}: {difference}");
    }
}

/// The process came to a stop since this was last asked.
fn stopped(child: &Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let wait = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
    waitid(WaitId::Pid(Pid::from_child(child)), wait)
        .unwrap()
        .is_some()
}

/// Lets `args` run, and `meanwhile` each time it stops at `point`; hands back how it
/// ended and how often it stopped.
fn with_stops(
    sandbox: &Sandbox,
    args: &[&str],
    point: &str,
    mut meanwhile: impl FnMut(usize),
) -> (std::process::Output, usize) {
    let mut command = sandbox.command(args);
    command.env("PAN_HOOKS_STOP_AT", point);
    let mut child = command.spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut stops = 0;
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "the run does not end");
        if stopped(&child) {
            meanwhile(stops);
            stops += 1;
            let pid = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    (child.wait_with_output().unwrap(), stops)
}

#[test]
fn what_another_program_writes_while_we_plan_is_kept() {
    for unit in units() {
        for point in ["planned", "intent", "staged"] {
            for seed in [Some("{\n  \"a\": 1\n}\n"), None] {
                let sandbox = Sandbox::new();
                let file = unit.file(&sandbox);
                if let Some(seed) = seed {
                    sandbox.write(&file, seed);
                }
                let theirs = "{\n  \"a\": 2,\n  \"theirs\": \"é\"\n}\n";
                let (output, stops) =
                    with_stops(&sandbox, &unit.args("install", &[]), point, |_| {
                        sandbox.write(&file, theirs);
                    });
                assert_eq!(stops, 1);
                assert_eq!(output.status.code(), Some(0), "{output:?}");
                let now = text(unit, &sandbox);
                assert_eq!(count_ours(&now, unit), 1);
                assert_eq!(parse(&now)["theirs"], "é", "{point}: {now}");
                sandbox.done(&unit.args("uninstall", &[]));
                assert_eq!(text(unit, &sandbox), theirs, "{point}");
                assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
                assert_eq!(sandbox.temp_files(), Vec::<PathBuf>::new());
            }
        }
    }
}

#[test]
fn a_file_that_never_keeps_still_is_refused_and_theirs() {
    for unit in user_units() {
        for verb in ["install", "uninstall"] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            sandbox.write(&file, "{\"n\": 0}");
            if verb == "uninstall" {
                sandbox.done(&unit.args("install", &[]));
            }
            let start = text(unit, &sandbox);
            let version = |n: usize| start.replace("\"n\": 0", &format!("\"n\": {}", n + 100));
            let (output, stops) = with_stops(&sandbox, &unit.args(verb, &[]), "staged:each", |n| {
                sandbox.write(&file, version(n));
            });
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{said}");
            assert!(
                said.contains("keeps writing") && said.contains("mend: "),
                "{said}"
            );
            assert_eq!(text(unit, &sandbox), version(stops - 1));
            assert_eq!(sandbox.temp_files(), Vec::<PathBuf>::new());
            if verb == "install" {
                assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
            }
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(text(unit, &sandbox), format!("{{\"n\": {}}}", stops + 99));
        }
    }
}

#[test]
fn a_write_right_after_ours_is_seen_and_said() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{\"a\": 1}");
        let stale = "{\"a\": 1, \"model\": \"m\"}";
        let args = unit.args("install", &[]);
        let (output, stops) = with_stops(&sandbox, &args, "placed", |_| {
            sandbox.write(&file, stale);
        });
        assert_eq!(stops, 1);
        let said = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> = said.split_whitespace().collect();
        let said = said.join(" ");
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("another program has written"), "{said}");
        assert_eq!(text(unit, &sandbox), stale);
        sandbox.done(&args);
        assert_eq!(count_ours(&text(unit, &sandbox), unit), 1);
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(text(unit, &sandbox), stale);
    }
}

#[test]
fn a_link_turned_elsewhere_while_we_plan_is_followed_anew() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        let (one, two) = (sandbox.home.join("one.json"), sandbox.home.join("two.json"));
        sandbox.write(&one, "{\"n\": 1}");
        sandbox.write(&two, "{\"n\": 2}");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&one, &file).unwrap();
        let (output, _) = with_stops(&sandbox, &unit.args("install", &[]), "staged", |_| {
            std::fs::remove_file(&file).unwrap();
            std::os::unix::fs::symlink(&two, &file).unwrap();
        });
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(std::fs::read_to_string(&one).unwrap(), "{\"n\": 1}");
        assert_eq!(count_ours(&std::fs::read_to_string(&two).unwrap(), unit), 1);
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(std::fs::read_to_string(&two).unwrap(), "{\"n\": 2}");
        assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
    }
}

#[test]
fn a_writer_that_replaces_the_file_again_and_again_loses_nothing() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{\"n\": 0}");
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let at = file.clone();
        // Reads, adds one, replaces: what a host does that saves a setting.
        let writer = std::thread::spawn(move || {
            let beside = at.with_file_name("theirs.tmp");
            let mut last = 0;
            for n in 1..100_000 {
                let wait = Duration::from_micros(500);
                if stopped.recv_timeout(wait) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    break;
                }
                let now = std::fs::read_to_string(&at).unwrap();
                let mut json = parse(&now);
                json["n"] = json!(n);
                std::fs::write(&beside, json.to_string()).unwrap();
                std::fs::rename(&beside, &at).unwrap();
                last = n;
            }
            last
        });
        let mut ended = Vec::new();
        for round in 0..10 {
            let verb = if round % 2 == 0 {
                "install"
            } else {
                "uninstall"
            };
            let args = unit.args(verb, &[]);
            ended.push(finish(sandbox.command(&args), &args).code());
        }
        stop.send(()).unwrap();
        let last = writer.join().unwrap();
        assert!(last > 3, "the writer hardly wrote");
        assert!(ended.iter().all(|code| matches!(code, 0 | 3)), "{ended:?}");
        sandbox.done(&unit.args("install", &[]));
        assert_eq!(count_ours(&text(unit, &sandbox), unit), 1);
        sandbox.done(&unit.args("uninstall", &[]));
        let left = parse(&text(unit, &sandbox));
        assert_eq!(left["n"], last);
        assert_eq!(count_ours(&text(unit, &sandbox), unit), 0);
        assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
        assert_eq!(sandbox.temp_files(), Vec::<PathBuf>::new());
    }
}

/// This version registers one hook from the command line; two different ones are
/// written here by what stands behind it, each with a plan and a lock of its own.
#[test]
fn installs_of_different_hooks_at_once_are_both_there() {
    use pan_hooks::hook::Hook;
    use pan_hooks::host::paths::Here;
    use pan_hooks::plan::apply::{self, Job};
    use pan_hooks::plan::file::Goal;
    use pan_hooks::plan::look::{self, Place, View};
    use pan_hooks::plan::store::Journal;

    let install = |journal: &Journal, here: &Here, unit: Unit, hook: Hook| {
        let place = Place {
            host: unit.host,
            file: unit.host.hook_files(unit.scope).next().unwrap(),
            path: pan_hooks::host::paths::hook_file(unit.host, unit.scope, here)
                .unwrap()
                .path,
        };
        let goal = Goal::Install {
            hooks: vec![hook],
            migrate: false,
        };
        let planner = move |place: &Place<'_>, view: &View| look::plan(place, view, &goal);
        let job = Job {
            place,
            planner: &planner,
        };
        let _working = journal.enter().unwrap();
        apply::write(journal, &[job], here, &apply::new_run()).unwrap();
    };
    for unit in user_units() {
        for round in 0..50 {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            if round % 2 == 0 {
                sandbox.write(&file, "{\"hooks\": {}}");
            }
            let here = Here {
                home: sandbox.home.clone(),
                cwd: sandbox.project.clone(),
                project: sandbox.project.clone(),
                in_git: true,
            };
            let journal = Journal::at(sandbox.state());
            std::thread::scope(|threads| {
                for hook in [Hook::CheckUpdate, Hook::StopGuard] {
                    let (journal, here) = (&journal, &here);
                    threads.spawn(move || install(journal, here, unit, hook));
                }
            });
            let text = text(unit, &sandbox);
            parse(&text);
            for hook in [Hook::CheckUpdate, Hook::StopGuard] {
                let command = format!(" hook {} --host ", hook.name());
                assert_eq!(text.matches(&command).count(), 1, "{text}");
            }
        }
    }
}
