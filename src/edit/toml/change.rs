//! Entries into and out of a TOML text.
//!
//! The form that is found is kept: an array of tables gets a table, an inline array
//! an inline table, a dotted key a dotted key. Putting in removes no byte; taking
//! out keeps every comment. What comes out is parsed and compared as a whole before
//! it is given out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::{Value, json};
use toml_edit::{Item, Table};

use super::{
    Toml, comments, header, item_statements, line_end, line_start, statements_of, text, token,
};
use crate::edit::document::{Document, Kind, Node};
use crate::edit::entries::{At, Change, Edited, Entry, Made, Shape, check};
use crate::edit::splice::{Splice, apply};
use crate::edit::style::{own_line, slice};
use crate::error::Error;

/// All changes of one file, as splices.
///
/// # Errors
/// The file cannot be changed as asked, or not without doubt.
pub fn splices(
    toml: &Toml<'_>,
    shape: &Shape,
    changes: &[Change],
    made: &Made,
) -> Result<Edited, Error> {
    let mut editor = Editor {
        toml,
        text: toml.text(),
        shape,
        made,
        cut: BTreeSet::new(),
        splices: Vec::new(),
        vanished: Vec::new(),
        edited: Edited::default(),
    };
    let mut works: Vec<(&str, Work<'_>)> = Vec::new();
    for change in changes {
        let event = match change {
            Change::Forget(path) => {
                editor.forget(path)?;
                continue;
            }
            Change::Add(entry) | Change::Reuse { entry, .. } => {
                check(toml.document(), shape, &entry.event)?;
                &entry.event
            }
            Change::Remove(at) | Change::Replace { at, .. } => &at.event,
        };
        let known = works.iter().position(|(name, _)| name == event);
        let index = known.unwrap_or_else(|| {
            works.push((event, Work::default()));
            works.len() - 1
        });
        let Some((_, work)) = works.get_mut(index) else {
            continue;
        };
        match change {
            Change::Forget(_) => {}
            Change::Add(entry) => work.added.push(entry),
            Change::Reuse { group, entry } => {
                work.reused.insert(*group, entry);
            }
            Change::Remove(at) => {
                work.removed.entry(at.group).or_default().insert(at.handler);
            }
            Change::Replace { at, entry, matcher } => {
                work.replaced.push((at.group, at.handler, entry, *matcher));
            }
        }
    }
    let mut expected = toml.document().root().map_or(Value::Null, Node::value);
    for change in changes {
        if let Change::Forget(path) = change {
            take(&mut expected, path);
        }
    }
    for (event, work) in &works {
        editor.event(event, work)?;
        let Editor {
            edited, vanished, ..
        } = &editor;
        expect(
            &mut expected,
            toml.document(),
            shape,
            event,
            work,
            edited,
            vanished,
        );
    }
    let events: Vec<&str> = works.iter().map(|(event, _)| *event).collect();
    editor.finish(expected, &events)
}

/// What happens in one event.
#[derive(Debug, Default)]
struct Work<'c> {
    removed: BTreeMap<usize, BTreeSet<usize>>,
    added: Vec<&'c Entry>,
    reused: BTreeMap<usize, &'c Entry>,
    replaced: Vec<(usize, usize, &'c Entry, bool)>,
}

/// Where an event's groups stand.
enum Groups<'t> {
    /// `[[hooks.Event]]`.
    Tables(Vec<&'t Table>),
    /// `Event = [{ ... }]`.
    Inline,
}

struct Editor<'e, 't> {
    toml: &'e Toml<'t>,
    text: &'t str,
    shape: &'e Shape,
    made: &'e Made,
    /// Statements that go, by their first byte and their last.
    cut: BTreeSet<(usize, usize)>,
    splices: Vec<Splice>,
    /// Groups, by event, whose array of handler tables is there no more: one without
    /// a table is none.
    vanished: Vec<(String, usize)>,
    edited: Edited,
}

impl<'e> Editor<'e, '_> {
    fn doc(&self) -> &'e Document<'e> {
        self.toml.document()
    }

    fn path(&self, event: &str) -> Vec<String> {
        let mut path = self.shape.events_at.clone();
        path.push(event.to_owned());
        path
    }

    fn node(&self, path: &[String]) -> Result<Option<&'e Node>, Error> {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        self.doc().get(&keys)
    }

    /// What stands at `path`, and the table with a header or dotted key it is in;
    /// no table when an inline one is on the way.
    fn item(&self, path: &[String]) -> Option<(&'e Table, &'e Item)> {
        let (last, way) = path.split_last()?;
        let mut table = self.toml.parsed.as_table();
        for key in way {
            table = table.get(key)?.as_table()?;
        }
        Some((table, table.get(last)?))
    }

    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.splices.push(Splice::insert(at, text));
    }

    fn replace(&mut self, span: Range<usize>, text: impl Into<String>) {
        self.splices.push(Splice {
            at: span.start,
            removed: slice(self.text, span).to_owned(),
            inserted: text.into(),
        });
    }

    fn newline(&self) -> &'static str {
        self.doc().style().newline
    }

    fn indent(&self, at: usize) -> &'e str {
        own_line(self.doc().text(), at).unwrap_or_default()
    }

    /// The statements of a table and all below it go.
    fn cut_table(&mut self, table: &Table) {
        let mut all = Vec::new();
        statements_of(self.text, table, &mut all);
        self.cut
            .extend(all.into_iter().map(|span| (span.start, span.end)));
    }

    fn cut_item(&mut self, table: &Table, key: &str) {
        let mut all = Vec::new();
        if let Some(item) = table.get(key) {
            item_statements(self.text, table, key, item, &mut all);
        }
        self.cut
            .extend(all.into_iter().map(|span| (span.start, span.end)));
    }

    /// New lines after the statement that ends at `end`; at the end of the text if
    /// there is none. Lines that are empty stay without indent.
    fn lines_after(&mut self, end: Option<usize>, indent: &str, lines: &[String]) {
        let newline = self.newline();
        let at = end.map_or(self.text.len(), |end| line_end(self.text, end));
        let mut body = String::new();
        let open = at > 0 && !slice(self.text, 0..at).ends_with('\n');
        let blank = slice(self.text, 0..at)
            .trim_start_matches('\u{feff}')
            .is_empty();
        for line in lines {
            if !line.is_empty() {
                body.push_str(indent);
                body.push_str(line);
            } else if body.is_empty() && blank {
                continue;
            }
            body.push_str(newline);
        }
        if open && !blank {
            // The last line has no end: ours begins with one and has none either.
            body.insert_str(0, newline);
            body.truncate(body.len() - newline.len());
        }
        self.insert(at, body);
    }

    fn event(&mut self, event: &str, work: &Work<'_>) -> Result<(), Error> {
        let path = self.path(event);
        let Some(array) = self.node(&path)? else {
            if !work.removed.is_empty() || !work.replaced.is_empty() || !work.reused.is_empty() {
                return Err(Error::new(format!("there is no entry under `{event}`")));
            }
            return self.new_event(&path, &work.added);
        };
        let Some(groups) = array.elements() else {
            return Err(
                Error::new(format!("`{event}` is {}, not an array", array.kind_name()))
                    .at(self.doc().place(array.span.start))
                    .remedy("make it an array, [], or take it out"),
            );
        };
        let form = match self.item(&path) {
            Some((_, Item::ArrayOfTables(tables))) => Groups::Tables(tables.iter().collect()),
            _ => Groups::Inline,
        };
        let place = self.doc().place(array.span.start);
        let missing = |group: usize, handler: usize| {
            Error::new(format!(
                "there is no handler {handler} in group {group} of `{event}`"
            ))
            .at(place)
        };
        let mut whole = BTreeSet::new();
        for (group, handlers) in &work.removed {
            let node = groups.get(*group).ok_or_else(|| missing(*group, 0))?;
            let there = handlers_of(node, self.shape);
            if let Some(beyond) = handlers.iter().find(|handler| **handler >= there.len()) {
                return Err(missing(*group, *beyond));
            }
            if handlers.len() == there.len() && ours_alone(node, self.shape) {
                whole.insert(*group);
            } else {
                self.remove_handlers(event, &form, *group, node, handlers);
            }
        }
        let last_kept = (0..groups.len()).rev().find(|group| !whole.contains(group));
        for group in whole.clone() {
            if self.shape.keep_slot && last_kept.is_some_and(|kept| group < kept) {
                whole.remove(&group);
                if let Some(node) = groups.get(group) {
                    self.slot(event, &form, group, node);
                }
            }
        }
        for (group, entry) in &work.reused {
            let node = groups.get(*group).ok_or_else(|| missing(*group, 0))?;
            if !is_slot(node, self.shape) {
                return Err(Error::new(format!(
                    "group {group} of `{event}` is not the empty one that was left behind"
                ))
                .at(self.doc().place(node.span.start)));
            }
            self.reuse(&form, *group, node, entry);
        }
        for (group, handler, entry, matcher) in &work.replaced {
            let node = groups
                .get(*group)
                .ok_or_else(|| missing(*group, *handler))?;
            let own = handlers_of(node, self.shape).get(*handler);
            let own = own.ok_or_else(|| missing(*group, *handler))?;
            if *matcher {
                if handlers_of(node, self.shape).len() > 1 {
                    return Err(
                        Error::new("this matcher also decides when other handlers run")
                            .at(self.doc().place(node.span.start)),
                    );
                }
                let wanted: Vec<(String, Value)> = entry
                    .matcher
                    .iter()
                    .map(|matcher| (self.shape.matcher_key.clone(), json!(matcher)))
                    .collect();
                let matcher_key = self.shape.matcher_key.clone();
                self.members(table_at(&form, *group), node, &wanted, &|key| {
                    key != matcher_key
                });
            }
            let table = table_at(&form, *group)
                .and_then(|table| table.get(&self.shape.group_key))
                .and_then(Item::as_array_of_tables)
                .and_then(|tables| tables.get(*handler));
            self.members(table, own, &entry.handler, &|_| false);
        }
        match &form {
            Groups::Tables(tables) => {
                for group in &whole {
                    if let Some(table) = tables.get(*group) {
                        self.cut_table(table);
                    }
                }
                self.add_tables(&path, tables, &work.added);
            }
            Groups::Inline => {
                if work.added.is_empty()
                    && !whole.is_empty()
                    && whole.len() == groups.len()
                    && self.made.holds(&path)
                    && comments(slice(self.text, array.span.clone())).is_empty()
                {
                    self.remove_member(&path)?;
                    return Ok(());
                }
                let added: Vec<String> = work
                    .added
                    .iter()
                    .map(|entry| text::group(entry, self.shape))
                    .collect();
                self.inline(array, &whole, &added);
            }
        }
        Ok(())
    }

    /// The first entries of an event.
    fn new_event(&mut self, path: &[String], added: &[&Entry]) -> Result<(), Error> {
        let Some((event, way)) = path.split_last() else {
            return Ok(());
        };
        let Some((first, _)) = added.split_first() else {
            return Ok(());
        };
        let groups: Vec<String> = added
            .iter()
            .map(|entry| text::group(entry, self.shape))
            .collect();
        let assignment = format!("{} = [{}]", text::key(event), groups.join(", "));
        let Some(events) = self.node(way)? else {
            // No table of events yet.
            let mut lines = Vec::new();
            for entry in added {
                lines.push(String::new());
                lines.extend(text::tables(path, entry, self.shape, true));
            }
            if self.item(way.get(..1).unwrap_or_default()).is_some() && way.len() > 1 {
                return Err(self.refused(first));
            }
            self.lines_after(self.last_of_file(), "", &lines);
            return Ok(());
        };
        let table = match self.item(way) {
            Some((_, Item::Table(table))) => table,
            Some((_, Item::Value(_))) | None => {
                self.edited.made.containers.push(path.to_vec());
                self.inline(events, &BTreeSet::new(), &[assignment]);
                return Ok(());
            }
            Some(_) => return Err(self.refused(first)),
        };
        // The last event that is an assignment here, and the last array of tables.
        let mut last_inline: Option<Range<usize>> = None;
        let mut last_tables: Option<usize> = None;
        let mut last_header = None;
        for (key, item) in table {
            let mut spans = Vec::new();
            item_statements(self.text, table, key, item, &mut spans);
            let end = spans.iter().map(|span| span.end).max();
            match item {
                Item::Value(_) => {
                    let span = spans.pop();
                    if span.as_ref().map(|span| span.end) > last_inline.as_ref().map(|l| l.end) {
                        last_inline = span;
                    }
                }
                Item::ArrayOfTables(tables) if end > last_tables => {
                    last_tables = end;
                    last_header = tables.iter().last().and_then(header);
                }
                _ => {}
            }
        }
        if let Some(last) = &last_inline
            && (table.is_dotted() || last_tables.is_none())
        {
            self.edited.made.containers.push(path.to_vec());
            let written = slice(self.text, last.clone());
            let mut line = assignment;
            if table.is_dotted() {
                // `hooks.` as it is written there.
                let keys = last_key(written);
                line.insert_str(0, keys);
            }
            let indent = self.indent(last.start).to_owned();
            self.lines_after(Some(last.end), &indent, &[line]);
            return Ok(());
        }
        let indent = last_header.map_or("", |header| self.indent(header.start));
        let mut lines = Vec::new();
        for entry in added {
            lines.push(String::new());
            lines.extend(text::tables(path, entry, self.shape, true));
        }
        let after = last_tables.or_else(|| self.last_of_file());
        self.lines_after(after, indent, &lines);
        Ok(())
    }

    fn refused(&self, entry: &Entry) -> Error {
        Error::new(format!(
            "`{}` is written in a way that cannot be added to without doubt",
            self.shape.events_at.join(".")
        ))
        .remedy(format!(
            "add `[[{}.{}]]` with one hook of your own below it, or move your hooks to the \
             host's own hooks file",
            self.shape.events_at.join("."),
            entry.event
        ))
    }

    /// Where the last statement of the text ends, if nothing but white space follows
    /// it: what follows otherwise is kept before ours.
    fn last_of_file(&self) -> Option<usize> {
        let last = self.toml.statements.iter().map(|span| span.end).max()?;
        let rest = slice(self.text, line_end(self.text, last)..self.text.len());
        rest.trim().is_empty().then_some(last)
    }

    fn add_tables(&mut self, path: &[String], tables: &[&'e Table], added: &[&Entry]) {
        let Some(last) = tables.last() else { return };
        if added.is_empty() {
            return;
        }
        let mut spans = Vec::new();
        statements_of(self.text, last, &mut spans);
        let end = spans.iter().map(|span| span.end).max();
        let nested = !matches!(last.get(&self.shape.group_key), Some(Item::Value(_)));
        let indent = header(last).map_or("", |header| self.indent(header.start));
        let mut lines = Vec::new();
        for entry in added {
            lines.push(String::new());
            lines.extend(text::tables(path, entry, self.shape, nested));
        }
        self.lines_after(end, indent, &lines);
    }

    fn remove_handlers(
        &mut self,
        event: &str,
        form: &Groups<'e>,
        group: usize,
        node: &'e Node,
        handlers: &BTreeSet<usize>,
    ) {
        let item = table_at(form, group).and_then(|table| table.get(&self.shape.group_key));
        if let Some(Item::ArrayOfTables(tables)) = item {
            for handler in handlers {
                if let Some(table) = tables.get(*handler) {
                    self.cut_table(table);
                }
            }
            self.vanished.push((event.to_owned(), group));
        } else if let Some(array) = node.member(&self.shape.group_key) {
            self.inline(array, handlers, &[]);
        }
    }

    /// Leaves an empty group in the place of ours.
    fn slot(&mut self, event: &str, form: &Groups<'e>, group: usize, node: &Node) {
        if let Some(table) = table_at(form, group) {
            self.cut_table(table);
            if let Some(header) = header(table) {
                self.cut.remove(&(header.start, header.end));
                let indent = self.indent(header.start).to_owned();
                let line = text::no_handlers(self.shape);
                self.lines_after(Some(header.end), &indent, &[line]);
            }
        } else {
            let empty = format!("{{ {} }}", text::no_handlers(self.shape));
            self.replace(node.span.clone(), empty);
        }
        self.edited.slots.push(At {
            event: event.to_owned(),
            group,
            handler: 0,
        });
    }

    fn reuse(&mut self, form: &Groups<'e>, group: usize, node: &'e Node, entry: &Entry) {
        let shape = self.shape;
        match (table_at(form, group), node.member(&shape.group_key)) {
            (Some(table), Some(empty)) => {
                if let (Some(matcher), Some(header)) = (text::matcher(entry, shape), header(table))
                {
                    let indent = self.indent(header.start).to_owned();
                    self.lines_after(Some(header.end), &indent, &[matcher]);
                }
                self.replace(empty.span.clone(), format!("[{}]", text::handler(entry)));
            }
            _ => self.replace(node.span.clone(), text::group(entry, shape)),
        }
    }

    /// Makes the members of `node` those of `wanted` and those to `keep`. `table` is
    /// the same with its header, if it has one.
    fn members(
        &mut self,
        table: Option<&'e Table>,
        node: &'e Node,
        wanted: &[(String, Value)],
        keep: &dyn Fn(&str) -> bool,
    ) {
        let members = node.members().unwrap_or_default();
        let mut removed = BTreeSet::new();
        for (index, member) in members.iter().enumerate() {
            if !keep(&member.key) && wanted.iter().all(|(key, _)| *key != member.key) {
                removed.insert(index);
                if let Some(table) = table {
                    self.cut_item(table, &member.key);
                }
            }
        }
        let mut added = Vec::new();
        for (key, value) in wanted {
            match members.iter().find(|member| member.key == *key) {
                Some(member) if member.value.value() == *value => {}
                Some(member) => self.replace(member.value.span.clone(), text::value(value)),
                None => added.push(text::assignment(key, value)),
            }
        }
        match table {
            None => self.inline(node, &removed, &added),
            Some(_) if added.is_empty() => {}
            Some(table) => {
                // Behind the header: what follows may belong to a table below.
                if let Some(header) = header(table) {
                    let indent = self.indent(header.start).to_owned();
                    self.lines_after(Some(header.end), &indent, &added);
                }
            }
        }
    }

    fn forget(&mut self, path: &[String]) -> Result<(), Error> {
        if self.node(path)?.is_some() {
            self.remove_member(path)?;
        }
        Ok(())
    }

    /// The member at `path` goes, whatever form it has.
    fn remove_member(&mut self, path: &[String]) -> Result<(), Error> {
        let Some((last, way)) = path.split_last() else {
            return Ok(());
        };
        if let Some((table, _)) = self.item(path) {
            self.cut_item(table, last);
            return Ok(());
        }
        if let Some(parent) = self.node(way)?
            && let Some(index) = parent
                .members()
                .unwrap_or_default()
                .iter()
                .position(|member| member.key == *last)
        {
            self.inline(parent, &BTreeSet::from([index]), &[]);
        }
        Ok(())
    }

    /// Children out of and into an array or an inline table.
    fn inline(&mut self, node: &Node, removed: &BTreeSet<usize>, added: &[String]) {
        let spans = match &node.kind {
            Kind::Array(nodes) => nodes.iter().map(|one| one.span.clone()).collect(),
            Kind::Object(members) => members
                .iter()
                .map(super::super::document::Member::span)
                .collect(),
            _ => Vec::new(),
        };
        let open = node.span.start + 1;
        let close = node.span.end.saturating_sub(1);
        if removed.is_empty() && added.is_empty() {
            return;
        }
        if added.is_empty()
            && removed.len() == spans.len()
            && comments(slice(self.text, open..close)).is_empty()
        {
            self.replace(open..close, "");
            return;
        }
        for index in removed {
            self.take_out(&spans, *index, removed, close);
        }
        if added.is_empty() {
            return;
        }
        let Some(last) = spans.last() else {
            // `{}` gets blanks inside, as everything we write.
            let pad = if matches!(node.kind, Kind::Object(_)) && open == close {
                " "
            } else {
                ""
            };
            self.insert(open, format!("{pad}{}{pad}", added.join(", ")));
            return;
        };
        let comma = self.comma(last.end, close);
        let end = comma.map_or(last.end, |comma| comma + 1);
        let Some(indent) = own_line(self.text, last.start) else {
            let text = if comma.is_some() {
                format!(" {},", added.join(", "))
            } else {
                format!(", {}", added.join(", "))
            };
            self.insert(end, text);
            return;
        };
        let rest = slice(self.text, end..close);
        let line = slice(rest, 0..rest.find('\n').unwrap_or(0));
        let behind = line.trim_start_matches([' ', '\t']);
        // Behind a comment on the same line, which would swallow us.
        let at = if behind.starts_with('#') {
            end + line.trim_end_matches('\r').len()
        } else {
            end
        };
        let newline = self.newline();
        let indent = indent.to_owned();
        let mut body = String::new();
        for (index, one) in added.iter().enumerate() {
            if index > 0 && comma.is_none() {
                body.push(',');
            }
            body.push_str(newline);
            body.push_str(&indent);
            body.push_str(one);
            if comma.is_some() {
                body.push(',');
            }
        }
        if comma.is_some() {
            self.insert(at, body);
        } else if at == last.end {
            self.insert(at, format!(",{body}"));
        } else {
            self.insert(last.end, ",");
            self.insert(at, body);
        }
    }

    /// The comma between `from` and `to`, where only white space and comments are.
    fn comma(&self, from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        while at < to {
            let rest = slice(self.text, at..to);
            if rest.starts_with(',') {
                return Some(at);
            }
            at += if rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                token(rest)
            };
        }
        None
    }

    fn take_out(
        &mut self,
        spans: &[Range<usize>],
        index: usize,
        removed: &BTreeSet<usize>,
        close: usize,
    ) {
        let Some(own) = spans.get(index).cloned() else {
            return;
        };
        let plain = |range: Range<usize>| !slice(self.text, range).contains('#');
        let before = index.checked_sub(1).and_then(|index| spans.get(index));
        let next = spans.get(index + 1);
        let follows_kept = (0..index).any(|other| !removed.contains(&other));
        let own_comma = self.comma(own.end, next.map_or(close, |next| next.start));
        let line = self.whole_line(own.start..own_comma.map_or(own.end, |comma| comma + 1));
        if let (Some(line), Some(_)) = (&line, own_comma) {
            self.replace(line.clone(), "");
            return;
        }
        if follows_kept && let Some(before) = before {
            if plain(before.end..own.start) {
                self.replace(before.end..own.end, "");
                return;
            }
            if let Some(comma) = self.comma(before.end, own.start) {
                self.replace(comma..comma + 1, "");
            }
            self.replace(line.unwrap_or(own), "");
            return;
        }
        let until = next.map_or(close, |next| next.start);
        match self.comma(own.end, until) {
            _ if next.is_some() && plain(own.end..until) => self.replace(own.start..until, ""),
            Some(comma) if plain(own.end..comma) => self.replace(own.start..comma + 1, ""),
            Some(comma) => {
                self.replace(comma..comma + 1, "");
                self.replace(own, "");
            }
            None => self.replace(own, ""),
        }
    }

    /// The line end before a child up to `span.end`, if it has its lines for itself.
    fn whole_line(&self, span: Range<usize>) -> Option<Range<usize>> {
        let indent = own_line(self.text, span.start)?;
        let rest = slice(self.text, span.end..self.text.len());
        let alone = rest
            .trim_start_matches([' ', '\t'])
            .starts_with(['\r', '\n']);
        let before = slice(self.text, 0..span.start - indent.len());
        let kept = before.strip_suffix('\n')?;
        let kept = kept.strip_suffix('\r').unwrap_or(kept);
        let inside = slice(self.text, span.clone());
        (alone && !inside.contains('#')).then_some(kept.len()..span.end)
    }

    /// The splices of the statements that go: with their lines, the blank lines
    /// between them and the one before; comments stay.
    fn cut_statements(&mut self) {
        let cut = std::mem::take(&mut self.cut);
        let all = &self.toml.statements;
        let goes = |index: usize| {
            all.get(index)
                .is_some_and(|span| cut.contains(&(span.start, span.end)))
        };
        let mut spans: Vec<Range<usize>> = Vec::new();
        for (index, statement) in all.iter().enumerate() {
            if !goes(index) {
                continue;
            }
            let start = line_start(self.text, statement.start);
            let start = if start == 0 && self.text.starts_with('\u{feff}') {
                '\u{feff}'.len_utf8()
            } else {
                start
            };
            let end = line_end(self.text, statement.end);
            let tail = slice(self.text, statement.end..end);
            if let Some(comment) = tail.find('#') {
                spans.push(statement.start..statement.end + comment);
                continue;
            }
            let gap = all
                .get(index + 1)
                .filter(|_| goes(index + 1))
                .map(|next| end..line_start(self.text, next.start))
                .filter(|gap| slice(self.text, gap.clone()).trim().is_empty());
            let end = gap.map_or(end, |gap| gap.end);
            match spans.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => spans.push(start..end),
            }
        }
        for mut span in spans {
            let header = slice(self.text, span.clone()).trim_start().starts_with('[');
            let before = slice(self.text, 0..span.start);
            if header && slice(self.text, span.clone()).ends_with('\n') {
                // One blank line stands before a table; it goes with it.
                let newline = self.newline();
                if before.ends_with(&newline.repeat(2)) || before == newline {
                    span.start -= newline.len();
                }
            } else if span.end == self.text.len() && !slice(self.text, span.clone()).ends_with('\n')
            {
                let mut kept = before;
                for _ in 0..if header { 2 } else { 1 } {
                    kept = kept.strip_suffix('\n').unwrap_or(kept);
                    kept = kept.strip_suffix('\r').unwrap_or(kept);
                }
                span.start = kept.len();
            }
            self.replace(span, "");
        }
    }

    fn finish(mut self, mut expected: Value, events: &[&str]) -> Result<Edited, Error> {
        self.cut_statements();
        let mut edited = self.edited;
        edited.splices = crate::edit::entries::joined(self.splices);
        edited.text = apply(self.text, &edited.splices)?;
        let doubtful = |what: &str| {
            Error::new(format!(
                "the change was worked out wrongly ({what}), so nothing was changed"
            ))
            .remedy("report this file's layout as a defect of pan-hooks")
        };
        let grammar = self.toml.document().grammar();
        let after = Toml::parse(&edited.text, grammar).map_err(|error| doubtful(&error.what))?;
        let mut value = after.document().root().map_or(Value::Null, Node::value);
        for event in events {
            // An array of tables without a table is not there, one in line is empty.
            for value in [&mut value, &mut expected] {
                drop_empty(value, &self.shape.events_at, event);
            }
        }
        if value != expected {
            return Err(doubtful("the text would not say what it is to say"));
        }
        if comments(self.text) != comments(&edited.text) {
            return Err(doubtful("a comment would change"));
        }
        edited.bare = edited.text.trim_start_matches('\u{feff}').trim().is_empty();
        Ok(edited)
    }
}

