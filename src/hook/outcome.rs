//! What a handler decided: an answer for the host, and rows for a log.

use super::guard_log::Row;

/// What a handler decided. Empty means: say nothing, write nothing.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Why the call is denied, in the words the model reads.
    pub deny: Option<String>,
    /// What is written to the guard's log.
    pub rows: Vec<Row>,
}

/// The longest reason that is handed to a host, in characters. One host cuts what
/// is longer than 10,000; a reason has no need to come near.
pub const MAX_REASON: usize = 2_000;

/// `text` without control characters, cut to `limit` characters: fit for a
/// terminal, a model or a log.
pub fn clean(text: &str, limit: usize) -> String {
    text.chars()
        .filter(|character| !is_control(*character))
        .take(limit)
        .collect()
}

/// Control characters, and the marks that turn the direction of writing or hide
/// in a text.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
