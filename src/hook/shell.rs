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

use std::borrow::Cow;
use std::ops::Range;

use super::place;

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
            if super::patch::is_patch(self.slice(range.clone())) {
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
        if self.peek(0) == Some(b'~') && matches!(self.peek(1), None | Some(b'/' | b' ' | b'\n')) {
            if let Some(home) = self.home {
                word.text.push_str(home);
                self.at += 1;
            }
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
                _ => self.plain(&mut word, b" \t\n\r;&|()<>'\"\\`$*?["),
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

    /// Takes the run of bytes up to one of `stops`.
    fn plain(&mut self, word: &mut Word, stops: &[u8]) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| stops.contains(byte))
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
                _ => self.plain(word, b"\"\\`$"),
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
                _ => self.plain(word, b"'\\"),
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

    /// Acts on what a command is known to do. Returns what it does with its input.
    fn command(&mut self, mut words: Vec<Word>, range: &Range<usize>) -> Option<Use> {
        let mut first = 0;
        let mut assigned = Vec::new();
        // Words that stand before a command, and programs that start another.
        loop {
            let word = words.get(first)?;
            if let Some((name, value)) = assignment(word) {
                assigned.push((name.to_owned(), value.to_owned(), word.unknown));
                first += 1;
                if first == words.len() {
                    for (name, value, unknown) in assigned {
                        self.assign(name, value, unknown);
                    }
                    return None;
                }
                continue;
            }
            let skip = match word.text.as_str() {
                "if" | "then" | "else" | "elif" | "do" | "while" | "until" | "!" | "{" | "}"
                | "time" | "coproc" | "command" | "builtin" | "exec" | "nohup" | "fi" | "done"
                | "esac" => 1,
                "export" | "declare" | "local" | "readonly" | "typeset" => 1,
                "busybox" | "setsid" => 1,
                name @ ("env" | "sudo" | "doas" | "nice" | "ionice" | "timeout" | "stdbuf"
                | "xargs" | "chronic") => {
                    1 + options(words.get(first + 1..).unwrap_or_default(), name)
                }
                _ => 0,
            };
            if skip == 0 {
                break;
            }
            first += skip;
        }
        words.drain(..first.min(words.len()));
        let name = words.first()?.text.clone();
        let args: Vec<&Word> = words.iter().skip(1).collect();
        if self.posix() {
            self.program(place::name(&name), &args, range)
        } else {
            self.cmdlet(&name, &args, range)
        }
    }

    fn assign(&mut self, name: String, value: String, unknown: bool) {
        if unknown || value.len() > MAX_VALUE || self.variables.len() >= MAX_VARIABLES {
            self.variables.retain(|(known, _)| *known != name);
        } else {
            self.variables.push((name, value));
        }
    }

    fn program(&mut self, name: &str, args: &[&Word], range: &Range<usize>) -> Option<Use> {
        let files: Vec<&Word> = operands(args, "");
        match name {
            "cd" | "pushd" => {
                self.folder = match (files.first(), self.folder.as_deref()) {
                    (Some(word), base) if !word.unknown && word.text != "-" => {
                        let base = if place::is_absolute(&word.text) {
                            Some("/")
                        } else {
                            base
                        };
                        base.map(|base| place::resolve(base, &word.text))
                    }
                    (None, _) if name == "cd" => self.home.map(str::to_owned),
                    _ => None,
                };
            }
            "popd" => self.folder = None,
            "tee" | "sponge" | "touch" | "truncate" | "shred" | "rm" | "unlink" => {
                let valued = if name == "truncate" {
                    "sr"
                } else if name == "touch" {
                    "drt"
                } else {
                    ""
                };
                for word in operands(args, valued) {
                    self.write(word, None, false, range);
                }
            }
            "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => self.copy(name, args, range),
            "dd" => {
                for word in args {
                    if let Some(path) = word.text.strip_prefix("of=") {
                        let word = Word {
                            text: path.to_owned(),
                            unknown: word.unknown,
                            ..Word::default()
                        };
                        self.write(&word, None, false, range);
                    }
                }
            }
            "sed" | "gsed" | "perl" | "ruby" => self.in_place(args, range),
            "curl" | "wget" => {
                let short = if name == "curl" { "-o" } else { "-O" };
                let long = if name == "curl" {
                    "--output"
                } else {
                    "--output-document"
                };
                for (word, next) in args.iter().zip(args.iter().skip(1)) {
                    if word.text == short || word.text == long {
                        self.write(next, None, false, range);
                    }
                }
            }
            "apply_patch" | "applypatch" => {
                for word in args {
                    if super::patch::is_patch(&word.text) {
                        self.add_inner(word.text.clone(), Use::Patch, Language::Posix);
                    }
                }
                return Some(Use::Patch);
            }
            "eval" => {
                let text: Vec<&str> = args.iter().map(|word| word.text.as_str()).collect();
                self.add_inner(text.join(" "), Use::Script, Language::Posix);
            }
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" => {
                let script = args.iter().position(|word| {
                    word.text == "--command"
                        || (word.text.starts_with('-')
                            && !word.text.starts_with("--")
                            && word.text.contains('c'))
                });
                let script = script.and_then(|at| {
                    args.get(at + 1..)?
                        .iter()
                        .find(|word| !word.text.starts_with('-'))
                });
                if let Some(script) = script {
                    self.add_inner(script.text.clone(), Use::Script, Language::Posix);
                    return Some(Use::Content);
                }
                let reads_input = args
                    .iter()
                    .all(|word| word.text.starts_with('-') || word.text.is_empty());
                return Some(if reads_input {
                    Use::Script
                } else {
                    Use::Content
                });
            }
            "pwsh" | "powershell" | "pwsh.exe" | "powershell.exe" => {
                let script = args.iter().position(|word| {
                    let text = word.text.to_ascii_lowercase();
                    text.len() > 1 && "-command".starts_with(&text)
                });
                if let Some(words) = script.and_then(|at| args.get(at + 1..)) {
                    let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                    self.add_inner(text.join(" "), Use::Script, Language::PowerShell);
                }
            }
            _ => {}
        }
        None
    }

    /// `cp A... B`, `cp -t B A...` and their kin.
    fn copy(&mut self, name: &str, args: &[&Word], range: &Range<usize>) {
        let valued = match name {
            "install" => "mogtS",
            "rsync" => "ef",
            "scp" => "PiFoc",
            _ => "tS",
        };
        let mut folder = None;
        for (at, word) in args.iter().enumerate() {
            if matches!(word.text.as_str(), "-t" | "--target-directory") {
                folder = args.get(at + 1).copied();
            }
        }
        let named = args
            .iter()
            .find_map(|word| word.text.strip_prefix("--target-directory="))
            .map(|path| Word {
                text: path.to_owned(),
                ..Word::default()
            });
        let folder = folder.or(named.as_ref());
        let mut files = operands(args, valued);
        let target = if folder.is_some() { None } else { files.pop() };
        // A move takes the source away.
        if name == "mv" {
            for word in &files {
                self.write(word, None, false, range);
            }
        }
        if let Some(folder) = folder {
            for word in &files {
                self.write(word, Some(folder), false, range);
            }
        } else if let Some(target) = target {
            let into = files.len() > 1
                || target.text.ends_with('/')
                || matches!(target.text.as_str(), "." | "..");
            if !into {
                self.write(target, None, false, range);
            }
            for word in &files {
                self.write(word, Some(target), !into, range);
            }
        }
    }

    /// `sed -i`, `perl -pi -e` and their kin.
    fn in_place(&mut self, args: &[&Word], range: &Range<usize>) {
        let cluster = |word: &Word, letter: char| {
            word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word
                    .text
                    .chars()
                    .skip(1)
                    .take_while(char::is_ascii_alphabetic)
                    .any(|c| c == letter)
        };
        let edits = args
            .iter()
            .any(|word| word.text.starts_with("--in-place") || cluster(word, 'i'));
        if !edits {
            return;
        }
        let mut script_given = false;
        let mut files = Vec::new();
        let mut skip = false;
        for word in args {
            if std::mem::take(&mut skip) {
                continue;
            }
            if word.text.starts_with("--expression") || word.text.starts_with("--file") {
                script_given = true;
                skip = !word.text.contains('=');
            } else if word.text.len() > 1 && word.text.starts_with('-') {
                // `-i.bak` carries a suffix, not letters of other options.
                let letters = word.text.split('i').next().unwrap_or_default();
                let ends = |letter| word.text.ends_with(letter) && !word.text.starts_with("--");
                if ends('e') || ends('f') || ends('E') && letters == "-" {
                    script_given = !ends('E') || script_given;
                    skip = !ends('E');
                } else if letters.contains('e') && word.text.starts_with("-e") {
                    script_given = true;
                }
            } else {
                files.push(*word);
            }
        }
        // The BSD form gives an empty suffix as a word of its own.
        files.retain(|word| !word.text.is_empty());
        for word in files.iter().skip(usize::from(!script_given)) {
            self.write(word, None, false, range);
        }
    }

    fn cmdlet(&mut self, name: &str, args: &[&Word], range: &Range<usize>) -> Option<Use> {
        let name = name.to_ascii_lowercase();
        let keys: &[&str] = match name.as_str() {
            "set-content" | "sc" | "add-content" | "ac" | "out-file" | "tee-object" | "tee"
            | "new-item" | "ni" | "clear-content" | "clc" | "remove-item" | "ri" | "rm" | "del"
            | "export-csv" | "export-clixml" => &["-path", "-literalpath", "-filepath", "-pspath"],
            "copy-item" | "copy" | "cp" | "cpi" | "move-item" | "move" | "mv" | "mi" => {
                &["-destination"]
            }
            "set-location" | "sl" | "cd" | "chdir" | "push-location" | "pushd" => {
                self.folder = match (args.last(), self.folder.as_deref()) {
                    (Some(word), Some(base)) if !word.unknown => {
                        Some(place::resolve(base, &word.text.replace('\\', "/")))
                    }
                    _ => None,
                };
                return None;
            }
            _ => return None,
        };
        let named = args
            .iter()
            .position(|word| keys.contains(&word.text.to_ascii_lowercase().as_str()));
        let positional: Vec<&&Word> = {
            let mut skip = false;
            args.iter()
                .filter(|word| {
                    let option = word.text.starts_with('-') && !word.quoted;
                    let value = std::mem::replace(
                        &mut skip,
                        option && !is_switch(&word.text.to_ascii_lowercase()),
                    );
                    !option && !value
                })
                .collect()
        };
        let place = if keys == ["-destination"] { 1 } else { 0 };
        let word = named
            .and_then(|at| args.get(at + 1))
            .or_else(|| positional.get(place).copied());
        if let Some(word) = word {
            self.write(word, None, false, range);
            if let (1, Some(source)) = (place, positional.first()) {
                self.write(source, Some(word), true, range);
            }
        }
        None
    }
}

