//! `diff`: what `install` would change.

use clap::ArgMatches;

use super::printer::Printer;
use super::report::Report;
use super::{DONE, FINDINGS, Failure, REFUSED, select, unit};
use crate::error::Error;
use crate::host::paths::{Here, printable};
use crate::host::table::Scope;
use crate::os::env;
use crate::plan::diff;
use crate::plan::file::Goal;
use crate::plan::store::Journal;

/// `diff`. Writes nothing.
///
/// # Errors
/// Words that cannot be meant; a refusal of the whole run.
pub fn run(given: &ArgMatches, printer: &mut Printer) -> Result<u8, Failure> {
    let here = Here::now()?;
    let scope = select::scope(given);
    if scope != Scope::User && here.project_is_home() {
        return Err(Error::new("the project is your home folder")
            .in_file(&here.project)
            .remedy("use --global, or change to a project's folder")
            .into());
    }
    let journal = Journal::at(env::own_folders()?.state);
    let hosts = select::hosts(given, &here)?;
    let (hooks, _) = select::hooks(given);
    let mut report = Report::default();
    let goal = Goal::Install {
        hooks,
        migrate: false,
    };
    let units = unit::preview(&journal, &here, &hosts, scope, &goal, &mut report);
    unit::report_previews(&units, &here, &mut report);
    let mut unshown = false;
    if given.get_flag("patch") && !printer.json() {
        for part in units.iter().flat_map(|unit| unit.parts.iter().flatten()) {
            let root = match scope {
                Scope::User => &here.home,
                _ => &here.project,
            };
            let path = &part.place.path;
            let path = path.strip_prefix(root).unwrap_or(path);
            let key = part.place.host.entry.events_at.first();
            let text = diff::patch(
                &part.plan,
                part.view.text()?,
                &printable(&path.display().to_string()),
                key.map_or("", String::as_str),
            );
            match text {
                Ok(text) if text.is_empty() => {}
                Ok(text) => printer.line(text.trim_end_matches('\n')),
                Err(error) => {
                    printer.refusal(&error.in_file(&part.place.path));
                    unshown = true;
                }
            }
        }
        for change in &report.changes {
            if let Some(error) = &change.error {
                printer.refusal(error);
            }
        }
    } else {
        if !printer.json() {
            unit::show(printer, &units);
        }
        report.print(printer, true);
    }
    Ok(if report.refused() || unshown {
        REFUSED
    } else if report.changes_files() {
        FINDINGS
    } else {
        DONE
    })
}
