//! What went wrong, where, why, and what to do about it.

use std::fmt;

/// A place in a file, as editors count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Place {
    /// The place of byte `at` in `text`. An `at` past the end is the end.
    pub fn of(text: &str, at: usize) -> Self {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        Self {
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            column: before[start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Why something was refused or failed.
///
/// Shown as `path:line:column: what (why)` and a line with the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, in one sentence without a full stop.
    pub what: String,
    /// The file it concerns, if any, as an absolute path.
    pub path: Option<std::path::PathBuf>,
    /// Where in that file.
    pub place: Option<Place>,
    /// The command or edit that mends it, if there is one.
    pub remedy: Option<String>,
}

impl Error {
    /// An error that says only what is wrong.
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            path: None,
            place: None,
            remedy: None,
        }
    }

    /// The same error about the file `path`.
    #[must_use]
    pub fn in_file(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// The same error at `place`.
    #[must_use]
    pub const fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// The same error with the command or edit that mends it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
            if let Some(place) = self.place {
                write!(f, ":{place}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.what)?;
        if let Some(remedy) = &self.remedy {
            write!(f, "; {remedy}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
