//! A plan as people read it.
//!
//! Every hunk names the event and `pan:<hook>`. Only our own lines carry a sign; a
//! line of the user's shows without one, and only where it lies in the section
//! that is edited: the rest of such a file may hold secrets. No IO here.

use similar::algorithms::{Capture, Replace, myers};
use similar::{DiffOp, group_diff_ops};

use super::file::{Action, After, FilePlan};
use crate::edit::{Document, Splice};
use crate::error::{Error, Place};
use crate::host::paths::printable;

/// What a line of a hunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It was there and stays.
    Context,
    /// It is new, and ours.
    Added,
    /// It goes, and was ours.
    Removed,
}

/// A change in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The line of the file it starts at, before the change.
    pub line: usize,
    /// `PreToolUse pan:guard`, one for each entry in it.
    pub labels: Vec<String>,
    /// The lines, without line ends.
    pub lines: Vec<(Sign, String)>,
}

/// The hunks of a plan. `before` is the file's text, `document` the same parsed;
/// both are absent when there is no file, or none that can be read. `key` is the
/// member of the root that holds the events.
pub fn hunks(
    plan: &FilePlan,
    before: &str,
    document: Option<&Document<'_>>,
    key: &str,
) -> Vec<Hunk> {
    if plan.after == After::Same {
        return Vec::new();
    }
    let section = document.and_then(|document| section(document, key));
    plan.splices
        .iter()
        .filter(|splice| !is_punctuation(splice))
        .map(|splice| hunk(plan, splice, before, section.as_ref()))
        .collect()
}

/// The bytes of the member whose value holds the events.
fn section(document: &Document<'_>, key: &str) -> Option<std::ops::Range<usize>> {
    let root = document.root()?;
    let member = root.members()?.iter().find(|member| member.key == key)?;
    Some(member.span())
}

fn is_punctuation(splice: &Splice) -> bool {
    let only = |text: &str| text.chars().all(|c| c == ',' || c.is_whitespace());
    only(&splice.removed) && only(&splice.inserted)
}

fn hunk(
    plan: &FilePlan,
    splice: &Splice,
    before: &str,
    section: Option<&std::ops::Range<usize>>,
) -> Hunk {
    let mut lines = Vec::new();
    let inside = |from: usize, to: usize| {
        section.filter(|section| section.start <= from && to <= section.end)
    };
    // The user's line this starts in, as far as it is in the section.
    let line_start = before[..splice.at].rfind('\n').map_or(0, |at| at + 1);
    if let Some(section) = inside(splice.at, splice.at) {
        let from = line_start.max(section.start);
        let indent = indent_of(before, line_start);
        push_context(&mut lines, indent, &before[from..splice.at]);
    }
    for (sign, line) in signed(&splice.removed, &splice.inserted) {
        let line = line.trim_end();
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        // A comma that joins us to what stands before is no line of ours.
        if !line.is_empty() && line != "," {
            lines.push((sign, printable_line(line)));
        }
    }
    let end = splice.end();
    let line_end = before[end..].find('\n').map_or(before.len(), |at| end + at);
    if let Some(section) = inside(end, end) {
        let to = line_end.min(section.end);
        push_context(&mut lines, indent_of(before, line_start), &before[end..to]);
    }
    let mut labels: Vec<String> = plan
        .entries
        .iter()
        .filter(|entry| entry.action != Action::Kept)
        .filter(|entry| {
            let command = format!(" hook {} --host ", entry.hook.name());
            let script = format!("pan-{}.js", entry.hook.name());
            [&splice.inserted, &splice.removed]
                .iter()
                .any(|text| text.contains(&command) || text.contains(&script))
        })
        .map(|entry| format!("{} pan:{}", entry.event, entry.hook.name()))
        .collect();
    labels.dedup();
    Hunk {
        line: Place::of(before, splice.at).line,
        labels,
        lines,
    }
}

