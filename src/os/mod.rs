//! The only door to the system: files, locks, environment, clock.

pub mod hostile;
pub mod runtime;
pub mod stdin;
pub mod surroundings;
