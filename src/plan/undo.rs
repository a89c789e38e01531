//! The plan that takes back a run, from the journal's record of it.
//!
//! Text and record in, plan out; no IO here.

use super::file::{self, Action, After, EntryPlan, File, FilePlan, Goal};
use super::journal::{Record, State, Written, sha256};
use crate::edit;
use crate::error::Error;
use crate::hook::Hook;
use crate::host::table::Host;

/// The plan for the file of `record`, whose text is now `file.text`.
///
/// A file that is as the run left it goes back to the byte. In one that was
/// changed since, the entries the run added are taken out, or those it took out
/// are put back.
///
/// # Errors
/// The file was changed since and the run both added and took out entries, or
/// changed one: then what the old text was cannot be told.
pub fn plan(host: &Host, file: &File<'_>, record: &Record) -> Result<FilePlan, Error> {
    let entries = difference(record.state.as_ref(), record.previous.as_ref());
    let now = file.text.map(|text| sha256(text.as_bytes()));
    if now == record.after {
        let text = file.text.unwrap_or_default();
        let splices = edit::inverse(&record.splices);
        let after = edit::apply(text, &splices)?;
        return Ok(FilePlan {
            after: if record.before.is_none() {
                After::Gone
            } else {
                After::Text(after)
            },
            splices,
            entries,
            state: record.previous.clone(),
            notes: Vec::new(),
            refused: Vec::new(),
        });
    }
    let hooks = |wanted: Action| -> Vec<Hook> {
        entries
            .iter()
            .filter(|entry| entry.action == wanted)
            .map(|entry| entry.hook)
            .collect()
    };
    let (add, remove) = (hooks(Action::Added), hooks(Action::Removed));
    let goal = match (add.is_empty(), remove.is_empty()) {
        (true, false) => Goal::Uninstall { hooks: remove },
        (false, true) => Goal::Install {
            hooks: add,
            migrate: false,
        },
        _ => {
            return Err(Error::new(
                "the file was changed since, and what it was before cannot be told",
            )
            .remedy("run `pan-hooks uninstall`, or `pan-hooks install` for what you want"));
        }
    };
    file::plan(host, file, &goal)
}

/// What happens to entries on the way from `now` back to `before`.
fn difference(now: Option<&State>, before: Option<&State>) -> Vec<EntryPlan> {
    let list = |state: Option<&State>| -> Vec<Written> {
        state.map_or_else(Vec::new, |state| state.entries.clone())
    };
    let (now, before) = (list(now), list(before));
    let plan = |entry: &Written, action| {
        Some(EntryPlan {
            hook: Hook::named(&entry.hook)?,
            event: entry.event.clone(),
            action,
        })
    };
    let same = |a: &Written, b: &Written| a.hook == b.hook && a.event == b.event;
    let mut plans = Vec::new();
    for entry in &now {
        plans.extend(match before.iter().find(|other| same(entry, other)) {
            None => plan(entry, Action::Removed),
            Some(other) if other != entry => plan(entry, Action::Updated),
            Some(_) => plan(entry, Action::Kept),
        });
    }
    for entry in &before {
        if !now.iter().any(|other| same(entry, other)) {
            plans.extend(plan(entry, Action::Added));
        }
    }
    plans
}
