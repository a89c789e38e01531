//! Writes the files of a host: journal first, then the files, then the journal's
//! last word.
//!
//! A unit is one host in one scope: all of its files or none. Every file is
//! locked before it is first read, compared with what the plan was made from just
//! before it is replaced, and read again afterwards. A run that is cut off at any
//! point leaves each file old or new, and the next run finishes or takes back what
//! the journal says was under way.
//!
//! All IO goes through `os`; nothing here knows which host it serves.

use std::path::Path;

use super::file::{self, After, File, FilePlan, is_ours};
use super::journal::{Phase, Record, sha256};
use super::look::{Place, View, look};
use super::store::{Journal, cannot_read, name_of, read};
use crate::edit;
use crate::error::Error;
use crate::host::command::Owner;
use crate::host::paths::Here;
use crate::os::checkpoint::reach as checkpoint;
use crate::os::clock;
use crate::os::fs;

/// How often a plan is made anew because someone else wrote meanwhile.
const TRIES: usize = 5;

/// An id for a run; later runs sort after earlier ones.
pub fn new_run() -> String {
    format!("{}-{}", clock::utc(clock::nanos()), std::process::id())
}

/// What a run did to one file.
#[derive(Debug)]
pub struct Done {
    /// The plan that was carried out.
    pub plan: FilePlan,
    /// The file before.
    pub view: View,
    /// What happened besides.
    pub notes: Vec<String>,
}

/// One file to be written in a unit: where it is, and the plan for whatever is
/// found there.
pub struct Job<'a> {
    /// Where.
    pub place: Place<'a>,
    /// What.
    pub planner: &'a dyn Fn(&Place<'_>, &View) -> Result<FilePlan, Error>,
}

/// Writes a unit: plans every file anew under its lock, writes all or none.
///
/// # Errors
/// Any of the files is refused, cannot be written, or keeps changing; then none is
/// changed.
pub fn write(
    journal: &Journal,
    jobs: &[Job<'_>],
    here: &Here,
    run: &str,
) -> Result<Vec<Done>, Error> {
    for _ in 0..TRIES {
        match write_once(journal, jobs, here, run)? {
            Attempt::Done(done) => return Ok(done),
            Attempt::Changed => {}
        }
    }
    let path = jobs.first().map_or(Path::new(""), |job| &job.place.path);
    Err(
        Error::new("someone else keeps writing this file while we plan")
            .in_file(path)
            .remedy("nothing was changed; close the program that writes it, then run again"),
    )
}

enum Attempt {
    Done(Vec<Done>),
    Changed,
}

/// A file under its lock, planned and perhaps staged.
struct Work<'a> {
    place: &'a Place<'a>,
    name: String,
    view: View,
    plan: FilePlan,
    staged: Option<fs::Staged>,
    old_record: Option<Record>,
}

