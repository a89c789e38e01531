//! Reads the host table. Every error names the file, the line and the key.
//!
//! Works on text that is compiled in; it opens nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

use super::table::{
    At, CommandForms, ConfigDir, ContextCap, ContextUnit, Detect, DirVariable, Duplicates,
    EntryShape, Format, Grammar, HookRow, Host, HostFile, Is, Legacy, Off, Registration, Scope,
    SeenFrom, Source, Switch, SwitchIs, Trust, TypedKey,
};
use crate::error::{Error, Place};
use crate::hook::Hook;

/// Reads one `hosts/<host>.toml`.
///
/// `file` is only for errors.
///
/// # Errors
/// Text that is no TOML, a key that is missing, unknown or of the wrong type, and
/// a value that cannot be meant: an event the host does not know, a grammar or
/// hook that does not exist, a hook without a row.
pub fn host(file: &str, text: &str) -> Result<Host, Error> {
    let document = Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let place = Place::of(text, at);
        let line = text.lines().nth(place.line - 1).unwrap_or_default();
        let key = line.split('=').next().unwrap_or_default().trim();
        Error::new(format!("`{key}` is not TOML: {}", error.message()))
            .in_file(file)
            .at(place)
    })?;
    let source = Text { file, text };
    let root = Section::new(&source, "", document.as_table(), None);
    let host = read_host(&root)?;
    check(&root, &host)?;
    Ok(host)
}

/// The file being read, for errors.
struct Text<'a> {
    file: &'a str,
    text: &'a str,
}

/// One table of the file. Remembers which keys were read, so that a key nobody
/// asked for is an error and not a setting without effect.
struct Section<'a> {
    source: &'a Text<'a>,
    name: String,
    table: &'a dyn TableLike,
    span: Option<Range<usize>>,
    read: RefCell<BTreeSet<String>>,
}

impl<'a> Section<'a> {
    fn new(
        source: &'a Text<'a>,
        name: &str,
        table: &'a dyn TableLike,
        span: Option<Range<usize>>,
    ) -> Self {
        Self {
            source,
            name: name.to_owned(),
            table,
            span,
            read: RefCell::default(),
        }
    }

    /// The full name of `key`, of the table itself when it is empty.
    fn key(&self, key: &str) -> String {
        if key.is_empty() {
            self.name.clone()
        } else if self.name.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.name)
        }
    }

    /// An error about `key`, at the key when it is there, else at the table.
    fn error(&self, key: &str, what: &str) -> Error {
        let span = self
            .table
            .get_key_value(key)
            .and_then(|(name, item)| name.span().or_else(|| item.span()))
            .or_else(|| self.span.clone());
        let at = span.map_or(0, |span| span.start);
        Error::new(format!("`{}` {what}", self.key(key)))
            .in_file(self.source.file)
            .at(Place::of(self.source.text, at))
    }

    /// An error about a part of `key`'s value.
    fn error_in(&self, key: &str, span: Option<Range<usize>>, what: &str) -> Error {
        let error = self.error(key, what);
        match span {
            Some(span) => error.at(Place::of(self.source.text, span.start)),
            None => error,
        }
    }

    fn item(&self, key: &str) -> Option<&'a Item> {
        self.read.borrow_mut().insert(key.to_owned());
        self.table.get(key)
    }

    fn required<T>(&self, key: &str, value: Option<T>) -> Result<T, Error> {
        value.ok_or_else(|| self.error(key, "is missing"))
    }

    fn optional_text(&self, key: &str) -> Result<Option<String>, Error> {
        let Some(item) = self.item(key) else {
            return Ok(None);
        };
        match item.as_str() {
            None => Err(self.error(key, "must be a string")),
            Some("") => Err(self.error(key, "is empty; leave it out or fill it")),
            Some(text) => Ok(Some(text.to_owned())),
        }
    }

    fn text(&self, key: &str) -> Result<String, Error> {
        let value = self.optional_text(key)?;
        self.required(key, value)
    }

    fn flag(&self, key: &str, default: bool) -> Result<bool, Error> {
        self.item(key).map_or(Ok(default), |item| {
            item.as_bool()
                .ok_or_else(|| self.error(key, "must be true or false"))
        })
    }

    fn seconds(&self, key: &str) -> Result<u64, Error> {
        let item = self.required(key, self.item(key))?;
        item.as_integer()
            .and_then(|seconds| u64::try_from(seconds).ok())
            .filter(|seconds| (1..=600).contains(seconds))
            .ok_or_else(|| self.error(key, "must be seconds from 1 to 600"))
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, Error> {
        let Some(item) = self.item(key) else {
            return Ok(Vec::new());
        };
        let wrong = "must be a list of strings";
        let array = item.as_array().ok_or_else(|| self.error(key, wrong))?;
        let mut texts: Vec<String> = Vec::new();
        for value in array {
            let text = value
                .as_str()
                .filter(|text| !text.is_empty())
                .ok_or_else(|| self.error_in(key, value.span(), wrong))?;
            if texts.iter().any(|known| known == text) {
                let twice = format!("holds `{text}` twice");
                return Err(self.error_in(key, value.span(), &twice));
            }
            texts.push(text.to_owned());
        }
        Ok(texts)
    }

    /// A list that may not be left out or empty.
    fn some_texts(&self, key: &str) -> Result<Vec<String>, Error> {
        let texts = self.texts(key)?;
        if texts.is_empty() {
            let what = if self.table.contains_key(key) {
                "is an empty list"
            } else {
                "is missing"
            };
            return Err(self.error(key, what));
        }
        Ok(texts)
    }

    /// Keys joined with dots.
    fn keys(&self, key: &str) -> Result<Vec<String>, Error> {
        let keys: Vec<String> = self.text(key)?.split('.').map(str::to_owned).collect();
        if keys.iter().any(String::is_empty) {
            return Err(self.error(key, "must be keys joined with dots"));
        }
        Ok(keys)
    }

    /// A path with no placeholder but those of the table.
    fn pattern(&self, key: &str) -> Result<Option<String>, Error> {
        let Some(path) = self.optional_text(key)? else {
            return Ok(None);
        };
        let rest = path.replace("{config}", "").replace("{project}", "");
        if rest.contains(['{', '}']) {
            return Err(self.error(key, "knows only {config} and {project} in braces"));
        }
        Ok(Some(path))
    }

    fn optional_section(&self, key: &str) -> Result<Option<Self>, Error> {
        let Some(item) = self.item(key) else {
            return Ok(None);
        };
        let table = item
            .as_table_like()
            .ok_or_else(|| self.error(key, "must be a table"))?;
        let span = item.span().or_else(|| {
            self.table
                .get_key_value(key)
                .and_then(|(name, _)| name.span())
        });
        Ok(Some(Self::new(self.source, &self.key(key), table, span)))
    }

    fn section(&self, key: &str) -> Result<Self, Error> {
        let section = self.optional_section(key)?;
        self.required(key, section)
    }

    /// A list of tables, written either way TOML has.
    fn sections(&self, key: &str) -> Result<Vec<Self>, Error> {
        let Some(item) = self.item(key) else {
            return Ok(Vec::new());
        };
        let name = self.key(key);
        if let Some(tables) = item.as_array_of_tables() {
            return Ok(tables
                .iter()
                .map(|table| Self::new(self.source, &name, table, table.span()))
                .collect());
        }
        let wrong = "must be a list of tables";
        item.as_array()
            .ok_or_else(|| self.error(key, wrong))?
            .iter()
            .map(|value| {
                let table = value
                    .as_inline_table()
                    .ok_or_else(|| self.error_in(key, value.span(), wrong))?;
                Ok(Self::new(self.source, &name, table, table.span()))
            })
            .collect()
    }

    /// The one key of `keys` that is there.
    fn one_of<'k>(&self, keys: &[&'k str]) -> Result<&'k str, Error> {
        let mut there = keys.iter().filter(|key| self.table.contains_key(key));
        match (there.next(), there.next()) {
            (Some(key), None) => Ok(key),
            (Some(first), Some(second)) => {
                Err(self.error(second, &format!("cannot stand beside `{first}`")))
            }
            (None, _) => Err(self.error("", &format!("needs one of: {}", keys.join(", ")))),
        }
    }

    /// Every member as a table, with its name.
    fn all(&self) -> Result<Vec<(String, Self)>, Error> {
        self.names()
            .into_iter()
            .map(|name| {
                let section = self.section(&name)?;
                Ok((name, section))
            })
            .collect()
    }

    fn names(&self) -> Vec<String> {
        self.table.iter().map(|(key, _)| key.to_owned()).collect()
    }

    /// One of the words in `choices`.
    fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Result<T, Error> {
        let word = self.text(key)?;
        choices
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, value)| *value)
            .ok_or_else(|| {
                let known: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
                self.error(
                    key,
                    &format!("is `{word}` but must be one of: {}", known.join(", ")),
                )
            })
    }

    /// The members in their order, as JSON.
    fn members(&self, key: &str) -> Result<Vec<(String, Value)>, Error> {
        let Some(section) = self.optional_section(key)? else {
            return Ok(Vec::new());
        };
        section
            .table
            .iter()
            .map(|(name, item)| {
                let value = if let Some(text) = item.as_str() {
                    Value::from(text)
                } else if let Some(number) = item.as_integer() {
                    Value::from(number)
                } else if let Some(flag) = item.as_bool() {
                    Value::from(flag)
                } else {
                    return Err(section.error(name, "must be a string, a number, true or false"));
                };
                Ok((name.to_owned(), value))
            })
            .collect()
    }

    /// Call when everything was read.
    fn done(&self) -> Result<(), Error> {
        let read = self.read.borrow();
        match self.table.iter().find(|(key, _)| !read.contains(*key)) {
            Some((key, _)) => Err(self.error(key, "is not a key this table has")),
            None => Ok(()),
        }
    }
}

