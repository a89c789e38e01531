//! What differs among hosts that want each hook approved: the list of them.
//!
//! Only reads what a host noted. No IO here.

use super::codex;
use super::table::Host;
use crate::edit::{At, Found};

/// How one host notes its approvals of hooks and folders.
#[derive(Debug)]
pub struct Approvals {
    /// The host's id.
    pub host: &'static str,
    /// The keys that lead to its notes on hooks, in the file the table names.
    pub at: &'static [&'static str],
    /// The key of the hash in a note.
    pub hash_key: &'static str,
    /// The name of the note on a handler, from the file's path and its place.
    pub key: fn(source: &str, at: &At) -> String,
    /// The hash of a handler, `None` for one the host does not take.
    pub hash: fn(&Found) -> Option<String>,
    /// How a person approves one, as half a sentence.
    pub how: &'static str,
    /// The keys that lead to its notes on folders.
    pub folders_at: &'static [&'static str],
    /// The key of the answer in a note on a folder.
    pub folder_key: &'static str,
    /// The answer that lets the folder's hooks be read.
    pub folder_value: &'static str,
}

/// How `host` approves hooks, if it does so one by one.
pub fn of(host: &Host) -> Option<&'static Approvals> {
    [&codex::trust::APPROVALS]
        .into_iter()
        .find(|approvals| approvals.host == host.id)
}
