//! What went wrong in the field with tools that edit these files, one test a case,
//! named by its number in the collection of such cases. Each runs for every host
//! and, where the place matters, for every scope.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use pan_hooks::hook::Hook;
use pan_hooks::host::command::{self, System};
use serde_json::{Value, json};

use crate::sandbox::{PROGRAM, Sandbox, chmod, copy_program, finish, is_root};
use crate::seeds::seeds;
use crate::table::{Unit, commands, count_ours, hosts, parse, units, user_units};
use crate::tree::Kind;

fn text(unit: Unit, sandbox: &Sandbox) -> String {
    std::fs::read_to_string(unit.file(sandbox)).unwrap()
}

/// Installs and uninstalls around `seed`, hands the text in between to `check`, and
/// wants every byte back.
fn round_trip(unit: Unit, seed: &str, check: impl Fn(&str)) {
    let sandbox = Sandbox::new();
    sandbox.write(&unit.file(&sandbox), seed);
    let before = sandbox.tree();
    sandbox.done(&unit.args("install", &[]));
    check(&text(unit, &sandbox));
    sandbox.done(&unit.args("uninstall", &[]));
    let difference = sandbox.tree().differs(&before);
    assert!(
        difference.is_empty(),
        "{}, {seed}: {difference}",
        unit.name()
    );
}

fn handler(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

// ---- A: install destroys what was there

#[test]
fn a_01_entries_keep_their_place() {
    for unit in units() {
        for event in &unit.host.events {
            let group = json!({"matcher": "Edit", "hooks": [handler("u1")], "x": [1]});
            let seed = json!({"hooks": {event: [group]}}).to_string();
            round_trip(unit, &seed, |after| {
                let json = parse(after);
                assert_eq!(json["hooks"][event][0], group, "{event}: {after}");
                let ours = json["hooks"][unit.event()].as_array().unwrap();
                assert_eq!(ours.last().unwrap()["hooks"], json!([unit.handler()]));
                // A group of its own, after theirs.
                let wanted = if event == unit.event() { 2 } else { 1 };
                assert_eq!(ours.len(), wanted);
            });
        }
    }
}

#[test]
fn a_04_no_event_is_reduced_to_one_entry() {
    for unit in units() {
        let mut hooks = serde_json::Map::new();
        for (n, event) in unit.host.events.iter().enumerate() {
            let groups: Vec<Value> = (0..=n % 3)
                .map(|g| json!({"hooks": [handler(&format!("u{n}.{g}")), handler("second")]}))
                .collect();
            hooks.insert(event.clone(), Value::Array(groups));
        }
        let seed = json!({"hooks": hooks});
        round_trip(unit, &format!("{seed:#}"), |after| {
            for event in &unit.host.events {
                let now = commands(after, event).len();
                let before = commands(&seed.to_string(), event).len();
                let wanted = before + usize::from(event == unit.event());
                assert_eq!(now, wanted, "{event}");
            }
        });
    }
}

#[test]
fn a_05_every_event_keeps_the_hooks_of_others() {
    for unit in units() {
        let hooks: serde_json::Map<String, Value> = unit
            .host
            .events
            .iter()
            .enumerate()
            .map(|(n, event)| {
                (
                    event.clone(),
                    json!([{"hooks": [handler(&format!("u{n}"))]}]),
                )
            })
            .collect();
        let seed = json!({"hooks": hooks}).to_string();
        round_trip(unit, &seed, |after| {
            for (n, event) in unit.host.events.iter().enumerate() {
                assert_eq!(commands(after, event)[0], format!("u{n}"));
            }
        });
    }
}

#[test]
fn a_06_keys_beside_hooks_stay() {
    for unit in units() {
        let seed = "{\n  \"env\": {\"X\": \"1\"},\n  \"permissions\": {\"deny\": [\"Read(./.env)\"]},\n  \"model\": null\n}\n";
        round_trip(unit, seed, |after| {
            let mut json = parse(after);
            json.as_object_mut().unwrap().remove("hooks");
            assert_eq!(json, parse(seed));
            assert!(after.starts_with(seed.trim_end_matches("\n}\n")), "{after}");
        });
    }
}

#[test]
fn a_07_a_comment_is_kept_or_refused_and_never_lost() {
    for unit in units() {
        let seed = format!(
            "// mine\n{{\"hooks\":{{\"{}\":[]}},\"theme\":\"x\"}}",
            unit.event()
        );
        if unit.grammar().comments {
            round_trip(unit, &seed, |after| {
                assert!(after.starts_with("// mine\n{\"hooks\":"), "{after}");
                assert!(after.ends_with(",\"theme\":\"x\"}"), "{after}");
            });
        }
        for refused in [
            (!unit.grammar().comments).then_some(seed.clone()),
            Some(seed.replace("\"x\"}", "\"x\",}")),
        ]
        .into_iter()
        .flatten()
        {
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), refused);
            let before = sandbox.tree();
            sandbox.refused(&unit.args("install", &[]));
            assert_eq!(sandbox.tree().was_touched(&before), "");
        }
    }
}

