//! A JSON or JSONC text, read by the grammar its host really accepts.
//!
//! Two parsers have to agree before a text is believed: `serde_json` says what
//! `JSON.parse` would say, `jsonc-parser` gives the tree with its byte ranges.
//! Both read the same copy, in which everything the host's own reader drops
//! first (comments, an allowed trailing comma, the byte order mark) is blanked
//! to the same length, so that offsets stay true.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::style::Style;
use crate::error::{Error, Place};

const BOM: char = '\u{feff}';

/// What a host really accepts in a file, from the host table.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one line of the host table"
)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grammar {
    /// `//` and `/* */` comments.
    pub comments: bool,
    /// A comma after the last child.
    pub trailing_commas: bool,
    /// A byte order mark.
    pub bom: bool,
    /// An empty or blank file, read as `{}`.
    pub empty: bool,
    /// `{}` and nothing else. The editor leaves such a file as it is either
    /// way; it is for those who judge or delete files.
    pub empty_object: bool,
}

/// The text of a file, or why it is none: not UTF-8, with the place.
pub fn decode(bytes: &[u8]) -> Result<&str, Error> {
    let failure = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(failure) => failure,
    };
    let good = bytes.get(..failure.valid_up_to()).unwrap_or_default();
    let place = Place::of(
        std::str::from_utf8(good).unwrap_or_default(),
        failure.valid_up_to(),
    );
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    Err(if utf16 {
        Error::new("is UTF-16, which pan-hooks does not edit")
            .at(Place { line: 1, column: 1 })
            .remedy("save it as UTF-8")
    } else {
        Error::new("is not UTF-8 text")
            .at(place)
            .remedy("save it as UTF-8")
    })
}

/// A value in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its bytes in the whole text.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// The kinds of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string, decoded. A lone surrogate reads as U+FFFD.
    String(String),
    /// An array.
    Array(Vec<Node>),
    /// An object, members in the order written, the same key perhaps twice.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its key, decoded.
    pub key: String,
    /// The bytes of the key, quotes included.
    pub key_span: Range<usize>,
    /// Its value.
    pub value: Node,
}

impl Member {
    /// From the key to the end of the value.
    pub const fn span(&self) -> Range<usize> {
        self.key_span.start..self.value.span.end
    }
}

impl Node {
    /// The string, decoded.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn elements(&self) -> Option<&[Self]> {
        match &self.kind {
            Kind::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The value of `key`: of the last one, as hosts read a key written twice.
    pub fn member(&self, key: &str) -> Option<&Self> {
        let found = self.members()?.iter().rev().find(|m| m.key == key)?;
        Some(&found.value)
    }

    /// The name of its kind in a sentence.
    pub const fn kind_name(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::String(_) => "a string",
            Kind::Array(_) => "an array",
            Kind::Object(_) => "an object",
        }
    }

    /// The value it holds. A number no double can hold (`1e999`) reads as null.
    pub fn value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            Kind::String(text) => Value::String(text.clone()),
            Kind::Array(elements) => Value::Array(elements.iter().map(Self::value).collect()),
            Kind::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|member| (member.key.clone(), member.value.value()))
                    .collect(),
            ),
        }
    }

    /// Bytes of the children, keys included, in order.
    pub(super) fn child_spans(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Array(elements) => elements.iter().map(|e| e.span.clone()).collect(),
            Kind::Object(members) => members.iter().map(Member::span).collect(),
            _ => Vec::new(),
        }
    }
}

/// A comment in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment {
    /// Its bytes; the line ending after a `//` comment is not part of it.
    pub(super) span: Range<usize>,
    /// Whether it is a `//` comment, which only a line ending closes.
    pub(super) line: bool,
}

/// What the host hands to its JSON parser, and what it dropped before.
#[derive(Debug, Clone, Default)]
struct Plain {
    /// As long as the text: what was dropped is blank.
    text: String,
    /// In the order of the text.
    comments: Vec<Comment>,
    /// The bytes of allowed trailing commas, ascending.
    trailing: Vec<usize>,
}

