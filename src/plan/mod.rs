//! From what should be there and what is there to the change of each file.
//!
//! One plan is read by `install`, `uninstall`, `diff`, `status` and every dry run,
//! so none of them can drift from what is written. The plan of a file is made from
//! text alone ([`mod@file`]); only [`look`], [`apply`] and
//! [`store`] reach files, through `os`.

pub mod apply;
pub mod choose;
pub mod desired;
pub mod diff;
pub mod file;
pub mod journal;
pub mod look;
pub mod pieces;
pub mod program;
pub mod store;
pub mod undo;