/// Whether the command is `[[ … ]]`, where `<` and `>` compare.
fn in_test(simple: &Simple) -> bool {
    simple.words.first().is_some_and(|word| word.text == "[[")
        && simple.words.last().is_some_and(|word| word.text != "]]")
}

/// PowerShell parameters that take no value.
fn is_switch(name: &str) -> bool {
    matches!(
        name,
        "-force"
            | "-append"
            | "-nonewline"
            | "-noclobber"
            | "-recurse"
            | "-passthru"
            | "-verbose"
            | "-whatif"
    )
}

/// `NAME=value`.
fn assignment(word: &Word) -> Option<(&str, &str)> {
    let (name, value) = word.text.split_once('=')?;
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    named.then_some((name, value))
}

/// How many of `args` are options of the program `name` that starts another.
fn options(args: &[Word], name: &str) -> usize {
    let valued: &[&str] = match name {
        "env" => &["-u", "--unset", "-C", "--chdir"],
        "sudo" | "doas" => &[
            "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "--user", "--group",
        ],
        "nice" | "ionice" => &["-n", "-c", "-p"],
        "timeout" => &["-s", "-k", "--signal", "--kill-after"],
        "stdbuf" => &["-i", "-o", "-e"],
        "xargs" => &["-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"],
        _ => &[],
    };
    let mut at = 0;
    while let Some(word) = args.get(at) {
        if !word.text.starts_with('-') || word.text.len() == 1 {
            break;
        }
        at += if valued.contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
    // The first operand of timeout is the time.
    at + usize::from(name == "timeout" && at < args.len())
}

/// The words that are no options. `valued` lists the short options whose value is
/// a word of its own.
fn operands<'w>(args: &[&'w Word], valued: &str) -> Vec<&'w Word> {
    let mut files = Vec::new();
    let mut only_files = false;
    let mut skip = false;
    for word in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        if only_files || !word.text.starts_with('-') || word.text.len() == 1 {
            files.push(*word);
        } else if word.text == "--" {
            only_files = true;
        } else if word.text.starts_with("--") {
            skip = word.text == "--target-directory";
        } else {
            skip = word
                .text
                .chars()
                .next_back()
                .is_some_and(|last| valued.contains(last));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(command: &str) -> Found {
        read(
            command,
            Language::Posix,
            &Start {
                folder: Some("/p".into()),
                home: Some("/h"),
            },
        )
    }

    /// The certain paths a command writes, relative to `/p` where they lie in it.
    fn files(command: &str) -> Vec<String> {
        found(command)
            .writes
            .iter()
            .filter(|write| write.known && !write.maybe)
            .map(|write| {
                write
                    .path
                    .strip_prefix("/p/")
                    .unwrap_or(&write.path)
                    .to_owned()
            })
            .collect()
    }

    #[test]
    fn redirections_write() {
        for (command, want) in [
            ("echo a > f", vec!["f"]),
            ("echo a >> f 2> g", vec!["f", "g"]),
            ("echo a >|f", vec!["f"]),
            ("run &> all", vec!["all"]),
            ("run &>> all", vec!["all"]),
            ("run >& all", vec!["all"]),
            ("run > f 2>&1", vec!["f"]),
            ("run 2>/dev/null >/dev/null", vec![]),
            ("run <> f", vec!["f"]),
            ("cat < f", vec![]),
            ("echo '> f'", vec![]),
            ("echo \"> f\"", vec![]),
            ("echo \\> f", vec![]),
            ("# > f\necho", vec![]),
            ("echo a#b > f", vec!["f"]),
            ("> f", vec!["f"]),
            ("{ echo a; echo b; } > f", vec!["f"]),
            ("( cd sub && echo a > f ); echo b > g", vec!["sub/f", "g"]),
            ("if true; then echo a > f; fi", vec!["f"]),
            ("a=1 run > 'my file.txt'", vec!["my file.txt"]),
            ("echo a > ./x/../f", vec!["f"]),
            ("echo a > /abs/f", vec!["/abs/f"]),
            ("echo a > ~/f", vec!["/h/f"]),
            ("echo a > \"$HOME/f\"", vec!["/h/f"]),
            ("echo a > ${HOME}/f", vec!["/h/f"]),
            ("D=sub; echo a > \"$D/f\"", vec!["sub/f"]),
            ("echo a > \"$UNKNOWN/f\"", vec![]),
            ("echo a > $(mktemp)", vec![]),
            ("x=$(echo a > f)", vec!["f"]),
            ("x=\"$(echo a > f)\"", vec!["f"]),
            ("echo $((1 > 2))", vec![]),
            ("((x > 3)) && echo a > f", vec!["f"]),
            ("[[ a > b ]] && echo a > f", vec!["f"]),
            ("f() { echo a > g; }", vec!["g"]),
            ("diff <(sort a > b) c", vec!["b"]),
            ("run 3> f", vec!["f"]),
            ("run x3> f", vec!["f"]),
            ("cd sub && echo a > f", vec!["sub/f"]),
            ("cd \"$X\" && echo a > f", vec![]),
            ("echo a \\\n  > f", vec!["f"]),
            ("echo a > $'f\\x31'", vec!["f1"]),
            ("a | b > f & c > g", vec!["f", "g"]),
        ] {
            assert_eq!(files(command), want, "{command}");
        }
    }

    #[test]
    fn programs_that_write() {
        for (command, want) in [
            ("echo a | tee -a f g", vec!["f", "g"]),
            ("sed -i s/a/b/ f", vec!["f"]),
            ("sed -i.bak 's/a/b/' f g", vec!["f", "g"]),
            ("sed -i '' s/a/b/ f", vec!["f"]),
            ("sed -i -e s/a/b/ -e s/c/d/ f", vec!["f"]),
            ("sed -ie s/a/b/ f", vec!["f"]),
            ("sed -Ei s/a/b/ f", vec!["f"]),
            ("sed -E -i s/a/b/ f", vec!["f"]),
            ("sed --in-place=.x s/a/b/ f", vec!["f"]),
            ("sed -n 1p f", vec![]),
            ("perl -pi -e 's/a/b/' f", vec!["f"]),
            ("perl -i -pe 's/a/b/' f", vec!["f"]),
            ("perl -e 'print 1' f", vec![]),
            ("dd if=a of=f bs=1", vec!["f"]),
            ("cp a f", vec!["f"]),
            ("cp a b dir/", vec!["dir/a", "dir/b"]),
            ("cp -t dir a", vec!["dir/a"]),
            ("mv a f", vec!["a", "f"]),
            ("install -m 600 a f", vec!["f"]),
            ("ln -sf a f", vec!["f"]),
            ("touch -d now f", vec!["f"]),
            ("truncate -s 0 f", vec!["f"]),
            ("rm -rf f", vec!["f"]),
            ("curl -o f http://x", vec!["f"]),
            ("sudo -u x tee f", vec!["f"]),
            ("env A=1 tee f", vec!["f"]),
            ("A=1 nohup /usr/bin/tee f", vec!["f"]),
            ("timeout -k 1 5 tee f", vec!["f"]),
            ("git commit -m 'rm f'", vec![]),
            ("pan-tools state patch x", vec![]),
        ] {
            assert_eq!(files(command), want, "{command}");
        }
        let maybe = found("cp /tmp/state.md .planning");
        assert!(
            maybe
                .writes
                .iter()
                .any(|write| write.maybe && write.path == "/p/.planning/state.md")
        );
    }

    #[test]
    fn the_body_of_a_here_document_goes_to_its_file() {
        for (command, body, file) in [
            ("cat > f <<'E'\n$(x > g)\nE\necho", "$(x > g)\n", "f"),
            ("cat <<E > f\na\nE", "a\n", "f"),
            ("cat <<-E >f\n\ta\n\tE\n", "\ta\n", "f"),
            ("tee f <<\"E\" && echo\nb\nE", "b\n", "f"),
            ("cat > f <<E\nnever ends", "never ends", "f"),
        ] {
            let found = found(command);
            assert_eq!(found.bodies.len(), 1, "{command}");
            let first = &found.bodies[0];
            assert_eq!(&command[first.range.clone()], body, "{command}");
            let write = &found.writes[first.write.unwrap()];
            assert_eq!(write.path, format!("/p/{file}"), "{command}");
        }
        let two = "cat <<A > f; cat <<B > g\na\nA\nb\nB\nrm h";
        let found = found(two);
        let texts: Vec<_> = found
            .bodies
            .iter()
            .map(|body| &two[body.range.clone()])
            .collect();
        assert_eq!(texts, ["a\n", "b\n"]);
        assert_eq!(files(two), ["f", "g", "h"]);
        assert_eq!(files("cat <<E\n$(echo > f)\nE"), ["f"]);
        assert!(files("cat <<'E'\n$(echo > f)\nE").is_empty());
    }

    #[test]
    fn scripts_and_patches_inside_are_handed_on() {
        let inner = found("cd sub && bash -lc \"echo a > f\"").inner;
        assert_eq!(inner[0].text, "echo a > f");
        assert_eq!(inner[0].folder.as_deref(), Some("/p/sub"));
        assert_eq!(found("sh <<'E'\nrm f\nE").bodies[0].usage, Use::Script);
        assert_eq!(
            found("bash x.sh <<'E'\nrm f\nE").bodies[0].usage,
            Use::Content
        );
        assert_eq!(found("bash <<< 'rm f'").inner[0].text, "rm f");
        assert_eq!(found("echo `rm f`").inner[0].text, "rm f");
        let patch =
            "apply_patch <<'P'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nP\ncurl x";
        assert_eq!(found(patch).bodies[0].usage, Use::Patch);
        let nested = "apply_patch \"$(cat <<'P'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nP\n)\"";
        assert_eq!(found(nested).bodies[0].usage, Use::Patch);
        let given = found("apply_patch '*** Begin Patch\n*** Delete File: a\n*** End Patch'").inner;
        assert_eq!(given[0].usage, Use::Patch);
    }

    #[test]
    fn words_put_together_are_told() {
        let joined = found("echo ab'cd'\"ef\" > f").joined;
        assert_eq!(joined[0].0, "abcdef");
        assert!(found("echo 'plain' \"quoted text\" word").joined.is_empty());
    }

    #[test]
    fn powershell_is_read_its_own_way() {
        let files = |command: &str| -> Vec<String> {
            let start = Start {
                folder: Some("/p".into()),
                home: Some("/h"),
            };
            read(command, Language::PowerShell, &start)
                .writes
                .into_iter()
                .filter(|write| write.known && !write.maybe)
                .map(|write| write.path)
                .collect()
        };
        for (command, want) in [
            ("Set-Content -Path f -Value 'x'", vec!["/p/f"]),
            ("Set-Content f 'x'", vec!["/p/f"]),
            ("'x' | Out-File -FilePath sub\\f -Append", vec!["/p/sub/f"]),
            ("Add-Content -Force -LiteralPath \"f\" x", vec!["/p/f"]),
            ("echo x > f", vec!["/p/f"]),
            ("echo x > $null", vec![]),
            ("@'\n> g\n'@ | Set-Content f", vec!["/p/f"]),
            ("Copy-Item a b", vec!["/p/b"]),
            ("cd sub; ni f", vec!["/p/sub/f"]),
            ("Get-Content f", vec![]),
        ] {
            assert_eq!(files(command), want, "{command}");
        }
    }

    /// A reader that goes over a text more than once would need minutes for these.
    #[test]
    fn hostile_commands_take_linear_time() {
        let started = std::time::Instant::now();
        for piece in [
            "(",
            "$(",
            "`",
            "\"$(",
            "<<E\n",
            "<<E ",
            "${",
            "'",
            "\"",
            "\\",
            ">",
            "a=$a$a;",
            "[[",
            "$((",
            "<(",
            "x=xxxxxxxxxxxxxxxx;x=$x$x;",
            "&>",
            "sh -c '",
            ")",
            "a 'b'c ",
        ] {
            let _ = found(&piece.repeat(200_000));
        }
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }

    proptest! {
        #[test]
        fn no_command_makes_it_panic(command in r#"[a-c é'"\\$(){}<>|&;`\n\t#=~*@!-]{0,80}"#) {
            for language in [Language::Posix, Language::PowerShell] {
                let start = Start { folder: None, home: None };
                let found = read(&command, language, &start);
                for body in &found.bodies {
                    prop_assert!(command.get(body.range.clone()).is_some());
                }
            }
        }
    }
}
