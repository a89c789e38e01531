//! Files: read whole, written whole or not at all.
//!
//! A file of a host is never opened for writing in the ordinary way: new text
//! goes to a temp file beside it, which takes its place by a rename. Where a
//! rename would break something (a mount point, a second hard link, an owner that
//! cannot be kept), the finished temp file is copied over instead, and stays until
//! the copy is complete, so that a run that was cut off can be finished.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the place that touches files"
)]

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::checkpoint;

/// No file of a host that a person writes comes near this size.
pub const LARGEST: u64 = 256 * 1024 * 1024;

/// How many links in a row are followed.
const MOST_LINKS: usize = 40;

/// A file as it was found: content and what a rename would lose.
#[derive(Debug, Clone)]
pub struct Found {
    /// The content.
    pub bytes: Vec<u8>,
    metadata: Metadata,
}

impl Found {
    /// Nobody may write it, its owner included.
    pub fn read_only(&self) -> bool {
        self.metadata.permissions().readonly()
    }

    /// It may be written by everyone.
    pub fn writable_by_others(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            self.metadata.mode() & 0o022 != 0
        }
        #[cfg(not(unix))]
        false
    }
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The file itself: no link, its folder's real path where that exists.
    pub real: PathBuf,
    /// The links on the way, as they are reached.
    pub links: Vec<PathBuf>,
}

/// Follows a chain of links to its end. The end need not exist.
///
/// # Errors
/// A loop, or a folder on the way that cannot be looked into.
pub fn follow(path: &Path) -> io::Result<Target> {
    let mut at = path.to_owned();
    let mut links = Vec::new();
    loop {
        match std::fs::symlink_metadata(&at) {
            Ok(metadata) if metadata.file_type().is_symlink() => {
                if links.len() == MOST_LINKS {
                    return Err(io::Error::other("too many links in a row"));
                }
                let to = std::fs::read_link(&at)?;
                // A relative link starts where the link really lies.
                let folder = real_folder(at.parent().unwrap_or(Path::new("/")))?;
                links.push(at);
                at = folder.join(to);
            }
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        }
    }
    let real = match (at.parent(), at.file_name()) {
        (Some(folder), Some(name)) => real_folder(folder)?.join(name),
        _ => at,
    };
    Ok(Target { real, links })
}

/// The real path of `folder`; what does not exist yet stays as written. A link that
/// leads nowhere yet is followed to where it would lead.
fn real_folder(folder: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut at = folder.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::canonicalize(&at) {
            Ok(mut real) => {
                real.extend(missing.iter().rev());
                return Ok(super::env::plain(&real));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (Some(parent), Some(name)) = (at.parent(), at.file_name()) else {
                    return Ok(folder.to_owned());
                };
                if let Ok(to) = std::fs::read_link(&at) {
                    at = real_folder(parent)?.join(to);
                } else {
                    missing.push(name.to_owned());
                    at = parent.to_owned();
                }
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(
        "too many folders or links in a row that lead nowhere",
    ))
}

/// The real path of something that exists.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

/// Reads a file whole, with what a rename would lose. `None` when there is none.
///
/// # Errors
/// It is no regular file, larger than [`LARGEST`], or may not be read.
pub fn find(path: &Path) -> io::Result<Option<Found>> {
    // Looked at before it is opened: opening a pipe would wait for its writer.
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(metadata) => regular(&metadata)?,
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    regular(&metadata)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(Some(Found { bytes, metadata }))
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_dir() {
        return Err(io::Error::other("a folder stands where the file should be"));
    }
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if metadata.len() > LARGEST {
        return Err(io::Error::other("larger than 256 MiB"));
    }
    Ok(())
}

/// The content of a file, `None` when there is none.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    Ok(find(path)?.map(|found| found.bytes))
}

/// Something is there, a link that leads nowhere included.
pub fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// A folder is there; links are followed.
pub fn is_folder(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// A regular file is there that this person may run; links are followed.
pub fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            metadata.is_file() && metadata.mode() & 0o111 != 0
        }
        #[cfg(not(unix))]
        metadata.is_file()
    })
}

