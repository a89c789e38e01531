//! `status`: every registration of ours and of PAN's own installer in the files we
//! write, and whether it will really run.

use serde_json::{Value, json};

use super::printer::Printer;
use super::switch::Config;
use super::{DONE, Failure};
use crate::hook::Hook;
use crate::host::command::Owner;
use crate::host::paths::Here;
use crate::host::table::{Duplicates, Format, Host, Scope, SwitchIs};
use crate::os::{env, fs};
use crate::plan::file::{self, File};
use crate::plan::look::{Place, look};
use crate::plan::program;
use crate::plan::store::Journal;

/// One registration.
#[derive(Debug)]
struct Row {
    host: &'static Host,
    hook: Hook,
    event: String,
    scope: Scope,
    path: std::path::PathBuf,
    line: usize,
    source: &'static str,
    command: String,
    name: Option<String>,
    state: &'static str,
    reason: String,
}

/// `status`. Changes nothing and runs nothing.
///
/// # Errors
/// There is no home folder or current folder.
pub fn run(printer: &mut Printer) -> Result<u8, Failure> {
    let here = Here::now()?;
    let folders = env::own_folders()?;
    let journal = Journal::at(folders.state.clone());
    let config = Config::read(&folders.config)?;
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    for host in crate::host::all()? {
        let mut off = None;
        let mut found = Vec::new();
        for scope in Scope::ALL {
            if scope != Scope::User && here.project_is_home() {
                continue;
            }
            for place in Place::all(host, scope, &here) {
                if !matches!(place.file.format, Format::Json | Format::Jsonc) {
                    continue;
                }
                match read(&journal, &place, &here) {
                    Ok((mut in_file, switched)) => {
                        found.append(&mut in_file);
                        off = off.or(switched);
                    }
                    Err(error) => problems.push(error),
                }
            }
        }
        judge(&mut found, host, &here, &config, off.as_deref());
        rows.append(&mut found);
    }
    if printer.json() {
        let rows: Vec<Value> = rows.iter().map(to_json).collect();
        printer.document(&json!({"registrations": rows}));
    } else {
        print(printer, &here, &rows);
    }
    for problem in problems {
        printer.refusal(&problem);
    }
    Ok(DONE)
}

fn to_json(row: &Row) -> Value {
    json!({
        "host": row.host.id,
        "hook": row.hook.name(),
        "event": row.event,
        "scope": row.scope.name(),
        "path": row.path.display().to_string(),
        "source": row.source,
        "command": row.command,
        "state": row.state,
        "reason": row.reason,
    })
}

fn print(printer: &Printer, here: &Here, rows: &[Row]) {
    if rows.is_empty() {
        printer.line("no hook of ours is registered in the files pan-hooks writes");
        return;
    }
    let mut last = "";
    for row in rows {
        if last != row.host.id {
            printer.head(&row.host.name, "");
            last = &row.host.id;
        }
        printer.line(&format!(
            "  {:<15} {:<12} {:<8} {:<10} {}:{}",
            row.hook.name(),
            row.event,
            row.scope.name(),
            row.state,
            here.shown(&row.path),
            row.line
        ));
        if row.state != "active" {
            printer.aside(&format!("  {}", row.reason));
        }
    }
}

/// The registrations in one file, and the switch in it that turns hooks off.
fn read(
    journal: &Journal,
    place: &Place<'static>,
    here: &Here,
) -> Result<(Vec<Row>, Option<String>), crate::error::Error> {
    let view = look(journal, place, here)?;
    let host = place.host;
    let in_file = |error: crate::error::Error| match error.path {
        Some(_) => error,
        None => error.in_file(&place.path),
    };
    let file = File {
        text: view.text().map_err(in_file)?,
        grammar: &host.grammars[&place.file.grammar],
        state: None,
    };
    let document = file::parse(&file).map_err(in_file)?;
    let shape = file::shape(host, &file.grammar.only_keys);
    let handlers = file::handlers(host, &document, &shape).map_err(in_file)?;
    let mut off = None;
    for switch in host.switches.iter().filter(|switch| switch.path.is_none()) {
        let keys: Vec<&str> = switch.key.iter().map(String::as_str).collect();
        let node = document.get(&keys).unwrap_or_default();
        if let (Some(node), SwitchIs::Bool(wanted)) = (node, &switch.is)
            && node.value() == Value::Bool(*wanted)
        {
            off = Some(format!(
                "`{}` is {wanted} in {}: {}",
                switch.key.join("."),
                here.shown(&place.path),
                switch.effect
            ));
        }
    }
    let rows = handlers
        .into_iter()
        .filter_map(|one| {
            let (hook, source) = match one.owner {
                Owner::Ours(hook) | Owner::OursBefore(hook) => (hook, "pan-hooks"),
                Owner::Pan(hook) => (hook, "pan"),
                Owner::Other => return None,
            };
            let name = one
                .found
                .fields
                .iter()
                .find(|(key, _)| key == "name")
                .and_then(|(_, value)| Some(value.as_str()?.to_owned()));
            Some(Row {
                host,
                hook,
                event: one.found.event,
                scope: place.file.scope,
                path: place.path.clone(),
                line: one.found.place.line,
                source,
                command: one.found.command,
                name,
                state: "active",
                reason: String::new(),
            })
        })
        .collect();
    Ok((rows, off))
}

/// Says of each registration whether it will run.
fn judge(rows: &mut [Row], host: &Host, here: &Here, config: &Config, off: Option<&str>) {
    let program = program::path(&here.home);
    let runnable = fs::is_program(&program);
    for at in 0..rows.len() {
        let earlier = rows[..at]
            .iter()
            .find(|other| other.event == rows[at].event && other.hook == rows[at].hook);
        let (state, reason) = if rows[at].source == "pan-hooks" && !runnable {
            (
                "orphan",
                format!(
                    "{} is missing or cannot be run; `pan-hooks install` puts it back",
                    here.shown(&program)
                ),
            )
        } else if let Some(off) = off {
            ("disabled", off.to_owned())
        } else if let Some(why) = config.off(rows[at].hook, here)
            && rows[at].source == "pan-hooks"
        {
            ("disabled", why)
        } else if !host.events.contains(&rows[at].event) {
            (
                "shadowed",
                format!(
                    "{} has no event {}: it never runs",
                    host.name, rows[at].event
                ),
            )
        } else if let Some(earlier) = earlier {
            let merged = match host.duplicates {
                Duplicates::Command => earlier.command == rows[at].command,
                Duplicates::NameAndCommand => {
                    earlier.command == rows[at].command && earlier.name == rows[at].name
                }
                Duplicates::AllRun | Duplicates::File => false,
            };
            let place = format!("{}:{}", here.shown(&earlier.path), earlier.line);
            if merged {
                (
                    "shadowed",
                    format!("{} runs it once, with the equal one in {place}", host.name),
                )
            } else {
                (
                    "duplicate",
                    format!("{} runs this one and the one in {place}", host.name),
                )
            }
        } else {
            ("active", String::new())
        };
        rows[at].state = state;
        rows[at].reason = reason;
    }
}
