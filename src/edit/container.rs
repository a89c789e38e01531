//! Children into and out of one object or array, byte by byte.
//!
//! Putting in never removes a byte. Taking out removes the child, its comma and
//! the white space that came with it; a comment is never dropped.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use super::document::{Document, Kind, Node};
use super::splice::Splice;
use super::style::{Style, has_break, line_indent, own_line, slice};

/// A value to write. Unlike [`Value`] it keeps the order of its keys.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// A value whose order does not matter.
    Value(Value),
    /// An array.
    Array(Vec<Self>),
    /// An object, members in this order.
    Object(Vec<(String, Self)>),
}

/// A child to write: an element, or a member with its key.
#[derive(Debug, Clone, PartialEq)]
pub struct Child {
    /// The key, in an object.
    pub key: Option<String>,
    /// The value.
    pub tree: Tree,
}

/// One change of one container.
#[derive(Debug, Default)]
pub(super) struct Edit<'e> {
    /// Indexes of the children to take out.
    pub(super) removed: BTreeSet<usize>,
    /// Children to put in at the end.
    pub(super) added: Vec<Child>,
    /// White space to leave before the closing bracket if nothing is left.
    pub(super) gap: Option<&'e str>,
}

impl Edit<'_> {
    pub(super) fn is_nothing(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}

/// The splices of one container, unsorted.
pub(super) fn edit(
    doc: &Document<'_>,
    node: &Node,
    parent: Option<&Node>,
    edit: &Edit<'_>,
) -> Vec<Splice> {
    let place = Place::of(doc, node, parent);
    let mut splices = Vec::new();
    let last = place.spans.len().checked_sub(1);
    let substitute = last.filter(|last| edit.removed.contains(last) && !edit.added.is_empty());
    if let Some(index) = substitute {
        splices.extend(place.substitute(index, &edit.added));
    } else if !edit.added.is_empty() {
        splices.extend(place.insert(&edit.added));
    }
    splices.extend(place.remove(&edit.removed, substitute, edit.gap));
    splices
}

/// The white space before the closing bracket of an empty container.
pub(super) fn gap_of(doc: &Document<'_>, node: &Node) -> Option<String> {
    let place = Place::of(doc, node, None);
    if !place.spans.is_empty() {
        return None;
    }
    let from = place.last_comment_end(place.open, place.close);
    Some(slice(doc.text(), from..place.close).to_owned())
}

/// Where a new child goes and how it is written.
enum Layout {
    /// On its own line, with this indent; its value over lines or not.
    Line { indent: String, inline: bool },
    /// Behind its neighbour, over lines, whose continuation has this indent.
    Hug { indent: String },
    /// On the one line its container stands on.
    Inline,
}

struct Place<'d> {
    doc: &'d Document<'d>,
    text: &'d str,
    style: &'d Style,
    node: &'d Node,
    parent: Option<&'d Node>,
    spans: Vec<Range<usize>>,
    /// After the opening bracket.
    open: usize,
    /// Before the closing bracket.
    close: usize,
}

impl<'d> Place<'d> {
    fn of(doc: &'d Document<'d>, node: &'d Node, parent: Option<&'d Node>) -> Self {
        Self {
            doc,
            text: doc.text(),
            style: doc.style(),
            node,
            parent,
            spans: node.child_spans(),
            open: node.span.start.saturating_add(1),
            close: node.span.end.saturating_sub(1),
        }
    }

