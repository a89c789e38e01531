//! Files as they are before, with our entry, and after it is taken out, kept in
//! `fixtures/configs/<host>/<case>/` so that a person can look at them.
//!
//! When the entry changes on purpose, `PAN_HOOKS_KEEP_FIXTURES=1 cargo test` writes
//! them anew; the test fails then all the same, and what changed is for a person to
//! read.

use std::path::PathBuf;

use crate::sandbox::Sandbox;
use crate::table::user_units;

#[test]
fn each_case_gives_the_files_that_are_kept() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/configs");
    let keep = std::env::var_os("PAN_HOOKS_KEEP_FIXTURES").is_some();
    for unit in user_units() {
        let folder = root.join(&unit.host.id);
        let mut cases: Vec<_> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.unwrap().path())
            .collect();
        cases.sort();
        assert!(cases.len() >= 6, "{}: cases are missing", unit.host.id);
        for case in cases {
            let name = case.display();
            let read = |file: &str| std::fs::read_to_string(case.join(file)).ok();
            let (before, after, undone) = (read("before"), read("after"), read("undone"));
            assert!(after.is_some(), "{name}: `after` is missing");
            let sandbox = Sandbox::new();
            let file = unit.file(&sandbox);
            if let Some(before) = &before {
                sandbox.write(&file, before);
            }
            let now = || std::fs::read_to_string(&file).ok();
            sandbox.done(&unit.args("install", &["--migrate"]));
            let installed = now();
            sandbox.done(&unit.args("uninstall", &[]));
            let uninstalled = now();
            if keep {
                let pairs = [("after", &installed), ("undone", &uninstalled)];
                for (file, text) in pairs {
                    if let Some(text) = text {
                        std::fs::write(case.join(file), text).unwrap();
                    }
                }
                continue;
            }
            assert_eq!(installed, after, "{name}");
            assert_eq!(uninstalled, undone, "{name}");
        }
    }
    assert!(
        !keep,
        "the files were written anew: look at them, then run without"
    );
}
