//! Which hosts, hooks and scope a run is about, and whether someone is there to
//! ask.

use std::io::IsTerminal;

use clap::ArgMatches;

use super::Failure;
use crate::hook::Hook;
use crate::host::detect;
use crate::host::paths::Here;
use crate::host::table::{Host, Scope};

/// The scope that was asked for.
pub fn scope(given: &ArgMatches) -> Scope {
    if given.get_flag("global") {
        Scope::User
    } else if given.get_flag("private") {
        Scope::Private
    } else {
        Scope::Project
    }
}

/// Someone is there to ask.
pub fn interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// The hosts a run is about.
#[derive(Debug)]
pub struct Hosts {
    /// The hosts, in the table's order.
    pub hosts: Vec<&'static Host>,
    /// They were named one by one: what cannot be done for one is refused, not
    /// passed over.
    pub named: bool,
    /// Some were named in any way.
    pub chosen: bool,
}

/// The hosts named with `--host`, or those on this machine.
///
/// # Errors
/// A name that no host has.
pub fn hosts(given: &ArgMatches, here: &Here) -> Result<Hosts, Failure> {
    let all = crate::host::all()?;
    let names: Vec<&String> = given.get_many("host").into_iter().flatten().collect();
    if names.is_empty() {
        let hosts = all
            .iter()
            .filter(|host| detect::detect(host, here).detected)
            .collect();
        return Ok(Hosts {
            hosts,
            named: false,
            chosen: false,
        });
    }
    for name in &names {
        if *name != "all" && !all.iter().any(|host| host.id == **name) {
            let known: Vec<_> = all.iter().map(|host| host.id.as_str()).collect();
            return Err(Failure::Usage(format!(
                "there is no host `{name}`; known are {} and all",
                known.join(", ")
            )));
        }
    }
    let every = names.iter().any(|name| *name == "all");
    Ok(Hosts {
        hosts: all
            .iter()
            .filter(|host| every || names.iter().any(|name| **name == host.id))
            .collect(),
        named: !every,
        chosen: true,
    })
}

/// The hooks named with `--hook`, or all that exist in this version; and those that
/// were named but do not exist yet.
pub fn hooks(given: &ArgMatches) -> (Vec<Hook>, Vec<Hook>) {
    let named: Vec<Hook> = given
        .get_many::<String>("hook")
        .into_iter()
        .flatten()
        .filter_map(|name| Hook::named(name))
        .collect();
    if named.is_empty() {
        return (Hook::BUILT.to_vec(), Vec::new());
    }
    let (mut built, missing): (Vec<Hook>, Vec<Hook>) = named
        .into_iter()
        .partition(|hook| Hook::BUILT.contains(hook));
    built.sort();
    built.dedup();
    (built, missing)
}
