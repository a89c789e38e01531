//! Files that people and programs changed between our two runs: what is theirs
//! keeps its bytes, and only ours goes.

use serde_json::{Value, json};

use crate::reprint::{Printing, SCRIPT, SNAKE, reprint};
use crate::sandbox::Sandbox;
use crate::seeds::{Seed, seeds};
use crate::table::{Unit, count_ours, hosts, parse, units};

/// Installs into `seed`, lets `edit` change the text, uninstalls, and hands back
/// the text; `None` when the file is gone.
fn around(unit: Unit, seed: &str, edit: impl Fn(&str) -> String) -> Option<String> {
    let sandbox = Sandbox::new();
    let file = unit.file(&sandbox);
    sandbox.write(&file, seed);
    sandbox.done(&unit.args("install", &[]));
    let installed = std::fs::read_to_string(&file).unwrap();
    sandbox.write(&file, edit(&installed));
    let run = sandbox.done(&unit.args("uninstall", &[]));
    assert_eq!(
        sandbox.leftovers(),
        Vec::<std::path::PathBuf>::new(),
        "{}: {run}",
        unit.name()
    );
    let after = std::fs::read_to_string(&file).ok()?;
    assert_eq!(count_ours(&after, unit), 0, "{}: {after}", unit.name());
    Some(after)
}

/// Each host with each of its seeds, the scopes taking turns: to the editor a file
/// is the same in all of them.
fn each(check: impl Fn(Unit, &Seed)) {
    for host in hosts() {
        let units: Vec<Unit> = units()
            .into_iter()
            .filter(|u| u.host.id == host.id)
            .collect();
        for (turn, seed) in seeds(units[0]).iter().enumerate() {
            check(units[turn % units.len()], seed);
        }
    }
}

/// Where the group of ours begins and ends in a text of this version.
fn our_group(text: &str, unit: Unit) -> std::ops::Range<usize> {
    let matcher = json!(unit.registration().matcher).to_string();
    let at = text.find(&matcher).unwrap();
    let start = text[..at].rfind('{').unwrap();
    let marker = text[at..].find("\"_pan\"").unwrap() + at;
    let mut end = marker;
    for closing in ['}', ']', '}'] {
        end += text[end..].find(closing).unwrap() + 1;
    }
    start..end
}

/// The seed with `group` appended to the event, as content.
fn with_group(seed: &str, unit: Unit, group: Value) -> Value {
    let mut value = parse(seed);
    if value.is_null() {
        value = json!({});
    }
    let hooks = value
        .as_object_mut()
        .unwrap()
        .entry("hooks")
        .or_insert_with(|| json!({}));
    let event = hooks
        .as_object_mut()
        .unwrap()
        .entry(unit.event())
        .or_insert_with(|| json!([]));
    event.as_array_mut().unwrap().push(group);
    value
}

