//! A TOML text as its host reads it: the same tree that JSON gives, so that entries
//! are found and checked in one way, and beside it where each statement stands.
//!
//! `toml_edit` parses and says where everything is. It never prints: every change
//! is a splice of the original text.

mod change;
mod text;

use std::ops::Range;

use toml_edit::{Array, InlineTable, Item, Table, Value};

pub use change::splices;

use super::document::{Document, Grammar, Kind, Member, Node};
use super::style::slice;
use crate::error::{Error, Place};

const BOM: char = '\u{feff}';

/// A parsed TOML text.
#[derive(Debug, Clone)]
pub struct Toml<'a> {
    document: Document<'a>,
    parsed: toml_edit::Document<&'a str>,
    /// Every header and every assignment, in the order of the text: from its first
    /// byte to its last, indent, comment and line end not included.
    statements: Vec<Range<usize>>,
}

impl<'a> Toml<'a> {
    /// Reads `text`.
    ///
    /// # Errors
    /// It is no TOML, or starts with a byte order mark where the host takes none.
    pub fn parse(text: &'a str, grammar: &Grammar) -> Result<Self, Error> {
        if text.starts_with(BOM) && !grammar.bom {
            return Err(Error::new(
                "starts with a byte order mark; whether this host accepts one in TOML is not known",
            )
            .at(Place { line: 1, column: 1 })
            .remedy("save it as UTF-8 without a byte order mark"));
        }
        let parsed = toml_edit::Document::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Error::new(format!(
                "is not valid TOML: {}",
                first_line(error.message())
            ))
            .at(Place::of(text, at))
            .remedy("mend the file there: the host does not start with it either")
        })?;
        let mut statements = Vec::new();
        statements_of(text, parsed.as_table(), &mut statements);
        statements.sort_by_key(|statement| statement.start);
        let root = Node {
            span: 0..text.len(),
            kind: Kind::Object(table_members(parsed.as_table())),
        };
        Ok(Self {
            document: Document::read(text, grammar, root),
            parsed,
            statements,
        })
    }

    /// What the host reads. The span of a table with a header is that header.
    pub const fn document(&self) -> &Document<'a> {
        &self.document
    }

    fn text(&self) -> &'a str {
        self.document.text()
    }
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// The header of a table, its assignments and all below it.
fn statements_of(text: &str, table: &Table, all: &mut Vec<Range<usize>>) {
    all.extend(header(table));
    for (key, item) in table {
        item_statements(text, table, key, item, all);
    }
}

/// The statements that make `item`, which stands under `key` of `table`.
fn item_statements(text: &str, table: &Table, key: &str, item: &Item, all: &mut Vec<Range<usize>>) {
    match item {
        Item::None => {}
        Item::Value(value) => {
            let key = table.key(key).and_then(toml_edit::Key::span);
            if let (Some(key), Some(value)) = (key, value.span()) {
                all.push(first_of_line(text, key.start)..value.end);
            }
        }
        Item::Table(inner) => statements_of(text, inner, all),
        Item::ArrayOfTables(tables) => {
            for inner in tables {
                statements_of(text, inner, all);
            }
        }
    }
}

/// The bytes of a table's header, if it has one of its own.
fn header(table: &Table) -> Option<Range<usize>> {
    if table.is_implicit() || table.is_dotted() {
        return None;
    }
    table.span().filter(|span| !span.is_empty())
}

/// The first byte on the line of `at` that is no blank. An assignment stands first
/// on its line, whatever lies before a dotted key.
fn first_of_line(text: &str, at: usize) -> usize {
    let start = line_start(text, at);
    let line = slice(text, start..at);
    let line = line.strip_prefix(BOM).unwrap_or(line);
    at - line.trim_start_matches([' ', '\t']).len()
}

fn line_start(text: &str, at: usize) -> usize {
    slice(text, 0..at).rfind('\n').map_or(0, |end| end + 1)
}

