//! What cannot be data about this host.

pub mod dialect;
pub mod trust;
