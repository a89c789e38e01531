//! The host table and what belongs to one host.
//!
//! Everything a host differs in is data in `hosts/*.toml`. What cannot be data
//! stands in one folder a host below this one; outside those folders no code
//! names a host.

pub mod claude;
pub mod codex;
pub mod copilot;
pub mod dialect;
pub mod gemini;
pub mod opencode;
