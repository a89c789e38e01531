//! Which bytes of a file are ours, followed through edits, ours and others'.
//!
//! No IO here.

use super::journal::{Piece, State, sha256};
use crate::edit::Splice;

/// Our bytes after `splices`, from our bytes before. What is inserted is ours;
/// what is removed is gone. An insertion in place of bytes that were not ours
/// stays a part of what surrounds it and is nobody's piece.
pub fn carry(pieces: &[Piece], splices: &[Splice], after: &str) -> Vec<Piece> {
    let ours = |from: usize, to: usize| {
        pieces
            .iter()
            .any(|piece| piece.at <= from && to <= piece.end())
    };
    // Ranges of the new text, in order, not yet merged.
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let shift = |at: usize| {
        let (mut grown, mut shrunk) = (0_usize, 0_usize);
        for splice in splices.iter().filter(|splice| splice.end() <= at) {
            grown += splice.inserted.len();
            shrunk += splice.removed.len();
        }
        (at + grown).saturating_sub(shrunk)
    };
    for piece in pieces {
        // What remains of the piece between the removed parts.
        let mut from = piece.at;
        for splice in splices.iter().filter(|splice| !splice.removed.is_empty()) {
            if splice.at >= piece.end() || splice.end() <= from {
                continue;
            }
            if splice.at > from {
                ranges.push((from, splice.at));
            }
            from = from.max(splice.end());
        }
        if from < piece.end() {
            ranges.push((from, piece.end()));
        }
    }
    let mut moved: Vec<(usize, usize)> = Vec::new();
    for (from, to) in ranges {
        // An insertion strictly inside splits the range; it is joined again below.
        let mut start = from;
        for splice in splices
            .iter()
            .filter(|splice| splice.removed.is_empty() && splice.at > from && splice.at < to)
        {
            moved.push((shift(start), shift_before(splices, splice.at)));
            start = splice.at;
        }
        moved.push((shift(start), shift_before(splices, to)));
    }
    for splice in splices.iter().filter(|splice| !splice.inserted.is_empty()) {
        if splice.removed.is_empty() || ours(splice.at, splice.end()) {
            let from = shift_before(splices, splice.at);
            moved.push((from, from + splice.inserted.len()));
        }
    }
    moved.retain(|(from, to)| from < to);
    moved.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (from, to) in moved {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
        .into_iter()
        .filter_map(|(from, to)| {
            Some(Piece {
                at: from,
                text: after.get(from..to)?.to_owned(),
            })
        })
        .collect()
}

/// Where old offset `at` is in the new text, before what is inserted there.
fn shift_before(splices: &[Splice], at: usize) -> usize {
    let (mut grown, mut shrunk) = (0_usize, 0_usize);
    for splice in splices.iter().filter(|splice| splice.at < at) {
        grown += splice.inserted.len();
        shrunk += splice.removed.len().min(at - splice.at);
    }
    (at + grown).saturating_sub(shrunk)
}

/// Our pieces in `text`, which may have been changed by others since. `None` when
/// they are not all there as we left them.
pub fn locate(state: &State, text: &str) -> Option<Vec<Piece>> {
    if sha256(text.as_bytes()) == state.sha256 {
        return Some(state.pieces.clone());
    }
    let mut found = Vec::new();
    let mut from = 0;
    for piece in &state.pieces {
        // A comma alone says nothing about where it came from.
        if piece.text.trim().len() < 2 {
            return None;
        }
        let at = from + text.get(from..)?.find(&piece.text)?;
        from = at + piece.text.len();
        if text.get(from..)?.contains(&piece.text) {
            return None;
        }
        found.push(Piece {
            at,
            text: piece.text.clone(),
        });
    }
    Some(found)
}

/// The splices that take the pieces out.
pub fn removal(pieces: &[Piece]) -> Vec<Splice> {
    pieces
        .iter()
        .map(|piece| Splice {
            at: piece.at,
            removed: piece.text.clone(),
            inserted: String::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;

    fn piece(at: usize, text: &str) -> Piece {
        Piece {
            at,
            text: text.to_owned(),
        }
    }

    fn splice(at: usize, removed: &str, inserted: &str) -> Splice {
        Splice {
            at,
            removed: removed.to_owned(),
            inserted: inserted.to_owned(),
        }
    }

    /// The text without our pieces, before and after, and the pieces themselves.
    fn carried(before: &str, pieces: &[Piece], splices: &[Splice]) -> (String, Vec<Piece>) {
        let after = apply(before, splices).unwrap();
        let pieces = carry(pieces, splices, &after);
        let theirs = apply(&after, &removal(&pieces)).unwrap();
        (theirs, pieces)
    }

    #[test]
    fn inserted_bytes_are_ours_and_join_what_they_touch() {
        let (theirs, pieces) = carried("ab", &[], &[splice(1, "", "XX")]);
        assert_eq!((theirs.as_str(), pieces), ("ab", vec![piece(1, "XX")]));
        // Inside, before and after a piece of ours.
        let (theirs, pieces) = carried(
            "aXYb",
            &[piece(1, "XY")],
            &[splice(1, "", "1"), splice(2, "", "2"), splice(3, "", "3")],
        );
        assert_eq!((theirs.as_str(), pieces), ("ab", vec![piece(1, "1X2Y3")]));
    }

    #[test]
    fn what_is_removed_of_ours_is_ours_no_more() {
        let (theirs, pieces) = carried("aXYZb", &[piece(1, "XYZ")], &[splice(2, "Y", "")]);
        assert_eq!((theirs.as_str(), pieces), ("ab", vec![piece(1, "XZ")]));
        let (theirs, pieces) = carried("aXYZb", &[piece(1, "XYZ")], &[splice(1, "XYZ", "")]);
        assert_eq!((theirs.as_str(), pieces), ("ab", vec![]));
    }

    #[test]
    fn what_replaces_ours_is_ours_and_what_replaces_theirs_is_not() {
        let (theirs, pieces) = carried("aXYZb", &[piece(1, "XYZ")], &[splice(2, "Y", "QQ")]);
        assert_eq!((theirs.as_str(), pieces), ("ab", vec![piece(1, "XQQZ")]));
        let (theirs, pieces) = carried("abc", &[], &[splice(1, "b", "Q")]);
        assert_eq!((theirs.as_str(), pieces), ("aQc", vec![]));
    }

    #[test]
    fn pieces_are_found_again_only_when_all_are_there_once() {
        let state = State {
            sha256: sha256(b"aXXXb"),
            pieces: vec![piece(1, "XXX")],
            ..State::default()
        };
        assert_eq!(locate(&state, "aXXXb"), Some(vec![piece(1, "XXX")]));
        assert_eq!(locate(&state, "more aXXXb"), Some(vec![piece(6, "XXX")]));
        assert_eq!(locate(&state, "aXXb"), None);
        assert_eq!(locate(&state, "aXXXbXXX"), None);
    }
}