#[test]
fn a_09_only_lines_of_ours_are_new() {
    for unit in units() {
        for seed in seeds(unit) {
            let many_lines = seed.text.lines().count() > 2;
            // A list that stood on one line is opened there.
            if !many_lines || !seed.text.ends_with('\n') || seed.text.contains("[]") {
                continue;
            }
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), &seed.text);
            let run = sandbox.run(&unit.args("diff", &["--patch"]));
            let taken: Vec<&str> = run
                .out
                .lines()
                .filter(|line| line.starts_with('-') && !line.starts_with("---"))
                .collect();
            // A comma joins our member to the line before it, no more.
            assert!(
                taken.len() <= 1,
                "{}, {}: {taken:?}",
                unit.name(),
                seed.name
            );
        }
    }
}

#[test]
fn a_12_a_hook_of_another_tool_added_since_stays() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{\n  \"a\": 1\n}\n");
        sandbox.done(&unit.args("install", &[]));
        let mut json = parse(&text(unit, &sandbox));
        let groups = json["hooks"][unit.event()].as_array_mut().unwrap();
        groups.push(json!({"hooks": [handler("u1")]}));
        sandbox.write(&file, format!("{json:#}\n"));
        let before = sandbox.tree();
        sandbox.done(&unit.args("install", &[]));
        let file_only = |tree: &crate::tree::Tree| {
            let name = file.strip_prefix(sandbox.root()).unwrap();
            tree.0[name].clone()
        };
        assert_eq!(file_only(&sandbox.tree()), file_only(&before));
        let run = sandbox.done(&unit.args("uninstall", &[]));
        let left = text(unit, &sandbox);
        assert_eq!(
            parse(&left),
            json!({"a": 1, "hooks": {unit.event(): [{"hooks": [handler("u1")]}]}}),
            "{run}"
        );
    }
}

#[test]
fn a_13_the_second_install_finds_nothing_to_do() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.done(&unit.args("install", &[]));
        let once = text(unit, &sandbox);
        for more in [&[][..], &["--migrate"], &["--yes"]] {
            let run = sandbox.done(&unit.args("install", more));
            assert!(run.out.contains("unchanged"), "{run}");
            assert_eq!(text(unit, &sandbox), once);
        }
    }
}

#[test]
fn a_14_an_empty_file_is_a_new_one_or_refused() {
    for unit in units() {
        if unit.grammar().empty {
            round_trip(unit, "", |after| assert_eq!(count_ours(after, unit), 1));
        } else {
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), "");
            let run = sandbox.refused(&unit.args("install", &[]));
            assert!(run.flat().contains("write {} into it"), "{run}");
        }
    }
}

// ---- B: duplicates

#[test]
fn b_01_installed_three_times_is_there_once() {
    for unit in units() {
        let sandbox = Sandbox::new();
        for _ in 0..3 {
            sandbox.done(&unit.args("install", &[]));
            assert_eq!(count_ours(&text(unit, &sandbox), unit), 1);
        }
    }
}

#[test]
fn b_04_merged_many_times_has_one_size() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        let seed = json!({"hooks": {
            unit.event(): [{"hooks": [handler("u1")]}],
            unit.other_event(): [{"hooks": [handler("u2")]}],
        }});
        sandbox.write(&unit.file(&sandbox), seed.to_string());
        sandbox.done(&unit.args("install", &[]));
        let size = text(unit, &sandbox).len();
        for _ in 0..24 {
            sandbox.done(&unit.args("install", &[]));
            assert_eq!(text(unit, &sandbox).len(), size);
        }
    }
}

#[test]
fn b_06_copies_of_ours_become_one_in_the_place_of_the_first() {
    for unit in units() {
        for journal in [false, true] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            if journal {
                sandbox.done(&unit.args("install", &[]));
            }
            let group = unit.group();
            let theirs = r#"{"hooks": [{"type": "command", "command": "u1"}]}"#;
            sandbox.write(
                &file,
                format!(
                    "{{\"hooks\": {{\"{}\": [{group}, {theirs}, {group}, {group}], \"{}\": [{group}]}}}}\n",
                    unit.event(),
                    unit.other_event(),
                ),
            );
            let run = sandbox.done(&unit.args("install", &[]));
            let after = text(unit, &sandbox);
            assert_eq!(
                commands(&after, unit.event()),
                [unit.command(), "u1".to_owned()],
                "{run}"
            );
            assert_eq!(count_ours(&after, unit), 1, "{after}");
            sandbox.done(&unit.args("uninstall", &[]));
            let after = text(unit, &sandbox);
            assert_eq!(commands(&after, unit.event()), ["u1"], "{after}");
            assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
        }
    }
}

