//! Files we do not touch, and what a person is told then: where, why, and what
//! mends it.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::sandbox::{Run, Sandbox, chmod, finish, is_root};
use crate::table::{Unit, count_ours, units, user_units};

/// Runs `args`, which must be refused, and holds the whole machine against how it
/// was: no byte, no time, no new file, nothing of ours.
fn refused_untouched(sandbox: &Sandbox, args: &[&str], name: &str) -> Run {
    let before = sandbox.tree();
    let run = sandbox.run(args);
    assert_eq!(run.code(), 3, "{name}: {run}");
    let difference = sandbox.tree().was_touched(&before);
    assert!(difference.is_empty(), "{name}: {difference}{run}");
    assert!(run.err.contains("mend: "), "{name}: no remedy: {run}");
    run
}

/// The path as it is shown, without the home folder.
fn shown(unit: Unit, sandbox: &Sandbox) -> String {
    let file = unit.file(sandbox);
    file.strip_prefix(&sandbox.home).map_or_else(
        |_| file.display().to_string(),
        |below| format!("~/{}", below.display()),
    )
}

/// A text that is refused, the place that is named, and a word of the reason.
struct Bad {
    name: &'static str,
    text: String,
    place: Option<&'static str>,
    says: &'static str,
}

fn bad(
    name: &'static str,
    text: impl Into<String>,
    place: impl Into<Option<&'static str>>,
    says: &'static str,
) -> Bad {
    Bad {
        name,
        text: text.into(),
        place: place.into(),
        says,
    }
}

fn bad_texts(unit: Unit) -> Vec<Bad> {
    let grammar = unit.grammar();
    let event = unit.event();
    let mut all = vec![
        bad("a hole", "{\"a\": }", "1:7", "JSON"),
        bad("cut off", "{\"a\": 1", None, "JSON"),
        bad("two values", "{}\n{}", "2:1", ""),
        bad("no JSON", "hello", "1:1", "JSON"),
        bad("single quotes", "{'a': 1}", "1:2", ""),
        bad("a bare key", "{a: 1}", "1:2", ""),
        bad("a word", "{\"a\": NaN}", "1:7", ""),
        bad("a leading zero", "{\"a\": 01}", None, ""),
        bad("a hexadecimal", "{\"a\": 0x1}", None, ""),
        bad("a raw line end in a string", "{\"a\": \"x\ny\"}", None, ""),
        bad("a raw tab in a string", "{\"a\": \"x\ty\"}", None, ""),
        bad("a wrong escape", "{\"a\": \"\\x\"}", None, ""),
        bad("a missing comma", "{\"a\": 1\n \"b\": 2}", "2:2", ""),
        bad("a missing colon", "{\"a\" 1}", "1:6", ""),
        bad("a trailing comma", "{\n  \"a\": 1,\n}\n", "2:9", "comma"),
        bad(
            "a trailing comma in an array",
            "{\"a\": [1,]}",
            "1:9",
            "comma",
        ),
        bad("a comma alone", "{,}", "1:2", ""),
        bad("null", "null\n", "1:1", "object"),
        bad("an array", "[]", "1:1", "object"),
        bad("a string", "\"hooks\"", "1:1", "object"),
        bad("a number", "5\n", "1:1", "object"),
        bad("hooks null", "{\n  \"hooks\": null\n}\n", "2:12", "`hooks`"),
        bad("hooks an array", "{\"hooks\": []}", "1:11", "`hooks`"),
        bad("hooks a string", "{\"hooks\": \"x\"}", "1:11", "`hooks`"),
        bad(
            "the event an object",
            format!("{{\"hooks\": {{\"{event}\": {{}}}}}}"),
            None,
            "not an array",
        ),
        bad(
            "the event null",
            format!("{{\"hooks\": {{\n\"{event}\": null}}}}"),
            None,
            "not an array",
        ),
        bad(
            "hooks twice",
            "{\n  \"hooks\": {},\n  \"hooks\": {}\n}\n",
            "3:3",
            "second time",
        ),
        bad(
            "hooks twice, once escaped",
            "{\"hooks\": {}, \"\\u0068ooks\": {}}",
            "1:15",
            "second time",
        ),
        bad(
            "the event twice",
            format!("{{\"hooks\": {{\n\"{event}\": [],\n\"{event}\": []}}}}"),
            "3:1",
            "second time",
        ),
    ];
    if !grammar.comments {
        all.push(bad(
            "a comment",
            "{\n  // mine\n  \"a\": 1\n}\n",
            "2:3",
            "comment",
        ));
        all.push(bad("a block comment", "/* mine */ {}\n", "1:1", "comment"));
    }
    if !grammar.bom {
        all.push(bad(
            "a byte order mark",
            "\u{feff}{}\n",
            None,
            "byte order mark",
        ));
    }
    if !grammar.empty {
        all.push(bad("empty", "", None, "empty"));
        all.push(bad("blanks only", " \n \n", None, "empty"));
    }
    for strict in &unit.host.entry.strict_events {
        for (name, group) in [
            (
                "a matcher of a wrong type",
                json!({"matcher": 5, "hooks": []}),
            ),
            (
                "a handler without a command",
                json!({"hooks": [{"type": "command"}]}),
            ),
            (
                "a handler without a type",
                json!({"hooks": [{"command": "u1"}]}),
            ),
            (
                "a handler of an unknown type",
                json!({"hooks": [{"type": "shell", "command": "u1"}]}),
            ),
            (
                "a timeout that is a string",
                json!({"hooks": [{"type": "command", "command": "u1", "timeout": "5"}]}),
            ),
            (
                "a timeout of nothing",
                json!({"hooks": [{"type": "command", "command": "u1", "timeout": 0}]}),
            ),
            ("a handler that is a string", json!({"hooks": ["u1"]})),
        ] {
            let text = format!("{{\n  \"hooks\": {{\"{strict}\": [\n    {group}]}}}}\n");
            all.push(bad(name, text, None, "whole file"));
        }
    }
    if unit.host.entry.bad_matcher_stops_event {
        all.push(bad(
            "a matcher that stops the event",
            format!("{{\"hooks\": {{\"{event}\": [\n{{\"matcher\": 5, \"hooks\": []}}]}}}}"),
            "2:13",
            "matcher",
        ));
    }
    for typed in &unit.host.typed {
        let text = typed.key.iter().rev().fold("5".to_owned(), |inner, key| {
            format!("{{\"{key}\": {inner}}}")
        });
        all.push(bad("a known key of a wrong type", text, None, "whole file"));
    }
    all
}

