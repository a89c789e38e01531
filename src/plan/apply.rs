//! Looks at the files of a host, and writes them: journal first, then the files,
//! then the journal's last word.
//!
//! A unit is one host in one scope: all of its files or none. Every file is
//! locked before it is first read, compared with what the plan was made from just
//! before it is replaced, and read again afterwards. A run that is cut off at any
//! point leaves each file old or new, and the next run finishes or takes back what
//! the journal says was under way.
//!
//! All IO goes through `os`; nothing here knows which host it serves.

use std::path::{Path, PathBuf};

use super::file::{self, After, File, FilePlan, Goal, is_ours};
use super::journal::{self, Healed, Phase, Record, State, sha256};
use crate::edit;
use crate::error::Error;
use crate::host::command::Owner;
use crate::host::paths::{self, Here};
use crate::host::table::{At, Format, Host, HostFile, Scope};
use crate::os::checkpoint::reach as checkpoint;
use crate::os::fs::{self, Target};
use crate::os::lock::Lock;
use crate::os::{clock, git};

/// Folders whose files are made by a package manager and never by hand.
const STORES: [&str; 2] = ["/nix/store", "/gnu/store"];

/// How often a plan is made anew because someone else wrote meanwhile.
const TRIES: usize = 5;

/// How often the state folder is made anew because another run removed it.
const ENTRIES: usize = 100;

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

    fn state(&self) -> Option<&State> {
        self.record.as_ref()?.state.as_ref()
    }
}

/// Our own folder with journal and locks.
#[derive(Debug, Clone)]
pub struct Journal {
    folder: PathBuf,
}

impl Journal {
    /// The journal below the state folder `folder`. Nothing is made yet.
    pub const fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn records(&self) -> PathBuf {
        self.folder.join("journal")
    }

    fn record_path(&self, name: &str) -> PathBuf {
        self.records().join(format!("{name}.json"))
    }

    fn load(&self, name: &str) -> Option<Record> {
        load(&self.record_path(name))
    }

    /// All records, in no meaningful order.
    pub fn all(&self) -> Vec<Record> {
        let folder = self.records();
        fs::names(&folder)
            .into_iter()
            .filter(|name| Path::new(name).extension().is_some_and(|e| e == "json"))
            .filter_map(|name| load(&folder.join(name)))
            .collect()
    }

    fn save(&self, name: &str, record: &Record) -> Result<(), Error> {
        let path = self.record_path(name);
        fs::write_own(&path, record.to_json()?.as_bytes()).map_err(|error| {
            Error::new(format!("the journal cannot be written: {error}"))
                .in_file(path)
                .remedy("nothing was changed; make room or give this folder back to yourself")
        })
    }

    /// Two hosts may share one file by links. What the one made there and leaves to
    /// the other is the other's from now on, to be taken out with its own.
    fn hand_over(&self, name: &str, real: &Path, old: &State) -> Result<(), Error> {
        for mut record in self.all() {
            let other = record_name(&record);
            let Some(state) = &mut record.state else {
                continue;
            };
            if record.real != real || other == name {
                continue;
            }
            state.made.containers.extend(old.made.containers.clone());
            state.made.gaps.extend(old.made.gaps.clone());
            state.created_file |= old.created_file;
            state.created_folders.extend(old.created_folders.clone());
            state.created_folders.sort();
            state.created_folders.dedup();
            self.save(&other, &record)?;
        }
        Ok(())
    }

    fn remove(&self, name: &str) {
        // What stays is a record of nothing; the next run removes it.
        let _ = fs::remove_file(&self.record_path(name));
    }

    fn lock(&self, real: &Path) -> Result<Lock, Error> {
        Lock::take(&self.folder.join("locks").join(journal::key(real)))
    }

