//! How a text is written: line ending, indent, spacing.

use std::ops::Range;

use super::document::{Kind, Node};

/// How a text is written. What it does not show is as most people write it:
/// two spaces, `\n`, a space after a colon and a comma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// The line ending used most: `\n`, `\r\n`, or `\r` if there is no other.
    pub newline: &'static str,
    /// One level of indent.
    pub indent: String,
    /// The whole value stands on one line (an empty `{}` says nothing).
    pub one_line: bool,
    /// Colon with the spaces around it, in an object written over lines.
    pub colon: String,
    /// The same in an object on one line.
    pub inline_colon: String,
    /// Comma with the spaces after it, between children on one line.
    pub inline_comma: String,
    /// Space inside the braces of an object on one line.
    pub brace_pad: String,
    /// Space inside the brackets of an array on one line.
    pub bracket_pad: String,
    /// The text ends with a line ending.
    pub final_newline: bool,
    /// The text starts with a byte order mark.
    pub bom: bool,
}

/// Spellings and how often each was seen, the first seen first.
#[derive(Default)]
struct Votes<'t>(Vec<(&'t str, usize)>);

impl<'t> Votes<'t> {
    /// More spellings than this are noise, and would make counting slow.
    const MOST: usize = 16;

    fn add(&mut self, spelling: &'t str) {
        if let Some((_, count)) = self.0.iter_mut().find(|(known, _)| *known == spelling) {
            *count += 1;
        } else if self.0.len() < Self::MOST {
            self.0.push((spelling, 1));
        }
    }

    fn winner(&self) -> Option<&'t str> {
        let most = self.0.iter().map(|(_, count)| *count).max()?;
        let (spelling, _) = self.0.iter().find(|(_, count)| *count == most)?;
        Some(spelling)
    }
}

#[derive(Default)]
struct Seen<'t> {
    indent: Votes<'t>,
    colon: Votes<'t>,
    inline_colon: Votes<'t>,
    inline_comma: Votes<'t>,
    brace_pad: Votes<'t>,
    bracket_pad: Votes<'t>,
}

impl Style {
    /// The style of `text`; `plain` is the same with comments blanked.
    pub(super) fn of(text: &str, plain: &str, root: Option<&Node>) -> Self {
        let mut seen = Seen::default();
        if let Some(root) = root {
            look(text, plain, root, "", &mut seen);
        }
        let one_line = root.is_some_and(|root| {
            !root.child_spans().is_empty() && !has_break(slice(text, root.span.clone()))
        });
        let newline = newline(text);
        let inline_colon = seen.inline_colon.winner().or_else(|| seen.colon.winner());
        let colon = seen.colon.winner().or_else(|| seen.inline_colon.winner());
        let inline_colon = inline_colon.unwrap_or(": ").to_owned();
        let inline_comma = seen.inline_comma.winner().map_or_else(
            || {
                let spaced = inline_colon.ends_with(' ');
                (if spaced { ", " } else { "," }).to_owned()
            },
            str::to_owned,
        );
        Self {
            newline,
            indent: seen.indent.winner().unwrap_or("  ").to_owned(),
            one_line,
            colon: colon.unwrap_or(": ").to_owned(),
            inline_colon,
            inline_comma,
            brace_pad: seen.brace_pad.winner().unwrap_or_default().to_owned(),
            bracket_pad: seen.bracket_pad.winner().unwrap_or_default().to_owned(),
            final_newline: text.ends_with(['\n', '\r']),
            bom: text.starts_with('\u{feff}'),
        }
    }
}

/// The bytes of `span`, or nothing if it is no span of `text`.
pub(super) fn slice(text: &str, span: Range<usize>) -> &str {
    text.get(span).unwrap_or_default()
}

/// Whether a line ends in `text`.
pub(super) fn has_break(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// If only spaces and tabs stand before `at` on its line: those.
pub(super) fn own_line(text: &str, at: usize) -> Option<&str> {
    let before = slice(text, 0..at);
    let kept = before.trim_end_matches([' ', '\t']);
    let first = kept.is_empty() || kept == "\u{feff}";
    (first || kept.ends_with(['\n', '\r'])).then(|| slice(text, kept.len()..at))
}

/// The spaces and tabs at the head of the line `at` stands on.
pub(super) fn line_indent(text: &str, at: usize) -> &str {
    let before = slice(text, 0..at);
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let line = slice(text, start..text.len());
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let rest = line.trim_start_matches([' ', '\t']);
    slice(line, 0..line.len() - rest.len())
}

fn newline(text: &str) -> &'static str {
    let all = text.bytes().filter(|byte| *byte == b'\n').count();
    let windows = text.matches("\r\n").count();
    let unix = all - windows;
    let windows_first = text
        .find('\n')
        .is_some_and(|first| text.get(..first).is_some_and(|line| line.ends_with('\r')));
    if all == 0 && text.contains('\r') {
        "\r"
    } else if windows > unix || (windows == unix && windows_first) {
        "\r\n"
    } else {
        "\n"
    }
}

/// Collects how `node` is written. `indent` is that of the line it opens on.
fn look<'t>(text: &'t str, plain: &'t str, node: &Node, indent: &'t str, seen: &mut Seen<'t>) {
    let spans = node.child_spans();
    let inside = node.span.start + 1..node.span.end.saturating_sub(1);
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
        match (&node.kind, slice(text, inside)) {
            (Kind::Object(_), " ") => seen.brace_pad.add(" "),
            (Kind::Array(_), " ") => seen.bracket_pad.add(" "),
            _ => {}
        }
        return;
    };
    let mut inline = true;
    let mut line = indent;
    let mut end = None;
    for (index, span) in spans.iter().enumerate() {
        if let Some(own) = own_line(text, span.start) {
            if inline && let Some(unit) = own.strip_prefix(indent) {
                seen.indent.add(unit);
            }
            inline = false;
            line = own;
        } else if let Some(end) = end {
            let gap = slice(text, end..span.start);
            if matches!(gap, "," | ", ") {
                seen.inline_comma.add(gap);
            }
        }
        end = Some(span.end);
        let value = match &node.kind {
            Kind::Object(members) => members.get(index).map(|member| {
                let colon = slice(plain, member.key_span.end..member.value.span.start);
                if matches!(colon, ":" | ": " | " : " | " :") {
                    if inline {
                        seen.inline_colon.add(colon);
                    } else {
                        seen.colon.add(colon);
                    }
                }
                &member.value
            }),
            Kind::Array(elements) => elements.get(index),
            _ => None,
        };
        if let Some(value) = value {
            look(text, plain, value, line, seen);
        }
    }
    if inline && !has_break(slice(text, inside.clone())) {
        let pad = slice(text, inside.start..first.start);
        if matches!(pad, "" | " ") && pad == slice(text, last.end..inside.end) {
            match &node.kind {
                Kind::Object(_) => seen.brace_pad.add(pad),
                _ => seen.bracket_pad.add(pad),
            }
        }
    }
}