#[test]
fn a_file_the_host_would_drop_is_refused_with_place_and_remedy() {
    for unit in user_units() {
        for (turn, case) in bad_texts(unit).into_iter().enumerate() {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            sandbox.write(&file, &case.text);
            chmod(&file, 0o640);
            let name = format!("{}, {}: {:?}", unit.name(), case.name, case.text);
            let run = refused_untouched(&sandbox, &unit.args("install", &[]), &name);
            let mut place = format!("refused {}", shown(unit, &sandbox));
            if let Some(at) = case.place {
                place = format!("{place}:{at}");
            }
            assert!(run.flat().contains(&place), "{name}: wanted {place}: {run}");
            assert!(run.flat().contains(case.says), "{name}: {run}");
            // diff and --dry-run say the same, and touch nothing either.
            let verbs = [
                unit.args("diff", &[]),
                unit.args("install", &["--dry-run"]),
                unit.args("diff", &["--patch"]),
            ];
            let run = refused_untouched(&sandbox, &verbs[turn % verbs.len()], &name);
            assert!(run.flat().contains(&place), "{name}: {run}");
            let run = sandbox.run(&unit.args("install", &["--json"]));
            let json = run.json();
            assert_eq!(json["changes"][0]["action"], "refused", "{name}: {run}");
            let reason = json["changes"][0]["reason"].as_str().unwrap();
            assert!(
                reason.contains(place.trim_start_matches("refused ")),
                "{reason}"
            );
        }
    }
}

