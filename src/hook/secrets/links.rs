//! Links and connection strings that carry a password.

use super::assignments::is_password;
use super::kinds::number;
use super::placeholder;
use super::shape::{self, Alphabet, Mix};
use super::{Scan, Sure};

/// The longest authority of a URL that is read.
const LONGEST_AUTHORITY: usize = 400;

/// Looks at the URL whose `://` is at `at`.
pub(super) fn url(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    let Some(b) = at.checked_sub(1).map(|i| text[i]) else {
        return;
    };
    if !b.is_ascii_alphanumeric() {
        return;
    }
    let from = at + 3;
    let mut end = from;
    let mut host = None;
    while end < text.len() && end - from < LONGEST_AUTHORITY {
        match text[end] {
            // A password may hold these raw; then its `@` still comes in the same word.
            b'/' | b'?' | b'#' if host.is_some() || !is_in_password(&text[from..end]) => break,
            b'\\'
                if !text.get(end + 1).is_some_and(u8::is_ascii_alphanumeric)
                    || matches!(text[end + 1], b'n' | b'r' | b't') =>
            {
                break;
            }
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b',' => break,
            b'@' => host = Some(end),
            _ => {}
        }
        end += 1;
    }
    scan.worked(end - from);
    let Some(host) = host else {
        return;
    };
    let info = &text[from..host];
    if text[host + 1..end].is_empty() || text[host + 1..].starts_with(b"sha256:") {
        return;
    }
    let found = match info.iter().position(|b| *b == b':') {
        Some(colon) => {
            let (user, password) = (&info[..colon], &info[colon + 1..]);
            !placeholder::is_reference(&text[from..from + user.len().max(1)])
                && is_password(password, user)
                || (password.is_empty() && is_token(user))
                || (is_token(user) && matches!(password, b"x-oauth-basic" | b"x" | b"X"))
        }
        None => {
            is_token(info)
                && shape::find_ignore_case(&text[host..end], b"ingest").is_none()
                && shape::find_ignore_case(&text[host..end], b"sentry").is_none()
        }
    };
    if found && !scan.is_declared_fake(from, host) {
        scan.hit(const { number("credential-url") }, from, host, Sure::Form);
    }
}

/// Whether what was read of an authority is a user and the start of a password,
/// not a host and its port.
fn is_in_password(read: &[u8]) -> bool {
    read.iter().position(|b| *b == b':').is_some_and(|colon| {
        let password = &read[colon + 1..];
        !password.is_empty()
            && !password.iter().all(u8::is_ascii_digit)
            && !password.contains(&b'/')
    })
}

/// Whether a user name is really a token.
fn is_token(user: &[u8]) -> bool {
    let mix = Mix::of(user);
    user.len() >= 20
        && mix.digit > 0
        && mix.letters() > 3
        && mix.symbol == 0
        && !placeholder::is_reference(user)
        && !placeholder::is_made_up(user)
        && shape::entropy(user) >= 300
}

/// Looks at the signature of a link or of shared access, whose `sig=` is `at..after`.
pub(super) fn signature(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let Some(before) = at.checked_sub(1).map(|i| text[i]) else {
        return;
    };
    if !matches!(before, b'?' | b'&' | b';' | b' ') {
        return;
    }
    let length = text[after..]
        .iter()
        .take(1200)
        .take_while(|b| Alphabet::BOTH.has(**b) || matches!(b, b'%' | b'=' | b'~'))
        .count();
    scan.worked(length);
    let value = &text[after..after + length];
    if length < 20 || Mix::of(value).letters() < 6 {
        return;
    }
    // What a signature signs stands beside it; `sig` alone says nothing.
    let (left, right) = scan.around(at, after + length);
    let signs = "sv= se= sp= sr= skn= key-pair-id= accesskeyid= accessid= expires= api-version= x-oss-credential=";
    let known = signs.split_ascii_whitespace().any(|sign| {
        [left, right]
            .iter()
            .any(|part| shape::find_ignore_case(part, sign.as_bytes()).is_some())
    });
    if known && !placeholder::is_made_up(value) && !scan.is_declared_fake(after, after + length) {
        scan.hit(
            const { number("signed-link") },
            after,
            after + length,
            Sure::Token,
        );
    }
}

/// Looks at `jdbc:oracle:thin:user/password@…`, read up to `after`.
pub(super) fn oracle(scan: &mut Scan<'_>, after: usize) {
    let text = scan.text;
    let length = text[after..]
        .iter()
        .take(200)
        .take_while(|b| b.is_ascii_graphic() && !matches!(b, b'@' | b'"' | b'\''))
        .count();
    scan.worked(length);
    let login = &text[after..after + length];
    let Some(slash) = login.iter().position(|b| *b == b'/') else {
        return;
    };
    if text.get(after + length) == Some(&b'@')
        && is_password(&login[slash + 1..], &login[..slash])
        && !scan.is_declared_fake(after, after + length)
    {
        scan.hit(
            const { number("connection-string") },
            after,
            after + length,
            Sure::Form,
        );
    }
}

/// Whether the rest of the line around a password is a list of connection settings.
pub(super) fn is_connection_string(before: &[u8], after: &[u8]) -> bool {
    // The password must stand in the list: `=` right before it, and on its other
    // side or before it another setting.
    if before
        .last()
        .is_none_or(|b| !matches!(b, b'=' | b'\'' | b'"' | b'{'))
    {
        return false;
    }
    [before, after].iter().any(|part| {
        let mut start = 0;
        part.iter().enumerate().any(|(at, byte)| match byte {
            b'=' | b':' => {
                let word = part[start..at].trim_ascii();
                let word = &word[word.len().saturating_sub(24)..];
                // Their last two letters tell most words from settings at once.
                let tail = word
                    .last_chunk::<2>()
                    .map(|two| two.map(|b| b.to_ascii_lowercase()));
                let may_be = tail.is_some_and(|tail| {
                    b"er ce st me id se og dr rs nt rt de sl sn ct bc"
                        .split(|b| *b == b' ')
                        .any(|end| *end == tail)
                });
                may_be
                    && SETTINGS.split(',').any(|setting| {
                        let from = word.len().saturating_sub(setting.len());
                        word[from..].eq_ignore_ascii_case(setting.as_bytes())
                            && from
                                .checked_sub(1)
                                .is_none_or(|i| !word[i].is_ascii_alphabetic())
                    })
            }
            b';' | b'"' | b'\'' | b'&' | b'?' => {
                start = at + 1;
                false
            }
            _ => false,
        })
    })
}

/// What else a connection string sets.
const SETTINGS: &str = "server,data source,datasource,host,hostname,user id,userid,uid,username,user,jdbc,driver,dbname,database,databasename,initial catalog,addr,addrs,endpoint,port,account,bootstrap.servers,sslmode,ssl,dsn,abortconnect,provider";

/// Whether `text` is base64 of `user:password`, and the password is not a stand-in.
pub(super) fn is_login(text: &[u8]) -> bool {
    let Some(login) = shape::decode64(text, 512) else {
        return false;
    };
    if login.len() < 5 || !login.iter().all(|b| (0x20..0x7f).contains(b)) {
        return false;
    }
    let Some(colon) = login.iter().position(|b| *b == b':') else {
        return false;
    };
    let (user, password) = (&login[..colon], &login[colon + 1..]);
    if password.len() < 2 {
        return is_token(user);
    }
    (is_password(password, user) && !placeholder::is_reference(&[user, b" "].concat()))
        || is_token(user)
}
