//! The plan for one file: from its text to the splices that install or uninstall.
//!
//! Text in, plan out; no IO here.

use serde_json::Value;

use super::desired;
use super::journal::{State, Written, object, sha256};
use super::pieces;
use crate::edit::{self, Change, Document, Entry, Found, Shape, Splice};
use crate::error::Error;
use crate::hook::Hook;
use crate::host::command::{Owner, owner};
use crate::host::table::{Grammar, Host, Is};

/// What a run is to reach in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// These hooks are registered, once, in today's form.
    Install {
        /// The hooks.
        hooks: Vec<Hook>,
        /// What PAN's own installer wrote may be replaced.
        migrate: bool,
    },
    /// These hooks are not registered by us.
    Uninstall {
        /// The hooks.
        hooks: Vec<Hook>,
    },
}

/// What happens to one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is new.
    Added,
    /// It was in another form.
    Updated,
    /// It goes.
    Removed,
    /// It is as it should be.
    Kept,
}

impl Action {
    /// The word in `--json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Removed => "removed",
            Self::Kept => "kept",
        }
    }
}

/// One entry in a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPlan {
    /// The hook.
    pub hook: Hook,
    /// The host's event.
    pub event: String,
    /// What happens.
    pub action: Action,
}

/// The file after the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// As it is.
    Same,
    /// This text.
    Text(String),
    /// No file: we made it, and nothing else is in it.
    Gone,
}

/// The plan for one file.
#[derive(Debug, Clone)]
pub struct FilePlan {
    /// What the file becomes.
    pub after: After,
    /// How the text gets there.
    pub splices: Vec<Splice>,
    /// What happens to each entry of ours.
    pub entries: Vec<EntryPlan>,
    /// What is ours afterwards; `None` when nothing is.
    pub state: Option<State>,
    /// What a person should know, in sentences.
    pub notes: Vec<String>,
    /// Hooks that cannot be done, and why; the others go on.
    pub refused: Vec<(Hook, Error)>,
}

/// The file a plan is made for.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its text, `None` when there is no file.
    pub text: Option<&'a str>,
    /// What the host accepts in it.
    pub grammar: &'a Grammar,
    /// What the journal says is ours.
    pub state: Option<&'a State>,
}

/// The shape of entries in a file of `host`, for the editor.
pub fn shape(host: &Host, root_keys: &[String]) -> Shape {
    Shape {
        events_at: host.entry.events_at.clone(),
        grouped: host.entry.grouped,
        group_key: host.entry.group_key.clone(),
        matcher_key: host.entry.matcher_key.clone(),
        command_keys: host.entry.command_keys.clone(),
        timeout_keys: host.entry.timeout_keys.clone(),
        marker_key: host
            .entry
            .handler
            .iter()
            .find(|(_, value)| value == "<hook>")
            .map(|(key, _)| key.clone()),
        root: host.entry.new_file.clone(),
        root_keys: root_keys.to_vec(),
        types: host.entry.handler_types.clone(),
        strict_events: host.entry.strict_events.clone(),
        bad_matcher_kills_event: host.entry.bad_matcher_stops_event,
        keep_slot: host.entry.keep_slot,
        exact_types: host.entry.exact_types,
    }
}

/// The grammar for the editor.
pub fn grammar(grammar: &Grammar) -> edit::Grammar {
    edit::Grammar {
        comments: grammar.comments,
        trailing_commas: grammar.trailing_commas,
        bom: grammar.bom,
        empty: grammar.empty,
        empty_object: grammar.empty_object,
    }
}

/// Reads a file's text by the grammar of its host.
///
/// # Errors
/// The host would not accept the text.
pub fn parse<'a>(file: &File<'a>) -> Result<Document<'a>, Error> {
    let grammar = grammar(file.grammar);
    file.text.map_or_else(
        || Ok(Document::absent(&grammar)),
        |text| Document::parse(text, &grammar),
    )
}

/// A handler and whose it is.
#[derive(Debug, Clone)]
pub struct Owned {
    /// The handler.
    pub found: Found,
    /// Whose it is.
    pub owner: Owner,
}

/// All handlers of a document and whose each is.
///
/// # Errors
/// The event map cannot be told: a duplicate key on the way to it.
pub fn handlers(host: &Host, document: &Document<'_>, shape: &Shape) -> Result<Vec<Owned>, Error> {
    Ok(edit::found(document, shape)?
        .into_iter()
        .map(|found| Owned {
            owner: owner(host, &found.command),
            found,
        })
        .collect())
}