#[test]
fn every_scope_refuses_what_its_host_would_drop() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), "{\n  \"a\": 1,\n}\n");
        let run = refused_untouched(&sandbox, &unit.args("install", &[]), &unit.name());
        assert!(run.err.contains(":2:9"), "{run}");
        // An uninstall cannot tell what such a file holds either.
        let run = refused_untouched(&sandbox, &unit.args("uninstall", &[]), &unit.name());
        assert!(run.err.contains(":2:9"), "{run}");
    }
}

#[test]
fn bytes_that_are_no_utf8_are_refused() {
    for unit in user_units() {
        let utf16: Vec<u8> = "\u{feff}{\"a\": 1}"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let utf16_big: Vec<u8> = "\u{feff}{}"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        let latin: Vec<u8> = b"{\"a\": \"caf\xe9\"}".to_vec();
        let surrogate: Vec<u8> = b"{\"a\": \"\xed\xa0\x80\"}".to_vec();
        for bytes in [utf16, utf16_big, latin, surrogate, vec![0xff], vec![0; 40]] {
            let sandbox = Sandbox::new();
            sandbox.write(&unit.file(&sandbox), &bytes);
            let name = format!("{}, {bytes:?}", unit.name());
            let run = refused_untouched(&sandbox, &unit.args("install", &[]), &name);
            assert!(run.err.contains(&shown(unit, &sandbox)), "{run}");
        }
    }
}

#[test]
fn nesting_without_end_is_no_crash() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        let deep = 200_000;
        let text = format!("{{\"a\": {}{}}}", "[".repeat(deep), "]".repeat(deep));
        sandbox.write(&unit.file(&sandbox), &text);
        let before = sandbox.tree();
        let run = sandbox.run(&unit.args("install", &[]));
        assert!(matches!(run.code(), 0 | 3), "{}", run.err);
        sandbox.run(&unit.args("uninstall", &[])).code();
        let difference = sandbox.tree().differs(&before);
        assert!(difference.is_empty(), "{}", unit.name());
    }
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    for unit in units() {
        for kind in ["folder", "pipe", "loop", "socket"] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let _listener = match kind {
                "folder" => {
                    std::fs::create_dir(&file).unwrap();
                    None
                }
                "pipe" => {
                    rustix::fs::mknodat(
                        rustix::fs::CWD,
                        &file,
                        rustix::fs::FileType::Fifo,
                        rustix::fs::Mode::from(0o600),
                        0,
                    )
                    .unwrap();
                    None
                }
                "loop" => {
                    std::os::unix::fs::symlink("settings.b", &file).unwrap();
                    let other = file.with_file_name("settings.b");
                    std::os::unix::fs::symlink(file.file_name().unwrap(), other).unwrap();
                    None
                }
                _ => Some(std::os::unix::net::UnixListener::bind(&file).unwrap()),
            };
            let name = format!("{}, {kind}", unit.name());
            for verb in ["install", "uninstall"] {
                let run = refused_untouched(&sandbox, &unit.args(verb, &[]), &name);
                assert!(run.err.contains(&shown(unit, &sandbox)), "{run}");
            }
        }
    }
}

#[test]
fn a_file_in_the_place_of_the_folder_is_refused() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        sandbox.write(unit.file(&sandbox).parent().unwrap(), "not a folder");
        refused_untouched(&sandbox, &unit.args("install", &[]), &unit.name());
    }
}

#[test]
fn a_file_that_may_not_be_read_is_refused() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{}\n");
        chmod(&file, 0);
        // Makes the helper program and hands the files over before they are looked at.
        sandbox.run_as_mortal(&["hosts"]);
        let before = sandbox.tree();
        let run = sandbox.run_as_mortal(&unit.args("install", &[]));
        assert_eq!(run.code(), 3, "{run}");
        assert!(run.flat().contains("cannot be read"), "{run}");
        assert!(run.err.contains("mend: "), "{run}");
        assert_eq!(sandbox.tree().was_touched(&before), "");
    }
}

#[test]
fn a_file_made_read_only_is_refused() {
    for unit in units() {
        for mode in [0o400, 0o444] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            sandbox.write(&file, "{\n  \"a\": 1\n}\n");
            chmod(&file, mode);
            sandbox.run(&["hosts"]);
            let before = sandbox.tree();
            let run = sandbox.run(&unit.args("install", &[]));
            assert_eq!(run.code(), 3, "{run}");
            assert!(run.flat().contains("the file is read-only"), "{run}");
            assert!(run.err.contains("mend: "), "{run}");
            assert_eq!(sandbox.tree().was_touched(&before), "", "{run}");
        }
    }
}

