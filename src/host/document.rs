//! The tables of the documents, written from the host table.
//!
//! Pure text to text: nothing here opens a file or names a host. A test compares
//! the committed pages with what comes out of here.

use std::fmt::Write as _;

use super::table::{
    At, Duplicates, Format, Grammar, HookRow, Host, HostFile, Registration, Scope, SeenFrom,
    SwitchIs,
};
use crate::error::{Error, Place};
use crate::hook::Hook;

const START: &str = "<!-- generated: ";
const START_ENDS: &str = " -->";
const END: &str = "<!-- end generated -->";

/// The parts a page may ask for, by the name in its markers.
///
/// # Errors
/// None is called `name`.
pub fn part(hosts: &[Host], name: &str) -> Result<String, Error> {
    match name {
        "hosts" => Ok(host_table(hosts)),
        "matrix" => Ok(matrix(hosts)),
        "each host" => Ok(hosts.iter().map(host).collect::<Vec<_>>().join("\n")),
        _ => Err(Error::new(format!("no generated part is called `{name}`"))),
    }
}

/// `page` with fresh text between its markers.
///
/// # Errors
/// A marker without its end, or with a name that no part has, at its place.
pub fn fill(page: &str, hosts: &[Host]) -> Result<String, Error> {
    let mut filled = String::new();
    let mut rest = page;
    while let Some(start) = rest.find(START) {
        let place = Place::of(page, page.len() - rest.len() + start);
        let (before, marker) = rest.split_at(start);
        let (name, body) = marker[START.len()..]
            .split_once(START_ENDS)
            .ok_or_else(|| Error::new("a marker that is not closed").at(place))?;
        let (_, after) = body
            .split_once(END)
            .ok_or_else(|| Error::new(format!("the part `{name}` has no end")).at(place))?;
        let text = part(hosts, name).map_err(|error| error.at(place))?;
        filled.push_str(before);
        let _ = write!(filled, "{START}{name}{START_ENDS}\n\n{text}\n{END}");
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// One line a host: version, files, and whether this version writes them.
pub fn host_table(hosts: &[Host]) -> String {
    let mut rows = vec![row(&[
        "Host",
        "`--host`",
        "Seen on",
        "`--global`",
        "`--project`",
        "`--private`",
        "Written",
    ])];
    rows.push(rule(7));
    for host in hosts {
        rows.push(row(&[
            &host.name,
            &code(&host.id),
            &host.verified,
            &files_of(host, Scope::User),
            &files_of(host, Scope::Project),
            &files_of(host, Scope::Private),
            written(host),
        ]));
    }
    rows.concat()
}

/// One line a hook: what it becomes on each host.
pub fn matrix(hosts: &[Host]) -> String {
    let mut head = vec!["Hook".to_owned(), "In this version".to_owned()];
    head.extend(hosts.iter().map(|host| {
        if host.unsupported.is_some() {
            format!("{} (not yet)", host.name)
        } else {
            host.name.clone()
        }
    }));
    let mut rows = vec![row(&head), rule(head.len())];
    for hook in Hook::ALL {
        let mut cells = vec![code(hook.name()), built(hook).to_owned()];
        cells.extend(hosts.iter().map(|host| cell(host.row(hook))));
        rows.push(row(&cells));
    }
    rows.concat()
}

/// Everything a person may want to know of one host.
pub fn host(host: &Host) -> String {
    let mut text = format!("## {}\n\n", host.name);
    let _ = writeln!(
        text,
        "`--host {}`. Everything below was seen on version {}. {}\n",
        host.id,
        host.verified,
        host.unsupported
            .as_deref()
            .map_or_else(|| "This version writes it.".to_owned(), sentence)
    );
    let _ = writeln!(text, "{}\n", config_dir(host));
    text.push_str(&files(host));
    text.push('\n');
    text.push_str(&hooks(host));
    text.push('\n');
    if let Some(matchers) = &host.entry.matchers {
        let _ = writeln!(text, "- **Matchers.** {matchers}");
    }
    let _ = writeln!(text, "- **Pick-up.** {}", host.pickup);
    let _ = writeln!(text, "- **Approval.** {}", host.approval);
    let _ = writeln!(
        text,
        "- **Without a person.** The host {}.",
        host.trust.headless
    );
    if let Some(file) = trust_file(host) {
        let _ = writeln!(text, "- **Where trust is kept.** {file}");
    }
    let _ = writeln!(text, "- **Copies.** {}", copies(host.duplicates));
    for context in &host.context {
        let on = match context.events.as_slice() {
            [] => String::new(),
            events => format!(" on {}", codes(events)),
        };
        let _ = writeln!(
            text,
            "- **Added context.** Up to {} {}{on}; beyond that, {}.",
            context.cap,
            context.unit.name(),
            context.beyond
        );
    }
    let off = switched_off(host);
    if !off.is_empty() {
        let _ = write!(text, "- **Switched off by:**\n{off}");
    }
    if !host.sources.is_empty() {
        text.push_str("- **Also reads hooks from:**\n");
        for source in &host.sources {
            let moved = match &source.variable {
                Some(variable) => format!(", or where {} says", code(variable)),
                None => String::new(),
            };
            let path = shown(host, &source.path);
            let _ = writeln!(text, "  - {}: {}{moved}", source.what, code(&path));
        }
    }
    text
}

fn files(host: &Host) -> String {
    let mut rows = vec![
        row(&["Scope", "File", "What the host accepts", "Takes", "Notes"]),
        rule(5),
    ];
    for file in &host.files {
        let takes = match (file.holds_hooks, file.holds_statusline) {
            (true, true) => "hooks, status line",
            (true, false) => "hooks",
            _ => "status line",
        };
        rows.push(row(&[
            file.scope.name().to_owned(),
            code(&path(host, file)),
            accepts(file, host.grammars.get(&file.grammar)),
            takes.to_owned(),
            notes(file),
        ]));
    }
    rows.concat()
}

fn accepts(file: &HostFile, grammar: Option<&Grammar>) -> String {
    let name = match file.format {
        Format::Json | Format::Jsonc => "JSON",
        Format::Toml => "TOML",
        Format::OwnFile => return "a whole file of ours".to_owned(),
    };
    let Some(grammar) = grammar else {
        return name.to_owned();
    };
    let mut with = Vec::new();
    let mut without = Vec::new();
    let mut told = vec![
        (grammar.bom, "a byte order mark"),
        (grammar.empty, "an empty file"),
    ];
    if file.format != Format::Toml {
        told.insert(0, (grammar.trailing_commas, "trailing commas"));
        told.insert(0, (grammar.comments, "comments"));
        told.push((grammar.empty_object, "a bare `{}`"));
    }
    for (yes, what) in told {
        if yes { &mut with } else { &mut without }.push(what);
    }
    let mut text = name.to_owned();
    if !with.is_empty() {
        let _ = write!(text, ", with {}", with.join(", "));
    }
    if !without.is_empty() {
        let _ = write!(text, "; not {}", without.join(", "));
    }
    if !grammar.only_keys.is_empty() {
        let _ = write!(text, "; no top-level key but {}", codes(&grammar.only_keys));
    }
    text
}

fn notes(file: &HostFile) -> String {
    let mut notes = Vec::new();
    if file.when_it_has_events {
        notes.push("only when it has hooks already".to_owned());
    }
    if file.at == At::Project {
        notes.push(match file.seen_from {
            SeenFrom::StartFolder => {
                "seen only when started in the folder that holds it".to_owned()
            }
            SeenFrom::GitRoot => "seen from anywhere in the repository".to_owned(),
        });
    }
    if file.from_main_worktree {
        notes.push("in a git worktree, the main checkout's copy is read".to_owned());
    }
    if let Some(why) = &file.not_on_windows {
        notes.push(format!("not written on Windows: {why}"));
    }
    notes.join("; ")
}

fn hooks(host: &Host) -> String {
    let mut rows = vec![
        row(&["Hook", "Event", "Matcher", "Timeout", "In this version"]),
        rule(5),
    ];
    for hook in Hook::ALL {
        let registrations = host.registrations(hook);
        if registrations.is_empty() {
            rows.push(row(&[
                code(hook.name()),
                cell_in_full(host.row(hook)),
                String::new(),
                String::new(),
                built_on(host, hook).to_owned(),
            ]));
        }
        for registration in registrations {
            rows.push(row(&[
                code(hook.name()),
                code(&registration.event),
                registration
                    .matcher
                    .as_deref()
                    .map(code)
                    .unwrap_or_default(),
                timeout(host, registration),
                built_on(host, hook).to_owned(),
            ]));
        }
    }
    rows.concat()
}

fn timeout(host: &Host, registration: &Registration) -> String {
    let seconds = registration.timeout;
    match host.entry.timeout_per_second {
        1 => format!("{seconds} s"),
        unit => format!("{seconds} s (written {})", seconds.saturating_mul(unit)),
    }
}

fn config_dir(host: &Host) -> String {
    let mut text = format!("Settings of the person: {}", code(&host.config_dir.default));
    for variable in &host.config_dir.variables {
        let _ = if variable.below.is_empty() {
            write!(text, ", or the folder {} names", code(&variable.name))
        } else {
            write!(
                text,
                ", or {} in the folder {} names",
                code(&variable.below),
                code(&variable.name)
            )
        };
    }
    text.push_str(". A variable that is set but empty counts as not set.");
    text
}

fn trust_file(host: &Host) -> Option<String> {
    let file = host.trust.file.as_deref()?;
    let mut text = code(&shown(
        host,
        host.trust.file_by_default.as_deref().unwrap_or(file),
    ));
    if host.trust.file_by_default.is_some() {
        let names: Vec<_> = host
            .config_dir
            .variables
            .iter()
            .map(|v| v.name.clone())
            .collect();
        let last = file.rsplit('/').next().unwrap_or(file);
        let _ = write!(
            text,
            "; {} in the folder {} names",
            code(last),
            codes(&names)
        );
    }
    if let Some(variable) = &host.trust.variable {
        let _ = write!(text, ", or the file {} names", code(variable));
    }
    text.push('.');
    Some(text)
}

fn switched_off(host: &Host) -> String {
    let mut text = String::new();
    for switch in &host.switches {
        let key = switch.key.join(".");
        let setting = match switch.is {
            SwitchIs::Bool(value) => format!("{key}: {value}"),
            SwitchIs::Lists => key,
        };
        let place = match &switch.path {
            Some(path) => format!(" in {}", code(&shown(host, path))),
            None => String::new(),
        };
        let _ = writeln!(text, "  - {}{place}: {}", code(&setting), switch.effect);
    }
    for off in &host.off {
        let _ = writeln!(text, "  - {}: {}", off.by, off.effect);
    }
    text
}

const fn copies(rule: Duplicates) -> &'static str {
    match rule {
        Duplicates::Command => {
            "Equal commands of one event run once, whichever files they stand in."
        }
        Duplicates::NameAndCommand => {
            "Entries of one event with an equal name and command run once, whichever files they stand in."
        }
        Duplicates::AllRun => "Every copy runs, in one file or in several.",
        Duplicates::File => "Every plugin file runs, also a second one with the same text.",
    }
}

fn files_of(host: &Host, scope: Scope) -> String {
    let paths: Vec<_> = host
        .files
        .iter()
        .filter(|file| file.scope == scope)
        .map(|file| code(&path(host, file)))
        .collect();
    if paths.is_empty() {
        "none".to_owned()
    } else {
        paths.join(", ")
    }
}

fn path(host: &Host, file: &HostFile) -> String {
    match file.at {
        At::Config => format!("{}/{}", host.config_dir.default, file.path),
        At::Project => file.path.clone(),
    }
}

/// A path of the table as people read it.
fn shown(host: &Host, path: &str) -> String {
    path.replace("{config}", &host.config_dir.default)
        .replace("{project}/", "")
}

fn written(host: &Host) -> &'static str {
    if host.unsupported.is_some() {
        "not yet"
    } else {
        "yes"
    }
}

