//! The host table: what `hosts/<host>.toml` says, as types.
//!
//! Nothing here reads a file or knows which host it holds. The meaning of every
//! key is in `hosts/README.md`; the reader is [`super::load`].

use std::collections::BTreeMap;

use serde_json::Value;

use crate::hook::Hook;

/// Where a registration holds: for the person, for everyone in a project, or
/// for the person in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The person's own settings (`--global`).
    User,
    /// A file of the project, usually shared through git (`--project`).
    Project,
    /// A file of the project for this person alone (`--private`).
    Private,
}

impl Scope {
    /// All scopes, widest first.
    pub const ALL: [Self; 3] = [Self::User, Self::Project, Self::Private];

    /// The name in the table, in `--json` output and in the journal.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Private => "private",
        }
    }

    /// The scope of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// One coding agent.
#[derive(Debug, Clone)]
pub struct Host {
    /// The word for `--host`.
    pub id: String,
    /// The name people use.
    pub name: String,
    /// The version of the host the facts were observed on.
    pub verified: String,
    /// Why this version of pan-hooks does not write there yet, if so.
    pub unsupported: Option<String>,
    /// When a change is picked up, in a sentence for the end of `install`.
    pub pickup: String,
    /// Which approval the host wants, in a sentence for the end of `install`.
    pub approval: String,
    /// The event names the host knows.
    pub events: Vec<String>,
    /// How to tell that the host is on this machine.
    pub detect: Detect,
    /// The folder with the person's settings of this host.
    pub config_dir: ConfigDir,
    /// The files registrations are written to.
    pub files: Vec<HostFile>,
    /// What the host accepts in a file, by the name the files use.
    pub grammars: BTreeMap<String, Grammar>,
    /// What an entry looks like.
    pub entry: EntryShape,
    /// Keys whose wrong type makes the host drop the file.
    pub typed: Vec<TypedKey>,
    /// The registered command.
    pub command: CommandForms,
    /// What the host does with several copies of one registration.
    pub duplicates: Duplicates,
    /// What PAN's own installer wrote there.
    pub legacy: Option<Legacy>,
    /// Settings that switch hooks off.
    pub switches: Vec<Switch>,
    /// What else switches hooks off: flags, variables, settings of others.
    pub off: Vec<Off>,
    /// What the host does with much added context, per event.
    pub context: Vec<ContextCap>,
    /// Other places the host reads hooks from.
    pub sources: Vec<Source>,
    /// How the host decides which hooks it trusts.
    pub trust: Trust,
    /// What each of the eight hooks becomes on this host.
    pub hooks: BTreeMap<Hook, HookRow>,
}

impl Host {
    /// The files for `scope` that hold hook entries, in order of preference.
    pub fn hook_files(&self, scope: Scope) -> impl Iterator<Item = &HostFile> {
        self.files
            .iter()
            .filter(move |file| file.scope == scope && file.holds_hooks)
    }

    /// The row of `hook`. The loader has made sure that there is one.
    pub fn row(&self, hook: Hook) -> &HookRow {
        &self.hooks[&hook]
    }

    /// The registrations of `hook`; none where the host has no event for it.
    pub fn registrations(&self, hook: Hook) -> &[Registration] {
        match self.row(hook) {
            HookRow::On(registrations) => registrations,
            _ => &[],
        }
    }
}

/// How to tell that a host is on this machine.
#[derive(Debug, Clone)]
pub struct Detect {
    /// Program names looked for on PATH.
    pub programs: Vec<String>,
    /// The name in the `package.json` beside the program, for its version.
    pub package: String,
}

/// The folder with the person's settings of a host.
#[derive(Debug, Clone)]
pub struct ConfigDir {
    /// With `~/` for the home folder.
    pub default: String,
    /// Variables that move it; the first that is set and not empty wins.
    pub variables: Vec<DirVariable>,
}

/// A variable that moves a folder.
#[derive(Debug, Clone)]
pub struct DirVariable {
    /// The variable's name.
    pub name: String,
    /// What is appended to its value, or nothing.
    pub below: String,
}

