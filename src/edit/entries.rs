//! Registrations in a host file: found, checked, added, changed and taken out.
//!
//! What an entry looks like comes from the host table as a [`Shape`]; whose it
//! is, the caller knows and says by place ([`At`]).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use super::container::{Child, Edit, Tree, edit, gap_of};
use super::document::{Document, Kind, Member, Node};
use super::splice::{Splice, apply};
use super::style::has_break;
use super::verify;
use crate::error::{Error, Place};

/// How a host's hook entries are laid out in its file, from the host table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shape {
    /// Keys from the root to the object of events, such as `hooks`.
    pub events_at: Vec<String>,
    /// An event holds groups, `[{matcher, hooks: [handler]}]`; if not, handlers.
    pub grouped: bool,
    /// The key of the handlers in a group.
    pub group_key: String,
    /// The key of the matcher: in a group, or in a handler if not `grouped`.
    pub matcher_key: String,
    /// Keys a handler's command can stand under, the one the host prefers first.
    pub command_keys: Vec<String>,
    /// Keys a handler's timeout can stand under.
    pub timeout_keys: Vec<String>,
    /// The key of our tag. In a group it does not make the group someone else's.
    pub marker_key: Option<String>,
    /// Members a new file needs before the events, such as `version`.
    pub root: Vec<(String, Value)>,
    /// The only keys the host accepts at the root; empty if it takes any.
    pub root_keys: Vec<String>,
    /// Values of `type` the host knows; empty if it takes any, or none.
    pub types: Vec<String>,
    /// Events in which one bad entry makes the host drop the whole file.
    pub strict_events: Vec<String>,
    /// In those events the host also wants a list, whole numbers as timeouts and a
    /// boolean as `async`.
    pub exact_types: bool,
    /// A matcher that is no string stops all hooks of its event.
    pub bad_matcher_kills_event: bool,
    /// The host identifies an entry by its index: one taken out before others
    /// leaves an empty group in its place.
    pub keep_slot: bool,
}

/// Where a handler stands: the host's own way to count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// The event.
    pub event: String,
    /// Index in the event's array.
    pub group: usize,
    /// Index in the group; 0 where the event's array holds handlers.
    pub handler: usize,
}

/// One handler found in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The event.
    pub event: String,
    /// Index in the event's array.
    pub group: usize,
    /// Index in the group; 0 where the event's array holds handlers.
    pub handler: usize,
    /// The matcher, if it is a string.
    pub matcher: Option<String>,
    /// The command the host would run.
    pub command: String,
    /// All members of the handler, as the host reads them.
    pub fields: Vec<(String, Value)>,
    /// The keys of its group; none where there are no groups.
    pub group_keys: Vec<String>,
    /// Its group holds nothing else.
    pub alone: bool,
    /// Where it begins.
    pub place: Place,
    /// The bytes of its group if it is alone there, else its own.
    pub span: Range<usize>,
}

impl Found {
    /// Where it stands.
    pub fn at(&self) -> At {
        At {
            event: self.event.clone(),
            group: self.group,
            handler: self.handler,
        }
    }
}

/// An entry to write; keys in the order given.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The event.
    pub event: String,
    /// The matcher, if there is to be one.
    pub matcher: Option<String>,
    /// The members of the handler, without the matcher.
    pub handler: Vec<(String, Value)>,
}

/// One change of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A new entry at the end of its event, in a group of its own.
    Add(Entry),
    /// A new entry in the empty group that an entry of ours left behind.
    Reuse {
        /// Index of that group.
        group: usize,
        /// The entry.
        entry: Entry,
    },
    /// This handler out, and its group if that holds nothing else.
    Remove(At),
    /// The member at this path out, whatever it holds: a note the host keeps on an
    /// entry of ours. In TOML alone.
    Forget(Vec<String>),
    /// This handler's fields as in `entry`; those that are equal keep their bytes.
    Replace {
        /// The handler.
        at: At,
        /// What it is to be. The event is not looked at.
        entry: Entry,
        /// The matcher too. An error if the group holds other handlers.
        matcher: bool,
    },
}

/// What earlier runs of ours created in a file: it goes when it is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    /// Paths of containers and members: `[]` the whole text, `["hooks"]`,
    /// `["hooks", "Stop"]`.
    pub containers: Vec<Vec<String>>,
    /// The white space that stood in a container which was there and empty.
    pub gaps: Vec<(Vec<String>, String)>,
}