    fn part(&self, span: Range<usize>) -> &'d str {
        slice(self.text, span)
    }

    fn last_comment_end(&self, from: usize, to: usize) -> usize {
        let comments = self.doc.comments_in(&(from..to));
        comments.last().map_or(from, |comment| comment.span.end)
    }

    fn after_line_comment(&self, at: usize) -> bool {
        let comments = self.doc.comments_in(&(self.open..at));
        comments
            .last()
            .is_some_and(|comment| comment.line && comment.span.end == at)
    }

    /// How a child of this container is written, `sibling` being the last one.
    fn layout(&self, after_comment: bool) -> Layout {
        let newline_indent = || {
            let base = line_indent(self.text, self.node.span.start);
            format!("{base}{}", self.style.indent)
        };
        let Some(last) = self.spans.last() else {
            let in_line = self
                .parent
                .is_some_and(|parent| !has_break(self.part(parent.span.clone())));
            return if in_line && !has_break(self.part(self.node.span.clone())) {
                Layout::Inline
            } else {
                Layout::Line {
                    indent: newline_indent(),
                    inline: false,
                }
            };
        };
        let own = self
            .spans
            .iter()
            .rev()
            .find_map(|span| own_line(self.text, span.start));
        if let Some(indent) = own {
            return Layout::Line {
                indent: indent.to_owned(),
                inline: self.parent.is_some() && self.last_is_inline(),
            };
        }
        if after_comment {
            Layout::Line {
                indent: newline_indent(),
                inline: self.last_is_inline(),
            }
        } else if has_break(self.part(last.clone())) {
            Layout::Hug {
                indent: line_indent(self.text, last.end.saturating_sub(1)).to_owned(),
            }
        } else {
            Layout::Inline
        }
    }

    /// Whether the last child holds children and stands on one line.
    fn last_is_inline(&self) -> bool {
        let value = match &self.node.kind {
            Kind::Array(elements) => elements.last(),
            Kind::Object(members) => members.last().map(|member| &member.value),
            _ => None,
        };
        value.is_some_and(|value| {
            !value.child_spans().is_empty() && !has_break(self.part(value.span.clone()))
        })
    }

    /// `children` one after the other, commas between them; each on a line of
    /// its own begins with its line ending and indent.
    fn write(&self, children: &[Child], layout: &Layout) -> String {
        let mut text = String::new();
        for (index, child) in children.iter().enumerate() {
            if index > 0 {
                text.push_str(match layout {
                    Layout::Line { .. } => ",",
                    Layout::Hug { .. } => ", ",
                    Layout::Inline => &self.style.inline_comma,
                });
            }
            match layout {
                Layout::Line { indent, inline } => {
                    text.push_str(self.style.newline);
                    text.push_str(indent);
                    if *inline {
                        self.style.child_inline(child, &mut text);
                    } else {
                        self.style.child(child, indent, &mut text);
                    }
                }
                Layout::Hug { indent } => self.style.child(child, indent, &mut text),
                Layout::Inline => self.style.child_inline(child, &mut text),
            }
        }
        text
    }

    fn insert(&self, children: &[Child]) -> Vec<Splice> {
        match self.spans.last() {
            None => vec![self.fill(children)],
            Some(last) => self.append(last.clone(), children),
        }
    }

    /// Into a container that has no children.
    fn fill(&self, children: &[Child]) -> Splice {
        let at = self.last_comment_end(self.open, self.close);
        let rest = self.part(at..self.close);
        let layout = self.layout(false);
        let mut body = self.write(children, &layout);
        if matches!(layout, Layout::Inline) {
            if at > self.open {
                return Splice::insert(at, format!(" {body}"));
            }
            if !rest.is_empty() {
                return Splice::insert(at, format!("{rest}{body}"));
            }
            let pad = match &self.node.kind {
                Kind::Object(_) => &self.style.brace_pad,
                _ => &self.style.bracket_pad,
            };
            return Splice::insert(at, format!("{pad}{body}{pad}"));
        }
        if has_break(rest) {
            return Splice::insert(at + last_break(rest), body);
        }
        let base = line_indent(self.text, self.node.span.start);
        self.close_line(&mut body, at, rest, base)
    }

    /// The body and a line ending, so that the closing bracket stands on its own
    /// line; white space that is there already serves as its indent if it can.
    fn close_line(&self, body: &mut String, at: usize, rest: &str, base: &str) -> Splice {
        body.push_str(self.style.newline);
        if let Some(missing) = base.strip_suffix(rest) {
            body.push_str(missing);
            Splice::insert(at, body.as_str())
        } else {
            body.push_str(base);
            Splice::insert(self.close, body.as_str())
        }
    }

    /// After the last child and the comments that follow it.
    fn append(&self, last: Range<usize>, children: &[Child]) -> Vec<Splice> {
        let comma = self.doc.trailing_comma(&(last.end..self.close));
        let after_comma = comma.map_or(last.end, |comma| comma + 1);
        let comment = self.last_comment_end(last.end, self.close);
        let at = after_comma.max(comment);
        let commented = comment > last.end && comment == at;
        let layout = self.layout(commented && self.after_line_comment(at));
        let mut body = self.write(children, &layout);
        if !matches!(layout, Layout::Line { .. }) {
            let lead = match layout {
                _ if commented || comma.is_some() => " ",
                Layout::Hug { .. } => " ",
                _ => self.style.inline_comma.strip_prefix(',').unwrap_or(" "),
            };
            body.insert_str(0, lead);
        }
        if comma.is_some() {
            body.push(',');
        }
        let element = Splice::insert(at, body);
        if comma.is_some() {
            vec![element]
        } else if element.at == last.end {
            vec![Splice::insert(last.end, format!(",{}", element.inserted))]
        } else {
            vec![Splice::insert(last.end, ","), element]
        }
    }

    /// `children` in the place of the child `index`.
    fn substitute(&self, index: usize, children: &[Child]) -> Option<Splice> {
        let span = self.spans.get(index)?.clone();
        let layout = match own_line(self.text, span.start) {
            Some(indent) => Layout::Line {
                indent: indent.to_owned(),
                inline: self.parent.is_some() && self.last_is_inline(),
            },
            None if has_break(self.part(span.clone())) => Layout::Hug {
                indent: line_indent(self.text, span.end.saturating_sub(1)).to_owned(),
            },
            None => Layout::Inline,
        };
        let body = self.write(children, &layout);
        let mut text = self.comments_of(&span);
        match &layout {
            // The first child takes the line its predecessor stood on.
            Layout::Line { indent, .. } if text.is_empty() => {
                let head = self.style.newline.len() + indent.len();
                text.push_str(body.get(head..).unwrap_or_default());
            }
            Layout::Line { .. } => text.push_str(&body),
            _ if text.is_empty() => text.push_str(&body),
            _ => {
                text.push_str(self.style.newline);
                text.push_str(&body);
            }
        }
        Some(Splice {
            at: span.start,
            removed: self.part(span).to_owned(),
            inserted: text,
        })
    }

    /// The comments within `span`, each on a line.
    fn comments_of(&self, span: &Range<usize>) -> String {
        let comments = self.doc.comments_in(span);
        if comments.is_empty() {
            return String::new();
        }
        let indent = line_indent(self.text, span.start);
        let between = format!("{}{indent}", self.style.newline);
        let texts: Vec<&str> = comments
            .iter()
            .map(|comment| self.part(comment.span.clone()))
            .collect();
        texts.join(&between)
    }

    /// The comma after the child `index`.
    fn comma(&self, index: usize) -> Option<usize> {
        let end = self.spans.get(index)?.end;
        match self.spans.get(index + 1) {
            Some(next) => {
                let between = slice(self.doc.plain(), end..next.start);
                between.find(',').map(|comma| end + comma)
            }
            None => self.doc.trailing_comma(&(end..self.close)),
        }
    }

    fn remove(
        &self,
        removed: &BTreeSet<usize>,
        substitute: Option<usize>,
        gap: Option<&str>,
    ) -> Vec<Splice> {
        let gone = |index: &usize| removed.contains(index) && substitute != Some(*index);
        let kept = (0..self.spans.len()).rev().find(|index| !gone(index));
        if kept.is_none()
            && let Some(emptied) = self.empty(gap)
        {
            return vec![emptied];
        }
        let mut cuts = Vec::new();
        for index in removed.iter().filter(|index| gone(index)) {
            let tail = kept.is_none_or(|kept| *index > kept);
            self.cut(*index, tail, &mut cuts);
        }
        let ends = self.spans.len().checked_sub(1);
        if let (Some(kept), Some(end)) = (kept, ends)
            && kept < end
            && self.comma(end).is_none()
            && let Some(comma) = self.comma(kept)
        {
            cuts.push(Cut::all(self.line_of_comma(kept, comma)..comma + 1));
        }
        let cuts = self.merged(cuts).into_iter().map(|cut| self.closing(cut));
        cuts.map(|cut| Splice {
            at: cut.span.start,
            removed: self.part(cut.span).to_owned(),
            inserted: cut.kept,
        })
        .collect()
    }

    /// The same cuts, none touching another.
    fn merged(&self, mut cuts: Vec<Cut>) -> Vec<Cut> {
        cuts.sort_by_key(|cut| (cut.span.start, cut.span.end));
        let mut all: Vec<Cut> = Vec::with_capacity(cuts.len());
        for cut in cuts {
            match all.last_mut() {
                Some(last) if cut.span.start <= last.span.end => {
                    last.span.end = last.span.end.max(cut.span.end);
                    if cut.kept.is_empty() {
                        continue;
                    }
                    if last.open {
                        self.new_line(&mut last.kept, cut.span.start);
                    }
                    last.kept.push_str(&cut.kept);
                    last.open = cut.open;
                }
                _ => all.push(cut),
            }
        }
        all
    }

    /// Begins a line that is indented as the one `at` stands on.
    fn new_line(&self, text: &mut String, at: usize) {
        text.push_str(self.style.newline);
        text.push_str(line_indent(self.text, at));
    }

    /// Where to cut the comma after the child `index`: a comma at the head of the
    /// line of the child it announces goes with that line.
    fn line_of_comma(&self, index: usize, comma: usize) -> usize {
        let (Some(span), Some(next)) = (self.spans.get(index), self.spans.get(index + 1)) else {
            return comma;
        };
        let announced = self
            .part(comma + 1..next.start)
            .trim_matches(SPACE)
            .is_empty();
        if announced && own_line(self.text, comma).is_some() {
            self.last_comment_end(span.end, comma)
        } else {
            comma
        }
    }

    /// A `//` comment that comes to stand before what follows the cut keeps a
    /// line ending that closes it, and gets no white space before that.
    fn closing(&self, mut cut: Cut) -> Cut {
        let before = self.after_line_comment(cut.span.start);
        let after = to_newline(self.part(cut.span.end..self.close));
        if before && (after.is_none() || !cut.kept.is_empty()) {
            let gone = self.part(cut.span.clone());
            cut.span.start += gone.len() - gone.trim_start_matches(SPACE).len();
        }
        match after {
            Some(spaces) if cut.open || (before && cut.kept.is_empty()) => {
                cut.span.end += spaces;
            }
            None if cut.open => self.new_line(&mut cut.kept, cut.span.start),
            _ => {}
        }
        cut
    }

    /// All children out at once, if no comment stands after the first of them.
    fn empty(&self, gap: Option<&str>) -> Option<Splice> {
        let first = self.spans.first()?;
        if !self.doc.comments_in(&(first.start..self.close)).is_empty() {
            return None;
        }
        let at = self.last_comment_end(self.open, first.start);
        let gap = match gap {
            Some(gap)
                if self.after_line_comment(at)
                    && !gap.trim_start_matches('\r').starts_with('\n') =>
            {
                return None;
            }
            Some(gap) => gap,
            None if at > self.open => return None,
            None => "",
        };
        Some(Splice {
            at,
            removed: self.part(at..self.close).to_owned(),
            inserted: gap.to_owned(),
        })
    }

    /// What goes with the child `index`. `tail`: no child after it stays.
    fn cut(&self, index: usize, tail: bool, cuts: &mut Vec<Cut>) {
        let Some(span) = self.spans.get(index).cloned() else {
            return;
        };
        let comma = self.comma(index);
        let limit = self.spans.get(index + 1).map_or(self.close, |s| s.start);
        let comments = self.doc.comments_in(&(span.end..limit));
        let stop = comments.first().map_or(limit, |comment| comment.span.start);
        let after = match comma {
            Some(comma) if comma < stop => comma + 1,
            Some(comma) => {
                cuts.push(Cut::all(comma..comma + 1));
                span.end
            }
            None => span.end,
        };
        if let Some(last) = self.doc.comments_in(&span).last() {
            cuts.push(Cut {
                kept: self.comments_of(&span),
                open: last.line,
                span: span.start..after,
            });
            return;
        }
        let before = index
            .checked_sub(1)
            .and_then(|previous| self.comma(previous))
            .map_or(self.open, |comma| comma + 1);
        let before = self.last_comment_end(before, span.start);
        let own = own_line(self.text, span.start).is_some();
        let broken = has_break(self.part(after..stop));
        let commented = stop < limit && !broken;
        cuts.push(Cut::all(if (tail || (own && broken)) && !commented {
            before..after
        } else {
            span.start..stop
        }));
    }
}

