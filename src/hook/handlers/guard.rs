//! The guard: looks at what a tool call is about to write.
//!
//! Four rules: a credential in a written text (`secret_write`), a direct write to
//! what `pan-tools` owns (`state_write`), a judge writing outside the planning tree
//! (`judge_write`), a test file the phase in flight does not declare
//! (`undeclared_test_edit`). A text that could not be read is `unreadable`, not clean.
//!
//! The matched text goes nowhere: not into a reason, not into a row.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use crate::hook::guard_log::Row;
use crate::hook::outcome::{MAX_REASON, Outcome, clean};
use crate::hook::patch;
use crate::hook::payload::{Action, Tool};
use crate::hook::place;
use crate::hook::planning::{self, Mode};
use crate::hook::secrets;
use crate::hook::shell::{self, Language, Start, Use};
use crate::hook::test_files::is_test_file;

/// The agents that judge and do not write.
const JUDGES: [&str; 4] = [
    "pan-verifier",
    "pan-reviewer",
    "pan-plan-checker",
    "pan-design-checker",
];

/// The files `pan-tools` owns: name, and the folder it lies in below the tree.
const OWNED: [(&str, Option<&str>); 3] = [
    ("state.md", Some("")),
    ("findings.jsonl", None),
    ("tokens.jsonl", Some("metrics")),
];

/// How many matches one call may log.
const MAX_MATCHES: usize = 64;

/// How many matches a reason names.
const MAX_NAMED: usize = 4;

/// How deep a command in a command is read.
const MAX_NESTED: usize = 3;

/// How many scripts and patches inside one command are read.
const MAX_INNER: usize = 256;

/// A file the call is about to write.
#[derive(Debug)]
pub struct Target {
    /// Absolute and tidied when `known`, else as it was written.
    pub path: String,
    /// Whether the path is certain.
    pub known: bool,
    /// Only one of two readings; see [`shell::Write::maybe`].
    pub maybe: bool,
}

/// A text the call is about to write.
#[derive(Debug)]
struct Text<'a> {
    new: Cow<'a, str>,
    old: Cow<'a, str>,
    target: Option<usize>,
    /// The lines before `new` in the text it is a part of.
    lines_before: usize,
    /// Which part of `new` goes to which target, when `target` is empty.
    parts: Vec<(Range<usize>, usize)>,
}

/// What a call is about to do, seen from its folder.
#[derive(Debug, Default)]
pub struct Inspection<'a> {
    /// The files.
    pub targets: Vec<Target>,
    texts: Vec<Text<'a>>,
    has_command: bool,
    unreadable: Option<&'static str>,
}

/// The place a call runs in.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The folder of the session.
    pub cwd: &'a str,
    /// The home folder.
    pub home: Option<&'a str>,
}

/// The project a call runs in.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder that holds the planning tree.
    pub root: String,
    /// The planning tree.
    pub tree: String,
    /// The folder that holds the tracks; the tree itself without one.
    pub base: String,
}

/// What has to be looked up before the decision, beyond what every call needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The phase in flight.
    pub phase: bool,
    /// The targets whose folder may be a link into the tree, by index.
    pub real: Vec<usize>,
}

/// The phase in flight and the files its unfinished plans declare.
#[derive(Debug, Default)]
pub struct Phase {
    /// Its number.
    pub number: String,
    /// The declared files and patterns.
    pub declared: Vec<String>,
}

/// What was looked up.
#[derive(Debug, Default)]
pub struct Learned {
    /// The phase in flight, if there is one.
    pub phase: Option<Phase>,
    /// The paths behind links of the targets asked for.
    pub real: Vec<(usize, String)>,
    /// The project behind links.
    pub real_project: Option<Project>,
}

/// All a decision rests on.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Where the call runs.
    pub place: Place<'a>,
    /// The project; nothing outside one, where only credentials are looked at.
    pub project: Option<&'a Project>,
    /// The mode.
    pub mode: Mode,
    /// The name of the agent.
    pub agent: Option<&'a str>,
    /// What [`needs`] asked for.
    pub learned: Learned,
}