fn built(hook: Hook) -> &'static str {
    if Hook::BUILT.contains(&hook) {
        "yes"
    } else {
        "not yet"
    }
}

fn built_on(host: &Host, hook: Hook) -> &'static str {
    if host.unsupported.is_some() {
        "not yet"
    } else {
        built(hook)
    }
}

fn cell(row: &HookRow) -> String {
    match row {
        HookRow::On(registrations) => {
            let events: Vec<_> = registrations.iter().map(|r| r.event.clone()).collect();
            let mut text = codes(&events);
            if let [one] = registrations.as_slice()
                && let Some(matcher) = &one.matcher
            {
                let _ = write!(text, " {}", code(matcher));
            }
            text
        }
        HookRow::Slot { name, .. } => code(name),
        HookRow::FedBy { hook, .. } => format!("with {}", code(hook.name())),
        HookRow::Plugin { .. } => "plugin".to_owned(),
        HookRow::NotPossible { .. } => "not possible".to_owned(),
    }
}

fn cell_in_full(row: &HookRow) -> String {
    match row {
        HookRow::Slot { name, .. } => format!("the setting {}", code(name)),
        HookRow::FedBy { hook, because } => format!("with {}: {because}", code(hook.name())),
        HookRow::Plugin { by } => by.clone(),
        HookRow::NotPossible { because } => format!("not possible: {because}"),
        HookRow::On(_) => cell(row),
    }
}

