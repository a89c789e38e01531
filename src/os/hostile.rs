//! Files below a project or the temporary folder: places others can prepare.
//!
//! Nothing here follows a link below the folder it starts from, waits for a pipe,
//! reads a file that has a second name, or reads without a limit. Every part of a
//! path is opened from the folder before it, so nothing can be swapped in between.

#[cfg(unix)]
pub use on_unix::Folder;

#[cfg(not(unix))]
pub use elsewhere::Folder;

/// How long a log's lock is waited for.
const LOCK_MILLIS: i64 = 500;

/// How many names one folder read returns.
const MAX_NAMES: usize = 2048;

/// How many entries one folder read looks at.
const MAX_ENTRIES: usize = 8192;

#[cfg(unix)]
mod on_unix {
    use std::fs::{File, TryLockError};
    use std::io::Write as _;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::FileExt as _;

    use rustix::event::{Timespec, poll};
    use rustix::fs::{
        AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, statat,
    };

    use super::{LOCK_MILLIS, MAX_ENTRIES, MAX_NAMES};

    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);

    /// A folder that was opened without following a link.
    #[derive(Debug)]
    pub struct Folder(OwnedFd);

    fn is_ours(found: &Stat) -> bool {
        found.st_uid == rustix::process::geteuid().as_raw()
    }

    fn is_plain_file(found: &Stat) -> bool {
        FileType::from_raw_mode(found.st_mode) == FileType::RegularFile && found.st_nlink == 1
    }

    impl Folder {
        /// The folder `below` inside `start`, each of whose parts is a real folder of
        /// the user. `start` itself is trusted.
        pub fn open(start: &str, below: &str) -> Option<Self> {
            let mut parts = below.split('/');
            // One call opens the first part: most folders have no such part.
            let first = format!("{start}/{}", parts.next()?);
            let mut folder = openat(CWD, first, FOLDER, Mode::empty()).ok()?;
            for part in parts {
                folder = openat(&folder, part, FOLDER, Mode::empty()).ok()?;
            }
            let folder = Self(folder);
            is_ours(&fstat(&folder.0).ok()?).then_some(folder)
        }

        /// The folder `name` inside `start`, made if it is not there, that no one else
        /// may look into.
        pub fn private(start: &str, name: &str) -> Option<Self> {
            let path = format!("{start}/{name}");
            let opened = openat(CWD, &path, FOLDER, Mode::empty()).or_else(|_| {
                // Lost races and places that cannot be made show in the second try.
                let _ = mkdirat(CWD, &path, Mode::RWXU);
                openat(CWD, &path, FOLDER, Mode::empty())
            });
            let folder = Self(opened.ok()?);
            let found = fstat(&folder.0).ok()?;
            let others = Mode::from_raw_mode(found.st_mode).intersects(Mode::RWXG | Mode::RWXO);
            (is_ours(&found) && !others).then_some(folder)
        }

        /// The folder `name` inside this one.
        pub fn folder(&self, name: &str) -> Option<Self> {
            openat(&self.0, name, FOLDER, Mode::empty()).ok().map(Self)
        }

        /// The text of the file `name` when it is plain and of at most `limit` bytes.
        pub fn read(&self, name: &str, limit: usize) -> Option<String> {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = openat(&self.0, name, flags, Mode::empty()).ok()?;
            let found = fstat(&file).ok()?;
            let size = usize::try_from(found.st_size).ok()?;
            if !is_plain_file(&found) || size > limit {
                return None;
            }
            let mut bytes = Vec::with_capacity(size + 1);
            loop {
                if bytes.len() > limit {
                    return None;
                }
                bytes.reserve(1);
                match rustix::io::read(&file, rustix::buffer::spare_capacity(&mut bytes)) {
                    Ok(0) => break,
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(_) => return None,
                }
            }
            // A broken character makes one word unreadable, not the whole file.
            Some(match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            })
        }

        /// The names in this folder, a bounded number of them, sorted.
        pub fn names(&self) -> Vec<String> {
            let Ok(dir) = Dir::read_from(&self.0) else {
                return Vec::new();
            };
            let mut names: Vec<String> = dir
                .take(MAX_ENTRIES)
                .filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_owned))
                .filter(|name| !name.starts_with('.'))
                .take(MAX_NAMES)
                .collect();
            names.sort_unstable();
            names
        }

        /// Makes the empty file `name`. True for the one caller that made it, nothing
        /// when it cannot be made at all.
        pub fn claim(&self, name: &str) -> Option<bool> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            match openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR) {
                Ok(_) => Some(true),
                Err(rustix::io::Errno::EXIST) => Some(false),
                Err(_) => None,
            }
        }

        /// Appends whole lines to the log `name` with one write under its lock.
        /// Nothing is written to a log that is not plainly ours.
        pub fn append(&self, name: &str, lines: &str) -> Option<()> {
            let flags = OFlags::RDWR
                | OFlags::APPEND
                | OFlags::CREATE
                | OFlags::NOFOLLOW
                | OFlags::NONBLOCK
                | OFlags::CLOEXEC;
            let file = openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR).ok()?;
            let found = fstat(&file).ok()?;
            if !is_plain_file(&found) || !is_ours(&found) {
                return None;
            }
            let mut file = File::from(file);
            let locked = lock(&file);
            // A line that another program left unfinished stays a line of its own.
            let size = file.metadata().ok()?.len();
            let mut last = [b'\n'];
            if size > 0 {
                let _ = file.read_at(&mut last, size - 1);
            }
            let written = if last == *b"\n" {
                file.write_all(lines.as_bytes())
            } else {
                file.write_all(format!("\n{lines}").as_bytes())
            };
            if locked {
                let _ = file.unlock();
            }
            written.ok()
        }
    }

    /// Waits a bounded time for the lock. Without it a row is still one write at the
    /// end of the file, which is better than no row.
    fn lock(file: &File) -> bool {
        let mut waited = 0;
        loop {
            match file.try_lock() {
                Ok(()) => return true,
                Err(TryLockError::WouldBlock) if waited < LOCK_MILLIS => {
                    let pause = Timespec {
                        tv_sec: 0,
                        tv_nsec: 5_000_000,
                    };
                    let _ = poll(&mut [], Some(&pause));
                    waited += 5;
                }
                Err(_) => return false,
            }
        }
    }

    /// Whether there is anything named `path`, a link counted as itself.
    pub(super) fn is_there(path: &str) -> bool {
        statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Whether two paths lead to the same folder.
    pub(super) fn is_same(one: &str, other: &str) -> bool {
        let find = |path: &str| statat(CWD, path, AtFlags::empty()).ok();
        find(one)
            .zip(find(other))
            .is_some_and(|(one, other)| (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
    }
}

#[cfg(not(unix))]
mod elsewhere {
    #![expect(
        clippy::disallowed_methods,
        reason = "this is the door to hostile files on systems without openat"
    )]

    use std::fs::{File, OpenOptions, TryLockError};
    use std::io::{Read as _, Write as _};
    use std::path::{Path, PathBuf};

    use super::{LOCK_MILLIS, MAX_ENTRIES, MAX_NAMES};

    /// A folder that is no link. Owners and second names are not looked at here: the
    /// systems this is for keep them elsewhere.
    #[derive(Debug)]
    pub struct Folder(PathBuf);

    fn is_real_folder(path: &Path) -> bool {
        path.symlink_metadata().is_ok_and(|found| found.is_dir())
    }

    impl Folder {
        /// The folder `below` inside `start`, each of whose parts is a real folder.
        pub fn open(start: &str, below: &str) -> Option<Self> {
            let mut path = PathBuf::from(start);
            for part in below.split('/') {
                path.push(part);
                is_real_folder(&path).then_some(())?;
            }
            Some(Self(path))
        }

        /// The folder `name` inside `start`, made if it is not there.
        pub fn private(start: &str, name: &str) -> Option<Self> {
            let path = Path::new(start).join(name);
            if !is_real_folder(&path) {
                let _ = std::fs::create_dir(&path);
            }
            is_real_folder(&path).then_some(Self(path))
        }

        /// The folder `name` inside this one.
        pub fn folder(&self, name: &str) -> Option<Self> {
            let path = self.0.join(name);
            is_real_folder(&path).then_some(Self(path))
        }

        /// The text of the file `name` when it is plain and of at most `limit` bytes.
        pub fn read(&self, name: &str, limit: usize) -> Option<String> {
            let path = self.0.join(name);
            let found = path.symlink_metadata().ok()?;
            if !found.is_file() || usize::try_from(found.len()).ok()? > limit {
                return None;
            }
            let mut bytes = Vec::new();
            let most = u64::try_from(limit).ok()?;
            File::open(path)
                .ok()?
                .take(most)
                .read_to_end(&mut bytes)
                .ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }

        /// The names in this folder, a bounded number of them, sorted.
        pub fn names(&self) -> Vec<String> {
            let Ok(entries) = self.0.read_dir() else {
                return Vec::new();
            };
            let mut names: Vec<String> = entries
                .take(MAX_ENTRIES)
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .filter(|name| !name.starts_with('.'))
                .take(MAX_NAMES)
                .collect();
            names.sort_unstable();
            names
        }

        /// Makes the empty file `name`. True for the one caller that made it, nothing
        /// when it cannot be made at all.
        pub fn claim(&self, name: &str) -> Option<bool> {
            let path = self.0.join(name);
            match OpenOptions::new().write(true).create_new(true).open(path) {
                Ok(_) => Some(true),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Some(false),
                Err(_) => None,
            }
        }

        /// Appends whole lines to the log `name` with one write under its lock.
        pub fn append(&self, name: &str, lines: &str) -> Option<()> {
            let path = self.0.join(name);
            if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
                return None;
            }
            let mut file = OpenOptions::new()
                .append(true)
                .create(true)
                .open(path)
                .ok()?;
            let mut waited = 0;
            while let Err(TryLockError::WouldBlock) = file.try_lock() {
                if waited >= LOCK_MILLIS {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(5));
                waited += 5;
            }
            file.write_all(lines.as_bytes()).ok()
        }
    }

    pub(super) fn is_there(path: &str) -> bool {
        Path::new(path).symlink_metadata().is_ok()
    }

    pub(super) fn is_same(one: &str, other: &str) -> bool {
        let find = |path: &str| Path::new(path).canonicalize().ok();
        find(one)
            .zip(find(other))
            .is_some_and(|(one, other)| one == other)
    }
}