/// A parsed JSON or JSONC text.
///
/// The byte order mark and the line endings are kept; offsets are bytes in the
/// whole text, byte order mark included.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    text: &'a str,
    grammar: Grammar,
    plain: Plain,
    root: Option<Node>,
    style: Style,
}

impl<'a> Document<'a> {
    /// Reads `text` as the host would, and refuses what the host would refuse.
    ///
    /// Errors say where, why, and what mends it: a comment, trailing comma, byte
    /// order mark or empty file where the host has none, and everything that
    /// `JSON.parse` rejects. A text nested deeper than 256 levels is refused too.
    pub fn parse(text: &'a str, grammar: &Grammar) -> Result<Self, Error> {
        if text.starts_with(BOM) && !grammar.bom {
            return Err(Error::new(
                "starts with a byte order mark, which this host does not accept",
            )
            .at(Place { line: 1, column: 1 })
            .remedy("save it as UTF-8 without a byte order mark"));
        }
        let plain = Plain::of(text, grammar)?;
        if is_blank(&plain.text) {
            if !grammar.empty {
                return Err(Error::new("is empty, which this host does not accept")
                    .at(Place { line: 1, column: 1 })
                    .remedy("write {} into it, or delete it"));
            }
            return Ok(Self::of(text, grammar, plain, None));
        }
        strict(text, &plain.text)?;
        let parsed = parse_to_ast(&plain.text, &CollectOptions::default(), &STRICT)
            .map_err(|error| refused(text, error.range().start, &error.kind().to_string()))?;
        let root = parsed.value.map(node);
        Ok(Self::of(text, grammar, plain, root))
    }

    /// A file that does not exist yet, for any grammar.
    pub fn absent(grammar: &Grammar) -> Document<'static> {
        Document::of("", grammar, Plain::default(), None)
    }

    /// A text of another language, read elsewhere. Its comments are not known here.
    pub(super) fn read(text: &'a str, grammar: &Grammar, root: Node) -> Self {
        Self {
            style: Style::of(text, text, None),
            text,
            grammar: grammar.clone(),
            plain: Plain::default(),
            root: Some(root),
        }
    }

    fn of(text: &'a str, grammar: &Grammar, plain: Plain, root: Option<Node>) -> Self {
        let style = Style::of(text, &plain.text, root.as_ref());
        Self {
            text,
            grammar: grammar.clone(),
            plain,
            root,
            style,
        }
    }

    /// The text itself.
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// The grammar it was read by.
    pub const fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// How it is written.
    pub const fn style(&self) -> &Style {
        &self.style
    }

    /// The whole value; none in an empty or absent file.
    pub const fn root(&self) -> Option<&Node> {
        self.root.as_ref()
    }

    /// The place of byte `at`, as editors count it: a byte order mark is none.
    pub fn place(&self, at: usize) -> Place {
        place(self.text, at)
    }

    /// The value at `path`, from the root through objects.
    ///
    /// Errors on a key that stands twice anywhere along the path (hosts use the
    /// last, pan-hooks does not guess which one was meant) and on a value in the
    /// way that is not an object.
    pub fn get(&self, path: &[&str]) -> Result<Option<&Node>, Error> {
        let Some(mut node) = self.root() else {
            return Ok(None);
        };
        let mut way = String::new();
        for key in path {
            let Some(members) = node.members() else {
                let what = if way.is_empty() {
                    "the file".to_owned()
                } else {
                    format!("`{way}`")
                };
                return Err(Error::new(format!(
                    "{what} holds {}, not an object",
                    node.kind_name()
                ))
                .at(self.place(node.span.start))
                .remedy("make it an object, {}, or take it out"));
            };
            if !way.is_empty() {
                way.push('.');
            }
            way.push_str(key);
            let mut found = members.iter().filter(|member| member.key == *key);
            let (first, second) = (found.next(), found.next());
            if let Some(second) = second {
                return Err(Error::new(format!(
                    "`{way}` stands here a second time; the host uses the last, pan-hooks will not guess"
                ))
                .at(self.place(second.key_span.start))
                .remedy("merge the two into one"));
            }
            match first {
                Some(member) => node = &member.value,
                None => return Ok(None),
            }
        }
        Ok(Some(node))
    }

    /// The text with everything blanked that is not JSON, offsets unchanged.
    pub(super) fn plain(&self) -> &str {
        &self.plain.text
    }

    /// The allowed comma after the last child of a container, within `span`.
    pub(super) fn trailing_comma(&self, span: &Range<usize>) -> Option<usize> {
        let first = self
            .plain
            .trailing
            .partition_point(|comma| *comma < span.start);
        let comma = self.plain.trailing.get(first).copied()?;
        span.contains(&comma).then_some(comma)
    }

    /// The comments whose bytes lie within `span`.
    pub(super) fn comments_in(&self, span: &Range<usize>) -> &[Comment] {
        let comments = &self.plain.comments;
        let from = comments.partition_point(|comment| comment.span.start < span.start);
        let to = comments.partition_point(|comment| comment.span.start < span.end);
        comments.get(from..to).unwrap_or_default()
    }
}

