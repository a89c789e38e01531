//! The command line: one file a verb. Here and in `os` is all IO.
//!
//! Exit codes: 0 done or nothing to do, 1 findings, 2 usage, 3 something was
//! refused or failed.

pub mod ask;
pub mod completions;
pub mod diff;
pub mod hook;
pub mod hosts;
pub mod install;
pub mod printer;
pub mod report;
pub mod select;
pub mod status;
pub mod switch;
pub mod undo;
pub mod unit;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::error::Error;
use crate::hook::Hook;
use printer::Printer;

/// Done, or nothing to do.
pub const DONE: u8 = 0;
/// There are findings or differences.
pub const FINDINGS: u8 = 1;
/// The command line was not understood.
pub const USAGE: u8 = 2;
/// Ctrl-C, as shells count it.
const INTERRUPTED: u8 = 130;
/// Something was refused or failed.
pub const REFUSED: u8 = 3;

/// The whole command line, for parsing, help and completions.
pub fn command() -> Command {
    Command::new("pan-hooks")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Puts hooks into the coding agents on this machine and takes them out again without touching anything else")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .max_term_width(80)
        .after_help("Turn everything off for one run with PAN_HOOKS=0, single hooks with PAN_HOOKS_SKIP=guard.\nExit codes: 0 done, 1 findings, 2 usage, 3 refused or failed.")
        .subcommand(with_act(with_choice(with_scope(
            Command::new("install").about("Register hooks in the agents' own settings files"),
        )))
        .arg(flag("migrate", "Replace what PAN's own installer registered"))
        .arg(
            Arg::new("statusline")
                .long("statusline")
                .value_name("WHAT")
                .value_parser(["keep", "chain", "replace"])
                .default_value("keep")
                .help("What to do when the status line is taken"),
        ))
        .subcommand(with_act(with_choice(with_scope(
            Command::new("uninstall").about("Take our registrations out again; all else stays as it is"),
        ))))
        .subcommand(
            with_choice(with_scope(
                Command::new("diff").about("Show what install would change; exit 1 if it would"),
            ))
            .arg(flag("patch", "As a patch for git apply --unidiff-zero"))
            .arg(json()),
        )
        .subcommand(
            Command::new("undo")
                .about("Take back the last run, from our own record of it")
                .arg(yes())
                .arg(json()),
        )
        .subcommand(
            Command::new("status")
                .about("List registrations of ours and of PAN, and whether each will run")
                .arg(json()),
        )
        .subcommand(
            Command::new("hosts")
                .about("List the agents on this machine, their versions and files")
                .arg(json()),
        )
        .subcommand(with_hooks(
            Command::new("enable").about("Switch a disabled hook on again"),
        ))
        .subcommand(with_hooks(Command::new("disable").about(
            "Switch a hook off here without taking its registration out",
        )))
        .subcommand(
            Command::new("completions")
                .about("Print completions for a shell")
                .arg(
                    Arg::new("shell")
                        .required(true)
                        .value_name("SHELL")
                        .value_parser(value_parser!(clap_complete::Shell)),
                ),
        )
        .subcommand(
            Command::new("hook")
                .about("What the agents call: HOOK --host HOST, the payload on stdin")
                .hide(true)
                .disable_help_flag(true)
                .arg(
                    Arg::new("rest")
                        .num_args(0..)
                        .allow_hyphen_values(true)
                        .trailing_var_arg(true),
                ),
        )
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn yes() -> Arg {
    flag("yes", "Do not ask").short('y')
}

fn json() -> Arg {
    flag("json", "Print one JSON document on standard output")
}

fn with_scope(command: Command) -> Command {
    command
        .arg(
            flag("global", "In your own settings, for every project")
                .conflicts_with_all(["project", "private"]),
        )
        .arg(
            flag(
                "project",
                "In the project's settings, for everyone (the default)",
            )
            .alias("local")
            .conflicts_with("private"),
        )
        .arg(flag("private", "In the project, for you alone"))
}

fn with_choice(command: Command) -> Command {
    command
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("HOST")
                .action(ArgAction::Append)
                .help("Only this agent, or `all`; may be given several times"),
        )
        .arg(
            Arg::new("hook")
                .long("hook")
                .value_name("HOOK")
                .action(ArgAction::Append)
                .value_parser(Hook::ALL.map(Hook::name))
                .help("Only this hook; may be given several times"),
        )
}

fn with_act(command: Command) -> Command {
    command
        .arg(flag("dry-run", "Show what would change and stop"))
        .arg(yes())
        .arg(json())
}

fn with_hooks(command: Command) -> Command {
    command
        .arg(
            Arg::new("hooks")
                .required(true)
                .num_args(1..)
                .value_name("HOOK")
                .value_parser(Hook::ALL.map(Hook::name)),
        )
        .arg(flag("global", "Everywhere").conflicts_with("project"))
        .arg(flag("project", "In this project (the default)").alias("local"))
}

/// The arguments of this process, the program's own name first.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the arguments"
)]
pub fn arguments() -> impl Iterator<Item = OsString> {
    std::env::args_os()
}

/// Runs the command line and returns the exit code.
pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let matches = match command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => {
            let asked = !error.use_stderr();
            // A closed pipe is no failure of ours.
            let _ = error.print();
            return ExitCode::from(if asked { DONE } else { USAGE });
        }
    };
    let Some((verb, given)) = matches.subcommand() else {
        return ExitCode::from(USAGE);
    };
    let json = given
        .try_get_one::<bool>("json")
        .ok()
        .flatten()
        .is_some_and(|json| *json);
    let mut printer = Printer::new(json);
    let code = run_verb(verb, given, &mut printer).unwrap_or_else(|failure| match failure {
        Failure::Usage(text) => {
            printer.talk(&format!("error: {text}"));
            USAGE
        }
        Failure::Refused(error) => {
            printer.refusal(&error);
            if printer.json() {
                printer.document(&refusal(verb, &error, &printer));
            }
            REFUSED
        }
        Failure::Stopped => {
            printer.talk("\nstopped; nothing was written");
            INTERRUPTED
        }
    });
    ExitCode::from(code)
}

/// The document of a run that was refused as a whole.
fn refusal(verb: &str, error: &Error, printer: &Printer) -> serde_json::Value {
    match verb {
        "status" => serde_json::json!({"registrations": []}),
        "hosts" => serde_json::json!({"hosts": []}),
        _ => {
            let mut report = report::Report::default();
            report.note(printer.told(error));
            report.to_json(printer)
        }
    }
}

/// Why a verb ended early.
#[derive(Debug)]
pub enum Failure {
    /// The words on the command line cannot be meant.
    Usage(String),
    /// It was refused or failed as a whole.
    Refused(Error),
    /// The person pressed Ctrl-C at a question.
    Stopped,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

fn run_verb(verb: &str, given: &ArgMatches, printer: &mut Printer) -> Result<u8, Failure> {
    match verb {
        "install" => install::install(given, printer),
        "uninstall" => install::uninstall(given, printer),
        "diff" => diff::run(given, printer),
        "undo" => undo::run(given, printer),
        "status" => status::run(printer),
        "hosts" => hosts::run(printer),
        "enable" => switch::run(given, printer, true),
        "disable" => switch::run(given, printer, false),
        "completions" => Ok(completions::run(given)),
        other => Err(Failure::Usage(format!("there is no verb `{other}`"))),
    }
}