#[test]
fn a_folder_that_may_not_be_written_is_refused() {
    for unit in units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{\n  \"a\": 1\n}\n");
        chmod(file.parent().unwrap(), 0o555);
        sandbox.run_as_mortal(&["hosts"]);
        let before = sandbox.tree();
        let run = sandbox.run_as_mortal(&unit.args("install", &[]));
        assert_eq!(run.code(), 3, "{run}");
        assert!(run.flat().contains("cannot be written"), "{run}");
        assert!(run.err.contains("mend: "), "{run}");
        let difference = sandbox.tree().was_touched(&before);
        assert_eq!(difference, "", "{run}");
        chmod(file.parent().unwrap(), 0o755);
    }
}

#[test]
fn a_folder_that_may_not_be_written_keeps_what_uninstall_cannot_take_out() {
    for unit in user_units() {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, "{\n  \"a\": 1\n}\n");
        sandbox.run_as_mortal(&["hosts"]);
        let before = sandbox.tree();
        assert_eq!(sandbox.run_as_mortal(&unit.args("install", &[])).code(), 0);
        chmod(file.parent().unwrap(), 0o555);
        let installed = sandbox.tree();
        let run = sandbox.run_as_mortal(&unit.args("uninstall", &[]));
        assert_eq!(run.code(), 3, "{run}");
        // Still registered, so the program is still there.
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(count_ours(&text, unit), 1);
        assert!(sandbox.program().exists());
        assert_eq!(sandbox.tree().differs(&installed), "");
        chmod(file.parent().unwrap(), 0o755);
        assert_eq!(
            sandbox.run_as_mortal(&unit.args("uninstall", &[])).code(),
            0
        );
        assert_eq!(sandbox.tree().differs(&before), "");
    }
}

/// Runs `script` in a mount namespace of its own, as root there; `None` where the
/// system does not allow one.
fn in_own_mounts(sandbox: &Sandbox, script: &str) -> Option<Run> {
    let mut command = Command::new("unshare");
    command.args(if is_root() {
        ["-m", "-f"]
    } else {
        ["-rm", "-f"]
    });
    command.args(["sh", "-c", script]);
    sandbox.prepare(&mut command);
    command
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("PROGRAM", crate::sandbox::PROGRAM);
    let run = finish(command, &["(in its own mounts)"]);
    if run.out.contains("ready\n") {
        return Some(run);
    }
    assert!(
        run.err.contains("permi") || run.err.contains("not allowed"),
        "{run}"
    );
    None
}

#[test]
fn a_full_disk_leaves_the_old_bytes() {
    for unit in user_units() {
        let mut sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        let folder = file.parent().unwrap().to_owned();
        std::fs::create_dir_all(&folder).unwrap();
        let seed = sandbox.root().join("seed");
        sandbox.write(
            &seed,
            format!("{{\n  \"a\": \"{}\"\n}}\n", "x".repeat(5000)),
        );
        sandbox.set("FOLDER", &folder);
        sandbox.set("FILE", &file);
        sandbox.set("SEED", &seed);
        sandbox.set("HOST", &unit.host.id);
        // Room for the file, and for no second one of its size.
        let script = r#"
            mount -t tmpfs -o size=16k none "$FOLDER" || exit 9
            echo ready
            cp "$SEED" "$FILE"
            head -c 100000 /dev/zero > "$FOLDER/filler" 2>/dev/null
            "$PROGRAM" install --global --host "$HOST"
            echo "code $?"
            cmp "$SEED" "$FILE" && echo same
            ls -A "$FOLDER"
        "#;
        match in_own_mounts(&sandbox, script) {
            Some(run) => {
                assert!(run.out.contains("code 3\nsame\n"), "{run}");
                assert!(run.flat().contains("make room"), "{run}");
                let listed = run.out.split("same\n").nth(1).unwrap();
                assert_eq!(listed, "filler\nsettings.json\n", "{run}");
                assert_eq!(sandbox.leftovers(), Vec::<std::path::PathBuf>::new());
            }
            None => {
                eprintln!("no mount namespace here: only the limit on file sizes was tried");
            }
        }
    }
}

