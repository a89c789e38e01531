//! The units of a run: one host in one scope, looked at, shown, written.

use std::path::Path;

use super::printer::Printer;
use super::report::{Change, FileAction, Report};
use super::select::Hosts;
use crate::error::Error;
use crate::host::paths::Here;
use crate::host::table::{Host, Scope, SeenFrom};
use crate::os::{checkpoint, fs};
use crate::plan::apply::{self, Done, Job};
use crate::plan::choose::{self, Candidate};
use crate::plan::file::{self, Action, After, File, FilePlan, Goal};
use crate::plan::look::{self, Place, View};
use crate::plan::store::Journal;
use crate::plan::{diff, program};

/// A file of a unit with what is to be reached in it, what was found and what is
/// planned.
#[derive(Debug)]
pub struct Part {
    /// Where.
    pub place: Place<'static>,
    /// What is to be reached there.
    pub goal: Goal,
    /// What was found.
    pub view: View,
    /// What is planned.
    pub plan: FilePlan,
}

/// One host in one scope, before anything is written.
#[derive(Debug)]
pub struct Unit {
    /// Its files, in the table's order.
    pub places: Vec<Place<'static>>,
    /// What is to be reached.
    pub goal: Goal,
    /// The files that matter, or why nothing can be done.
    pub parts: Result<Vec<Part>, Error>,
}

impl Unit {
    fn new(journal: &Journal, here: &Here, places: Vec<Place<'static>>, goal: &Goal) -> Self {
        Self {
            parts: parts(journal, here, &places, goal),
            places,
            goal: goal.clone(),
        }
    }

    /// Plans again for another goal.
    pub fn replan(&mut self, journal: &Journal, here: &Here, goal: Goal) {
        self.parts = parts(journal, here, &self.places, &goal);
        self.goal = goal;
    }

    /// The plans, none when nothing can be done.
    pub fn plans(&self) -> impl Iterator<Item = &FilePlan> {
        self.parts.iter().flatten().map(|part| &part.plan)
    }
}

/// Looks at the files of a unit, chooses the one that takes the entries, and plans
/// all in which something of ours may be.
fn parts(
    journal: &Journal,
    here: &Here,
    places: &[Place<'static>],
    goal: &Goal,
) -> Result<Vec<Part>, Error> {
    let mut views = Vec::new();
    for place in places {
        views.push(look::look(journal, place, here)?);
    }
    let candidates: Vec<Candidate> = places
        .iter()
        .zip(&views)
        .map(|(place, view)| candidate(place, view))
        .collect();
    let target = match goal {
        Goal::Install { .. } => choose::target(&candidates),
        Goal::Uninstall { .. } => None,
    };
    let mut parts = Vec::new();
    for (index, (place, view)) in places.iter().zip(views).enumerate() {
        // A file without the name of our program has nothing of ours to take out.
        let goal = match goal {
            _ if Some(index) == target => goal.clone(),
            Goal::Install { hooks, .. } if candidates[index].ours => Goal::Uninstall {
                hooks: hooks.clone(),
            },
            Goal::Uninstall { .. } if places.len() == 1 || candidates[index].ours => goal.clone(),
            _ => continue,
        };
        let plan = look::plan(place, &view, &goal)?;
        parts.push(Part {
            place: place.clone(),
            goal,
            view,
            plan,
        });
    }
    Ok(parts)
}

/// What matters of a file for the choice. One that cannot be read has nothing of
/// ours as far as can be told; if it is chosen all the same, planning says why not.
fn candidate(place: &Place<'_>, view: &View) -> Candidate {
    let handlers = look::handlers(place, view).unwrap_or_default();
    Candidate {
        exists: view.found.is_some(),
        ours: handlers.iter().any(|one| file::is_ours(one.owner)),
        has_events: !handlers.is_empty(),
        when_it_has_events: place.file.when_it_has_events,
    }
}

/// Looks at each host's files and plans them. Hosts that cannot be written in this
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
        let places = Place::all(host, scope, here);
        let Some(first) = places.first() else {
            let what = format!("{} has no {} settings file", host.name, scope.name());
            pass_over(report, host, scope, here, hosts.named, what);
            continue;
        };
        let installs = matches!(goal, Goal::Install { .. });
        if let Some(why) = &host.unsupported {
            if installs {
                pass_over(report, host, scope, here, hosts.named, why.clone());
            }
            continue;
        }
        if cfg!(windows)
            && installs
            && let Some(why) = &first.file.not_on_windows
        {
            pass_over(report, host, scope, here, hosts.named, why.clone());
            continue;
        }
        units.push(Unit::new(journal, here, places, goal));
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
    let path = Place::all(host, scope, here)
        .into_iter()
        .next()
        .map_or_else(
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
    for part in units.iter().flat_map(|unit| unit.parts.iter().flatten()) {
        let Ok(text) = part.view.text() else { continue };
        let host = part.place.host;
        let file = File {
            text,
            grammar: &host.grammars[&part.place.file.grammar],
            state: None,
        };
        let document = file::parse(&file).ok();
        let key = host.entry.events_at.first().map_or("", String::as_str);
        let hunks = diff::hunks(&part.plan, text.unwrap_or_default(), document.as_ref(), key);
        printer.hunks(&printer.shown(&part.place.path), &hunks);
    }
}

/// Adds the previews to the report as if they had been carried out.
pub fn report_previews(units: &[Unit], here: &Here, report: &mut Report) {
    for unit in units {
        match &unit.parts {
            Ok(parts) => {
                for part in parts {
                    add(report, &part.place, here, &part.view, &part.plan);
                }
            }
            Err(error) => refuse(report, unit.places.first(), error.clone()),
        }
    }
}

fn refuse(report: &mut Report, place: Option<&Place<'static>>, mut error: Error) {
    let Some(place) = place else { return };
    let path = error.path.get_or_insert_with(|| place.path.clone()).clone();
    report.changes.push(Change {
        host: place.host,
        scope: place.file.scope,
        path,
        action: FileAction::Refused,
        entries: Vec::new(),
        error: Some(error),
    });
}

fn add(report: &mut Report, place: &Place<'static>, here: &Here, view: &View, plan: &FilePlan) {
    for (_, error) in &plan.refused {
        refuse(report, Some(place), error.clone());
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
    report.note(format!("Approval in {}: {}", host.name, host.approval));
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
    let needs_program = units.iter().flat_map(Unit::plans).any(|plan| {
        plan.entries
            .iter()
            .any(|entry| entry.action != Action::Removed)
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
        let parts = match &unit.parts {
            Ok(parts) => parts,
            Err(error) => {
                refuse(report, unit.places.first(), error.clone());
                continue;
            }
        };
        let planners: Vec<_> = parts
            .iter()
            .map(|part| move |place: &Place<'_>, view: &View| look::plan(place, view, &part.goal))
            .collect();
        let jobs: Vec<Job<'_>> = parts
            .iter()
            .zip(&planners)
            .map(|(part, planner)| Job {
                place: part.place.clone(),
                planner,
            })
            .collect();
        match apply::write(journal, &jobs, here, run) {
            Ok(done) => {
                for (part, Done { plan, view, notes }) in parts.iter().zip(done) {
                    add(report, &part.place, here, &view, &plan);
                    for note in notes {
                        report.note(note);
                    }
                }
            }
            Err(error) => refuse(report, unit.places.first(), error),
        }
    }
    Ok(())
}
