//! Links and connection strings that carry a password.

use super::assignments::is_password;
use super::kinds::number;
use super::placeholder;
use super::shape::{self, Mix};
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
    signed(scan, at);
    let from = at + 3;
    let mut end = from;
    let mut host = None;
    while end < text.len() && end - from < LONGEST_AUTHORITY {
        match text[end] {
            b'/' | b'?' | b'#' if host.is_some() || !text[from..end].contains(&b':') => break,
            // A password may hold these raw; then its `@` still comes in the same word.
            b'/' => break,
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|'
            | b',' => break,
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

/// Looks for the signature in the query of the link whose `://` is at `at`.
fn signed(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    let end = at
        + text[at..]
            .iter()
            .take(2048)
            .take_while(|b| {
                b.is_ascii_graphic() && !matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
            })
            .count();
    let Some(query) = text[at..end].iter().position(|b| *b == b'?') else {
        scan.worked(end - at);
        return;
    };
    scan.worked((end - at) * 2);
    let query = at + query;
    let mut known = 0_u8;
    let mut signature = None;
    let mut from = query + 1;
    for pair in text[query + 1..end].split(|b| *b == b'&' || *b == b';') {
        let start = from;
        from += pair.len() + 1;
        let Some(equals) = pair.iter().position(|b| *b == b'=') else {
            continue;
        };
        let (name, value) = (&pair[..equals], &pair[equals + 1..]);
        let name = name.strip_prefix(b"amp").map_or(name, |_| name);
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        if is("sv")
            || is("se")
            || is("sp")
            || is("key-pair-id")
            || is("awsaccesskeyid")
            || is("googleaccessid")
            || is("ossaccesskeyid")
            || is("expires")
            || is("api-version")
            || is("skn")
            || is("sr")
            || is("accessid")
            || is("x-oss-credential")
        {
            known += 1;
        }
        let enough = value.len() >= 20 && Mix::of(value).letters() >= 6;
        if enough && (is("sig") || is("signature") || is("x-oss-signature")) {
            signature = Some((start + equals + 1, start + pair.len()));
        }
    }
    if let Some((start, end)) = signature.filter(|_| known >= 1) {
        let value = &text[start..end];
        if !placeholder::is_reference(value)
            && !placeholder::is_made_up(value)
            && !scan.is_declared_fake(start, end)
        {
            scan.hit(const { number("signed-link") }, start, end, Sure::Token);
        }
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
    let settings = "server= data_source= datasource= host= hostname= user_id= userid= uid= username= user= jdbc: driver= dbname= database= initial_catalog= addr= addrs= endpoint= port= account= bootstrap.servers sslmode= dsn= loginmodule";
    let mut count = 0;
    for part in [before, after] {
        for word in settings.split_ascii_whitespace() {
            let mut spaced = [0_u8; 24];
            for (to, from) in spaced.iter_mut().zip(word.bytes()) {
                *to = if from == b'_' { b' ' } else { from };
            }
            if shape::find_ignore_case(part, &spaced[..word.len()]).is_some() {
                count += 1;
            }
        }
    }
    count >= 1
}

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
