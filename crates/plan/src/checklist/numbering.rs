//! Which number a phase of a check list has.

use domain::PhaseNumber;

use crate::{
    draft::DraftPhase,
    heading::{self, HeadingNumber, PhaseHeading},
    text::one_line,
};

/// A phase as its heading has it.
#[derive(Debug)]
pub(super) struct FoundPhase {
    /// Nothing for the tasks before the first heading.
    number: Option<HeadingNumber>,
    name: String,
    is_story: bool,
    has_tasks: bool,
}

impl FoundPhase {
    pub(super) fn before_all() -> Self {
        Self { number: None, name: String::new(), is_story: false, has_tasks: false }
    }

    pub(super) fn new(heading: &PhaseHeading<'_>, words: &str) -> Self {
        let words = words.to_lowercase();
        Self {
            number: Some(heading.number),
            name: one_line(&heading::unescape(heading.name)),
            is_story: ["user story", "사용자 스토리", "유저 스토리"].iter().any(|sign| words.contains(sign)),
            has_tasks: false,
        }
    }

    pub(super) fn add_task(&mut self) {
        self.has_tasks = true;
    }
}

/// Numbers the phases that have tasks, and returns the number of every phase by its place.
///
/// The headings' own numbers count where they are whole and rise; else (`Phase 3.1`, a number twice) the phases are
/// counted in the file's order, because two phases must never become one by chance.
pub(super) fn number(phases: Vec<FoundPhase>) -> (Vec<DraftPhase>, Vec<PhaseNumber>) {
    let used = || phases.iter().filter(|phase| phase.has_tasks);
    let own: Option<Vec<PhaseNumber>> = rising(used());
    let counted = || (1..).take(used().count()).collect();
    let mut numbers_used = own.unwrap_or_else(counted).into_iter();
    let mut drafts = Vec::new();
    let mut numbers = Vec::with_capacity(phases.len());
    for phase in phases {
        let number = if phase.has_tasks { numbers_used.next().unwrap_or(1) } else { 1 };
        numbers.push(number);
        if phase.has_tasks {
            drafts.push(DraftPhase {
                number,
                name: phase.name,
                is_story: phase.is_story,
                ..DraftPhase::default()
            });
        }
    }
    (drafts, numbers)
}

fn rising<'a>(phases: impl Iterator<Item = &'a FoundPhase>) -> Option<Vec<PhaseNumber>> {
    let phases: Vec<_> = phases.collect();
    let mut numbers: Vec<PhaseNumber> = Vec::with_capacity(phases.len());
    for (place, phase) in phases.iter().enumerate() {
        let number = match (phase.number, numbers.last()) {
            (Some(HeadingNumber::Whole(number)), _) => number,
            (Some(HeadingNumber::Dotted(_)), _) => return None,
            (Some(HeadingNumber::Letter), last) => last.map_or(Some(1), |last| last.checked_add(1))?,
            // Tasks before the first heading come before its phase.
            (None, _) => match phases.get(place + 1).map(|next| next.number) {
                Some(Some(HeadingNumber::Whole(next))) => next.checked_sub(1)?,
                _ => 1,
            },
        };
        if numbers.last().is_some_and(|&last| last >= number) {
            return None;
        }
        numbers.push(number);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::{FoundPhase, number};
    use crate::heading;

    fn check(headings: &[&str], expected: &[u32]) {
        let phases = headings.iter().map(|words| {
            let mut phase = heading::phase(words)
                .map_or_else(FoundPhase::before_all, |found| FoundPhase::new(&found, words));
            phase.add_task();
            phase
        });
        assert_eq!(number(phases.collect()).1, expected, "{headings:?}");
    }

    #[test]
    fn headings_number_their_phases() {
        check(&["Phase 1", "Phase 2", "Phase 4"], &[1, 2, 4]);
        check(&["Phase 1", "Phase N: Polish"], &[1, 2]);
        check(&["", "Phase 1"], &[0, 1]);
        check(&["", "Phase 3"], &[2, 3]);
        check(&[""], &[1]);
    }

    #[test]
    fn numbers_that_do_not_rise_are_counted_anew() {
        check(&["Phase 3.1: Setup", "Phase 3.2: Tests", "Phase 3.3: Core"], &[1, 2, 3]);
        check(&["Phase 1", "Phase 1"], &[1, 2]);
        check(&["", "Phase 0"], &[1, 2]);
    }
}