    /// Makes the folders, and keeps clean-up by another run away until the lock is
    /// dropped.
    ///
    /// Before the first folder is made, a note beside it says which they will be: a
    /// run that is cut off before the state folder can hold that leaves no folder
    /// nobody knows of.
    ///
    /// # Errors
    /// The state folder cannot be made.
    pub fn enter(&self) -> Result<Lock, Error> {
        let mut missing = Vec::new();
        for _ in 0..ENTRIES {
            missing.extend(fs::missing_folders(&self.folder));
            missing.sort();
            missing.dedup();
            match self.try_to_enter(&missing) {
                Ok(Some(lock)) => return Ok(lock),
                // Another run took the folder away just now.
                Ok(None) => {}
                Err(error) => {
                    fs::remove_folders(&[
                        self.folder.clone(),
                        self.records(),
                        self.folder.join("locks"),
                    ]);
                    fs::remove_folders(&missing);
                    self.remove_notes();
                    return Err(error);
                }
            }
        }
        Err(
            Error::new("other runs of pan-hooks keep removing this folder")
                .in_file(&self.folder)
                .remedy("nothing was changed; run again"),
        )
    }

    fn try_to_enter(&self, missing: &[PathBuf]) -> Result<Option<Lock>, Error> {
        let failed = |error: std::io::Error| {
            Error::new(format!("the state folder cannot be made: {error}"))
                .in_file(&self.folder)
                .remedy("give this folder back to yourself, or set XDG_STATE_HOME to one of yours")
        };
        if let Some(note) = missing.first().and_then(|first| note_beside(first)) {
            // Without a note only a run that is cut off leaves more than it should.
            let _ = fs::write_note(&note, &list(missing));
            checkpoint("noted");
        }
        let locks = self.folder.join("locks");
        let make_folders = || {
            fs::make_folders(&self.folder, true)?;
            checkpoint("making");
            fs::make_folders(&locks, true)
        };
        match make_folders() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(failed)?,
        };
        checkpoint("made");
        let all = locks.join("all");
        let Some(lock) = Lock::take_shared_if(&all)? else {
            return Ok(None);
        };
        let mut made = missing.to_vec();
        made.extend(self.noted_folders());
        let kept = fs::make_folders(&self.records(), true)
            .map_err(failed)
            .and_then(|_| self.remember_folders(&made));
        if let Err(error) = kept {
            // Nothing holds a lock yet that these files could be needed for, unless
            // another run is here; then its own lock file is a new one.
            if !missing.is_empty() {
                let _ = fs::remove_file(&locks.join(journal::key(&self.list_path())));
                lock.remove();
            }
            return Err(error);
        }
        self.remove_notes();
        checkpoint("entered");
        Ok(Some(lock))
    }

    fn notes(&self) -> Vec<PathBuf> {
        self.folder
            .ancestors()
            .filter_map(note_beside)
            .filter(|note| fs::is_there(note))
            .collect()
    }

    /// The folders a run that was cut off was about to make or to remove.
    fn noted_folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = self.notes().iter().flat_map(|note| listed(note)).collect();
        // A note names folders above our own, and nothing else.
        folders.retain(|folder| self.folder.starts_with(folder));
        folders
    }

    fn remove_notes(&self) {
        for note in self.notes() {
            let _ = fs::remove_file(&note);
        }
    }

    /// Removes the empty folders of a run that was cut off before it had a lock. One
    /// that is at work makes them anew.
    fn remove_what_was_begun(&self) {
        let folders = self.noted_folders();
        fs::remove_folders(std::slice::from_ref(&self.folder));
        fs::remove_folders(&folders);
        if !fs::is_folder(&self.folder) {
            self.remove_notes();
        }
    }

    fn list_path(&self) -> PathBuf {
        self.folder.join("folders.json")
    }

    /// Notes folders we made outside the state folder, for the last clean-up.
    ///
    /// # Errors
    /// The note cannot be written.
    pub fn remember_folders(&self, made: &[PathBuf]) -> Result<(), Error> {
        if made.is_empty() {
            return Ok(());
        }
        let path = self.list_path();
        let _lock = self.lock(&path)?;
        let mut all = self.made_folders();
        all.extend_from_slice(made);
        all.sort();
        all.dedup();
        let text = list(&all);
        fs::write_own(&path, &text).map_err(|error| {
            Error::new(format!("a note of ours cannot be written: {error}"))
                .in_file(&path)
                .remedy("nothing was registered; make room or give this folder back to yourself")
        })
    }

    /// Removes the folders made for the file at `real`, which is gone. Another file
    /// of ours may still lie in one, and was then not the one it was made for: the
    /// folder is noted, and goes with that file.
    fn remove_made_folders(&self, real: &Path, made: &[PathBuf]) -> Result<(), Error> {
        let mut folders = self.made_folders();
        folders.retain(|folder| real.starts_with(folder));
        folders.extend_from_slice(made);
        folders.sort();
        folders.dedup();
        fs::remove_folders(&folders);
        folders.retain(|folder| made.contains(folder) && fs::is_folder(folder));
        self.remember_folders(&folders)
    }

    fn made_folders(&self) -> Vec<PathBuf> {
        listed(&self.list_path())
    }

    /// Settles what runs that were cut off have left.
    ///
    /// # Errors
    /// A file or record cannot be read or written.
    pub fn heal_all(&self) -> Result<(), Error> {
        fs::remove_left(&self.folder);
        fs::remove_left(&self.records());
        for record in self.all() {
            if record.phase == Phase::Intent {
                let _lock = self.lock(&record.real)?;
                self.heal(&record_name(&record))?;
            }
        }
        Ok(())
    }

    /// Settles one record. The caller holds the file's lock.
    fn heal(&self, name: &str) -> Result<Option<Record>, Error> {
        let Some(record) = self.load(name) else {
            return Ok(None);
        };
        let now = read(&record.real)?;
        let temp = record.temp.as_deref().map(read).transpose()?.flatten();
        let healed = journal::heal(&record, now.as_deref(), temp.as_deref());
        if healed == Healed::CopyAgain
            && let Some(temp) = &record.temp
        {
            fs::copy_over(temp, &record.real).map_err(|error| {
                Error::new(format!(
                    "a write that was cut off cannot be finished: {error}"
                ))
                .in_file(&record.real)
            })?;
        }
        if healed != Healed::Whole
            && let Some(temp) = &record.temp
        {
            let _ = fs::remove_file(temp);
        }
        if healed == Healed::Finished
            && now.is_none()
            && let Some(previous) = &record.previous
        {
            // The file was ours and went; the folders it was in were to follow.
            self.remove_made_folders(&record.real, &previous.created_folders)?;
        }
        let settled = settle(record.clone(), &healed);
        match &settled {
            None => self.remove(name),
            Some(settled) if *settled != record => self.save(name, settled)?,
            Some(_) => {}
        }
        Ok(settled)
    }

    /// Whether a run was cut off and is not settled yet.
    pub fn is_cut_off(&self) -> bool {
        self.all()
            .iter()
            .any(|record| record.phase == Phase::Intent)
    }

    /// Whether any file still has something of ours, as far as the journal knows.
    pub fn anything_left(&self) -> bool {
        self.all()
            .iter()
            .any(|record| record.phase == Phase::Intent || record.state.is_some())
    }

    /// Removes journal, locks and the program when nothing is registered any more.
    ///
    /// # Errors
    /// The lock cannot be taken.
    pub fn clean_up(&self, program: &Path) -> Result<bool, Error> {
        if !fs::is_folder(&self.folder) {
            self.remove_what_was_begun();
            return Ok(false);
        }
        let locks = self.folder.join("locks");
        let Some(all) = Lock::take_if(&locks.join("all"))? else {
            // A run was cut off, or is, before it could lock anything.
            self.remove_what_was_begun();
            return Ok(false);
        };
        if self.anything_left() {
            return Ok(false);
        }
        let mut made = self.noted_folders();
        made.extend(self.made_folders());
        made.sort();
        made.dedup();
        let _ = fs::remove_file(program);
        let bin = program.parent().unwrap_or(program);
        fs::remove_left(bin);
        fs::remove_left(&self.folder);
        checkpoint("cleaning");
        for folder in [self.records(), locks.clone()] {
            for name in fs::names(&folder) {
                if name != "all" {
                    let _ = fs::remove_file(&folder.join(name));
                }
            }
        }
        fs::remove_folders(&[bin.parent().unwrap_or(bin).to_owned(), bin.to_owned()]);
        fs::remove_folders(&[self.records()]);
        fs::remove_folders(&made);
        // The list goes before the folder it lies in; until that is gone too, a note
        // above it takes its place.
        made.retain(|folder| self.folder.starts_with(folder));
        let note = made.first().and_then(|first| note_beside(first));
        if let Some(note) = &note {
            let _ = fs::write_note(note, &list(&made));
        }
        checkpoint("forgetting");
        let _ = fs::remove_file(&self.list_path());
        checkpoint("forgotten");
        // From here on another run may make these folders anew: only what is empty
        // goes, and while something stays, the note stays for that run to read.
        all.remove();
        fs::remove_folders(&[self.folder.clone(), locks]);
        fs::remove_folders(&made);
        checkpoint("cleaned");
        // An empty folder that could not be removed was made this moment.
        let deepest = made.iter().rev().find(|folder| fs::is_folder(folder));
        let in_use = fs::is_folder(&self.folder)
            || deepest.is_some_and(|folder| fs::names(folder).is_empty());
        if let Some(note) = note
            && !in_use
        {
            let _ = fs::remove_file(&note);
        }
        Ok(true)
    }
}

