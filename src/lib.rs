//! pan-hooks puts hooks into the coding agents on a machine, takes them out
//! again without touching anything else, and is itself the hook they call.
//!
//! Where things are:
//!
//! - [`host`]: the host table (`hosts/*.toml`), where each host keeps its files,
//!   and, in one folder a host, the little that cannot be data;
//! - [`edit`]: exact edits of JSON and JSONC text, no IO;
//! - [`plan`]: what should be there, what is there, the difference, the journal
//!   and the write;
//! - [`hook`]: the handlers and what they need, no IO;
//! - [`os`]: files, locks, environment, clock: the only door to the system;
//! - [`cli`]: one file a verb.

pub mod cli;
pub mod edit;
pub mod error;
pub mod hook;
pub mod host;
pub mod os;
pub mod plan;

/// Runs the program with the arguments of this process.
///
/// A hook call is told by its first argument before anything of the command line
/// is built: it must cost no more than its work.
pub fn start() -> std::process::ExitCode {
    let mut args = cli::arguments();
    let program = args.next().unwrap_or_default();
    let Some(first) = args.next() else {
        return cli::run([program].into_iter());
    };
    if first == "hook" {
        cli::hook::run(args);
        return std::process::ExitCode::SUCCESS;
    }
    cli::run([program, first].into_iter().chain(args))
}
