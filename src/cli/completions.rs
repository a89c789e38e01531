//! `completions`: a script for a shell, from the same description as the help.

use std::io::Write;

use clap::ArgMatches;

/// Prints the completions of the shell that was named.
pub fn run(given: &ArgMatches) -> u8 {
    let Some(shell) = given.get_one::<clap_complete::Shell>("shell") else {
        return super::USAGE;
    };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut super::command(), "pan-hooks", &mut script);
    // A closed pipe is no failure of ours.
    let _ = std::io::stdout().lock().write_all(&script);
    super::DONE
}