#[test]
fn a_file_that_is_a_mount_of_its_own_is_written_in_place() {
    for unit in user_units() {
        let mut sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        let source = sandbox.root().join("source.json");
        sandbox.write(&file, "");
        sandbox.write(&source, "{\n  \"a\": 1\n}\n");
        let before = sandbox.tree();
        sandbox.set("FILE", &file);
        sandbox.set("SOURCE", &source);
        sandbox.set("HOST", &unit.host.id);
        let script = r#"
            mount --bind "$SOURCE" "$FILE" || exit 9
            echo ready
            "$PROGRAM" install --global --host "$HOST" >/dev/null || echo "not installed"
            grep -c "hook guard" "$SOURCE"
            "$PROGRAM" uninstall --global --host "$HOST" >/dev/null || echo "not uninstalled"
        "#;
        match in_own_mounts(&sandbox, script) {
            Some(run) => assert_eq!(run.out, "ready\n1\n", "{run}"),
            None => eprintln!("no mount namespace here: a mounted file was not tried"),
        }
        assert_eq!(sandbox.tree().differs(&before), "");
    }
}

#[test]
fn a_store_that_is_read_only_is_refused() {
    for unit in user_units() {
        let mut sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        let store = sandbox.root().join("store");
        sandbox.write(&store.join("settings.json"), "{\n  \"a\": 1\n}\n");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(store.join("settings.json"), &file).unwrap();
        let before = sandbox.tree();
        sandbox.set("STORE", &store);
        sandbox.set("HOST", &unit.host.id);
        let script = r#"
            mount --bind "$STORE" "$STORE" && mount -o remount,ro,bind "$STORE" || exit 9
            echo ready
            "$PROGRAM" install --global --host "$HOST"
            echo "code $?"
        "#;
        match in_own_mounts(&sandbox, script) {
            Some(run) => {
                assert!(run.out.ends_with("code 3\n"), "{run}");
                assert!(run.flat().contains("change it where it is made"), "{run}");
            }
            None => eprintln!("no mount namespace here: a read-only store was not tried"),
        }
        assert_eq!(sandbox.tree().was_touched(&before), "");
    }
}

#[test]
fn a_file_that_cannot_grow_leaves_the_old_bytes() {
    // What a full disk does, with a limit everyone can set: 8 blocks of 512 bytes
    // hold our journal, but not the settings; no block at all holds nothing.
    for unit in user_units() {
        for (blocks, size) in [(16, 30_000), (0, 100)] {
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            sandbox.write(
                &file,
                format!("{{\n  \"a\": \"{}\"\n}}\n", "x".repeat(size)),
            );
            let before = sandbox.tree();
            let mut command = Command::new("/bin/sh");
            let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
            command.args(["-c", &script, crate::sandbox::PROGRAM]);
            let args = unit.args("install", &[]);
            command.args(&args);
            sandbox.prepare(&mut command);
            let run = finish(command, &args);
            assert_eq!(run.code(), 3, "{run}");
            assert!(run.err.contains("mend: "), "{run}");
            let difference = sandbox.tree().was_touched(&before);
            assert_eq!(difference, "", "{run}");
        }
    }
}

#[test]
fn a_state_folder_that_cannot_be_made_stops_the_run() {
    for unit in units() {
        let mut sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), "{}\n");
        let blocked = sandbox.root().join("blocked");
        sandbox.write(&blocked, "a file");
        sandbox.set("XDG_STATE_HOME", &blocked);
        let args = unit.args("install", &[]);
        let run = refused_untouched(&sandbox, &args, &unit.name());
        assert!(run.err.contains("blocked"), "{run}");
        let run = sandbox.refused(&unit.args("install", &["--json"]));
        assert_eq!(run.json()["changes"], json!([]), "{run}");
        assert!(
            run.json()["notes"][0].as_str().unwrap().contains("blocked"),
            "{run}"
        );
    }
}

