//! The units of a run: one host in one scope, looked at, shown, written.

use std::path::Path;

use super::printer::Printer;
use super::report::{Change, FileAction, Report};
use super::select::Hosts;
use crate::error::Error;
use crate::host::paths::Here;
use crate::host::table::{Host, Scope, SeenFrom};
use crate::os::{checkpoint, fs};
use crate::plan::apply::{self, Done, Job, Journal, Place, View};
use crate::plan::file::{self, Action, After, File, FilePlan, Goal};
use crate::plan::{diff, program};

/// A unit with what was found and planned before anything is written.
#[derive(Debug)]
pub struct Unit {
    /// Where.
    pub place: Place<'static>,
    /// What is to be reached.
    pub goal: Goal,
    /// What was found and planned, or why not.
    pub preview: Result<(View, FilePlan), Error>,
}

/// Looks at each host's file and plans it. Hosts that cannot be written in this
/// scope or version become refusals when they were named, notes when not.
pub fn preview(
    journal: &Journal,
    here: &Here,
    hosts: &Hosts,
    scope: Scope,
    goal: &Goal,
    report: &mut Report,
) -> Vec<Unit> {
    let mut units = Vec::new();
    for host in &hosts.hosts {
        let host: &'static Host = host;
        let Some(place) = Place::of(host, scope, here) else {
            let what = format!("{} has no {} settings file", host.name, scope.name());
            pass_over(report, host, scope, here, hosts.named, what);
            continue;
        };
        let installs = matches!(goal, Goal::Install { .. });
        if let Some(why) = &host.unsupported
            && installs
        {
            pass_over(report, host, scope, here, hosts.named, why.clone());
            continue;
        }
        if host.unsupported.is_some() {
            continue;
        }
        if cfg!(windows)
            && installs
            && let Some(why) = &place.file.not_on_windows
        {
            pass_over(report, host, scope, here, hosts.named, why.clone());
            continue;
        }
        let preview = apply::look(journal, &place, here).and_then(|view| {
            let plan = apply::plan(&place, &view, goal)?;
            Ok((view, plan))
        });
        units.push(Unit {
            place,
            goal: goal.clone(),
            preview,
        });
    }
    units
}

fn pass_over(
    report: &mut Report,
    host: &'static Host,
    scope: Scope,
    here: &Here,
    named: bool,
    what: String,
) {
    if !named {
        report.note(format!("{}: {what}", host.name));
        return;
    }
    let path = Place::of(host, scope, here).map_or_else(
        || crate::host::paths::config_dir(host, here).path,
        |place| place.path,
    );
    report.changes.push(Change {
        host,
        scope,
        path,
        action: FileAction::Refused,
        entries: Vec::new(),
        error: Some(Error::new(what)),
    });
}

/// Shows what the units would change.
pub fn show(printer: &Printer, units: &[Unit]) {
    for unit in units {
        let Ok((view, plan)) = &unit.preview else {
            continue;
        };
        let Ok(text) = view.text() else { continue };
        let host = unit.place.host;
        let file = File {
            text,
            grammar: &host.grammars[&unit.place.file.grammar],
            state: None,
        };
        let document = file::parse(&file).ok();
        let key = host.entry.events_at.first().map_or("", String::as_str);
        let hunks = diff::hunks(plan, text.unwrap_or_default(), document.as_ref(), key);
        printer.hunks(&printer.shown(&unit.place.path), &hunks);
    }
}

/// Adds the previews to the report as if they had been carried out.
pub fn report_previews(units: &[Unit], here: &Here, report: &mut Report) {
    for unit in units {
        match &unit.preview {
            Ok((view, plan)) => add(report, unit, here, view, plan),
            Err(error) => refuse(report, unit, error.clone()),
        }
    }
}

fn refuse(report: &mut Report, unit: &Unit, mut error: Error) {
    error.path.get_or_insert_with(|| unit.place.path.clone());
    report.changes.push(Change {
        host: unit.place.host,
        scope: unit.place.file.scope,
        path: unit.place.path.clone(),
        action: FileAction::Refused,
        entries: Vec::new(),
        error: Some(error),
    });
}

