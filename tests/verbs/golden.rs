//! Files as they are before, with our entry, and after it is taken out, kept in
//! `fixtures/configs/<host>/<case>/` so that a person can look at them.

use std::path::PathBuf;

use crate::sandbox::Sandbox;
use crate::table::user_units;

#[test]
fn each_case_gives_the_files_that_are_kept() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/configs");
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
            assert_eq!(now(), after, "{name}");
            sandbox.done(&unit.args("uninstall", &[]));
            assert_eq!(now(), undone, "{name}");
        }
    }
}
