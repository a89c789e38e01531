//! A reader for the payload on stdin: checked slices of the text, no copy until a
//! string with escapes is asked for.
//!
//! It never panics and never recurses, whatever the bytes are, and it reads a
//! text once. It is no general JSON library: numbers stay text, and of two equal
//! keys the last one counts, as it does for the hosts that wrote them.

use std::borrow::Cow;

/// How deep values may nest. Real payloads stay below ten.
const MAX_DEPTH: usize = 128;

/// How many members of one object, or items of one array, are looked at.
const MAX_ITEMS: usize = 4096;

/// Finds the end of the first JSON value of a stream while it arrives.
#[derive(Debug, Default)]
pub struct EndFinder {
    seen: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    started: bool,
}

impl EndFinder {
    /// Looks at what `bytes` holds beyond what was seen before, and returns the
    /// offset after the first complete object or array. A text that starts
    /// otherwise (no host sends one) is never complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(&byte) = bytes.get(self.seen) {
            self.seen += 1;
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                    continue;
                }
                match byte {
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => self.seen += plain_run(bytes.get(self.seen..).unwrap_or_default()),
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => {
                    self.started = true;
                    self.depth += 1;
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.started && self.depth == 0 {
                        return Some(self.seen);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// How many bytes from the start of `bytes` are neither a quote nor a backslash.
fn plain_run(bytes: &[u8]) -> usize {
    // Eight bytes at a time: the high bit of the lowest zero byte of `x` is the lowest
    // bit set in `zero(x)`. Bytes above it may be marked wrongly; nobody looks at them.
    const LOW: u64 = u64::MAX / 255;
    const HIGH: u64 = LOW << 7;
    let zero = |word: u64| word.wrapping_sub(LOW) & !word & HIGH;
    let mut at = 0;
    let (words, _) = bytes.as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        let found = zero(word ^ (LOW * u64::from(b'"'))) | zero(word ^ (LOW * u64::from(b'\\')));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\\'))
        .unwrap_or(rest.len())
}

/// One JSON value: the slice of the text that holds it, known to be well formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// The one value `text` holds, white space around it allowed.
    pub fn parse(text: &'a str) -> Option<Self> {
        let bytes = text.as_bytes();
        let start = skip_space(bytes, 0);
        let end = value_end(bytes, start)?;
        (skip_space(bytes, end) == bytes.len()).then_some(())?;
        text.get(start..end).map(Self)
    }

    /// The value as it was written.
    pub const fn text(self) -> &'a str {
        self.0
    }

    /// The string it is, borrowed unless it has escapes.
    pub fn string(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        // A well-formed string holds no quote of its own without a backslash.
        if plain_run(inner.as_bytes()) != inner.len() {
            return Some(Cow::Owned(unescape(inner)));
        }
        Some(Cow::Borrowed(inner))
    }

    /// The members of the object it is.
    pub fn object(self) -> Option<Object<'a>> {
        members(self.0).map(|(members, _)| Object(members))
    }

    /// The items of the array it is.
    pub fn array(self) -> Option<Vec<Self>> {
        let bytes = self.0.as_bytes();
        (bytes.first() == Some(&b'[')).then_some(())?;
        let mut items = Vec::new();
        let mut at = skip_space(bytes, 1);
        while !matches!(bytes.get(at), None | Some(b']')) && items.len() < MAX_ITEMS {
            let end = value_end(bytes, at)?;
            items.push(Self(self.0.get(at..end)?));
            at = skip_space(bytes, end);
            if bytes.get(at) == Some(&b',') {
                at = skip_space(bytes, at + 1);
            }
        }
        Some(items)
    }
}

/// The members of one object in the order they were written.
#[derive(Debug, Default)]
pub struct Object<'a>(Vec<Member<'a>>);

/// A key and its value.
type Member<'a> = (Cow<'a, str>, Raw<'a>);

impl<'a> Object<'a> {
    /// The one object `text` holds, white space around it allowed. Reads the text
    /// once, where [`Raw::parse`] and [`Raw::object`] would read it twice.
    pub fn parse(text: &'a str) -> Option<Self> {
        let start = skip_space(text.as_bytes(), 0);
        let text = text.get(start..)?;
        let (members, end) = members(text)?;
        (skip_space(text.as_bytes(), end) == text.len()).then_some(Self(members))
    }

    /// The value of `key`; the last one when it is there twice.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.0
            .iter()
            .rev()
            .find(|(name, _)| name == key)
            .map(|(_, value)| *value)
    }

    /// The string at `key`.
    pub fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.string()
    }

    /// The object at `key`.
    pub fn object(&self, key: &str) -> Option<Self> {
        self.get(key)?.object()
    }

    /// Whether `key` is there.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Keys and values in the order they were written.
    pub fn members(&self) -> impl Iterator<Item = (&str, Raw<'a>)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), *value))
    }
}

