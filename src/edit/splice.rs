//! A change of a text as a list of splices: apply it, turn it round.

use crate::error::{Error, Place};

/// One change of a text: `removed` stood at byte `at` of the old text and is
/// replaced by `inserted`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Byte offset in the old text.
    pub at: usize,
    /// What stood there.
    pub removed: String,
    /// What stands there now.
    pub inserted: String,
}

impl Splice {
    /// `inserted` put in at byte `at`; nothing goes.
    pub fn insert(at: usize, inserted: impl Into<String>) -> Self {
        Self {
            at,
            removed: String::new(),
            inserted: inserted.into(),
        }
    }

    /// Byte offset in the old text where what is removed ends.
    pub fn end(&self) -> usize {
        self.at.saturating_add(self.removed.len())
    }
}

/// The text after `splices`, which are sorted by `at` and do not overlap.
///
/// Errors if they are not, or if a `removed` text is not there: then the text is
/// another one than the splices were made for.
pub fn apply(text: &str, splices: &[Splice]) -> Result<String, Error> {
    let grown: usize = splices.iter().map(|splice| splice.inserted.len()).sum();
    let mut new = String::with_capacity(text.len().saturating_add(grown));
    let mut done = 0;
    for splice in splices {
        let kept = text.get(done..splice.at);
        let gone = text.get(splice.at..splice.end());
        let (Some(kept), Some(gone)) = (kept, gone) else {
            return Err(changed(text, splice.at));
        };
        if gone != splice.removed {
            return Err(changed(text, splice.at));
        }
        new.push_str(kept);
        new.push_str(&splice.inserted);
        done = splice.end();
    }
    new.push_str(text.get(done..).unwrap_or_default());
    Ok(new)
}

fn changed(text: &str, at: usize) -> Error {
    Error::new("the text here is not the one this change was made for").at(Place::of(text, at))
}

/// The splices that take `apply(old, splices)` back to `old`.
pub fn inverse(splices: &[Splice]) -> Vec<Splice> {
    let mut inserted = 0_usize;
    let mut removed = 0_usize;
    splices
        .iter()
        .map(|splice| {
            let back = Splice {
                at: splice.at.saturating_add(inserted).saturating_sub(removed),
                removed: splice.inserted.clone(),
                inserted: splice.removed.clone(),
            };
            inserted = inserted.saturating_add(splice.inserted.len());
            removed = removed.saturating_add(splice.removed.len());
            back
        })
        .collect()
}