impl Made {
    pub(super) fn holds(&self, path: &[String]) -> bool {
        self.containers.iter().any(|made| made == path)
    }

    fn gap(&self, path: &[String]) -> Option<&str> {
        let (_, gap) = self.gaps.iter().rev().find(|(made, _)| made == path)?;
        Some(gap)
    }
}

/// The outcome of changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edited {
    /// What changes, in order.
    pub splices: Vec<Splice>,
    /// What these splices create, to be remembered for the removal.
    pub made: Made,
    /// The text after them.
    pub text: String,
    /// Empty groups left behind so that later entries keep their index.
    pub slots: Vec<At>,
    /// The text holds nothing that a new file of ours would not begin with: if
    /// we made the file, it may go.
    pub bare: bool,
}

/// The handlers in the file. Tolerant: what is no handler is passed over.
///
/// Errors only where it is unclear which events the host reads: a key on the way
/// to them stands twice.
pub fn found(doc: &Document<'_>, shape: &Shape) -> Result<Vec<Found>, Error> {
    let mut all = Vec::new();
    let Some(events) = events(doc, shape)? else {
        return Ok(all);
    };
    let members = events.members().unwrap_or_default();
    let mut last = BTreeMap::new();
    for (index, member) in members.iter().enumerate() {
        last.insert(member.key.as_str(), index);
    }
    let mut places = Places::of(doc);
    for (index, member) in members.iter().enumerate() {
        if last.get(member.key.as_str()) != Some(&index) {
            continue;
        }
        for (group, node) in member
            .value
            .elements()
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            found_in(&member.key, group, node, shape, &mut places, &mut all);
        }
    }
    Ok(all)
}

fn events<'d>(doc: &'d Document<'_>, shape: &Shape) -> Result<Option<&'d Node>, Error> {
    let path: Vec<&str> = shape.events_at.iter().map(String::as_str).collect();
    let mut node = doc.root();
    for depth in 0..path.len() {
        if node.is_none_or(|node| node.members().is_none()) {
            return Ok(None);
        }
        node = doc.get(path.get(..=depth).unwrap_or_default())?;
    }
    Ok(node.filter(|node| node.members().is_some()))
}

/// Places of ascending offsets, each byte looked at once.
struct Places<'d> {
    doc: &'d Document<'d>,
    at: usize,
    place: Place,
}

impl<'d> Places<'d> {
    fn of(doc: &'d Document<'_>) -> Self {
        Self {
            doc,
            at: 0,
            place: doc.place(0),
        }
    }

    fn place(&mut self, at: usize) -> Place {
        match self.doc.text().get(self.at..at) {
            Some(_) if self.at == 0 => self.place = self.doc.place(at),
            Some(passed) => {
                for character in passed.chars() {
                    if character == '\n' {
                        self.place.line += 1;
                        self.place.column = 1;
                    } else {
                        self.place.column += 1;
                    }
                }
            }
            None => self.place = self.doc.place(at),
        }
        self.at = at;
        self.place
    }
}

fn found_in(
    event: &str,
    group: usize,
    node: &Node,
    shape: &Shape,
    places: &mut Places<'_>,
    all: &mut Vec<Found>,
) {
    let grouped = node.member(&shape.group_key).and_then(Node::elements);
    let handlers = match grouped {
        Some(handlers) => handlers,
        None if shape.grouped => return,
        None => std::slice::from_ref(node),
    };
    let keys = |node: &Node| -> Vec<String> {
        let members = node.members().unwrap_or_default();
        members.iter().map(|member| member.key.clone()).collect()
    };
    for (handler, own) in handlers.iter().enumerate() {
        let Some(command) = command(own, shape) else {
            continue;
        };
        let alone = handlers.len() == 1;
        all.push(Found {
            event: event.to_owned(),
            group,
            handler,
            matcher: node
                .member(&shape.matcher_key)
                .and_then(Node::as_str)
                .map(str::to_owned),
            command: command.to_owned(),
            fields: fields(own),
            group_keys: if grouped.is_some() {
                keys(node)
            } else {
                Vec::new()
            },
            alone,
            place: places.place(own.span.start),
            span: if alone { &node.span } else { &own.span }.clone(),
        });
    }
}

/// The members as the host reads them: of a key written twice, the last.
fn fields(handler: &Node) -> Vec<(String, Value)> {
    let members = handler.members().unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut fields: Vec<(String, Value)> = members
        .iter()
        .rev()
        .filter(|member| seen.insert(member.key.as_str()))
        .map(|member| (member.key.clone(), member.value.value()))
        .collect();
    fields.reverse();
    fields
}