/// Lays out what `action` is about to write.
pub fn inspect<'a>(action: &'a Action<'a>, tool: Tool, place: Place<'_>) -> Inspection<'a> {
    let mut seen = Inspection {
        has_command: action.command.is_some(),
        unreadable: action
            .unreadable
            .then_some("no text where a text should be"),
        ..Inspection::default()
    };
    for write in &action.writes {
        let target = write.path.as_ref().map(|path| {
            let path = place::resolve(place.cwd, &expand(path, place.home));
            seen.targets
                .iter()
                .position(|target| target.path == path)
                .unwrap_or_else(|| seen.target(path, true, false))
        });
        seen.texts.push(Text {
            new: Cow::Borrowed(&write.new),
            old: Cow::Borrowed(&write.old),
            target,
            lines_before: 0,
            parts: Vec::new(),
        });
    }
    if let Some(text) = &action.patch {
        seen.patch(text, Some(place.cwd));
    }
    if let Some(command) = &action.command {
        let folder = match &action.folder {
            Some(folder) => Cow::Owned(place::resolve(place.cwd, folder)),
            None => Cow::Borrowed(place.cwd),
        };
        let language = if tool == Tool::PowerShell {
            Language::PowerShell
        } else {
            Language::Posix
        };
        seen.command(command, language, Some(folder), place.home, 0);
    }
    seen
}

/// `~/x` as the hosts' own tools read it.
fn expand<'a>(path: &'a str, home: Option<&str>) -> Cow<'a, str> {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => Cow::Owned(format!("{home}/{rest}")),
        _ => Cow::Borrowed(path),
    }
}

