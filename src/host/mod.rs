//! The host table and what belongs to one host.
//!
//! Everything a host differs in is data in `hosts/*.toml`. What cannot be data
//! stands in one folder a host below this one; outside those folders no code
//! names a host.

pub mod command;
pub mod detect;
pub mod load;
pub mod paths;
pub mod table;

use std::sync::OnceLock;

use crate::error::Error;
use table::Host;

/// The table files, in the order hosts are listed.
const FILES: [(&str, &str); 2] = [
    ("hosts/claude.toml", include_str!("../../hosts/claude.toml")),
    ("hosts/gemini.toml", include_str!("../../hosts/gemini.toml")),
];

/// All hosts, in the order they are listed to people.
///
/// # Errors
/// A table that does not load. The tables are compiled in and a test loads them,
/// so this is an error of the build, not of the machine.
pub fn all() -> Result<&'static [Host], Error> {
    static HOSTS: OnceLock<Result<Vec<Host>, Error>> = OnceLock::new();
    HOSTS
        .get_or_init(|| {
            FILES
                .iter()
                .map(|(file, text)| load::host(file, text))
                .collect()
        })
        .as_deref()
        .map_err(Clone::clone)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tables_load() {
        let hosts = super::all().unwrap();
        assert!(hosts.len() >= 2);
    }
}