fn command<'n>(handler: &'n Node, shape: &Shape) -> Option<&'n str> {
    let mut keys = shape.command_keys.iter();
    keys.find_map(|key| handler.member(key).and_then(Node::as_str))
}

/// What would make the host ignore the file, or the hooks of `event`: to be
/// asked before any write that adds.
pub fn check(doc: &Document<'_>, shape: &Shape, event: &str) -> Result<(), Error> {
    let Some(root) = doc.root() else {
        return Ok(());
    };
    let mut path: Vec<&str> = shape.events_at.iter().map(String::as_str).collect();
    path.push(event);
    let array = doc.get(&path)?;
    if let Some(array) = array
        && array.elements().is_none()
    {
        return Err(Error::new(format!(
            "`{}` is {}, not an array, so the host runs no hook of it",
            path.join("."),
            array.kind_name()
        ))
        .at(doc.place(array.span.start))
        .remedy("make it an array, [], or take it out"));
    }
    if !shape.root_keys.is_empty() {
        for member in root.members().unwrap_or_default() {
            if !shape.root_keys.contains(&member.key) {
                return Err(Error::new(format!(
                    "`{}` is not a key the host knows here, so it ignores this whole file",
                    member.key
                ))
                .at(doc.place(member.key_span.start))
                .remedy("take it out"));
            }
        }
    }
    for strict in &shape.strict_events {
        path.pop();
        path.push(strict);
        let node = doc.get(&path)?;
        if let Some(node) = node
            && shape.exact_types
            && node.elements().is_none()
        {
            return Err(Error::new(format!(
                "`{}` is {}, not an array, so the host drops this whole file",
                path.join("."),
                node.kind_name()
            ))
            .at(doc.place(node.span.start))
            .remedy("make it an array, [], or take it out"));
        }
        for group in node.and_then(Node::elements).unwrap_or_default() {
            strict_group(doc, shape, strict, group)?;
        }
    }
    if shape.bad_matcher_kills_event {
        for group in array.and_then(Node::elements).unwrap_or_default() {
            if let Some(matcher) = group.member(&shape.matcher_key)
                && !matches!(matcher.kind, Kind::String(_) | Kind::Null)
            {
                return Err(Error::new(format!(
                    "this matcher is {}, not a string, so the host runs no hook of `{event}`",
                    matcher.kind_name()
                ))
                .at(doc.place(matcher.span.start))
                .remedy("make it a string"));
            }
        }
    }
    Ok(())
}

fn strict_group(doc: &Document<'_>, shape: &Shape, event: &str, group: &Node) -> Result<(), Error> {
    let drops = |what: &str, node: &Node, remedy: &str| {
        Err(Error::new(format!(
            "{what}, so the host drops this whole file: it is strict with `{event}`"
        ))
        .at(doc.place(node.span.start))
        .remedy(remedy))
    };
    if let Some(matcher) = group.member(&shape.matcher_key)
        && matcher.as_str().is_none()
    {
        return drops(
            &format!("this matcher is {}, not a string", matcher.kind_name()),
            matcher,
            "make it a string",
        );
    }
    let handlers = match group.member(&shape.group_key).and_then(Node::elements) {
        Some(handlers) => handlers,
        None if shape.grouped => return Ok(()),
        None => std::slice::from_ref(group),
    };
    for handler in handlers {
        let kind = handler.member("type");
        let known = |kind: &Node| {
            kind.as_str()
                .is_some_and(|kind| shape.types.iter().any(|known| known == kind))
        };
        if handler.members().is_none() {
            return drops("this handler is not an object", handler, "take it out");
        }
        if !shape.types.is_empty() {
            match kind {
                None => {
                    return drops("this handler has no type", handler, "give it a type");
                }
                Some(kind) if !known(kind) => {
                    let known = shape.types.join(", ");
                    return drops(
                        "the host does not know this type",
                        kind,
                        &format!("make it one of {known}"),
                    );
                }
                Some(_) => {}
            }
        }
        let is_command = kind
            .and_then(Node::as_str)
            .is_none_or(|kind| kind == "command");
        if is_command && command(handler, shape).is_none() {
            return drops(
                "this handler has no command",
                handler,
                "give it a command, or take it out",
            );
        }
        if let Some(flag) = handler.member("async")
            && shape.exact_types
            && !matches!(flag.kind, Kind::Bool(_))
        {
            return drops(
                "this `async` is not a boolean",
                flag,
                "make it true or false",
            );
        }
        for timeout in shape
            .timeout_keys
            .iter()
            .filter_map(|key| handler.member(key))
        {
            let whole = timeout.value().as_u64().is_some();
            let positive = matches!(&timeout.kind, Kind::Number(_))
                && timeout.value().as_f64().is_none_or(|number| number > 0.0);
            if shape.exact_types && !whole {
                return drops(
                    "this timeout is not a whole number",
                    timeout,
                    "make it a whole number of seconds",
                );
            }
            if !shape.exact_types && !positive {
                return drops(
                    "this timeout is not a number above 0",
                    timeout,
                    "make it a number above 0",
                );
            }
        }
    }
    Ok(())
}