fn add(report: &mut Report, unit: &Unit, here: &Here, view: &View, plan: &FilePlan) {
    let place = &unit.place;
    for (_, error) in &plan.refused {
        refuse(report, unit, error.clone());
    }
    // A file in which everything was refused is not "unchanged" as well.
    if plan.refused.is_empty() || !plan.entries.is_empty() {
        report.changes.push(Change {
            host: place.host,
            scope: place.file.scope,
            path: place.path.clone(),
            action: FileAction::of(plan, view.found.is_some()),
            entries: plan.entries.clone(),
            error: None,
        });
    }
    let shown = here.shown(&place.path);
    for note in &plan.notes {
        report.note(format!("{shown}: {note}"));
    }
    if plan.after == After::Same {
        return;
    }
    if !view.target.links.is_empty() {
        report.note(format!(
            "{shown} is a link; the link stays and {} is written.",
            here.shown(&view.target.real)
        ));
    }
    if let Some(manager) = manager(&place.path, &view.target.real, here) {
        report.note(format!("{shown} {manager}"));
    }
    if let Some(found) = &view.found
        && found.writable_by_others()
    {
        report.note(format!(
            "{shown} may be written by others; `chmod go-w` would end that."
        ));
    }
    let installs = plan
        .entries
        .iter()
        .any(|entry| matches!(entry.action, Action::Added | Action::Updated));
    if installs {
        install_notes(report, place, here, &shown);
    }
}

fn install_notes(report: &mut Report, place: &Place<'_>, here: &Here, shown: &str) {
    let host = place.host;
    if place.file.scope != Scope::User {
        if here.project != here.cwd {
            report.note(format!(
                "The git root of this folder is {}: that is the project.",
                here.shown(&here.project)
            ));
        }
        if place.file.seen_from == SeenFrom::StartFolder {
            report.note(format!(
                "{} reads {shown} only when it is started in {}; started in a folder below, it \
                 does not see it.",
                host.name,
                here.shown(&here.project)
            ));
        }
    }
    report.note(format!("{}: {}", host.name, host.pickup));
    report.note(format!("{} approval: {}", host.name, host.approval));
}

/// The dotfile manager that owns a file, as far as its place tells.
fn manager(path: &Path, real: &Path, here: &Here) -> Option<String> {
    let below = path.strip_prefix(&here.home).ok()?;
    let mut source = here.home.join(".local/share/chezmoi");
    if fs::is_folder(&source) {
        for part in below {
            let part = part.to_string_lossy();
            source.push(
                part.strip_prefix('.')
                    .map_or_else(|| part.to_string(), |rest| format!("dot_{rest}")),
            );
        }
        let private =
            source.with_file_name(format!("private_{}", source.file_name()?.to_string_lossy()));
        if fs::is_there(&source) || fs::is_there(&private) {
            return Some(
                "is managed by chezmoi; run `chezmoi re-add` on it, or the change is lost at the \
                 next apply."
                    .to_owned(),
            );
        }
    }
    if path != real && real.iter().any(|part| part == "stow" || part == ".stow") {
        return Some(
            "is kept by stow; the file in its package is the one that changes.".to_owned(),
        );
    }
    None
}

/// Writes the units, each on its own, and adds the outcome to the report.
///
/// The program is put in its place before the first entry that names it.
///
/// # Errors
/// The state folder or the program cannot be made: then nothing is registered.
pub fn write(
    journal: &Journal,
    here: &Here,
    units: &[Unit],
    run: &str,
    report: &mut Report,
) -> Result<(), Error> {
    let needs_program = units.iter().any(|unit| {
        matches!(&unit.preview, Ok((_, plan)) if plan.entries.iter().any(
            |entry| entry.action != Action::Removed))
    });
    let _working = journal.enter()?;
    journal.heal_all()?;
    if needs_program {
        let supply = program::plan(&here.home)?;
        // Known before they are made: a run that is cut off leaves none behind.
        journal.remember_folders(&program::missing_folders(&here.home))?;
        program::supply(&here.home, &supply)?;
        checkpoint::reach("supplied");
    }
    for unit in units {
        if let Err(error) = &unit.preview {
            refuse(report, unit, error.clone());
            continue;
        }
        let planner = |place: &Place<'_>, view: &View| apply::plan(place, view, &unit.goal);
        let job = Job {
            place: unit.place.clone(),
            planner: &planner,
        };
        match apply::write(journal, &[job], here, run) {
            Ok(done) => {
                for Done { plan, view, notes } in done {
                    add(report, unit, here, &view, &plan);
                    for note in notes {
                        report.note(note);
                    }
                }
            }
            Err(error) => refuse(report, unit, error),
        }
    }
    Ok(())
}
