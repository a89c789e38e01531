//! The little that is needed of git, read by hand: a repository that is not
//! trusted must not get a program of ours, git included, to run anything.
#![expect(
    clippy::disallowed_methods,
    reason = "reads the repository's own files"
)]

use std::path::{Path, PathBuf};

/// An index larger than this is not looked through.
const LARGEST_INDEX: u64 = 512 * 1024 * 1024;

/// The folder that holds `.git`, from `start` upwards.
pub fn root(start: &Path) -> Option<PathBuf> {
    start
        .ancestors()
        .find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok())
        .map(Path::to_owned)
}

/// Whether git tracks `path` (below `root`) as a symbolic link. `None` when the
/// index cannot be read: the caller must then assume that it does.
pub fn tracks_link(root: &Path, path: &Path) -> Option<bool> {
    let name = path.strip_prefix(root).ok()?;
    let name = name.to_str()?.replace('\\', "/");
    let index = git_folder(root)?.join("index");
    match std::fs::metadata(&index) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= LARGEST_INDEX => {}
        // A repository without an index tracks nothing yet.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(false),
        _ => return None,
    }
    index_has_link(&std::fs::read(index).ok()?, name.as_bytes())
}

/// The folder with the index: `.git`, or where a `.git` file points.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let metadata = std::fs::metadata(&git).ok()?;
    if metadata.is_dir() {
        return Some(git);
    }
    if metadata.len() > 8192 {
        return None;
    }
    let text = std::fs::read_to_string(&git).ok()?;
    let to = text.strip_prefix("gitdir:")?.trim();
    Some(root.join(to))
}

/// Looks through an index of version 2, 3 or 4 for a link of that name.
fn index_has_link(bytes: &[u8], wanted: &[u8]) -> Option<bool> {
    const LINK: u32 = 0o120_000;
    let number = |at: usize| -> Option<u32> {
        let four = bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_be_bytes(four.try_into().ok()?))
    };
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let version = number(4)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let entries = number(8)?;
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..entries {
        let start = at;
        let mode = number(start + 24)?;
        let flags = u16::from_be_bytes(bytes.get(start + 60..start + 62)?.try_into().ok()?);
        at = start + 62;
        if version >= 3 && flags & 0x4000 != 0 {
            at += 2;
        }
        if version == 4 {
            // The name is what the one before it keeps, plus the rest.
            let mut cut = 0_usize;
            let mut first = true;
            loop {
                let byte = *bytes.get(at)?;
                at += 1;
                if !first {
                    cut = cut.checked_add(1)?;
                }
                first = false;
                cut = cut
                    .checked_mul(128)?
                    .checked_add(usize::from(byte & 0x7f))?;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            name.truncate(name.len().checked_sub(cut)?);
        } else {
            name.clear();
        }
        let rest = bytes.get(at..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(&rest[..end]);
        at += end + 1;
        if version < 4 {
            // Padded with zeros to a multiple of eight, at least one of them.
            at = start + (at - start).div_ceil(8) * 8;
        }
        if name == wanted {
            return Some(mode & 0o170_000 == LINK);
        }
    }
    // An index that is split keeps its other entries in a file this one names.
    // What follows are extensions, a name and a length each, and a checksum.
    while let (Some(extension), Some(length)) = (bytes.get(at..at + 4), number(at + 4)) {
        if extension == b"link" {
            return None;
        }
        at = at
            .checked_add(8)?
            .checked_add(usize::try_from(length).ok()?)?;
    }
    Some(false)
}
