//! Looks at the files of a host and plans them, changing nothing.
//!
//! All IO goes through `os`; nothing here knows which host it serves.

use std::path::PathBuf;

use super::file::{self, After, File, FilePlan, Goal};
use super::journal::{self, Healed, Record, State};
use super::store::{Journal, cannot_read, name_of};
use crate::edit;
use crate::error::Error;
use crate::host::paths::{self, Here};
use crate::host::table::{At, Format, Host, HostFile, Scope};
use crate::os::fs::{self, Target};
use crate::os::git;

/// Folders whose files are made by a package manager and never by hand.
const STORES: [&str; 2] = ["/nix/store", "/gnu/store"];

/// A file of a host, and where it is.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The host.
    pub host: &'a Host,
    /// Its row in the table.
    pub file: &'a HostFile,
    /// The path as the host names it.
    pub path: PathBuf,
}

impl<'a> Place<'a> {
    /// The files of `host` that may take hook entries in `scope`, preferred first;
    /// none where the host has no such file.
    pub fn all(host: &'a Host, scope: Scope, here: &Here) -> Vec<Self> {
        host.hook_files(scope)
            .map(|file| Self {
                host,
                file,
                path: paths::file(host, file, here).path,
            })
            .collect()
    }
}

/// A file as it was found.
#[derive(Debug)]
pub struct View {
    /// Where the path leads.
    pub target: Target,
    /// Content and mode, `None` when there is no file.
    pub found: Option<fs::Found>,
    /// What the journal knows, cut-off runs settled in thought.
    pub record: Option<Record>,
}

impl View {
    /// The text, `None` when there is no file.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub fn text(&self) -> Result<Option<&str>, Error> {
        self.found
            .as_ref()
            .map(|found| edit::decode(&found.bytes))
            .transpose()
    }

    pub(super) fn state(&self) -> Option<&State> {
        self.record.as_ref()?.state.as_ref()
    }
}

/// Looks at a file without changing anything.
///
/// # Errors
/// It may not be read, is no file, or a link of the repository leads out of it.
pub fn look(journal: &Journal, place: &Place<'_>, here: &Here) -> Result<View, Error> {
    let target = fs::follow(&place.path).map_err(|error| cannot_read(&place.path, &error))?;
    refuse_foreign_link(place, &target, here)?;
    if STORES.iter().any(|store| target.real.starts_with(store)) {
        return Err(Error::new(format!(
            "the file lies in a store that is made from a recipe, {}",
            target.real.display()
        ))
        .in_file(&place.path)
        .remedy("add the entry where the file is made; `pan-hooks diff` shows it"));
    }
    let found = fs::find(&target.real).map_err(|error| cannot_read(&place.path, &error))?;
    let name = name_of(&target.real, &place.host.id, place.file.scope.name());
    let record = journal.load(&name).and_then(|record| {
        let temp = record
            .temp
            .as_deref()
            .and_then(|temp| fs::read(temp).ok().flatten());
        let now = found.as_ref().map(|found| found.bytes.as_slice());
        // In thought only: whoever holds the lock may be at work on it.
        match journal::heal(&record, now, temp.as_deref()) {
            Healed::TakenBack => {
                let mut before = record;
                before.state = before.previous.take();
                before.state.is_some().then_some(before)
            }
            _ => Some(record),
        }
    });
    Ok(View {
        target,
        found,
        record,
    })
}

/// A link that came with the repository must not lead to a file outside it: a
/// clone could have the user's own settings written to.
fn refuse_foreign_link(place: &Place<'_>, target: &Target, here: &Here) -> Result<(), Error> {
    if place.file.at != At::Project {
        return Ok(());
    }
    let root = fs::real(&here.project).unwrap_or_else(|_| here.project.clone());
    // What git keeps for itself is no part of the repository's files.
    let inside = target.real.starts_with(&root) && !target.real.starts_with(root.join(".git"));
    if inside || !here.in_git {
        return Ok(());
    }
    let mut steps = Vec::new();
    let mut at = here.project.clone();
    for part in place.file.path.split('/') {
        at.push(part);
        steps.push(at.clone());
    }
    // The links on the way may have been reached through the real path of the root.
    steps.extend(target.links.iter().map(|link| {
        link.strip_prefix(&root)
            .map_or_else(|_| link.clone(), |below| here.project.join(below))
    }));
    for at in steps {
        if fs::link(&at).is_some()
            && at.starts_with(&here.project)
            && git::tracks_link(&here.project, &at) != Some(false)
        {
            return Err(Error::new(format!(
                "this link is part of the repository and leads out of it, to {}",
                here.shown(&target.real)
            ))
            .in_file(&at)
            .remedy("replace the link by a file, or use --global"));
        }
    }
    Ok(())
}

/// A file its owner has made read-only is not to be changed by the back door of a
/// rename, which asks the folder alone.
fn refuse_read_only(place: &Place<'_>, view: &View) -> Result<(), Error> {
    let read_only = view.found.as_ref().is_some_and(fs::Found::read_only);
    if read_only {
        return Err(Error::new("the file is read-only")
            .in_file(&place.path)
            .remedy("make it writable (`chmod u+w`), or change it where it is made"));
    }
    Ok(())
}

/// The handlers in a file as it was found, and whose each is.
///
/// # Errors
/// As [`file::handlers`]; and a text the host would not accept.
pub fn handlers(place: &Place<'_>, view: &View) -> Result<Vec<file::Owned>, Error> {
    let read = File {
        text: view.text()?,
        grammar: &place.host.grammars[&place.file.grammar],
        state: None,
    };
    let shape = file::shape(place.host, &read.grammar.only_keys);
    file::handlers(place.host, &file::parse(&read)?, &shape)
}

/// The plan for a file as it was found.
///
/// # Errors
/// As [`file::plan`], with the path.
pub fn plan(place: &Place<'_>, view: &View, goal: &Goal) -> Result<FilePlan, Error> {
    let in_file = |error: Error| match error.path {
        Some(_) => error,
        None => error.in_file(&place.path),
    };
    if !matches!(place.file.format, Format::Json | Format::Jsonc) {
        return Err(Error::new(format!(
            "this version of pan-hooks does not write {} files",
            place.file.format.name()
        ))
        .in_file(&place.path));
    }
    let mut plan = file::plan(
        place.host,
        &File {
            text: view.text().map_err(in_file)?,
            grammar: &place.host.grammars[&place.file.grammar],
            state: view.state(),
        },
        goal,
    )
    .map_err(in_file)?;
    if plan.after != After::Same {
        refuse_read_only(place, view)?;
    }
    for (_, error) in &mut plan.refused {
        error.path = Some(place.path.clone());
    }
    Ok(plan)
}
