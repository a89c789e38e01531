//! Tests of the editor: the laws over a matrix of layouts and over generated
//! documents, the look of what is written, and every refusal with its place.

mod changed;
mod laws;
mod look;
mod refusals;
mod toml;

use serde_json::{Value, json};

use super::{
    At, Change, Document, Edited, Entry, Found, Grammar, Made, Shape, apply, found, inverse,
    splices,
};

/// The command all entries of these tests are recognised by.
const OURS: &str = "ours guard";

fn strict() -> Grammar {
    Grammar {
        empty: true,
        empty_object: true,
        bom: true,
        ..Grammar::default()
    }
}

fn commented() -> Grammar {
    Grammar {
        comments: true,
        empty_object: true,
        ..Grammar::default()
    }
}

fn loose() -> Grammar {
    Grammar {
        comments: true,
        trailing_commas: true,
        bom: true,
        empty: true,
        empty_object: true,
    }
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

fn grouped() -> Shape {
    Shape {
        events_at: words(&["hooks"]),
        grouped: true,
        group_key: "hooks".to_owned(),
        matcher_key: "matcher".to_owned(),
        command_keys: words(&["command"]),
        timeout_keys: words(&["timeout"]),
        marker_key: Some("_pan".to_owned()),
        types: words(&["command", "prompt", "agent", "http", "mcp_tool"]),
        strict_events: words(&["PreToolUse", "PermissionRequest"]),
        ..Shape::default()
    }
}

fn flat() -> Shape {
    Shape {
        grouped: false,
        command_keys: words(&["bash", "command", "powershell"]),
        timeout_keys: words(&["timeoutSec", "timeout"]),
        root: vec![("version".to_owned(), json!(1))],
        strict_events: Vec::new(),
        types: Vec::new(),
        ..grouped()
    }
}

fn entry(event: &str, matcher: Option<&str>) -> Entry {
    Entry {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        handler: vec![
            ("type".to_owned(), json!("command")),
            ("command".to_owned(), json!(OURS)),
            ("timeout".to_owned(), json!(10)),
            ("_pan".to_owned(), json!("guard")),
        ],
    }
}

fn adds(entries: &[Entry]) -> Vec<Change> {
    entries.iter().cloned().map(Change::Add).collect()
}

fn ours(found: &Found) -> bool {
    found.command == OURS
}

fn document<'t>(text: &'t str, grammar: &Grammar) -> Document<'t> {
    match Document::parse(text, grammar) {
        Ok(doc) => doc,
        Err(error) => panic!("{error} in {text:?}"),
    }
}

fn edited(text: &str, grammar: &Grammar, shape: &Shape, changes: &[Change], made: &Made) -> Edited {
    let doc = if text.is_empty() && !grammar.empty {
        Document::absent(grammar)
    } else {
        document(text, grammar)
    };
    match splices(&doc, shape, changes, made) {
        Ok(edited) => edited,
        Err(error) => panic!("{error} for {changes:?} in {text:?}"),
    }
}

/// Takes out what [`ours`] knows, the way a caller without a journal does.
fn removals(text: &str, grammar: &Grammar, shape: &Shape) -> Vec<Change> {
    let all = found(&document(text, grammar), shape).unwrap();
    let ours = all.iter().filter(|found| ours(found));
    ours.map(|found| Change::Remove(found.at())).collect()
}

fn removed(text: &str, grammar: &Grammar, shape: &Shape, made: &Made) -> Edited {
    edited(text, grammar, shape, &removals(text, grammar, shape), made)
}

/// The value of a text, with comments and trailing commas set aside.
fn value(text: &str, grammar: &Grammar) -> Value {
    document(text, grammar)
        .root()
        .map_or(Value::Null, super::Node::value)
}

/// All but the white space and commas, in order: what nobody may lose.
fn foreign(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != ',')
        .collect()
}