/// The place of byte `at`, not counting a byte order mark as a column.
pub(super) fn place(text: &str, at: usize) -> Place {
    text.strip_prefix(BOM).map_or_else(
        || Place::of(text, at),
        |rest| Place::of(rest, at.saturating_sub(BOM.len_utf8())),
    )
}

const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

fn refused(text: &str, at: usize, why: &str) -> Error {
    Error::new(format!("is not valid JSON: {why}"))
        .at(place(text, at))
        .remedy("mend the file there")
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_blank(plain: &str) -> bool {
    plain.bytes().all(is_space)
}

impl Plain {
    /// What the host hands to its JSON parser, in the same length: comments, allowed
    /// trailing commas and the byte order mark are spaces. A surrogate escape without
    /// its other half, which JavaScript reads and Rust cannot hold, is `\ufffd`.
    fn of(text: &str, grammar: &Grammar) -> Result<Self, Error> {
        let bytes = text.as_bytes();
        let mut copy = bytes.to_vec();
        let mut plain = Self::default();
        let mut comma = None;
        let mut at = 0;
        if text.starts_with(BOM) {
            at = BOM.len_utf8();
            blank(&mut copy, 0..at);
        }
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    comma = None;
                    at = string_end(text, at, &mut copy)?;
                }
                b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                    if !grammar.comments {
                        return Err(Error::new("is a comment, which this host does not accept")
                            .at(place(text, at))
                            .remedy(
                                "take the comment out: this host ignores the file because of it",
                            ));
                    }
                    let comment = comment(text, at)?;
                    at = comment.span.end;
                    blank(&mut copy, comment.span.clone());
                    plain.comments.push(comment);
                }
                b',' => {
                    comma = Some(at);
                    at += 1;
                }
                b'}' | b']' => {
                    if let Some(comma) = comma.take()
                        && follows_value(&copy, comma)
                    {
                        if !grammar.trailing_commas {
                            return Err(Error::new(
                                "a comma follows the last value, which this host does not accept",
                            )
                            .at(place(text, comma))
                            .remedy(
                                "take that comma out: this host ignores the file because of it",
                            ));
                        }
                        blank(&mut copy, comma..comma + 1);
                        plain.trailing.push(comma);
                    }
                    at += 1;
                }
                byte => {
                    if !is_space(*byte) {
                        comma = None;
                    }
                    at += 1;
                }
            }
        }
        // Whole characters were replaced, so this cannot fail.
        plain.text = String::from_utf8(copy).map_err(|_| Error::new("could not be read"))?;
        Ok(plain)
    }
}

