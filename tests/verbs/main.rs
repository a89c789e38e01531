//! The installer verbs, end to end: the real program, a home and a project of its
//! own for each test, and every byte compared.
//!
//! What is tested for one host is tested for every host of the table that this
//! version writes, in every scope it has a file for. No test may look at the home
//! folder or the configuration of the person who runs it.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests stand outside the program and look at what it left on the disk"
)]

#[cfg(test)]
mod edited_since;
#[cfg(test)]
mod fields;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod legacy;
#[cfg(test)]
mod output;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod reprint;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod seeded;
#[cfg(test)]
mod seeds;
#[cfg(test)]
mod switches;
#[cfg(test)]
mod table;
#[cfg(test)]
mod together;
#[cfg(test)]
mod tree;
#[cfg(test)]
mod undo;
