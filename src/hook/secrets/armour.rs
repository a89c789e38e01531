//! Private keys in their armours.

use super::kinds::number;
use super::placeholder;
use super::shape::{self, Alphabet};
use super::{Scan, Sure};

/// How much of a key's body must follow its header. A header alone is code or
/// prose that speaks of keys.
const SHORTEST_BODY: usize = 40;
const LONGEST_BODY: usize = 16 * 1024;

/// Looks at `-----BEGIN …`, whose label starts at `after`.
pub(super) fn pem(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    if at < scan.armour_end {
        return;
    }
    let label = text[after..]
        .iter()
        .take(64)
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(b, b' ' | b'_'))
        .count();
    scan.worked(label);
    let words = text[after..after + label].trim_ascii();
    let dashes = text[after + label..]
        .iter()
        .take(6)
        .take_while(|b| **b == b'-')
        .count();
    if dashes < 4 || !(words.ends_with(b"PRIVATE KEY") || words.ends_with(b"PRIVATE KEY BLOCK")) {
        return;
    }
    body(scan, at, after + label + dashes);
}

/// Looks at the private lines of a PuTTY key.
pub(super) fn putty(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    if at < scan.armour_end {
        return;
    }
    let digits = text[after..]
        .iter()
        .take(6)
        .take_while(|b| b.is_ascii_digit() || **b == b' ')
        .count();
    if digits > 0 {
        body(scan, at, after + digits);
    }
}

/// Finds the body of a key after its header, over line ends as they are or as
/// escapes, quotes, comment signs and header lines.
fn body(scan: &mut Scan<'_>, at: usize, from: usize) {
    let text = scan.text;
    let limit = (from + LONGEST_BODY).min(text.len());
    let mut here = from;
    let mut total = 0;
    let mut random = false;
    let mut junk = 0;
    while here < limit && junk <= 96 {
        if text[here] == b'\\' {
            // An escape is two bytes: the letter after it is not of the key.
            here += 2;
            junk += 2;
            continue;
        }
        if total == 0
            && let Some(length) = header_line(&text[here..limit])
        {
            here += length;
            junk = 0;
            continue;
        }
        let run = Alphabet::BASE64.run(&text[here..limit], limit);
        if run >= 16 || (run > 3 && total > 0) {
            random =
                random || (run >= 16 && !placeholder::is_made_up(&text[here..here + run.min(64)]));
            total += run;
            junk = 0;
        } else if total > 0
            && (run > 3
                || matches!(
                    text[here],
                    b'-' | b'.' | b'<' | b'$' | b'{' | b'*' | b'[' | b'(' | b';'
                ))
        {
            break;
        } else {
            junk += run.max(1);
        }
        here += run.max(1);
    }
    let end = here.min(text.len());
    scan.worked(end - from);
    scan.armour_end = end;
    if total >= SHORTEST_BODY && random && !scan.is_declared_fake(at, from) {
        scan.hit(const { number("private-key") }, at, end, Sure::Token);
    }
}

/// The length of a header line (`Proc-Type: 4,ENCRYPTED`) that starts here.
fn header_line(text: &[u8]) -> Option<usize> {
    let name = text
        .iter()
        .take(24)
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'-')
        .count();
    if name < 4 || text.get(name) != Some(&b':') {
        return None;
    }
    text.iter()
        .take(200)
        .position(|b| *b == b'\n')
        .or_else(|| text.windows(2).take(200).position(|w| w == b"\\n"))
}

/// Looks at base64 that starts like an armour does.
pub(super) fn encoded(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    if at < scan.armour_end {
        return;
    }
    let length = Alphabet::BOTH.run(&text[at..], LONGEST_BODY);
    scan.worked(length);
    scan.armour_end = at + length;
    if length < 100 {
        return;
    }
    let head = shape::decode64(&text[at..at + length.min(200)], 96).unwrap_or_default();
    let private = head.windows(12).any(|w| w == b"PRIVATE KEY-");
    if private && !scan.is_declared_fake(at, at + length) {
        scan.hit(
            const { number("private-key-base64") },
            at,
            at + length,
            Sure::Token,
        );
    }
}

/// Looks at the member `d` of a JSON web key.
pub(super) fn jwk(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let skipped = text[after..]
        .iter()
        .take(12)
        .take_while(|b| matches!(b, b' ' | b':' | b'"' | b'\'' | b'\\' | b'\n' | b'\t'))
        .count();
    let from = after + skipped;
    let length = Alphabet::URL.run(&text[from..], 1400);
    scan.worked(length + skipped);
    if length < 42 {
        return;
    }
    let value = &text[from..from + length];
    // What lies around is searched once for all members near each other.
    let (searched, mut named) = scan.jwk;
    if searched < from + length || searched == 0 {
        let end = (from + length + 2000).min(text.len());
        let around = &text[at.saturating_sub(1500)..end];
        scan.worked(around.len());
        named = around
            .windows(4)
            .any(|w| w == b"kty\"" || w == b"kty\\" || w == b"kty'");
        scan.jwk = (end, named);
    }
    if named && !placeholder::is_made_up(value) && !scan.is_declared_fake(from, from + length) {
        scan.hit(
            const { number("private-jwk") },
            from,
            from + length,
            Sure::Token,
        );
    }
}

/// Looks at the private exponent of an RSA key written as XML.
pub(super) fn xml(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let length = Alphabet::BASE64.run(&text[after..], 1400);
    scan.worked(length);
    if length >= 80
        && !placeholder::is_made_up(&text[after..after + 64])
        && !scan.is_declared_fake(at, after + length)
    {
        scan.hit(
            const { number("private-key-xml") },
            at,
            after + length,
            Sure::Token,
        );
    }
}
