//! TOML: every form hooks can be written in, each kept, each back to the byte.

use serde_json::{Value, json};

use super::{Entry, words};
use crate::edit::{
    At, Change, Edited, Found, Grammar, Language, Made, Parsed, Shape, apply, inverse,
};

const OURS: &str = "/bin/sh -c '[ -f \"$HOME/x\" ]' 2>/dev/null || exit 0";

fn grammar() -> Grammar {
    Grammar {
        comments: true,
        trailing_commas: true,
        empty: true,
        ..Grammar::default()
    }
}

fn shape() -> Shape {
    Shape {
        events_at: words(&["hooks"]),
        grouped: true,
        group_key: "hooks".to_owned(),
        matcher_key: "matcher".to_owned(),
        command_keys: words(&["command"]),
        timeout_keys: words(&["timeout"]),
        marker_key: Some("_pan".to_owned()),
        types: words(&["command", "prompt"]),
        strict_events: words(&["Pre", "Stop"]),
        keep_slot: true,
        ..Shape::default()
    }
}

fn entry(event: &str) -> Entry {
    Entry {
        event: event.to_owned(),
        matcher: Some("Bash|apply_patch".to_owned()),
        handler: vec![
            ("type".to_owned(), json!("command")),
            ("command".to_owned(), json!(OURS)),
            ("timeout".to_owned(), json!(10)),
            ("_pan".to_owned(), json!("guard")),
        ],
    }
}

fn parsed(text: &str) -> Parsed<'_> {
    Parsed::parse(Some(text), &grammar(), Language::Toml).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn found(text: &str) -> Vec<Found> {
    parsed(text).found(&shape()).unwrap()
}

fn ours(text: &str) -> Vec<At> {
    found(text)
        .iter()
        .filter(|one| one.command == OURS)
        .map(Found::at)
        .collect()
}