/// Half a sentence as a whole one.
fn sentence(half: &str) -> String {
    let mut letters = half.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", letters.as_str())
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn codes(texts: &[String]) -> String {
    let codes: Vec<_> = texts.iter().map(|text| code(text)).collect();
    codes.join(", ")
}

/// One line of a table. A bar in a cell would end it, so it is escaped.
fn row(cells: &[impl AsRef<str>]) -> String {
    let mut line = String::from("|");
    for cell in cells {
        let _ = write!(line, " {} |", cell.as_ref().replace('|', "\\|"));
    }
    line.push('\n');
    line
}

fn rule(columns: usize) -> String {
    format!("|{}\n", " --- |".repeat(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> &'static [Host] {
        crate::host::all().unwrap()
    }

    #[test]
    fn every_line_of_a_table_has_the_same_number_of_cells() {
        for text in [host_table(hosts()), matrix(hosts())] {
            let cells = |line: &str| line.replace("\\|", "").matches('|').count();
            let head = text.lines().next().map(cells).unwrap();
            assert!(head > 3);
            for line in text.lines() {
                assert_eq!(cells(line), head, "{line}");
            }
        }
    }

    #[test]
    fn a_page_keeps_what_is_not_between_markers() {
        let page = "above\n<!-- generated: hosts -->old<!-- end generated -->\nbelow\n";
        let filled = fill(page, hosts()).unwrap();
        assert!(filled.starts_with("above\n<!-- generated: hosts -->\n\n| Host |"));
        assert!(filled.ends_with("\n<!-- end generated -->\nbelow\n"));
        assert!(!filled.contains("old"));
        assert_eq!(fill(&filled, hosts()).unwrap(), filled);
    }

    #[test]
    fn a_marker_that_cannot_be_filled_is_an_error_at_its_place() {
        for (page, error) in [
            (
                "x\n <!-- generated: hosts -->",
                "the part `hosts` has no end",
            ),
            (
                "x\n <!-- generated: hots --><!-- end generated -->",
                "no generated part is called `hots`",
            ),
        ] {
            let found = fill(page, hosts()).unwrap_err();
            assert_eq!(found.what, error);
            assert_eq!(found.place, Some(Place { line: 2, column: 2 }));
        }
    }

    #[test]
    fn what_is_not_written_yet_is_never_called_done() {
        for table in hosts().iter().filter(|host| host.unsupported.is_some()) {
            let text = host(table);
            assert!(!text.contains("This version writes it"), "{text}");
            assert!(!text.contains("| yes |"), "{text}");
        }
    }
}
