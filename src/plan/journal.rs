//! The journal: what we are about to write and have written, one record a file.
//!
//! A record holds places and our own bytes, never a copy of the user's text. It
//! has two states of the file, before and after the last run, and says by which
//! splices one becomes the other. A run that is cut off leaves a record in the
//! phase `Intent`; [`heal`] tells from the file which of the two states is true.
//!
//! No IO here: `plan::store` reads and writes the records.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::edit::{self, Made, Splice};
use crate::error::Error;

/// The version of the record's form.
const VERSION: u64 = 1;

/// Bytes of ours in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Byte offset in the file as we left it.
    pub at: usize,
    /// The bytes.
    pub text: String,
}

impl Piece {
    /// Byte offset where it ends.
    pub fn end(&self) -> usize {
        self.at.saturating_add(self.text.len())
    }
}

/// An entry as we last wrote it: what differs from it now, the user changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The hook's name.
    pub hook: String,
    /// The host's event.
    pub event: String,
    /// The matcher of its group.
    pub matcher: Option<String>,
    /// The handler, key by key.
    pub handler: Vec<(String, Value)>,
}

/// What is ours in a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Hash of the whole file as we left it.
    pub sha256: String,
    /// Our bytes in it, in order.
    pub pieces: Vec<Piece>,
    /// Objects and arrays we made: they go when they are empty.
    pub made: Made,
    /// Our entries.
    pub entries: Vec<Written>,
    /// We made the file.
    pub created_file: bool,
    /// Folders we made for it, outermost first.
    pub created_folders: Vec<PathBuf>,
}

/// How far a run got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The file is about to be written.
    Intent,
    /// The file is written.
    Done,
}

/// What is known of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The path as the host names it.
    pub path: PathBuf,
    /// Where it really lies.
    pub real: PathBuf,
    /// The host's id.
    pub host: String,
    /// The scope's name.
    pub scope: String,
    /// The run that wrote it: later ones sort after earlier ones.
    pub run: String,
    /// How far that run got.
    pub phase: Phase,
    /// The temp file of a run under way.
    pub temp: Option<PathBuf>,
    /// Hash of the file before, `None` when there was none.
    pub before: Option<String>,
    /// Hash of the file after, `None` when there is none.
    pub after: Option<String>,
    /// What the run did to the text.
    pub splices: Vec<Splice>,
    /// What was ours before.
    pub previous: Option<State>,
    /// What is ours after; `None` when nothing is.
    pub state: Option<State>,
}

/// SHA-256 as 64 hex digits.
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    let mut hex = String::with_capacity(64);
    for byte in sha2::Sha256::digest(bytes) {
        for half in [byte >> 4, byte & 15] {
            hex.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    hex
}

/// The name of the record and the lock of a file: a hash of its real path.
pub fn key(real: &std::path::Path) -> String {
    sha256(real.as_os_str().as_encoded_bytes())[..32].to_owned()
}

/// What became of a run that may have been cut off.
#[derive(Debug, Clone, PartialEq)]
pub enum Healed {
    /// Nothing was cut off.
    Whole,
    /// The file was written: the record is done.
    Finished,
    /// The file was not written: the state before holds.
    TakenBack,
    /// The copy over the file was cut off, and its temp file is whole: copy again.
    CopyAgain,
}

/// Tells which of a record's two states is true.
///
/// `now` is the file, `None` when there is none; `temp` the temp file, if it is
/// there.
pub fn heal(record: &Record, now: Option<&[u8]>, temp: Option<&[u8]>) -> Healed {
    if record.phase == Phase::Done {
        return Healed::Whole;
    }
    let hash = now.map(sha256);
    if hash == record.after {
        return Healed::Finished;
    }
    if hash == record.before {
        return Healed::TakenBack;
    }
    if let (Some(now), Some(temp)) = (now, temp)
        && Some(sha256(temp)) == record.after
        && torn(record, now, temp)
    {
        return Healed::CopyAgain;
    }
    // Someone wrote since. Our new bytes are there, or they are not.
    let text = String::from_utf8_lossy(now.unwrap_or_default());
    let mut added = record
        .splices
        .iter()
        .filter(|splice| !splice.inserted.trim().is_empty())
        .peekable();
    if added.peek().is_some() && added.all(|splice| text.contains(&splice.inserted)) {
        Healed::Finished
    } else {
        Healed::TakenBack
    }
}

/// `now` is what a copy of `temp` over the old text leaves when it is cut off: new
/// up to a point, old after it. The old text is not kept; it follows from the new
/// one and the splices.
fn torn(record: &Record, now: &[u8], temp: &[u8]) -> bool {
    let Ok(new) = std::str::from_utf8(temp) else {
        return false;
    };
    let Ok(old) = edit::apply(new, &edit::inverse(&record.splices)) else {
        return false;
    };
    let same = now.iter().zip(temp).take_while(|(a, b)| a == b).count();
    now.get(same..) == Some(old.as_bytes().get(same..).unwrap_or_default())
}

impl Record {
    /// As text for the journal.
    ///
    /// # Errors
    /// A path that is not UTF-8.
    pub fn to_json(&self) -> Result<String, Error> {
        let json = json!({
            "v": VERSION,
            "path": path(&self.path)?,
            "real": path(&self.real)?,
            "host": self.host,
            "scope": self.scope,
            "run": self.run,
            "phase": match self.phase { Phase::Intent => "intent", Phase::Done => "done" },
            "temp": self.temp.as_deref().map(path).transpose()?,
            "before": self.before,
            "after": self.after,
            "splices": self.splices.iter().map(|splice| json!({
                "at": splice.at, "removed": splice.removed, "inserted": splice.inserted,
            })).collect::<Vec<_>>(),
            "previous": self.previous.as_ref().map(state_to_json).transpose()?,
            "state": self.state.as_ref().map(state_to_json).transpose()?,
        });
        Ok(format!("{json:#}\n"))
    }

    /// From the journal's text. `None` when it is not a record this version knows;
    /// then it is as if there were none.
    pub fn from_json(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        if json.get("v")?.as_u64()? != VERSION {
            return None;
        }
        Some(Self {
            path: PathBuf::from(json.get("path")?.as_str()?),
            real: PathBuf::from(json.get("real")?.as_str()?),
            host: string(&json, "host")?,
            scope: string(&json, "scope")?,
            run: string(&json, "run")?,
            phase: match json.get("phase")?.as_str()? {
                "intent" => Phase::Intent,
                "done" => Phase::Done,
                _ => return None,
            },
            temp: json.get("temp")?.as_str().map(PathBuf::from),
            before: json.get("before")?.as_str().map(str::to_owned),
            after: json.get("after")?.as_str().map(str::to_owned),
            splices: array(&json, "splices", |splice| {
                Some(Splice {
                    at: usize::try_from(splice.get("at")?.as_u64()?).ok()?,
                    removed: string(splice, "removed")?,
                    inserted: string(splice, "inserted")?,
                })
            })?,
            previous: optional_state(json.get("previous")?)?,
            state: optional_state(json.get("state")?)?,
        })
    }
}

fn path(path: &std::path::Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| {
        Error::new("the path is not UTF-8, and the journal can hold no other")
            .in_file(path)
            .remedy("move the file to a path that is UTF-8")
    })
}

