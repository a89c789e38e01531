//! Which of a host's files in one scope takes the entries.
//!
//! Facts in, answer out; no IO here.

/// What matters of one file. The order is the table's: preferred first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// It is there.
    pub exists: bool,
    /// It has an entry of ours.
    pub ours: bool,
    /// It has an event of anyone's.
    pub has_events: bool,
    /// It is only taken when it has an event already.
    pub when_it_has_events: bool,
}

/// The index of the file that takes the entries: the one that has ours; else a
/// plain one that is there; else one that has an event already; else the first
/// plain one, which is then made.
pub fn target(candidates: &[Candidate]) -> Option<usize> {
    let first = |wanted: &dyn Fn(&Candidate) -> bool| candidates.iter().position(wanted);
    first(&|one| one.ours)
        .or_else(|| first(&|one| one.exists && !one.when_it_has_events))
        .or_else(|| first(&|one| one.has_events && one.when_it_has_events))
        .or_else(|| first(&|one| !one.when_it_has_events))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(exists: bool, ours: bool, has_events: bool, conditional: bool) -> Candidate {
        Candidate {
            exists,
            ours,
            has_events,
            when_it_has_events: conditional,
        }
    }

    #[test]
    fn entries_of_ours_stay_where_they_are_and_no_second_form_is_begun() {
        let missing = candidate(false, false, false, false);
        let there = candidate(true, false, true, false);
        let other_missing = candidate(false, false, false, true);
        let other_bare = candidate(true, false, false, true);
        let other_events = candidate(true, false, true, true);
        let other_ours = candidate(true, true, true, true);
        for (candidates, wanted) in [
            ([missing, other_missing], 0),
            ([missing, other_bare], 0),
            ([missing, other_events], 1),
            ([there, other_events], 0),
            ([there, other_ours], 1),
        ] {
            assert_eq!(target(&candidates), Some(wanted), "{candidates:?}");
        }
        assert_eq!(target(&[]), None);
        assert_eq!(target(&[other_events]), Some(0));
    }
}