/// Bytes that go.
struct Cut {
    span: Range<usize>,
    /// The comments among them, which stay.
    kept: String,
    /// The last of those is a `//` comment, which a line ending has to close.
    open: bool,
}

impl Cut {
    const fn all(span: Range<usize>) -> Self {
        Self {
            span,
            kept: String::new(),
            open: false,
        }
    }
}

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Where the first line ending that closes a `//` comment begins, if only white
/// space comes before it.
fn to_newline(text: &str) -> Option<usize> {
    let at = text.find(|c| c == '\n' || !SPACE.contains(&c))?;
    let before = text.get(..at)?;
    text.get(at..)?
        .starts_with('\n')
        .then(|| before.strip_suffix('\r').unwrap_or(before).len())
}

/// Where the last line ending of `rest` begins.
fn last_break(rest: &str) -> usize {
    let at = rest.rfind(['\n', '\r']).unwrap_or_default();
    match at.checked_sub(1) {
        Some(before) if rest.get(before..=at) == Some("\r\n") => before,
        _ => at,
    }
}

impl Style {
    /// `child` over lines; the line it stands on has `indent`.
    fn child(&self, child: &Child, indent: &str, out: &mut String) {
        if let Some(key) = &child.key {
            out.push_str(&quoted(key));
            out.push_str(&self.colon);
        }
        self.tree(&child.tree, indent, out);
    }