fn write_once(
    journal: &Journal,
    jobs: &[Job<'_>],
    here: &Here,
    run: &str,
) -> Result<Attempt, Error> {
    // Locks in one order everywhere, so that two runs never wait for each other.
    let mut reals = Vec::new();
    for job in jobs {
        let path = &job.place.path;
        reals.push(
            fs::follow(path)
                .map_err(|error| cannot_read(path, &error))?
                .real,
        );
    }
    let mut in_order = reals.clone();
    in_order.sort();
    in_order.dedup();
    let _locks = in_order
        .iter()
        .map(|real| journal.lock(real))
        .collect::<Result<Vec<_>, _>>()?;

    let mut works = Vec::new();
    for (job, real) in jobs.iter().zip(&reals) {
        let name = name_of(real, &job.place.host.id, job.place.file.scope.name());
        let old_record = journal.heal(&name)?;
        let view = look(journal, &job.place, here)?;
        if view.target.real != *real {
            return Ok(Attempt::Changed);
        }
        let plan = (job.planner)(&job.place, &view)?;
        works.push(Work {
            place: &job.place,
            name,
            view,
            plan,
            staged: None,
            old_record,
        });
    }
    checkpoint("planned");

    match stage_all(journal, &mut works, run) {
        Ok(true) => {}
        Ok(false) => {
            take_back(journal, &works);
            return Ok(Attempt::Changed);
        }
        Err(error) => {
            take_back(journal, &works);
            return Err(error);
        }
    }
    checkpoint("compared");

    for at in 0..works.len() {
        if let Err(error) = put(&works[at]) {
            // All or none: what is already in its place goes back.
            for work in works[..at].iter().rev() {
                put_back(work);
            }
            take_back(journal, &works);
            return Err(error);
        }
        checkpoint("placed");
    }

    let mut done = Vec::new();
    for work in works {
        done.push(finish(journal, work, run)?);
    }
    checkpoint("done");
    Ok(Attempt::Done(done))
}

/// Intent and temp file of each file that changes, then the comparison with what
/// the plans were made from. `false`: someone wrote meanwhile.
fn stage_all(journal: &Journal, works: &mut [Work<'_>], run: &str) -> Result<bool, Error> {
    for work in &mut *works {
        stage(journal, work, run)?;
        checkpoint("staged");
    }
    for work in works {
        let path = &work.place.path;
        let target = fs::follow(path).map_err(|error| cannot_read(path, &error))?;
        let now = read(&work.view.target.real)?;
        let then = work.view.found.as_ref().map(|found| &found.bytes);
        if target != work.view.target || now.as_ref() != then {
            return Ok(false);
        }
    }
    Ok(true)
}

fn stage(journal: &Journal, work: &mut Work<'_>, run: &str) -> Result<(), Error> {
    let real = &work.view.target.real;
    if work.plan.after == After::Same {
        return Ok(());
    }
    let stamp: String = run.chars().filter(char::is_ascii_alphanumeric).collect();
    let temp = fs::beside(real, &format!("pan-hooks-{stamp}"));
    let before = work.view.found.as_ref().map(|found| sha256(&found.bytes));
    let after = match &work.plan.after {
        After::Text(text) => Some(sha256(text.as_bytes())),
        After::Same | After::Gone => None,
    };
    let folder = real.parent().unwrap_or(real);
    if let Some(state) = &mut work.plan.state {
        state.created_folders.extend(fs::missing_folders(folder));
    }
    let record = Record {
        path: work.place.path.clone(),
        real: real.clone(),
        host: work.place.host.id.clone(),
        scope: work.place.file.scope.name().to_owned(),
        run: run.to_owned(),
        phase: Phase::Intent,
        temp: matches!(work.plan.after, After::Text(_)).then(|| temp.clone()),
        before,
        after,
        splices: work.plan.splices.clone(),
        previous: work
            .old_record
            .as_ref()
            .and_then(|record| record.state.clone()),
        state: work.plan.state.clone(),
    };
    journal.save(&work.name, &record)?;
    if let (None, Some(old)) = (&record.state, &record.previous) {
        journal.hand_over(&work.name, real, old)?;
    }
    checkpoint("intent");
    let After::Text(text) = &work.plan.after else {
        return Ok(());
    };
    let failed = |error: std::io::Error| cannot_write(&work.place.path, &error);
    fs::make_folders(folder, false).map_err(failed)?;
    let staged =
        fs::stage(&temp, real, text.as_bytes(), work.view.found.as_ref()).map_err(failed)?;
    work.staged = Some(staged);
    Ok(())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Error {
    let remedy = match error.kind() {
        std::io::ErrorKind::ReadOnlyFilesystem => {
            "the file is in a store that is read-only; change it where it is made"
        }
        std::io::ErrorKind::PermissionDenied => "give yourself the right to write its folder",
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            "make room on that disk"
        }
        _ => "see to its folder, then run again",
    };
    Error::new(format!("cannot be written: {error}"))
        .in_file(path)
        .remedy(format!("nothing was changed; {remedy}"))
}

fn put(work: &Work<'_>) -> Result<(), Error> {
    let failed = |error: std::io::Error| cannot_write(&work.place.path, &error);
    match (&work.plan.after, &work.staged) {
        (After::Text(_), Some(staged)) => fs::place(staged).map_err(failed),
        (After::Gone, _) => {
            let real = &work.view.target.real;
            fs::remove_file(real).map_err(failed)?;
            // The file is gone either way; that it is so for good is a courtesy.
            let _ = fs::sync_folder(real);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Puts the old bytes back in the place of the new ones.
fn put_back(work: &Work<'_>) {
    let real = &work.view.target.real;
    if work.plan.after == After::Same {
        return;
    }
    match &work.view.found {
        None => {
            let _ = fs::remove_file(real);
        }
        Some(found) => {
            let temp = fs::beside(real, "pan-hooks-back");
            if let Ok(staged) = fs::stage(&temp, real, &found.bytes, Some(found)) {
                let _ = fs::place(&staged);
            }
        }
    }
}

/// Leaves journal and folders as they were before this attempt.
fn take_back(journal: &Journal, works: &[Work<'_>]) {
    for work in works {
        if let Some(staged) = &work.staged {
            let _ = fs::remove_file(&staged.temp);
        }
        if let Some(state) = &work.plan.state
            && work.view.found.is_none()
        {
            fs::remove_folders(&state.created_folders);
        }
        if work.plan.after != After::Same {
            // When even this cannot be written, the intent stays and the next run
            // finds the file unchanged.
            match &work.old_record {
                Some(record) => drop(journal.save(&work.name, record)),
                None => journal.remove(&work.name),
            }
        }
    }
}

/// Reads the file again, closes the journal, and makes sure that the file says
/// what the plan promised.
fn finish(journal: &Journal, work: Work<'_>, run: &str) -> Result<Done, Error> {
    let Work {
        place,
        name,
        view,
        plan,
        old_record,
        ..
    } = work;
    let mut notes = Vec::new();
    let now = read(&view.target.real)?;
    match &plan.after {
        After::Same => {
            let knew = old_record.is_some_and(|record| record.state.is_some());
            match &plan.state {
                None if knew => journal.remove(&name),
                Some(state) if !knew => {
                    let hash = Some(state.sha256.clone());
                    let record = Record {
                        path: place.path.clone(),
                        real: view.target.real.clone(),
                        host: place.host.id.clone(),
                        scope: place.file.scope.name().to_owned(),
                        run: run.to_owned(),
                        phase: Phase::Done,
                        temp: None,
                        before: hash.clone(),
                        after: hash,
                        splices: Vec::new(),
                        previous: None,
                        state: Some(state.clone()),
                    };
                    journal.save(&name, &record)?;
                }
                _ => {}
            }
        }
        After::Text(_) | After::Gone => {
            let meant = match &plan.after {
                After::Text(text) => Some(text.as_bytes()),
                _ => None,
            };
            if now.as_deref() != meant {
                notes.push(format!(
                    "another program wrote {} right after us",
                    place.path.display()
                ));
            }
            if plan.after == After::Gone
                && now.is_none()
                && let Some(old) = old_record.as_ref().and_then(|record| record.state.as_ref())
            {
                journal.remove_made_folders(&view.target.real, &old.created_folders)?;
            }
            if let Some(mut record) = journal.load(&name) {
                record.phase = Phase::Done;
                record.temp = None;
                journal.save(&name, &record)?;
            }
        }
    }
    verify(place, &plan, now.as_deref())?;
    Ok(Done { plan, view, notes })
}

/// The file as it is now has each entry the plan promised, once, and none that the
/// plan removed.
fn verify(place: &Place<'_>, plan: &FilePlan, now: Option<&[u8]>) -> Result<(), Error> {
    let text = now.map(edit::decode).transpose()?;
    let read = File {
        text,
        grammar: &place.host.grammars[&place.file.grammar],
        state: None,
    };
    let shape = file::shape(place.host, &read.grammar.only_keys);
    let document = file::parse(&read)?;
    let handlers = file::handlers(place.host, &document, &shape)?;
    for entry in &plan.entries {
        let there = handlers
            .iter()
            .filter(|one| {
                is_ours(one.owner)
                    && matches!(one.owner, Owner::Ours(hook) | Owner::OursBefore(hook) if hook == entry.hook)
                    && one.found.event == entry.event
            })
            .count();
        let wanted = plan
            .entries
            .iter()
            .filter(|other| {
                other.hook == entry.hook
                    && other.event == entry.event
                    && other.action != file::Action::Removed
            })
            .count();
        if there != wanted {
            return Err(Error::new(format!(
                "after the write {} is registered {there} times under {}, not {wanted}: another \
                 program has written this file meanwhile",
                entry.hook.name(),
                entry.event
            ))
            .in_file(&place.path)
            .remedy("close that program and run the same command again"));
        }
    }
    Ok(())
}