fn edit(text: &str, changes: &[Change], made: &Made) -> Edited {
    parsed(text)
        .splices(&shape(), changes, made)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn remove(text: &str, made: &Made) -> Edited {
    let changes: Vec<Change> = ours(text).into_iter().map(Change::Remove).collect();
    edit(text, &changes, made)
}

/// A text as somebody leaves it.
const SEEDS: [&str; 34] = [
    "",
    "\n",
    "# only a comment",
    "# only a comment\n",
    "model = \"m\"",
    "model = \"m\"\n",
    "model = \"m\"\r\n[a]\r\nb = 1\r\n",
    "model = \"m\"\r\n[a]\r\nb = 1",
    "note = \"\"\"\n[hooks]\n[[hooks.Pre]]\n\"\"\"\n[[x]]\na = 1\n",
    "note = '''\n[[hooks.Pre]]\nhooks = [] # \"\"\"'''\n",
    "[hooks]\n",
    "[hooks]",
    "[hooks]\nPre = []\n",
    "[hooks]\nPre = [ ]",
    "[hooks]\nPre = [\n]\n",
    "[hooks]\nPre = [ # none yet\n]\n",
    "[hooks]\nPre = [{ hooks = [{ type = \"command\", command = \"u1\" }] }]\n",
    "[hooks]\nPre = [{ hooks = [{ type = \"command\", command = \"u1\" }] },] # mine\nStop = []\n",
    "[hooks]\nPre = [\n  { matcher = \"x\", hooks = [{ type = \"command\", command = \"u1\" }] }, # one\n  # two comes\n]\n\n[z]\n",
    "[hooks]\nPre = [\n\t{ hooks = [{ type = \"command\", command = \"u1\" }] } # one, without a comma\n]\n",
    "[hooks]\r\nPre = [\r\n    { hooks = [{ type = \"command\", command = \"u1\" }] }\r\n]\r\n",
    "[hooks]\nStop = [{ hooks = [{ type = \"command\", command = \"u1\" }] }]\n[hooks.state.\"k:pre:0:0\"]\ntrusted_hash = \"h\"\n",
    "hooks.Stop = [{ hooks = [{ type = \"command\", command = \"u1\" }] }]\nmodel = \"m\"\n",
    "  hooks . \"Stop\" = [{ hooks = [{ type = \"command\", command = \"u=.1\" }] }] # c\n",
    "hooks = { Stop = [{ hooks = [{ type = \"command\", command = \"u1\" }] }] }\n",
    "hooks = {}\n",
    "[[hooks.Pre]]\nmatcher = \"Edit\"\n\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = \"u1\"\n",
    "[[hooks.Pre]]\nmatcher = \"Edit\"\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = \"u1\" # mine",
    "[[hooks.Pre]]\nhooks = [{ type = \"command\", command = \"u1\" }]\n[tail]\na = [\n1,\n]\n",
    "  [[hooks.Pre]]\n    matcher = \"Edit\"\n    [[hooks.Pre.hooks]]\n      type = \"command\"\n      command = \"u1\"\n# the end\n",
    "[[ hooks . 'Pre' ]]\n\"hooks\"   =   [ { \"type\"=\"command\" , 'command'='u1' } ]\n\n\n[hooks.state]\n\"/h/hooks.json:stop:0:0\" = { trusted_hash = \"x\" }\n",
    "[[hooks.Stop]]\r\n[[hooks.Stop.hooks]]\r\ntype = \"command\"\r\ncommand = \"u1\"\r\n\r\n[b]\r\nc = 1979-05-27T07:32:00Z\r\n",
    "[[hooks.Pre]]\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = \"\"\"\n[[hooks.Pre]]\n# u1\\\n  \"\"\"\ntimeout = 1_0\n",
    "[[hooks.Pre]]\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = \"u1\"\n[between]\n[[hooks.Pre]]\nhooks = []\n[[hooks.Stop]]\nhooks = []\n[after]\n",
];

#[test]
fn an_entry_goes_in_at_the_end_and_no_byte_of_theirs_goes() {
    for seed in SEEDS {
        for event in ["Pre", "Stop", "Other"] {
            let before = found(seed);
            let groups = parsed(seed).groups(&shape(), event).len();
            let edited = edit(seed, &[Change::Add(entry(event))], &Made::default());
            assert!(
                edited
                    .splices
                    .iter()
                    .all(|splice| splice.removed.is_empty()),
                "{seed}"
            );
            let wanted = At {
                event: event.to_owned(),
                group: groups,
                handler: 0,
            };
            assert_eq!(ours(&edited.text), [wanted], "{}", edited.text);
            let theirs: Vec<(At, String)> = found(&edited.text)
                .into_iter()
                .filter(|one| one.command != OURS)
                .map(|one| (one.at(), one.command))
                .collect();
            let old: Vec<(At, String)> = before
                .into_iter()
                .map(|one| (one.at(), one.command))
                .collect();
            assert_eq!(theirs, old, "{}", edited.text);
            let back = apply(&edited.text, &inverse(&edited.splices)).unwrap();
            assert_eq!(back, seed);
        }
    }
}

#[test]
fn without_a_journal_removal_gives_the_same_text_back() {
    for seed in SEEDS {
        for event in ["Pre", "Stop"] {
            let edited = edit(seed, &[Change::Add(entry(event))], &Made::default());
            let back = remove(&edited.text, &edited.made);
            // White space in an empty container is the journal's to know.
            let plain = |text: &str| text.replace("[ ]", "[]").replace("[\n]", "[]");
            assert_eq!(plain(&back.text), plain(seed), "{}", edited.text);
        }
    }
}

#[test]
fn line_ends_and_indent_are_those_of_the_file() {
    let edited = edit(
        "a = 1\r\n  [[hooks.Pre]]\r\n  hooks = []\r\n",
        &[Change::Add(entry("Pre"))],
        &Made::default(),
    );
    assert!(!edited.text.replace("\r\n", "").contains(['\r', '\n']));
    assert!(
        edited
            .text
            .contains("\r\n\r\n  [[hooks.Pre]]\r\n  matcher = ")
    );
    assert!(edited.text.ends_with("}]\r\n"), "{}", edited.text);
}

#[test]
fn each_form_is_kept() {
    let user = "{ hooks = [{ type = \"command\", command = \"u1\" }] }";
    for (seed, wanted) in [
        (format!("[hooks]\nPre = [{user}]\n"), format!("[hooks]\nPre = [{user}, {{ matcher = ")),
        (format!("[hooks]\nStop = [{user}]\n"), format!("[hooks]\nStop = [{user}]\nPre = [{{ matcher = ")),
        (format!("hooks.Stop = [{user}]\n"), format!("hooks.Stop = [{user}]\nhooks.Pre = [{{ matcher = ")),
        (
            "[[hooks.Pre]]\nhooks = []\n".to_owned(),
            "[[hooks.Pre]]\nhooks = []\n\n[[hooks.Pre]]\nmatcher = \"Bash|apply_patch\"\nhooks = [{ type".to_owned(),
        ),
        (
            "[[hooks.Pre]]\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = \"u\"\n".to_owned(),
            "command = \"u\"\n\n[[hooks.Pre]]\nmatcher = \"Bash|apply_patch\"\n\n[[hooks.Pre.hooks]]\ntype = ".to_owned(),
        ),
    ] {
        let edited = edit(&seed, &[Change::Add(entry("Pre"))], &Made::default());
        assert!(edited.text.contains(&wanted), "{}", edited.text);
    }
}

#[test]
fn a_slot_stays_where_a_group_of_theirs_follows_and_is_used_again() {
    let theirs = [
        (
            "[[hooks.Pre]]\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = \"u1\"\n",
            "\n[[hooks.Pre]]\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = \"u2\"\n",
        ),
        (
            "[hooks]\nPre = [\n  { hooks = [{ type = \"command\", command = \"u1\" }] },\n",
            "  { hooks = [{ type = \"command\", command = \"u2\" }] },\n]\n",
        ),
    ];
    for (first, second) in theirs {
        let inline = first.starts_with("[hooks]");
        let seed = if inline {
            format!("{first}]\n")
        } else {
            first.to_owned()
        };
        let edited = edit(&seed, &[Change::Add(entry("Pre"))], &Made::default());
        let both = if inline {
            format!("{}{second}", edited.text.strip_suffix("]\n").unwrap())
        } else {
            format!("{}{second}", edited.text)
        };
        let removed = remove(&both, &edited.made);
        assert_eq!(removed.slots.len(), 1, "{}", removed.text);
        let place = |text: &str| -> Vec<(usize, String)> {
            found(text)
                .into_iter()
                .map(|one| (one.group, one.command))
                .collect()
        };
        assert_eq!(
            place(&removed.text),
            [(0, "u1".to_owned()), (2, "u2".to_owned())]
        );
        assert_eq!(parsed(&removed.text).empty_groups(&shape(), "Pre"), [1]);
        let reuse = Change::Reuse {
            group: 1,
            entry: entry("Pre"),
        };
        let again = edit(&removed.text, &[reuse], &Made::default());
        assert_eq!(
            place(&again.text),
            [
                (0, "u1".to_owned()),
                (1, OURS.to_owned()),
                (2, "u2".to_owned())
            ]
        );
        assert_eq!(remove(&again.text, &Made::default()).text, removed.text);
    }
}

#[test]
fn comments_inside_ours_stay_and_neighbours_keep_theirs() {
    let text = "[[hooks.Pre]] # why\n# above\nmatcher = \"Bash|apply_patch\" # m\n\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = COMMAND\n# below\n[next]\na = 1\n"
        .replace("COMMAND", &format!("{OURS:?}"));
    let edited = remove(&text, &Made::default());
    assert_eq!(edited.text, "# why\n# above\n# m\n# below\n[next]\na = 1\n");
}

#[test]
fn one_handler_of_a_shared_group_goes_alone() {
    let command = format!("{OURS:?}");
    for (text, wanted) in [
        (
            format!(
                "[[hooks.Pre]]\nhooks = [{{ type = \"command\", command = {command} }}, {{ type = \"command\", command = \"u\" }}]\n"
            ),
            "[[hooks.Pre]]\nhooks = [{ type = \"command\", command = \"u\" }]\n",
        ),
        (
            format!(
                "[[hooks.Pre]]\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = {command}\n\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = \"u\"\n"
            ),
            "[[hooks.Pre]]\n\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = \"u\"\n",
        ),
        (
            format!(
                "[hooks]\nPre = [{{ note = 1, hooks = [{{ type = \"command\", command = {command} }}] }}]\n"
            ),
            "[hooks]\nPre = [{ note = 1, hooks = [] }]\n",
        ),
        (
            format!(
                "[[hooks.Pre]]\nnote = 1\n[[hooks.Pre.hooks]]\ntype = \"command\"\ncommand = {command}\n"
            ),
            "[[hooks.Pre]]\nnote = 1\n",
        ),
    ] {
        assert_eq!(remove(&text, &Made::default()).text, wanted, "{text}");
    }
}

#[test]
fn fields_are_changed_where_they_stand() {
    let command = format!("{OURS:?}");
    for text in [
        format!(
            "[[hooks.Pre]]\nmatcher = \"old\"\n[[hooks.Pre.hooks]]\ntype = \"command\" # t\ncommand = {command}\ntimeout = 7 # seven\nextra = 1\n[z]\n"
        ),
        format!(
            "[hooks]\nPre = [{{ hooks = [{{ extra = 1, type=\"command\", command = {command} }}] }}]\n"
        ),
    ] {
        let change = Change::Replace {
            at: ours(&text)[0].clone(),
            entry: entry("Pre"),
            matcher: true,
        };
        let edited = edit(&text, &[change], &Made::default());
        let now = &found(&edited.text)[0];
        assert_eq!(now.matcher.as_deref(), Some("Bash|apply_patch"));
        let mut fields = now.fields.clone();
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        let mut wanted: Vec<(String, Value)> = entry("Pre").handler;
        wanted.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(fields, wanted, "{}", edited.text);
    }
}

#[test]
fn a_note_of_the_host_on_ours_goes_and_the_others_stay() {
    let key = "/h/.codex/hooks.json:pre_tool_use:1:0";
    let path = words(&["hooks", "state", key]);
    for (text, wanted) in [
        (
            format!(
                "a = 1\n\n[hooks.state.\"{key}\"]\ntrusted_hash = \"x\"\n\n[hooks.state.other]\ntrusted_hash = \"y\"\n"
            ),
            "a = 1\n\n[hooks.state.other]\ntrusted_hash = \"y\"\n",
        ),
        (
            format!(
                "[hooks.state]\n\"{key}\" = {{ trusted_hash = \"x\" }}\nother.trusted_hash = \"y\"\n"
            ),
            "[hooks.state]\nother.trusted_hash = \"y\"\n",
        ),
        (
            format!("[hooks.state]\n\"{key}\".trusted_hash = \"x\"\n\"{key}\".enabled = true\n"),
            "[hooks.state]\n",
        ),
        (
            format!(
                "hooks = {{ state = {{ \"{key}\" = {{ trusted_hash = \"x\" }}, other = {{}} }} }}\n"
            ),
            "hooks = { state = { other = {} } }\n",
        ),
    ] {
        let edited = edit(&text, &[Change::Forget(path.clone())], &Made::default());
        assert_eq!(edited.text, wanted);
    }
}

#[test]
fn what_the_host_would_not_start_with_is_refused_with_its_place() {
    let grammar = grammar();
    for (text, line, what) in [
        ("[a\nb = 1\n", 1, "is not valid TOML"),
        ("a = 1\na = 2\n", 2, "is not valid TOML"),
        ("\u{feff}a = 1\n", 1, "byte order mark"),
    ] {
        let error = Parsed::parse(Some(text), &grammar, Language::Toml).unwrap_err();
        assert!(error.what.contains(what), "{error}");
        assert_eq!(error.place.unwrap().line, line, "{error}");
        assert!(error.remedy.is_some());
    }
    for (text, line) in [
        ("a = 1\n[[hooks]]\nevent = \"SessionStart\"\n", 2),
        ("hooks = 1\n", 1),
        ("[hooks]\nPre = {}\n", 2),
        ("[hooks]\nPre = [{ hooks = [{ command = \"u\" }] }]\n", 2),
        (
            "[hooks]\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"http\"\n",
            4,
        ),
    ] {
        let parsed = parsed(text);
        let error = parsed
            .splices(&shape(), &[Change::Add(entry("Pre"))], &Made::default())
            .unwrap_err();
        assert_eq!(error.place.unwrap().line, line, "{error}");
        assert!(error.remedy.is_some(), "{error}");
    }
}

#[test]
fn a_state_table_is_no_event() {
    let state = "[hooks.state.\"k\"]\ntrusted_hash = \"x\"\n";
    assert!(!parsed(state).has_events(&shape()));
    assert!(!parsed("[hooks]\n").has_events(&shape()));
    assert!(parsed("[hooks]\nStop = []\n").has_events(&shape()));
    assert!(parsed("[[hooks.Stop]]\n").has_events(&shape()));
}