/// The folder a file's path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The host's config folder.
    Config,
    /// The git root of the current folder; the folder itself outside git.
    Project,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Strict JSON.
    Json,
    /// JSON with comments.
    Jsonc,
    /// TOML.
    Toml,
    /// A whole file of ours.
    OwnFile,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Json, Self::Jsonc, Self::Toml, Self::OwnFile];

    /// The name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonc => "jsonc",
            Self::Toml => "toml",
            Self::OwnFile => "own-file",
        }
    }
}

/// From where in a project the host finds the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenFrom {
    /// Only when started in the folder that holds it.
    StartFolder,
    /// From anywhere below the git root.
    GitRoot,
}

/// A file registrations are written to.
#[derive(Debug, Clone)]
pub struct HostFile {
    /// Whose it is.
    pub scope: Scope,
    /// Where its path starts.
    pub at: At,
    /// Its path below that, with forward slashes.
    pub path: String,
    /// How it is written.
    pub format: Format,
    /// The name of its grammar.
    pub grammar: String,
    /// It takes hook entries.
    pub holds_hooks: bool,
    /// It takes the status line.
    pub holds_statusline: bool,
    /// It is chosen only when it already has an event of its own.
    pub when_it_has_events: bool,
    /// From where the host finds it (project files).
    pub seen_from: SeenFrom,
    /// In a git worktree the host reads the main checkout's copy instead.
    pub from_main_worktree: bool,
    /// Why it is not written on Windows, if so.
    pub not_on_windows: Option<String>,
    /// The text of a whole file of ours, below `templates/`.
    pub template: Option<String>,
}

/// What the host really accepts in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grammar {
    /// Line and block comments.
    pub comments: bool,
    /// A comma after the last element.
    pub trailing_commas: bool,
    /// A UTF-8 byte order mark.
    pub bom: bool,
    /// An empty or blank file, taken as `{}`.
    pub empty: bool,
    /// A file that holds `{}` and nothing else.
    pub empty_object: bool,
    /// The only top-level keys it takes; any other and the file is dropped.
    pub only_keys: Vec<String>,
}

/// What an entry looks like.
#[derive(Debug, Clone)]
pub struct EntryShape {
    /// `event: [ { matcher, hooks: [handler] } ]`, else `event: [handler]`.
    pub grouped: bool,
    /// The keys that lead to the event map.
    pub events_at: Vec<String>,
    /// The key of the handlers in a group.
    pub group_key: String,
    /// The key of the matcher.
    pub matcher_key: String,
    /// How the host reads a matcher, in a sentence.
    pub matchers: Option<String>,
    /// The keys a handler's command may stand under, preferred first.
    pub command_keys: Vec<String>,
    /// The keys a handler's timeout may stand under.
    pub timeout_keys: Vec<String>,
    /// How many of the host's units make one second.
    pub timeout_per_second: u64,
    /// Events under which one bad entry makes the host drop the file.
    pub strict_events: Vec<String>,
    /// A matcher that is no string stops every hook of its event.
    pub bad_matcher_stops_event: bool,
    /// A group of ours that others follow leaves an empty one in its place.
    pub keep_slot: bool,
    /// Types are looked at closely: an event that holds no list, a timeout that is no
    /// whole number, or an `async` that is no boolean and the host drops the file.
    pub exact_types: bool,
    /// The values of `type` the host knows.
    pub handler_types: Vec<String>,
    /// The handler, key by key, with `<command>` (the form of this system),
    /// `<command-posix>`, `<command-windows>`, `<timeout>` and `<hook>` to fill.
    pub handler: Vec<(String, Value)>,
    /// Members a new file needs besides the event map.
    pub new_file: Vec<(String, Value)>,
}

/// The type a host wants of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Is {
    /// An object.
    Object,
    /// An array of strings.
    Strings,
}

/// A key whose wrong type makes the host drop the file.
#[derive(Debug, Clone)]
pub struct TypedKey {
    /// The keys that lead to it.
    pub key: Vec<String>,
    /// What it must be when it is there.
    pub is: Is,
}

