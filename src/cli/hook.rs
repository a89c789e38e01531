//! `pan-hooks hook HOOK --host H [--event E]`: the edge of a hook call.
//!
//! Gathers what the handler needs, lets it decide, answers, records. It leaves with
//! status 0 and an empty standard error whatever happens: a hook must never stop an
//! agent by accident.

use std::ffi::OsString;
use std::io::Write as _;

use crate::hook::Hook;
use crate::hook::guard_log::{self, Stamp};
use crate::hook::handlers::guard;
use crate::hook::json::Object;
use crate::hook::outcome::Outcome;
use crate::hook::payload::{Event, Payload, Tool};
use crate::hook::planning::{self, Mode};
use crate::hook::{identity, place, settings};
use crate::host::dialect::{self, Dialect};
use crate::os::hostile::{Folder, Tree, find_tree};
use crate::os::stdin::{self, Input};
use crate::os::{runtime, surroundings};

/// The most that is read of a settings file, of a state file and of a plan, in bytes.
const MAX_CONFIG: usize = 256 * 1024;
const MAX_STATE: usize = 1024 * 1024;
const MAX_PLAN: usize = 256 * 1024;

/// How many plans of a phase are read.
const MAX_PLANS: usize = 64;

/// How many plans' declared files are kept.
const MAX_DECLARED: usize = 4096;

/// The name of the guard's log.
const GUARD_LOG: &str = "guard.jsonl";

/// Our folder below the user's state folder.
const STATE_NAME: &str = "pan-hooks";

/// What the command line of a hook call says.
struct Call {
    hook: Hook,
    host: &'static str,
    event: Option<String>,
}

/// Runs a hook call with the arguments after `hook`.
pub fn run(args: impl Iterator<Item = OsString>) {
    leave_quietly_on_panic();
    // Read even when there is nothing to do: a host may not like a closed pipe.
    let input = stdin::read();
    let Some(call) = parse(args) else { return };
    // The others are not built yet; a registration of a newer version is silent.
    if call.hook == Hook::Guard {
        run_guard(&call, &input);
    }
}

/// A panic ends the process with status 0 and without a word. A decision that was
/// taken is printed before anything that could fail, so it is not lost.
pub fn leave_quietly_on_panic() {
    std::panic::set_hook(Box::new(|_| leave()));
}

/// Ends the process. Nothing is left to clean up, and giving memory back piece by
/// piece costs more than reading the payload did.
#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "the end of a hook call, and what a crash must look like to the host: the release build aborts otherwise"
)]
fn leave() -> ! {
    std::process::exit(0)
}

/// The hook, the host and the event. Unknown flags are ignored: an older program
/// may be called by a newer registration.
fn parse(args: impl Iterator<Item = OsString>) -> Option<Call> {
    let mut hook = None;
    let mut host = None;
    let mut event = None;
    let mut args = args.filter_map(|arg| arg.into_string().ok());
    while let Some(arg) = args.next() {
        if let Some(name) = arg.strip_prefix("--host=") {
            host = dialect::host_named(name);
        } else if let Some(name) = arg.strip_prefix("--event=") {
            event = Some(name.to_owned());
        } else if arg == "--host" {
            host = args.next().and_then(|name| dialect::host_named(&name));
        } else if arg == "--event" {
            event = args.next();
        } else if !arg.starts_with('-') && hook.is_none() {
            hook = Some(Hook::named(&arg)?);
        }
    }
    Some(Call {
        hook: hook?,
        host: host?,
        event,
    })
}

/// Prints the answer. A host that does not listen is no reason to fail.
fn answer(text: &str) {
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text.as_bytes());
        let _ = out.flush();
    }
}

/// Where a guard call works, found before the payload is looked at closely.
struct Site {
    cwd: String,
    home: Option<String>,
    mode: Mode,
    /// The planning tree and its place; nothing outside a project.
    tree: Option<(Tree, guard::Project)>,
}

/// Finds the site of a call from `cwd`; nothing when the guard has nothing to do there.
fn site(cwd: &str) -> Option<Site> {
    let hook = Hook::Guard.name();
    let all = surroundings::variable("PAN_HOOKS");
    let skip = surroundings::variable("PAN_HOOKS_SKIP");
    if settings::is_switched_off(hook, all.as_deref(), skip.as_deref()) {
        return None;
    }
    let home = surroundings::home().map(|home| place::resolve("/", &home));
    let cwd = place::resolve("/", cwd);
    let own = surroundings::config_file(home.as_deref())
        .and_then(|file| surroundings::own_file(&file, MAX_CONFIG as u64))
        .map(|config| settings::read(&config, hook, &cwd))
        .unwrap_or_default();
    if own.disabled {
        return None;
    }
    let folder = surroundings::variable("PAN_PLANNING_DIR");
    let track = surroundings::variable("PAN_TRACK");
    let name = planning::tree_name(folder.as_deref(), track.as_deref());
    let tree = find_tree(&cwd, &name, home.as_deref());
    let (mode, tree) = match tree {
        Some(tree) => {
            let root = tree.project.clone();
            let project = guard::Project {
                tree: place::resolve(&root, &name),
                base: place::resolve(&root, planning::BASE),
                root,
            };
            let mode = tree
                .folder
                .read("config.json", MAX_CONFIG)
                .or_else(|| {
                    // A track may leave its settings to the tree it is a track of.
                    (project.tree != project.base).then_some(())?;
                    Folder::open(&project.root, planning::BASE)?.read("config.json", MAX_CONFIG)
                })
                .and_then(|config| planning::mode(&config))
                .unwrap_or_default();
            (mode, Some((tree, project)))
        }
        None => (own.outside.unwrap_or(Mode::Off), None),
    };
    (mode != Mode::Off).then_some(Site {
        cwd,
        home,
        mode,
        tree,
    })
}

