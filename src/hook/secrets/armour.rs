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
    body(scan, "private-key", at, after + label + dashes);
}

/// Looks at the private lines of a PuTTY key.
pub(super) fn putty(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let digits = text[after..]
        .iter()
        .take(6)
        .take_while(|b| b.is_ascii_digit() || **b == b' ')
        .count();
    if digits > 0 {
        body(scan, "private-key", at, after + digits);
    }
}

/// Finds the body of a key after its header, over line ends as they are or as
/// escapes, quotes, comment signs and header lines.
fn body(scan: &mut Scan<'_>, _id: &str, at: usize, from: usize) {
    let text = scan.text;
    let limit = (from + LONGEST_BODY).min(text.len());
    let mut here = from;
    let mut total = 0;
    let mut first: Option<&[u8]> = None;
    let mut junk = 0;
    while here < limit {
        if text[here] == b'\\' {
            // An escape is two bytes: the letter after it is not of the key.
            here += 2;
            junk += 2;
        } else {
            let run = Alphabet::BASE64.run(&text[here..limit], limit);
            if run > 0 && text.get(here + run) == Some(&b':') && total == 0 {
                // A header line: over it.
                let line = text[here..limit]
                    .iter()
                    .position(|b| *b == b'\n')
                    .or_else(|| text[here..limit].windows(2).position(|w| w == b"\\n"));
                let Some(line) = line else { break };
                here += line;
                junk = 0;
            } else if run > 3 || (run > 0 && total > 0 && junk < 8) {
                if run >= 16 && first.is_none() {
                    first = Some(&text[here..here + run.min(64)]);
                }
                if first.is_none() && run < 16 && total > 0 {
                    break;
                }
                total += run;
                junk = 0;
                here += run;
            } else if matches!(
                text[here],
                b'-' | b'.' | b'<' | b'$' | b'{' | b'*' | b'[' | b'(' | b';'
            ) && total > 0
            {
                break;
            } else {
                here += run.max(1);
                junk += run.max(1);
            }
        }
        if junk > 96 {
            break;
        }
    }
    scan.worked(here - from);
    scan.armour_end = here;
    if total < SHORTEST_BODY
        || first.is_none_or(placeholder::is_made_up)
        || scan.is_declared_fake(at, from)
    {
        return;
    }
    let end = here.min(text.len());
    scan.hit(const { number("private-key") }, at, end, Sure::Token);
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
    let around = &text[at.saturating_sub(1500)..(from + length + 1500).min(text.len())];
    scan.worked(around.len());
    let value = &text[from..from + length];
    let named = around
        .windows(4)
        .any(|w| w == b"kty\"" || w == b"kty\\" || w == b"kty'");
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