#[test]
fn b_14_a_field_the_user_changed_is_kept_and_said() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{\n  \"a\": 1\n}\n");
        sandbox.done(&unit.args("install", &[]));
        let mine = text(unit, &sandbox).replace(&unit.timeout().to_string(), "77");
        sandbox.write(&file, &mine);
        let run = sandbox.done(&unit.args("install", &[]));
        assert_eq!(text(unit, &sandbox), mine);
        assert!(run.flat().contains("`timeout` of guard is 77"), "{run}");
        assert!(run.flat().contains("kept as you set it"), "{run}");
        let matcher = mine.replace(
            &json!(unit.registration().matcher).to_string(),
            "\"only_this\"",
        );
        sandbox.write(&file, &matcher);
        let run = sandbox.done(&unit.args("install", &[]));
        assert_eq!(text(unit, &sandbox), matcher);
        assert!(
            run.flat().contains("matcher of guard is only_this"),
            "{run}"
        );
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(text(unit, &sandbox), "{\n  \"a\": 1\n}\n");
    }
}

// ---- C: uninstall

#[test]
fn c_01_a_command_with_our_name_in_it_is_theirs() {
    for unit in units() {
        let ours = unit.command();
        let theirs = [
            "node /home/u/src/pan-hooks-notes/my.js".to_owned(),
            "echo pan-hooks".to_owned(),
            format!("pan-hooks hook guard --host {}", unit.host.id),
            format!("{ours} "),
            format!("{ours}; echo done"),
            format!("time {ours}"),
            ours.replace("hook guard", "hook nothing"),
            ours.replace("/bin/pan-hooks", "/bin/pan-hooks-2"),
        ];
        let groups: Vec<Value> = theirs
            .iter()
            .map(|command| {
                let mut handler = handler(command);
                handler["_pan"] = json!("guard");
                json!({"_pan": "guard", "matcher": unit.registration().matcher, "hooks": [handler]})
            })
            .collect();
        let seed = format!("{:#}\n", json!({"hooks": {unit.event(): groups}}));
        round_trip(unit, &seed, |after| {
            assert_eq!(commands(after, unit.event()).len(), theirs.len() + 1);
        });
        // And nothing of it is taken for ours by an uninstall alone.
        let sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), &seed);
        let before = sandbox.tree();
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(sandbox.tree().was_touched(&before), "");
    }
}

#[test]
fn c_02_no_reference_to_us_is_left() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), "{\"a\": 1}");
        sandbox.done(&unit.args("install", &[]));
        sandbox.done(&unit.args("uninstall", &[]));
        for (path, node) in &sandbox.tree().0 {
            if let Kind::File(bytes) = &node.kind {
                let text = String::from_utf8_lossy(bytes);
                assert!(!text.contains("pan-hooks"), "{}: {text}", path.display());
            }
        }
        assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
    }
}

#[test]
fn c_04_every_host_that_is_installed_is_uninstalled() {
    for flag in ["--global", "--project", "--private"] {
        let sandbox = Sandbox::new();
        let before = sandbox.tree();
        let run = sandbox.done(&["install", "--host", "all", flag, "--json"]);
        let installed: Vec<Value> = run.json()["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|change| json!([change["host"], change["path"]]))
            .collect();
        let wanted = units().iter().filter(|unit| unit.flag() == flag).count();
        assert_eq!(installed.len(), wanted, "{run}");
        let run = sandbox.done(&["uninstall", "--host", "all", flag, "--json"]);
        let removed: Vec<Value> = run.json()["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|change| json!([change["host"], change["path"]]))
            .collect();
        assert_eq!(installed, removed);
        assert_eq!(sandbox.tree().differs(&before), "");
    }
}

#[test]
fn c_05_only_our_handler_leaves_a_shared_group() {
    for unit in units() {
        for at in 0..3 {
            let mut handlers = vec![handler("u1"), handler("u2")];
            let alone = json!({"hooks": {unit.event(): [{"matcher": "Bash", "hooks": handlers}]}});
            handlers.insert(at, unit.handler());
            let shared = json!({"hooks": {unit.event(): [{"matcher": "Bash", "hooks": handlers}]}});
            for pretty in [false, true] {
                let print = |json: &Value| {
                    if pretty {
                        format!("{json:#}\n")
                    } else {
                        json.to_string()
                    }
                };
                let sandbox = Sandbox::new();
                sandbox.write(&unit.file(&sandbox), print(&shared));
                sandbox.done(&unit.args("uninstall", &[]));
                assert_eq!(text(unit, &sandbox), print(&alone), "{}", unit.name());
            }
        }
    }
}

#[test]
fn c_06_a_file_with_something_else_in_it_is_not_deleted() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        // Ours alone in hooks, written by somebody else's machine.
        let group: Value = serde_json::from_str(&unit.group()).unwrap();
        let seed = json!({"mcpServers": {"a": {}}, "hooks": {unit.event(): [group]}});
        sandbox.write(&file, format!("{seed:#}\n"));
        sandbox.done(&unit.args("uninstall", &[]));
        let left = parse(&text(unit, &sandbox));
        assert_eq!(left["mcpServers"], json!({"a": {}}));
        assert_eq!(count_ours(&text(unit, &sandbox), unit), 0);
    }
}