/// Makes the plan.
///
/// # Errors
/// The file is one that the host ignores, in whole or in the part that matters, or
/// one that cannot be edited without doubt.
pub fn plan(host: &Host, file: &File<'_>, goal: &Goal) -> Result<FilePlan, Error> {
    let shape = shape(host, &file.grammar.only_keys);
    let document = parse(file)?;
    let handlers = handlers(host, &document, &shape)?;
    let mut work = Work {
        host,
        file,
        changes: Vec::new(),
        plan: FilePlan {
            after: After::Same,
            splices: Vec::new(),
            entries: Vec::new(),
            state: file.state.cloned(),
            notes: Vec::new(),
            refused: Vec::new(),
        },
    };
    match goal {
        Goal::Install { hooks, migrate } => {
            check_host_reads(host, &document)?;
            for hook in hooks {
                for registration in host.registrations(*hook) {
                    edit::check(&document, &shape, &registration.event)?;
                }
                work.install(*hook, *migrate, &handlers);
            }
        }
        Goal::Uninstall { hooks } => work.uninstall(hooks, &handlers),
    }
    work.finish(&document, &shape, &handlers)
}

/// What would make the host ignore the whole file, besides its grammar.
///
/// # Errors
/// A key the host knows is of the wrong type.
pub fn check_host_reads(host: &Host, document: &Document<'_>) -> Result<(), Error> {
    let name = &host.name;
    for typed in &host.typed {
        let keys: Vec<&str> = typed.key.iter().map(String::as_str).collect();
        let Some(node) = document.get(&keys).unwrap_or_default() else {
            continue;
        };
        let wanted = match typed.is {
            Is::Object if node.members().is_none() => "an object",
            Is::Strings
                if !node
                    .elements()
                    .is_some_and(|all| all.iter().all(|one| one.as_str().is_some())) =>
            {
                "an array of strings"
            }
            _ => continue,
        };
        return Err(Error::new(format!(
            "{name} ignores this whole file because `{}` is not {wanted}",
            typed.key.join(".")
        ))
        .at(document.place(node.span.start))
        .remedy(format!("make it {wanted}, or remove it")));
    }
    Ok(())
}

struct Work<'a> {
    host: &'a Host,
    file: &'a File<'a>,
    changes: Vec<Change>,
    plan: FilePlan,
}

