//! The host table and what belongs to one host.
//!
//! Everything a host differs in is data in `hosts/*.toml`. What cannot be data
//! stands in one folder a host below this one; outside those folders no code
//! names a host.

pub mod claude;
pub mod codex;
pub mod command;
pub mod copilot;
pub mod detect;
pub mod dialect;
pub mod document;
pub mod gemini;
pub mod load;
pub mod opencode;
pub mod paths;
pub mod table;
pub mod trust;

use std::sync::OnceLock;

use crate::error::Error;
use table::Host;

/// The table files, in the order hosts are listed.
const FILES: [(&str, &str); 5] = [
    ("hosts/claude.toml", include_str!("../../hosts/claude.toml")),
    ("hosts/codex.toml", include_str!("../../hosts/codex.toml")),
    ("hosts/gemini.toml", include_str!("../../hosts/gemini.toml")),
    (
        "hosts/copilot.toml",
        include_str!("../../hosts/copilot.toml"),
    ),
    (
        "hosts/opencode.toml",
        include_str!("../../hosts/opencode.toml"),
    ),
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
    use std::collections::BTreeSet;

    use super::command::{System, render};
    use super::table::{Format, HookRow, Host, Scope};
    use crate::hook::Hook;

    fn hosts() -> &'static [Host] {
        super::all().unwrap()
    }

    fn host(id: &str) -> &'static Host {
        hosts().iter().find(|host| host.id == id).unwrap()
    }

    #[test]
    fn every_table_loads_in_the_order_people_see() {
        let ids: Vec<_> = hosts().iter().map(|host| host.id.as_str()).collect();
        assert_eq!(ids, ["claude", "codex", "gemini", "copilot", "opencode"]);
        for ((file, _), id) in super::FILES.iter().zip(&ids) {
            assert_eq!(*file, format!("hosts/{id}.toml"));
        }
    }

    #[test]
    fn the_versions_are_those_the_facts_were_seen_on() {
        let versions: Vec<_> = hosts()
            .iter()
            .map(|host| (host.id.as_str(), host.verified.as_str()))
            .collect();
        assert_eq!(
            versions,
            [
                ("claude", "2.1.332"),
                ("codex", "0.171.0"),
                ("gemini", "0.61.0"),
                ("copilot", "1.0.102"),
                ("opencode", "1.18.33"),
            ]
        );
    }

    #[test]
    fn only_the_hosts_that_are_written_are_called_supported() {
        let written: Vec<_> = hosts()
            .iter()
            .filter(|host| host.unsupported.is_none())
            .map(|host| host.id.as_str())
            .collect();
        assert_eq!(written, ["claude", "gemini"]);
    }

    #[test]
    fn every_hook_is_reachable_on_every_host() {
        for host in hosts() {
            for hook in Hook::ALL {
                assert!(
                    !matches!(host.row(hook), HookRow::NotPossible { .. }),
                    "{} {}",
                    host.id,
                    hook.name()
                );
                for registration in host.registrations(hook) {
                    assert!(host.events.contains(&registration.event));
                }
            }
        }
    }

    /// The tools that write files or run commands, as each host calls them. On
    /// Claude Code MultiEdit is gone from the verified version and PowerShell is
    /// there on Windows alone.
    const WRITE_TOOLS: [(&str, &[&str]); 4] = [
        (
            "claude",
            &[
                "Bash",
                "Edit",
                "MultiEdit",
                "NotebookEdit",
                "PowerShell",
                "Write",
            ],
        ),
        ("codex", &["Bash", "apply_patch"]),
        ("gemini", &["replace", "run_shell_command", "write_file"]),
        ("copilot", &["apply_patch", "bash", "create", "edit"]),
    ];

    #[test]
    fn the_guard_is_called_for_the_tools_that_write_and_no_other() {
        for (id, tools) in WRITE_TOOLS {
            let [registration] = host(id).registrations(Hook::Guard) else {
                panic!("{id}: one registration");
            };
            let matcher = registration.matcher.as_deref().unwrap();
            let named: BTreeSet<_> = matcher
                .trim_start_matches("^(")
                .trim_end_matches(")$")
                .split('|')
                .collect();
            assert_eq!(named, tools.iter().copied().collect(), "{id}");
        }
    }

    #[test]
    fn a_search_anywhere_is_anchored() {
        // Gemini CLI finds a matcher anywhere in the name: `write` would also
        // match somebody's `overwrite_report`.
        for hook in Hook::ALL {
            for registration in host("gemini").registrations(hook) {
                if let Some(matcher) = &registration.matcher {
                    assert!(
                        matcher.starts_with('^') && matcher.ends_with('$'),
                        "{matcher}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_registered_command_is_whole() {
        for host in hosts() {
            for hook in Hook::ALL {
                for registration in host.registrations(hook) {
                    for system in [System::Posix, System::Windows] {
                        let command = render(host, hook, registration, system);
                        for bad in ["<program>", "<hook>", "<args>", "<command", "~", "\n"] {
                            assert!(!command.contains(bad), "{command}");
                        }
                        let call = format!("hook {} --host {}", hook.name(), host.id);
                        assert!(command.contains(&call), "{command}");
                        assert!(command.contains("$HOME/.local/share/pan-hooks/bin"));
                        assert!(command.ends_with("exit 0"), "{command}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_command_that_any_shell_may_run_has_no_braces() {
        for host in hosts() {
            if host.command.shells.iter().any(|shell| shell == "fish") {
                assert!(!host.command.posix.contains(['{', '}']), "{}", host.id);
            }
        }
    }

    #[test]
    fn what_codex_hashes_is_as_it_was() {
        // An approval of Codex is a hash of these. Whoever changes one makes
        // every person approve every hook again.
        let codex = host("codex");
        let registration = &codex.registrations(Hook::Guard)[0];
        assert_eq!(
            render(codex, Hook::Guard, registration, System::Posix),
            "/bin/sh -c '[ -f \"$HOME/.local/share/pan-hooks/bin/pan-hooks\" ] && \
             [ -x \"$HOME/.local/share/pan-hooks/bin/pan-hooks\" ] && \
             \"$HOME/.local/share/pan-hooks/bin/pan-hooks\" hook guard --host codex' \
             2>/dev/null || exit 0"
        );
        let rows: Vec<_> = Hook::ALL
            .into_iter()
            .flat_map(|hook| codex.registrations(hook))
            .map(|row| (row.event.as_str(), row.matcher.as_deref(), row.timeout))
            .collect();
        assert_eq!(
            rows,
            [
                ("PostToolUse", None, 10),
                ("SessionStart", None, 10),
                ("PreToolUse", Some("Bash|apply_patch"), 10),
                ("SubagentStop", None, 30),
                ("SubagentStop", None, 30),
                ("Stop", None, 10),
                ("SessionStart", Some("compact"), 10),
            ]
        );
        for hashed in ["async", "statusMessage", "additionalContextLimit"] {
            assert!(codex.entry.handler.iter().all(|(key, _)| key != hashed));
        }
    }

    #[test]
    fn the_status_line_never_goes_into_a_shared_project_file() {
        for file in hosts().iter().flat_map(|host| &host.files) {
            assert!(!(file.holds_statusline && file.scope == Scope::Project));
        }
    }

    #[test]
    fn a_plugin_host_has_no_entries() {
        let opencode = host("opencode");
        assert!(
            opencode
                .files
                .iter()
                .all(|file| file.format == Format::OwnFile)
        );
        assert!(opencode.entry.handler.is_empty());
    }
}
