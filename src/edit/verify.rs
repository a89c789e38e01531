//! The last look before a text is given out: it must read like the old one in
//! everything that is not ours. Nothing here knows how the splices were made.

use std::ops::Range;

use super::document::{Document, Kind, Node};
use super::entries::{At, Change, Edited, Entry, Found, Shape, found};
use super::splice::Splice;
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
    comments(old, &new, &edited.splices)?;
    Ok(new)
}

fn blank(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.bytes()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// Every comment is still there, in order, and still a comment.
fn comments(old: &Document<'_>, new: &Document<'_>, splices: &[Splice]) -> Result<(), Error> {
    let texts = |doc: &Document<'_>| -> Vec<String> {
        doc.comments_in(&(0..doc.text().len()))
            .iter()
            .map(|comment| {
                let text = doc.text().get(comment.span.clone());
                text.unwrap_or_default().to_owned()
            })
            .collect()
    };
    // A text without a value is not parsed anew, so its comments are not known.
    if new.root().is_none() && !splices.is_empty() && new.text().is_empty() {
        return if texts(old).is_empty() {
            Ok(())
        } else {
            Err(doubtful("a comment would be lost"))
        };
    }
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
    fn kept<'n>(&self, spans: &'n [Range<usize>]) -> Result<Vec<usize>, Error> {
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
}

/// The handlers of each event after `changes` are those before, ours changed.
pub(super) fn entries(
    old: &Document<'_>,
    new: &Document<'_>,
    shape: &Shape,
    changes: &[Change],
) -> Result<(), Error> {
    let before = found(old, shape)?;
    let after = found(new, shape)?;
    let mut expected: Vec<(At, Is)> = before
        .iter()
        .filter(|found| {
            let at = found.at();
            !changes
                .iter()
                .any(|change| matches!(change, Change::Remove(gone) if *gone == at))
        })
        .map(|found| (found.at(), Is::of(found)))
        .collect();
    for change in changes {
        match change {
            Change::Remove(_) => {}
            Change::Add(entry) => expected.push((
                At {
                    event: entry.event.clone(),
                    group: usize::MAX,
                    handler: 0,
                },
                Is::written(entry, shape),
            )),
            Change::Reuse { group, entry } => expected.push((
                At {
                    event: entry.event.clone(),
                    group: *group,
                    handler: 0,
                },
                Is::written(entry, shape),
            )),
            Change::Replace { at, entry, matcher } => {
                if let Some((_, is)) = expected.iter_mut().find(|(known, _)| known == at) {
                    let mut wanted = Is::written(entry, shape);
                    if !*matcher {
                        wanted = Is::new(
                            is.matcher.clone(),
                            wanted
                                .fields
                                .into_iter()
                                .filter(|(key, _)| shape.grouped || *key != shape.matcher_key)
                                .chain(
                                    is.fields
                                        .iter()
                                        .filter(|(key, _)| {
                                            !shape.grouped && *key == shape.matcher_key
                                        })
                                        .cloned(),
                                )
                                .collect(),
                        );
                    }
                    *is = wanted;
                }
            }
        }
    }
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    let mut there: Vec<(At, Is)> = after
        .iter()
        .map(|found| (found.at(), Is::of(found)))
        .collect();
    there.sort_by(|a, b| a.0.cmp(&b.0));
    let pairs = || expected.iter().zip(&there);
    let equal = expected.len() == there.len()
        && pairs().all(|((a, expected), (b, there))| a.event == b.event && expected == there);
    if equal {
        Ok(())
    } else {
        Err(doubtful("the hooks would not be the expected ones"))
    }
}