fn read_host(root: &Section<'_>) -> Result<Host, Error> {
    let host = Host {
        id: {
            let id = root.text("id")?;
            if !is_word(&id) {
                return Err(root.error("id", "must be lower-case letters, digits and dashes"));
            }
            id
        },
        name: root.text("name")?,
        verified: root.text("verified")?,
        unsupported: root.optional_text("unsupported")?,
        pickup: root.text("pickup")?,
        approval: root.text("approval")?,
        events: root.some_texts("events")?,
        detect: {
            let section = root.section("detect")?;
            let detect = Detect {
                programs: section.some_texts("programs")?,
                package: section.text("package")?,
            };
            section.done()?;
            detect
        },
        config_dir: read_config_dir(&root.section("config_dir")?)?,
        files: root
            .sections("file")?
            .iter()
            .map(read_file)
            .collect::<Result<_, _>>()?,
        grammars: read_grammars(root)?,
        entry: read_entry(&root.section("entry")?, &root.texts("events")?)?,
        typed: root
            .sections("typed")?
            .iter()
            .map(|section| {
                let typed = TypedKey {
                    key: section.keys("key")?,
                    is: section
                        .choice("is", &[("object", Is::Object), ("strings", Is::Strings)])?,
                };
                section.done()?;
                Ok(typed)
            })
            .collect::<Result<_, Error>>()?,
        command: root
            .optional_section("command")?
            .map(|section| {
                let forms = CommandForms {
                    posix: section.text("posix")?,
                    windows: section.text("windows")?,
                    past: section.texts("past")?,
                    shells: section.some_texts("shells")?,
                };
                section.done()?;
                Ok::<_, Error>(forms)
            })
            .transpose()?
            .unwrap_or_default(),
        duplicates: {
            let section = root.section("duplicates")?;
            let rule = section.choice(
                "rule",
                &[
                    ("command", Duplicates::Command),
                    ("name-and-command", Duplicates::NameAndCommand),
                    ("all-run", Duplicates::AllRun),
                    ("file", Duplicates::File),
                ],
            )?;
            section.done()?;
            rule
        },
        legacy: root
            .optional_section("legacy")?
            .map(|section| read_legacy(&section))
            .transpose()?,
        switches: root
            .sections("switch")?
            .iter()
            .map(read_switch)
            .collect::<Result<_, _>>()?,
        off: root
            .sections("off")?
            .iter()
            .map(|section| {
                let off = Off {
                    by: section.text("by")?,
                    effect: section.text("effect")?,
                };
                section.done()?;
                Ok(off)
            })
            .collect::<Result<_, Error>>()?,
        context: root
            .sections("context")?
            .iter()
            .map(read_context)
            .collect::<Result<_, _>>()?,
        sources: root
            .sections("source")?
            .iter()
            .map(|section| {
                let source = Source {
                    what: section.text("what")?,
                    path: section.required("path", section.pattern("path")?)?,
                    variable: section.optional_text("variable")?,
                };
                section.done()?;
                Ok(source)
            })
            .collect::<Result<_, Error>>()?,
        trust: {
            let section = root.section("trust")?;
            let trust = Trust {
                kind: section
                    .choice(
                        "kind",
                        &[("folder", "folder"), ("hook", "hook"), ("none", "none")],
                    )?
                    .to_owned(),
                file: section.pattern("file")?,
                file_by_default: section.pattern("file_by_default")?,
                variable: section.optional_text("variable")?,
                headless: section.text("headless")?,
            };
            section.done()?;
            trust
        },
        hooks: read_hooks(&root.section("hook")?)?,
    };
    root.done()?;
    Ok(host)
}