#[test]
fn c_07_a_git_project_is_clean_again() {
    for unit in units() {
        let sandbox = Sandbox::new();
        std::fs::remove_dir_all(sandbox.project.join(".git")).unwrap();
        let git = |args: &[&str]| {
            let mut command = Command::new("git");
            sandbox.prepare(&mut command);
            command
                .args(args)
                .env("PATH", std::env::var_os("PATH").unwrap())
                .env("GIT_CONFIG_NOSYSTEM", "1");
            let run = finish(command, args);
            assert!(run.status.success(), "{run}");
            run.out
        };
        git(&["init", "-q"]);
        sandbox.done(&unit.args("install", &[]));
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(git(&["status", "--porcelain", "--ignored"]), "");
    }
}

#[test]
fn c_11_a_hook_that_was_switched_off_stays_off() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.done(&["disable", "guard"]);
        sandbox.done(&unit.args("install", &[]));
        let run = sandbox.done(&["status", "--json"]);
        assert_eq!(run.json()["registrations"][0]["state"], "disabled", "{run}");
        sandbox.done(&unit.args("uninstall", &[]));
        sandbox.done(&unit.args("install", &[]));
        let run = sandbox.done(&["status", "--json"]);
        assert_eq!(run.json()["registrations"][0]["state"], "disabled", "{run}");
    }
}

// ---- D: links, modes, bytes

#[test]
fn d_01_a_link_into_a_dotfiles_folder_stays_a_link() {
    for unit in units() {
        for kind in ["absolute", "relative", "chain", "folder"] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            let dots = sandbox.project.join("dots");
            let real = dots.join("kept.json");
            sandbox.write(&real, "{\n  \"a\": 1\n}\n");
            let folder = file.parent().unwrap();
            std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
            if kind != "folder" {
                std::fs::create_dir_all(folder).unwrap();
            }
            match kind {
                "absolute" => symlink(&real, &file).unwrap(),
                "relative" => {
                    let up = if unit.flag() == "--global" {
                        "../../my project/dots/kept.json"
                    } else {
                        "../dots/kept.json"
                    };
                    symlink(up, &file).unwrap();
                }
                "chain" => {
                    symlink("second.json", &file).unwrap();
                    symlink(dots.join("third.json"), folder.join("second.json")).unwrap();
                    symlink("kept.json", dots.join("third.json")).unwrap();
                }
                _ => {
                    symlink(&dots, folder).unwrap();
                    std::fs::rename(&real, dots.join(file.file_name().unwrap())).unwrap();
                }
            }
            let before = sandbox.tree();
            sandbox.done(&unit.args("install", &[]));
            assert_eq!(count_ours(&text(unit, &sandbox), unit), 1);
            let links = |tree: &crate::tree::Tree| -> Vec<(PathBuf, Kind)> {
                tree.0
                    .iter()
                    .filter(|(path, node)| {
                        matches!(node.kind, Kind::Link(_)) && !path.ends_with("bin/pan-hooks")
                    })
                    .map(|(path, node)| (path.clone(), node.kind.clone()))
                    .collect()
            };
            assert_eq!(links(&sandbox.tree()), links(&before), "{kind}");
            sandbox.done(&unit.args("uninstall", &[]));
            let difference = sandbox.tree().differs(&before);
            assert!(
                difference.is_empty(),
                "{}, {kind}: {difference}",
                unit.name()
            );
        }
    }
}

#[test]
fn d_02_a_failed_write_does_not_remove_the_link() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        let dots = sandbox.home.join("dots");
        sandbox.write(&dots.join("kept.json"), "{\n  \"a\": 1\n}\n");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        symlink(dots.join("kept.json"), &file).unwrap();
        chmod(&dots, 0o555);
        sandbox.run_as_mortal(&["hosts"]);
        let before = sandbox.tree();
        assert_eq!(sandbox.run_as_mortal(&unit.args("install", &[])).code(), 3);
        assert_eq!(sandbox.tree().was_touched(&before), "");
        chmod(&dots, 0o755);
        assert_eq!(sandbox.run_as_mortal(&unit.args("install", &[])).code(), 0);
        assert!(file.is_symlink());
    }
}

#[test]
fn d_03_a_chain_that_leads_nowhere_yet_gets_its_end() {
    for unit in units() {
        for missing_folder in [false, true] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let end = if missing_folder {
                "to/come/b.json"
            } else {
                "b.json"
            };
            symlink("a.json", &file).unwrap();
            symlink(end, file.with_file_name("a.json")).unwrap();
            let before = sandbox.tree();
            sandbox.done(&unit.args("install", &[]));
            let written = std::fs::read_to_string(file.with_file_name(end)).unwrap();
            assert_eq!(count_ours(&written, unit), 1);
            sandbox.done(&unit.args("uninstall", &[]));
            let difference = sandbox.tree().differs(&before);
            assert!(
                difference.is_empty(),
                "{}, {end}: {difference}",
                unit.name()
            );
        }
    }
}