/// The registered command, with `<program>`, `<hook>` and `<args>` to fill.
///
/// All empty on a host that takes no commands.
#[derive(Debug, Clone, Default)]
pub struct CommandForms {
    /// On Unix.
    pub posix: String,
    /// On Windows.
    pub windows: String,
    /// Forms that earlier versions wrote.
    pub past: Vec<String>,
    /// The shells a Unix host may run it with, as `SHELL -c`.
    pub shells: Vec<String>,
}

/// What a host does with several copies of one registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// Equal commands of one event run once.
    Command,
    /// Equal name and command of one event run once.
    NameAndCommand,
    /// Every copy runs.
    AllRun,
    /// Every file runs.
    File,
}

/// What PAN's own installer wrote.
#[derive(Debug, Clone)]
pub struct Legacy {
    /// The program that runs the script.
    pub runner: String,
    /// The folders the script lies in, as the end of a path.
    pub folders: Vec<String>,
    /// Flags that may follow, each with one value.
    pub flags: Vec<String>,
    /// The script of each hook.
    pub scripts: BTreeMap<Hook, String>,
}

/// What a switch looks like in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchIs {
    /// This value switches hooks off.
    Bool(bool),
    /// A list of hook names or commands that do not run.
    Lists,
}

/// A setting that switches hooks off.
#[derive(Debug, Clone)]
pub struct Switch {
    /// The keys that lead to it.
    pub key: Vec<String>,
    /// The file it stands in, when that is not the file with the hooks.
    pub path: Option<String>,
    /// The value that switches off.
    pub is: SwitchIs,
    /// What it does, in a sentence.
    pub effect: String,
}

/// Something that switches hooks off and is no setting of a file we read.
#[derive(Debug, Clone)]
pub struct Off {
    /// The flag, variable or setting, as a person would type it.
    pub by: String,
    /// What it does, in a sentence.
    pub effect: String,
}

/// How a host counts added context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextUnit {
    /// Characters.
    Characters,
    /// Tokens, as the host estimates them.
    Tokens,
}

impl ContextUnit {
    /// The name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Characters => "characters",
            Self::Tokens => "tokens",
        }
    }
}

/// How much added context a host passes on whole.
#[derive(Debug, Clone)]
pub struct ContextCap {
    /// The events it was seen on; all that take context when empty.
    pub events: Vec<String>,
    /// The most that is passed on whole.
    pub cap: u64,
    /// What `cap` counts.
    pub unit: ContextUnit,
    /// What happens with more, in a sentence.
    pub beyond: String,
}

/// Another place a host reads hooks from.
#[derive(Debug, Clone)]
pub struct Source {
    /// What it is.
    pub what: String,
    /// Its path, with `{config}` for the config folder, `{project}` for the
    /// project and `~` for the home folder; `*` is any name, `**` any folders.
    pub path: String,
    /// A variable that moves it.
    pub variable: Option<String>,
}

/// How a host decides which hooks it trusts.
#[derive(Debug, Clone)]
pub struct Trust {
    /// `folder`, `hook` or `none`.
    pub kind: String,
    /// The file the host keeps its decision in.
    pub file: Option<String>,
    /// That file as long as no variable moves the config folder, if it differs.
    pub file_by_default: Option<String>,
    /// A variable that moves the file.
    pub variable: Option<String>,
    /// What a run without a person does.
    pub headless: String,
}

/// What one hook becomes on a host.
#[derive(Debug, Clone)]
pub enum HookRow {
    /// Entries under events.
    On(Vec<Registration>),
    /// A slot of its own in a settings file.
    Slot {
        /// The name people know the slot by.
        name: String,
        /// The keys that lead to it.
        at: Vec<String>,
    },
    /// Done by another hook.
    FedBy {
        /// That hook.
        hook: Hook,
        /// Why.
        because: String,
    },
    /// Done by callbacks of our own file.
    Plugin {
        /// Which callbacks.
        by: String,
    },
    /// Not possible.
    NotPossible {
        /// Why.
        because: String,
    },
}

/// One event that fires a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The host's name of the event.
    pub event: String,
    /// The host's matcher, if the hook needs one.
    pub matcher: Option<String>,
    /// Seconds until the host gives up.
    pub timeout: u64,
    /// Further arguments of the command.
    pub args: Vec<String>,
}
