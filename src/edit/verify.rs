//! The last look before a text is given out: it must read like the old one in
//! everything that is not ours. Nothing here knows how the splices were made.

use std::collections::BTreeMap;
use std::ops::Range;

use super::document::{Document, Kind, Node};
use super::entries::{At, Change, Edited, Entry, Found, Shape, found};
use crate::error::Error;

fn doubtful(what: &str) -> Error {
    Error::new(format!(
        "the change was worked out wrongly ({what}), so nothing was changed"
    ))
    .remedy("report this file's layout as a defect of pan-hooks")
}

/// Parses the new text and compares it with the old one, all that the splices
/// put in or took out left aside. `may_go`: what they are allowed to take out.
pub(super) fn unchanged<'e>(
    old: &Document<'_>,
    edited: &'e Edited,
    may_go: &[Range<usize>],
) -> Result<Document<'e>, Error> {
    let absent = edited.text.is_empty() && old.text().is_empty();
    let new = if absent || blank(&edited.text) {
        // Taking out a file's whole content is for a caller that deletes it.
        Document::absent(old.grammar())
    } else {
        Document::parse(&edited.text, old.grammar()).map_err(|error| doubtful(&error.what))?
    };
    let mut inserted = Vec::with_capacity(edited.splices.len());
    let mut removed = Vec::with_capacity(edited.splices.len());
    let mut shift = 0_usize;
    let mut gone = 0_usize;
    for splice in &edited.splices {
        let at = (splice.at + shift).saturating_sub(gone);
        inserted.push(at..at + splice.inserted.len());
        removed.push(splice.at..splice.end());
        shift += splice.inserted.len();
        gone += splice.removed.len();
    }
    let mut allowed = may_go.to_vec();
    allowed.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let comparison = Comparison {
        old: old.text(),
        new: &edited.text,
        inserted,
        removed,
        allowed,
    };
    match (old.root(), new.root()) {
        (None, _) => {}
        (Some(root), None) if comparison.was_ours(&root.span) => {}
        (Some(before), Some(after)) => comparison.same(before, after)?,
        (Some(_), None) => return Err(doubtful("the file would be empty")),
    }
    comments(old, &new)?;
    Ok(new)
}

fn blank(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.bytes()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// Every comment is still there, in order, and still a comment.
fn comments(old: &Document<'_>, new: &Document<'_>) -> Result<(), Error> {
    let texts = |doc: &Document<'_>| -> Vec<String> {
        doc.comments_in(&(0..doc.text().len()))
            .iter()
            .map(|comment| {
                let text = doc.text().get(comment.span.clone());
                text.unwrap_or_default().to_owned()
            })
            .collect()
    };
    if texts(old) == texts(new) {
        Ok(())
    } else {
        Err(doubtful("a comment would change"))
    }
}

struct Comparison<'t> {
    old: &'t str,
    new: &'t str,
    inserted: Vec<Range<usize>>,
    removed: Vec<Range<usize>>,
    allowed: Vec<Range<usize>>,
}

fn within(span: &Range<usize>, spans: &[Range<usize>]) -> bool {
    let after = spans.partition_point(|other| other.start <= span.start);
    after
        .checked_sub(1)
        .and_then(|index| spans.get(index))
        .is_some_and(|other| span.end <= other.end)
}