fn run_guard(call: &Call, input: &Input) {
    let text = match input {
        Input::Value(bytes) => std::str::from_utf8(bytes).ok(),
        Input::Empty | Input::Unreadable => None,
    };
    let object = text
        .map(|text| text.strip_prefix('\u{feff}').unwrap_or(text))
        .and_then(Object::parse);
    let dialect = object
        .as_ref()
        .and_then(|object| dialect::choose(object, call.host));
    if let (Some(object), Some(dialect)) = (&object, dialect) {
        guard_payload(call, dialect, object);
        return;
    }
    // What cannot be read is not clean. The project is that of the process.
    let Some(cwd) = surroundings::current_folder() else {
        return;
    };
    let Some(site) = site(&cwd) else { return };
    let stamp = Stamp {
        now: surroundings::now(),
        host: call.host,
        event: call.event.as_deref().unwrap_or_default(),
        mode: site.mode.name(),
        ..Stamp::default()
    };
    let why = if matches!(input, Input::Empty) {
        "no payload"
    } else {
        "the payload"
    };
    record(&site, &stamp, &guard::unreadable(why));
}

fn guard_payload(call: &Call, dialect: &Dialect, object: &Object<'_>) {
    let payload = dialect.decode(object, call.event.as_deref());
    // A tool without a name may be any tool.
    let nameless = payload.tool_name.is_empty();
    if payload.event != Event::BeforeTool || (payload.tool == Tool::Other && !nameless) {
        return;
    }
    let cwd = match &payload.cwd {
        Some(cwd) if place::is_absolute(cwd) => cwd.as_ref().to_owned(),
        _ => match surroundings::current_folder() {
            Some(cwd) => cwd,
            None => return,
        },
    };
    let Some(site) = site(&cwd) else { return };
    if nameless {
        let outcome = guard::unreadable("no tool name");
        record(&site, &stamp(&payload, site.mode), &outcome);
        return;
    }
    let action = payload.action();
    let at = guard::Place {
        cwd: &site.cwd,
        home: site.home.as_deref(),
    };
    let seen = guard::inspect(&action, payload.tool, at);
    let agent = payload.agent.as_deref();
    let learned = site
        .tree
        .as_ref()
        .map(|(tree, project)| learn(&seen, tree, project, agent))
        .unwrap_or_default();
    let outcome = guard::decide(
        &seen,
        &guard::Facts {
            place: at,
            project: site.tree.as_ref().map(|(_, project)| project),
            mode: site.mode,
            agent,
            learned,
        },
    );
    if outcome.rows.is_empty() {
        leave();
    }
    answer(&(dialect.encode)(&payload.event_name, &outcome));
    // Where two events could not be told apart, each is recorded.
    let first = identity::identity(call.hook.name(), &payload)
        .is_none_or(|name| runtime::is_first(call.hook.name(), &name));
    if first {
        record(&site, &stamp(&payload, site.mode), &outcome);
    }
}

fn stamp<'a>(payload: &'a Payload<'_>, mode: Mode) -> Stamp<'a> {
    Stamp {
        now: surroundings::now(),
        host: payload.host,
        event: &payload.event_name,
        session: payload.session.as_deref(),
        agent: payload.agent.as_deref(),
        agent_id: payload.agent_id.as_deref(),
        tool: Some(&payload.tool_name),
        call: payload.call.as_deref(),
        mode: mode.name(),
    }
}

/// Looks up what the decision needs and only that.
fn learn(
    seen: &guard::Inspection<'_>,
    tree: &Tree,
    project: &guard::Project,
    agent: Option<&str>,
) -> guard::Learned {
    let needs = guard::needs(seen, project, agent);
    let mut learned = guard::Learned::default();
    if needs.phase {
        learned.phase = phase(tree);
    }
    for index in needs.real {
        let path = seen.targets.get(index).map(|target| target.path.as_str());
        if let Some(path) = path.and_then(surroundings::behind_links) {
            learned.real.push((index, path));
        }
    }
    if !learned.real.is_empty() {
        let real = |path: &str| surroundings::behind_links(path).unwrap_or_else(|| path.to_owned());
        learned.real_project = Some(guard::Project {
            root: real(&project.root),
            tree: real(&project.tree),
            base: real(&project.base),
        });
    }
    learned
}

/// The phase in flight: two folder reads, `phases` and the phase's own.
fn phase(tree: &Tree) -> Option<guard::Phase> {
    let number = planning::current_phase(&tree.folder.read("state.md", MAX_STATE)?)?;
    let phases = tree.folder.folder("phases")?;
    let name = phases
        .names()
        .into_iter()
        .find(|name| planning::is_phase_folder(name, &number))?;
    let folder = phases.folder(&name)?;
    let mut declared = Vec::new();
    for plan in planning::unfinished(&folder.names())
        .into_iter()
        .take(MAX_PLANS)
    {
        if let Some(text) = folder.read(plan, MAX_PLAN) {
            declared.extend(planning::files_modified(&text));
        }
        declared.truncate(MAX_DECLARED);
    }
    Some(guard::Phase { number, declared })
}

/// Appends the rows to the log of the project, or to ours outside one.
fn record(site: &Site, stamp: &Stamp<'_>, outcome: &Outcome) {
    let lines = guard_log::render(stamp, &outcome.rows);
    let own;
    let folder = if let Some((tree, _)) = &site.tree {
        Some(&tree.folder)
    } else {
        own = surroundings::state_base(site.home.as_deref()).and_then(|base| {
            surroundings::make_folders(&base);
            Folder::private(&base, STATE_NAME)
        });
        own.as_ref()
    };
    let _ = folder.and_then(|folder| folder.append(GUARD_LOG, &lines));
}