/// Where a link points, as written; `None` when `path` is no link.
pub fn link(path: &Path) -> Option<PathBuf> {
    std::fs::read_link(path).ok()
}

/// Opens with `options`; here so that no one else opens files.
pub fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    options.open(path)
}

/// For the person alone, and not through a link.
pub fn private_no_follow(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
        let no_follow = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(no_follow.bits()).unwrap_or(0));
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// `file` is what lies at `path` now.
pub fn same_file(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        match (file.metadata(), std::fs::symlink_metadata(path)) {
            (Ok(open), Ok(there)) => open.dev() == there.dev() && open.ino() == there.ino(),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        is_there(path)
    }
}

/// `folder` and those above it that do not exist, outermost first.
pub fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<_> = folder
        .ancestors()
        .take_while(|folder| !is_folder(folder))
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

/// Makes `folder` and what is missing above it; says which were made, outermost
/// first. With `private`, for the person alone.
pub fn make_folders(folder: &Path, private: bool) -> io::Result<Vec<PathBuf>> {
    let mut made = Vec::new();
    for folder in missing_folders(folder) {
        match make_folder(&folder, private) {
            Ok(()) => made.push(folder),
            // Another run was faster; then it is that run's folder.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_folder(&folder) => {}
            Err(error) => {
                remove_folders(&made);
                return Err(error);
            }
        }
    }
    Ok(made)
}

fn make_folder(folder: &Path, private: bool) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    if private {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    #[cfg(not(unix))]
    let _ = private;
    builder.recursive(false).create(folder)
}

/// Removes folders that are empty, innermost first; the others stay.
pub fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = std::fs::remove_dir(folder);
    }
}

/// Removes a file or link. That there is none is fine.
pub fn remove_file(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The names in a folder, sorted; none when it cannot be read.
pub fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    names.sort();
    names
}

/// How a target takes its new content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The temp file is renamed over it.
    Rename,
    /// The temp file is copied over it: a rename would break a hard link, an
    /// owner or a mount.
    Copy,
}

/// A finished temp file, waiting to take its place.
#[derive(Debug)]
pub struct Staged {
    /// The temp file.
    pub temp: PathBuf,
    /// The target.
    pub real: PathBuf,
    /// How it gets there.
    pub way: Way,
}

/// How the target must take new content, from what was found there.
pub fn way(found: Option<&Found>) -> Way {
    #[cfg(unix)]
    if let Some(found) = found {
        use std::os::unix::fs::MetadataExt;
        if found.metadata.nlink() > 1 {
            return Way::Copy;
        }
    }
    #[cfg(not(unix))]
    let _ = found;
    Way::Rename
}

/// Writes `bytes` to the temp file `temp`, with the mode and owner of `like`.
///
/// # Errors
/// No room, no right to write in the folder; then no temp file is left.
pub fn stage(temp: &Path, real: &Path, bytes: &[u8], like: Option<&Found>) -> io::Result<Staged> {
    let mut way = way(like);
    let result = (|| {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if like.is_some() {
            use std::os::unix::fs::OpenOptionsExt;
            // Never wider than the original, not for a moment.
            options.mode(0o600);
        }
        let mut file = options.open(temp)?;
        file.write_all(bytes)?;
        #[cfg(unix)]
        if let Some(like) = like {
            use std::os::unix::fs::{MetadataExt, PermissionsExt};
            let now = file.metadata()?;
            let (uid, gid) = (like.metadata.uid(), like.metadata.gid());
            if (now.uid() != uid || now.gid() != gid)
                && std::os::unix::fs::fchown(&file, Some(uid), Some(gid)).is_err()
            {
                way = Way::Copy;
            }
            let mode = like.metadata.mode() & 0o7777;
            file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        }
        file.sync_all()
    })();
    match result {
        Ok(()) => Ok(Staged {
            temp: temp.to_owned(),
            real: real.to_owned(),
            way,
        }),
        Err(error) => {
            if error.kind() != io::ErrorKind::AlreadyExists {
                let _ = remove_file(temp);
            }
            Err(error)
        }
    }
}

