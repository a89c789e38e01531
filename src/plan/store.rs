//! The journal on disk: its records, its locks, and our own folder they lie in.
//!
//! All IO goes through `os`; nothing here knows which host it serves, and nothing
//! here touches a file of a host but to finish a write that was cut off.

use std::path::{Path, PathBuf};

use super::journal::{self, Healed, Phase, Record, State};
use crate::error::Error;
use crate::os::checkpoint::reach as checkpoint;
use crate::os::fs;
use crate::os::lock::Lock;

/// How often the state folder is made anew because another run removed it.
const ENTRIES: usize = 100;

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

    pub(super) fn records(&self) -> PathBuf {
        self.folder.join("journal")
    }

    pub(super) fn record_path(&self, name: &str) -> PathBuf {
        self.records().join(format!("{name}.json"))
    }

    pub(super) fn load(&self, name: &str) -> Option<Record> {
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

    pub(super) fn save(&self, name: &str, record: &Record) -> Result<(), Error> {
        let path = self.record_path(name);
        fs::write_own(&path, record.to_json()?.as_bytes()).map_err(|error| {
            Error::new(format!("the journal cannot be written: {error}"))
                .in_file(path)
                .remedy("nothing was changed; make room or give this folder back to yourself")
        })
    }

    /// Two hosts may share one file by links. What the one made there and leaves to
    /// the other is the other's from now on, to be taken out with its own.
    pub(super) fn hand_over(&self, name: &str, real: &Path, old: &State) -> Result<(), Error> {
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

    pub(super) fn remove(&self, name: &str) {
        // What stays is a record of nothing; the next run removes it.
        let _ = fs::remove_file(&self.record_path(name));
    }

    pub(super) fn lock(&self, real: &Path) -> Result<Lock, Error> {
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

    pub(super) fn try_to_enter(&self, missing: &[PathBuf]) -> Result<Option<Lock>, Error> {
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

    pub(super) fn notes(&self) -> Vec<PathBuf> {
        self.folder
            .ancestors()
            .filter_map(note_beside)
            .filter(|note| fs::is_there(note))
            .collect()
    }

    /// The folders a run that was cut off was about to make or to remove.
    pub(super) fn noted_folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = self.notes().iter().flat_map(|note| listed(note)).collect();
        // A note names folders above our own, and nothing else.
        folders.retain(|folder| self.folder.starts_with(folder));
        folders
    }

    pub(super) fn remove_notes(&self) {
        for note in self.notes() {
            let _ = fs::remove_file(&note);
        }
    }

    /// Removes the empty folders of a run that was cut off before it had a lock. One
    /// that is at work makes them anew.
    pub(super) fn remove_what_was_begun(&self) {
        let folders = self.noted_folders();
        fs::remove_folders(std::slice::from_ref(&self.folder));
        fs::remove_folders(&folders);
        if !fs::is_folder(&self.folder) {
            self.remove_notes();
        }
    }

    pub(super) fn list_path(&self) -> PathBuf {
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
    pub(super) fn remove_made_folders(&self, real: &Path, made: &[PathBuf]) -> Result<(), Error> {
        let mut folders = self.made_folders();
        folders.retain(|folder| real.starts_with(folder));
        folders.extend_from_slice(made);
        folders.sort();
        folders.dedup();
        fs::remove_folders(&folders);
        folders.retain(|folder| made.contains(folder) && fs::is_folder(folder));
        self.remember_folders(&folders)
    }

    pub(super) fn made_folders(&self) -> Vec<PathBuf> {
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
    pub(super) fn heal(&self, name: &str) -> Result<Option<Record>, Error> {
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
pub(super) fn note_beside(folder: &Path) -> Option<PathBuf> {
    Some(folder.parent()?.join(".pan-hooks.folders"))
}

pub(super) fn list(folders: &[PathBuf]) -> Vec<u8> {
    let names: Vec<_> = folders
        .iter()
        .filter_map(|folder| folder.to_str())
        .collect();
    serde_json::to_vec_pretty(&names).unwrap_or_default()
}

pub(super) fn listed(path: &Path) -> Vec<PathBuf> {
    fs::read(path)
        .ok()
        .flatten()
        .and_then(|bytes| serde_json::from_slice::<Vec<String>>(&bytes).ok())
        .unwrap_or_default()
        .into_iter()
        .map(PathBuf::from)
        .collect()
}

pub(super) fn load(path: &Path) -> Option<Record> {
    let bytes = fs::read(path).ok()??;
    Record::from_json(std::str::from_utf8(&bytes).ok()?)
}

pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    fs::read(path).map_err(|error| cannot_read(path, &error))
}

pub(super) fn cannot_read(path: &Path, error: &std::io::Error) -> Error {
    Error::new(format!("cannot be read: {error}"))
        .in_file(path)
        .remedy("nothing was changed; make it a file you may read, then run again")
}

/// The record after its run was settled; `None` when nothing is to be remembered.
pub(super) fn settle(mut record: Record, healed: &Healed) -> Option<Record> {
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

pub(super) fn record_name(record: &Record) -> String {
    name_of(&record.real, &record.host, &record.scope)
}

pub(super) fn name_of(real: &Path, host: &str, scope: &str) -> String {
    format!("{}-{host}-{scope}", journal::key(real))
}