fn read_config_dir(section: &Section<'_>) -> Result<ConfigDir, Error> {
    let dir = ConfigDir {
        default: section.text("default")?,
        variables: section
            .sections("variables")?
            .iter()
            .map(|variable| {
                let read = DirVariable {
                    name: variable.text("name")?,
                    below: variable.optional_text("below")?.unwrap_or_default(),
                };
                variable.done()?;
                Ok(read)
            })
            .collect::<Result<_, Error>>()?,
    };
    if !dir.default.starts_with("~/") {
        return Err(section.error("default", "must start with `~/`"));
    }
    section.done()?;
    Ok(dir)
}

fn read_file(section: &Section<'_>) -> Result<HostFile, Error> {
    let scopes = Scope::ALL.map(|scope| (scope.name(), scope));
    let formats = Format::ALL.map(|format| (format.name(), format));
    let holds = section.some_texts("holds")?;
    if let Some(other) = holds.iter().find(|h| *h != "hooks" && *h != "statusline") {
        return Err(section.error(
            "holds",
            &format!("knows hooks and statusline, not `{other}`"),
        ));
    }
    let path = section.text("path")?;
    if path.contains(['\\', '~']) || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(section.error("path", "must be a plain path below its folder"));
    }
    let file = HostFile {
        scope: section.choice("scope", &scopes)?,
        at: section.choice("at", &[("config", At::Config), ("project", At::Project)])?,
        path,
        format: section.choice("format", &formats)?,
        grammar: section.text("grammar")?,
        holds_hooks: holds.iter().any(|h| h == "hooks"),
        holds_statusline: holds.iter().any(|h| h == "statusline"),
        when_it_has_events: section.flag("when_it_has_events", false)?,
        seen_from: match section.optional_text("seen_from")? {
            None => SeenFrom::GitRoot,
            Some(_) => section.choice(
                "seen_from",
                &[
                    ("start-folder", SeenFrom::StartFolder),
                    ("git-root", SeenFrom::GitRoot),
                ],
            )?,
        },
        from_main_worktree: section.flag("from_main_worktree", false)?,
        not_on_windows: section.optional_text("not_on_windows")?,
        template: section.optional_text("template")?,
    };
    section.done()?;
    match (file.format, &file.template) {
        (Format::OwnFile, None) => Err(section.error("template", "is missing")),
        (Format::OwnFile, Some(_)) | (_, None) => Ok(file),
        (_, Some(_)) => Err(section.error("template", "is for the format own-file alone")),
    }
}

fn read_grammars(root: &Section<'_>) -> Result<BTreeMap<String, Grammar>, Error> {
    let mut grammars = BTreeMap::new();
    for (name, section) in root.section("grammar")?.all()? {
        let grammar = Grammar {
            comments: section.flag("comments", false)?,
            trailing_commas: section.flag("trailing_commas", false)?,
            bom: section.flag("bom", false)?,
            empty: section.flag("empty", false)?,
            empty_object: section.flag("empty_object", true)?,
            only_keys: section.texts("only_keys")?,
        };
        section.done()?;
        grammars.insert(name, grammar);
    }
    Ok(grammars)
}

/// The shape of an entry, by the word in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Grouped,
    Flat,
    None,
}

fn read_entry(section: &Section<'_>, events: &[String]) -> Result<EntryShape, Error> {
    let shape = section.choice(
        "shape",
        &[
            ("grouped", Shape::Grouped),
            ("flat", Shape::Flat),
            ("none", Shape::None),
        ],
    )?;
    let other = section.names().into_iter().find(|key| key != "shape");
    if let (Shape::None, Some(key)) = (shape, other) {
        return Err(section.error(&key, "has no meaning with the shape none"));
    }
    let mut strict_events = section.texts("strict_events")?;
    if strict_events == ["*"] {
        strict_events = events.to_vec();
    }
    let entry = EntryShape {
        grouped: shape == Shape::Grouped,
        events_at: section.texts("events_at")?,
        group_key: section.optional_text("group_key")?.unwrap_or_default(),
        matcher_key: section.optional_text("matcher_key")?.unwrap_or_default(),
        matchers: section.optional_text("matchers")?,
        command_keys: section.texts("command_keys")?,
        timeout_keys: section.texts("timeout_keys")?,
        timeout_per_second: if shape == Shape::None {
            1
        } else {
            section.choice("timeout_unit", &[("seconds", 1), ("milliseconds", 1000)])?
        },
        strict_events,
        bad_matcher_stops_event: section.flag("bad_matcher_stops_event", false)?,
        keep_slot: section.flag("keep_slot", false)?,
        exact_types: section.flag("exact_types", false)?,
        handler_types: section.texts("handler_types")?,
        handler: section.members("handler")?,
        new_file: section.members("new_file")?,
    };
    section.done()?;
    if shape == Shape::None {
        return Ok(entry);
    }
    let mut needed = vec![
        "events_at",
        "matcher_key",
        "command_keys",
        "timeout_keys",
        "handler",
    ];
    if shape == Shape::Grouped {
        needed.push("group_key");
    }
    for key in needed {
        if !section.table.contains_key(key) {
            return Err(section.error(key, "is missing"));
        }
    }
    check_handler(&section.section("handler")?, &entry)?;
    Ok(entry)
}

