//! Standard input until one JSON value is complete.
//!
//! Hosts may hold the pipe open after the payload, so nothing here waits for its
//! end, and nothing waits for long.

use crate::hook::json::EndFinder;

/// How long the first byte may take: a busy machine starts us before the host
/// gets to write.
const FIRST_MILLIS: u64 = 1_000;

/// How long each later byte may take.
const IDLE_MILLIS: u64 = 250;

/// How long all of it may take.
const TOTAL_MILLIS: u64 = 5_000;

/// How much is read at most.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// What came in.
#[derive(Debug)]
pub enum Input {
    /// One JSON object or array, and nothing after it.
    Value(Vec<u8>),
    /// Nothing at all.
    Empty,
    /// Bytes that are no complete value, or too many of them.
    Unreadable,
}

/// Reads standard input.
pub fn read() -> Input {
    let mut bytes = Vec::new();
    let mut end = EndFinder::default();
    let mut source = Source::new();
    let mut spent = 0;
    loop {
        let patience = if bytes.is_empty() {
            FIRST_MILLIS
        } else {
            IDLE_MILLIS
        };
        let patience = patience.min(TOTAL_MILLIS.saturating_sub(spent));
        match source.more(&mut bytes, patience, &mut spent) {
            More::Bytes => {}
            More::End => break,
        }
        if let Some(length) = end.feed(&bytes) {
            bytes.truncate(length);
            return Input::Value(bytes);
        }
        if bytes.len() > MAX_BYTES {
            return Input::Unreadable;
        }
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        Input::Empty
    } else {
        Input::Unreadable
    }
}

enum More {
    Bytes,
    End,
}

#[cfg(unix)]
use on_unix::Source;

#[cfg(unix)]
mod on_unix {
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    use super::More;

    /// The most that is read at once.
    const MAX_CHUNK: usize = 1024 * 1024;

    /// What is read at first.
    const FIRST_CHUNK: usize = 2048;

    pub(super) struct Source {
        started: Option<Instant>,
        chunk: usize,
    }

    impl Source {
        pub(super) const fn new() -> Self {
            Self {
                started: None,
                chunk: 64 * 1024,
            }
        }

        /// Appends what is there within `patience` milliseconds.
        pub(super) fn more(&mut self, bytes: &mut Vec<u8>, patience: u64, spent: &mut u64) -> More {
            let stdin = rustix::stdio::stdin();
            let timeout = Timespec {
                tv_sec: i64::try_from(patience / 1000).unwrap_or(0),
                tv_nsec: i64::try_from(patience % 1000).unwrap_or(0) * 1_000_000,
            };
            loop {
                let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
                match poll(&mut fds, Some(&timeout)) {
                    Ok(0) => return More::End,
                    Ok(_) => {}
                    Err(Errno::INTR) => continue,
                    Err(_) => return More::End,
                }
                // Most payloads are small: no large block is asked for until one is not.
                let mut first = [0; FIRST_CHUNK];
                let filled = bytes.len();
                let read = if filled == 0 {
                    rustix::io::read(stdin, &mut first)
                } else {
                    bytes.reserve(self.chunk);
                    rustix::io::read(stdin, rustix::buffer::spare_capacity(bytes))
                };
                match read {
                    Ok(0) => return More::End,
                    Ok(length) if filled == 0 => {
                        bytes.extend_from_slice(first.get(..length).unwrap_or_default());
                    }
                    Ok(length) if length >= self.chunk => {
                        self.chunk = (self.chunk * 2).min(MAX_CHUNK);
                    }
                    Ok(_) => {}
                    Err(Errno::INTR | Errno::AGAIN) => continue,
                    Err(_) => return More::End,
                }
                // The clock is asked only when one read was not enough.
                match self.started {
                    None => self.started = Some(Instant::now()),
                    Some(started) => {
                        *spent = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
                    }
                }
                return More::Bytes;
            }
        }
    }
}

#[cfg(not(unix))]
use elsewhere::Source;

#[cfg(not(unix))]
mod elsewhere {
    use std::io::Read as _;
    use std::sync::mpsc::{Receiver, sync_channel};
    use std::time::{Duration, Instant};

    use super::More;

    /// A thread reads; it is left behind when the process ends.
    pub(super) struct Source {
        chunks: Receiver<Vec<u8>>,
        started: Instant,
    }

    impl Source {
        pub(super) fn new() -> Self {
            let (sender, chunks) = sync_channel(4);
            std::thread::spawn(move || {
                let mut stdin = std::io::stdin().lock();
                let mut chunk = vec![0; 64 * 1024];
                while let Ok(length) = stdin.read(&mut chunk) {
                    let read = chunk.get(..length).unwrap_or_default().to_vec();
                    if length == 0 || sender.send(read).is_err() {
                        break;
                    }
                }
            });
            Self {
                chunks,
                started: Instant::now(),
            }
        }

        pub(super) fn more(&mut self, bytes: &mut Vec<u8>, patience: u64, spent: &mut u64) -> More {
            let Ok(chunk) = self.chunks.recv_timeout(Duration::from_millis(patience)) else {
                return More::End;
            };
            bytes.extend_from_slice(&chunk);
            *spent = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
            More::Bytes
        }
    }
}