impl Inspection<'_> {
    fn target(&mut self, path: String, known: bool, maybe: bool) -> usize {
        self.targets.push(Target { path, known, maybe });
        self.targets.len() - 1
    }

    /// Lays out a patch whose paths are seen from `folder`.
    fn patch(&mut self, text: &str, folder: Option<&str>) {
        let changes = patch::read(text);
        if changes.is_empty() {
            self.unreadable = Some("a patch that names no file");
        }
        for change in changes {
            let base = if place::is_absolute(&change.path) {
                Some("/")
            } else {
                folder
            };
            let target = match base {
                Some(base) => self.target(place::resolve(base, &change.path), true, false),
                None => self.target(change.path, false, false),
            };
            self.texts.push(Text {
                new: Cow::Owned(change.added),
                old: Cow::Owned(change.removed),
                target: Some(target),
                lines_before: 0,
                parts: Vec::new(),
            });
        }
    }

    /// Lays out a shell command, and the commands in it.
    fn command(
        &mut self,
        text: &str,
        language: Language,
        folder: Option<Cow<'_, str>>,
        home: Option<&str>,
        depth: usize,
    ) {
        if depth > MAX_NESTED {
            self.unreadable = Some("a command nested too deep");
            return;
        }
        let found = shell::read(text, language, &Start { folder, home });
        if found.gave_up {
            self.unreadable = Some("a command nested too deep");
        }
        let first = self.targets.len();
        let mut parts = Vec::with_capacity(found.writes.len());
        for write in found.writes {
            parts.push((write.command, self.targets.len()));
            self.target(write.path, write.known, write.maybe);
        }
        let mut at = 0;
        let mut lines = 0;
        let mut bodies = found.bodies;
        bodies.sort_by_key(|body| body.range.start);
        for body in &bodies {
            let Some(content) = text.get(body.range.clone()) else {
                continue;
            };
            if body.range.start < at || content.is_empty() {
                continue;
            }
            lines += self.piece(text, at..body.range.start, lines, &parts);
            at = body.range.end;
            lines += content.matches('\n').count();
            match body.usage {
                Use::Patch => self.patch(content, body.folder.as_deref()),
                usage => {
                    if usage == Use::Script {
                        let folder = body
                            .folder
                            .as_deref()
                            .map(|folder| folder.to_owned().into());
                        self.command(content, Language::Posix, folder, home, depth + 1);
                    }
                    let target = body.write.map(|write| first + write);
                    self.texts.push(Text {
                        new: Cow::Owned(content.to_owned()),
                        old: Cow::Borrowed(""),
                        target,
                        lines_before: 0,
                        parts: Vec::new(),
                    });
                }
            }
        }
        self.piece(text, at..text.len(), lines, &parts);
        for (joined, command) in found.joined {
            let target = parts
                .iter()
                .find(|(range, _)| range.start == command.start)
                .map(|(_, target)| *target);
            self.texts.push(Text {
                new: Cow::Owned(joined),
                old: Cow::Borrowed(""),
                target,
                lines_before: text
                    .get(..command.start)
                    .unwrap_or("")
                    .matches('\n')
                    .count(),
                parts: Vec::new(),
            });
        }
        if found.inner.len() > MAX_INNER {
            self.unreadable = Some("too many commands in one command");
        }
        for inner in found.inner.into_iter().take(MAX_INNER) {
            match inner.usage {
                Use::Patch => self.patch(&inner.text, inner.folder.as_deref()),
                _ => self.command(
                    &inner.text,
                    inner.language,
                    inner.folder.map(Cow::Owned),
                    home,
                    depth + 1,
                ),
            }
        }
    }

    /// Adds the part `range` of a command, and returns its number of lines.
    fn piece(
        &mut self,
        text: &str,
        range: Range<usize>,
        lines_before: usize,
        parts: &[(Range<usize>, usize)],
    ) -> usize {
        let piece = text.get(range.clone()).unwrap_or_default();
        let lines = piece.matches('\n').count();
        if !piece.trim().is_empty() {
            let parts = parts
                .iter()
                .filter(|(part, _)| part.start < range.end && part.end > range.start)
                .map(|(part, target)| {
                    let start = part.start.saturating_sub(range.start);
                    (start..part.end.saturating_sub(range.start), *target)
                })
                .collect();
            self.texts.push(Text {
                new: Cow::Owned(piece.to_owned()),
                old: Cow::Borrowed(""),
                target: None,
                lines_before,
                parts,
            });
        }
        lines
    }
}

/// The judge `agent` is, with or without the name of a plugin before it.
fn judge(agent: Option<&str>) -> Option<&'static str> {
    let name = agent?.rsplit(':').next()?;
    JUDGES.into_iter().find(|judge| *judge == name)
}

fn is_owned_name(path: &str) -> bool {
    let name = place::name(path);
    OWNED
        .iter()
        .any(|(owned, _)| name.eq_ignore_ascii_case(owned))
}

/// What has to be looked up to judge `seen`.
pub fn needs(seen: &Inspection<'_>, project: &Project, agent: Option<&str>) -> Needs {
    let judge = judge(agent).is_some();
    let mut needs = Needs::default();
    for (index, target) in seen.targets.iter().enumerate() {
        if !target.known {
            continue;
        }
        if needs.real.len() < MAX_MATCHES && (judge || is_owned_name(&target.path)) {
            needs.real.push(index);
        }
        needs.phase |= place::below(&target.path, &project.root).is_some_and(is_test_file);
    }
    needs
}

/// The file of `pan-tools` that `path` is, in any track of `project`.
fn owned_file(path: &str, project: &Project) -> Option<&'static str> {
    let name = place::name(path);
    let (owned, folder) = OWNED
        .into_iter()
        .find(|(owned, _)| name.eq_ignore_ascii_case(owned))?;
    let folder_path = place::parent(path)?;
    for root in [&project.tree, &project.base] {
        let Some(mut inside) = place::below(folder_path, root) else {
            continue;
        };
        if let Some(track) = inside.strip_prefix("tracks/") {
            inside = track.split_once('/').map_or("", |(_, rest)| rest);
        }
        if folder.is_none_or(|folder| folder == inside) {
            return Some(owned);
        }
    }
    None
}

