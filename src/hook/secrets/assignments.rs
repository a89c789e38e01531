//! A name and a value: `name = "value"`, `"name": "value"`, `NAME=value`,
//! `<name>value</name>`, `name("value")` and their kin in every language.
//!
//! The value is judged by its shape; its name only says how strictly.

use super::kinds::number;
use super::links;
use super::names::{self, Naming};
use super::placeholder;
use super::shape::{self, Mix};
use super::vendors;
use super::{Scan, Sure};

/// The shortest value that is looked at.
const SHORTEST: usize = 8;
/// The longest.
const LONGEST: usize = 600;
/// The longest value without quotes.
const LONGEST_BARE: usize = 300;

/// A value and how it was written.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    quoted: bool,
    /// The whole rest of a line that is nothing but `NAME=value`.
    line: bool,
}

/// Looks at the sign at `at` (`=` or `:`).
pub(super) fn sign(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    let Some(from) = right_of_sign(text, at) else {
        return;
    };
    // Most values are short or prose: that is seen in a few bytes.
    let here = &text[from..];
    let solid = here
        .iter()
        .take(SHORTEST + 4)
        .take_while(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t' | b','))
        .count();
    scan.worked(solid);
    if solid < SHORTEST {
        return;
    }
    let (start, end) = name_before(text, at);
    scan.worked(end - start + 8);
    let Some((name, naming)) = named(scan, start, end) else {
        return;
    };
    let value = value_at(scan, from, start, at);
    if let Some(value) = value {
        judge(scan, name, naming, value);
    }
    if value.is_none_or(|value| !value.quoted) {
        fallback(scan, name, naming, value.map_or(from, |value| value.end));
    }
}

/// Looks at the literal a look-up falls back to: `process.env.SECRET || "value"`.
fn fallback(scan: &mut Scan<'_>, name: &[u8], naming: Naming, end: usize) {
    let (_, after) = scan.around(end, end);
    for sign in [&b"|| "[..], b"?? ", b" or ", b"?: ", b" : "] {
        let Some(at) = after.windows(sign.len()).position(|here| here == sign) else {
            continue;
        };
        let from = end + at + sign.len();
        // Only what still belongs to this expression.
        if matches!(scan.text.get(from), Some(b'"' | b'\''))
            && !after[..at].iter().any(|b| matches!(b, b',' | b';'))
            && let Some(value) = value_at(scan, from, from, from)
        {
            judge(scan, name, naming, value);
        }
    }
}

/// Looks at `<name>value</name>`, whose `>` is at `at`.
pub(super) fn element(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    let from = at + 1;
    let length = text[from..]
        .iter()
        .take(LONGEST)
        .take_while(|b| !matches!(b, b'<' | b'>' | b' ' | b'\n' | b'\r' | b'\t' | b'"' | b'\''))
        .count();
    scan.worked(length.min(64));
    if length < SHORTEST || text.get(from + length..from + length + 2) != Some(b"</") {
        return;
    }
    let before = &text[at.saturating_sub(120)..at];
    let Some(open) = before.iter().rposition(|b| *b == b'<') else {
        return;
    };
    let tag = &before[open + 1..];
    let length_of_name = tag
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':'))
        .count();
    let start = at - tag.len();
    // `<string name="api_secret">`: the attribute names the value.
    let (from_name, to_name) = [&b"name=\""[..], b"key=\"", b"id=\""]
        .iter()
        .find_map(|attribute| {
            let found = shape::find_ignore_case(tag, attribute)? + attribute.len();
            let length = tag[found..].iter().take_while(|b| is_name(**b)).count();
            Some((start + found, start + found + length))
        })
        .unwrap_or((start, start + length_of_name));
    let Some((name, naming)) = named(scan, from_name, to_name) else {
        return;
    };
    let value = Value {
        start: from,
        end: from + length,
        quoted: true,
        line: false,
    };
    judge(scan, name, naming, value);
}

/// Looks at `"name", "value"`, where the quote after the name is at `at`.
pub(super) fn quoted_pair(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    let quote = text[at];
    let mut from = at + 2;
    while text.get(from) == Some(&b' ') && from < at + 8 {
        from += 1;
    }
    if text.get(from) != Some(&quote) {
        return;
    }
    let (start, end) = word_before(text, at);
    scan.worked(end - start + 4);
    if end - start < 3 || start.checked_sub(1).and_then(|i| text.get(i)) != Some(&quote) {
        return;
    }
    let name = &text[start..end];
    if let Some(naming) = names::naming(name)
        && let Some(value) = value_at(scan, from, start, at)
    {
        judge(scan, name, naming, value);
    }
}