/// The comments of a text.
fn comments(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    let mut in_string = false;
    while let Some(c) = rest.chars().next() {
        if in_string && c == '\\' {
            let skipped: usize = rest.chars().take(2).map(char::len_utf8).sum();
            rest = &rest[skipped..];
            continue;
        }
        if c == '"' {
            in_string = !in_string;
        }
        let end = if in_string {
            None
        } else if rest.starts_with("//") {
            Some(rest.find(['\n', '\r']).unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            Some(rest.find("*/").unwrap() + 2)
        } else {
            None
        };
        match end {
            Some(end) => {
                all.push(rest[..end].to_owned());
                rest = &rest[end..];
            }
            None => rest = &rest[c.len_utf8()..],
        }
    }
    all
}

#[test]
fn a_changed_value_elsewhere_stays_and_all_else_comes_back_to_the_byte() {
    let edits = [
        ("\"a\": 1", "\"a\": [42, \"new\"]"),
        ("\"a\":1", "\"a\":\"\\u0041\""),
        ("\"u1\"", "\"u1 --verbose\""),
        ("\"z\"", "\"renamed\""),
        ("\"last\": true", "\"last\": {\"b\": 1.0}"),
    ];
    let mut tried = 0;
    for unit in units() {
        for seed in seeds(unit) {
            for (from, to) in edits {
                let follows = seed
                    .text
                    .split_once(from)
                    .map(|(_, rest)| rest.chars().next());
                if follows.is_none_or(|next| next.is_some_and(|c| c.is_ascii_digit())) {
                    continue;
                }
                let after = around(unit, &seed.text, |text| text.replacen(from, to, 1));
                let wanted = seed.text.replacen(from, to, 1);
                assert_eq!(after, Some(wanted), "{}, {}", unit.name(), seed.name);
                tried += 1;
            }
        }
    }
    assert!(tried > 40, "{tried}");
}

#[test]
fn a_key_put_before_ours_stays() {
    each(|unit, seed| {
        let Some(brace) = seed.text.find('{') else {
            return;
        };
        let has_members = parse(&seed.text)
            .as_object()
            .is_some_and(|members| !members.is_empty());
        let add = |text: &str| {
            // The first brace of the text may stand in a comment.
            let at = brace_of_root(text);
            let comma = if parse(text).as_object().unwrap().is_empty() {
                ""
            } else {
                ","
            };
            format!("{}\"mine\": [1.50]{comma}{}", &text[..=at], &text[at + 1..])
        };
        let after = around(unit, &seed.text, add).unwrap();
        let wanted = add(&seed.text);
        assert_eq!(
            parse(&after),
            parse(&wanted),
            "{}, {}: {after}",
            unit.name(),
            seed.name
        );
        assert_eq!(comments(&after), comments(&seed.text), "{}", seed.name);
        if has_members {
            assert_eq!(after, wanted, "{}, {} {brace}", unit.name(), seed.name);
        }
    });
}

fn brace_of_root(text: &str) -> usize {
    let blanked: String = {
        let mut out = text.to_owned();
        for comment in comments(text) {
            let at = out.find(&comment).unwrap();
            out.replace_range(at..at + comment.len(), &" ".repeat(comment.len()));
        }
        out
    };
    blanked.find('{').unwrap()
}

#[test]
fn a_hook_of_theirs_after_ours_stays() {
    let group = json!({"hooks": [{"type": "command", "command": "later"}]});
    each(|unit, seed| {
        let after = around(unit, &seed.text, |text| {
            let ours = our_group(text, unit);
            format!("{}, {group}{}", &text[..ours.end], &text[ours.end..])
        })
        .unwrap();
        let wanted = with_group(&seed.text, unit, group.clone());
        let name = format!("{}, {}", unit.name(), seed.name);
        assert_eq!(parse(&after), wanted, "{name}: {after}");
        assert!(after.contains(&group.to_string()), "{name}: {after}");
        assert_eq!(comments(&after), comments(&seed.text), "{name}");
    });
}

#[test]
fn a_hook_of_theirs_before_ours_stays() {
    let group = json!({"hooks": [{"type": "command", "command": "earlier"}]});
    each(|unit, seed| {
        let after = around(unit, &seed.text, |text| {
            let ours = our_group(text, unit);
            format!("{}{group}, {}", &text[..ours.start], &text[ours.start..])
        })
        .unwrap();
        let wanted = with_group(&seed.text, unit, group.clone());
        let name = format!("{}, {}", unit.name(), seed.name);
        assert_eq!(parse(&after), wanted, "{name}: {after}");
        assert!(after.contains(&group.to_string()), "{name}: {after}");
        assert_eq!(comments(&after), comments(&seed.text), "{name}");
    });
}

#[test]
fn ours_moved_into_a_group_of_theirs_goes_and_the_group_stays() {
    for unit in units() {
        for ours_first in [false, true] {
            let ours = unit.handler().to_string();
            let theirs = r#"{"type": "command", "command": "u1"}"#;
            let pair = if ours_first {
                format!("{ours}, {theirs}")
            } else {
                format!("{theirs}, {ours}")
            };
            let text = |handlers: &str| {
                format!(
                    "{{\n  \"hooks\": {{\n    \"{}\": [{{\"matcher\": \"Bash\", \"hooks\": [{handlers}]}}]\n  }}\n}}\n",
                    unit.event()
                )
            };
            let after = around(unit, "{\n  \"a\": 1\n}\n", |_| text(&pair)).unwrap();
            assert_eq!(after, text(theirs), "{}", unit.name());
        }
    }
}

#[test]
fn a_whole_file_printed_anew_has_its_content_and_nothing_of_ours() {
    let one_line = Printing {
        indent: "",
        ascii: false,
        final_newline: true,
    };
    each(|unit, seed| {
        // The hosts' own printing over every seed, the others taking turns.
        let other = if seed.text.len() % 2 == 0 {
            SNAKE
        } else {
            one_line
        };
        for how in [SCRIPT, other] {
            let after = around(unit, &seed.text, |text| {
                let printed = reprint(text, how);
                if how.indent.is_empty() {
                    printed.replace('\n', " ")
                } else {
                    printed
                }
            });
            let name = format!("{}, {}, {how:?}", unit.name(), seed.name);
            let after = after.unwrap_or_else(|| panic!("{name}: the file is gone"));
            // An empty file counts as {}.
            let value = |text: &str| match parse(text) {
                Value::Null => json!({}),
                value => value,
            };
            assert_eq!(value(&after), value(&seed.text), "{name}: {after}");
        }
    });
}

#[test]
fn a_file_we_made_goes_also_when_the_host_printed_it_anew() {
    for unit in units() {
        for how in [SCRIPT, SNAKE] {
            let sandbox = Sandbox::new();
            let before = sandbox.tree();
            sandbox.done(&unit.args("install", &[]));
            let file = unit.file(&sandbox);
            let text = std::fs::read_to_string(&file).unwrap();
            sandbox.write(&file, reprint(&text, how));
            sandbox.done(&unit.args("uninstall", &[]));
            let difference = sandbox.tree().differs(&before);
            assert!(difference.is_empty(), "{}: {difference}", unit.name());
        }
    }
}

#[test]
fn a_file_we_made_stays_when_something_else_was_put_in() {
    for unit in units() {
        let sandbox = Sandbox::new();
        sandbox.done(&unit.args("install", &[]));
        let file = unit.file(&sandbox);
        let text = std::fs::read_to_string(&file).unwrap();
        sandbox.write(&file, text.replacen('{', "{\n  \"theirs\": true,", 1));
        sandbox.done(&unit.args("uninstall", &[]));
        let left = std::fs::read_to_string(&file).unwrap();
        assert_eq!(parse(&left), json!({"theirs": true}), "{left}");
        assert_eq!(sandbox.leftovers(), Vec::<std::path::PathBuf>::new());
    }
}

/// The content without containers that are empty.
fn without_empties(text: &str, unit: Unit) -> Value {
    let mut value = parse(text);
    if value.is_null() {
        value = json!({});
    }
    let root = value.as_object_mut().unwrap();
    if let Some(hooks) = root.get_mut("hooks").and_then(Value::as_object_mut) {
        if hooks.get(unit.event()) == Some(&json!([])) {
            hooks.remove(unit.event());
        }
        if hooks.is_empty() {
            root.remove("hooks");
        }
    }
    value
}

#[test]
fn without_our_state_folder_ours_goes_and_nothing_of_theirs() {
    each(|unit, seed| {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, &seed.text);
        sandbox.done(&unit.args("install", &[]));
        std::fs::remove_dir_all(sandbox.state()).unwrap();
        sandbox.done(&unit.args("uninstall", &[]));
        let name = format!("{}, {}", unit.name(), seed.name);
        let after = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(count_ours(&after, unit), 0, "{name}: {after}");
        assert_eq!(
            without_empties(&after, unit),
            without_empties(&seed.text, unit),
            "{name}: {after}"
        );
        assert_eq!(comments(&after), comments(&seed.text), "{name}");
        // And a second round from there is exact again.
        sandbox.done(&unit.args("install", &[]));
        sandbox.done(&unit.args("uninstall", &[]));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), after, "{name}");
    });
}

#[test]
fn an_entry_the_user_took_out_is_put_back_by_install_and_missed_by_nobody_else() {
    each(|unit, seed| {
        let sandbox = Sandbox::new();
        let file = unit.file(&sandbox);
        sandbox.write(&file, &seed.text);
        sandbox.done(&unit.args("install", &[]));
        // The user goes back to the old text by hand.
        sandbox.write(&file, &seed.text);
        let name = format!("{}, {}", unit.name(), seed.name);
        sandbox.done(&unit.args("install", &[]));
        let again = std::fs::read_to_string(&file).unwrap();
        assert_eq!(count_ours(&again, unit), 1, "{name}: {again}");
        sandbox.done(&unit.args("uninstall", &[]));
        let after = std::fs::read_to_string(&file).unwrap();
        assert_eq!(after, seed.text, "{name}");
        assert_eq!(sandbox.leftovers(), Vec::<std::path::PathBuf>::new());
    });
}