fn table_at<'t>(form: &Groups<'t>, group: usize) -> Option<&'t Table> {
    match form {
        Groups::Tables(tables) => tables.get(group).copied(),
        Groups::Inline => None,
    }
}

/// The keys before the last one of an assignment, with the dot: `hooks.`.
fn last_key(assignment: &str) -> &str {
    let mut at = 0;
    let mut dot = 0;
    while at < assignment.len() {
        let rest = slice(assignment, at..assignment.len());
        if rest.starts_with('=') {
            break;
        }
        let length = token(rest);
        if rest.starts_with('.') {
            dot = at + length;
        }
        at += length;
    }
    slice(assignment, 0..dot)
}

fn handlers_of<'n>(group: &'n Node, shape: &Shape) -> &'n [Node] {
    let handlers = group.member(&shape.group_key).and_then(Node::elements);
    handlers.unwrap_or_default()
}

/// Whether the group has no key but those we write.
fn ours_alone(group: &Node, shape: &Shape) -> bool {
    group.members().unwrap_or_default().iter().all(|member| {
        member.key == shape.group_key
            || member.key == shape.matcher_key
            || Some(&member.key) == shape.marker_key.as_ref()
    })
}

/// Whether the group is the empty one that an entry of ours leaves behind.
fn is_slot(group: &Node, shape: &Shape) -> bool {
    let members = group.members().unwrap_or_default();
    members.len() == 1
        && group
            .member(&shape.group_key)
            .and_then(Node::elements)
            .is_some_and(<[Node]>::is_empty)
}