/// Whether the comma at `comma` comes after a value, not after `[`, `{`, `,` or `:`.
fn follows_value(plain: &[u8], comma: usize) -> bool {
    let before = plain.get(..comma).unwrap_or_default();
    before
        .iter()
        .rev()
        .find(|byte| !is_space(**byte))
        .is_some_and(|byte| !matches!(byte, b'[' | b'{' | b',' | b':'))
}

fn blank(plain: &mut [u8], span: Range<usize>) {
    for byte in plain.get_mut(span).unwrap_or_default() {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

/// The end of the string that opens at `at`, or of the text.
fn string_end(text: &str, at: usize, plain: &mut [u8]) -> Result<usize, Error> {
    let bytes = text.as_bytes();
    let mut at = at + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return Ok(at + 1),
            b'\\' => match surrogate(bytes, at) {
                Some(0xd800..=0xdbff)
                    if matches!(surrogate(bytes, at + 6), Some(0xdc00..=0xdfff)) =>
                {
                    at += 12;
                }
                Some(_) => {
                    if let Some(escape) = plain.get_mut(at..at + 6) {
                        escape.copy_from_slice(br"\ufffd");
                    }
                    at += 6;
                }
                None => at += 2,
            },
            0..=0x1f => {
                let why = "a string holds a control character, or is not closed on its line";
                return Err(refused(text, at, why));
            }
            _ => at += 1,
        }
    }
    Ok(bytes.len())
}

/// The surrogate whose escape stands at `at`.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = std::str::from_utf8(bytes.get(at..at.checked_add(6)?)?).ok()?;
    let hex = escape.strip_prefix(r"\u")?;
    if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let unit = u32::from_str_radix(hex, 16).ok()?;
    (0xd800..=0xdfff).contains(&unit).then_some(unit)
}

/// The comment that opens at `at`. A `//` comment ends before `\n` or `\r\n`, and
/// not at a lone `\r`: so the hosts' readers have it.
fn comment(text: &str, at: usize) -> Result<Comment, Error> {
    let inside = text.get(at + 2..).unwrap_or_default();
    if text.as_bytes().get(at + 1) == Some(&b'/') {
        let line = inside.find('\n').and_then(|end| inside.get(..end));
        let line = line.unwrap_or(inside);
        let length = line.trim_end_matches('\r').len();
        return Ok(Comment {
            span: at..at + 2 + length,
            line: true,
        });
    }
    match inside.find("*/") {
        Some(length) => Ok(Comment {
            span: at..at + 2 + length + 2,
            line: false,
        }),
        None => Err(Error::new("this comment is never closed")
            .at(place(text, at))
            .remedy("close it with */")),
    }
}

/// Refuses what `JSON.parse` would refuse.
fn strict(text: &str, plain: &str) -> Result<(), Error> {
    let Err(error) = serde_json::from_str::<IgnoredAny>(plain) else {
        return Ok(());
    };
    let line: usize = plain
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let at = line.saturating_add(error.column().saturating_sub(1));
    let said = error.to_string();
    let why = said.rfind(" at line ").and_then(|end| said.get(..end));
    Err(refused(text, at.min(text.len()), why.unwrap_or(&said)))
}

fn node(value: ast::Value<'_>) -> Node {
    let range = value.range();
    let kind = match value {
        ast::Value::NullKeyword(_) => Kind::Null,
        ast::Value::BooleanLit(lit) => Kind::Bool(lit.value),
        ast::Value::NumberLit(lit) => Kind::Number(lit.value.to_owned()),
        ast::Value::StringLit(lit) => Kind::String(lit.value.into_owned()),
        ast::Value::Array(array) => Kind::Array(array.elements.into_iter().map(node).collect()),
        ast::Value::Object(object) => Kind::Object(
            object
                .properties
                .into_iter()
                .map(|property| {
                    let key = property.name.range();
                    Member {
                        key_span: key.start..key.end,
                        key: property.name.into_string(),
                        value: node(property.value),
                    }
                })
                .collect(),
        ),
    };
    Node {
        span: range.start..range.end,
        kind,
    }
}
