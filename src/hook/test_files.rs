//! What counts as a test file. PAN publishes no pattern; this one follows the
//! names the test runners of the common languages look for by themselves
//! (`docs/guard-log.md` lists them), and stays data so that it can be argued with.

/// Folders whose files are tests, wherever they stand in a path.
const FOLDERS: [&str; 6] = ["test", "tests", "__tests__", "spec", "specs", "e2e"];

/// Ends of a name before its last extension: `a.test.ts`, `a_test.go`, `AppTest.java`.
const ENDS: [&str; 8] = [
    ".test", ".spec", "_test", "_spec", "-test", "-spec", ".cy", ".e2e",
];

/// Ends that count only with this capital letter, so that `latest.kt` is no test.
const CAMEL_ENDS: [&str; 4] = ["Test", "Tests", "Spec", "IT"];

/// The languages whose tests are named in camel case.
const CAMEL_LANGUAGES: [&str; 8] = ["java", "kt", "kts", "scala", "groovy", "cs", "swift", "php"];

/// Starts of a name: `test_a.py`.
const STARTS: [&str; 1] = ["test_"];

/// Whole names: the shared set-up files of a runner.
const NAMES: [&str; 2] = ["conftest.py", "test.rs"];

/// Whether `path`, relative to the project, is a test file.
pub fn is_test_file(path: &str) -> bool {
    let name = super::place::name(path);
    let folders = path.strip_suffix(name).unwrap_or("");
    if folders.split('/').any(|folder| {
        FOLDERS
            .iter()
            .any(|known| folder.eq_ignore_ascii_case(known))
    }) {
        return true;
    }
    if NAMES.contains(&name) || STARTS.iter().any(|start| name.starts_with(start)) {
        return true;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    ENDS.iter().any(|end| stem.ends_with(end))
        || (CAMEL_LANGUAGES.contains(&extension)
            && CAMEL_ENDS.iter().any(|end| stem.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::is_test_file;

    #[test]
    fn test_files_by_name_and_by_folder() {
        for path in [
            "tests/a.rs",
            "src/__tests__/a.js",
            "pkg/a_test.go",
            "a.test.tsx",
            "b.spec.ts",
            "test_a.py",
            "app/AppTest.java",
            "spec/models/user.rb",
            "conftest.py",
            "web/x.cy.ts",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in [
            "src/latest.kt",
            "src/contest.rs",
            "testing.md",
            "src/attest.go",
            "src/a.rs",
            "latest/a.rs",
            "tests",
            "src/Manifest.java",
        ] {
            assert!(!is_test_file(path), "{path}");
        }
    }
}
