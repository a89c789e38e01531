//! Finds secrets by their shape in a text that is about to be written.
//!
//! One pass over the bytes: a table of byte pairs says where a closer look may
//! be worth its time (`patterns`), the readers below look, and what is made up,
//! refers to a store or is declared a fake is dropped (`placeholder`). A field's
//! name alone is never a secret.
//!
//! Nothing here reads a file, keeps the matched text or shows it: a finding is a
//! kind and a place.
//!
//! Where a new kind goes: see [`KINDS`].

mod armour;
mod assignments;
#[cfg(test)]
mod corpus;
mod headers;
mod kinds;
mod links;
mod manifests;
mod names;
mod normal;
mod patterns;
mod placeholder;
mod shape;
#[cfg(test)]
mod tests;
mod vendors;

pub use kinds::{KINDS, Kind};

use patterns::{Look, Pattern};

/// How many findings of one text are reported at most.
pub const MOST_FINDINGS: usize = 64;

/// One secret in a text: what it is and where, never what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The id of its kind, one of [`KINDS`].
    pub kind: &'static str,
    /// Its line, from 1.
    pub line: usize,
    /// The byte of the text at which it starts.
    pub start: usize,
    /// The byte of the text after its last.
    pub end: usize,
}

/// What is known of the place a text goes to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The file, absolute or not, with any separators. It helps where only the
    /// file says what a value is; it never silences a vendor's token.
    pub path: Option<&'a str>,
}

/// The secrets in `text`, by place, at most [`MOST_FINDINGS`].
pub fn scan(text: &str, context: &Context<'_>) -> Vec<Finding> {
    match normal::normal(text) {
        None => {
            let hits = Scan::new(text.as_bytes(), context).run();
            findings(text, hits)
        }
        Some(normal) => {
            let mut hits = Scan::new(&normal.text, context).run();
            for hit in &mut hits {
                (hit.start, hit.end) = normal.original(hit.start, hit.end, text);
            }
            findings(text, hits)
        }
    }
}

fn findings(text: &str, mut hits: Vec<Hit>) -> Vec<Finding> {
    hits.sort_by_key(|hit| hit.start);
    let mut line = 1;
    let mut counted = 0;
    hits.into_iter()
        .map(|hit| {
            line += text
                .get(counted..hit.start)
                .map_or(0, |part| part.matches('\n').count());
            counted = hit.start;
            Finding {
                kind: KINDS.get(usize::from(hit.kind)).map_or("secret", Kind::id),
                line,
                start: hit.start,
                end: hit.end,
            }
        })
        .collect()
}

/// How sure a reader is: of two hits on the same bytes the surer is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sure {
    /// A value judged by how random it is, and its name.
    Guess,
    /// A form with a place for a password (URL, header, connection string).
    Form,
    /// A vendor's token or a private key.
    Token,
}

struct Hit {
    kind: u8,
    start: usize,
    end: usize,
    sure: Sure,
}

/// How far to either side of a value its line is read.
const LINE_REACH: usize = 300;

/// One pass over one text.
struct Scan<'t> {
    text: &'t [u8],
    /// Where the text goes. What that says is worked out when a value is doubtful.
    target: Option<&'t str>,
    path: std::cell::OnceCell<PathKind>,
    hits: Vec<Hit>,
    /// Up to where Kubernetes documents, private keys and tokens were already read.
    manifest_end: usize,
    armour_end: usize,
    /// The last bare value that was judged: where it starts and ends.
    judged: (usize, usize),
    /// Up to where the members of a JSON web key were searched, and whether it is one.
    jwk: (usize, bool),
    /// Bytes looked at, counted by tests only.
    #[cfg(test)]
    work: std::cell::Cell<usize>,
}

