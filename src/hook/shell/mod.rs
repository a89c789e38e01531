//! A reader of shell commands: which files a command is about to write, and which
//! part of it is text that goes into a file.
//!
//! It reads what a shell would read (quotes, escapes, comments, lists, pipes,
//! redirections, here-documents, substitutions) and runs nothing. It knows the
//! place a relative path is seen from (`cd` in the same command counts) and plain
//! assignments. What it cannot know (a variable of the caller's, a glob) makes a
//! place unknown, never wrong.
//!
//! It reads a text once, and its depth is bounded: hostile input is slow for no one.

mod programs;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use crate::hook::place;

/// How deep subshells and substitutions may nest.
const MAX_DEPTH: usize = 24;

/// How many files one command may write before the reader says it could not read it.
const MAX_WRITES: usize = 4096;

/// How many assignments are remembered, and how long their values may be.
const MAX_VARIABLES: usize = 64;
const MAX_VALUE: usize = 4096;

/// Which shell reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// sh, bash, zsh and their kin.
    Posix,
    /// PowerShell.
    PowerShell,
}

/// Where a command runs.
#[derive(Debug, Clone)]
pub struct Start<'a> {
    /// The folder, absolute; nothing when it is not known.
    pub folder: Option<Cow<'a, str>>,
    /// The home folder.
    pub home: Option<&'a str>,
}

/// One file a command writes.
#[derive(Debug, PartialEq, Eq)]
pub struct Write {
    /// The file, absolute and tidied when `known`, else as it was written.
    pub path: String,
    /// Whether the path is certain.
    pub known: bool,
    /// Whether this is only one reading of the command: a copy's target may be a
    /// folder or a file.
    pub maybe: bool,
    /// Where the command that writes it stands in the text.
    pub command: Range<usize>,
}

/// What a here-document is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It becomes (part of) a file, or the input of a program.
    Content,
    /// It is a patch.
    Patch,
    /// A shell reads it.
    Script,
}

/// One here-document.
#[derive(Debug, PartialEq, Eq)]
pub struct Body {
    /// Its text.
    pub range: Range<usize>,
    /// The index of the file it goes to.
    pub write: Option<usize>,
    /// What it is for.
    pub usage: Use,
    /// The folder its paths are seen from.
    pub folder: Option<String>,
}

/// A text inside the command that is read once more.
#[derive(Debug, PartialEq, Eq)]
pub struct Inner {
    /// The text.
    pub text: String,
    /// What reads it.
    pub usage: Use,
    /// Which shell, when a shell does.
    pub language: Language,
    /// The folder it runs in.
    pub folder: Option<String>,
}

/// What a command does.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The files it writes.
    pub writes: Vec<Write>,
    /// Its here-documents.
    pub bodies: Vec<Body>,
    /// Scripts and patches given as arguments.
    pub inner: Vec<Inner>,
    /// Words that do not stand in the text as such: pieces put together, escapes
    /// undone. With the place of their command.
    pub joined: Vec<(String, Range<usize>)>,
    /// The reader gave up somewhere.
    pub gave_up: bool,
}

/// Reads `text`.
pub fn read(text: &str, language: Language, start: &Start<'_>) -> Found {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        language,
        found: Found::default(),
        pending: Vec::new(),
        folder: start.folder.as_deref().map(str::to_owned),
        home: start.home,
        variables: Vec::new(),
        depth: 0,
    };
    // A stray closing parenthesis ends a list; what follows is read as well.
    while reader.at < reader.bytes.len() {
        reader.list(false);
    }
    reader.take_bodies();
    reader.found
}

/// A word of a command.
#[derive(Debug, Default)]
struct Word {
    /// The text with quotes and escapes undone.
    text: String,
    start: usize,
    end: usize,
    /// Holds something only the running shell knows.
    unknown: bool,
    /// Holds a quote or an escape.
    quoted: bool,
}

/// A here-document whose body has not come yet.
struct Pending {
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
    /// The body's index in `bodies`, reserved when the operator was read.
    body: usize,
}

