//! What the guard reads in a planning tree: its name, the mode, the phase in
//! flight, the plans. Text in, facts out.

use super::json::{Object, without_comments};
use super::place;

/// The folder a planning tree has when nothing says otherwise.
pub const BASE: &str = ".planning";

/// The planning tree's path below the project, from `PAN_PLANNING_DIR` and
/// `PAN_TRACK`.
pub fn tree_name(folder: Option<&str>, track: Option<&str>) -> String {
    if let Some(folder) = folder.and_then(relative_folder) {
        return folder;
    }
    if let Some(track) = track.filter(|track| is_name(track)) {
        return format!("{BASE}/tracks/{track}");
    }
    BASE.to_owned()
}

/// `folder` with forward slashes and tidied, when it is relative and stays inside.
fn relative_folder(folder: &str) -> Option<String> {
    let folder = folder.replace('\\', "/");
    let outside = place::is_absolute(&folder) || folder.split('/').any(|part| part == "..");
    if outside || folder.contains('\0') {
        return None;
    }
    let tidy = place::resolve("/", &folder);
    let tidy = tidy.trim_start_matches('/');
    (!tidy.is_empty()).then(|| tidy.to_owned())
}

/// A letter or digit followed by letters, digits, `.`, `_`, `-`.
fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

/// What the guard does with a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Nothing is looked at.
    Off,
    /// Matches are logged.
    #[default]
    Report,
    /// Matches are logged, and denied where the rule denies.
    Enforce,
}

impl Mode {
    /// The name in settings and in the log.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Report => "report",
            Self::Enforce => "enforce",
        }
    }

    /// The mode of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Off, Self::Report, Self::Enforce]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}

/// The object in a settings text: JSON, else JSON with comments; a byte order mark
/// is no part of it.
pub fn settings(text: &str, then: impl FnOnce(&Object<'_>)) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(object) = Object::parse(text) {
        return then(&object);
    }
    let plain = without_comments(text);
    if let Some(object) = Object::parse(&plain) {
        then(&object);
    }
}

/// `hooks.guard` of the planning tree's `config.json`, if it says so.
pub fn mode(config: &str) -> Option<Mode> {
    let mut mode = None;
    settings(config, |object| {
        mode = object
            .object("hooks")
            .and_then(|hooks| hooks.string("guard"))
            .and_then(|name| Mode::named(&name));
    });
    mode
}

/// The phase in flight: `current_phase` of the front matter, else the line
/// `**Current Phase:**`. Placeholders and nothing are no phase.
pub fn current_phase(state: &str) -> Option<String> {
    let front = front_matter(state)
        .lines()
        .find_map(|line| line.strip_prefix("current_phase:"))
        .map(unquoted)
        .filter(|value| *value != "null" && *value != "~")
        .and_then(phase_number);
    front.or_else(|| {
        state
            .lines()
            .find_map(|line| {
                line.trim_start_matches([' ', '-', '*', '\t'])
                    .strip_prefix("Current Phase:**")
            })
            .and_then(phase_number)
    })
}

/// The text between the two `---` lines at the head of a file.
fn front_matter(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text.strip_prefix("---").and_then(|rest| {
        rest.strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix('\n'))
    }) else {
        return "";
    };
    rest.find("\n---")
        .and_then(|end| rest.get(..=end))
        .unwrap_or("")
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value
            .strip_prefix(quote)
            .and_then(|value| value.strip_suffix(quote))
        {
            return inner;
        }
    }
    value
}

/// The first number in `value`, without leading zeros: `07` and `7 of 12` are `7`.
fn phase_number(value: &str) -> Option<String> {
    let value = value.trim();
    if value.starts_with('[') {
        return None;
    }
    let start = value.find(|c: char| c.is_ascii_digit())?;
    leading_number(value.get(start..)?).map(|(number, _)| number)
}

