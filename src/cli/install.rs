//! `install` and `uninstall`: plan, show, ask, write, and say what the files hold
//! now.

use clap::ArgMatches;

use super::printer::Printer;
use super::report::Report;
use super::select::{self, Hosts};
use super::unit::{self, Unit};
use super::{DONE, Failure, REFUSED, ask};
use crate::error::Error;
use crate::hook::Hook;
use crate::host::paths::Here;
use crate::host::table::Scope;
use crate::os::env;
use crate::plan::file::{After, Goal};
use crate::plan::store::Journal;
use crate::plan::{apply, program};

/// `install`.
///
/// # Errors
/// Words that cannot be meant; a refusal of the whole run.
pub fn install(given: &ArgMatches, printer: &mut Printer) -> Result<u8, Failure> {
    let run = Run::of(given)?;
    let (hooks, missing) = select::hooks(given);
    let mut report = Report::default();
    for hook in missing {
        report.note(format!(
            "{} does not exist in this version and is not registered",
            hook.name()
        ));
    }
    let Some(run) = run.or_nobody(printer)? else {
        return Ok(REFUSED);
    };
    let run = run.ask_hosts()?;
    let goal = Goal::Install {
        hooks,
        migrate: given.get_flag("migrate"),
    };
    run.go(&goal, report, printer)
}

/// `uninstall`.
///
/// # Errors
/// Words that cannot be meant; a refusal of the whole run.
pub fn uninstall(given: &ArgMatches, printer: &mut Printer) -> Result<u8, Failure> {
    let mut run = Run::of(given)?;
    // Without --host every host is looked at: what we wrote goes, also where the
    // host itself is gone.
    if !run.hosts.chosen {
        run.hosts.hosts = crate::host::all()?.iter().collect();
    }
    let named: Vec<Hook> = given
        .get_many::<String>("hook")
        .into_iter()
        .flatten()
        .filter_map(|name| Hook::named(name))
        .collect();
    let hooks = if named.is_empty() {
        Hook::ALL.to_vec()
    } else {
        named
    };
    run.go(&Goal::Uninstall { hooks }, Report::default(), printer)
}

/// A run of either verb.
struct Run {
    here: Here,
    journal: Journal,
    hosts: Hosts,
    scope: Scope,
    dry: bool,
    ask: bool,
}

impl Run {
    fn of(given: &ArgMatches) -> Result<Self, Failure> {
        let here = Here::now()?;
        let scope = select::scope(given);
        if scope != Scope::User && here.project_is_home() {
            return Err(Error::new("the project is your home folder: what is written there would hold in every project")
                .in_file(&here.project)
                .remedy("use --global, or change to a project's folder")
                .into());
        }
        Ok(Self {
            journal: Journal::at(env::own_folders()?.state),
            hosts: select::hosts(given, &here)?,
            here,
            scope,
            dry: given.get_flag("dry-run"),
            ask: select::interactive() && !given.get_flag("yes") && !given.get_flag("dry-run"),
        })
    }

    /// The run, unless there is no host to run for.
    fn or_nobody(self, printer: &Printer) -> Result<Option<Self>, Failure> {
        if !self.hosts.hosts.is_empty() {
            return Ok(Some(self));
        }
        let names: Vec<_> = crate::host::all()?
            .iter()
            .map(|host| host.id.as_str())
            .collect();
        let error = Error::new("none of the known coding agents was found on this machine").remedy(
            format!(
                "name one with --host ({}), or install one",
                names.join(", ")
            ),
        );
        printer.refusal(&error);
        if printer.json() {
            printer.document(&Report::default().to_json(printer));
        }
        Ok(None)
    }

    /// Lets the person choose among the hosts when none was named.
    fn ask_hosts(mut self) -> Result<Self, Failure> {
        let writable = self
            .hosts
            .hosts
            .iter()
            .filter(|host| host.unsupported.is_none())
            .count();
        if !self.ask || self.hosts.chosen || writable < 2 {
            return Ok(self);
        }
        let hosts: Vec<_> = self
            .hosts
            .hosts
            .iter()
            .copied()
            .filter(|host| host.unsupported.is_none())
            .collect();
        let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
        let picked = ask::pick(
            "Register hooks in which agents? (space picks, enter goes on)",
            &names,
        )?;
        self.hosts.hosts = picked.into_iter().map(|at| hosts[at]).collect();
        Ok(self)
    }

    fn go(self, goal: &Goal, mut report: Report, printer: &Printer) -> Result<u8, Failure> {
        let mut units = unit::preview(
            &self.journal,
            &self.here,
            &self.hosts,
            self.scope,
            goal,
            &mut report,
        );
        if self.ask {
            self.ask_to_migrate(&mut units)?;
        }
        if self.dry {
            unit::show(printer, &units);
            unit::report_previews(&units, &self.here, &mut report);
            report.print(printer, true);
            printer.talk("nothing was written (--dry-run)");
            return Ok(code(&report));
        }
        let uninstalls = matches!(goal, Goal::Uninstall { .. });
        if self.ask && changes(&units) {
            printer.line("Only the lines with a sign change; everything else stays as it is.");
            unit::show(printer, &units);
            let prompt = if uninstalls {
                "Take these lines out?"
            } else {
                "Write this?"
            };
            if !ask::confirm(prompt, true)? {
                printer.talk("nothing was written");
                return Ok(DONE);
            }
        }
        // A run that has nothing to write leaves no trace of its own either.
        let idle = uninstalls && !changes(&units) && !self.journal.anything_left();
        if idle {
            unit::report_previews(&units, &self.here, &mut report);
        } else {
            let written = unit::write(
                &self.journal,
                &self.here,
                &units,
                &apply::new_run(),
                &mut report,
            );
            if let Err(error) = written {
                // What stopped the run may stop the clean-up too; it is the one to tell.
                let _ = self.journal.clean_up(&program::path(&self.here.home));
                return Err(error.into());
            }
        }
        self.journal.clean_up(&program::path(&self.here.home))?;
        if !uninstalls && report.changes_files() {
            report.note("`pan-hooks undo` takes this back.");
        }
        report.print(printer, false);
        Ok(code(&report))
    }

    /// PAN's own registrations are replaced only when a person says so.
    fn ask_to_migrate(&self, units: &mut [Unit]) -> Result<(), Failure> {
        for unit in units {
            if unit.plans().all(|plan| plan.refused.is_empty()) {
                continue;
            }
            let Some(place) = unit.places.first() else {
                continue;
            };
            let prompt = format!(
                "{} has PAN's own hooks in {}; replace them by ours?",
                place.host.name,
                self.here.shown(&place.path)
            );
            if ask::confirm(&prompt, false)?
                && let Goal::Install { hooks, .. } = &unit.goal
            {
                let goal = Goal::Install {
                    hooks: hooks.clone(),
                    migrate: true,
                };
                unit.replan(&self.journal, &self.here, goal);
            }
        }
        Ok(())
    }
}

fn changes(units: &[Unit]) -> bool {
    units
        .iter()
        .flat_map(Unit::plans)
        .any(|plan| plan.after != After::Same)
}

fn code(report: &Report) -> u8 {
    if report.refused() { REFUSED } else { DONE }
}