/// After the line end that follows `at`; the end of the text if there is none.
fn line_end(text: &str, at: usize) -> usize {
    slice(text, at..text.len())
        .find('\n')
        .map_or(text.len(), |end| at + end + 1)
}

/// The comments of a valid TOML text, in order.
fn comments(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = slice(text, at..text.len());
        if rest.starts_with('#') {
            let length = rest.find('\n').unwrap_or(rest.len());
            all.push(slice(rest, 0..length).trim_end());
            at += length;
        } else {
            at += token(rest);
        }
    }
    all
}

/// The length of the string `rest` begins with, else of its first character.
fn token(rest: &str) -> usize {
    for (quote, escapes) in [("\"\"\"", true), ("'''", false), ("\"", true), ("'", false)] {
        if !rest.starts_with(quote) {
            continue;
        }
        let mut at = quote.len();
        while at < rest.len() {
            let inner = slice(rest, at..rest.len());
            if inner.starts_with(quote) {
                at += quote.len();
                // Up to two quotes may stand before the three that close.
                if quote.len() == 3 {
                    let one = slice(quote, 0..1);
                    let more = slice(rest, at..rest.len());
                    at += [2, 1]
                        .into_iter()
                        .find(|count| more.starts_with(&one.repeat(*count)))
                        .unwrap_or(0);
                }
                return at;
            }
            let mut chars = inner.chars();
            let first = chars.next().map_or(1, char::len_utf8);
            at += first;
            if escapes && inner.starts_with('\\') {
                at += chars.next().map_or(0, char::len_utf8);
            }
        }
        return rest.len();
    }
    rest.chars().next().map_or(1, char::len_utf8)
}

fn table_members(table: &Table) -> Vec<Member> {
    table
        .iter()
        .map(|(key, item)| member(key, table.key(key), item_node(item)))
        .collect()
}

fn member(name: &str, key: Option<&toml_edit::Key>, mut value: Node) -> Member {
    let key_span = key
        .and_then(toml_edit::Key::span)
        .unwrap_or(value.span.clone());
    // A table without a header of its own is where its key is.
    if value.span.is_empty() {
        value.span.clone_from(&key_span);
    }
    Member {
        key: name.to_owned(),
        key_span,
        value,
    }
}

fn item_node(item: &Item) -> Node {
    match item {
        Item::None => Node {
            span: 0..0,
            kind: Kind::Null,
        },
        Item::Value(value) => value_node(value),
        Item::Table(table) => table_node(table),
        Item::ArrayOfTables(tables) => {
            let nodes: Vec<Node> = tables.iter().map(table_node).collect();
            Node {
                span: nodes.first().map_or(0..0, |first| first.span.clone()),
                kind: Kind::Array(nodes),
            }
        }
    }
}

fn table_node(table: &Table) -> Node {
    Node {
        span: header(table).unwrap_or(0..0),
        kind: Kind::Object(table_members(table)),
    }
}

fn value_node(value: &Value) -> Node {
    let kind = match value {
        Value::String(text) => Kind::String(text.value().clone()),
        Value::Integer(number) => Kind::Number(number.value().to_string()),
        Value::Float(number) => Kind::Number(float(*number.value())),
        Value::Boolean(flag) => Kind::Bool(*flag.value()),
        Value::Datetime(time) => Kind::String(time.value().to_string()),
        Value::Array(array) => Kind::Array(array_nodes(array)),
        Value::InlineTable(table) => Kind::Object(inline_members(table)),
    };
    Node {
        span: value.span().unwrap_or(0..0),
        kind,
    }
}

/// A float as text that shows it is one.
fn float(number: f64) -> String {
    format!("{number:?}")
}

fn array_nodes(array: &Array) -> Vec<Node> {
    array.iter().map(value_node).collect()
}

fn inline_members(table: &InlineTable) -> Vec<Member> {
    table
        .iter()
        .map(|(key, value)| member(key, table.key(key), value_node(value)))
        .collect()
}