/// What the name of the file says about values that are only guessed at.
#[derive(Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four answers that do not exclude each other"
)]
struct PathKind {
    /// A translation or a lock file: values are text or hashes.
    quiet: bool,
    /// An example, a test or a document: a guess needs more.
    strict: bool,
    netrc: bool,
    passwords: bool,
}

impl PathKind {
    fn of(path: Option<&str>) -> Self {
        let Some(path) = path else {
            return Self::default();
        };
        let path = path.as_bytes();
        let name = path
            .rsplit(|b| matches!(b, b'/' | b'\\'))
            .next()
            .unwrap_or_default();
        let holds = |word: &str| shape::find_ignore_case(path, word.as_bytes()).is_some();
        let is = |word: &str| name.eq_ignore_ascii_case(word.as_bytes());
        let ends = |word: &str| {
            name.len() >= word.len()
                && name[name.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
        };
        Self {
            quiet: [
                "locale",
                "i18n",
                "l10n",
                "translation",
                "/lang/",
                "/langs/",
                "/languages/",
                ".lproj/",
                "messages_",
                "/messages/",
            ]
            .iter()
            .any(|word| holds(word))
                || [
                    "package-lock.json",
                    "yarn.lock",
                    "pnpm-lock.yaml",
                    "cargo.lock",
                    "poetry.lock",
                    "composer.lock",
                    "gemfile.lock",
                    "go.sum",
                    "uv.lock",
                    "pipfile.lock",
                    "npm-shrinkwrap.json",
                    "bun.lock",
                    "flake.lock",
                    "packages.lock.json",
                ]
                .iter()
                .any(|word| is(word))
                || [
                    ".po", ".pot", ".strings", ".xlf", ".xliff", ".arb", ".resx", ".lock",
                    ".min.js", ".map", ".svg",
                ]
                .iter()
                .any(|word| ends(word)),
            strict: [
                "example",
                "sample",
                ".template",
                ".dist",
                ".tmpl",
                "fixture",
                "/test/",
                "/tests/",
                "__tests__",
                "/spec/",
                ".test.",
                ".spec.",
                "_test.",
                "/mocks/",
                "/testdata/",
            ]
            .iter()
            .any(|word| holds(word)),
            netrc: is(".netrc") || is("_netrc") || ends("netrc"),
            passwords: ends("htpasswd") || is("shadow") || ends(".passwd"),
        }
    }
}

impl<'t> Scan<'t> {
    fn new(text: &'t [u8], context: &Context<'t>) -> Self {
        Self {
            text,
            target: context.path,
            path: std::cell::OnceCell::new(),
            hits: Vec::new(),
            manifest_end: 0,
            armour_end: 0,
            jwk: (0, false),
            judged: (0, 0),
            #[cfg(test)]
            work: std::cell::Cell::new(0),
        }
    }

    /// What the name of the file says.
    fn path(&self) -> &PathKind {
        self.path.get_or_init(|| PathKind::of(self.target))
    }

    fn run(mut self) -> Vec<Hit> {
        self.pass();
        self.hits
    }

    fn pass(&mut self) {
        let text = self.text;
        let mut at = 0;
        while let Some(&[first, second]) = text.get(at..at + 2) {
            if patterns::may_be(first, second) {
                self.look(at, first, second);
                if self.hits.len() >= MOST_FINDINGS {
                    return;
                }
            }
            at += 1;
        }
    }

    fn look(&mut self, at: usize, first: u8, second: u8) {
        self.worked(8);
        match first {
            b'=' | b':' => assignments::sign(self, at),
            b'>' => assignments::element(self, at),
            _ => {}
        }
        for row in patterns::rows(first, second) {
            self.worked(2);
            if self.text[at..].starts_with(row.literal()) {
                self.try_row(row, at);
            }
        }
    }

