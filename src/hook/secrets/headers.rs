//! Logins in headers, in commands and in netrc files, and signed tokens.

use super::assignments::{self, is_password};
use super::kinds::number;
use super::links;
use super::patterns;
use super::placeholder;
use super::shape::{self, Alphabet, Mix};
use super::{Scan, Sure};

/// The longest part of a signed token that is read.
const LONGEST_JWT_PART: usize = 8192;

/// Looks at `Basic` and what follows it.
pub(super) fn basic(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let from = skip(text, after, b" \"'`+");
    let mut length = Alphabet::BOTH.run(&text[from..], 700);
    scan.worked(length);
    if length < 8 {
        return;
    }
    length += text[from + length..]
        .iter()
        .take(2)
        .take_while(|b| **b == b'=')
        .count();
    let value = &text[from..from + length];
    if placeholder::is_documented(value)
        || !links::is_login(value)
        || scan.is_declared_fake(at, from + length)
    {
        return;
    }
    scan.hit(
        const { number("basic-auth-header") },
        from,
        from + length,
        Sure::Form,
    );
}

/// Looks at `Bearer` and what follows it.
pub(super) fn bearer(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let word = &text[at..after];
    if word.eq_ignore_ascii_case(b"token ") {
        let (before, _) = scan.around(at, at);
        if shape::find_ignore_case(before, b"authorization").is_none() {
            return;
        }
    }
    let from = skip(text, after, b" ");
    let length = text[from..]
        .iter()
        .take(1200)
        .take_while(|b| Alphabet::BOTH.has(**b) || matches!(b, b'.' | b'~' | b'=' | b':' | b'|'))
        .count();
    scan.worked(length);
    let value = &text[from..from + length];
    let mix = Mix::of(value);
    if length >= 16
        && mix.digit > 0
        && mix.letters() > 2
        && shape::entropy(value) >= 300
        && !shape::is_wordy(value)
        && !placeholder::is_made_up(value)
        && !placeholder::is_reference(value)
        && !placeholder::is_documented(value)
        && !is_demo_jwt(value)
        && !scan.is_declared_fake(at, from + length)
    {
        scan.hit(
            const { number("bearer-token") },
            from,
            from + length,
            Sure::Guess,
        );
    }
}

/// Looks at the netrc entry whose `machine` ends at `after`.
pub(super) fn netrc(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let window = &text[after..(after + 400).min(text.len())];
    scan.worked(window.len());
    let mut words = Words {
        text: window,
        at: 0,
    };
    if text[at..].starts_with(b"machine") && words.next().is_none() {
        return;
    }
    let mut user: &[u8] = if text[at..].starts_with(b"default") {
        words.next().map_or(b"", |(_, word)| word)
    } else {
        b""
    };
    for _ in 0..4 {
        let Some((_, key)) = words.next() else {
            return;
        };
        let Some((start, value)) = words.next() else {
            return;
        };
        match key {
            b"login" | b"user" => user = value,
            b"account" => {}
            b"password" | b"passwd" => {
                if user.is_empty() && !scan.path().netrc {
                    return;
                }
                let value = value.trim_ascii_end();
                let length = value
                    .iter()
                    .position(|b| matches!(b, b'"' | b'\'' | b'`') || value.starts_with(b"\\"))
                    .unwrap_or(value.len());
                let value = &value[..length];
                let from = after + start;
                if is_password(value, user) && !scan.is_declared_fake(from, from + length) {
                    scan.hit(
                        const { number("netrc-password") },
                        from,
                        from + length,
                        Sure::Form,
                    );
                }
                return;
            }
            _ => return,
        }
    }
}

struct Words<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Words<'t> {
    /// The next word and where it starts; `\n` written out also ends one.
    fn next(&mut self) -> Option<(usize, &'t [u8])> {
        let text = self.text;
        loop {
            match text.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'\\' if matches!(text.get(self.at + 1), Some(b'n' | b't' | b'r')) => self.at += 2,
                _ => break,
            }
        }
        let start = self.at;
        while let Some(byte) = text.get(self.at) {
            if byte.is_ascii_whitespace()
                || (*byte == b'\\'
                    && matches!(text.get(self.at + 1), Some(b'n' | b't' | b'r' | b'"')))
            {
                break;
            }
            self.at += 1;
        }
        Some((start, &text[start..self.at]))
    }
}

/// Looks at `-u user:password`, `-p password` and the like; the flag is `at..after`.
pub(super) fn command_user(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    if at > 0
        && !matches!(text[at - 1], b' ' | b'\t' | b'"' | b'\'' | b',' | b'\n')
        && text[at] != b' '
    {
        return;
    }
    let flag = text[at..after].trim_ascii();
    let glued =
        flag == b"-p" && text[at] == b' ' && !matches!(text.get(after), Some(b' ' | b'"' | b'\''));
    if text[at] == b' ' && !glued {
        return;
    }
    let (before, _) = scan.around(at, at);
    let runs = |names: &str| {
        names
            .split_ascii_whitespace()
            .any(|name| holds_word(before, name.as_bytes()))
    };
    let from = if matches!(text.get(after - 1), Some(b'"' | b'\'')) {
        after - 1
    } else {
        after
    };
    let (start, end) = argument(text, skip(text, from, b" "));
    scan.worked(end - start + before.len());
    let value = &text[start..end];
    let found = if flag.starts_with(b"-p") || flag == b"-w" || flag == b"-P" {
        let tools = match flag {
            b"-w" => "ldapsearch ldapmodify ldapadd ldapwhoami",
            b"-P" => "zip unzip sqlcmd bcp 7z cqlsh plink tsql isql",
            _ if glued => {
                "mysql mysqldump mysqladmin mariadb mariadb-dump sshpass mongo mongodump mongosh 7z 7za mysqlimport"
            }
            _ => {
                "sshpass login mongo mongosh mongodump mongorestore psexec az lftp influx docker cqlsh clickhouse-client plink pscp"
            }
        };
        runs(tools) && value.len() >= 6 && is_password(value, b"")
    } else if flag == b"-a" && runs("redis-cli") {
        value.len() >= 6 && is_password(value, b"")
    } else {
        runs(
            "curl wget http https xh httpie lftp skopeo podman oras artifactory ab wrk siege smbclient rpcclient net",
        ) && !placeholder::is_reference(value)
            && is_login(value)
    };
    if found && !scan.is_declared_fake(start, end) {
        scan.hit(
            const { number("command-credential") },
            start,
            end,
            Sure::Form,
        );
    }
}

