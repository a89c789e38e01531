//! The registered command: rendering it, and telling it from everyone else's.
//!
//! Ownership is decided here and nowhere else: a command is ours when it is, byte
//! for byte, one that some version of ours rendered. It is PAN's when it has the
//! form PAN's installer wrote. Names, markers and comments prove nothing.

use super::table::{Host, Registration};
use crate::hook::Hook;

/// The program in every registered command, as the shell sees it.
pub const PROGRAM_POSIX: &str = "\"$HOME/.local/share/pan-hooks/bin/pan-hooks\"";
/// The same on Windows; PowerShell and Git Bash both expand it.
pub const PROGRAM_WINDOWS: &str = "\"$HOME/.local/share/pan-hooks/bin/pan-hooks.exe\"";

/// The system a command is rendered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux and macOS.
    Posix,
    /// Windows.
    Windows,
}

impl System {
    /// The one this program was built for.
    pub const fn this() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else {
            Self::Posix
        }
    }
}

/// The command that fires `hook` on `host` for `registration`.
pub fn render(host: &Host, hook: Hook, registration: &Registration, system: System) -> String {
    let (form, program) = match system {
        System::Posix => (&host.command.posix, PROGRAM_POSIX),
        System::Windows => (&host.command.windows, PROGRAM_WINDOWS),
    };
    fill(form, program, hook, &registration.args)
}

fn fill(form: &str, program: &str, hook: Hook, args: &[String]) -> String {
    let mut words = String::new();
    for arg in args {
        words.push(' ');
        words.push_str(arg);
    }
    form.replace("<program>", program)
        .replace("<hook>", hook.name())
        .replace("<args>", &words)
}

/// Whose a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Ours, in the form of this version.
    Ours(Hook),
    /// Ours, in a form of an earlier version or of another system.
    OursBefore(Hook),
    /// PAN's own installer wrote it.
    Pan(Hook),
    /// Somebody else's.
    Other,
}

/// Whose `command` is when it stands in a file of `host`.
pub fn owner(host: &Host, command: &str) -> Owner {
    for hook in Hook::ALL {
        for registration in host.registrations(hook) {
            if render(host, hook, registration, System::this()) == command {
                return Owner::Ours(hook);
            }
        }
    }
    let forms = host
        .command
        .past
        .iter()
        .chain([&host.command.posix, &host.command.windows]);
    for form in forms {
        for hook in Hook::ALL {
            for registration in host.registrations(hook) {
                for program in [PROGRAM_POSIX, PROGRAM_WINDOWS] {
                    if fill(form, program, hook, &registration.args) == command {
                        return Owner::OursBefore(hook);
                    }
                }
            }
        }
    }
    pan(host, command).map_or(Owner::Other, Owner::Pan)
}

/// The hook whose PAN script `command` runs: `node <folder>/pan-x.js`, the path
/// bare, or quoted and absolute, then only the flags PAN writes.
fn pan(host: &Host, command: &str) -> Option<Hook> {
    let legacy = host.legacy.as_ref()?;
    let rest = command.strip_prefix(&legacy.runner)?.strip_prefix(' ')?;
    let (path, flags) = if let Some(quoted) = rest.strip_prefix('"') {
        quoted.split_once('"')?
    } else {
        match rest.split_once(' ') {
            Some((path, _)) => (path, &rest[path.len()..]),
            None => (rest, ""),
        }
    };
    let path = path.replace('\\', "/");
    let (folder, script) = path.rsplit_once('/')?;
    let (hook, _) = legacy.scripts.iter().find(|(_, name)| *name == script)?;
    // A moved config folder has any name, but the scripts lie in its `hooks`.
    let relative = legacy
        .folders
        .iter()
        .any(|known| folder == known || folder == format!("./{known}"));
    let absolute = rest.starts_with('"') && folder.ends_with("/hooks") && is_absolute(folder);
    if !relative && !absolute {
        return None;
    }
    let mut words = flags.split_ascii_whitespace();
    while let Some(word) = words.next() {
        if !legacy.flags.iter().any(|flag| flag == word) {
            return None;
        }
        // A flag may stand alone or with one plain word.
        let mut ahead = words.clone();
        if ahead.next().is_some_and(|value| {
            !value.starts_with('-') && value.bytes().all(|b| b.is_ascii_alphanumeric())
        }) {
            words = ahead;
        }
    }
    Some(*hook)
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with('/') || (bytes.len() > 2 && bytes[1] == b':' && bytes[2] == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(id: &str) -> &'static Host {
        crate::host::all()
            .unwrap()
            .iter()
            .find(|host| host.id == id)
            .unwrap()
    }

    #[test]
    fn only_a_rendered_text_is_ours() {
        for host in crate::host::all().unwrap() {
            for hook in Hook::ALL {
                for registration in host.registrations(hook) {
                    let ours = render(host, hook, registration, System::this());
                    assert_eq!(owner(host, &ours), Owner::Ours(hook), "{ours}");
                    for theirs in [
                        format!("{ours} "),
                        format!(" {ours}"),
                        ours.replace("hook ", "hook  "),
                        format!("{ours}; true"),
                        ours.replace("share", "Share"),
                    ] {
                        assert_eq!(owner(host, &theirs), Owner::Other, "{theirs}");
                    }
                }
            }
        }
        for theirs in [
            "echo pan-hooks",
            "node $HOME/src/pan-hooks-notes/my.js",
            "pan-hooks hook guard --host claude",
            "\"$HOME/.local/share/pan-hooks/bin/pan-hooks\" hook guard --host claude",
        ] {
            assert_eq!(owner(host("claude"), theirs), Owner::Other);
        }
    }

    #[test]
    fn the_other_systems_form_is_ours_from_before() {
        let gemini = host("gemini");
        let registration = &gemini.registrations(Hook::Guard)[0];
        let windows = render(gemini, Hook::Guard, registration, System::Windows);
        assert_eq!(owner(gemini, &windows), Owner::OursBefore(Hook::Guard));
    }

    #[test]
    fn what_pan_wrote_is_known_by_its_whole_form() {
        let claude = host("claude");
        for (command, hook) in [
            ("node .claude/hooks/pan-guard.js", Hook::Guard),
            ("node .claude/hooks/pan-guard.js --host claude", Hook::Guard),
            (
                "node \"/home/u/.claude/hooks/pan-stop-guard.js\"",
                Hook::StopGuard,
            ),
            (
                "node \"C:/Users/A B/.claude/hooks/pan-guard.js\"",
                Hook::Guard,
            ),
            (
                "node \"/home/u/alt/hooks/pan-state-reinject.js\" --mark",
                Hook::StateReinject,
            ),
        ] {
            assert_eq!(owner(claude, command), Owner::Pan(hook), "{command}");
        }
        for command in [
            "node /srv/my/pan-guard.js",
            "node .claude/hooks/my-pan-guard.js",
            "node .claude/hooks/pan-guard.js && ./mine.sh",
            "node .claude/hooks/pan-guard.js --trace",
            "bun .claude/hooks/pan-guard.js",
            "node \".claude/hooks/pan-guard.js\" --host $(id)",
        ] {
            assert_eq!(owner(claude, command), Owner::Other, "{command}");
        }
    }
}
