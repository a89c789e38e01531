//! What people read. With `--json`, standard output holds one document and all
//! talk goes to standard error.
//!
//! Colour is left out for pipes, dumb terminals and NO_COLOR; anstream decides.

use std::io::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};

use crate::error::Error;
use crate::host::paths::{Here, printable};
use crate::os::env;
use crate::plan::diff::{Hunk, Sign};

/// Prints to the right stream.
#[derive(Debug)]
pub struct Printer {
    json: bool,
    home: Option<PathBuf>,
}

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const HEAD: Style = AnsiColor::Cyan.on_default();
const STRONG: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

impl Printer {
    /// A printer for a run with or without `--json`.
    pub fn new(json: bool) -> Self {
        Self {
            json,
            home: env::home().ok(),
        }
    }

    /// The run was asked for one JSON document.
    pub const fn json(&self) -> bool {
        self.json
    }

    /// Prints the one JSON document.
    pub fn document(&self, document: &serde_json::Value) {
        write_out(&format!("{document:#}\n"));
    }

    /// A line of the answer: to standard output, or to standard error beside JSON.
    pub fn line(&self, text: &str) {
        if self.json {
            write_err(&format!("{text}\n"));
        } else {
            write_out(&format!("{text}\n"));
        }
    }

    /// A line about the run: always to standard error.
    pub fn talk(&self, text: &str) {
        write_err(&format!("{text}\n"));
    }

    /// A line with a bold start.
    pub fn head(&self, strong: &str, rest: &str) {
        self.line(&format!("{STRONG}{strong}{STRONG:#}{rest}"));
    }

    /// A dimmed line, folded at 80 columns.
    pub fn aside(&self, text: &str) {
        for line in fold(text, 78) {
            self.line(&format!("  {DIM}{line}{DIM:#}"));
        }
    }

    /// The hunks of one file.
    pub fn hunks(&self, path: &str, hunks: &[Hunk]) {
        for hunk in hunks {
            let labels = if hunk.labels.is_empty() {
                String::new()
            } else {
                format!(" {}", hunk.labels.join(", "))
            };
            self.line(&format!("{HEAD}@@ {path}:{}{labels} @@{HEAD:#}", hunk.line));
            for (sign, text) in &hunk.lines {
                match sign {
                    Sign::Context => self.line(&format!("  {text}")),
                    Sign::Added => self.line(&format!("{ADDED}+ {text}{ADDED:#}")),
                    Sign::Removed => self.line(&format!("{REMOVED}- {text}{REMOVED:#}")),
                }
            }
        }
    }

    /// What was refused, where, why, and what mends it.
    pub fn refusal(&self, error: &Error) {
        let mut place = error
            .path
            .as_ref()
            .map_or_else(String::new, |path| self.shown(path));
        if let Some(at) = error.place {
            place = format!("{place}:{at}");
        }
        let red = AnsiColor::Red.on_default().bold();
        let what = if place.is_empty() {
            String::new()
        } else {
            format!(" {place}")
        };
        write_err(&format!("{red}refused{red:#}{what}\n"));
        for line in fold(&printable(&error.what), 76) {
            write_err(&format!("  {line}\n"));
        }
        if let Some(remedy) = &error.remedy {
            for (index, line) in fold(&printable(remedy), 70).iter().enumerate() {
                let lead = if index == 0 { "mend:" } else { "     " };
                write_err(&format!("  {DIM}{lead}{DIM:#} {line}\n"));
            }
        }
    }

    /// An error in one line, `~` for the home folder, for `--json`.
    pub fn told(&self, error: &Error) -> String {
        let mut rest = error.clone();
        let path = rest.path.take().map(|path| self.shown(&path));
        let place = rest.place.take().map(|place| format!(":{place}"));
        let at = path.map(|path| format!("{path}{}: ", place.unwrap_or_default()));
        format!("{}{rest}", at.unwrap_or_default())
    }

    /// A path with `~` for the home folder.
    pub fn shown(&self, path: &std::path::Path) -> String {
        self.home.as_ref().map_or_else(
            || printable(&path.display().to_string()),
            |home| {
                let here = Here {
                    home: home.clone(),
                    cwd: PathBuf::new(),
                    project: PathBuf::new(),
                    in_git: false,
                };
                here.shown(path)
            },
        )
    }
}

/// A write that fails because the reader left is no failure of ours: what was to
/// be done is done.
fn write_out(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

fn write_err(text: &str) {
    let mut err = anstream::stderr().lock();
    let _ = err.write_all(text.as_bytes());
}

/// Breaks a sentence at blanks into lines of at most `width` characters, where it
/// has blanks to break at.
pub fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && longer > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}