/// The number `text` starts with and what follows: `03.1-name` is `3.1` and `-name`.
fn leading_number(text: &str) -> Option<(String, &str)> {
    let mut end = 0;
    for (at, byte) in text.bytes().enumerate() {
        let digit_after = text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
        if byte.is_ascii_digit() || (byte == b'.' && end > 0 && digit_after) {
            end = at + 1;
        } else {
            break;
        }
    }
    let number = text.get(..end).filter(|number| !number.is_empty())?;
    let tidy: Vec<&str> = number
        .split('.')
        .map(|part| {
            let part = part.trim_start_matches('0');
            if part.is_empty() { "0" } else { part }
        })
        .collect();
    Some((tidy.join("."), text.get(end..)?))
}

/// Whether the folder `name` below `phases/` is that of `phase`.
pub fn is_phase_folder(name: &str, phase: &str) -> bool {
    leading_number(name).is_some_and(|(number, rest)| {
        number == phase && (rest.is_empty() || rest.starts_with(['-', '_', ' ']))
    })
}

/// The names of the plans in `files` that have no summary yet.
pub fn unfinished(files: &[String]) -> Vec<&str> {
    files
        .iter()
        .map(String::as_str)
        .filter(|file| {
            plan_stem(file).is_some_and(|stem| {
                !files
                    .iter()
                    .any(|other| suffix(other, "summary.md") == Some(stem))
            })
        })
        .collect()
}

fn plan_stem(file: &str) -> Option<&str> {
    suffix(file, "plan.md")
}

/// `file` without `end`, whatever its case.
fn suffix<'a>(file: &'a str, end: &str) -> Option<&'a str> {
    let at = file.len().checked_sub(end.len())?;
    file.get(at..)
        .filter(|tail| tail.eq_ignore_ascii_case(end))
        .and(file.get(..at))
}

/// The `files_modified` of a plan's front matter: inline list or block list.
pub fn files_modified(plan: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut lines = front_matter(plan).lines();
    let Some(rest) = lines.find_map(|line| line.strip_prefix("files_modified:")) else {
        return files;
    };
    let rest = rest.trim();
    let mut add = |value: &str| {
        let value = unquoted(value.split(" #").next().unwrap_or(value));
        let value = value.trim_start_matches("./");
        if !value.is_empty() {
            files.push(value.replace('\\', "/"));
        }
    };
    if let Some(inline) = rest.strip_prefix('[') {
        // The list may go on over several lines.
        let mut text = inline.to_owned();
        while !text.contains(']') {
            let Some(line) = lines.next() else { break };
            text.push(' ');
            text.push_str(line);
        }
        for value in text.split(']').next().unwrap_or("").split(',') {
            add(value);
        }
    } else if rest.is_empty() || rest.starts_with('#') {
        for line in lines {
            match line.trim_start().strip_prefix('-') {
                Some(value) => add(value),
                None if line.trim().is_empty() || line.trim_start().starts_with('#') => {}
                None => break,
            }
        }
    } else {
        add(rest);
    }
    files
}