impl Work<'_> {
    fn entry(&mut self, hook: Hook, event: &str, action: Action) {
        self.plan.entries.push(EntryPlan {
            hook,
            event: event.to_owned(),
            action,
        });
    }

    fn install(&mut self, hook: Hook, migrate: bool, handlers: &[Owned]) {
        let pans: Vec<_> = handlers
            .iter()
            .filter(|one| one.owner == Owner::Pan(hook))
            .collect();
        if let Some(first) = pans.first()
            && !migrate
        {
            let error = Error::new(format!(
                "PAN's own `{hook}` hook is registered here under {event}; with ours it would \
                 run twice",
                hook = hook.name(),
                event = first.found.event,
            ))
            .at(first.found.place)
            .remedy("run again with --migrate to replace it");
            self.plan.refused.push((hook, error));
            return;
        }
        for one in &pans {
            self.changes.push(Change::Remove(one.found.at()));
            self.entry(hook, &one.found.event, Action::Removed);
        }
        let ours = |owner: Owner| owner == Owner::Ours(hook) || owner == Owner::OursBefore(hook);
        let registrations = self.host.registrations(hook);
        for registration in registrations {
            let wanted = desired::entry(self.host, hook, registration);
            let mut there = handlers
                .iter()
                .filter(|one| ours(one.owner) && one.found.event == registration.event);
            match there.next() {
                None => {
                    self.entry(hook, &registration.event, Action::Added);
                    self.changes.push(Change::Add(wanted));
                }
                Some(first) => self.update(hook, &first.found, &wanted),
            }
            for more in there {
                self.changes.push(Change::Remove(more.found.at()));
                self.entry(hook, &more.found.event, Action::Removed);
            }
        }
        for elsewhere in handlers.iter().filter(|one| {
            ours(one.owner) && registrations.iter().all(|r| r.event != one.found.event)
        }) {
            self.changes.push(Change::Remove(elsewhere.found.at()));
            self.entry(hook, &elsewhere.found.event, Action::Removed);
        }
    }

    /// Brings an entry of ours to today's form. A field that is not as we last
    /// wrote it was changed by the user, and stays.
    fn update(&mut self, hook: Hook, found: &Found, wanted: &Entry) {
        let written = self.file.state.and_then(|state| {
            state
                .entries
                .iter()
                .find(|entry| entry.hook == hook.name() && entry.event == found.event)
        });
        let before = written.map(|written| object(&written.handler));
        let mut fields: Vec<(String, Value)> = found.fields.clone();
        let mut changed = false;
        for (key, value) in &wanted.handler {
            let is_command = self.host.entry.command_keys.contains(key);
            let there = fields.iter().position(|(name, _)| name == key);
            let now = there.map(|at| &fields[at].1);
            if now == Some(value) {
                continue;
            }
            let as_we_wrote = before
                .as_ref()
                .is_some_and(|before| before.get(key) == now && before.get(key).is_some());
            if is_command || as_we_wrote {
                match there {
                    Some(at) => fields[at].1 = value.clone(),
                    None => fields.push((key.clone(), value.clone())),
                }
                changed = true;
            } else if let Some(now) = now {
                self.plan.notes.push(format!(
                    "`{key}` of {} is {now}, not our {value}: kept as you set it",
                    hook.name()
                ));
            }
        }
        let mut matcher = found.matcher.clone();
        let mut new_matcher = false;
        if matcher != wanted.matcher {
            if found.alone && written.is_some_and(|written| written.matcher == matcher) {
                matcher.clone_from(&wanted.matcher);
                new_matcher = true;
                changed = true;
            } else {
                let shown = matcher.as_deref().unwrap_or("none");
                self.plan.notes.push(format!(
                    "the matcher of {} is {shown}: kept as you set it",
                    hook.name()
                ));
            }
        }
        if changed {
            self.changes.push(Change::Replace {
                at: found.at(),
                entry: Entry {
                    event: found.event.clone(),
                    matcher,
                    handler: fields,
                },
                matcher: new_matcher,
            });
        }
        let action = if changed {
            Action::Updated
        } else {
            Action::Kept
        };
        self.entry(hook, &found.event, action);
    }

    fn uninstall(&mut self, hooks: &[Hook], handlers: &[Owned]) {
        for one in handlers {
            let (Owner::Ours(hook) | Owner::OursBefore(hook)) = one.owner else {
                continue;
            };
            if hooks.contains(&hook) {
                self.changes.push(Change::Remove(one.found.at()));
                self.entry(hook, &one.found.event, Action::Removed);
            }
        }
    }

    fn finish(
        mut self,
        document: &Document<'_>,
        shape: &Shape,
        handlers: &[Owned],
    ) -> Result<FilePlan, Error> {
        let text = self.file.text.unwrap_or_default();
        if self.changes.is_empty() {
            // Nothing of ours in the file: the journal need not remember any.
            if !handlers.iter().any(|one| is_ours(one.owner)) {
                self.plan.state = None;
            } else if self.plan.state.is_none() {
                // They came with a repository or from another machine. That they are
                // here has to be known, or the program would go with someone else's
                // last; what was made for them is not ours to tell.
                self.plan.state = Some(State {
                    sha256: sha256(text.as_bytes()),
                    ..State::default()
                });
            }
            return Ok(self.plan);
        }
        let old = self.file.state.cloned().unwrap_or_default();
        let pieces = self
            .file
            .state
            .and_then(|state| pieces::locate(state, text));
        let removes_all = self
            .changes
            .iter()
            .all(|change| matches!(change, Change::Remove(_)))
            && handlers.iter().filter(|one| is_ours(one.owner)).all(|one| {
                self.changes
                    .iter()
                    .any(|change| matches!(change, Change::Remove(at) if *at == one.found.at()))
            });

        // Taking out exactly what we put in is the surest way back.
        if removes_all
            && let Some(pieces) = &pieces
            && let Some(after) = self.exactly(text, pieces, handlers, shape)
        {
            self.plan.splices = pieces::removal(pieces);
            self.plan.after = if old.created_file && is_bare(&after, self.host) {
                After::Gone
            } else {
                After::Text(after)
            };
            self.plan.state = None;
            return Ok(self.plan);
        }

        let edited = edit::splices(document, shape, &self.changes, &old.made)?;
        let creates = self.file.text.is_none();
        let mut made = old.made.clone();
        made.containers.extend(edited.made.containers);
        made.containers.dedup();
        made.gaps.extend(edited.made.gaps);
        made.gaps.dedup();
        let after = edited.text;
        let created_file = creates || old.created_file;
        // Before the new text is read: a host may not accept an empty file, and
        // this one is on its way out.
        if created_file && edited.bare {
            self.plan.state = None;
            self.plan.splices = vec![Splice {
                at: 0,
                removed: text.to_owned(),
                inserted: String::new(),
            }];
            self.plan.after = After::Gone;
            return Ok(self.plan);
        }
        let remaining = self.entries_in(&after, shape, &old)?;
        if remaining.is_empty() {
            self.plan.state = None;
        } else {
            // Pieces that moved for reasons of others are lost to the exact way;
            // then removal goes by the structure.
            let known = pieces.as_deref().unwrap_or_default();
            self.plan.state = Some(State {
                sha256: sha256(after.as_bytes()),
                pieces: pieces::carry(known, &edited.splices, &after),
                made,
                entries: remaining,
                created_file,
                created_folders: old.created_folders.clone(),
            });
        }
        self.plan.splices = edited.splices;
        self.plan.after = After::Text(after);
        Ok(self.plan)
    }

    /// The text without our pieces, if that takes out all of ours and nothing else.
    fn exactly(
        &self,
        text: &str,
        pieces: &[super::journal::Piece],
        handlers: &[Owned],
        shape: &Shape,
    ) -> Option<String> {
        let after = edit::apply(text, &pieces::removal(pieces)).ok()?;
        let theirs = |all: &[Owned]| -> Vec<(String, String)> {
            all.iter()
                .filter(|one| !is_ours(one.owner))
                .map(|one| (one.found.event.clone(), one.found.command.clone()))
                .collect()
        };
        if self.file.state.is_some_and(|state| state.created_file) && after.trim().is_empty() {
            return theirs(handlers).is_empty().then_some(after);
        }
        let file = File {
            text: Some(&after),
            ..*self.file
        };
        let document = parse(&file).ok()?;
        let left = self::handlers(self.host, &document, shape).ok()?;
        let clean = !left.iter().any(|one| is_ours(one.owner));
        (clean && theirs(&left) == theirs(handlers)).then_some(after)
    }

    /// Our entries in a text, as the journal keeps them: as we wrote them, not as
    /// the user changed them since.
    fn entries_in(&self, text: &str, shape: &Shape, old: &State) -> Result<Vec<Written>, Error> {
        let file = File {
            text: Some(text),
            ..*self.file
        };
        let document = parse(&file)?;
        let mut written = Vec::new();
        for one in handlers(self.host, &document, shape)? {
            let (Owner::Ours(hook) | Owner::OursBefore(hook)) = one.owner else {
                continue;
            };
            let touched = self.plan.entries.iter().any(|entry| {
                entry.hook == hook
                    && entry.event == one.found.event
                    && matches!(entry.action, Action::Added | Action::Updated)
            });
            let before = old
                .entries
                .iter()
                .find(|entry| entry.hook == hook.name() && entry.event == one.found.event);
            let wanted = self
                .host
                .registrations(hook)
                .iter()
                .find(|registration| registration.event == one.found.event)
                .map(|registration| desired::entry(self.host, hook, registration));
            written.push(match (touched, before, wanted) {
                (true, _, Some(wanted)) => Written {
                    hook: hook.name().to_owned(),
                    event: wanted.event,
                    matcher: wanted.matcher,
                    handler: wanted.handler,
                },
                (_, Some(before), _) => before.clone(),
                _ => Written {
                    hook: hook.name().to_owned(),
                    event: one.found.event,
                    matcher: one.found.matcher,
                    handler: one.found.fields,
                },
            });
        }
        Ok(written)
    }
}

/// Ours in any form.
pub const fn is_ours(owner: Owner) -> bool {
    matches!(owner, Owner::Ours(_) | Owner::OursBefore(_))
}

/// Nothing is in the text but what a file of ours starts with.
fn is_bare(text: &str, host: &Host) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return true;
    }
    let Ok(Value::Object(members)) = serde_json::from_str(text) else {
        return false;
    };
    members.iter().all(|(key, value)| {
        host.entry
            .new_file
            .iter()
            .any(|(name, start)| name == key && start == value)
    })
}
