//! `undo`: takes back the last run.

use clap::ArgMatches;

use super::printer::Printer;
use super::report::{Change, FileAction, Report};
use super::{DONE, Failure, REFUSED, ask, select};
use crate::error::Error;
use crate::host::paths::Here;
use crate::host::table::Scope;
use crate::os::env;
use crate::plan::apply::{self, Done, Job};
use crate::plan::file::File;
use crate::plan::journal::{Phase, Record};
use crate::plan::look::{Place, View};
use crate::plan::store::Journal;
use crate::plan::{program, undo};

/// `undo`.
///
/// # Errors
/// The state folder cannot be used, or a question is not answered.
pub fn run(given: &ArgMatches, printer: &mut Printer) -> Result<u8, Failure> {
    let here = Here::now()?;
    let journal = Journal::at(env::own_folders()?.state);
    if journal.is_cut_off() {
        // What the last run did is known only when it is settled.
        let working = journal.enter()?;
        journal.heal_all()?;
        drop(working);
        journal.clean_up(&program::path(&here.home))?;
    }
    let records = last_run(&journal);
    if records.is_empty() {
        if printer.json() {
            printer.document(&Report::default().to_json(printer));
        }
        printer.talk(
            "nothing to take back: there is no record of a run. After the last uninstall \
             nothing of ours stays, the record included; `pan-hooks install` starts anew.",
        );
        return Ok(DONE);
    }
    if select::interactive() && !given.get_flag("yes") {
        for record in &records {
            printer.talk(&format!("  {} {}", record.host, here.shown(&record.path)));
        }
        if !ask::confirm("Take back the last change of these files?", true)? {
            printer.talk("nothing was written");
            return Ok(DONE);
        }
    }
    let mut report = Report::default();
    let run = apply::new_run();
    {
        let _working = journal.enter()?;
        journal.heal_all()?;
        for record in &records {
            take_back(&journal, &here, record, &run, &mut report)?;
        }
    }
    journal.clean_up(&program::path(&here.home))?;
    report.print(printer, false);
    Ok(if report.refused() { REFUSED } else { DONE })
}

/// The records of the newest run that can be taken back.
fn last_run(journal: &Journal) -> Vec<Record> {
    let mut records: Vec<_> = journal
        .all()
        .into_iter()
        .filter(|record| record.phase == Phase::Done && !record.splices.is_empty())
        .collect();
    let Some(newest) = records.iter().map(|record| record.run.clone()).max() else {
        return Vec::new();
    };
    records.retain(|record| record.run == newest);
    records.sort_by(|a, b| a.path.cmp(&b.path));
    records
}

fn take_back(
    journal: &Journal,
    here: &Here,
    record: &Record,
    run: &str,
    report: &mut Report,
) -> Result<(), Error> {
    let host = crate::host::all()?
        .iter()
        .find(|host| host.id == record.host);
    let scope = Scope::named(&record.scope);
    let (Some(host), Some(scope)) = (host, scope) else {
        return Ok(());
    };
    // The row of the record's file; where it is, the record says, not the folder one
    // happens to stand in.
    let name = record.path.file_name();
    let Some(mut place) = Place::all(host, scope, here)
        .into_iter()
        .find(|place| place.path.file_name() == name)
    else {
        return Ok(());
    };
    place.path.clone_from(&record.path);
    let planner = |place: &Place<'_>, view: &View| {
        let file = File {
            text: view.text()?,
            grammar: &place.host.grammars[&place.file.grammar],
            state: view
                .record
                .as_ref()
                .and_then(|record| record.state.as_ref()),
        };
        undo::plan(place.host, &file, record).map_err(|error| match error.path {
            Some(_) => error,
            None => error.in_file(&place.path),
        })
    };
    let job = Job {
        place: place.clone(),
        planner: &planner,
    };
    let mut change = Change {
        host,
        scope,
        path: place.path.clone(),
        action: FileAction::Refused,
        entries: Vec::new(),
        error: None,
    };
    match apply::write(journal, &[job], here, run) {
        Ok(done) => {
            for Done { plan, view, notes } in done {
                change.action = FileAction::of(&plan, view.found.is_some());
                change.entries = plan.entries;
                report.notes.extend(notes);
            }
        }
        Err(error) => change.error = Some(error),
    }
    report.changes.push(change);
    Ok(())
}
