//! Exact edits of the JSON, JSONC and TOML files hosts read: text in, splices out.
//!
//! Nothing in this folder reads or writes a file, and no file is ever printed
//! from a parsed tree: a change is a list of [`Splice`]s, so every byte that is
//! not ours stays as it is. What counts as ours is the caller's to say; here
//! entries have only a place: event, group, handler.
//!
//! - [`splice`]: a change of a text, how to apply it and how to take it back;
//! - [`document`]: a text read by the grammar its host really accepts;
//! - [`style`]: how that text is written, so that ours looks like it;
//! - [`container`]: children into and out of one object or array;
//! - [`entries`]: registrations found, checked, added, changed and removed;
//! - [`toml`]: the same in TOML;
//! - [`parsed`]: a file in either language.

pub mod container;
pub mod document;
pub mod entries;
pub mod parsed;
pub mod splice;
pub mod style;
pub mod toml;
mod verify;

pub use document::{Document, Grammar, Node, decode};
pub use entries::{At, Change, Edited, Entry, Found, Made, Shape, check, found, splices};
pub use parsed::{Language, Parsed};
pub use splice::{Splice, apply, inverse};
pub use style::Style;

#[cfg(test)]
mod tests;
