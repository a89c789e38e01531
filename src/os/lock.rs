//! One lock a file of a host, in our own state folder.
//!
//! The lock is on the real path, so two ways to one file share it. It is gone
//! with the process, whatever ended it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::fs;
use crate::error::Error;

/// How long another run may hold the lock before this one gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// A lock that is held; dropping it lets go.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the lock file `path`, made when missing, waiting up to 30 seconds.
    ///
    /// # Errors
    /// The file cannot be opened (a link is not followed), its folder is gone, or
    /// another process keeps the lock for too long.
    pub fn take(path: &Path) -> Result<Self, Error> {
        Self::take_if(path)?
            .ok_or_else(|| Error::new("the folder of this lock is gone").in_file(path))
    }

    /// The same; `None` when its folder is gone.
    ///
    /// # Errors
    /// As [`Lock::take`].
    pub fn take_if(path: &Path) -> Result<Option<Self>, Error> {
        Self::wait_for(path, File::try_lock)
    }

    /// The same, beside others who take it this way.
    ///
    /// # Errors
    /// As [`Lock::take`].
    pub fn take_shared_if(path: &Path) -> Result<Option<Self>, Error> {
        Self::wait_for(path, File::try_lock_shared)
    }

    fn wait_for(
        path: &Path,
        try_lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Option<Self>, Error> {
        let failed = |error: std::io::Error| {
            Error::new(format!("the lock cannot be taken: {error}")).in_file(path)
        };
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut options = OpenOptions::new();
            options.create(true).truncate(false).write(true);
            fs::private_no_follow(&mut options);
            let file = match fs::open(&options, path) {
                // Another run has just removed what it thought was the last of ours.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                other => other.map_err(failed)?,
            };
            loop {
                match try_lock(&file) {
                    Ok(()) => break,
                    Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                        wait(Duration::from_millis(5));
                    }
                    Err(TryLockError::WouldBlock) => {
                        return Err(Error::new(
                            "another pan-hooks has been at work for 30 seconds",
                        )
                        .in_file(path)
                        .remedy("wait for it or end it, then run again"));
                    }
                    Err(TryLockError::Error(error)) => return Err(failed(error)),
                }
            }
            // Whoever cleaned up may have removed the file between open and lock:
            // a lock on a removed file would guard nothing.
            if fs::same_file(&file, path) {
                return Ok(Some(Self {
                    path: path.to_owned(),
                    file,
                }));
            }
            if Instant::now() >= deadline {
                return Err(Error::new("the lock file keeps disappearing").in_file(path));
            }
        }
    }

    /// Lets go and removes the file: nothing of ours is to stay.
    pub fn remove(self) {
        // A failure leaves an empty file in our own folder, no more.
        let _ = fs::remove_file(&self.path);
        drop(self.file);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a lock held by another process can only be asked for again"
)]
fn wait(time: Duration) {
    std::thread::sleep(time);
}