/// The members of the object `text` starts with, and where it ends.
fn members(text: &str) -> Option<(Vec<Member<'_>>, usize)> {
    let bytes = text.as_bytes();
    (bytes.first() == Some(&b'{')).then_some(())?;
    let mut members = Vec::with_capacity(12);
    let mut at = skip_space(bytes, 1);
    if bytes.get(at) == Some(&b'}') {
        return Some((members, at + 1));
    }
    loop {
        let key_stop = string_end(bytes, at)?;
        let key = Raw(text.get(at..key_stop)?).string()?;
        let start = skip_space(bytes, key_stop);
        (bytes.get(start) == Some(&b':')).then_some(())?;
        let start = skip_space(bytes, start + 1);
        let end = value_end(bytes, start)?;
        // Too many members are no payload: one of them might be the one that counts.
        (members.len() < MAX_ITEMS).then_some(())?;
        members.push((key, Raw(text.get(start..end)?)));
        at = skip_space(bytes, end);
        match bytes.get(at)? {
            b',' => at = skip_space(bytes, at + 1),
            b'}' => return Some((members, at + 1)),
            _ => return None,
        }
    }
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// The offset after the string that starts at `at`.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    (bytes.get(at) == Some(&b'"')).then_some(())?;
    let mut at = at + 1;
    loop {
        at += plain_run(bytes.get(at..)?);
        if *bytes.get(at)? == b'"' {
            return Some(at + 1);
        }
        match bytes.get(at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
            b'u' => {
                let digits = bytes.get(at + 2..at + 6)?;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
            }
            _ => return None,
        }
        at += 2;
    }
}

/// The offset after the value that starts at `at`, or nothing when it is malformed.
fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    // One bit a level: set inside an object.
    let mut objects: u128 = 0;
    let mut depth: usize = 0;
    let mut at = at;
    loop {
        // A value starts at `at`.
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            open @ (b'{' | b'[') => {
                if depth == MAX_DEPTH {
                    return None;
                }
                let object = *open == b'{';
                objects = (objects << 1) | u128::from(object);
                depth += 1;
                at = skip_space(bytes, at + 1);
                if bytes.get(at) != Some(if object { &b'}' } else { &b']' }) {
                    if object {
                        at = key_end(bytes, at)?;
                    }
                    continue;
                }
            }
            _ => at = scalar_end(bytes, at)?,
        }
        // A value ended at `at`, or an empty container is about to.
        loop {
            if depth == 0 {
                return Some(at);
            }
            at = skip_space(bytes, at);
            let object = objects & 1 == 1;
            match bytes.get(at)? {
                b',' => {
                    at = skip_space(bytes, at + 1);
                    if object {
                        at = key_end(bytes, at)?;
                    }
                    break;
                }
                b'}' if object => {}
                b']' if !object => {}
                _ => return None,
            }
            objects >>= 1;
            depth -= 1;
            at += 1;
        }
    }
}

/// The offset of the value whose key starts at `at`.
fn key_end(bytes: &[u8], at: usize) -> Option<usize> {
    let at = skip_space(bytes, string_end(bytes, at)?);
    (bytes.get(at) == Some(&b':')).then_some(())?;
    Some(skip_space(bytes, at + 1))
}

fn scalar_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    for word in [&b"true"[..], b"false", b"null"] {
        if rest.starts_with(word) {
            return Some(at + word.len());
        }
    }
    let length = rest
        .iter()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
        .unwrap_or(rest.len());
    rest.get(..length)?
        .iter()
        .any(u8::is_ascii_digit)
        .then_some(at + length)
}

