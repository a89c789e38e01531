//! Paths as text: joined, tidied and shown, without asking the file system.

use super::outcome::clean;

/// The longest path that is shown, in characters.
const MAX_SHOWN: usize = 300;

/// Whether `path` starts at a root or a drive.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || has_drive(path)
}

/// Whether `path` starts with a drive letter.
pub fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// `path` seen from the folder `base`, tidied: no `.`, no `..`, no double or
/// final slash. Backslashes separate only where a drive letter says so.
pub fn resolve(base: &str, path: &str) -> String {
    let windows = has_drive(path) || has_drive(base);
    let is_separator = |byte: u8| byte == b'/' || (windows && byte == b'\\');
    let absolute = is_absolute(path) || path.bytes().next().is_some_and(is_separator);
    let base = if absolute { "" } else { base };
    let mut out = String::with_capacity(base.len() + path.len() + 2);
    for part in parts(base, &is_separator).chain(parts(path, &is_separator)) {
        match part {
            "" | "." => {}
            ".." => {
                // Never above the root or the drive.
                if let Some(at) = out.rfind('/') {
                    out.truncate(at);
                }
            }
            part => {
                if !(out.is_empty() && has_drive(part)) {
                    out.push('/');
                }
                out.push_str(part);
            }
        }
    }
    if out.is_empty() {
        out.push('/');
    }
    out
}

/// The parts of `path` between its separators, which are single bytes of their own.
fn parts<'a>(path: &'a str, is_separator: &impl Fn(u8) -> bool) -> impl Iterator<Item = &'a str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        let Some(at) = path.bytes().position(is_separator) else {
            rest = None;
            return Some(path);
        };
        rest = path.get(at + 1..);
        path.get(..at)
    })
}

/// The part of `path` below `folder`; empty for the folder itself.
pub fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('/')
}

/// The folder `path` lies in; nothing above the root.
pub fn parent(path: &str) -> Option<&str> {
    let at = path.rfind('/')?;
    match at {
        0 if path.len() == 1 => None,
        0 => path.get(..1),
        at => path.get(..at),
    }
}

/// The last part of `path`.
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `path` as people read it: relative inside `project`, with `~` inside `home`.
pub fn shown(path: &str, project: Option<&str>, home: Option<&str>) -> String {
    let text = if let Some(inside) = project.and_then(|project| below(path, project)) {
        if inside.is_empty() {
            ".".into()
        } else {
            inside.to_owned()
        }
    } else if let Some(inside) = home.and_then(|home| below(path, home)) {
        format!("~/{inside}")
    } else {
        path.to_owned()
    };
    clean(&text, MAX_SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied() {
        for (base, path, want) in [
            ("/p/q", "a", "/p/q/a"),
            ("/p/q", "../a/./b//c/", "/p/a/b/c"),
            ("/p/q", "/x/../..", "/"),
            ("/", "a", "/a"),
            ("/p", "a\\b", "/p/a\\b"),
            ("C:\\p", "a\\..\\b", "C:/p/b"),
            ("/p", "C:\\x\\y", "C:/x/y"),
            ("C:\\p", "..\\..\\..\\z", "C:/z"),
        ] {
            assert_eq!(resolve(base, path), want, "{base} + {path}");
        }
    }

    #[test]
    fn below_means_below() {
        assert_eq!(below("/p/q/r", "/p/q"), Some("r"));
        assert_eq!(below("/p/qr", "/p/q"), None);
        assert_eq!(below("/p/q", "/p/q"), Some(""));
        assert_eq!(below("/p", "/"), Some("p"));
        assert_eq!(parent("/p"), Some("/"));
        assert_eq!(parent("/"), None);
    }

    #[test]
    fn shown_paths_name_no_home() {
        assert_eq!(shown("/h/p/a", Some("/h/p"), Some("/h")), "a");
        assert_eq!(shown("/h/x\u{1b}[1m", Some("/h/p"), Some("/h")), "~/x[1m");
        assert_eq!(shown("/etc/x", Some("/h/p"), Some("/h")), "/etc/x");
    }
}
