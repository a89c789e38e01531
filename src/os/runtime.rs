//! PAN's runtime folder: `<temporary folder>/pan-hooks-<user>`, ours alone or not used.

use super::hostile::Folder;
use super::surroundings;

/// The runtime folder, made if it is not there.
fn folder() -> Option<Folder> {
    #[cfg(unix)]
    let user = rustix::process::getuid().as_raw();
    #[cfg(not(unix))]
    let user =
        surroundings::variable("USERNAME")?.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    Folder::private(&surroundings::temp_folder(), &format!("pan-hooks-{user}"))
}

/// Whether this process is the first to act on the event `name` of `hook`. Without
/// a folder that can be trusted everyone is: acting twice is the lesser harm.
pub fn is_first(hook: &str, name: &str) -> bool {
    folder()
        .and_then(|folder| folder.claim(&format!("{hook}-{name}.claim")))
        .unwrap_or(true)
}
