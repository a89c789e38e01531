//! What a run changed, as text and as `--json`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::printer::Printer;
use crate::error::Error;
use crate::host::table::{Host, Scope};
use crate::plan::file::{Action, After, EntryPlan, FilePlan};

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    /// It is new.
    Created,
    /// It was changed.
    Changed,
    /// It is gone: we had made it, and nothing else was in it.
    Removed,
    /// It is as it was.
    Unchanged,
    /// It is as it was, and not as was asked for.
    Refused,
}

impl FileAction {
    /// The word in `--json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Unchanged => "unchanged",
            Self::Refused => "refused",
        }
    }

    /// What a plan does to a file that was or was not there.
    pub const fn of(plan: &FilePlan, was_there: bool) -> Self {
        match plan.after {
            After::Same => Self::Unchanged,
            After::Gone => Self::Removed,
            After::Text(_) if was_there => Self::Changed,
            After::Text(_) => Self::Created,
        }
    }
}

/// One file of one host in one scope.
#[derive(Debug)]
pub struct Change {
    /// The host.
    pub host: &'static Host,
    /// The scope.
    pub scope: Scope,
    /// The path as the host names it.
    pub path: PathBuf,
    /// What happened to it.
    pub action: FileAction,
    /// What happened to each entry.
    pub entries: Vec<EntryPlan>,
    /// Why it was refused.
    pub error: Option<Error>,
}

/// The whole run.
#[derive(Debug, Default)]
pub struct Report {
    /// The files.
    pub changes: Vec<Change>,
    /// What a person should know besides.
    pub notes: Vec<String>,
}

impl Report {
    /// Something was refused.
    pub fn refused(&self) -> bool {
        self.changes
            .iter()
            .any(|change| change.action == FileAction::Refused)
    }

    /// Some file is changed.
    pub fn changes_files(&self) -> bool {
        self.changes
            .iter()
            .any(|change| !matches!(change.action, FileAction::Unchanged | FileAction::Refused))
    }

    /// A sentence, once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// As the contract has it.
    pub fn to_json(&self, printer: &Printer) -> Value {
        let changes: Vec<Value> = self
            .changes
            .iter()
            .map(|change| {
                json!({
                    "host": change.host.id,
                    "scope": change.scope.name(),
                    "path": change.path.display().to_string(),
                    "action": change.action.name(),
                    "entries": change.entries.iter().map(|entry| json!({
                        "hook": entry.hook.name(),
                        "event": entry.event,
                        "action": entry.action.name(),
                    })).collect::<Vec<_>>(),
                    "reason": change.error.as_ref().map(|error| printer.told(error)),
                })
            })
            .collect();
        json!({"changes": changes, "notes": self.notes})
    }

    /// Prints it. `would` for a run that changes nothing.
    pub fn print(&self, printer: &Printer, would: bool) {
        if printer.json() {
            printer.document(&self.to_json(printer));
            return;
        }
        for change in &self.changes {
            if let Some(error) = &change.error {
                printer.refusal(error);
                continue;
            }
            let verb = match (change.action, would) {
                (FileAction::Created, false) => "created",
                (FileAction::Created, true) => "would be created",
                (FileAction::Changed, false) => "changed",
                (FileAction::Changed, true) => "would be changed",
                (FileAction::Removed, false) => "removed, nothing else was in it",
                (FileAction::Removed, true) => "would be removed, nothing else is in it",
                _ => "unchanged",
            };
            printer.head(
                &change.host.name,
                &format!(
                    ", {}: {} {verb}",
                    change.scope.name(),
                    printer.shown(&change.path)
                ),
            );
            for entry in &change.entries {
                let sign = match entry.action {
                    Action::Added => "+",
                    Action::Updated => "~",
                    Action::Removed => "-",
                    Action::Kept => "=",
                };
                printer.line(&format!(
                    "  {sign} {} on {}",
                    entry.hook.name(),
                    entry.event
                ));
            }
        }
        for note in &self.notes {
            printer.aside(note);
        }
    }
}