/// Takes the member at `path` out of a value.
fn take(value: &mut Value, path: &[String]) {
    let Some((last, way)) = path.split_last() else {
        return;
    };
    let mut at = value;
    for key in way {
        let Some(inner) = at.get_mut(key) else { return };
        at = inner;
    }
    if let Some(members) = at.as_object_mut() {
        members.remove(last);
    }
}

/// Takes an event without a group out of a value, and the table it leaves empty.
fn drop_empty(value: &mut Value, way: &[String], event: &str) {
    let mut at = &mut *value;
    for key in way {
        let Some(inner) = at.get_mut(key) else { return };
        at = inner;
    }
    if let Some(events) = at.as_object_mut() {
        let empty = |event: &Value| event.as_array().is_some_and(Vec::is_empty);
        if events.get(event).is_some_and(empty) {
            events.remove(event);
        }
        if events.is_empty() {
            take(value, way);
        }
    }
}

/// Does to the value what `work` asks for, without looking at the text.
fn expect(
    root: &mut Value,
    doc: &Document<'_>,
    shape: &Shape,
    event: &str,
    work: &Work<'_>,
    edited: &Edited,
    vanished: &[(String, usize)],
) {
    let mut at = root;
    for key in shape.events_at.iter().map(String::as_str).chain([event]) {
        let Some(members) = at.as_object_mut() else {
            return;
        };
        at = members.entry(key.to_owned()).or_insert_with(|| json!({}));
    }
    let keys: Vec<&str> = shape
        .events_at
        .iter()
        .map(String::as_str)
        .chain([event])
        .collect();
    let nodes = doc
        .get(&keys)
        .unwrap_or_default()
        .and_then(Node::elements)
        .unwrap_or_default();
    let mut groups: Vec<Value> = at.as_array().cloned().unwrap_or_default();
    let written = |entry: &Entry| {
        let handler: serde_json::Map<String, Value> = entry
            .handler
            .iter()
            .filter(|(_, value)| !value.is_null())
            .cloned()
            .collect();
        let mut group = json!({ &shape.group_key: [handler] });
        if let Some(matcher) = &entry.matcher {
            group[&shape.matcher_key] = json!(matcher);
        }
        group
    };
    for (group, entry) in &work.reused {
        if let Some(there) = groups.get_mut(*group) {
            *there = written(entry);
        }
    }
    for (group, handler, entry, matcher) in &work.replaced {
        let new = written(entry);
        if let Some(there) = groups.get_mut(*group) {
            there[&shape.group_key][*handler] = new[&shape.group_key][0].clone();
            if let (true, Some(members)) = (*matcher, there.as_object_mut()) {
                match &entry.matcher {
                    Some(matcher) => {
                        members.insert(shape.matcher_key.clone(), json!(matcher));
                    }
                    None => {
                        members.remove(&shape.matcher_key);
                    }
                }
            }
        }
    }
    let mut gone = BTreeSet::new();
    for (group, handlers) in &work.removed {
        let (Some(there), Some(node)) = (groups.get_mut(*group), nodes.get(*group)) else {
            continue;
        };
        let slot = edited
            .slots
            .iter()
            .any(|slot| slot.event == event && slot.group == *group);
        if slot {
            *there = json!({ &shape.group_key: [] });
        } else if handlers.len() == handlers_of(node, shape).len() && ours_alone(node, shape) {
            gone.insert(*group);
        } else if let Some(list) = there[&shape.group_key].as_array_mut() {
            let mut index = 0;
            list.retain(|_| {
                index += 1;
                !handlers.contains(&(index - 1))
            });
            if list.is_empty()
                && vanished.contains(&(event.to_owned(), *group))
                && let Some(members) = there.as_object_mut()
            {
                members.remove(&shape.group_key);
            }
        }
    }
    let mut index = 0;
    groups.retain(|_| {
        index += 1;
        !gone.contains(&(index - 1))
    });
    groups.extend(work.added.iter().map(|entry| written(entry)));
    *at = Value::Array(groups);
}
