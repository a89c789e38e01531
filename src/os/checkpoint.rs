//! Points at which a test may end or stop this process. In a release build there
//! are none.

/// In a debug build, ends the process here when `PAN_HOOKS_KILL_AT` names this
/// point, and stops it until it is told to go on when `PAN_HOOKS_STOP_AT` does. The
/// name may carry a count: `staged:2` is the second time the point is reached,
/// `staged:each` every time.
pub fn reach(point: &str) {
    #[cfg(all(debug_assertions, unix))]
    {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static KILL: AtomicUsize = AtomicUsize::new(0);
        static STOP: AtomicUsize = AtomicUsize::new(0);
        let is_here = |variable: &str, reached: &AtomicUsize| {
            let Some(wanted) = super::env::var(variable) else {
                return false;
            };
            let wanted = wanted.to_string_lossy().into_owned();
            let (name, count) = wanted.split_once(':').unwrap_or((&wanted, "1"));
            name == point && {
                let now = reached.fetch_add(1, Ordering::Relaxed) + 1;
                count == "each" || count.parse() == Ok(now)
            }
        };
        if is_here("PAN_HOOKS_KILL_AT", &KILL) {
            std::process::abort();
        }
        if is_here("PAN_HOOKS_STOP_AT", &STOP) {
            let this = rustix::process::getpid();
            let _ = rustix::process::kill_process(this, rustix::process::Signal::STOP);
        }
    }
    #[cfg(not(all(debug_assertions, unix)))]
    let _ = point;
}
