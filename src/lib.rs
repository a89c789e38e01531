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

pub mod edit;
pub mod error;
pub mod hook;
pub mod host;
pub mod os;
pub mod plan;

/// Runs the program with the arguments of this process.
pub fn start() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