/// Decides.
pub fn decide(seen: &Inspection<'_>, facts: &Facts<'_>) -> Outcome {
    let mut rows: Vec<Row> = Vec::new();
    if facts.mode == Mode::Off {
        return Outcome::default();
    }
    let enforce = facts.mode == Mode::Enforce;
    let root = facts.project.map(|project| project.root.as_str());
    let shown = |target: &Target| {
        if target.known {
            place::shown(&target.path, root, facts.place.home)
        } else {
            clean(&target.path, 300)
        }
    };
    let matched = secret_rows(seen, &shown, enforce, &mut rows);
    if let Some(project) = facts.project {
        let judge = judge(facts.agent);
        for (index, target) in seen.targets.iter().enumerate() {
            if !target.known {
                continue;
            }
            let real = facts
                .learned
                .real
                .iter()
                .find(|(asked, _)| *asked == index)
                .map(|(_, path)| path.as_str());
            // The path as written, and the one behind links with the project behind links.
            let views = [
                Some((target.path.as_str(), project)),
                real.zip(facts.learned.real_project.as_ref()),
            ];
            let owned = views
                .iter()
                .flatten()
                .find_map(|(path, project)| owned_file(path, project));
            if let Some(owned) = owned {
                push(
                    &mut rows,
                    row("state_write", owned, Some(shown(target)), None, enforce),
                );
            }
            if target.maybe {
                continue;
            }
            let inside = |(path, project): &(&str, &Project)| {
                place::below(path, &project.base).is_some()
                    || place::below(path, &project.tree).is_some()
            };
            if let Some(judge) = judge {
                // Inside counts when every view agrees: a link out of the tree leads out.
                if !views.iter().flatten().all(inside) {
                    push(
                        &mut rows,
                        row("judge_write", judge, Some(shown(target)), None, enforce),
                    );
                }
            }
            let below_root = place::below(&target.path, &project.root);
            if let (Some(path), Some(phase)) = (below_root, &facts.learned.phase) {
                let in_tree = place::below(&target.path, &project.base).is_some();
                let declared = || {
                    phase
                        .declared
                        .iter()
                        .any(|file| planning::declares(file, path))
                };
                if !in_tree && is_test_file(path) && !declared() {
                    let kind = format!("phase {}", phase.number);
                    push(
                        &mut rows,
                        row(
                            "undeclared_test_edit",
                            &kind,
                            Some(shown(target)),
                            None,
                            false,
                        ),
                    );
                }
            }
        }
    }
    if let Some(why) = seen.unreadable {
        let path = seen.targets.first().map(&shown);
        push(&mut rows, row("unreadable", why, path, None, false));
    }
    mask(&mut rows, &matched);
    let deny = reason(&rows, seen.has_command);
    Outcome { deny, rows }
}

/// The outcome for a payload that could not be read at all.
pub fn unreadable(why: &'static str) -> Outcome {
    Outcome {
        deny: None,
        rows: vec![row("unreadable", why, None, None, false)],
    }
}

fn row(
    rule: &'static str,
    kind: &str,
    path: Option<String>,
    line: Option<usize>,
    denied: bool,
) -> Row {
    Row {
        rule,
        kind: kind.to_owned(),
        path,
        line,
        denied,
    }
}

fn push(rows: &mut Vec<Row>, row: Row) {
    if rows.len() < MAX_MATCHES && !rows.contains(&row) {
        rows.push(row);
    }
}

