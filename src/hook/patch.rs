//! The patch text of `apply_patch`: which files it names and what it adds.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/a.rs
//! *** Move to: src/b.rs
//! @@
//! -old
//! +new
//! *** End Patch
//! ```

/// What a patch does to one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The file as the patch names it.
    pub path: String,
    /// The lines it adds, without their sign.
    pub added: String,
    /// The lines it takes out, without their sign.
    pub removed: String,
}

/// How many files one patch may name; more is hardly a patch.
const MAX_FILES: usize = 4096;

/// Whether `text` is a patch of this kind.
pub fn is_patch(text: &str) -> bool {
    text.trim_start().starts_with("*** Begin Patch")
}

/// The files of all patches in `text`, whatever stands between them.
pub fn read(text: &str) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(order) = line.trim_start().strip_prefix("*** ") {
            let path = ["Add File:", "Update File:", "Delete File:", "Move to:"]
                .iter()
                .find_map(|order_name| order.strip_prefix(order_name));
            if let Some(path) = path.filter(|_| changes.len() < MAX_FILES) {
                changes.push(Change {
                    path: path.trim().to_owned(),
                    ..Change::default()
                });
                inside = true;
            } else if order.starts_with("End Patch") {
                inside = false;
            }
            continue;
        }
        let Some(change) = changes.last_mut().filter(|_| inside) else {
            continue;
        };
        let (kept, text) = if let Some(text) = line.strip_prefix('+') {
            (&mut change.added, text)
        } else if let Some(text) = line.strip_prefix('-') {
            (&mut change.removed, text)
        } else {
            continue;
        };
        kept.push_str(text);
        kept.push('\n');
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_named_and_only_added_lines_are_new() {
        let text = "*** Begin Patch\n*** Add File: new dir/n.txt\n+hello\n+\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n one\n-two\n+TWO\n*** Delete File: c.txt\n*** End Patch\nnoise\n+not a line\n*** Begin Patch\n*** Add File: d\n+x\r\n*** End Patch";
        let changes = read(text);
        let paths: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["new dir/n.txt", "a.txt", "b.txt", "c.txt", "d"]);
        let added: Vec<_> = changes.iter().map(|change| change.added.as_str()).collect();
        assert_eq!(added, ["hello\n\n", "", "TWO\n", "", "x\n"]);
        assert_eq!(changes[2].removed, "two\n");
    }
}
