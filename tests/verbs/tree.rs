//! A folder and all that is in it, as bytes, to be compared.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What lies at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    File(Vec<u8>),
    Folder,
    Link(PathBuf),
    Pipe,
    Other,
}

/// One path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) links: u64,
    pub(crate) inode: u64,
    /// Nanoseconds since 1970.
    pub(crate) changed: i128,
}

/// All paths below a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tree(pub(crate) BTreeMap<PathBuf, Node>);

impl Tree {
    /// Everything below `root` as it is now.
    pub(crate) fn of(root: &Path) -> Self {
        let mut all = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries {
                let path = entry.unwrap().path();
                let Ok(metadata) = std::fs::symlink_metadata(&path) else {
                    continue;
                };
                let kind = if metadata.is_symlink() {
                    Kind::Link(std::fs::read_link(&path).unwrap())
                } else if metadata.is_dir() {
                    folders.push(path.clone());
                    Kind::Folder
                } else if metadata.is_file() {
                    Kind::File(std::fs::read(&path).unwrap_or_default())
                } else if metadata.file_type().is_fifo() {
                    Kind::Pipe
                } else {
                    Kind::Other
                };
                let below = path.strip_prefix(root).unwrap().to_owned();
                all.insert(
                    below,
                    Node {
                        kind,
                        mode: metadata.mode() & 0o7777,
                        owner: (metadata.uid(), metadata.gid()),
                        links: metadata.nlink(),
                        inode: metadata.ino(),
                        changed: i128::from(metadata.mtime()) * 1_000_000_000
                            + i128::from(metadata.mtime_nsec()),
                    },
                );
            }
        }
        Self(all)
    }

    /// The paths whose name `wanted` accepts.
    pub(crate) fn names(&self, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        self.0
            .keys()
            .filter(|path| wanted(&path.file_name().unwrap_or_default().to_string_lossy()))
            .cloned()
            .collect()
    }

    /// How `self` differs from `before` in paths, kinds, contents, modes, owners
    /// and links; empty when it does not.
    pub(crate) fn differs(&self, before: &Self) -> String {
        self.difference(before, false)
    }

    /// The same, and no file was even written: same inode, same time.
    pub(crate) fn was_touched(&self, before: &Self) -> String {
        self.difference(before, true)
    }

    fn difference(&self, before: &Self, strictly: bool) -> String {
        let mut text = String::new();
        for (path, old) in &before.0 {
            match self.0.get(path) {
                None => writeln!(text, "gone: {}", path.display()).unwrap(),
                Some(new) => {
                    let mut what = Vec::new();
                    if new.kind != old.kind {
                        what.push(format!("{} became {}", shown(&old.kind), shown(&new.kind)));
                    }
                    if new.mode != old.mode {
                        what.push(format!("mode {:o} became {:o}", old.mode, new.mode));
                    }
                    if new.owner != old.owner {
                        what.push("another owner".to_owned());
                    }
                    let is_folder = old.kind == Kind::Folder;
                    if new.links != old.links && !is_folder {
                        what.push("another count of links".to_owned());
                    }
                    if strictly && new.inode != old.inode {
                        what.push("another inode".to_owned());
                    }
                    if strictly && new.changed != old.changed && !is_folder {
                        what.push("another time".to_owned());
                    }
                    if !what.is_empty() {
                        writeln!(text, "{}: {}", path.display(), what.join(", ")).unwrap();
                    }
                }
            }
        }
        for (path, new) in &self.0 {
            if !before.0.contains_key(path) {
                writeln!(text, "new: {} {}", path.display(), shown(&new.kind)).unwrap();
            }
        }
        text
    }
}

fn shown(kind: &Kind) -> String {
    match kind {
        Kind::File(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let start: String = text.chars().take(3000).collect();
            format!("{start:?}")
        }
        other => format!("{other:?}"),
    }
}
