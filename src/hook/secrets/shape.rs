//! What a run of bytes looks like: its alphabet, how random it is, what it decodes to.
//!
//! Nothing here knows a vendor or a file; every function looks once over the
//! bytes it is given.

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const HEX: u8 = 8;
const DASH: u8 = 16;
const PLUS: u8 = 32;
const DOT: u8 = 64;
const NONE: u8 = 0;

/// The alphabets of each byte, one bit each.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [NONE; 256];
    let mut b = 0_u8;
    while b < 128 {
        let byte = b as usize;
        if b.is_ascii_lowercase() {
            table[byte] |= LOWER;
        }
        if b.is_ascii_uppercase() {
            table[byte] |= UPPER;
        }
        if b.is_ascii_digit() {
            table[byte] |= DIGIT;
        }
        if b.is_ascii_hexdigit() {
            table[byte] |= HEX;
        }
        if b == b'-' || b == b'_' {
            table[byte] |= DASH;
        }
        if b == b'+' || b == b'/' {
            table[byte] |= PLUS;
        }
        if b == b'.' || b == b'~' {
            table[byte] |= DOT;
        }
        b += 1;
    }
    table
}

/// A set of bytes a part of a token is made of.
#[derive(Clone, Copy)]
pub(super) struct Alphabet(u8);

impl Alphabet {
    /// Letters and digits.
    pub(super) const WORD: Self = Self(LOWER | UPPER | DIGIT);
    /// The alphabet of base64 in URLs.
    pub(super) const URL: Self = Self(LOWER | UPPER | DIGIT | DASH);
    /// The alphabet of base64.
    pub(super) const BASE64: Self = Self(LOWER | UPPER | DIGIT | PLUS);
    /// The alphabets of both forms of base64.
    pub(super) const BOTH: Self = Self(LOWER | UPPER | DIGIT | PLUS | DASH);

    /// The alphabet a letter of a pattern stands for (see `patterns`).
    pub(super) const fn of(letter: u8) -> Self {
        Self(match letter {
            b'w' => Self::WORD.0,
            b'u' => Self::URL.0,
            b'b' => Self::BASE64.0,
            b'y' => Self::BOTH.0,
            b'x' => Self::URL.0 | DOT,
            b'h' => HEX,
            b'd' => DIGIT,
            b'a' => LOWER | DIGIT,
            b'A' => UPPER | DIGIT,
            b'l' => LOWER | UPPER,
            _ => NONE,
        })
    }

    /// Whether `byte` is one of the set.
    pub(super) fn has(self, byte: u8) -> bool {
        CLASSES[usize::from(byte)] & self.0 != 0
    }

    /// How many of the first `most` bytes of `text` belong to the set.
    pub(super) fn run(self, text: &[u8], most: usize) -> usize {
        text.iter()
            .take(most)
            .take_while(|byte| self.has(**byte))
            .count()
    }
}

/// Counts of the sorts of bytes in a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Mix {
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digit: usize,
    /// `-`, `_`, `.`, `/`, `:` and `,`: what names and paths are joined with.
    pub(super) joint: usize,
    /// Every other printable byte.
    pub(super) symbol: usize,
    pub(super) space: usize,
    /// Bytes outside ASCII and control characters.
    pub(super) odd: usize,
}

impl Mix {
    /// Counts `text`.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut mix = Self::default();
        for &byte in text {
            match byte {
                b'a'..=b'z' => mix.lower += 1,
                b'A'..=b'Z' => mix.upper += 1,
                b'0'..=b'9' => mix.digit += 1,
                b'-' | b'_' | b'.' | b'/' | b':' | b',' => mix.joint += 1,
                b' ' | b'\t' => mix.space += 1,
                0x21..=0x7e => mix.symbol += 1,
                _ => mix.odd += 1,
            }
        }
        mix
    }

    /// Letters of both cases.
    pub(super) const fn letters(self) -> usize {
        self.lower + self.upper
    }

    /// How many of lower case, upper case, digits and symbols occur.
    pub(super) fn sorts(self) -> usize {
        [self.lower, self.upper, self.digit, self.symbol]
            .iter()
            .filter(|count| **count > 0)
            .count()
    }
}

/// Shannon entropy of `text` in hundredths of a bit per byte.
pub(super) fn entropy(text: &[u8]) -> u32 {
    if text.is_empty() {
        return 0;
    }
    let mut counts = [0_u16; 256];
    for &byte in text.iter().take(1024) {
        counts[usize::from(byte)] += 1;
    }
    let total = f64::from(u32::try_from(text.len().min(1024)).unwrap_or(1024));
    let sum: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum();
    hundredths(sum)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an entropy of bytes lies between 0 and 8"
)]
fn hundredths(bits: f64) -> u32 {
    (bits * 100.0).clamp(0.0, 800.0) as u32
}