/// What happens in one event's array.
#[derive(Debug, Default)]
struct Work<'c> {
    /// Handlers to take out, by group.
    removed: BTreeMap<usize, BTreeSet<usize>>,
    /// Groups to put in at the end.
    added: Vec<&'c Entry>,
    /// Entries for empty groups.
    reused: BTreeMap<usize, &'c Entry>,
    /// Handlers to change, and whether their matcher too.
    replaced: BTreeMap<(usize, usize), (&'c Entry, bool)>,
}

/// All changes of one file, as splices.
///
/// Errors where the file cannot be changed as asked (see [`check`]; an index
/// where no handler is), and rather than give a text that the host would read
/// differently in anything but ours.
pub fn splices(
    doc: &Document<'_>,
    shape: &Shape,
    changes: &[Change],
    made: &Made,
) -> Result<Edited, Error> {
    let mut works: Vec<(&str, Work<'_>)> = Vec::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut checked: BTreeSet<&str> = BTreeSet::new();
    for change in changes {
        let event = match change {
            Change::Forget(path) => {
                return Err(Error::new(format!(
                    "`{}` cannot be taken out of a JSON file",
                    path.join(".")
                )));
            }
            Change::Add(entry) | Change::Reuse { entry, .. } => {
                if checked.insert(&entry.event) {
                    check(doc, shape, &entry.event)?;
                }
                &entry.event
            }
            Change::Remove(at) | Change::Replace { at, .. } => &at.event,
        };
        let index = *known.entry(event).or_insert(works.len());
        if index == works.len() {
            works.push((event, Work::default()));
        }
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
                work.replaced
                    .insert((at.group, at.handler), (entry, *matcher));
            }
        }
    }
    let mut editor = Editor {
        doc,
        shape,
        made,
        splices: Vec::new(),
        may_go: Vec::new(),
        edited: Edited::default(),
    };
    editor.file(&works)?;
    let Editor {
        splices,
        may_go,
        mut edited,
        ..
    } = editor;
    edited.splices = joined(splices);
    edited.text = apply(doc.text(), &edited.splices)?;
    let new = verify::unchanged(doc, &edited, &may_go)?;
    verify::entries(doc, &new, shape, changes)?;
    edited.bare = bare(&new, shape);
    Ok(edited)
}

/// Whether the file holds nothing but what a new file of ours begins with.
fn bare(doc: &Document<'_>, shape: &Shape) -> bool {
    let Some(root) = doc.root() else {
        return doc.comments_in(&(0..doc.text().len())).is_empty();
    };
    doc.comments_in(&(0..doc.text().len())).is_empty()
        && root.members().is_some_and(|members| {
            members.iter().all(|member| {
                let begins = shape
                    .root
                    .iter()
                    .any(|(key, value)| *key == member.key && *value == member.value.value());
                let empty = member.value.members().is_some_and(<[Member]>::is_empty);
                begins || (empty && shape.events_at.first() == Some(&member.key))
            })
        })
}

/// Splices in order; those that touch are one.
pub(super) fn joined(mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.retain(|splice| splice.removed != splice.inserted);
    splices.sort_by_key(|splice| (splice.at, splice.removed.len()));
    let mut all: Vec<Splice> = Vec::with_capacity(splices.len());
    for splice in splices {
        match all.last_mut() {
            Some(last) if last.end() == splice.at => {
                last.removed.push_str(&splice.removed);
                last.inserted.push_str(&splice.inserted);
            }
            _ => all.push(splice),
        }
    }
    all
}

