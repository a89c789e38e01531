//! What makes two calls of a hook the same event.
//!
//! A hook that is registered twice is started twice for one event. Hosts that give
//! a tool call an id name the event by it; for the others the session, the time
//! and the arguments do. Ids never name a file: they are hashed.

use sha2::{Digest as _, Sha256};

use super::guard_log::millis;
use super::payload::Payload;

/// The name of the event `payload` belongs to, for `hook`; nothing when two
/// different events could not be told apart.
pub fn identity(hook: &str, payload: &Payload<'_>) -> Option<String> {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    add(hook);
    add(payload.host);
    add(payload.session.as_deref().unwrap_or_default());
    match (&payload.call, &payload.timestamp) {
        (Some(call), _) => add(call),
        (None, Some(time)) => {
            // One host writes the same time in two ways, and the tool's name as well.
            match millis(time) {
                Some(millis) => add(&millis.to_string()),
                None => add(time),
            }
            add(payload.args.text());
        }
        (None, None) => return None,
    }
    let mut name = String::with_capacity(40);
    for byte in hash.finalize().iter().take(16) {
        for digit in [byte >> 4, byte & 15] {
            name.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    Some(name)
}