/// Whether `value` is `user:password` (or as some tools write it, with `%` or `,`).
fn is_login(value: &[u8]) -> bool {
    let Some(sign) = value.iter().position(|b| matches!(b, b':' | b'%' | b',')) else {
        return false;
    };
    let (user, password) = (&value[..sign], &value[sign + 1..]);
    let token = password.is_empty()
        && user.len() >= 20
        && !placeholder::is_made_up(user)
        && Mix::of(user).digit > 0;
    token || is_password(password, user)
}

fn holds_word(text: &[u8], word: &[u8]) -> bool {
    let mut from = 0;
    while let Some(found) = shape::find_ignore_case(&text[from..], word) {
        let at = from + found;
        let clear =
            |byte: Option<&u8>| byte.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'_');
        if clear(at.checked_sub(1).and_then(|i| text.get(i))) && clear(text.get(at + word.len())) {
            return true;
        }
        from = at + 1;
    }
    false
}

/// The argument at `from`: quoted, or up to the next blank.
fn argument(text: &[u8], from: usize) -> (usize, usize) {
    let quote = text.get(from).copied().unwrap_or(b' ');
    let quoted = matches!(quote, b'"' | b'\'');
    let start = if quoted { from + 1 } else { from };
    let length = text
        .get(start..)
        .unwrap_or_default()
        .iter()
        .take(400)
        .take_while(|b| {
            if quoted {
                **b != quote && **b != b'\n'
            } else {
                !b.is_ascii_whitespace()
                    && !matches!(b, b'"' | b'\'' | b'`' | b'\\' | b';' | b'|' | b'>')
            }
        })
        .count();
    (start.min(text.len()), (start + length).min(text.len()))
}

/// Looks at ` --name value` or ` -name value`, whose blank is at `at`.
pub(super) fn command_flag(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    let dashes = text[at + 1..]
        .iter()
        .take(2)
        .take_while(|b| **b == b'-')
        .count();
    let from = at + 1 + dashes;
    let length = text[from..]
        .iter()
        .take(40)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        .count();
    scan.worked(length);
    if length < 3 || text.get(from + length) != Some(&b' ') {
        return;
    }
    let value = skip(text, from + length, b" ");
    if text.get(value).is_some_and(|b| *b != b'-') {
        assignments::argument(scan, from, from + length, value);
    }
}

/// Looks at a signed JSON web token whose header starts at `at`.
pub(super) fn jwt(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    if at > 0 && Alphabet::URL.has(text[at - 1]) && !patterns::follows_escape(text, at) {
        return;
    }
    let header = Alphabet::URL.run(&text[at..], LONGEST_JWT_PART);
    scan.worked(header);
    if header < 16 || text.get(at + header) != Some(&b'.') {
        return;
    }
    let second = at + header + 1;
    let payload = Alphabet::URL.run(&text[second..], LONGEST_JWT_PART);
    scan.worked(payload);
    if payload < 8 || text.get(second + payload) != Some(&b'.') {
        return;
    }
    let third = second + payload + 1;
    let signature = Alphabet::URL.run(&text[third..], LONGEST_JWT_PART);
    scan.worked(signature + header + payload);
    let end = third + signature;
    let whole = &text[at..end];
    if signature < 20
        || !is_jwt(&text[at..at + header])
        || is_demo_jwt(whole)
        || placeholder::is_made_up(&text[third..end])
        || scan.is_declared_fake(at, end)
    {
        return;
    }
    let claims = shape::decode64(&text[second..second + payload], 1024).unwrap_or_default();
    let holds = |word: &[u8]| claims.windows(word.len()).any(|here| here == word);
    if holds(b"\"supabase") && holds(b"\"anon\"") {
        return;
    }
    let kind = if holds(b"service_role") {
        const { number("supabase-key") }
    } else {
        const { number("json-web-token") }
    };
    scan.hit(kind, at, end, Sure::Token);
}

fn is_jwt(header: &[u8]) -> bool {
    shape::decode64(header, 512).is_some_and(|json| {
        let json = json.trim_ascii();
        let holds = |word: &[u8]| json.windows(word.len()).any(|here| here == word);
        json.first() == Some(&b'{') && holds(b"\"alg\"") && !holds(b"\"none\"")
    })
}

/// The token that every page about them shows: John Doe, number 1234567890.
fn is_demo_jwt(token: &[u8]) -> bool {
    let Some(payload) = token.split(|b| *b == b'.').nth(1) else {
        return false;
    };
    shape::decode64(payload, 1024).is_some_and(|json| {
        let holds = |word: &[u8]| json.windows(word.len()).any(|here| here == word);
        holds(b"John Doe")
            || holds(b"1234567890\"")
            || holds(b"supabase-demo")
            || holds(b"Jane Doe")
    })
}

fn skip(text: &[u8], from: usize, over: &[u8]) -> usize {
    let from = from.min(text.len());
    from + text[from..]
        .iter()
        .take(8)
        .take_while(|b| over.contains(b))
        .count()
}