/// How many different bytes `text` has.
pub(super) fn distinct(text: &[u8]) -> usize {
    let mut seen = [0_u64; 4];
    for &byte in text {
        seen[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }
    seen.iter().map(|bits| bits.count_ones() as usize).sum()
}

/// Whether most of `text` counts up or down, repeats itself or walks along the keyboard.
pub(super) fn is_sequence(text: &[u8]) -> bool {
    if text.len() < 4 {
        return false;
    }
    let pairs = text.windows(2);
    let steps = pairs
        .clone()
        .filter(|pair| {
            let (a, b) = (pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase());
            a.abs_diff(b) <= 1 || (a == b'9' && (b == b'0' || b == b'a')) || keyboard(a, b)
        })
        .count();
    if steps * 2 > text.len() {
        return true;
    }
    (1..=16).any(|period| {
        text.len() >= period * 2 + 2 && {
            let same = text
                .iter()
                .zip(text.iter().skip(period))
                .filter(|(a, b)| a.eq_ignore_ascii_case(b))
                .count();
            same * 10 >= (text.len() - period) * 9
        }
    })
}

fn keyboard(a: u8, b: u8) -> bool {
    b"qwertyuiop asdfghjkl zxcvbnm"
        .windows(2)
        .any(|pair| pair == [a, b] && a != b' ' && b != b' ')
}

/// The pairs of letters that make up nine tenths of English and of identifiers:
/// each word is a letter and those that often follow it. A third of all pairs,
/// so noise holds a third of them.
const FOLLOWERS: &[u8] = b"abcdgiklmnprstuy baeilorsu cacehiklorstu dadeilorsu \
    eabcdefgilmnpqrstvwxy faefiloru gaehinrs haeiot iabcdefglmnoprstvz kei \
    ladeilostuy maeimopsu nacdefginostuv obcdgklmnoprstuvw paeiloprstuy qu \
    racdegilmnorstuy sacehilopstuy tacehiloprstuy uabceilmnprst vaei waei \
    xet yps ze";

static COMMON: [u32; 26] = common();

const fn common() -> [u32; 26] {
    let mut table = [0; 26];
    let mut first = None;
    let mut i = 0;
    while i < FOLLOWERS.len() {
        let byte = FOLLOWERS[i];
        match first {
            _ if byte == b' ' => first = None,
            None => first = Some(byte - b'a'),
            Some(letter) => table[letter as usize] |= 1 << (byte - b'a'),
        }
        i += 1;
    }
    table
}

/// Whether `text` reads like words or an identifier rather than like noise.
///
/// Measured on its pairs of letters: in words most are common ones, and the
/// case and the sort of byte change only where a word starts.
pub(super) fn is_wordy(text: &[u8]) -> bool {
    let rhythm = Rhythm::of(text);
    rhythm.letters * 2 > text.len()
        && rhythm.pairs * 2 >= rhythm.letters
        && rhythm.usual * 100 >= rhythm.pairs * 70
        && rhythm.letters >= 3 * (rhythm.changes + 1)
}

/// Whether upper and lower case change as often as only noise does.
pub(super) fn is_mixed(text: &[u8]) -> bool {
    let rhythm = Rhythm::of(text);
    rhythm.changes >= 3 && rhythm.changes * 5 >= rhythm.letters
}

/// How the letters of a text follow each other.
struct Rhythm {
    letters: usize,
    /// Pairs of letters inside a word, and those of them that are common.
    pairs: usize,
    usual: usize,
    /// Starts of words that no joint announces, and groups of digits.
    changes: usize,
}

impl Rhythm {
    fn of(text: &[u8]) -> Self {
        let mut rhythm = Self {
            letters: 0,
            pairs: 0,
            usual: 0,
            changes: 0,
        };
        let mut before = b'_';
        let mut earlier = b'_';
        for &byte in text {
            if byte.is_ascii_alphabetic() {
                rhythm.letters += 1;
                let hump = before.is_ascii_lowercase() && byte.is_ascii_uppercase();
                let end_of_capitals = earlier.is_ascii_uppercase()
                    && before.is_ascii_uppercase()
                    && byte.is_ascii_lowercase();
                if hump || end_of_capitals {
                    rhythm.changes += 1;
                }
                if before.is_ascii_alphabetic() && !hump {
                    rhythm.pairs += 1;
                    let (a, b) = (before.to_ascii_lowercase(), byte.to_ascii_lowercase());
                    if COMMON[usize::from(a - b'a')] >> (b - b'a') & 1 == 1 {
                        rhythm.usual += 1;
                    }
                }
            } else if byte.is_ascii_digit() && before.is_ascii_alphabetic() {
                rhythm.changes += 1;
            }
            earlier = before;
            before = byte;
        }
        rhythm
    }
}

/// Decodes base64 of either alphabet, padded or not, up to `most` bytes of output.
pub(super) fn decode64(text: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(most.min(text.len() / 4 * 3 + 3));
    let mut bits = 0_u32;
    let mut count = 0_u32;
    for &byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0x00ff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xff) as u8);
            if out.len() >= most {
                break;
            }
        }
    }
    Some(out)
}

/// Whether `text` has the form of a uuid.
pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| {
            if matches!(at, 8 | 13 | 18 | 23) {
                *byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        })
}

/// Whether all of `text` is hexadecimal.
pub(super) fn is_hex(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit)
}

/// Whether the last six letters of `body` are the base62 form of the CRC-32 of
/// the thirty before them, as GitHub and npm make their tokens.
pub(super) fn has_crc62(body: &[u8]) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some((random, sum)) = body.split_at_checked(30).filter(|(_, sum)| sum.len() == 6) else {
        return false;
    };
    let mut crc = u32::MAX;
    for &byte in random {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1));
        }
    }
    let mut rest = !crc;
    sum.iter().rev().all(|byte| {
        let expected = DIGITS[(rest % 62) as usize];
        rest /= 62;
        *byte == expected
    })
}

/// A 64-bit FNV-1a hash: how documented dummies are remembered without their text.
pub(super) const fn fnv(text: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < text.len() {
        hash = (hash ^ text[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

/// Where `needle` (lower case) first occurs in `text`, whatever the case.
pub(super) fn find_ignore_case(text: &[u8], needle: &[u8]) -> Option<usize> {
    if needle.is_empty() || text.len() < needle.len() {
        return None;
    }
    let first = needle[0];
    (0..=text.len() - needle.len()).find(|&at| {
        text[at].to_ascii_lowercase() == first
            && text[at..at + needle.len()].eq_ignore_ascii_case(needle)
    })
}
