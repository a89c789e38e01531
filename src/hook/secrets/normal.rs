//! The copy of a text on which tokens are looked for.
//!
//! A token written in full-width letters or split by characters nobody sees is
//! the same token to whoever copies it. Plain ASCII is never copied.

/// A text without disguise, and where each of its bytes came from.
pub(super) struct Normal {
    pub(super) text: Vec<u8>,
    /// For each byte of `text` its place in the original, and at the end the original's length.
    origin: Vec<usize>,
}

impl Normal {
    /// The range in the original that the bytes `start..end` came from.
    pub(super) fn original(&self, start: usize, end: usize, text: &str) -> (usize, usize) {
        let last = self.origin.len().saturating_sub(1);
        let from = self.origin[start.min(last)];
        let to = match end.checked_sub(1) {
            Some(before) if end > start => {
                let mut to = self.origin[before.min(last)] + 1;
                while to < text.len() && !text.is_char_boundary(to) {
                    to += 1;
                }
                to
            }
            _ => from,
        };
        (from, to.max(from).min(text.len()))
    }
}

/// The normal form of `text`, or nothing when it is its own.
pub(super) fn normal(text: &str) -> Option<Normal> {
    if text.is_ascii() || !text.chars().any(|c| c >= '\u{ad}' && fold(c) != Fold::Same) {
        return None;
    }
    let mut out = Normal {
        text: Vec::with_capacity(text.len()),
        origin: Vec::with_capacity(text.len() + 1),
    };
    for (at, c) in text.char_indices() {
        match fold(c) {
            Fold::Gone => {}
            Fold::Ascii(byte) => {
                out.text.push(byte);
                out.origin.push(at);
            }
            Fold::Same => {
                let mut buffer = [0; 4];
                for (i, byte) in c.encode_utf8(&mut buffer).bytes().enumerate() {
                    out.text.push(byte);
                    out.origin.push(at + i);
                }
            }
        }
    }
    out.origin.push(text.len());
    Some(out)
}

#[derive(PartialEq, Eq)]
enum Fold {
    Same,
    Gone,
    Ascii(u8),
}

fn fold(c: char) -> Fold {
    let code = u32::from(c);
    match code {
        // Full-width forms, and the wide space.
        0xff01..=0xff5e => ascii(code - 0xff01 + 0x21),
        0x3000 => Fold::Ascii(b' '),
        // Soft hyphen, joiners, zero-width spaces, direction marks, variation
        // selectors, tags.
        0x00ad
        | 0x034f
        | 0x061c
        | 0x115f..=0x1160
        | 0x17b4..=0x17b5
        | 0x180b..=0x180f
        | 0x200b..=0x200f
        | 0x202a..=0x202e
        | 0x2060..=0x206f
        | 0x3164
        | 0xfe00..=0xfe0f
        | 0xfeff
        | 0xffa0
        | 0xfff9..=0xfffb
        | 0xe0000..=0xe0fff => Fold::Gone,
        // Mathematical letters: thirteen alphabets of upper and lower case, five sets of digits.
        0x1d400..=0x1d6a3 => {
            let letter = (code - 0x1d400) % 52;
            if letter < 26 {
                ascii(letter + 0x41)
            } else {
                ascii(letter - 26 + 0x61)
            }
        }
        0x1d7ce..=0x1d7ff => ascii((code - 0x1d7ce) % 10 + 0x30),
        _ => Fold::Same,
    }
}

fn ascii(code: u32) -> Fold {
    u8::try_from(code).map_or(Fold::Same, Fold::Ascii)
}