/// Looks at `set_password("value")`, whose parenthesis is at `at`.
pub(super) fn quoted_call(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    let (start, end) = word_before(text, at);
    scan.worked(end - start + 4);
    let name = &text[start..end];
    let last = name.rsplit(|b| *b == b'.').next().unwrap_or_default();
    let Some(naming) = names::naming(last) else {
        return;
    };
    let sets = [&b"set"[..], b"with", b"add", b"use", b"new"]
        .iter()
        .any(|verb| last.len() > verb.len() && last[..verb.len()].eq_ignore_ascii_case(verb));
    let asks = [
        &b"get"[..],
        b"find",
        b"read",
        b"load",
        b"fetch",
        b"is",
        b"has",
        b"check",
        b"by",
        b"validate",
        b"verify",
        b"hash",
    ]
    .iter()
    .any(|verb| last.len() > verb.len() && last[..verb.len()].eq_ignore_ascii_case(verb));
    if (sets || (!asks && naming == Naming::Password))
        && let Some(value) = value_at(scan, at + 1, start, at)
    {
        judge(scan, name, naming, value);
    }
}

/// Looks at `ENV NAME value` and `password value`, whose first word is `at..after`.
pub(super) fn spaced(scan: &mut Scan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let (before, _) = scan.around(at, at);
    let first = before.trim_ascii();
    let word = &text[at..after - 1];
    let own_name = names::naming(word).is_some();
    let starts_command = matches!(first, b"" | b"RUN" | b"-" | b"aws")
        || first.ends_with(b";")
        || first.ends_with(b"{");
    if !starts_command {
        return;
    }
    let (start, end, from) = if own_name {
        (at, after - 1, after)
    } else {
        let length = text[after..]
            .iter()
            .take(names::LONGEST_NAME)
            .take_while(|b| is_name(**b))
            .count();
        if text.get(after + length) != Some(&b' ') {
            return;
        }
        (after, after + length, after + length + 1)
    };
    let name = &text[start..end];
    if let Some(naming) = names::naming(name)
        && let Some(value) = value_at(scan, from, start, from)
    {
        judge(scan, name, naming, value);
    }
}

/// Looks at the string after `IDENTIFIED BY` or `PASSWORD`.
pub(super) fn sql(scan: &mut Scan<'_>, after: usize) {
    let text = scan.text;
    let mut from = after;
    while text.get(from) == Some(&b' ') && from < after + 8 {
        from += 1;
    }
    if !matches!(text.get(from), Some(b'\'' | b'"')) {
        return;
    }
    let Some(value) = value_at(scan, from, after, after) else {
        return;
    };
    let password = &text[value.start..value.end];
    if is_password(password, b"") && !scan.is_declared_fake(value.start, value.end) {
        scan.hit(
            const { number("password") },
            value.start,
            value.end,
            Sure::Form,
        );
    }
}

/// A value given to a command: `--token value`. `from` is where the value starts.
pub(super) fn argument(scan: &mut Scan<'_>, start: usize, end: usize, from: usize) {
    let name = &scan.text[start..end];
    if let Some(naming) = names::naming(name)
        && let Some(value) = value_at(scan, from, start, from)
    {
        judge(
            scan,
            name,
            naming,
            Value {
                line: true,
                ..value
            },
        );
    }
}

/// Where the value starts after the sign at `at`, or nothing if it is no assignment.
fn right_of_sign(text: &[u8], at: usize) -> Option<usize> {
    let byte = |i: usize| text.get(i).copied().unwrap_or(b'\n');
    let mut from = at + 1;
    let in_braces = || {
        let outside = text[..at].iter().rev().take(80).find(|b| !is_name(**b));
        outside == Some(&b'{')
    };
    match (text[at], byte(from)) {
        // A shell's `${NAME:-value}`.
        (b':', b'-' | b'=') if in_braces() => from += 1,
        (b':', b':' | b'/' | b'=') | (b'=', b'\n') => return None,
        (b'=', b'>') => from += 1,
        (b'=', b'=') => from += if byte(from + 1) == b'=' { 2 } else { 1 },
        _ => {}
    }
    let limit = from + 40;
    while matches!(byte(from), b' ' | b'\t') && from < limit {
        from += 1;
    }
    Some(from).filter(|from| *from < text.len())
}