impl Comparison<'_> {
    fn was_ours(&self, span: &Range<usize>) -> bool {
        within(span, &self.removed)
    }

    /// The children that stay. One that went must have been allowed to.
    fn kept(&self, spans: &[Range<usize>]) -> Result<Vec<usize>, Error> {
        let mut kept = Vec::with_capacity(spans.len());
        for (index, span) in spans.iter().enumerate() {
            if !within(span, &self.removed) {
                kept.push(index);
            } else if !within(span, &self.allowed) {
                return Err(doubtful("something of others would go"));
            }
        }
        Ok(kept)
    }

    fn same(&self, before: &Node, after: &Node) -> Result<(), Error> {
        let old = before.child_spans();
        let new = after.child_spans();
        let kept = self.kept(&old)?;
        let stays: Vec<usize> = (0..new.len())
            .filter(|index| {
                new.get(*index)
                    .is_some_and(|span| !within(span, &self.inserted))
            })
            .collect();
        let pairs = kept.iter().zip(&stays);
        let differ = || doubtful("something of others would change");
        if kept.len() != stays.len() {
            return Err(differ());
        }
        match (&before.kind, &after.kind) {
            (Kind::Array(before), Kind::Array(after)) => {
                for (old, new) in pairs {
                    match (before.get(*old), after.get(*new)) {
                        (Some(old), Some(new)) => self.same(old, new)?,
                        _ => return Err(differ()),
                    }
                }
                Ok(())
            }
            (Kind::Object(before), Kind::Object(after)) => {
                for (old, new) in pairs {
                    let (Some(old), Some(new)) = (before.get(*old), after.get(*new)) else {
                        return Err(differ());
                    };
                    if self.old.get(old.key_span.clone()) != self.new.get(new.key_span.clone()) {
                        return Err(differ());
                    }
                    match (
                        within(&old.value.span, &self.removed),
                        within(&new.value.span, &self.inserted),
                    ) {
                        (false, false) => self.same(&old.value, &new.value)?,
                        (true, true) if within(&old.value.span, &self.allowed) => {}
                        _ => return Err(differ()),
                    }
                }
                Ok(())
            }
            (Kind::Array(_) | Kind::Object(_), _) | (_, Kind::Array(_) | Kind::Object(_)) => {
                Err(differ())
            }
            _ if self.old.get(before.span.clone()) == self.new.get(after.span.clone()) => Ok(()),
            _ => Err(differ()),
        }
    }
}

/// What a handler is, apart from where it stands.
#[derive(Debug, PartialEq)]
struct Is {
    matcher: Option<String>,
    fields: Vec<(String, serde_json::Value)>,
}

impl Is {
    fn of(found: &Found) -> Self {
        Self::new(found.matcher.clone(), found.fields.clone())
    }

    fn new(matcher: Option<String>, mut fields: Vec<(String, serde_json::Value)>) -> Self {
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        Self { matcher, fields }
    }

    fn written(entry: &Entry, shape: &Shape) -> Self {
        let mut fields = entry.handler.clone();
        if !shape.grouped
            && let Some(matcher) = &entry.matcher
        {
            fields.push((
                shape.matcher_key.clone(),
                serde_json::Value::String(matcher.clone()),
            ));
        }
        Self::new(entry.matcher.clone(), fields)
    }

    /// What it is after a replacement that leaves or takes the matcher.
    fn becomes(&mut self, entry: &Entry, matcher: bool, shape: &Shape) {
        let mut entry = entry.clone();
        if !matcher {
            entry.matcher = None;
            let own = |field: &&(String, serde_json::Value)| {
                !shape.grouped && field.0 == shape.matcher_key
            };
            entry.handler.extend(self.fields.iter().find(own).cloned());
        }
        let matcher = if matcher {
            entry.matcher.clone()
        } else {
            self.matcher.take()
        };
        *self = Self {
            matcher,
            ..Self::written(&entry, shape)
        };
    }
}

/// The handlers of each event after `changes` are those before, ours changed.
pub(super) fn entries(
    old: &Document<'_>,
    new: &Document<'_>,
    shape: &Shape,
    changes: &[Change],
) -> Result<(), Error> {
    let mut expected: BTreeMap<(At, usize), Is> = found(old, shape)?
        .iter()
        .map(|found| ((found.at(), 0), Is::of(found)))
        .collect();
    for (index, change) in changes.iter().enumerate() {
        let end = |event: &str, group: usize| {
            let event = event.to_owned();
            let at = At {
                event,
                group,
                handler: 0,
            };
            (at, index)
        };
        match change {
            Change::Forget(_) => {}
            Change::Remove(at) => {
                expected.remove(&(at.clone(), 0));
            }
            Change::Add(entry) => {
                expected.insert(end(&entry.event, usize::MAX), Is::written(entry, shape));
            }
            Change::Reuse { group, entry } => {
                expected.insert(end(&entry.event, *group), Is::written(entry, shape));
            }
            Change::Replace { at, entry, matcher } => {
                if let Some(is) = expected.get_mut(&(at.clone(), 0)) {
                    is.becomes(entry, *matcher, shape);
                }
            }
        }
    }
    let there: BTreeMap<At, Is> = found(new, shape)?
        .iter()
        .map(|found| (found.at(), Is::of(found)))
        .collect();
    let mut pairs = expected.iter().zip(&there);
    if expected.len() == there.len()
        && pairs.all(|(((a, _), expected), (b, there))| a.event == b.event && expected == there)
    {
        Ok(())
    } else {
        Err(doubtful("the hooks would not be the expected ones"))
    }
}
