//! Questions to a person at a terminal.
//!
//! The library hides the cursor while it asks. A Ctrl-C must neither leave it
//! hidden nor end the program in the middle of something: it is a "no".

use super::Failure;
use crate::error::Error;

/// Asks for yes or no; enter takes `default`.
///
/// # Errors
/// Ctrl-C, or the terminal is gone.
pub fn confirm(question: &str, default: bool) -> Result<bool, Failure> {
    watch_interrupts();
    dialoguer::Confirm::new()
        .with_prompt(question)
        .default(default)
        .interact()
        .map_err(unanswered)
}

/// Lets the person pick among `items`, all picked at first. Returns their indexes.
///
/// # Errors
/// Ctrl-C, or the terminal is gone.
pub fn pick(question: &str, items: &[&str]) -> Result<Vec<usize>, Failure> {
    watch_interrupts();
    dialoguer::MultiSelect::new()
        .with_prompt(question)
        .items(items)
        .defaults(&vec![true; items.len()])
        .report(false)
        .interact()
        .map_err(unanswered)
}

/// From here on an interrupt ends the question, not the process.
fn watch_interrupts() {
    #[cfg(unix)]
    {
        let seen = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        // Without it Ctrl-C ends the process as it always did.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, seen);
    }
}

fn unanswered(error: dialoguer::Error) -> Failure {
    let dialoguer::Error::IO(error) = error;
    // Shown again by hand: the library does not on this way out.
    let _ = dialoguer::console::Term::stderr().show_cursor();
    if error.kind() == std::io::ErrorKind::Interrupted {
        return Failure::Stopped;
    }
    Failure::Refused(
        Error::new(format!("the question was not answered: {error}"))
            .remedy("nothing was written; use --yes to go on without questions"),
    )
}