/// Reads the value that starts at `from`; its name starts at `name`, its sign is at `sign`.
fn value_at(scan: &Scan<'_>, from: usize, name: usize, sign: usize) -> Option<Value> {
    let text = scan.text;
    let mut from = from;
    for tag in [&b"!!str "[..], b"!!binary "] {
        if text[from..].starts_with(tag) {
            from += tag.len();
        }
    }
    from += wrapper(&text[from..]);
    let byte = |i: usize| text.get(i).copied().unwrap_or(b'\n');
    // Letters before a string: r"", b'', f"", @"", $"".
    let letters = text[from..]
        .iter()
        .take(3)
        .take_while(|b| {
            matches!(
                b,
                b'r' | b'b'
                    | b'u'
                    | b'f'
                    | b'R'
                    | b'B'
                    | b'U'
                    | b'F'
                    | b'L'
                    | b'@'
                    | b'$'
                    | b'c'
                    | b'#'
            )
        })
        .count();
    if matches!(byte(from + letters), b'"' | b'\'') {
        from += letters;
    }
    let escaped = byte(from) == b'\\' && matches!(byte(from + 1), b'"' | b'\'' | b'\\');
    if escaped {
        from += 1;
        while byte(from) == b'\\' {
            from += 1;
        }
    }
    let quote = byte(from);
    if matches!(quote, b'"' | b'\'' | b'`') {
        let mut start = from + 1;
        if byte(start) == quote {
            // A triple quote, or an empty string.
            if byte(start + 1) != quote {
                return None;
            }
            start += 2;
        }
        let mut end = start;
        loop {
            match byte(end) {
                b'\n' => return None,
                b'\\' if escaped => break,
                b'\\' => end += 2,
                found if found == quote => break,
                _ => end += 1,
            }
            if end - start > LONGEST || end >= text.len() {
                return None;
            }
        }
        scan.worked(end - start);
        return Some(Value {
            start,
            end: end.min(text.len()),
            quoted: true,
            line: false,
        });
    }
    if escaped {
        return None;
    }
    let line = is_whole_line(text, name) && (text.get(sign) == Some(&b'='));
    let (before, _) = scan.around(name, name);
    let listed = before.contains(&b';') && before.contains(&b'=');
    let mut end = from;
    while end < text.len() && end - from < LONGEST_BARE {
        let b = text[end];
        let stop = match b {
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`' => true,
            b';' | b'<' | b'>' | b'|' => !line,
            b',' | b'&' | b')' | b']' | b'}' => !line && !listed,
            b'(' | b'[' | b'{' if !line && !listed => return None,
            b'\\' => matches!(byte(end + 1), b'n' | b'r' | b't' | b'"' | b'\'' | b'\n'),
            _ => false,
        };
        if stop {
            break;
        }
        end += 1;
    }
    scan.worked(end - from);
    let tail = text[end..].iter().take(80).take_while(|b| **b != b'\n');
    let mut tail = tail.copied();
    let tail = tail.find(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\\'));
    let alone = tail.is_none_or(|b| matches!(b, b'#' | b';' | b'"' | b'\''));
    // `NAME=value command`: a name in capitals with nothing around the sign.
    let variable = from == sign + 1
        && text.get(sign) == Some(&b'=')
        && text[name..sign].iter().all(|b| !b.is_ascii_lowercase());
    let line = line && alone || variable;
    if is_call(&text[from..end]) {
        return None;
    }
    Some(Value {
        start: from,
        end,
        quoted: false,
        line,
    })
}

/// Whether `value` starts like a call or an index: `name(` or `name[`.
fn is_call(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':'))
        .count();
    name > 0 && matches!(value.get(name), Some(b'(' | b'['))
}

/// The length of a constructor around a literal (`String::from(`), if one stands here.
fn wrapper(text: &[u8]) -> usize {
    let length = text
        .iter()
        .take(48)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'.' | b' ' | b'!'))
        .count();
    if length == 0
        || text.get(length) != Some(&b'(')
        || !matches!(
            text.get(length + 1),
            Some(b'"' | b'\'' | b'b' | b'r' | b'`' | b'@')
        )
    {
        return 0;
    }
    let callee = &text[..length];
    let last = callee
        .rsplit(|b| !b.is_ascii_alphanumeric() && *b != b'_')
        .next()
        .unwrap_or_default();
    let known = "from some string secretstring secret secretstr str bytes password new ok lit sensitive redacted securestring value of just nonsensitive buffer literal char pointer to_secret strdup text usernamepasswordcredential";
    let known = known
        .split_ascii_whitespace()
        .any(|word| last.eq_ignore_ascii_case(word.as_bytes()));
    if known { length + 1 } else { 0 }
}

/// Whether nothing but indent, `export`, `-` or `ENV` stands before `name` on its line.
fn is_whole_line(text: &[u8], name: usize) -> bool {
    let mut at = name;
    let from = name.saturating_sub(48);
    while at > from && text[at - 1] != b'\n' {
        at -= 1;
    }
    if at == from && from > 0 && text[from - 1] != b'\n' {
        return false;
    }
    let lead = text[at..name].trim_ascii();
    matches!(
        lead,
        b"" | b"export"
            | b"-"
            | b"ENV"
            | b"set"
            | b"+"
            | b"env"
            | b"Environment="
            | b"ARG"
            | b"$"
            | b"declare -x"
            | b"+export"
            | b"- export"
            | b"#"
            | b"//"
            | b"SET"
            | b"global"
    )
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$')
}

/// The name that ends before `at`, without a step over quotes.
fn word_before(text: &[u8], at: usize) -> (usize, usize) {
    let length = text[..at]
        .iter()
        .rev()
        .take(names::LONGEST_NAME)
        .take_while(|b| is_name(**b))
        .count();
    (at - length, at)
}

/// The name on the left of the sign at `at`.
fn name_before(text: &[u8], at: usize) -> (usize, usize) {
    let mut end = at;
    let limit = at.saturating_sub(40);
    while end > limit
        && matches!(
            text[end - 1],
            b' ' | b'\t' | b':' | b'=' | b'?' | b'+' | b'!'
        )
    {
        end -= 1;
    }
    // `name[]`, `name[32]`, `map["name"]`, `\"name\"`.
    if end > limit && matches!(text[end - 1], b']' | b')') {
        end -= 1;
        let digits = text[..end]
            .iter()
            .rev()
            .take(6)
            .take_while(|b| b.is_ascii_digit())
            .count();
        if end - digits > limit && matches!(text[end - digits - 1], b'[' | b'(') {
            end -= digits + 1;
        }
    }
    while end > limit && matches!(text[end - 1], b'"' | b'\'' | b'`' | b'\\' | b'*') {
        end -= 1;
    }
    word_before(text, end)
}

/// The name that tells what the value named at `start..end` is, and what it promises.
fn named<'t>(scan: &Scan<'t>, start: usize, end: usize) -> Option<(&'t [u8], Naming)> {
    let text: &'t [u8] = scan.text;
    let name = &text[start..end];
    if let Some(naming) = names::naming(name) {
        return Some((name, naming));
    }
    // `name: Type = value`.
    let mut at = start;
    let limit = start.saturating_sub(16);
    while at > limit && matches!(text[at - 1], b' ' | b'&' | b'*' | b'<' | b'[' | b']') {
        at -= 1;
    }
    if at > limit && text[at - 1] == b':' && start != end {
        let (start, end) = name_before(text, at - 1);
        let name = &text[start..end];
        if let Some(naming) = names::naming(name) {
            return Some((name, naming));
        }
    }
    let lower = |word: &str| name.eq_ignore_ascii_case(word.as_bytes());
    if [
        "value",
        "default",
        "string",
        "val",
        "defaultvalue",
        "stringvalue",
        "secretvalue",
        "content",
    ]
    .into_iter()
    .any(lower)
    {
        return neighbour(scan, start);
    }
    None
}

/// The name in a neighbouring field: `name: DB_PASSWORD` before `value: …`.
fn neighbour<'t>(scan: &Scan<'t>, start: usize) -> Option<(&'t [u8], Naming)> {
    let text: &'t [u8] = scan.text;
    let window = &text[start.saturating_sub(200)..start];
    scan.worked(window.len());
    let offset = start - window.len();
    let mut lines = 0;
    let mut at = window.len();
    while at > 0 {
        at -= 1;
        match window[at] {
            b'\n' => lines += 1,
            b'{' if lines > 0 && at > 0 && window[at - 1] == b'\n' => return None,
            _ => {}
        }
        if lines > 4 {
            return None;
        }
        let here = &window[at..];
        let Some(word) = [&b"name"[..], b"key", b"variable", b"id"]
            .into_iter()
            .find(|word| here.len() > word.len() && here[..word.len()].eq_ignore_ascii_case(word))
        else {
            continue;
        };
        if at > 0 && window[at - 1].is_ascii_lowercase() {
            continue;
        }
        let mut from = at + word.len();
        let joined = |b: u8| matches!(b, b'"' | b'\'' | b' ' | b':' | b'=' | b'>' | b'\\' | b'\t');
        if !window.get(from).copied().is_some_and(joined) {
            continue;
        }
        while window.get(from).copied().is_some_and(joined) {
            from += 1;
        }
        let length = window[from..].iter().take_while(|b| is_name(**b)).count();
        if length == 0 {
            continue;
        }
        let name = &text[offset + from..offset + from + length];
        return names::naming(name).map(|naming| (name, naming));
    }
    None
}

/// Decides whether `value`, given to `name`, is a secret.
fn judge(scan: &mut Scan<'_>, name: &[u8], naming: Naming, value: Value) {
    let text = scan.text;
    let (start, mut end) = (value.start, value.end);
    if !value.quoted {
        while end > start && matches!(text[end - 1], b'.' | b':' | b'!' | b'?') && !value.line {
            end -= 1;
        }
    }
    let bytes = &text[start..end];
    if bytes.len() < SHORTEST.min(6) || scan.is_hit(start, end) {
        return;
    }
    // A bare value inside one that was judged already adds nothing but time,
    // unless that one is a list of settings.
    let (judged, judged_end) = scan.judged;
    let nested = judged <= start && start < judged_end;
    if nested && !value.quoted {
        let listed = |b: &u8| matches!(b, b';' | b'&' | b'?' | b',');
        if !text[judged..start].iter().any(listed) {
            return;
        }
    } else if !value.quoted {
        scan.judged = (start, end);
    }
    scan.worked(bytes.len() * 2);
    if naming == Naming::Password && !bytes.contains(&b' ') && is_password(bytes, b"") {
        let (before, after) = scan.around(start, end);
        if links::is_connection_string(before, after) {
            if !placeholder::is_declared_fake(before, after) {
                scan.hit(
                    const { number("connection-string") },
                    start,
                    end,
                    Sure::Form,
                );
            }
            return;
        }
    }
    let (before, after) = scan.around(start, end);
    let Some(kind) = kind_of(scan, name, naming, value, bytes, before) else {
        return;
    };
    if placeholder::is_declared_fake(before, after) {
        return;
    }
    let sure = if kind == const { number("password") } || kind == const { number("secret") } {
        Sure::Guess
    } else {
        Sure::Form
    };
    scan.hit(kind, start, end, sure);
}

fn kind_of(
    scan: &Scan<'_>,
    name: &[u8],
    naming: Naming,
    value: Value,
    bytes: &[u8],
    before: &[u8],
) -> Option<u8> {
    let mix = Mix::of(bytes);
    if bytes.len() < SHORTEST
        || mix.space > 0
        || mix.odd > 0
        || placeholder::is_reference(bytes)
        || placeholder::is_documented(bytes)
        || placeholder::is_password_hash(bytes)
    {
        return None;
    }
    if naming == Naming::Login {
        return links::is_login(bytes).then_some(if name.first() == Some(&b'_') {
            const { number("package-registry-login") }
        } else {
            const { number("docker-config-auth") }
        });
    }
    let unbroken = mix.upper > 0 && mix.lower > 0;
    let without_digits =
        unbroken && (mix.symbol > 0 || bytes.len() >= 12 && shape::is_mixed(bytes));
    if mix.letters() < 2 || (mix.digit == 0 && !without_digits) || placeholder::is_stand_in(bytes) {
        return None;
    }
    let wordy = shape::is_wordy(bytes) && !shape::is_hex(bytes);
    if !wordy && let Some(kind) = vendors::kind_of(name, before, bytes) {
        return Some(kind);
    }
    if scan.path().quiet
        || is_date(bytes, mix)
        || (!value.quoted && !value.line && looks_like_code(bytes))
    {
        return None;
    }
    let registry = name.first() == Some(&b'_') || name.windows(2).any(|pair| pair == b":_");
    let is_one = if shape::is_uuid(bytes) {
        naming == Naming::Password
            || registry
            || ["secret", "apikey", "accesskey"]
                .iter()
                .any(|word| flat_holds(name, word))
    } else {
        let judged = Judged {
            bytes,
            mix,
            wordy,
            random: shape::entropy(bytes),
            open: value.quoted || value.line,
            strict: scan.path().strict,
        };
        match naming {
            Naming::Password => judged.is_password(),
            Naming::Secret => judged.is_secret(),
            Naming::Key => judged.is_key(),
            Naming::Login => false,
        }
    };
    is_one.then_some(match naming {
        _ if registry => const { number("package-registry-login") },
        Naming::Password => const { number("password") },
        _ => const { number("secret") },
    })
}

/// A value that no vendor claims, and what was measured of it.
struct Judged<'v> {
    bytes: &'v [u8],
    mix: Mix,
    wordy: bool,
    /// Entropy in hundredths of a bit per byte.
    random: u32,
    /// In quotes, or alone on its line: where a value starts and ends is certain.
    open: bool,
    /// The file is an example or a test.
    strict: bool,
}

impl Judged<'_> {
    /// A name of something: words and joints, no symbol.
    fn is_name(&self) -> bool {
        // `cl100k_base_v2`: short parts in lower case.
        let parts = self.mix.joint >= 2 && self.mix.upper == 0 && self.bytes.len() < 24;
        self.mix.symbol == 0 && (self.wordy || parts)
    }

    fn is_password(&self) -> bool {
        let long = self.bytes.len() >= 12
            && (self.mix.digit > 0 || self.mix.sorts() >= 3 && !self.wordy || self.mix.symbol == 0);
        let short =
            self.mix.sorts() >= 3 && self.mix.digit > 0 && !self.wordy && self.random >= 250;
        !self.is_name()
            && !placeholder::is_stand_in_password(self.bytes, b"")
            && if self.open && !self.strict {
                long || short
            } else {
                long && self.random >= 300 && self.mix.symbol * 3 <= self.bytes.len()
            }
    }

    fn is_secret(&self) -> bool {
        let least = if self.open && !self.strict { 12 } else { 16 };
        let enough = if self.bytes.len() < 16 || shape::is_hex(self.bytes) {
            270
        } else {
            300
        };
        self.bytes.len() >= least
            && !self.is_name()
            && self.random >= enough
            && self.mix.symbol * 4 <= self.bytes.len()
    }

    fn is_key(&self) -> bool {
        self.bytes.len() >= 20
            && self.mix.sorts() >= 3
            && !self.is_name()
            && self.random >= 360
            && self.mix.symbol * 6 <= self.bytes.len()
            && !self.strict
    }
}