#[test]
fn d_03_two_hosts_that_share_one_file_both_come_and_go() {
    let all = user_units();
    let (first, second) = (all[0], all[1]);
    let sandbox = Sandbox::new();
    let shared = sandbox.home.join("dots/shared.json");
    sandbox.write(&shared, "{\n  \"a\": 1\n}\n");
    for unit in [first, second] {
        let file = unit.file(&sandbox);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        symlink(&shared, file).unwrap();
    }
    for seed in [Some("{\n  \"a\": 1\n}\n"), Some("{}"), None] {
        match seed {
            Some(seed) => sandbox.write(&shared, seed),
            None => std::fs::remove_file(&shared).unwrap(),
        }
        let before = sandbox.tree();
        for order in [[first, second], [second, first]] {
            sandbox.done(&["install", "--global"]);
            let both = std::fs::read_to_string(&shared).unwrap();
            assert_eq!(count_ours(&both, first), 1, "{both}");
            assert_eq!(count_ours(&both, second), 1, "{both}");
            for unit in order {
                sandbox.done(&unit.args("uninstall", &[]));
            }
            assert_eq!(sandbox.tree().differs(&before), "", "{seed:?}");
        }
    }
}

/// A repository that came with our entry in it, and a person who then installs.
#[test]
fn an_entry_that_came_with_the_repository_works_and_goes_like_ones_own() {
    for unit in units() {
        let (other, sandbox) = (Sandbox::new(), Sandbox::new());
        other.done(&unit.args("install", &[]));
        let committed = text(unit, &other);
        sandbox.write(&unit.file(&sandbox), &committed);
        let run = sandbox.done(&unit.args("install", &[]));
        assert!(run.out.contains("unchanged"), "{run}");
        assert_eq!(text(unit, &sandbox), committed);
        assert!(sandbox.program().exists(), "{}: {run}", unit.name());
        let run = sandbox.done(&["status", "--json"]);
        assert_eq!(run.json()["registrations"][0]["state"], "active", "{run}");
        // Another scope that comes and goes does not take the program along.
        for more in units() {
            if more.name() != unit.name() {
                sandbox.done(&more.args("install", &[]));
                sandbox.done(&more.args("uninstall", &[]));
            }
        }
        assert!(sandbox.program().exists(), "{}", unit.name());
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(count_ours(&text(unit, &sandbox), unit), 0);
        assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
    }
}

#[test]
fn d_06_nothing_we_make_is_wider_than_the_file() {
    for unit in units() {
        for mode in [0o600, 0o640, 0o644, 0o660] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            sandbox.write(&file, "{\"a\": 1}");
            if is_root() {
                // Someone else's file, which only root could write and give back.
                std::os::unix::fs::chown(&file, Some(1234), Some(4321)).unwrap();
            }
            chmod(&file, mode);
            let before = sandbox.tree();
            sandbox.done(&unit.args("install", &[]));
            let now = std::fs::metadata(&file).unwrap().mode() & 0o7777;
            assert_eq!(now, mode, "{}", unit.name());
            for (path, node) in &sandbox.tree().0 {
                let ours = path.starts_with("home of u/.local/state/pan-hooks")
                    || path.starts_with("home of u/.local/share/pan-hooks");
                if ours && !matches!(node.kind, Kind::Link(_)) {
                    assert_eq!(node.mode & 0o077, 0, "{}: {:o}", path.display(), node.mode);
                }
            }
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(sandbox.tree().differs(&before), "");
        }
    }
}

#[test]
fn d_06_a_temp_file_is_never_wider_than_the_file() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{\"a\": 1}");
        chmod(&file, 0o600);
        let mut command = sandbox.command(&unit.args("install", &[]));
        command.env("PAN_HOOKS_KILL_AT", "staged");
        finish(command, &["install"]);
        let left = sandbox.temp_files();
        assert_eq!(left.len(), 1, "{left:?}");
        let temp = sandbox.root().join(&left[0]);
        assert_eq!(std::fs::metadata(&temp).unwrap().mode() & 0o7777, 0o600);
        assert_eq!(temp.parent(), file.parent(), "beside the target");
    }
}

#[test]
fn d_07_a_file_everyone_may_write_is_kept_so_and_said() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{\"a\": 1}");
        chmod(&file, 0o666);
        let before = sandbox.tree();
        let run = sandbox.done(&unit.args("install", &[]));
        assert!(run.flat().contains("may be written by others"), "{run}");
        assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o7777, 0o666);
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(sandbox.tree().differs(&before), "");
    }
}

#[test]
fn d_08_the_program_in_the_command_can_be_run() {
    for unit in units() {
        let sandbox = Sandbox::on_disk();
        sandbox.done(&unit.args("install", &[]));
        let mut command = Command::new(sandbox.program());
        command.arg("--version");
        sandbox.prepare(&mut command);
        let run = finish(command, &["--version"]);
        assert_eq!(run.code(), 0, "{run}");
        let folder = sandbox.program().parent().unwrap().to_owned();
        let mode = std::fs::metadata(folder).unwrap().mode() & 0o7777;
        assert_eq!(mode, 0o700);
    }
}

