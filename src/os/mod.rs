//! The only door to the system: files, locks, environment, clock.
//!
//! Nothing here knows what a host or a hook is.

pub mod checkpoint;
pub mod clock;
pub mod env;
pub mod fs;
pub mod git;
pub mod hostile;
pub mod lock;
pub mod runtime;
pub mod stdin;
pub mod surroundings;
