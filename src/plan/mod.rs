//! From what should be there and what is there to the change of each file.
//!
//! One plan is read by `install`, `uninstall`, `diff`, `status` and every dry run,
//! so none of them can drift from what is written. The plan of a file is made from
//! text alone ([`mod@file`]); only [`apply`] reaches files, through `os`.

pub mod apply;
pub mod choose;
pub mod desired;
pub mod diff;
pub mod file;
pub mod journal;
pub mod pieces;
pub mod program;
pub mod undo;