/// Whether `password` can be a real one where only a password can stand.
pub(super) fn is_password(password: &[u8], user: &[u8]) -> bool {
    let mix = Mix::of(password);
    !placeholder::is_stand_in_password(password, user)
        && mix.space == 0
        && (mix.digit > 0
            || mix.symbol > 0
            || (mix.upper > 0 && mix.lower > 0 && !shape::is_wordy(password))
            || password.len() >= 8 && !shape::is_wordy(password))
}

/// Whether `word` stands in `name` once its joints are gone.
fn flat_holds(name: &[u8], word: &str) -> bool {
    let letters = |from: usize| {
        name[from..]
            .iter()
            .filter(|b| b.is_ascii_alphanumeric())
            .map(u8::to_ascii_lowercase)
    };
    (0..name.len()).any(|from| letters(from).take(word.len()).eq(word.bytes()))
}

/// A date, a time or a version: digits and joints with few letters.
fn is_date(bytes: &[u8], mix: Mix) -> bool {
    mix.joint >= 2
        && mix.symbol == 0
        && mix.letters() <= 3
        && bytes.first().is_some_and(u8::is_ascii_digit)
}

/// Member access, an index or an identifier with a number: code, no value.
fn looks_like_code(bytes: &[u8]) -> bool {
    bytes.contains(&b'.')
        && bytes.split(|b| *b == b'.').all(|part| {
            part.first()
                .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
                && part.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        })
        && bytes.split(|b| *b == b'.').all(|part| part.len() < 24)
}
