//! The program: a hook call goes to the handler, everything else to the command line.
//!
//! A hook call must not pay for the command line, so the first argument is
//! looked at before anything else is built.

use std::process::ExitCode;

fn main() -> ExitCode {
    pan_hooks::start()
}