    fn try_row(&mut self, row: &Pattern, at: usize) {
        let after = at + row.literal().len();
        match row.look {
            Look::Token | Look::Named | Look::Plain | Look::OpenAi => self.token(row, at),
            Look::Url => links::url(self, at),
            Look::Signature => links::signature(self, at, after),
            Look::OracleLogin => links::oracle(self, after),
            Look::Armour => armour::pem(self, at, after),
            Look::Putty => armour::putty(self, at, after),
            Look::EncodedArmour => armour::encoded(self, at),
            Look::Jwt => headers::jwt(self, at),
            Look::Basic => headers::basic(self, at, after),
            Look::Bearer => headers::bearer(self, at, after),
            Look::Netrc => headers::netrc(self, at, after),
            Look::CommandUser => headers::command_user(self, at, after),
            Look::CommandFlag => headers::command_flag(self, at),
            Look::QuotedPair => assignments::quoted_pair(self, at),
            Look::QuotedCall => assignments::quoted_call(self, at),
            Look::Jwk => armour::jwk(self, at, after),
            Look::XmlKey => armour::xml(self, at, after),
            Look::KubernetesSecret => manifests::kubernetes(self, at),
            Look::Environment => assignments::spaced(self, at, after),
            Look::Sql => assignments::sql(self, after),
            Look::PasswordFile => manifests::password_file(self, at),
        }
    }

    /// A token with a fixed start.
    fn token(&mut self, row: &Pattern, at: usize) {
        let Some(token) = row.find(self.text, at) else {
            return;
        };
        self.worked(token.end - token.start);
        let whole = &self.text[token.start..token.end];
        let body = &self.text[token.body..token.end];
        if row.look == Look::OpenAi && !whole.windows(8).any(|w| w == b"T3BlbkFJ") {
            return;
        }
        if placeholder::is_documented(whole)
            || (row.look != Look::Plain && placeholder::is_made_up(body))
            || (row.look == Look::Plain && shape::distinct(body) < 10)
        {
            return;
        }
        if row.look == Look::Named
            && !vendors::line_names(self.around(token.start, token.end), row.kind)
        {
            return;
        }
        let sure = shape::has_crc62(body);
        if !sure && self.is_declared_fake(token.start, token.end) {
            return;
        }
        self.hit(row.kind, token.start, token.end, Sure::Token);
    }

    /// Records a hit, unless a surer one covers the same bytes.
    fn hit(&mut self, kind: u8, start: usize, end: usize, sure: Sure) {
        let mut other = self.hits.len();
        while let Some(before) = other.checked_sub(1) {
            let hit = &self.hits[before];
            if hit.start < end && start < hit.end {
                if hit.sure >= sure {
                    return;
                }
                self.hits.remove(before);
            }
            other = before;
        }
        self.hits.push(Hit {
            kind,
            start,
            end,
            sure,
        });
    }

    /// Whether `start..end` overlaps a hit.
    fn is_hit(&self, start: usize, end: usize) -> bool {
        self.hits
            .iter()
            .any(|hit| hit.start < end && start < hit.end)
    }

    /// The line around `start..end`, at most [`LINE_REACH`] bytes to either side.
    fn around(&self, start: usize, end: usize) -> (&'t [u8], &'t [u8]) {
        let text: &'t [u8] = self.text;
        let from = start.saturating_sub(LINE_REACH);
        let before = &text[from..start];
        let before = before
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(before, |at| &before[at + 1..]);
        let to = (end + LINE_REACH).min(text.len());
        let after = &text[end.min(to)..to];
        let after = after
            .iter()
            .position(|b| *b == b'\n')
            .map_or(after, |at| &after[..at]);
        self.worked(before.len() + after.len());
        (before, after)
    }

    fn is_declared_fake(&self, start: usize, end: usize) -> bool {
        let (before, after) = self.around(start, end);
        placeholder::is_declared_fake(before, after)
    }

    #[cfg(test)]
    fn worked(&self, bytes: usize) {
        self.work.set(self.work.get() + bytes);
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "counts in tests only")]
    const fn worked(&self, _bytes: usize) {}
}