/// Puts a staged file in its place. The temp file is gone afterwards, whatever
/// happened, unless a copy was cut short.
pub fn place(staged: &Staged) -> io::Result<()> {
    if staged.way == Way::Rename {
        match std::fs::rename(&staged.temp, &staged.real) {
            Ok(()) => return sync_folder(&staged.real),
            // A mount point, or a folder of another file system behind one name.
            Err(error) if mounted(&error) => {}
            Err(error) => {
                let _ = remove_file(&staged.temp);
                return Err(error);
            }
        }
    }
    copy_over(&staged.temp, &staged.real)
}

fn mounted(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ResourceBusy | io::ErrorKind::CrossesDevices
    )
}

/// Copies a finished temp file over the target and removes it. Can be done again
/// after it was cut off.
pub fn copy_over(temp: &Path, real: &Path) -> io::Result<()> {
    let bytes = std::fs::read(temp)?;
    let mut options = OpenOptions::new();
    options.write(true);
    let mut file = match options.open(real) {
        Ok(file) => file,
        Err(error) => {
            let _ = remove_file(temp);
            return Err(error);
        }
    };
    // In two steps, so that a test can end it between them.
    let (first, second) = bytes.split_at(bytes.len() / 2);
    file.write_all(first)?;
    checkpoint::reach("copying");
    file.write_all(second)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()?;
    remove_file(temp)?;
    sync_folder(real)
}

/// Makes a rename or removal in the folder of `path` last.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        return match File::open(folder)?.sync_all() {
            // Some file systems have no sync of a folder; the rename stands.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        };
    }
    let _ = path;
    Ok(())
}

/// Writes a file of our own: whole or not at all, for the person alone.
pub fn write_own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temp = beside(path, "new");
    let _ = remove_file(&temp);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private_no_follow(&mut options);
    let written = (|| {
        let mut file = options.open(&temp)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        checkpoint::reach("own");
        std::fs::rename(&temp, path)?;
        sync_folder(path)
    })();
    if written.is_err() {
        let _ = remove_file(&temp);
    }
    written
}

/// Writes a note of our own in one go. A run that is cut off may leave it empty.
pub fn write_note(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    private_no_follow(&mut options);
    options.open(path)?.write_all(bytes)
}

/// Removes what runs that were cut off left in `folder` under the names of
/// [`beside`] with the tag `new`. A run that is still at work keeps its file.
pub fn remove_left(folder: &Path) {
    for name in names(folder) {
        let parts = name.to_str().and_then(|name| name.rsplit_once(".new."));
        let Some((start, pid)) = parts else {
            continue;
        };
        if start.starts_with('.') && pid.parse().is_ok_and(|pid| !is_running(pid)) {
            let _ = remove_file(&folder.join(&name));
        }
    }
}

/// A process of that number is running, or it cannot be told.
fn is_running(pid: i32) -> bool {
    #[cfg(unix)]
    {
        let Some(pid) = rustix::process::Pid::from_raw(pid) else {
            return false;
        };
        rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
    }
    #[cfg(not(unix))]
    {
        let _ = pid;
        true
    }
}

/// `.name.tag.PID` beside `path`.
pub fn beside(path: &Path, tag: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{tag}.{}", std::process::id()));
    path.with_file_name(name)
}

/// Makes `link` point to `to`, in place of what is there.
pub fn make_link(to: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let temp = beside(link, "new");
        let _ = remove_file(&temp);
        std::os::unix::fs::symlink(to, &temp)?;
        checkpoint::reach("linking");
        std::fs::rename(&temp, link).inspect_err(|_| {
            let _ = remove_file(&temp);
        })?;
        sync_folder(link)
    }
    #[cfg(not(unix))]
    copy_program(to, link)
}

/// Copies a program to `place`, runnable by the person, in one step.
pub fn copy_program(from: &Path, place: &Path) -> io::Result<()> {
    let temp = beside(place, "new");
    let _ = remove_file(&temp);
    let copied = (|| {
        let bytes = std::fs::read(from)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o700);
        }
        let mut file = options.open(&temp)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        drop(file);
        checkpoint::reach("linking");
        std::fs::rename(&temp, place)?;
        sync_folder(place)
    })();
    if copied.is_err() {
        let _ = remove_file(&temp);
    }
    copied
}