    /// `child` on one line.
    fn child_inline(&self, child: &Child, out: &mut String) {
        if let Some(key) = &child.key {
            out.push_str(&quoted(key));
            out.push_str(&self.inline_colon);
        }
        self.tree_inline(&child.tree, out);
    }

    /// `tree` over lines, its own first line being one with `indent`.
    pub(super) fn tree(&self, tree: &Tree, indent: &str, out: &mut String) {
        let (open, close, children) = match tree.children() {
            Ok(children) => children,
            Err(scalar) => {
                out.push_str(&scalar.to_string());
                return;
            }
        };
        out.push(open);
        let inner = format!("{indent}{}", self.indent);
        for (index, (key, child)) in children.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            out.push_str(self.newline);
            out.push_str(&inner);
            if let Some(key) = key {
                out.push_str(&quoted(key));
                out.push_str(&self.colon);
            }
            self.tree(child, &inner, out);
        }
        if !children.is_empty() {
            out.push_str(self.newline);
            out.push_str(indent);
        }
        out.push(close);
    }

    /// `tree` on one line.
    pub(super) fn tree_inline(&self, tree: &Tree, out: &mut String) {
        let (open, close, children) = match tree.children() {
            Ok(children) => children,
            Err(scalar) => {
                out.push_str(&scalar.to_string());
                return;
            }
        };
        let pad = match (open, children.is_empty()) {
            (_, true) => "",
            ('{', false) => &self.brace_pad,
            _ => &self.bracket_pad,
        };
        out.push(open);
        out.push_str(pad);
        for (index, (key, child)) in children.iter().enumerate() {
            if index > 0 {
                out.push_str(&self.inline_comma);
            }
            if let Some(key) = key {
                out.push_str(&quoted(key));
                out.push_str(&self.inline_colon);
            }
            self.tree_inline(child, out);
        }
        out.push_str(pad);
        out.push(close);
    }
}