/// Adds the rows for credentials, and returns the matched texts: they are to stand
/// nowhere, not even as a part of a path.
fn secret_rows<'t>(
    seen: &'t Inspection<'_>,
    shown: &impl Fn(&Target) -> String,
    enforce: bool,
    rows: &mut Vec<Row>,
) -> BTreeSet<&'t str> {
    // One credential may be seen twice: in the command, and in the script inside
    // it. The reading that knows the file is the one to tell.
    let mut at_file: BTreeSet<&str> = BTreeSet::new();
    let mut elsewhere: Vec<(&str, Row)> = Vec::new();
    let mut before: Option<BTreeSet<(Option<usize>, &str)>> = None;
    for text in &seen.texts {
        let name = |target: usize| seen.targets.get(target).map(shown);
        let path = text.target.and_then(name);
        let context = secrets::Context {
            path: path.as_deref(),
        };
        for finding in secrets::scan(&text.new, &context) {
            let matched = text.new.get(finding.start..finding.end);
            let matched = matched.unwrap_or_default();
            let before = before.get_or_insert_with(|| replaced(seen));
            if before.contains(&(text.target, matched)) {
                continue;
            }
            let part = text
                .parts
                .iter()
                .find(|(part, _)| part.contains(&finding.start))
                .and_then(|(_, target)| name(*target));
            let path = path.clone().or(part);
            let known = path.is_some();
            let line = text.lines_before + finding.line;
            let row = row("secret_write", finding.kind, path, Some(line), enforce);
            if known {
                at_file.insert(matched);
                push(rows, row);
            } else {
                elsewhere.push((matched, row));
            }
        }
        if rows.len() >= MAX_MATCHES || elsewhere.len() >= MAX_MATCHES {
            break;
        }
    }
    let mut told = at_file;
    for (matched, row) in elsewhere {
        if told.insert(matched) {
            push(rows, row);
        }
    }
    told
}

/// The credentials that stood in each file before: what a call leaves in a file is
/// not newly written.
fn replaced<'t>(seen: &'t Inspection<'_>) -> BTreeSet<(Option<usize>, &'t str)> {
    seen.texts
        .iter()
        .flat_map(|text| {
            secrets::scan(&text.old, &secrets::Context::default())
                .into_iter()
                .filter_map(|finding| text.old.get(finding.start..finding.end))
                .map(|matched| (text.target, matched))
        })
        .collect()
}

/// Takes the matched texts out of the paths in `rows`.
fn mask(rows: &mut [Row], matched: &BTreeSet<&str>) {
    for path in rows.iter_mut().filter_map(|row| row.path.as_mut()) {
        for text in matched {
            if !text.is_empty() && path.contains(text) {
                *path = path.replace(text, "***");
            }
        }
    }
}

/// Why the call is denied: rule, file, line, kind, and what to do instead.
fn reason(rows: &[Row], command: bool) -> Option<String> {
    let denied: Vec<&Row> = rows.iter().filter(|row| row.denied).collect();
    if denied.is_empty() {
        return None;
    }
    let mut text = String::from("pan-hooks guard denied this call; nothing was written.");
    for row in denied.iter().take(MAX_NAMED) {
        let nowhere = if command {
            "the command line"
        } else {
            "a text without a file"
        };
        let path = row.path.as_deref().unwrap_or(nowhere);
        let _ = write!(text, " [{}] {path}", row.rule);
        if let Some(line) = row.line {
            let _ = write!(text, ", line {line}");
        }
        let _ = match row.rule {
            "secret_write" => write!(text, ": holds a credential ({}).", row.kind),
            "state_write" => write!(text, ": {} belongs to pan-tools.", row.kind),
            _ => write!(
                text,
                ": {} judges and writes only below the planning tree.",
                row.kind
            ),
        };
    }
    if let Some(more) = denied.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        let _ = write!(text, " And {more} more.");
    }
    let has = |rule: &str| denied.iter().any(|row| row.rule == rule);
    if has("secret_write") {
        text.push_str(
            " Read the value from the environment or a secret store where it is used, and write only its name.",
        );
    }
    if has("state_write") {
        text.push_str(
            " Change state.md through `pan-tools state init|section|quick-task|apply|patch|update`; findings and token rows are recorded by pan-tools itself.",
        );
    }
    if has("judge_write") {
        text.push_str(" Report what should change instead of changing it.");
    }
    Some(clean(&text, MAX_REASON))
}