/// The handler names every placeholder it needs and no other, under keys that
/// the table also reads.
fn check_handler(section: &Section<'_>, entry: &EntryShape) -> Result<(), Error> {
    const KNOWN: [&str; 5] = [
        "<command>",
        "<command-posix>",
        "<command-windows>",
        "<timeout>",
        "<hook>",
    ];
    let mut used = Vec::new();
    for (key, value) in &entry.handler {
        let Some(text) = value.as_str() else { continue };
        if !text.contains('<') {
            continue;
        }
        let Some(placeholder) = KNOWN.into_iter().find(|known| *known == text) else {
            let known = KNOWN.join(", ");
            return Err(section.error(key, &format!("is `{text}` but knows only {known}")));
        };
        let keys = match placeholder {
            "<command>" | "<command-posix>" => Some(("command_keys", &entry.command_keys)),
            "<timeout>" => Some(("timeout_keys", &entry.timeout_keys)),
            _ => None,
        };
        if let Some((name, keys)) = keys
            && !keys.contains(key)
        {
            return Err(section.error(
                key,
                &format!("holds {placeholder} but is not in `entry.{name}`"),
            ));
        }
        used.push(placeholder);
    }
    let commands = used
        .iter()
        .filter(|one| matches!(**one, "<command>" | "<command-posix>"))
        .count();
    if commands != 1 {
        return Err(section.error("", "needs one of: <command>, <command-posix>"));
    }
    if !used.contains(&"<timeout>") {
        return Err(section.error("", "lacks <timeout>"));
    }
    Ok(())
}

fn read_context(section: &Section<'_>) -> Result<ContextCap, Error> {
    let cap = section.required("cap", section.item("cap"))?;
    let units = [ContextUnit::Characters, ContextUnit::Tokens].map(|unit| (unit.name(), unit));
    let context = ContextCap {
        events: section.texts("events")?,
        cap: cap
            .as_integer()
            .and_then(|cap| u64::try_from(cap).ok())
            .filter(|cap| *cap > 0)
            .ok_or_else(|| section.error("cap", "must be a number above 0"))?,
        unit: section.choice("unit", &units)?,
        beyond: section.text("beyond")?,
    };
    section.done()?;
    Ok(context)
}

fn read_legacy(section: &Section<'_>) -> Result<Legacy, Error> {
    let mut scripts = BTreeMap::new();
    let named = section.section("scripts")?;
    for name in named.names() {
        let hook = Hook::named(&name).ok_or_else(|| named.error(&name, "names no hook"))?;
        scripts.insert(hook, named.text(&name)?);
    }
    let legacy = Legacy {
        runner: section.text("runner")?,
        folders: section.some_texts("folders")?,
        flags: section.texts("flags")?,
        scripts,
    };
    section.done()?;
    Ok(legacy)
}

fn read_switch(section: &Section<'_>) -> Result<Switch, Error> {
    let is = if section.one_of(&["is", "lists"])? == "is" {
        SwitchIs::Bool(section.flag("is", false)?)
    } else {
        section.choice("lists", &[("command", ())])?;
        SwitchIs::Lists
    };
    let switch = Switch {
        key: section.keys("key")?,
        path: section.pattern("path")?,
        is,
        effect: section.text("effect")?,
    };
    section.done()?;
    Ok(switch)
}

fn read_hooks(all: &Section<'_>) -> Result<BTreeMap<Hook, HookRow>, Error> {
    let mut rows = BTreeMap::new();
    if let Some(name) = all.names().iter().find(|name| Hook::named(name).is_none()) {
        return Err(all.error(name, "names no hook"));
    }
    for hook in Hook::ALL {
        rows.insert(hook, read_row(&all.section(hook.name())?)?);
    }
    Ok(rows)
}

fn read_row(section: &Section<'_>) -> Result<HookRow, Error> {
    let row = match section.one_of(&["on", "slot", "fed_by", "plugin", "not_possible"])? {
        "on" => HookRow::On(
            section
                .sections("on")?
                .iter()
                .map(read_registration)
                .collect::<Result<_, Error>>()?,
        ),
        "slot" => HookRow::Slot {
            name: section.text("slot")?,
            at: section.some_texts("at")?,
        },
        "fed_by" => HookRow::FedBy {
            hook: section.choice("fed_by", &Hook::ALL.map(|hook| (hook.name(), hook)))?,
            because: section.text("because")?,
        },
        "plugin" => HookRow::Plugin {
            by: section.text("plugin")?,
        },
        _ => HookRow::NotPossible {
            because: section.text("not_possible")?,
        },
    };
    section.done()?;
    Ok(row)
}

fn read_registration(section: &Section<'_>) -> Result<Registration, Error> {
    let registration = Registration {
        event: section.text("event")?,
        matcher: section.optional_text("matcher")?,
        timeout: section.seconds("timeout")?,
        args: section.texts("args")?,
    };
    section.done()?;
    // They reach a shell as they are.
    if registration.args.iter().any(|arg| !is_word(arg)) {
        return Err(section.error("args", "must be lower-case letters, digits and dashes"));
    }
    Ok(registration)
}

/// A word that needs no quotes in any shell.
fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// What the types alone do not say.
fn check(root: &Section<'_>, host: &Host) -> Result<(), Error> {
    check_files(root, host)?;
    check_events(root, host)?;
    check_rows(&root.section("hook")?, host)?;
    check_command(root, host)
}

fn check_files(root: &Section<'_>, host: &Host) -> Result<(), Error> {
    let sections = root.sections("file")?;
    if sections.is_empty() {
        return Err(root.error("file", "is missing"));
    }
    let plugin_only = host.entry.handler.is_empty();
    for (file, section) in host.files.iter().zip(&sections) {
        let Some(grammar) = host.grammars.get(&file.grammar) else {
            return Err(section.error("grammar", &format!("names no grammar: `{}`", file.grammar)));
        };
        if file.format == Format::Json && (grammar.comments || grammar.trailing_commas) {
            return Err(section.error("format", "is json, but its grammar is wider; say jsonc"));
        }
        if file.at == At::Config && file.scope != Scope::User {
            return Err(section.error("at", "is for the user scope alone when it is `config`"));
        }
        if plugin_only && file.format != Format::OwnFile {
            return Err(section.error("format", "must be own-file when `entry.shape` is none"));
        }
    }
    for (name, section) in root.section("grammar")?.all()? {
        if !host.files.iter().any(|file| file.grammar == name) {
            return Err(section.error("", "is the grammar of no file"));
        }
    }
    Ok(())
}