fn indent_of(text: &str, line_start: usize) -> &str {
    let line = &text[line_start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn push_context(lines: &mut Vec<(Sign, String)>, indent: &str, text: &str) {
    let text = text.trim_end();
    let shown = text.trim_start();
    if shown.is_empty() || shown == "," {
        return;
    }
    let indent = if text.starts_with([' ', '\t']) {
        &text[..text.len() - shown.len()]
    } else {
        indent
    };
    // A one-line file would show whole; its ends are enough.
    let shown: String = if shown.chars().count() > 60 {
        let tail: Vec<char> = shown.chars().collect();
        format!("…{}", tail[tail.len() - 40..].iter().collect::<String>())
    } else {
        shown.to_owned()
    };
    lines.push((Sign::Context, printable_line(&format!("{indent}{shown}"))));
}

fn printable_line(line: &str) -> String {
    printable(&line.replace('\t', "    "))
}

/// The plan as a patch for `git apply --unidiff-zero` and for `patch`.
///
/// A line is shown only where all of it lies in the edited section, or is brackets
/// and commas: what else stands in the file is not ours to show.
///
/// # Errors
/// A line has to change, be it for a comma, that holds something else.
pub fn patch(
    plan: &FilePlan,
    before: Option<&str>,
    path: &str,
    key: &str,
) -> Result<String, Error> {
    let old = before.unwrap_or_default();
    let new = match &plan.after {
        After::Same => return Ok(String::new()),
        After::Text(text) => text.as_str(),
        After::Gone => "",
    };
    let from = before.map_or("/dev/null".to_owned(), |_| format!("a/{path}"));
    let to = match plan.after {
        After::Gone => "/dev/null".to_owned(),
        _ => format!("b/{path}"),
    };
    let shown = lines_to_show(old, key);
    let (old, new) = (lines(old), lines(new));
    let mut out = format!("--- {from}\n+++ {to}\n");
    for ops in group_diff_ops(changes(&old, &new), 3) {
        for ops in without_others(ops, &shown)? {
            push_group(&mut out, &old, &new, &ops);
        }
    }
    Ok(out)
}

/// For each line, whether it may be shown.
fn lines_to_show(text: &str, key: &str) -> Vec<bool> {
    let grammar = crate::edit::Grammar {
        comments: true,
        trailing_commas: true,
        bom: true,
        empty: true,
        empty_object: true,
    };
    let document = Document::parse(text, &grammar).ok();
    let span = document
        .and_then(|document| section(&document, key))
        .unwrap_or(0..0);
    let bare = |part: &str| {
        part.chars()
            .all(|c| c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']' | ',' | '\u{feff}'))
    };
    let mut at = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let (start, end) = (at, at + line.len());
            at = end;
            let before = &text[start..span.start.clamp(start, end)];
            let after = &text[span.end.clamp(start, end)..end];
            let all = span.is_empty() || span.end <= start || end <= span.start;
            if all {
                bare(line)
            } else {
                bare(before) && bare(after)
            }
        })
        .collect()
}

/// A group of changes without the context that may not be shown; that may leave
/// several.
fn without_others(ops: Vec<DiffOp>, shown: &[bool]) -> Result<Vec<Vec<DiffOp>>, Error> {
    let may_show = |line: usize| shown.get(line).copied().unwrap_or_default();
    let mut groups = Vec::new();
    let mut group: Vec<DiffOp> = Vec::new();
    for op in ops {
        let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        else {
            if let Some(line) = op.old_range().find(|line| !may_show(*line)) {
                return Err(Error::new(
                    "a patch would have to show this line, and it holds more than hooks",
                )
                .at(Place {
                    line: line + 1,
                    column: 1,
                })
                .remedy(
                    "see the change with `pan-hooks diff`; for a patch put an empty \"hooks\": {} \
                     on lines of its own first",
                ));
            }
            group.push(op);
            continue;
        };
        let equal = |skip: usize, len: usize| DiffOp::Equal {
            old_index: old_index + skip,
            new_index: new_index + skip,
            len,
        };
        let head = (0..len).take_while(|n| may_show(old_index + n)).count();
        if head == len {
            group.push(op);
            continue;
        }
        let tail = (0..len)
            .rev()
            .take_while(|n| may_show(old_index + n))
            .count();
        if !group.is_empty() {
            group.push(equal(0, head));
            groups.push(std::mem::take(&mut group));
        }
        group.push(equal(len - tail, tail));
    }
    groups.push(group);
    for group in &mut groups {
        group.retain(|op| !matches!(op, DiffOp::Equal { len: 0, .. }));
    }
    groups.retain(|group| group.iter().any(|op| !matches!(op, DiffOp::Equal { .. })));
    Ok(groups)
}

fn push_group(out: &mut String, old: &[&str], new: &[&str], ops: &[DiffOp]) {
    let (Some(first), Some(last)) = (ops.first(), ops.last()) else {
        return;
    };
    let from = first.old_range().start..last.old_range().end;
    let to = first.new_range().start..last.new_range().end;
    let range = |range: &std::ops::Range<usize>| {
        let start = if range.is_empty() {
            range.start
        } else {
            range.start + 1
        };
        format!("{start},{}", range.len())
    };
    for text in ["@@ -", &range(&from), " +", &range(&to), " @@\n"] {
        out.push_str(text);
    }
    for (sign, line) in each(old, new, ops) {
        out.push(match sign {
            Sign::Context => ' ',
            Sign::Added => '+',
            Sign::Removed => '-',
        });
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// The lines of a text, each with its end.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// What changes from line to line.
fn changes(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut capture = Replace::new(Capture::new());
    // The hook only collects; it has no way to fail.
    let _ = myers::diff(&mut capture, old, 0..old.len(), new, 0..new.len());
    capture.into_inner().into_ops()
}

/// The lines of both texts with what became of each.
fn signed<'a>(old: &'a str, new: &'a str) -> Vec<(Sign, &'a str)> {
    let (old, new) = (lines(old), lines(new));
    each(&old, &new, &changes(&old, &new))
}

fn each<'a>(old: &[&'a str], new: &[&'a str], ops: &[DiffOp]) -> Vec<(Sign, &'a str)> {
    let mut out = Vec::new();
    let mut push = |sign, lines: &[&'a str], range: std::ops::Range<usize>| {
        let lines = lines.get(range).unwrap_or_default();
        out.extend(lines.iter().map(|line| (sign, *line)));
    };
    for op in ops {
        if matches!(op, DiffOp::Equal { .. }) {
            push(Sign::Context, new, op.new_range());
        } else {
            push(Sign::Removed, old, op.old_range());
            push(Sign::Added, new, op.new_range());
        }
    }
    out
}