type Children = (char, char, Vec<(Option<String>, Tree)>);

impl Tree {
    /// Brackets and children, or the scalar it is.
    fn children(&self) -> Result<Children, &Value> {
        Ok(match self {
            Self::Array(elements) => (
                '[',
                ']',
                elements.iter().map(|e| (None, e.clone())).collect(),
            ),
            Self::Object(members) => (
                '{',
                '}',
                members
                    .iter()
                    .map(|(key, tree)| (Some(key.clone()), tree.clone()))
                    .collect(),
            ),
            Self::Value(Value::Array(elements)) => (
                '[',
                ']',
                elements
                    .iter()
                    .map(|e| (None, Self::Value(e.clone())))
                    .collect(),
            ),
            Self::Value(Value::Object(members)) => (
                '{',
                '}',
                members
                    .iter()
                    .map(|(key, value)| (Some(key.clone()), Self::Value(value.clone())))
                    .collect(),
            ),
            Self::Value(scalar) => return Err(scalar),
        })
    }

    /// The value, whatever the order of its keys.
    pub fn value(&self) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::Array(elements) => elements.iter().map(Self::value).collect(),
            Self::Object(members) => members
                .iter()
                .map(|(key, tree)| (key.clone(), tree.value()))
                .collect(),
        }
    }
}

fn quoted(key: &str) -> String {
    Value::String(key.to_owned()).to_string()
}