#[test]
fn a_folder_in_the_place_of_the_program_stops_the_run() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.write(&unit.file(&sandbox), "{}\n");
        std::fs::create_dir_all(sandbox.program().join("theirs")).unwrap();
        let args = unit.args("install", &[]);
        let run = refused_untouched(&sandbox, &args, &unit.name());
        assert!(run.flat().contains("a folder stands where"), "{run}");
    }
}

#[test]
fn the_home_folder_is_no_project() {
    for unit in units() {
        if unit.flag() == "--global" {
            continue;
        }
        for verb in ["install", "uninstall", "diff"] {
            // By its name, through a link, and as a git root with a folder below.
            let mut sandbox = Sandbox::new();
            sandbox.cwd = sandbox.home.clone();
            let run = refused_untouched(&sandbox, &unit.args(verb, &[]), &unit.name());
            assert!(run.flat().contains("--global"), "{run}");
            let link = sandbox.root().join("link to home");
            std::os::unix::fs::symlink(&sandbox.home, &link).unwrap();
            sandbox.cwd = link;
            refused_untouched(&sandbox, &unit.args(verb, &[]), &unit.name());
            std::fs::create_dir_all(sandbox.home.join(".git")).unwrap();
            std::fs::create_dir_all(sandbox.home.join("src/deep")).unwrap();
            sandbox.cwd = sandbox.home.join("src/deep");
            refused_untouched(&sandbox, &unit.args(verb, &[]), &unit.name());
        }
        let mut sandbox = Sandbox::new();
        sandbox.cwd = sandbox.home.clone();
        let run = sandbox.refused(&unit.args("install", &["--json"]));
        assert_eq!(run.json()["changes"], json!([]));
        sandbox.done(&["install", "--global", "--host", &unit.host.id]);
    }
}

/// Runs git in the project, with no configuration but its own.
fn git(sandbox: &Sandbox, folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    sandbox.prepare(&mut command);
    command
        .args(args)
        .current_dir(folder)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "u")
        .env("GIT_AUTHOR_EMAIL", "u@example.invalid")
        .env("GIT_COMMITTER_NAME", "u")
        .env("GIT_COMMITTER_EMAIL", "u@example.invalid");
    let run = finish(command, args);
    assert!(run.status.success(), "{run}");
}

/// A project that git really keeps.
fn with_git() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::remove_dir_all(sandbox.project.join(".git")).unwrap();
    git(&sandbox, &sandbox.project, &["init", "-q", "-b", "main"]);
    sandbox
}

fn project_units() -> Vec<Unit> {
    let units: Vec<_> = units()
        .into_iter()
        .filter(|unit| unit.flag() != "--global")
        .collect();
    assert!(units.len() >= 3);
    units
}

#[test]
fn a_link_of_the_repository_that_leaves_it_is_refused() {
    for unit in project_units() {
        for index in ["2", "4", "split", "worktree", "folder", "dangling folder"] {
            let mut sandbox = with_git();
            let outside = sandbox.home.join("mine/settings.json");
            sandbox.write(&outside, "{\n  \"a\": 1\n}\n");
            let file = unit.file(&sandbox);
            let folder = file.parent().unwrap().to_owned();
            if index == "dangling folder" {
                std::os::unix::fs::symlink(sandbox.home.join("to come"), &folder).unwrap();
            } else if index == "folder" {
                std::os::unix::fs::symlink(outside.parent().unwrap(), &folder).unwrap();
                let name = file.file_name().unwrap();
                sandbox.write(&outside.with_file_name(name), "{\n  \"a\": 1\n}\n");
            } else {
                std::fs::create_dir_all(&folder).unwrap();
                std::os::unix::fs::symlink(&outside, &file).unwrap();
            }
            for n in 0..30 {
                sandbox.write(&sandbox.project.join(format!(".a/file{n}")), "x");
            }
            git(&sandbox, &sandbox.project, &["add", "-f", "."]);
            match index {
                "2" | "4" => git(
                    &sandbox,
                    &sandbox.project,
                    &["update-index", "--index-version", index],
                ),
                "split" => git(
                    &sandbox,
                    &sandbox.project,
                    &["update-index", "--split-index"],
                ),
                "worktree" => {
                    git(&sandbox, &sandbox.project, &["commit", "-q", "-m", "x"]);
                    git(
                        &sandbox,
                        &sandbox.project,
                        &["worktree", "add", "-q", "../other"],
                    );
                    sandbox.project = sandbox.root().join("other");
                    sandbox.cwd.clone_from(&sandbox.project);
                }
                _ => {}
            }
            let name = format!("{}, {index}", unit.name());
            for verb in ["install", "uninstall"] {
                let run = refused_untouched(&sandbox, &unit.args(verb, &[]), &name);
                assert!(run.flat().contains("leads out of it"), "{name}: {run}");
            }
        }
    }
}