/// A command while it is read.
#[derive(Default)]
struct Simple {
    start: usize,
    words: Vec<Word>,
    targets: Vec<Word>,
    here_strings: Vec<Word>,
    bodies: Vec<usize>,
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    language: Language,
    found: Found,
    pending: Vec<Pending>,
    folder: Option<String>,
    home: Option<&'a str>,
    variables: Vec<(String, String)>,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    /// Reads commands up to the end, or up to the `)` that closes this list.
    fn list(&mut self, closing: bool) {
        if self.depth >= MAX_DEPTH {
            self.found.gave_up = true;
            self.at = self.bytes.len();
            return;
        }
        self.depth += 1;
        let mut simple = Simple {
            start: self.at,
            ..Simple::default()
        };
        loop {
            let Some(byte) = self.peek(0) else {
                self.finish(&mut simple);
                break;
            };
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == Some(b'\n') && self.posix() => self.at += 2,
                b'#' => self.skip_line(),
                b'\n' => {
                    self.at += 1;
                    self.finish(&mut simple);
                    self.take_bodies();
                    simple.start = self.at;
                }
                b'&' if self.peek(1) == Some(b'>') => {
                    self.at += 2;
                    if self.peek(0) == Some(b'>') {
                        self.at += 1;
                    }
                    self.target(&mut simple);
                }
                b';' | b'&' | b'|' => {
                    self.at += 1;
                    self.finish(&mut simple);
                    simple.start = self.at;
                }
                b'(' => {
                    if self.peek(1) == Some(b'(') && simple.words.is_empty() {
                        self.skip_balanced();
                    } else if !simple.words.is_empty() && self.peek(1) == Some(b')') {
                        // The head of a function.
                        self.at += 2;
                        self.finish(&mut simple);
                        simple.start = self.at;
                    } else {
                        self.at += 1;
                        self.nested();
                    }
                }
                b')' => {
                    self.finish(&mut simple);
                    self.at += 1;
                    if closing {
                        break;
                    }
                    simple.start = self.at;
                }
                b'<' | b'>' if !in_test(&simple) => self.redirection(&mut simple),
                b'@' if !self.posix() && matches!(self.peek(1), Some(b'\'' | b'"')) => {
                    let word = self.here_string_block();
                    simple.words.push(word);
                }
                _ => {
                    let word = self.word(&simple);
                    let number = !word.quoted
                        && matches!(self.peek(0), Some(b'<' | b'>'))
                        && (word.text == "*" && !self.posix()
                            || word.text.bytes().all(|b| b.is_ascii_digit()));
                    // The number of a redirection is no argument.
                    if !number {
                        simple.words.push(word);
                    }
                }
            }
        }
        self.depth -= 1;
    }

    fn posix(&self) -> bool {
        self.language == Language::Posix
    }

    /// A list of its own: what it changes of folder and variables stays inside.
    fn nested(&mut self) {
        let folder = self.folder.clone();
        let variables = self.variables.len();
        self.list(true);
        self.folder = folder;
        self.variables.truncate(variables);
    }

    fn skip_line(&mut self) {
        self.at += self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.iter().position(|byte| *byte == b'\n'))
            .unwrap_or(self.bytes.len());
        self.at = self.at.min(self.bytes.len());
    }

    /// Skips from an opening parenthesis to the one that closes it: arithmetic.
    fn skip_balanced(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
        }
    }

    fn redirection(&mut self, simple: &mut Simple) {
        let input = self.peek(0) == Some(b'<');
        if matches!(self.peek(1), Some(b'(')) {
            // A process substitution: its commands count, the word is no file.
            self.at += 2;
            self.nested();
            simple.words.push(Word {
                unknown: true,
                ..Word::default()
            });
            return;
        }
        self.at += 1;
        match (input, self.peek(0)) {
            (true, Some(b'<')) if self.posix() => {
                self.at += 1;
                if self.peek(0) == Some(b'<') {
                    self.at += 1;
                    let word = self.operand();
                    simple.here_strings.push(word);
                } else {
                    self.here_document(simple);
                }
            }
            (true, Some(b'>')) => {
                self.at += 1;
                self.target(simple);
            }
            (true, Some(b'&')) => {
                self.at += 1;
                let _ = self.operand();
            }
            (true, _) => {
                let _ = self.operand();
            }
            (false, Some(b'&')) => {
                self.at += 1;
                let word = self.operand();
                // `>&2` and `2>&-` duplicate; `>&file` writes.
                let duplicate = word
                    .text
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b'-');
                if !duplicate {
                    simple.targets.push(word);
                }
            }
            (false, next) => {
                if matches!(next, Some(b'>' | b'|' | b'!')) {
                    self.at += 1;
                }
                self.target(simple);
            }
        }
    }

    fn target(&mut self, simple: &mut Simple) {
        let word = self.operand();
        simple.targets.push(word);
    }

    /// The word after a redirection operator.
    fn operand(&mut self) -> Word {
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        self.word(&Simple::default())
    }

    fn here_document(&mut self, simple: &mut Simple) {
        let strip_tabs = self.peek(0) == Some(b'-');
        if strip_tabs {
            self.at += 1;
        }
        let word = self.operand();
        let body = self.found.bodies.len();
        self.found.bodies.push(Body {
            range: 0..0,
            write: None,
            usage: Use::Content,
            folder: None,
        });
        simple.bodies.push(body);
        self.pending.push(Pending {
            delimiter: word.text,
            quoted: word.quoted,
            strip_tabs,
            body,
        });
    }

    /// Reads the bodies of the here-documents whose operators stood on the line
    /// that just ended.
    fn take_bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let mut end = self.bytes.len();
            while self.at < self.bytes.len() {
                let line_start = self.at;
                self.skip_line();
                let line = self.slice(line_start..self.at);
                self.at = (self.at + 1).min(self.bytes.len());
                let line = line.strip_suffix('\r').unwrap_or(line);
                let line = if pending.strip_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line == pending.delimiter {
                    end = line_start;
                    break;
                }
            }
            let range = start.min(end)..end;
            if crate::hook::patch::is_patch(self.slice(range.clone())) {
                if let Some(body) = self.found.bodies.get_mut(pending.body) {
                    body.usage = Use::Patch;
                }
            } else if !pending.quoted {
                self.substitutions_in(range.clone());
            }
            if let Some(body) = self.found.bodies.get_mut(pending.body) {
                body.range = range;
            }
        }
    }

    /// Reads the commands substituted inside a here-document.
    fn substitutions_in(&mut self, range: Range<usize>) {
        let back = self.at;
        self.at = range.start;
        while self.at < range.end {
            match self.peek(0) {
                Some(b'\\') => self.at += 2,
                Some(b'$') if self.peek(1) == Some(b'(') && self.peek(2) != Some(b'(') => {
                    self.at += 2;
                    self.nested();
                }
                Some(b'`') => self.backticks(&mut Word::default()),
                _ => self.at += 1,
            }
        }
        self.at = back.max(self.at);
    }

    /// One word. Reads at least one byte.
    fn word(&mut self, simple: &Simple) -> Word {
        let mut word = Word {
            start: self.at,
            ..Word::default()
        };
        let tilde =
            self.peek(0) == Some(b'~') && matches!(self.peek(1), None | Some(b'/' | b' ' | b'\n'));
        if let Some(home) = self.home.filter(|_| tilde) {
            word.text.push_str(home);
            self.at += 1;
        }
        let test = in_test(simple);
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' => break,
                b'<' | b'>' if !test => break,
                b'\'' => self.single_quotes(&mut word),
                b'"' => {
                    self.at += 1;
                    word.quoted = true;
                    self.double_quotes(&mut word);
                }
                b'\\' if self.posix() => {
                    word.quoted = true;
                    self.at += 1;
                    match self.peek(0) {
                        Some(b'\n') => self.at += 1,
                        Some(_) => self.push_char(&mut word),
                        None => {}
                    }
                }
                b'`' if self.posix() => self.backticks(&mut word),
                b'`' => {
                    word.quoted = true;
                    self.at += 1;
                    if self.peek(0).is_some() {
                        self.push_char(&mut word);
                    }
                }
                b'$' => self.dollar(&mut word, false),
                b'*' | b'?' | b'[' => {
                    word.unknown |= byte != b'[' || !test;
                    self.push_char(&mut word);
                }
                _ => self.plain(&mut word, ends_plain),
            }
            if self.at == word.start {
                break;
            }
        }
        if self.at == word.start && word.text.is_empty() {
            // An operator where a word should be, as after a redirection.
            if !matches!(
                self.peek(0),
                None | Some(b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
            ) {
                self.push_char(&mut word);
            }
        }
        word.end = self.at;
        word
    }

    /// Takes the run of bytes up to one where `stops` says so.
    fn plain(&mut self, word: &mut Word, stops: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| stops(*byte))
            .unwrap_or(rest.len());
        if length == 0 {
            self.push_char(word);
            return;
        }
        word.text.push_str(self.slice(self.at..self.at + length));
        self.at += length;
    }

    fn push_char(&mut self, word: &mut Word) {
        let Some(next) = self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
        else {
            self.at += 1;
            return;
        };
        word.text.push(next);
        self.at += next.len_utf8();
    }

    fn single_quotes(&mut self, word: &mut Word) {
        word.quoted = true;
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let length = rest
                .iter()
                .position(|byte| *byte == b'\'')
                .unwrap_or(rest.len());
            word.text.push_str(self.slice(self.at..self.at + length));
            self.at = (self.at + length + 1).min(self.bytes.len());
            // PowerShell writes a quote inside quotes twice.
            if self.posix() || self.peek(0) != Some(b'\'') {
                return;
            }
            word.text.push('\'');
            self.at += 1;
        }
    }

    /// The inside of double quotes, after the opening one.
    fn double_quotes(&mut self, word: &mut Word) {
        let escape = if self.posix() { b'\\' } else { b'`' };
        while let Some(byte) = self.peek(0) {
            match byte {
                b'"' => {
                    self.at += 1;
                    if self.posix() || self.peek(0) != Some(b'"') {
                        return;
                    }
                    word.text.push('"');
                    self.at += 1;
                }
                _ if byte == escape => {
                    self.at += 1;
                    match self.peek(0) {
                        Some(b'\n') if self.posix() => self.at += 1,
                        Some(b'$' | b'`' | b'"' | b'\\') => self.push_char(word),
                        Some(_) if self.posix() => word.text.push('\\'),
                        Some(_) => self.push_char(word),
                        None => {}
                    }
                }
                b'`' => self.backticks(word),
                b'$' => self.dollar(word, true),
                _ => self.plain(word, |byte| matches!(byte, b'"' | b'\\' | b'`' | b'$')),
            }
        }
    }

    fn dollar(&mut self, word: &mut Word, in_quotes: bool) {
        match self.peek(1) {
            Some(b'(') if self.peek(2) == Some(b'(') => {
                word.unknown = true;
                self.at += 1;
                self.skip_balanced();
            }
            Some(b'(') => {
                word.unknown = true;
                self.at += 2;
                self.nested();
            }
            Some(b'{') => {
                let start = self.at + 2;
                let rest = self.bytes.get(start..).unwrap_or_default();
                let length = rest
                    .iter()
                    .position(|byte| matches!(byte, b'}' | b'\n'))
                    .unwrap_or(rest.len());
                let name = self.slice(start..start + length).to_owned();
                self.at = (start + length + 1).min(self.bytes.len());
                self.variable(word, &name);
            }
            Some(b'\'') if !in_quotes && self.posix() => {
                self.at += 2;
                self.ansi_quotes(word);
            }
            Some(b'"') if !in_quotes => self.at += 1,
            Some(first) if first.is_ascii_alphabetic() || first == b'_' => {
                let start = self.at + 1;
                let rest = self.bytes.get(start..).unwrap_or_default();
                let length = rest
                    .iter()
                    .position(|byte| {
                        !(byte.is_ascii_alphanumeric()
                            || *byte == b'_'
                            || *byte == b':' && !self.posix())
                    })
                    .unwrap_or(rest.len());
                let name = self.slice(start..start + length).to_owned();
                self.at = start + length;
                self.variable(word, &name);
            }
            Some(b' ' | b'\t' | b'\n' | b'"') | None => self.push_char(word),
            Some(_) => {
                word.unknown = true;
                self.push_char(word);
            }
        }
    }

    /// Puts the value of `name` in, when the command itself tells it.
    fn variable(&mut self, word: &mut Word, name: &str) {
        let value = match name {
            "HOME" | "env:HOME" | "env:USERPROFILE" => self.home,
            "PWD" => self.folder.as_deref(),
            _ => self
                .variables
                .iter()
                .rev()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.as_str()),
        };
        word.quoted = true;
        if let Some(value) = value.filter(|value| word.text.len() + value.len() <= 4 * MAX_VALUE) {
            word.text.push_str(value);
        } else {
            word.unknown = true;
            word.text.push('$');
            word.text.push_str(name);
        }
    }

    /// The inside of `$'...'`.
    fn ansi_quotes(&mut self, word: &mut Word) {
        word.quoted = true;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\'' => {
                    self.at += 1;
                    return;
                }
                b'\\' => {
                    self.at += 1;
                    let Some(escape) = self.peek(0) else { return };
                    let number = |digits: Range<usize>, radix| {
                        let most = digits.end;
                        let text = self.bytes.get(self.at + digits.start..).unwrap_or_default();
                        let length = text
                            .iter()
                            .take(most)
                            .position(|byte| !char::from(*byte).is_digit(radix))
                            .unwrap_or_else(|| most.min(text.len()));
                        let digits = text.get(..length).unwrap_or_default();
                        let value = std::str::from_utf8(digits)
                            .ok()
                            .and_then(|text| u32::from_str_radix(text, radix).ok())
                            .and_then(char::from_u32);
                        (value, length)
                    };
                    let simple = match escape {
                        b'n' => Some('\n'),
                        b't' => Some('\t'),
                        b'r' => Some('\r'),
                        b'a' | b'b' | b'e' | b'E' | b'f' | b'v' => Some(' '),
                        _ => None,
                    };
                    let (value, used) = match escape {
                        b'x' => {
                            let (value, length) = number(1..2, 16);
                            (value, length + 1)
                        }
                        b'u' => {
                            let (value, length) = number(1..4, 16);
                            (value, length + 1)
                        }
                        b'U' => {
                            let (value, length) = number(1..8, 16);
                            (value, length + 1)
                        }
                        b'0'..=b'7' => number(0..3, 8),
                        _ => (simple, usize::from(simple.is_some())),
                    };
                    if used == 0 {
                        self.push_char(word);
                    } else {
                        word.text.extend(value);
                        self.at += used;
                    }
                }
                _ => self.plain(word, |byte| matches!(byte, b'\'' | b'\\')),
            }
        }
    }

    /// A command between backticks: read as a script of its own.
    fn backticks(&mut self, word: &mut Word) {
        word.unknown = true;
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => {
                    escaped = true;
                    self.at += 2;
                    continue;
                }
                b'`' => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.bytes.len());
        let inner = self.slice(start..self.at);
        let text = if escaped {
            inner.replace("\\`", "`").replace("\\\\", "\\")
        } else {
            inner.to_owned()
        };
        self.at = (self.at + 1).min(self.bytes.len());
        self.add_inner(text, Use::Script, Language::Posix);
    }

    fn add_inner(&mut self, text: String, usage: Use, language: Language) {
        if self.found.inner.len() < MAX_WRITES {
            self.found.inner.push(Inner {
                text,
                usage,
                language,
                folder: self.folder.clone(),
            });
        } else {
            self.found.gave_up = true;
        }
    }

    /// PowerShell's `@'` … `'@`.
    fn here_string_block(&mut self) -> Word {
        let start = self.at;
        let close = if self.peek(1) == Some(b'"') {
            "\n\"@"
        } else {
            "\n'@"
        };
        let from = self.at + 2;
        let rest = self.text.get(from..).unwrap_or_default();
        let length = rest.find(close).unwrap_or(rest.len());
        self.at = (from + length + close.len()).min(self.bytes.len());
        Word {
            text: rest.get(..length).unwrap_or_default().to_owned(),
            start,
            end: self.at,
            unknown: false,
            quoted: true,
        }
    }

    fn finish(&mut self, simple: &mut Simple) {
        let Simple {
            start,
            words,
            targets,
            here_strings,
            bodies,
        } = std::mem::take(simple);
        simple.start = self.at;
        if words.is_empty() && targets.is_empty() {
            return;
        }
        let range = start..self.at;
        for word in words.iter().chain(&targets).chain(&here_strings) {
            let plain = word.end.saturating_sub(word.start);
            let in_text = plain >= word.text.len()
                && plain <= word.text.len() + 2
                && self
                    .slice(word.start..word.end)
                    .contains(word.text.as_str());
            if word.quoted && !in_text {
                self.found.joined.push((word.text.clone(), range.clone()));
            }
        }
        let first_write = self.found.writes.len();
        for word in &targets {
            self.write(word, None, false, &range);
        }
        let command = self.command(words, &range);
        let write = (self.found.writes.len() > first_write).then_some(first_write);
        for body in bodies {
            let folder = self.folder.clone();
            if let Some(body) = self.found.bodies.get_mut(body) {
                body.write = write;
                body.folder = folder;
                match command {
                    Some(Use::Script) => body.usage = Use::Script,
                    Some(Use::Patch) => body.usage = Use::Patch,
                    _ => {}
                }
            }
        }
        if let Some(usage @ (Use::Script | Use::Patch)) = command {
            for word in here_strings {
                self.add_inner(word.text, usage, Language::Posix);
            }
        }
    }

    /// Notes one written file; with `folder`, the file `word` names below it.
    fn write(&mut self, word: &Word, inside: Option<&Word>, maybe: bool, range: &Range<usize>) {
        if self.found.writes.len() >= MAX_WRITES {
            self.found.gave_up = true;
            return;
        }
        let (mut path, mut unknown) = (word.text.clone(), word.unknown);
        if let Some(folder) = inside {
            path = format!(
                "{}/{}",
                folder.text.trim_end_matches('/'),
                place::name(&path)
            );
            unknown |= folder.unknown;
        }
        // What the shell opens for itself is no file.
        let device = path.starts_with("/dev/") || path.starts_with("/proc/self/fd/");
        let nothing = path.is_empty()
            || matches!(path.as_str(), "-")
            || (!self.posix()
                && (path.eq_ignore_ascii_case("$null") || path.eq_ignore_ascii_case("nul")));
        if device || nothing {
            return;
        }
        let absolute = place::is_absolute(&path);
        let base = if absolute {
            Some("/")
        } else {
            self.folder.as_deref()
        };
        let (path, known) = match base {
            Some(base) if !unknown => {
                let path = if self.posix() {
                    path
                } else {
                    path.replace('\\', "/")
                };
                (place::resolve(base, &path), true)
            }
            _ => (path, false),
        };
        self.found.writes.push(Write {
            path,
            known,
            maybe,
            command: range.clone(),
        });
    }
}

/// Whether `byte` ends a run of plain letters in a word.
const fn ends_plain(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\n'
            | b'\r'
            | b';'
            | b'&'
            | b'|'
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'\''
            | b'"'
            | b'\\'
            | b'`'
            | b'$'
            | b'*'
            | b'?'
            | b'['
    )
}

/// Whether the command is `[[ … ]]`, where `<` and `>` compare.
fn in_test(simple: &Simple) -> bool {
    simple.words.first().is_some_and(|word| word.text == "[[")
        && simple.words.last().is_some_and(|word| word.text != "]]")
}