#[test]
fn d_09_lines_of_ours_end_as_the_others_do() {
    for unit in units() {
        let seed = "{\r\n  \"a\": 1,\r\n  \"b\": {\r\n    \"c\": 2\r\n  }\r\n}\r\n";
        round_trip(unit, seed, |after| {
            let bare = after.replace("\r\n", "");
            assert!(!bare.contains(['\r', '\n']), "{after:?}");
        });
        round_trip(unit, &seed.replace('\r', ""), |after| {
            assert!(!after.contains('\r'), "{after:?}");
        });
    }
}

#[test]
fn d_10_a_new_file_has_no_byte_order_mark() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.done(&unit.args("install", &[]));
        assert!(text(unit, &sandbox).starts_with("{\n"));
    }
}

#[test]
fn d_11_a_byte_order_mark_is_kept_where_the_host_reads_it() {
    for unit in units() {
        let seed = "\u{feff}{\"hooks\":{}}";
        if unit.grammar().bom {
            round_trip(unit, seed, |after| {
                assert!(after.starts_with("\u{feff}{"));
                assert_eq!(after.matches('\u{feff}').count(), 1);
            });
        } else {
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), seed);
            let before = sandbox.tree();
            let run = sandbox.refused(&unit.args("install", &[]));
            assert!(run.flat().contains("byte order mark"), "{run}");
            assert_eq!(sandbox.tree().was_touched(&before), "");
        }
    }
}

#[test]
fn d_12_text_outside_our_edit_is_not_encoded_anew() {
    for unit in units() {
        let line = "\"x\": \"é — ’ 日本 \\u00e9 \\/ \u{7f}\"";
        round_trip(unit, &format!("{{\n  {line}\n}}\n"), |after| {
            assert!(after.contains(line), "{after}");
        });
    }
}

#[test]
fn d_13_entries_a_running_host_wrote_away_are_put_back() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        let stale = "{\n  \"a\": 1\n}\n";
        sandbox.write(&file, stale);
        sandbox.done(&unit.args("install", &[]));
        // The host writes back what it read before, with one more key.
        sandbox.write(&file, "{\n  \"a\": 1,\n  \"model\": \"m\"\n}\n");
        let run = sandbox.done(&["status", "--json"]);
        assert_eq!(run.json()["registrations"], json!([]));
        let run = sandbox.run(&unit.args("diff", &[]));
        assert_eq!(run.code(), 1, "{run}");
        sandbox.done(&unit.args("install", &[]));
        assert_eq!(count_ours(&text(unit, &sandbox), unit), 1);
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(
            text(unit, &sandbox),
            "{\n  \"a\": 1,\n  \"model\": \"m\"\n}\n"
        );
    }
}

#[test]
fn d_03_a_folder_link_that_leads_nowhere_is_kept() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        let folder = file.parent().unwrap();
        let end = sandbox.project.join("to come");
        symlink(&end, folder).unwrap();
        let before = sandbox.tree();
        sandbox.done(&unit.args("install", &[]));
        assert_eq!(std::fs::read_link(folder).unwrap(), end);
        assert_eq!(count_ours(&text(unit, &sandbox), unit), 1);
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(sandbox.tree().differs(&before), "", "{}", unit.name());
    }
}

// ---- E: commands, paths, shells

/// A stand-in for the program that says how it was called.
fn witness(sandbox: &Sandbox) {
    let program = sandbox.program();
    std::fs::remove_file(&program).unwrap();
    let script = sandbox.root().join("witness");
    sandbox.write(&script, "#!/bin/sh\necho \"ran: $*\"\n");
    copy_program(&script, &program);
}

/// What a shell makes of `command` with this home and nothing else.
fn in_shell(sandbox: &Sandbox, shell: &str, command: &str) -> crate::sandbox::Run {
    let mut run = Command::new(shell);
    run.args(["-c", command]);
    sandbox.prepare(&mut run);
    run.env("PATH", "/usr/bin:/bin");
    finish(run, &[shell, "-c"])
}

#[test]
fn e_01_a_blank_in_the_home_path_does_no_harm() {
    for unit in units() {
        let sandbox = Sandbox::on_disk();
        assert!(sandbox.home.to_string_lossy().contains(' '));
        sandbox.done(&unit.args("install", &[]));
        let command = commands(&text(unit, &sandbox), unit.event()).remove(0);
        witness(&sandbox);
        for shell in ["/bin/sh", "/bin/bash"] {
            let run = in_shell(&sandbox, shell, &command);
            assert_eq!(run.code(), 0, "{run}");
            let wanted = format!("ran: hook guard --host {}\n", unit.host.id);
            assert_eq!(run.out, wanted, "{run}");
            assert_eq!(run.err, "", "{run}");
        }
    }
}

