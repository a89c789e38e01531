//! What a host sent, in one shape for all hosts. Borrowed from the text on stdin.
//!
//! Decoding happens in the host's own folder; this file knows no host.

use std::borrow::Cow;

use super::json::{Object, Raw};

/// When the call happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Before a tool runs, when it can still be denied.
    BeforeTool,
    /// Any other moment.
    Other,
}

/// What a tool does to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Writes a whole file.
    Write,
    /// Replaces one or several pieces of a file.
    Edit,
    /// Writes a notebook cell.
    Notebook,
    /// Takes a patch text that names its files itself.
    Patch,
    /// Runs a POSIX shell command.
    Shell,
    /// Runs a PowerShell command.
    PowerShell,
    /// Writes nothing we know of.
    Other,
}

/// One call of a hook.
#[derive(Debug)]
pub struct Payload<'a> {
    /// The id of the host the shape belongs to.
    pub host: &'static str,
    /// The moment.
    pub event: Event,
    /// The event as the host spells it.
    pub event_name: Cow<'a, str>,
    /// The session, as the host names it.
    pub session: Option<Cow<'a, str>>,
    /// The name of the agent, inside a subagent.
    pub agent: Option<Cow<'a, str>>,
    /// The id of that agent.
    pub agent_id: Option<Cow<'a, str>>,
    /// The folder the session is in.
    pub cwd: Option<Cow<'a, str>>,
    /// The id of the tool call.
    pub call: Option<Cow<'a, str>>,
    /// When the host sent it: an ISO time or milliseconds, as written.
    pub timestamp: Option<Cow<'a, str>>,
    /// The tool as the host names it.
    pub tool_name: Cow<'a, str>,
    /// What the tool does.
    pub tool: Tool,
    /// The arguments of the tool.
    pub args: Args<'a>,
}

/// The arguments of a tool, not read yet.
#[derive(Debug)]
pub enum Args<'a> {
    /// There were none, or of a type no host sends.
    Absent,
    /// An object.
    Object(Raw<'a>),
    /// A string: a patch, or an object written as a string.
    Text(Cow<'a, str>),
}

impl<'a> Args<'a> {
    /// The arguments in `value`.
    pub fn of(value: Option<Raw<'a>>) -> Self {
        match value {
            Some(raw) if raw.text().starts_with('{') => Self::Object(raw),
            Some(raw) => raw.string().map_or(Self::Absent, Self::Text),
            None => Self::Absent,
        }
    }

    /// The arguments as they were written, for an identity.
    pub fn text(&self) -> &str {
        match self {
            Self::Absent => "",
            Self::Object(raw) => raw.text(),
            Self::Text(text) => text,
        }
    }

    fn object(&self) -> Option<Object<'_>> {
        match self {
            Self::Absent => None,
            Self::Object(raw) => raw.object(),
            Self::Text(text) => Object::parse(text),
        }
    }
}

/// One text about to be written to one file.
#[derive(Debug, PartialEq, Eq)]
pub struct Write<'a> {
    /// The file as the tool was given it.
    pub path: Option<Cow<'a, str>>,
    /// The text that is replaced, empty when a whole file is written.
    pub old: Cow<'a, str>,
    /// The text that is written.
    pub new: Cow<'a, str>,
}

/// What a call is about to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Action<'a> {
    /// Texts with their files.
    pub writes: Vec<Write<'a>>,
    /// A patch text.
    pub patch: Option<Cow<'a, str>>,
    /// A shell command.
    pub command: Option<Cow<'a, str>>,
    /// The folder the command runs in, when the call names one.
    pub folder: Option<Cow<'a, str>>,
    /// The call writes, but no text was where a text should be.
    pub unreadable: bool,
}

/// The spellings in use for a file.
const PATH: [&str; 5] = ["file_path", "filePath", "path", "notebook_path", "filename"];
/// The spellings in use for a text that is written.
const NEW: [&str; 8] = [
    "content",
    "file_text",
    "new_string",
    "newString",
    "new_str",
    "new_source",
    "insert_text",
    "contents",
];
/// The spellings in use for a text that is replaced.
const OLD: [&str; 4] = ["old_string", "oldString", "old_str", "old_source"];
/// The spellings in use for a patch.
const PATCH: [&str; 5] = ["command", "patch", "input", "patchText", "patch_text"];
/// The spellings in use for a shell command.
const COMMAND: [&str; 4] = ["command", "cmd", "script", "commandLine"];
/// The spellings in use for the folder of a shell command.
const FOLDER: [&str; 5] = [
    "workdir",
    "cwd",
    "dir_path",
    "directory",
    "working_directory",
];

fn first<'a>(object: &Object<'a>, keys: &[&str]) -> Option<Cow<'a, str>> {
    keys.iter().find_map(|key| object.string(key))
}

impl Payload<'_> {
    /// What the call is about to do. Nothing for a tool that writes nothing.
    pub fn action(&self) -> Action<'_> {
        let mut action = Action::default();
        if self.tool == Tool::Other {
            return action;
        }
        let Some(object) = self.args.object() else {
            match &self.args {
                Args::Text(text) if matches!(self.tool, Tool::Shell | Tool::PowerShell) => {
                    action.command = Some(Cow::Borrowed(text));
                }
                Args::Text(text) if !text.is_empty() => {
                    action.patch = Some(Cow::Borrowed(text));
                }
                _ => action.unreadable = true,
            }
            return action;
        };
        match self.tool {
            Tool::Shell | Tool::PowerShell => {
                action.command = first(&object, &COMMAND).or_else(|| argv(&object));
                action.folder = first(&object, &FOLDER);
                action.unreadable = action.command.is_none();
            }
            Tool::Patch => {
                action.patch = first(&object, &PATCH);
                action.unreadable = action.patch.is_none();
            }
            _ => {
                let path = first(&object, &PATH);
                for edit in object
                    .get("edits")
                    .and_then(Raw::array)
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(Raw::object)
                {
                    let own = first(&edit, &PATH);
                    push(&mut action, own.as_ref().or(path.as_ref()), &edit);
                }
                push(&mut action, path.as_ref(), &object);
                let deletes = object.string("edit_mode").as_deref() == Some("delete");
                if action.writes.is_empty() && (path.is_some() || !deletes) {
                    action.unreadable = !deletes;
                    action.writes.push(Write {
                        path,
                        old: Cow::Borrowed(""),
                        new: Cow::Borrowed(""),
                    });
                }
            }
        }
        action
    }
}

/// Adds each text `object` writes.
fn push<'a>(action: &mut Action<'a>, path: Option<&Cow<'a, str>>, object: &Object<'a>) {
    let old = first(object, &OLD).unwrap_or_default();
    for key in NEW {
        if let Some(new) = object.string(key) {
            action.writes.push(Write {
                path: path.cloned(),
                old: old.clone(),
                new,
            });
        }
    }
}

/// A command given as a list of words: quoted again, so that it reads the same.
fn argv<'a>(object: &Object<'a>) -> Option<Cow<'a, str>> {
    let words = COMMAND.iter().find_map(|key| object.get(key)?.array())?;
    let mut command = String::new();
    for word in words {
        let word = word.string()?;
        if !command.is_empty() {
            command.push(' ');
        }
        command.push('\'');
        command.push_str(&word.replace('\'', r"'\''"));
        command.push('\'');
    }
    Some(Cow::Owned(command))
}