/// Where the note on folders about to be made lies: beside the outermost of them.
fn note_beside(folder: &Path) -> Option<PathBuf> {
    Some(folder.parent()?.join(".pan-hooks.folders"))
}

fn list(folders: &[PathBuf]) -> Vec<u8> {
    let names: Vec<_> = folders
        .iter()
        .filter_map(|folder| folder.to_str())
        .collect();
    serde_json::to_vec_pretty(&names).unwrap_or_default()
}

fn listed(path: &Path) -> Vec<PathBuf> {
    fs::read(path)
        .ok()
        .flatten()
        .and_then(|bytes| serde_json::from_slice::<Vec<String>>(&bytes).ok())
        .unwrap_or_default()
        .into_iter()
        .map(PathBuf::from)
        .collect()
}

fn load(path: &Path) -> Option<Record> {
    let bytes = fs::read(path).ok()??;
    Record::from_json(std::str::from_utf8(&bytes).ok()?)
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    fs::read(path).map_err(|error| cannot_read(path, &error))
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Error {
    Error::new(format!("cannot be read: {error}"))
        .in_file(path)
        .remedy("nothing was changed; make it a file you may read, then run again")
}

/// The record after its run was settled; `None` when nothing is to be remembered.
fn settle(mut record: Record, healed: &Healed) -> Option<Record> {
    match healed {
        Healed::Whole => return Some(record),
        Healed::Finished | Healed::CopyAgain => {}
        Healed::TakenBack => {
            // Folders made for a file that never came.
            if record.before.is_none()
                && let Some(state) = &record.state
            {
                fs::remove_folders(&state.created_folders);
            }
            record.state = record.previous.take();
            record.splices.clear();
            record.after.clone_from(&record.before);
            record.state.as_ref()?;
        }
    }
    record.phase = Phase::Done;
    record.temp = None;
    Some(record)
}

fn record_name(record: &Record) -> String {
    name_of(&record.real, &record.host, &record.scope)
}

fn name_of(real: &Path, host: &str, scope: &str) -> String {
    format!("{}-{host}-{scope}", journal::key(real))
}

/// An id for a run; later runs sort after earlier ones.
pub fn new_run() -> String {
    format!("{}-{}", clock::utc(clock::nanos()), std::process::id())
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
