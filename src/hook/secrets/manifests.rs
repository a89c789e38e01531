//! Files whose form says what a value is: Kubernetes secrets, password files.

use super::assignments::is_password;
use super::kinds::number;
use super::names::{self, Naming};
use super::placeholder;
use super::shape::{self, Alphabet, Mix};
use super::{Context, Scan, Sure};

const LONGEST_DOCUMENT: usize = 32 * 1024;

/// Looks at the document that says at `at` that it is a Kubernetes secret.
pub(super) fn kubernetes(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    if at < scan.manifest_end {
        return;
    }
    let from = at
        .saturating_sub(LONGEST_DOCUMENT / 4)
        .max(scan.manifest_end);
    let start = from
        + text[from..at]
            .windows(4)
            .rposition(|w| w == b"\n---")
            .unwrap_or(0);
    let to = (at + LONGEST_DOCUMENT).min(text.len());
    let end = text[at..to]
        .windows(4)
        .position(|w| w == b"\n---")
        .map_or(to, |length| at + length);
    scan.manifest_end = end;
    scan.worked(end - start);
    let mut plain = false;
    let mut here = start;
    while here < end {
        if text[here] != b':' {
            here += 1;
            continue;
        }
        let colon = here;
        here += 1;
        let mut name_end = colon;
        while name_end > start && matches!(text[name_end - 1], b'"' | b'\'' | b'\\') {
            name_end -= 1;
        }
        let name = &text[start..name_end];
        let name = &name[name.len().saturating_sub(names::LONGEST_NAME)..];
        let name = &name[name
            .iter()
            .rposition(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')))
            .map_or(0, |i| i + 1)..];
        match name {
            b"stringData" => plain = true,
            b"data" | b"metadata" => plain = false,
            _ => {}
        }
        let mut value = colon + 1;
        while value < end
            && matches!(
                text[value],
                b' ' | b'"' | b'\'' | b'\\' | b'|' | b'>' | b'-' | b'\t'
            )
        {
            value += 1;
        }
        if value < end && text[value] == b'\n' && text[colon..value].contains(&b'|') {
            while value < end && text[value].is_ascii_whitespace() {
                value += 1;
            }
        }
        let length = text[value..end]
            .iter()
            .take(8192)
            .take_while(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\'' | b',' | b'}'))
            .count();
        let bytes = &text[value..value + length];
        here = here.max(value);
        if length < 6 || placeholder::is_reference(bytes) {
            continue;
        }
        let found = if plain {
            is_secret(name, bytes)
        } else {
            bytes.iter().all(|b| Alphabet::BASE64.has(*b) || *b == b'=')
                && shape::decode64(bytes, 8192)
                    .is_some_and(|d| is_secret(name, d.trim_ascii()) || holds_secret(&d))
        };
        if found && !scan.is_declared_fake(value, value + length) {
            scan.hit(
                const { number("kubernetes-secret") },
                value,
                value + length,
                Sure::Form,
            );
        }
    }
}

/// Whether a file kept in a secret holds one. Each level of base64 is a quarter
/// shorter, so this ends.
fn holds_secret(file: &[u8]) -> bool {
    file.len() >= 24 && file.is_ascii() && !Scan::new(file, &Context::default()).run().is_empty()
}

/// Whether `value`, kept under `name`, is a secret.
fn is_secret(name: &[u8], value: &[u8]) -> bool {
    let mix = Mix::of(value);
    let naming = names::naming(name);
    let told = matches!(
        naming,
        Some(Naming::Password | Naming::Secret | Naming::Key)
    );
    if mix.odd > 0 {
        return told && value.len() >= 16 && shape::entropy(value) >= 300;
    }
    if value.windows(11).any(|w| w == b"PRIVATE KEY") {
        return true;
    }
    if mix.space > 0 || placeholder::is_reference(value) {
        return false;
    }
    if told {
        return value.len() >= 6
            && is_password(value, b"")
            && !(mix.symbol == 0 && shape::is_wordy(value) && mix.digit < 3);
    }
    value.len() >= 16
        && mix.digit > 0
        && mix.letters() > 3
        && !placeholder::is_made_up(value)
        && !shape::is_wordy(value)
        && !shape::is_uuid(value)
        && shape::entropy(value) >= 320
}

/// Looks at `user:$hash`, whose colon is at `at`.
pub(super) fn password_file(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    let (before, _) = scan.around(at, at);
    let user = before;
    if user.is_empty()
        || user.len() > 64
        || !user
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'@'))
    {
        return;
    }
    let hash = &text[at + 1..];
    let known = [
        "$apr1$", "$2y$", "$2a$", "$2b$", "$6$", "$5$", "$1$", "$y$", "$argon2", "{SHA}", "{SSHA}",
    ]
    .iter()
    .any(|mark| hash.starts_with(mark.as_bytes()));
    let length = hash
        .iter()
        .take(200)
        .take_while(|b| {
            Alphabet::BASE64.has(**b) || matches!(b, b'$' | b'.' | b'{' | b'}' | b'=' | b',' | b'-')
        })
        .count();
    scan.worked(length);
    let value = &hash[..length];
    if known
        && (length >= 30 || scan.path().passwords)
        && !placeholder::is_made_up(&value[value.len() / 2..])
        && !scan.is_declared_fake(at + 1, at + 1 + length)
    {
        scan.hit(
            const { number("password-hash") },
            at + 1,
            at + 1 + length,
            Sure::Form,
        );
    }
}