/// How many folders are looked at on the way up.
const MAX_UP: usize = 64;

/// A planning tree: where it lies, and the open folder.
#[derive(Debug)]
pub struct Tree {
    /// The folder that holds it, absolute.
    pub project: String,
    /// The tree itself.
    pub folder: Folder,
}

/// Finds the planning tree `name` from `cwd` (absolute and tidied) up to the folder
/// that holds `.git`; without such a folder only in `cwd`. Never in `home` or above.
pub fn find_tree(cwd: &str, name: &str, home: Option<&str>) -> Option<Tree> {
    use crate::hook::place;
    #[cfg(not(unix))]
    use elsewhere::{is_same, is_there};
    #[cfg(unix)]
    use on_unix::{is_same, is_there};

    let mut nearest: Option<Tree> = None;
    let mut at = cwd;
    for _ in 0..MAX_UP {
        if home.is_some_and(|home| place::below(home, at).is_some()) {
            return None;
        }
        // The root of the file system is spelt without its slash here.
        let folder = at.trim_end_matches('/');
        let found = match nearest {
            None => Folder::open(folder, name),
            Some(_) => None,
        };
        // A link may lead to the home folder under another name.
        if let Some(tree) = found
            && !home.is_some_and(|home| is_same(at, home))
        {
            let tree = Tree {
                project: at.to_owned(),
                folder: tree,
            };
            if at == cwd {
                return Some(tree);
            }
            nearest = Some(tree);
        }
        if is_there(&format!("{folder}/.git")) {
            return nearest;
        }
        at = place::parent(at)?;
    }
    None
}