#[test]
fn a_link_of_the_person_that_leaves_the_repository_is_kept() {
    for unit in project_units() {
        let sandbox = with_git();
        let outside = sandbox.home.join("mine/settings.json");
        sandbox.write(&outside, "{\n  \"a\": 1\n}\n");
        let file = unit.file(&sandbox);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&outside, &file).unwrap();
        sandbox.write(&sandbox.project.join("README"), "x");
        git(&sandbox, &sandbox.project, &["add", "README"]);
        let before = sandbox.tree();
        let run = sandbox.done(&unit.args("install", &[]));
        assert!(run.flat().contains("is a link; the link stays"), "{run}");
        assert!(file.is_symlink());
        let text = std::fs::read_to_string(&outside).unwrap();
        assert_eq!(count_ours(&text, unit), 1);
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(sandbox.tree().differs(&before), "");
    }
}

#[test]
fn a_link_of_the_repository_that_stays_in_it_is_followed() {
    for unit in project_units() {
        let sandbox = with_git();
        let inside = sandbox.project.join("shared/settings.json");
        sandbox.write(&inside, "{\n  \"a\": 1\n}\n");
        let file = unit.file(&sandbox);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("../shared/settings.json", &file).unwrap();
        git(&sandbox, &sandbox.project, &["add", "."]);
        let before = sandbox.tree();
        sandbox.done(&unit.args("install", &[]));
        let text = std::fs::read_to_string(&inside).unwrap();
        assert_eq!(count_ours(&text, unit), 1);
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(sandbox.tree().differs(&before), "");
    }
}

#[test]
fn one_host_that_is_refused_does_not_keep_the_others_back() {
    for refused in user_units() {
        let sandbox = Sandbox::new();
        for unit in user_units() {
            let bad = unit.host.id == refused.host.id;
            let text = if bad { "{\"a\": 1,}" } else { "{\"a\": 1}" };
            sandbox.write(&unit.file(&sandbox), text);
        }
        let before = sandbox.tree();
        for verb in ["install", "uninstall"] {
            let run = sandbox.refused(&[verb, "--global", "--json"]);
            for change in run.json()["changes"].as_array().unwrap() {
                let wanted = if change["host"] == refused.host.id.as_str() {
                    "refused"
                } else {
                    "changed"
                };
                assert_eq!(change["action"], wanted, "{run}");
            }
        }
        assert_eq!(sandbox.tree().differs(&before), "");
    }
}

#[test]
fn wrong_words_are_an_error_of_usage() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    for args in [
        &["install", "--host", "nobody"][..],
        &["install", "--hook", "nothing"],
        &["install", "--global", "--project"],
        &["install", "--private", "--global"],
        &["frobnicate"],
        &["install", "extra"],
        &["disable"],
        &["completions", "tcl"],
        &[],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code(), 2, "{run}");
        assert!(!run.err.is_empty());
        assert_eq!(sandbox.tree().was_touched(&before), "", "{run}");
    }
}

#[test]
fn no_host_found_is_said() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let run = sandbox.refused(&["install", "--global"]);
    assert!(run.flat().contains("--host"), "{run}");
    let run = sandbox.refused(&["install", "--global", "--json"]);
    assert_eq!(run.json()["changes"], json!([]));
    sandbox.done(&["status"]);
    sandbox.done(&["uninstall", "--global"]);
    assert_eq!(sandbox.tree().was_touched(&before), "");
}