fn check_events(root: &Section<'_>, host: &Host) -> Result<(), Error> {
    let unknown = |events: &[String]| {
        let event = events.iter().find(|event| !host.events.contains(event))?;
        Some(format!("holds `{event}`, which is not among `events`"))
    };
    if let Some(what) = unknown(&host.entry.strict_events) {
        return Err(root.section("entry")?.error("strict_events", &what));
    }
    for (context, section) in host.context.iter().zip(root.sections("context")?) {
        if let Some(what) = unknown(&context.events) {
            return Err(section.error("events", &what));
        }
    }
    Ok(())
}

fn check_rows(hooks: &Section<'_>, host: &Host) -> Result<(), Error> {
    let no_file = "has no file in this table that holds it";
    for hook in Hook::ALL {
        let row = hooks.section(hook.name())?;
        match host.row(hook) {
            HookRow::On(registrations) => {
                if registrations.is_empty() {
                    return Err(row.error("on", "lists no event"));
                }
                if !host.files.iter().any(|file| file.holds_hooks) || host.entry.handler.is_empty()
                {
                    return Err(row.error("on", no_file));
                }
                for (registration, section) in registrations.iter().zip(row.sections("on")?) {
                    if !host.events.contains(&registration.event) {
                        return Err(section.error(
                            "event",
                            &format!("is `{}`, which is not among `events`", registration.event),
                        ));
                    }
                }
            }
            HookRow::Slot { .. } => {
                if !host.files.iter().any(|file| file.holds_statusline) {
                    return Err(row.error("slot", no_file));
                }
            }
            HookRow::FedBy { hook: feeder, .. } => {
                if !matches!(host.row(*feeder), HookRow::On(_) | HookRow::Plugin { .. }) {
                    return Err(row.error("fed_by", "names a hook that has no events of its own"));
                }
            }
            HookRow::Plugin { .. } => {
                if !host.files.iter().any(|file| file.format == Format::OwnFile) {
                    return Err(row.error("plugin", "needs a file of the format own-file"));
                }
            }
            HookRow::NotPossible { .. } => {}
        }
    }
    Ok(())
}