/// The text of a string whose escapes were checked. A lone half of a surrogate
/// pair becomes the replacement character.
fn unescape(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    loop {
        // No quote stands here without its backslash.
        let at = plain_run(rest.as_bytes());
        if at == rest.len() {
            break;
        }
        out.push_str(rest.get(..at).unwrap_or_default());
        let escape = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        let mut used = at + 2;
        match escape {
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                let high = unit(rest, at + 2);
                used += 4;
                let low = (rest.get(used..used + 2) == Some("\\u"))
                    .then(|| unit(rest, used + 2))
                    .filter(|low| (0xDC00..0xE000).contains(low));
                if let (0xD800..0xDC00, Some(low)) = (high, low) {
                    used += 6;
                    let point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    out.push(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
                } else {
                    out.push(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
            }
            other => out.push(char::from(other)),
        }
        rest = rest.get(used..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn unit(text: &str, at: usize) -> u32 {
    text.get(at..at + 4)
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .unwrap_or(0xFFFD)
}

/// Writes `text` as a JSON string, quotes included. Control characters are
/// escaped, so what comes out is one line.
pub fn push_string(out: &mut String, text: &str) {
    use std::fmt::Write as _;
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // The C1 controls and the two line separators move terminals and
            // some readers as well.
            c if (c as u32) < 0x20 || ('\u{7f}'..'\u{a0}').contains(&c) => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", character as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// `text` without comments and without commas before a closing bracket, for the
/// slow path over files people write by hand.
pub fn without_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (b'"', _) => {
                let end = string_end(bytes, at).unwrap_or(bytes.len());
                out.push_str(text.get(at..end).unwrap_or_default());
                at = end;
            }
            (b'/', Some(b'/')) => {
                at += text
                    .get(at..)
                    .and_then(|rest| rest.find('\n'))
                    .unwrap_or(bytes.len());
            }
            (b'/', Some(b'*')) => {
                at += text
                    .get(at + 2..)
                    .and_then(|rest| rest.find("*/"))
                    .map_or(bytes.len(), |length| length + 4);
            }
            (b'}' | b']', _) => {
                let kept = out.trim_end().len();
                if out.get(..kept).is_some_and(|kept| kept.ends_with(',')) {
                    out.truncate(kept - 1);
                }
                out.push(char::from(*byte));
                at += 1;
            }
            _ => {
                let end = at
                    + 1
                    + text.get(at + 1..).map_or(0, |rest| {
                        rest.bytes()
                            .position(|byte| matches!(byte, b'"' | b'/' | b'}' | b']'))
                            .unwrap_or(rest.len())
                    });
                // `at` is on an ASCII byte or at the start of a character.
                let end = if text.is_char_boundary(at + 1) {
                    end
                } else {
                    (at + 2..=bytes.len())
                        .find(|end| text.is_char_boundary(*end))
                        .unwrap_or(bytes.len())
                };
                out.push_str(text.get(at..end).unwrap_or_default());
                at = end.max(at + 1);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn strings_borrow_until_they_have_escapes() {
        let object = Raw::parse(r#" {"a":"plain","b":"x\ny\u00e9\ud83d\ude00\ud800"} "#)
            .and_then(Raw::object)
            .unwrap();
        assert!(matches!(object.string("a"), Some(Cow::Borrowed("plain"))));
        assert_eq!(
            object.string("b").as_deref(),
            Some("x\nyé\u{1F600}\u{FFFD}")
        );
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let object = Raw::parse(r#"{"a":1,"a":2}"#)
            .and_then(Raw::object)
            .unwrap();
        assert_eq!(object.get("a").map(Raw::text), Some("2"));
    }

    #[test]
    fn malformed_text_is_no_value() {
        for text in [
            "",
            "{",
            "{]",
            "[}",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "[1,]",
            "[,1]",
            "\"\\x\"",
            "\"\\u12\"",
            "{\"a\":1}}",
            "tru",
            "-",
            "[1 2]",
            "\"open",
        ] {
            assert_eq!(Raw::parse(text), None, "{text}");
            assert!(Object::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert!(Raw::parse(&format!("{}{}", "[".repeat(128), "]".repeat(128))).is_some());
        assert!(Raw::parse(&format!("{}{}", "[".repeat(129), "]".repeat(129))).is_none());
        assert!(Raw::parse(&"[".repeat(1_000_000)).is_none());
    }

    #[test]
    fn the_end_is_found_in_pieces() {
        let text = br#"{"a":"}\"]{","b":[{}]} trailing {"#;
        let mut finder = EndFinder::default();
        let mut found = None;
        for end in 1..=text.len() {
            found = finder.feed(&text[..end]);
            if found.is_some() {
                break;
            }
        }
        assert_eq!(found, Some(22));
        assert_eq!(EndFinder::default().feed(text), Some(22));
        assert_eq!(EndFinder::default().feed(b"12 \"x\""), None);
    }

    #[test]
    fn comments_and_last_commas_can_be_taken_out() {
        let text = "{ // é one\n \"a//\": [1, /* two */ 2,], \"é\":\"/*x*/\",\n}\n";
        let plain = without_comments(text);
        let object = Raw::parse(&plain).and_then(Raw::object).unwrap();
        assert_eq!(object.get("a//").and_then(Raw::array).unwrap().len(), 2);
        assert_eq!(object.string("é").as_deref(), Some("/*x*/"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,200}") {
            let _ = EndFinder::default().feed(text.as_bytes());
            let _ = without_comments(&text);
            let _ = Object::parse(&text);
            if let Some(raw) = Raw::parse(&text) {
                let _ = (raw.object(), raw.array(), raw.string());
            }
        }

        #[test]
        fn a_written_string_reads_back(text in any::<String>()) {
            let mut out = String::new();
            push_string(&mut out, &text);
            prop_assert!(!out.contains('\n'));
            let read = Raw::parse(&out).and_then(Raw::string);
            prop_assert_eq!(read.as_deref(), Some(text.as_str()));
        }

        #[test]
        fn it_agrees_with_a_full_parser(text in r#"[\[\]{}",:0-9a\\u \-.e]{0,24}"#) {
            // Everything the full parser takes is taken; the other way round the
            // reader may be laxer about numbers and control characters.
            if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
                prop_assert!(Raw::parse(&text).is_some());
                let object = text.trim_start().starts_with('{');
                prop_assert_eq!(Object::parse(&text).is_some(), object);
            }
        }
    }
}