#[test]
fn e_01_a_program_that_is_gone_or_broken_stays_silent() {
    for unit in units() {
        let sandbox = Sandbox::on_disk();
        sandbox.done(&unit.args("install", &[]));
        let command = commands(&text(unit, &sandbox), unit.event()).remove(0);
        let program = sandbox.program();
        let broken: [(&str, &dyn Fn()); 5] = [
            ("gone", &|| {}),
            ("a folder", &|| std::fs::create_dir(&program).unwrap()),
            ("not runnable", &|| {
                sandbox.write(&program, "#!/bin/sh\necho no\n");
                chmod(&program, 0o644);
            }),
            ("another format", &|| {
                sandbox.write(&program, b"\x7fELF nothing of the kind");
                chmod(&program, 0o755);
            }),
            ("failing", &|| {
                sandbox.write(&program, "#!/bin/sh\necho bad >&2\nexit 2\n");
                chmod(&program, 0o755);
            }),
        ];
        std::fs::remove_file(&program).unwrap();
        for (name, make) in broken {
            make();
            let run = in_shell(&sandbox, "/bin/sh", &command);
            assert_eq!(run.code(), 0, "{name}: {run}");
            assert_eq!(run.said(), "", "{name}: {run}");
            let _ = std::fs::remove_file(&program);
            let _ = std::fs::remove_dir(&program);
        }
    }
}

#[test]
fn e_03_no_tilde_and_nothing_unquoted() {
    for unit in units() {
        for system in [System::Posix, System::Windows] {
            let command = command::render(unit.host, Hook::Guard, unit.registration(), system);
            assert!(!command.contains('~'), "{command}");
            let outside: String = command.split('"').step_by(2).collect();
            assert!(!outside.contains("HOME"), "not quoted: {command}");
            let paths = outside.replace("/dev/null", "");
            assert!(!paths.contains('/'), "{command}");
        }
    }
}

#[test]
fn e_05_the_windows_form_has_no_backslash_and_no_nested_shell() {
    for host in hosts() {
        let unit = user_units()
            .into_iter()
            .find(|u| u.host.id == host.id)
            .unwrap();
        let command = command::render(host, Hook::Guard, unit.registration(), System::Windows);
        assert!(!command.contains('\\'), "{command}");
        assert!(!command.contains("cmd"), "{command}");
        assert!(command.contains("\"$HOME/.local/share/pan-hooks/bin/pan-hooks.exe\""));
    }
}

#[test]
fn e_09_the_command_needs_no_search_path() {
    for unit in units() {
        let sandbox = Sandbox::on_disk();
        sandbox.done(&unit.args("install", &[]));
        let command = commands(&text(unit, &sandbox), unit.event()).remove(0);
        witness(&sandbox);
        let mut run = Command::new("/bin/sh");
        run.args(["-c", &command]);
        sandbox.prepare(&mut run);
        // The stand-in is a script; its `echo` and its shell need no PATH either.
        run.env("PATH", "/nonexistent");
        let run = finish(run, &["sh"]);
        assert!(run.out.starts_with("ran: hook guard"), "{run}");
    }
}

#[test]
fn e_10_the_stable_link_is_kept_and_not_what_it_leads_to() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        let root = sandbox.root();
        let cellar = root.join("Cellar/pan-hooks/1.0/bin");
        std::fs::create_dir_all(&cellar).unwrap();
        copy_program(Path::new(PROGRAM), &cellar.join("pan-hooks"));
        let link = root.join("bin/pan-hooks");
        std::fs::remove_file(&link).unwrap();
        symlink("../Cellar/pan-hooks/1.0/bin/pan-hooks", &link).unwrap();
        let mut command = Command::new(&link);
        let args = unit.args("install", &[]);
        command.args(&args);
        sandbox.prepare(&mut command);
        let run = finish(command, &args);
        assert_eq!(run.code(), 0, "{run}");
        assert_eq!(std::fs::read_link(sandbox.program()).unwrap(), link);
        // An upgrade moves the versioned folder and points the link anew.
        std::fs::rename(
            root.join("Cellar/pan-hooks/1.0"),
            root.join("Cellar/pan-hooks/1.1"),
        )
        .unwrap();
        std::fs::remove_file(&link).unwrap();
        symlink("../Cellar/pan-hooks/1.1/bin/pan-hooks", &link).unwrap();
        assert!(std::fs::metadata(sandbox.program()).unwrap().is_file());
        let mut command = Command::new(&link);
        command.args(["status", "--json"]);
        sandbox.prepare(&mut command);
        let run = finish(command, &["status"]);
        assert_eq!(run.json()["registrations"][0]["state"], "active", "{run}");
    }
}

