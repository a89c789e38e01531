//! Reads the host table. Every error names the file, the line and the key.
//!
//! Works on text that is compiled in; it opens nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

use super::table::{
    At, CommandForms, ConfigDir, Detect, DirVariable, Duplicates, EntryShape, Format, Grammar,
    HookRow, Host, HostFile, Is, Legacy, Registration, Scope, SeenFrom, Source, Switch, SwitchIs,
    Trust, TypedKey,
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
        Error::new(format!("not TOML: {}", error.message()))
            .in_file(file)
            .at(Place::of(text, at))
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

    fn key(&self, key: &str) -> String {
        if self.name.is_empty() {
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

    fn item(&self, key: &str) -> Option<&'a Item> {
        self.read.borrow_mut().insert(key.to_owned());
        self.table.get(key)
    }

    fn required<T>(&self, key: &str, value: Option<T>) -> Result<T, Error> {
        value.ok_or_else(|| self.error(key, "is missing"))
    }

    fn optional_text(&self, key: &str) -> Result<Option<String>, Error> {
        self.item(key)
            .map(|item| {
                item.as_str()
                    .map(str::to_owned)
                    .ok_or_else(|| self.error(key, "must be a string"))
            })
            .transpose()
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
        item.as_array()
            .and_then(|array| {
                array
                    .iter()
                    .map(|value| value.as_str().map(str::to_owned))
                    .collect()
            })
            .ok_or_else(|| self.error(key, "must be a list of strings"))
    }

    /// Keys joined with dots.
    fn keys(&self, key: &str) -> Result<Vec<String>, Error> {
        Ok(self.text(key)?.split('.').map(str::to_owned).collect())
    }

    fn optional_section(&self, key: &str) -> Result<Option<Section<'a>>, Error> {
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
        Ok(Some(Section::new(self.source, &self.key(key), table, span)))
    }

    fn section(&self, key: &str) -> Result<Section<'a>, Error> {
        let section = self.optional_section(key)?;
        self.required(key, section)
    }

    /// A list of tables, written either way TOML has.
    fn sections(&self, key: &str) -> Result<Vec<Section<'a>>, Error> {
        let Some(item) = self.item(key) else {
            return Ok(Vec::new());
        };
        let name = self.key(key);
        if let Some(tables) = item.as_array_of_tables() {
            return Ok(tables
                .iter()
                .map(|table| Section::new(self.source, &name, table, table.span()))
                .collect());
        }
        item.as_array()
            .and_then(|array| {
                array
                    .iter()
                    .map(|value| {
                        let table = value.as_inline_table()?;
                        Some(Section::new(self.source, &name, table, table.span()))
                    })
                    .collect()
            })
            .ok_or_else(|| self.error(key, "must be a list of tables"))
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
        id: root.text("id")?,
        name: root.text("name")?,
        verified: root.text("verified")?,
        unsupported: root.optional_text("unsupported")?,
        pickup: root.text("pickup")?,
        approval: root.text("approval")?,
        events: root.texts("events")?,
        detect: {
            let section = root.section("detect")?;
            let detect = Detect {
                programs: section.texts("programs")?,
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
        entry: read_entry(&root.section("entry")?)?,
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
        command: {
            let section = root.section("command")?;
            let forms = CommandForms {
                posix: section.text("posix")?,
                windows: section.text("windows")?,
                past: section.texts("past")?,
            };
            section.done()?;
            forms
        },
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
        sources: root
            .sections("source")?
            .iter()
            .map(|section| {
                let source = Source {
                    what: section.text("what")?,
                    path: section.text("path")?,
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
                file: section.optional_text("file")?,
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
                    below: variable.text("below")?,
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
    let holds = section.texts("holds")?;
    if let Some(other) = holds.iter().find(|h| *h != "hooks" && *h != "statusline") {
        return Err(section.error(
            "holds",
            &format!("knows hooks and statusline, not `{other}`"),
        ));
    }
    let path = section.text("path")?;
    if path.starts_with('/') || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
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
        not_on_windows: section.optional_text("not_on_windows")?,
    };
    section.done()?;
    Ok(file)
}

fn read_grammars(root: &Section<'_>) -> Result<BTreeMap<String, Grammar>, Error> {
    let all = root.section("grammar")?;
    let mut grammars = BTreeMap::new();
    for name in all.names() {
        let section = all.section(&name)?;
        let grammar = Grammar {
            comments: section.flag("comments", false)?,
            trailing_commas: section.flag("trailing_commas", false)?,
            bom: section.flag("bom", false)?,
            empty: section.flag("empty", false)?,
            only_keys: section.texts("only_keys")?,
        };
        section.done()?;
        grammars.insert(name, grammar);
    }
    Ok(grammars)
}

fn read_entry(section: &Section<'_>) -> Result<EntryShape, Error> {
    let grouped = section.choice(
        "shape",
        &[("grouped", true), ("flat", false), ("none", false)],
    )?;
    let entry = EntryShape {
        grouped,
        events_at: section.texts("events_at")?,
        group_key: section.optional_text("group_key")?.unwrap_or_default(),
        matcher_key: section.optional_text("matcher_key")?.unwrap_or_default(),
        command_keys: section.texts("command_keys")?,
        timeout_keys: section.texts("timeout_keys")?,
        timeout_per_second: section
            .choice("timeout_unit", &[("seconds", 1), ("milliseconds", 1000)])?,
        strict_events: section.texts("strict_events")?,
        bad_matcher_stops_event: section.flag("bad_matcher_stops_event", false)?,
        keep_slot: section.flag("keep_slot", false)?,
        handler_types: section.texts("handler_types")?,
        handler: section.members("handler")?,
        new_file: section.members("new_file")?,
    };
    section.done()?;
    Ok(entry)
}

fn read_legacy(section: &Section<'_>) -> Result<Legacy, Error> {
    let mut scripts = BTreeMap::new();
    for (name, script) in section.members("scripts")? {
        let hook = Hook::named(&name)
            .ok_or_else(|| section.error("scripts", &format!("names no hook: `{name}`")))?;
        let script = script
            .as_str()
            .ok_or_else(|| section.error("scripts", "must hold file names"))?;
        scripts.insert(hook, script.to_owned());
    }
    let legacy = Legacy {
        runner: section.text("runner")?,
        folders: section.texts("folders")?,
        flags: section.texts("flags")?,
        scripts,
    };
    section.done()?;
    Ok(legacy)
}

fn read_switch(section: &Section<'_>) -> Result<Switch, Error> {
    let is = match section.item("is") {
        Some(item) => SwitchIs::Bool(
            item.as_bool()
                .ok_or_else(|| section.error("is", "must be true or false"))?,
        ),
        None => {
            section.choice("lists", &[("command", ())])?;
            SwitchIs::Lists
        }
    };
    let switch = Switch {
        key: section.keys("key")?,
        is,
        effect: section.text("effect")?,
    };
    section.done()?;
    Ok(switch)
}

fn read_hooks(all: &Section<'_>) -> Result<BTreeMap<Hook, HookRow>, Error> {
    let mut rows = BTreeMap::new();
    for hook in Hook::ALL {
        rows.insert(hook, read_row(&all.section(hook.name())?)?);
    }
    all.done()?;
    Ok(rows)
}

fn read_row(section: &Section<'_>) -> Result<HookRow, Error> {
    let row = if section.table.contains_key("on") {
        HookRow::On(
            section
                .sections("on")?
                .iter()
                .map(|registration| {
                    let read = Registration {
                        event: registration.text("event")?,
                        matcher: registration.optional_text("matcher")?,
                        timeout: registration.seconds("timeout")?,
                        args: registration.texts("args")?,
                    };
                    registration.done()?;
                    Ok(read)
                })
                .collect::<Result<_, Error>>()?,
        )
    } else if section.table.contains_key("slot") {
        HookRow::Slot {
            name: section.text("slot")?,
            at: section.texts("at")?,
        }
    } else if section.table.contains_key("fed_by") {
        let name = section.text("fed_by")?;
        HookRow::FedBy {
            hook: Hook::named(&name)
                .ok_or_else(|| section.error("fed_by", &format!("names no hook: `{name}`")))?,
            because: section.text("because")?,
        }
    } else if section.table.contains_key("plugin") {
        HookRow::Plugin {
            by: section.text("plugin")?,
        }
    } else {
        HookRow::NotPossible {
            because: section.text("not_possible")?,
        }
    };
    section.done()?;
    Ok(row)
}

/// What the types alone do not say.
fn check(root: &Section<'_>, host: &Host) -> Result<(), Error> {
    for (index, file) in host.files.iter().enumerate() {
        let section = &root.sections("file")?[index];
        if !host.grammars.contains_key(&file.grammar) {
            return Err(section.error("grammar", &format!("names no grammar: `{}`", file.grammar)));
        }
        if file.at == At::Config && file.scope != Scope::User {
            return Err(section.error("at", "is for the user scope alone when it is `config`"));
        }
    }
    let hooks = root.section("hook")?;
    for hook in Hook::ALL {
        let HookRow::On(registrations) = host.row(hook) else {
            continue;
        };
        let row = hooks.section(hook.name())?;
        if registrations.is_empty() {
            return Err(row.error("on", "lists no event"));
        }
        for (registration, section) in registrations.iter().zip(row.sections("on")?) {
            if !host.events.contains(&registration.event) {
                return Err(section.error(
                    "event",
                    &format!("is `{}`, which is not among `events`", registration.event),
                ));
            }
            if registration.matcher.as_deref() == Some("") {
                return Err(section.error("matcher", "is empty; leave it out to match everything"));
            }
        }
    }
    let command = root.section("command")?;
    for (key, form) in [
        ("posix", &host.command.posix),
        ("windows", &host.command.windows),
    ] {
        for needed in ["<program>", "<hook>", "<args>"] {
            if !host.entry.handler.is_empty() && !form.contains(needed) {
                return Err(command.error(key, &format!("lacks {needed}")));
            }
        }
    }
    Ok(())
}