fn state_to_json(state: &State) -> Result<Value, Error> {
    Ok(json!({
        "sha256": state.sha256,
        "pieces": state.pieces.iter()
            .map(|piece| json!({"at": piece.at, "text": piece.text}))
            .collect::<Vec<_>>(),
        "made": state.made.containers,
        "gaps": state.made.gaps,
        "entries": state.entries.iter().map(|entry| json!({
            "hook": entry.hook,
            "event": entry.event,
            "matcher": entry.matcher,
            "handler": entry.handler.iter()
                .map(|(key, value)| json!([key, value]))
                .collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "created_file": state.created_file,
        "created_folders": state.created_folders.iter()
            .map(|folder| path(folder))
            .collect::<Result<Vec<_>, _>>()?,
    }))
}

fn keys(json: &Value) -> Option<Vec<String>> {
    json.as_array()?
        .iter()
        .map(|key| Some(key.as_str()?.to_owned()))
        .collect()
}

fn string(json: &Value, key: &str) -> Option<String> {
    Some(json.get(key)?.as_str()?.to_owned())
}

fn array<T>(json: &Value, key: &str, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    json.get(key)?.as_array()?.iter().map(read).collect()
}

#[expect(
    clippy::option_option,
    reason = "the outer one says whether the record can be read at all"
)]
fn optional_state(json: &Value) -> Option<Option<State>> {
    if json.is_null() {
        return Some(None);
    }
    Some(Some(State {
        sha256: string(json, "sha256")?,
        pieces: array(json, "pieces", |piece| {
            Some(Piece {
                at: usize::try_from(piece.get("at")?.as_u64()?).ok()?,
                text: string(piece, "text")?,
            })
        })?,
        made: Made {
            containers: array(json, "made", keys)?,
            gaps: array(json, "gaps", |pair| {
                Some((keys(pair.get(0)?)?, pair.get(1)?.as_str()?.to_owned()))
            })?,
        },
        entries: array(json, "entries", |entry| {
            Some(Written {
                hook: string(entry, "hook")?,
                event: string(entry, "event")?,
                matcher: entry.get("matcher")?.as_str().map(str::to_owned),
                handler: array(entry, "handler", |pair| {
                    Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.clone()))
                })?,
            })
        })?,
        created_file: json.get("created_file")?.as_bool()?,
        created_folders: array(json, "created_folders", |folder| {
            Some(PathBuf::from(folder.as_str()?))
        })?,
    }))
}

/// The handler as an object, for comparing.
pub fn object(handler: &[(String, Value)]) -> Map<String, Value> {
    handler.iter().cloned().collect()
}