#[test]
fn e_10_a_program_in_a_passing_place_is_copied() {
    for unit in user_units() {
        let sandbox = Sandbox::on_disk();
        let root = sandbox.root();
        std::fs::remove_file(root.join("bin/pan-hooks")).unwrap();
        for place in [
            "home of u/.npm/_npx/1/pan-hooks",
            "tmp/pan-hooks",
            "src/target/debug/pan-hooks",
        ] {
            let before = sandbox.tree();
            let at = root.join(place);
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            copy_program(Path::new(PROGRAM), &at);
            let args = unit.args("install", &[]);
            let mut command = Command::new(&at);
            command.args(&args);
            sandbox.prepare(&mut command);
            assert_eq!(finish(command, &args).code(), 0);
            let metadata = std::fs::symlink_metadata(sandbox.program()).unwrap();
            assert!(metadata.is_file(), "{place}");
            assert_eq!(metadata.mode() & 0o7777, 0o700);
            std::fs::remove_file(&at).unwrap();
            let args = unit.args("uninstall", &[]);
            let mut command = Command::new(sandbox.program());
            command.args(&args);
            sandbox.prepare(&mut command);
            assert_eq!(finish(command, &args).code(), 0);
            assert!(!sandbox.program().exists());
            let mut at = at.parent().unwrap();
            while at != sandbox.home && std::fs::remove_dir(at).is_ok() {
                at = at.parent().unwrap();
            }
            std::fs::create_dir_all(root.join("tmp")).unwrap();
            assert_eq!(sandbox.tree().differs(&before), "", "{place}");
        }
    }
}

#[test]
fn e_11_the_text_is_the_same_on_every_machine() {
    for unit in units() {
        let (one, other) = (Sandbox::new(), Sandbox::new());
        for sandbox in [&one, &other] {
            sandbox.done(&unit.args("install", &[]));
        }
        assert_eq!(text(unit, &one), text(unit, &other));
    }
}

#[test]
fn e_13_no_path_of_this_machine_gets_into_the_file() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.done(&unit.args("install", &[]));
        let text = text(unit, &sandbox);
        for path in [sandbox.root(), PathBuf::from(PROGRAM)] {
            assert!(!text.contains(path.to_str().unwrap()), "{text}");
        }
        assert!(!text.contains("home of u"), "{text}");
    }
}

#[test]
fn e_14_a_variable_that_moves_the_config_folder_is_honoured() {
    for unit in user_units() {
        for variable in &unit.host.config_dir.variables {
            let mut sandbox = Sandbox::new();
            let default = unit.file(&sandbox);
            let moved = sandbox.home.join("alt folder");
            let below = if variable.below.is_empty() {
                moved.clone()
            } else {
                moved.join(&variable.below)
            };
            let file = below.join(default.file_name().unwrap());
            sandbox.set(&variable.name, &moved);
            let before = sandbox.tree();
            sandbox.done(&unit.args("install", &[]));
            assert!(!default.exists());
            let text = std::fs::read_to_string(&file).unwrap();
            assert_eq!(count_ours(&text, unit), 1);
            let run = sandbox.done(&["hosts", "--json"]);
            let hosts = run.json()["hosts"].clone();
            let row = hosts
                .as_array()
                .unwrap()
                .iter()
                .find(|row| row["host"] == unit.host.id.as_str())
                .unwrap();
            assert_eq!(
                row["paths"][0]["chosen_by"],
                variable.name.as_str(),
                "{row}"
            );
            assert_eq!(Path::new(row["paths"][0]["path"].as_str().unwrap()), file);
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(sandbox.tree().differs(&before), "");
            // Empty is unset.
            sandbox.set(&variable.name, "");
            sandbox.done(&unit.args("install", &[]));
            assert!(default.exists());
            let run = sandbox.done(&["hosts", "--json"]);
            assert!(!run.out.contains(&variable.name), "{run}");
        }
    }
}

// ---- F: shapes

#[test]
fn f_01_only_events_the_host_knows_are_written() {
    for host in hosts() {
        for hook in Hook::ALL {
            for registration in host.registrations(hook) {
                assert!(
                    host.events.contains(&registration.event),
                    "{}",
                    registration.event
                );
            }
        }
        let unit = user_units()
            .into_iter()
            .find(|u| u.host.id == host.id)
            .unwrap();
        let sandbox = Sandbox::new();
        sandbox.done(&unit.args("install", &[]));
        let json = parse(&text(unit, &sandbox));
        let root: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(root, ["hooks"]);
        for event in json["hooks"].as_object().unwrap().keys() {
            assert!(host.events.contains(event), "{event}");
        }
    }
}

#[test]
fn f_04_a_note_of_another_tool_among_the_events_stays() {
    for unit in units() {
        for note in ["\"off\"", "{\"a\": 1}", "5", "[]", "null"] {
            round_trip(
                unit,
                &format!("{{\n  \"hooks\": {{\n    \"_Stop_off\": {note}\n  }}\n}}\n"),
                |after| assert_eq!(count_ours(after, unit), 1),
            );
        }
    }
}

#[test]
fn f_16_ours_is_a_handler_in_a_group_and_a_flat_one_of_theirs_stays() {
    for unit in units() {
        // Under a strict event a host may drop the file for it; then it is refused.
        let event = unit.event();
        let seed = format!(
            "{{\"hooks\": {{\"{event}\": [{{\"type\": \"command\", \"command\": \"flat\"}}]}}}}"
        );
        round_trip(unit, &seed, |after| {
            let json = parse(after);
            assert_eq!(json["hooks"][event][0]["command"], "flat");
            assert_eq!(json["hooks"][event][1]["hooks"], json!([unit.handler()]));
        });
    }
}