fn check_command(root: &Section<'_>, host: &Host) -> Result<(), Error> {
    let wanted = !host.entry.handler.is_empty();
    let command = root.optional_section("command")?;
    let command = match (wanted, command) {
        (true, None) => return Err(root.error("command", "is missing")),
        (false, Some(_)) => {
            return Err(root.error("command", "has no meaning with the shape none"));
        }
        (false, None) => return Ok(()),
        (true, Some(command)) => command,
    };
    for (key, form) in [
        ("posix", &host.command.posix),
        ("windows", &host.command.windows),
    ] {
        if form.contains('~') {
            return Err(command.error(key, "holds `~`, which quotes and some shells do not expand"));
        }
        let host_flag = format!("--host {}<args>", host.id);
        for needed in ["<program>", "hook <hook>", &host_flag] {
            if !form.contains(needed) {
                return Err(command.error(key, &format!("lacks `{needed}`")));
            }
        }
        let rest = ["<program>", "<hook>", "<args>"]
            .into_iter()
            .fold(form.clone(), |rest, known| rest.replace(known, ""));
        if rest.contains(['<', '>']) && rest.replace("2>", "").contains(['<', '>']) {
            return Err(command.error(key, "knows only <program>, <hook> and <args>"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole table, as small as the loader lets it be.
    const TABLE: &str = r#"id = "acme"
name = "Acme"
verified = "1.2.3"
pickup = "At the next start."
approval = "None."
events = ["Before", "After"]
[detect]
programs = ["acme"]
package = "acme"
[config_dir]
default = "~/.acme"
variables = [{ name = "ACME_HOME" }]
[[file]]
scope = "user"
at = "config"
path = "settings.json"
format = "json"
grammar = "settings"
holds = ["hooks", "statusline"]
[grammar.settings]
comments = false
[entry]
shape = "grouped"
events_at = ["hooks"]
group_key = "hooks"
matcher_key = "matcher"
command_keys = ["command"]
timeout_keys = ["timeout"]
timeout_unit = "seconds"
strict_events = ["Before"]
handler_types = ["command"]
handler = { command = "<command>", timeout = "<timeout>" }
[command]
posix = "<program> hook <hook> --host acme<args> 2>/dev/null || exit 0"
windows = "& <program> hook <hook> --host acme<args>; exit 0"
shells = ["sh"]
[duplicates]
rule = "all-run"
[[context]]
cap = 100
unit = "tokens"
beyond = "cut"
[legacy]
runner = "node"
folders = [".acme/hooks"]
scripts = { guard = "g.js" }
[[switch]]
key = "hooks.off"
is = true
effect = "nothing runs"
[[source]]
what = "plugins"
path = "{config}/plugins"
[trust]
kind = "none"
headless = "runs all"
[hook.statusline]
slot = "status"
at = ["status"]
[hook.context-monitor]
on = [{ event = "After", timeout = 10 }]
[hook.check-update]
not_possible = "no start event"
[hook.guard]
on = [
  { event = "Before", matcher = "write", timeout = 10 },
]
[hook.cost-logger]
not_possible = "no subagents"
[hook.trace-logger]
not_possible = "no subagents"
[hook.stop-guard]
not_possible = "no stop event"
[hook.state-reinject]
fed_by = "context-monitor"
because = "it can"
"#;

    #[test]
    fn a_whole_table_loads() {
        let host = host("acme.toml", TABLE).unwrap();
        assert_eq!(host.id, "acme");
        assert_eq!(host.registrations(Hook::Guard).len(), 1);
        assert!(host.registrations(Hook::CheckUpdate).is_empty());
    }

    #[test]
    fn every_event_can_be_strict() {
        let text = TABLE.replace("strict_events = [\"Before\"]", "strict_events = [\"*\"]");
        let host = host("acme.toml", &text).unwrap();
        assert_eq!(host.entry.strict_events, host.events);
    }

    /// What stands in the table, what stands there instead, and the whole error.
    const BROKEN: &[(&str, &str, &str)] = &[
        (
            r#"id = "acme""#,
            r#"id = "acme"#,
            r#"acme.toml:1:11: `id` is not TOML: invalid basic string, expected `"`"#,
        ),
        ("id = \"acme\"\n", "", "acme.toml:1:1: `id` is missing"),
        (
            r#"id = "acme""#,
            "id = 7",
            "acme.toml:1:1: `id` must be a string",
        ),
        (
            r#"id = "acme""#,
            r#"id = """#,
            "acme.toml:1:1: `id` is empty; leave it out or fill it",
        ),
        (
            r#"id = "acme""#,
            r#"id = "Acme CLI""#,
            "acme.toml:1:1: `id` must be lower-case letters, digits and dashes",
        ),
        (
            r#"name = "Acme""#,
            "name = \"Acme\"\nname = \"Acme\"",
            "acme.toml:3:1: `name` is not TOML: duplicate key",
        ),
        (
            r#"name = "Acme""#,
            "name = \"Acme\"\ncolour = \"red\"",
            "acme.toml:3:1: `colour` is not a key this table has",
        ),
        (
            r#"["Before", "After"]"#,
            "[]",
            "acme.toml:6:1: `events` is an empty list",
        ),
        (
            r#"["Before", "After"]"#,
            r#""Before""#,
            "acme.toml:6:1: `events` must be a list of strings",
        ),
        (
            r#"["Before", "After"]"#,
            "[\n  \"Before\",\n  7,\n]",
            "acme.toml:8:3: `events` must be a list of strings",
        ),
        (
            r#"["Before", "After"]"#,
            r#"["Before", "After", "Before"]"#,
            "acme.toml:6:30: `events` holds `Before` twice",
        ),
        (
            "[detect]\nprograms = [\"acme\"]\npackage = \"acme\"\n",
            "",
            "acme.toml:1:1: `detect` is missing",
        ),
        (
            "programs = [\"acme\"]\n",
            "",
            "acme.toml:7:1: `detect.programs` is missing",
        ),
        (
            r#"package = "acme""#,
            r#"package = ["acme"]"#,
            "acme.toml:9:1: `detect.package` must be a string",
        ),
        (
            r#"default = "~/.acme""#,
            r#"default = "/home/me/.acme""#,
            "acme.toml:11:1: `config_dir.default` must start with `~/`",
        ),
        (
            r#"[{ name = "ACME_HOME" }]"#,
            r#""ACME_HOME""#,
            "acme.toml:12:1: `config_dir.variables` must be a list of tables",
        ),
        (
            r#"[{ name = "ACME_HOME" }]"#,
            r#"["ACME_HOME"]"#,
            "acme.toml:12:14: `config_dir.variables` must be a list of tables",
        ),
        (
            r#"[{ name = "ACME_HOME" }]"#,
            r#"[{ nmae = "ACME_HOME" }]"#,
            "acme.toml:12:14: `config_dir.variables.name` is missing",
        ),
        (
            r#"[{ name = "ACME_HOME" }]"#,
            r#"[{ name = "ACME_HOME", under = "x" }]"#,
            "acme.toml:12:36: `config_dir.variables.under` is not a key this table has",
        ),
        (
            r#"scope = "user""#,
            r#"scope = "global""#,
            "acme.toml:14:1: `file.scope` is `global` but must be one of: user, project, private",
        ),
        (
            r#"scope = "user""#,
            r#"scope = "project""#,
            "acme.toml:15:1: `file.at` is for the user scope alone when it is `config`",
        ),
        (
            r#"at = "config""#,
            r#"at = "home""#,
            "acme.toml:15:1: `file.at` is `home` but must be one of: config, project",
        ),
        (
            r#"path = "settings.json""#,
            r#"path = "../settings.json""#,
            "acme.toml:16:1: `file.path` must be a plain path below its folder",
        ),
        (
            r#"path = "settings.json""#,
            r#"path = "~/settings.json""#,
            "acme.toml:16:1: `file.path` must be a plain path below its folder",
        ),
        (
            r#"path = "settings.json""#,
            r#"path = "/etc/settings.json""#,
            "acme.toml:16:1: `file.path` must be a plain path below its folder",
        ),
        (
            r#"format = "json""#,
            r#"format = "yaml""#,
            "acme.toml:17:1: `file.format` is `yaml` but must be one of: json, jsonc, toml, own-file",
        ),
        (
            r#"format = "json""#,
            r#"format = "own-file""#,
            "acme.toml:13:1: `file.template` is missing",
        ),
        (
            r#"format = "json""#,
            "format = \"json\"\ntemplate = \"a.js\"",
            "acme.toml:18:1: `file.template` is for the format own-file alone",
        ),
        (
            r#"grammar = "settings""#,
            r#"grammar = "setings""#,
            "acme.toml:18:1: `file.grammar` names no grammar: `setings`",
        ),
        (
            r#""hooks", "statusline"]"#,
            r#""hooks", "badge"]"#,
            "acme.toml:19:1: `file.holds` knows hooks and statusline, not `badge`",
        ),
        (
            r#"["hooks", "statusline"]"#,
            "[]",
            "acme.toml:19:1: `file.holds` is an empty list",
        ),
        (
            r#""hooks", "statusline"]"#,
            r#""hooks"]"#,
            "acme.toml:58:1: `hook.statusline.slot` has no file in this table that holds it",
        ),
        (
            r#""hooks", "statusline"]"#,
            r#""statusline"]"#,
            "acme.toml:61:1: `hook.context-monitor.on` has no file in this table that holds it",
        ),
        (
            r#"holds = ["hooks""#,
            "seen_from = \"anywhere\"\nholds = [\"hooks\"",
            "acme.toml:19:1: `file.seen_from` is `anywhere` but must be one of: start-folder, git-root",
        ),
        (
            r#"holds = ["hooks""#,
            "when_it_has_events = 1\nholds = [\"hooks\"",
            "acme.toml:19:1: `file.when_it_has_events` must be true or false",
        ),
        (
            "comments = false",
            r#"comments = "no""#,
            "acme.toml:21:1: `grammar.settings.comments` must be true or false",
        ),
        (
            "comments = false",
            "comments = true",
            "acme.toml:17:1: `file.format` is json, but its grammar is wider; say jsonc",
        ),
        (
            "comments = false",
            "coments = false",
            "acme.toml:21:1: `grammar.settings.coments` is not a key this table has",
        ),
        (
            "[entry]",
            "[grammar.spare]\n[entry]",
            "acme.toml:22:1: `grammar.spare` is the grammar of no file",
        ),
        (
            "[grammar.settings]\ncomments = false\n",
            "",
            "acme.toml:1:1: `grammar` is missing",
        ),
        (
            "[grammar.settings]\ncomments = false\n",
            "grammar = 1\n",
            "acme.toml:20:1: `grammar` is not TOML: duplicate key",
        ),
        (
            r#"shape = "grouped""#,
            r#"shape = "nested""#,
            "acme.toml:23:1: `entry.shape` is `nested` but must be one of: grouped, flat, none",
        ),
        (
            r#"shape = "grouped""#,
            r#"shape = "none""#,
            "acme.toml:24:1: `entry.events_at` has no meaning with the shape none",
        ),
        (
            "group_key = \"hooks\"\n",
            "",
            "acme.toml:22:1: `entry.group_key` is missing",
        ),
        (
            "matcher_key = \"matcher\"\n",
            "",
            "acme.toml:22:1: `entry.matcher_key` is missing",
        ),
        (
            r#"timeout_unit = "seconds""#,
            r#"timeout_unit = "minutes""#,
            "acme.toml:29:1: `entry.timeout_unit` is `minutes` but must be one of: seconds, milliseconds",
        ),
        (
            r#"strict_events = ["Before"]"#,
            r#"strict_events = ["Befor"]"#,
            "acme.toml:30:1: `entry.strict_events` holds `Befor`, which is not among `events`",
        ),
        (
            r#"handler = { command = "<command>""#,
            r#"handler = { command = "<comand>""#,
            "acme.toml:32:13: `entry.handler.command` is `<comand>` but knows only <command>, <command-posix>, <command-windows>, <timeout>, <hook>",
        ),
        (
            r#"handler = { command = "<command>""#,
            r#"handler = { cmd = "<command>""#,
            "acme.toml:32:13: `entry.handler.cmd` holds <command> but is not in `entry.command_keys`",
        ),
        (
            r#"handler = { command = "<command>""#,
            r#"handler = { command = "x""#,
            "acme.toml:32:11: `entry.handler` needs one of: <command>, <command-posix>",
        ),
        (
            r#"timeout = "<timeout>" }"#,
            "timeout = [1] }",
            "acme.toml:32:36: `entry.handler.timeout` must be a string, a number, true or false",
        ),
        (
            "handler = { command = \"<command>\", timeout = \"<timeout>\" }\n",
            "",
            "acme.toml:22:1: `entry.handler` is missing",
        ),
        (
            r#"posix = "<program> hook <hook> --host acme<args> "#,
            r#"posix = "<program> hook <hook> --host acme "#,
            "acme.toml:34:1: `command.posix` lacks `--host acme<args>`",
        ),
        (
            r#"posix = "<program>"#,
            r#"posix = "~/bin/pan-hooks"#,
            "acme.toml:34:1: `command.posix` holds `~`, which quotes and some shells do not expand",
        ),
        (
            r#"posix = "<program>"#,
            r#"posix = "pan-hooks"#,
            "acme.toml:34:1: `command.posix` lacks `<program>`",
        ),
        (
            "--host acme<args> 2>/dev/null",
            "--host emca<args> 2>/dev/null",
            "acme.toml:34:1: `command.posix` lacks `--host acme<args>`",
        ),
        (
            r#"2>/dev/null || exit 0""#,
            r#"2>/dev/null <mark> || exit 0""#,
            "acme.toml:34:1: `command.posix` knows only <program>, <hook> and <args>",
        ),
        (
            "shells = [\"sh\"]\n",
            "",
            "acme.toml:33:1: `command.shells` is missing",
        ),
        (
            "[command]\n",
            "[command]\nmacos = \"x\"\n",
            "acme.toml:34:1: `command.macos` is not a key this table has",
        ),
        (
            r#"rule = "all-run""#,
            r#"rule = "twice""#,
            "acme.toml:38:1: `duplicates.rule` is `twice` but must be one of: command, name-and-command, all-run, file",
        ),
        (
            "cap = 100",
            "cap = -1",
            "acme.toml:40:1: `context.cap` must be a number above 0",
        ),
        (
            "cap = 100\n",
            "",
            "acme.toml:39:1: `context.cap` is missing",
        ),
        (
            "cap = 100",
            "cap = 100\nevents = [\"Never\"]",
            "acme.toml:41:1: `context.events` holds `Never`, which is not among `events`",
        ),
        (
            r#"unit = "tokens""#,
            r#"unit = "bytes""#,
            "acme.toml:41:1: `context.unit` is `bytes` but must be one of: characters, tokens",
        ),
        (
            "scripts = { guard",
            "scripts = { gaurd",
            "acme.toml:46:13: `legacy.scripts.gaurd` names no hook",
        ),
        (
            "scripts = { guard = \"g.js\" }\n",
            "",
            "acme.toml:43:1: `legacy.scripts` is missing",
        ),
        (
            r#"scripts = { guard = "g.js" }"#,
            "scripts = { guard = 1 }",
            "acme.toml:46:13: `legacy.scripts.guard` must be a string",
        ),
        (
            r#"key = "hooks.off""#,
            r#"key = "hooks..off""#,
            "acme.toml:48:1: `switch.key` must be keys joined with dots",
        ),
        (
            "is = true",
            r#"is = "true""#,
            "acme.toml:49:1: `switch.is` must be true or false",
        ),
        (
            "is = true",
            "is = true\nlists = \"command\"",
            "acme.toml:50:1: `switch.lists` cannot stand beside `is`",
        ),
        (
            "is = true\n",
            "",
            "acme.toml:47:1: `switch` needs one of: is, lists",
        ),
        (
            "is = true",
            r#"lists = "hooks""#,
            "acme.toml:49:1: `switch.lists` is `hooks` but must be one of: command",
        ),
        (
            r#"path = "{config}/plugins""#,
            r#"path = "{home}/plugins""#,
            "acme.toml:53:1: `source.path` knows only {config} and {project} in braces",
        ),
        (
            "path = \"{config}/plugins\"\n",
            "",
            "acme.toml:51:1: `source.path` is missing",
        ),
        (
            r#"kind = "none""#,
            r#"kind = "some""#,
            "acme.toml:55:1: `trust.kind` is `some` but must be one of: folder, hook, none",
        ),
        (
            "headless = \"runs all\"\n",
            "",
            "acme.toml:54:1: `trust.headless` is missing",
        ),
        (
            "at = [\"status\"]\n",
            "",
            "acme.toml:57:1: `hook.statusline.at` is missing",
        ),
        (
            "[hook.check-update]\nnot_possible = \"no start event\"\n",
            "",
            "acme.toml:57:2: `hook.check-update` is missing",
        ),
        (
            "[hook.check-update]",
            "[hook.check-updates]",
            "acme.toml:62:7: `hook.check-updates` names no hook",
        ),
        (
            r#"not_possible = "no start event""#,
            r#"not_posible = "no start event""#,
            "acme.toml:62:1: `hook.check-update` needs one of: on, slot, fed_by, plugin, not_possible",
        ),
        (
            r#"not_possible = "no start event""#,
            "not_possible = \"no start event\"\non = []",
            "acme.toml:63:1: `hook.check-update.not_possible` cannot stand beside `on`",
        ),
        (
            r#"on = [{ event = "After", timeout = 10 }]"#,
            "on = []",
            "acme.toml:61:1: `hook.context-monitor.on` lists no event",
        ),
        (
            r#"on = [{ event = "After", timeout = 10 }]"#,
            r#"on = "After""#,
            "acme.toml:61:1: `hook.context-monitor.on` must be a list of tables",
        ),
        (
            r#"event = "Before", matcher"#,
            r#"event = "PreTool", matcher"#,
            "acme.toml:66:5: `hook.guard.on.event` is `PreTool`, which is not among `events`",
        ),
        (
            r#"{ event = "Before", matcher"#,
            "{ matcher",
            "acme.toml:66:3: `hook.guard.on.event` is missing",
        ),
        (
            r#"matcher = "write""#,
            r#"matcher = """#,
            "acme.toml:66:23: `hook.guard.on.matcher` is empty; leave it out or fill it",
        ),
        (
            r#"matcher = "write""#,
            "matcher = 5",
            "acme.toml:66:23: `hook.guard.on.matcher` must be a string",
        ),
        (
            r#"matcher = "write", timeout = 10"#,
            r#"matcher = "write", timeout = 0"#,
            "acme.toml:66:42: `hook.guard.on.timeout` must be seconds from 1 to 600",
        ),
        (
            r#"matcher = "write", timeout = 10"#,
            r#"matcher = "write", timeout = "10""#,
            "acme.toml:66:42: `hook.guard.on.timeout` must be seconds from 1 to 600",
        ),
        (
            r#"matcher = "write", timeout = 10"#,
            r#"matcher = "write""#,
            "acme.toml:66:3: `hook.guard.on.timeout` is missing",
        ),
        (
            r#"matcher = "write", timeout = 10"#,
            r#"matcher = "write", timeout = 10, args = ["$(id)"]"#,
            "acme.toml:66:56: `hook.guard.on.args` must be lower-case letters, digits and dashes",
        ),
        (
            r#"fed_by = "context-monitor""#,
            r#"fed_by = "context""#,
            "acme.toml:75:1: `hook.state-reinject.fed_by` is `context` but must be one of: statusline, context-monitor, check-update, guard, cost-logger, trace-logger, stop-guard, state-reinject",
        ),
        (
            r#"fed_by = "context-monitor""#,
            r#"fed_by = "cost-logger""#,
            "acme.toml:75:1: `hook.state-reinject.fed_by` names a hook that has no events of its own",
        ),
        (
            "because = \"it can\"\n",
            "",
            "acme.toml:74:1: `hook.state-reinject.because` is missing",
        ),
        (
            "fed_by = \"context-monitor\"\nbecause = \"it can\"",
            r#"plugin = "a callback""#,
            "acme.toml:75:1: `hook.state-reinject.plugin` needs a file of the format own-file",
        ),
        (
            "[hook.guard]",
            "[hook.guard]\nevents = []",
            "acme.toml:65:1: `hook.guard.events` is not a key this table has",
        ),
        (
            "[hook.statusline]",
            "[hook]\nspare = 1\n[hook.statusline]",
            "acme.toml:58:1: `hook.spare` names no hook",
        ),
        (
            r#"timeout = "<timeout>" }"#,
            "timeout = 10 }",
            "acme.toml:32:11: `entry.handler` lacks <timeout>",
        ),
    ];

    #[test]
    fn every_mistake_is_named_with_its_place_and_key() {
        for (from, to, expected) in BROKEN {
            let start = TABLE.find(from).unwrap();
            assert_eq!(
                TABLE.rfind(from),
                Some(start),
                "`{from}` stands there twice"
            );
            let broken = TABLE.replace(from, to);
            let error = host("acme.toml", &broken).map(|_| ()).unwrap_err();
            assert_eq!(error.to_string(), *expected);
        }
    }

    #[test]
    fn a_lost_line_of_a_real_table_is_an_error_with_a_place() {
        for (file, text) in crate::host::FILES {
            for lost in text.lines().filter(|line| line.contains('=')) {
                let broken = text.replacen(&format!("{lost}\n"), "", 1);
                let Err(error) = host(file, &broken) else {
                    continue;
                };
                assert_eq!(error.path.as_deref(), Some(std::path::Path::new(file)));
                assert!(error.place.is_some(), "{lost}: {error}");
                assert!(error.what.contains('`'), "{lost}: {error}");
            }
        }
    }
}