struct Editor<'d> {
    doc: &'d Document<'d>,
    shape: &'d Shape,
    made: &'d Made,
    splices: Vec<Splice>,
    /// Bytes of the old text that these changes may take out.
    may_go: Vec<Range<usize>>,
    edited: Edited,
}

impl<'d> Editor<'d> {
    fn file(&mut self, works: &[(&str, Work<'_>)]) -> Result<(), Error> {
        let keys: Vec<&str> = self.shape.events_at.iter().map(String::as_str).collect();
        // The objects that are there, from the root down to the events.
        let mut levels: Vec<&'d Node> = Vec::new();
        for depth in 0..=keys.len() {
            match self.doc.get(keys.get(..depth).unwrap_or_default())? {
                Some(node) if node.members().is_some() => levels.push(node),
                Some(node) => return Err(self.no_object(node)),
                None => break,
            }
        }
        let complete = levels.len() == keys.len() + 1;
        let mut edit = Edit::default();
        let mut created: Vec<(&str, &Work<'_>)> = Vec::new();
        for (event, work) in works {
            let events = levels.last().filter(|_| complete);
            let array = match events {
                Some(_) => {
                    let mut path = keys.clone();
                    path.push(event);
                    self.doc.get(&path)?
                }
                None => None,
            };
            let (Some(events), Some(array)) = (events, array) else {
                if !work.removed.is_empty() || !work.replaced.is_empty() || !work.reused.is_empty()
                {
                    return Err(Error::new(format!("there is no entry under `{event}`")));
                }
                if !work.added.is_empty() {
                    created.push((event, work));
                }
                continue;
            };
            let members = events.members().unwrap_or_default();
            if self.event(event, events, array, work)?
                && let Some(index) = members.iter().position(|member| member.key == *event)
            {
                edit.removed.insert(index);
            }
        }
        let mut new: Vec<Child> = created
            .iter()
            .map(|(event, work)| {
                let groups = work.added.iter().map(|entry| self.group(entry)).collect();
                Child {
                    key: Some((*event).to_owned()),
                    tree: Tree::Array(groups),
                }
            })
            .collect();
        if !new.is_empty() {
            for depth in levels.len()..=keys.len() {
                self.creates(depth);
            }
            for (event, _) in &created {
                let mut path = self.shape.events_at.clone();
                path.push((*event).to_owned());
                self.edited.made.containers.push(path);
            }
            // What is missing between the last object there and the events.
            for key in self
                .shape
                .events_at
                .iter()
                .skip(levels.len().max(1) - 1)
                .rev()
            {
                new = vec![Child {
                    key: Some(key.clone()),
                    tree: Tree::Object(
                        new.into_iter()
                            .filter_map(|child| Some((child.key?, child.tree)))
                            .collect(),
                    ),
                }];
            }
        }
        if levels.is_empty() {
            if !new.is_empty() {
                self.fresh(new);
            }
            return Ok(());
        }
        edit.added = new;
        self.upwards(&levels, edit);
        Ok(())
    }

    fn no_object(&self, node: &Node) -> Error {
        Error::new(format!(
            "`{}` is {}, not an object",
            self.shape.events_at.join("."),
            node.kind_name()
        ))
        .at(self.doc.place(node.span.start))
        .remedy("make it an object, {}, or take it out")
    }

    /// Remembers that the object `depth` keys below the root is ours.
    fn creates(&mut self, depth: usize) {
        let path = self.shape.events_at.get(..depth).unwrap_or_default();
        self.edited.made.containers.push(path.to_vec());
        if depth == 0 {
            for (key, _) in &self.shape.root {
                self.edited.made.containers.push(vec![key.clone()]);
            }
        }
    }

    /// A whole new value in a text that holds none.
    fn fresh(&mut self, events: Vec<Child>) {
        let mut members: Vec<(String, Tree)> = Vec::new();
        for (key, value) in &self.shape.root {
            members.push((key.clone(), Tree::Value(value.clone())));
        }
        for child in events {
            if let Some(key) = child.key {
                members.push((key, child.tree));
            }
        }
        let style = self.doc.style();
        let text = self.doc.text();
        let last = self.doc.comments_in(&(0..text.len())).last();
        let commented = last.is_some();
        let open = last.is_some_and(|comment| {
            let rest = text.get(comment.span.end..).unwrap_or_default();
            comment.line && !rest.contains('\n')
        });
        let mut body = String::new();
        style.tree(&Tree::Object(members), "", &mut body);
        let at = if commented {
            text.len()
        } else if style.bom {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        // One line ending comes with it, so that one goes with it.
        if open || (commented && !style.final_newline) {
            // A lone carriage return does not close a comment.
            let closes = style.newline.contains('\n');
            body.insert_str(0, if closes { style.newline } else { "\n" });
        } else {
            body.push_str(style.newline);
        }
        self.splices.push(Splice::insert(at, body));
    }

    /// From the events object to the root: what is empty and ours goes with its
    /// member, one level after the other.
    fn upwards(&mut self, levels: &[&'d Node], mut edit_here: Edit<'d>) {
        let made = self.made;
        for depth in (0..levels.len()).rev() {
            let Some(node) = levels.get(depth).copied() else {
                return;
            };
            if edit_here.is_nothing() {
                return;
            }
            let path = self.shape.events_at.get(..depth).unwrap_or_default();
            let parent = depth.checked_sub(1).and_then(|up| levels.get(up)).copied();
            let members = node.members().unwrap_or_default();
            let emptied = edit_here.added.is_empty() && edit_here.removed.len() == members.len();
            if depth == 0 && self.whole_goes(node, &edit_here) {
                self.whole();
                return;
            }
            if depth > 0
                && emptied
                && made.holds(path)
                && let Some(parent) = parent
                && let Some(index) = index_of(parent, node)
                && self.may_drop(parent, index)
            {
                edit_here = Edit::default();
                edit_here.removed.insert(index);
                continue;
            }
            edit_here.gap = made.gap(path);
            self.container(node, parent, path, &edit_here);
            return;
        }
    }

    /// Whether the member holds no comment: those are never dropped.
    fn may_drop(&self, parent: &Node, index: usize) -> bool {
        let members = parent.members().unwrap_or_default();
        members
            .get(index)
            .is_some_and(|member| self.doc.comments_in(&member.span()).is_empty())
    }

    /// Whether we made the whole text and nothing else is left in it.
    fn whole_goes(&self, root: &Node, edit: &Edit<'_>) -> bool {
        let members = root.members().unwrap_or_default();
        edit.added.is_empty()
            && self.made.holds(&[])
            && self.stands_alone(root)
            && members.iter().enumerate().all(|(index, member)| {
                edit.removed.contains(&index)
                    || (self.made.holds(std::slice::from_ref(&member.key))
                        && self.shape.root.iter().any(|(key, value)| {
                            *key == member.key && *value == member.value.value()
                        }))
            })
    }

    /// Whether no comment would be lost with the root, or left alone in a file
    /// that the host then could not read.
    fn stands_alone(&self, root: &Node) -> bool {
        let all = 0..self.doc.text().len();
        let span = if self.doc.grammar().empty {
            &root.span
        } else {
            &all
        };
        self.doc.comments_in(span).is_empty()
    }

    /// The whole value out, with the line ending that came with it.
    fn whole(&mut self) {
        let Some(root) = self.doc.root() else {
            return;
        };
        let text = self.doc.text();
        let newline = self.doc.style().newline;
        let Range { mut start, mut end } = root.span.clone();
        let rest = text.get(end..).unwrap_or_default();
        let before = text.get(..start).unwrap_or_default();
        if rest.starts_with(newline) {
            end += newline.len();
        } else if rest.is_empty() && before.ends_with(newline) {
            start -= newline.len();
        }
        self.cut(start..end);
    }

    fn cut(&mut self, span: Range<usize>) {
        self.splices.push(Splice {
            at: span.start,
            removed: self.part(span.clone()),
            inserted: String::new(),
        });
        self.may_go.push(span);
    }

    fn part(&self, span: Range<usize>) -> String {
        self.doc.text().get(span).unwrap_or_default().to_owned()
    }

    /// Changes one container and remembers what that takes out or fills.
    fn container(
        &mut self,
        node: &'d Node,
        parent: Option<&Node>,
        path: &[String],
        change: &Edit<'_>,
    ) {
        if change.is_nothing() {
            return;
        }
        let spans = node.child_spans();
        for index in &change.removed {
            self.may_go.extend(spans.get(*index).cloned());
        }
        if !change.added.is_empty()
            && let Some(gap) = gap_of(self.doc, node)
        {
            self.edited.made.gaps.push((path.to_vec(), gap));
        }
        self.splices.extend(edit(self.doc, node, parent, change));
    }

    /// One event's array. True if it is left empty and goes with its key.
    fn event(
        &mut self,
        event: &str,
        events: &'d Node,
        array: &'d Node,
        work: &Work<'_>,
    ) -> Result<bool, Error> {
        let Some(groups) = array.elements() else {
            return Err(
                Error::new(format!("`{event}` is {}, not an array", array.kind_name()))
                    .at(self.doc.place(array.span.start))
                    .remedy("make it an array, [], or take it out"),
            );
        };
        let missing = |group: usize, handler: usize| {
            Error::new(format!(
                "there is no handler {handler} in group {group} of `{event}`"
            ))
            .at(self.doc.place(array.span.start))
        };
        let mut edit_array = Edit::default();
        let mut inner: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        for (group, handlers) in &work.removed {
            let node = groups.get(*group).ok_or_else(|| missing(*group, 0))?;
            let there = self.handlers(node);
            if let Some(beyond) = handlers.iter().find(|handler| **handler >= there.len()) {
                return Err(missing(*group, *beyond));
            }
            if handlers.len() == there.len() && self.ours_alone(node) {
                edit_array.removed.insert(*group);
            } else {
                inner.push((*group, handlers.clone()));
            }
        }
        let slots = self.slots(&mut edit_array, groups.len(), work);
        for group in slots {
            let Some(node) = groups.get(group) else {
                continue;
            };
            let slot = Tree::Object(vec![(
                self.shape.group_key.clone(),
                Tree::Array(Vec::new()),
            )]);
            let mut text = String::new();
            self.doc.style().tree_inline(&slot, &mut text);
            self.replace(node.span.clone(), text);
            self.edited.slots.push(At {
                event: event.to_owned(),
                group,
                handler: 0,
            });
        }
        for (group, entry) in &work.reused {
            let node = groups.get(*group).ok_or_else(|| missing(*group, 0))?;
            if !self.handlers(node).is_empty() || !self.ours_alone(node) {
                return Err(Error::new(format!(
                    "group {group} of `{event}` is not the empty one that was left behind"
                ))
                .at(self.doc.place(node.span.start)));
            }
            let text = self.written(&self.group(entry), array, node);
            self.replace(node.span.clone(), text);
        }
        for (group, removed) in inner {
            let node = groups
                .get(group)
                .and_then(|g| g.member(&self.shape.group_key));
            if let (Some(node), Some(group)) = (node, groups.get(group)) {
                let change = Edit {
                    removed,
                    ..Edit::default()
                };
                self.container(node, Some(group), &[], &change);
            }
        }
        for ((group, handler), (entry, matcher)) in &work.replaced {
            let node = groups
                .get(*group)
                .ok_or_else(|| missing(*group, *handler))?;
            let own = self.handlers(node).get(*handler);
            let own = own.ok_or_else(|| missing(*group, *handler))?;
            self.fields(array, node, own, entry, *matcher)?;
        }
        edit_array.added = work
            .added
            .iter()
            .map(|entry| Child {
                key: None,
                tree: self.group(entry),
            })
            .collect();
        let mut path = self.shape.events_at.clone();
        path.push(event.to_owned());
        let members = events.members().unwrap_or_default();
        if edit_array.added.is_empty()
            && edit_array.removed.len() == groups.len()
            && !groups.is_empty()
            && self.made.holds(&path)
            && let Some(index) = members.iter().position(|member| member.key == event)
            && self.may_drop(events, index)
        {
            return Ok(true);
        }
        edit_array.gap = self.made.gap(&path);
        self.container(array, Some(events), &path, &edit_array);
        Ok(false)
    }

    /// Groups that have to leave an empty one, since a group that stays follows;
    /// they are no longer in `edit.removed`.
    fn slots(&self, edit: &mut Edit<'_>, groups: usize, work: &Work<'_>) -> Vec<usize> {
        if !self.shape.keep_slot || !self.shape.grouped {
            return Vec::new();
        }
        let last_kept = (0..groups)
            .rev()
            .find(|group| !edit.removed.contains(group));
        let slots: Vec<usize> = edit
            .removed
            .iter()
            .copied()
            .filter(|group| last_kept.is_some_and(|kept| *group < kept))
            .filter(|group| !work.reused.contains_key(group))
            .collect();
        for slot in &slots {
            edit.removed.remove(slot);
        }
        slots
    }

    fn handlers(&self, group: &'d Node) -> &'d [Node] {
        match group.member(&self.shape.group_key).and_then(Node::elements) {
            Some(handlers) => handlers,
            None if self.shape.grouped => &[],
            None => std::slice::from_ref(group),
        }
    }

    /// Whether the group has no key but those we write.
    fn ours_alone(&self, group: &Node) -> bool {
        let grouped = group
            .member(&self.shape.group_key)
            .and_then(Node::elements)
            .is_some();
        !grouped
            || group.members().unwrap_or_default().iter().all(|member| {
                member.key == self.shape.group_key
                    || member.key == self.shape.matcher_key
                    || Some(&member.key) == self.shape.marker_key.as_ref()
            })
    }

    /// What stands in the event's array for `entry`.
    fn group(&self, entry: &Entry) -> Tree {
        let matcher = entry.matcher.as_ref().map(|matcher| {
            (
                self.shape.matcher_key.clone(),
                Tree::Value(Value::String(matcher.clone())),
            )
        });
        let handler = entry
            .handler
            .iter()
            .map(|(key, value)| (key.clone(), Tree::Value(value.clone())));
        if self.shape.grouped {
            let handlers = Tree::Array(vec![Tree::Object(handler.collect())]);
            let hooks = (self.shape.group_key.clone(), handlers);
            Tree::Object(matcher.into_iter().chain([hooks]).collect())
        } else {
            Tree::Object(handler.chain(matcher).collect())
        }
    }

    /// `tree` as it is written in the place of `node`.
    fn written(&self, tree: &Tree, parent: &Node, node: &Node) -> String {
        let style = self.doc.style();
        let mut text = String::new();
        if has_break(&self.part(parent.span.clone())) {
            let indent = super::style::line_indent(self.doc.text(), node.span.start);
            style.tree(tree, indent, &mut text);
        } else {
            style.tree_inline(tree, &mut text);
        }
        text
    }

    fn replace(&mut self, span: Range<usize>, text: String) {
        self.may_go.push(span.clone());
        self.splices.push(Splice {
            at: span.start,
            removed: self.part(span),
            inserted: text,
        });
    }

    /// Makes the fields of a handler those of `entry`.
    fn fields(
        &mut self,
        array: &'d Node,
        group: &'d Node,
        handler: &'d Node,
        entry: &Entry,
        matcher: bool,
    ) -> Result<(), Error> {
        let grouped = group.span != handler.span;
        let mut wanted: Vec<(String, Value)> = entry.handler.clone();
        let own_matcher = |entry: &Entry| {
            let value = Value::String(entry.matcher.clone()?);
            Some((self.shape.matcher_key.clone(), value))
        };
        if grouped && matcher {
            if self.handlers(group).len() > 1 {
                return Err(
                    Error::new("this matcher also decides when other handlers run")
                        .at(self.doc.place(group.span.start)),
                );
            }
            let keep = |key: &str| key != self.shape.matcher_key;
            let wanted: Vec<(String, Value)> = own_matcher(entry).into_iter().collect();
            self.members(group, array, &wanted, &keep);
        } else if !grouped && matcher {
            wanted.extend(own_matcher(entry));
        }
        let keep = |key: &str| !grouped && !matcher && key == self.shape.matcher_key;
        self.members(handler, if grouped { group } else { array }, &wanted, &keep);
        Ok(())
    }

    /// Makes the members of an object those of `wanted` and those to `keep`.
    fn members(
        &mut self,
        node: &'d Node,
        parent: &'d Node,
        wanted: &[(String, Value)],
        keep: &dyn Fn(&str) -> bool,
    ) {
        let members = node.members().unwrap_or_default();
        let mut change = Edit::default();
        for (index, member) in members.iter().enumerate() {
            if !keep(&member.key) && wanted.iter().all(|(key, _)| *key != member.key) {
                change.removed.insert(index);
            }
        }
        for (key, value) in wanted {
            match members.iter().rev().find(|member| member.key == *key) {
                Some(member) if member.value.value() == *value => {}
                Some(member) => {
                    let text = self.written(&Tree::Value(value.clone()), node, &member.value);
                    self.replace(member.value.span.clone(), text);
                }
                None => change.added.push(Child {
                    key: Some(key.clone()),
                    tree: Tree::Value(value.clone()),
                }),
            }
        }
        self.container(node, Some(parent), &[], &change);
    }
}

fn index_of(parent: &Node, child: &Node) -> Option<usize> {
    let members = parent.members()?;
    members
        .iter()
        .position(|member| member.value.span == child.span)
}