/// Whether a declared file, which may hold `*`, `**` or end with a slash, covers `path`.
pub fn declares(declared: &str, path: &str) -> bool {
    if let Some(folder) = declared.strip_suffix('/') {
        return place::below(path, folder).is_some();
    }
    // Two places to go back to: after the last `*`, which stays in a folder, and
    // after the last `**`, which does not.
    let (pattern, text) = (declared.as_bytes(), path.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut shallow: Option<(usize, usize)> = None;
    let mut deep: Option<(usize, usize)> = None;
    while let Some(&byte) = text.get(t) {
        match pattern.get(p) {
            Some(b'*') if pattern.get(p + 1) == Some(&b'*') => {
                p += if pattern.get(p + 2) == Some(&b'/') {
                    3
                } else {
                    2
                };
                (deep, shallow) = (Some((p, t)), None);
            }
            Some(b'*') => {
                p += 1;
                shallow = Some((p, t));
            }
            Some(&wanted) if wanted == byte => {
                p += 1;
                t += 1;
            }
            _ => match (shallow, deep) {
                (Some((after, from)), _) if text.get(from) != Some(&b'/') => {
                    shallow = Some((after, from + 1));
                    (p, t) = (after, from + 1);
                }
                (_, Some((after, from))) => {
                    (deep, shallow) = (Some((after, from + 1)), None);
                    (p, t) = (after, from + 1);
                }
                _ => return false,
            },
        }
    }
    pattern
        .get(p..)
        .is_none_or(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_named_by_folder_then_track() {
        for (folder, track, want) in [
            (None, None, ".planning"),
            (Some("docs\\plan"), Some("t"), "docs/plan"),
            (Some("/abs"), None, ".planning"),
            (Some("C:plan"), None, ".planning"),
            (Some("a/../b"), Some("mobile"), ".planning/tracks/mobile"),
            (None, Some("../x"), ".planning"),
            (None, Some(".x"), ".planning"),
            (Some("./"), None, ".planning"),
        ] {
            assert_eq!(tree_name(folder, track), want);
        }
    }

    #[test]
    fn the_mode_is_read_with_comments_and_a_mark() {
        assert_eq!(
            mode("{\"hooks\":{\"guard\":\"enforce\"}}"),
            Some(Mode::Enforce)
        );
        assert_eq!(
            mode("\u{feff}{// x\n\"hooks\":{\"guard\":\"off\",},}"),
            Some(Mode::Off)
        );
        assert_eq!(mode("{\"hooks\":{\"guard\":true}}"), None);
        assert_eq!(mode("nonsense"), None);
    }

    #[test]
    fn the_front_matter_wins_and_null_does_not() {
        let body = "# State\n\n**Current Phase:** 07 of 12\n";
        assert_eq!(current_phase(body).as_deref(), Some("7"));
        assert_eq!(
            current_phase(&format!("---\ncurrent_phase: \"03.1\"\n---\n{body}")).as_deref(),
            Some("3.1")
        );
        assert_eq!(
            current_phase(&format!("---\ncurrent_phase: null\n---\n{body}")).as_deref(),
            Some("7")
        );
        assert_eq!(current_phase("**Current Phase:** [X]\n"), None);
        assert_eq!(current_phase(""), None);
    }

    #[test]
    fn plans_without_a_summary_are_unfinished() {
        let files: Vec<String> = [
            "07-01-plan.md",
            "07-01-summary.md",
            "07-02-PLAN.md",
            "notes.md",
        ]
        .map(String::from)
        .to_vec();
        assert_eq!(unfinished(&files), ["07-02-PLAN.md"]);
        assert!(is_phase_folder("07-name", "7"));
        assert!(is_phase_folder("03.1-x", "3.1"));
        assert!(!is_phase_folder("071-name", "7"));
        assert!(!is_phase_folder("07.1-name", "7"));
    }

    #[test]
    fn both_list_forms_are_read() {
        let inline = "---\nphase: 7\nfiles_modified: [src/a.rs, \"tests/b.rs\",\n  ./c]\n---\n";
        assert_eq!(files_modified(inline), ["src/a.rs", "tests/b.rs", "c"]);
        let block = "---\r\nfiles_modified:\r\n  - src/a.rs\r\n  # why\r\n  - 'tests/b.rs' # x\r\nnext: 1\r\n---\r\n";
        assert_eq!(files_modified(block), ["src/a.rs", "tests/b.rs"]);
        assert!(files_modified("files_modified: [a]").is_empty());
    }

    #[test]
    fn declared_patterns_cover_files() {
        for (declared, path, want) in [
            ("tests/a.rs", "tests/a.rs", true),
            ("tests/", "tests/x/a.rs", true),
            ("tests/*.rs", "tests/a.rs", true),
            ("tests/*.rs", "tests/x/a.rs", false),
            ("tests/**", "tests/x/a.rs", true),
            ("**/*.test.ts", "a/b/c.test.ts", true),
            ("**/*.test.ts", "c.test.ts", true),
            ("tests/a.rs", "tests/a.rsx", false),
        ] {
            assert_eq!(declares(declared, path), want, "{declared} {path}");
        }
    }
}
