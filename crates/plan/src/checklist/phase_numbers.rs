//! Assigns numbers to the phases of a checklist.

use domain::PhaseNumber;

use crate::{
    draft::PhaseDraft,
    heading::{self, PhaseHeading, PhaseHeadingNumber},
    text::join_lines,
};

/// A phase as its heading describes it.
#[derive(Debug)]
pub(super) struct ChecklistPhase {
    /// `None` for tasks before the first heading.
    number: Option<PhaseHeadingNumber>,
    name: String,
    is_story: bool,
    /// Number of its user story.
    pub(super) story: Option<u32>,
    /// Phases and stories that it also waits for, as the section on dependencies says.
    pub(super) also_after: Vec<PhaseReference>,
    has_tasks: bool,
}

/// A phase as the section on dependencies names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhaseReference {
    Phase(PhaseNumber),
    Story(u32),
}

impl ChecklistPhase {
    pub(super) fn before_first_heading() -> Self {
        Self {
            number: None,
            name: String::new(),
            is_story: false,
            story: None,
            also_after: Vec::new(),
            has_tasks: false,
        }
    }

    pub(super) fn new(heading: &PhaseHeading<'_>, heading_text: &str) -> Self {
        let heading_text = heading_text.to_lowercase();
        Self {
            number: Some(heading.number),
            name: join_lines(&heading::unescape_heading(heading.name)),
            is_story: STORY_WORDS.iter().any(|sign| heading_text.contains(sign)),
            story: story_number(&heading_text),
            also_after: Vec::new(),
            has_tasks: false,
        }
    }

    /// Tells whether a reference means this phase.
    pub(super) fn is_meant_by(&self, reference: PhaseReference) -> bool {
        match reference {
            PhaseReference::Phase(number) => self.number == Some(PhaseHeadingNumber::Whole(number)),
            PhaseReference::Story(number) => self.story == Some(number),
        }
    }

    pub(super) fn is_story(&self) -> bool {
        self.is_story
    }

    /// Makes the phase wait for the one before it, although it is a user story.
    pub(super) fn make_sequential(&mut self) {
        self.is_story = false;
    }

    pub(super) fn mark_used(&mut self) {
        self.has_tasks = true;
    }
}

/// Words for a user story, in lower case.
const STORY_WORDS: [&str; 4] = ["user story", "사용자 스토리", "유저 스토리", "ユーザーストーリー"];

/// Returns the number behind the words for a user story in a text in lower case.
pub(super) fn story_number(text: &str) -> Option<u32> {
    let rest =
        STORY_WORDS.iter().find_map(|word| text.split_once(word)).map(|(_, rest)| rest.trim_start())?;
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..n_digits].parse().ok()
}

/// Numbers the phases that have tasks; also returns the number of every phase by its index.
///
/// The numbers in the headings are used if they are whole and increasing. Otherwise (`Phase 3.1`, a repeated number)
/// phases are counted in file order, so that two phases are never merged by accident.
pub(super) fn number_phases(phases: Vec<ChecklistPhase>) -> (Vec<PhaseDraft>, Vec<PhaseNumber>) {
    let used = || phases.iter().filter(|phase| phase.has_tasks);
    let own: Option<Vec<PhaseNumber>> = increasing_numbers(used());
    let counted = || (1..).take(used().count()).collect();
    let mut numbers_used = own.unwrap_or_else(counted).into_iter();
    let mut drafts = Vec::new();
    let numbers: Vec<PhaseNumber> = phases
        .iter()
        .map(|phase| if phase.has_tasks { numbers_used.next().unwrap_or(1) } else { 1 })
        .collect();
    let also_after: Vec<Vec<PhaseNumber>> = phases
        .iter()
        .map(|phase| {
            let named = |other: &&(&ChecklistPhase, &PhaseNumber)| {
                other.0.has_tasks && phase.also_after.iter().any(|&reference| other.0.is_meant_by(reference))
            };
            phases.iter().zip(&numbers).filter(|other| named(&other)).map(|(_, &number)| number).collect()
        })
        .collect();
    for ((phase, also_after), &number) in phases.into_iter().zip(also_after).zip(&numbers) {
        if phase.has_tasks {
            drafts.push(PhaseDraft {
                number,
                name: phase.name,
                is_story: phase.is_story,
                also_after,
                ..PhaseDraft::default()
            });
        }
    }
    (drafts, numbers)
}

fn increasing_numbers<'a>(phases: impl Iterator<Item = &'a ChecklistPhase>) -> Option<Vec<PhaseNumber>> {
    let phases: Vec<_> = phases.collect();
    let mut numbers: Vec<PhaseNumber> = Vec::with_capacity(phases.len());
    for (index, phase) in phases.iter().enumerate() {
        let number = match (phase.number, numbers.last()) {
            (Some(PhaseHeadingNumber::Whole(number)), _) => number,
            (Some(PhaseHeadingNumber::Dotted(_)), _) => return None,
            (Some(PhaseHeadingNumber::Letter), last) => last.map_or(Some(1), |last| last.checked_add(1))?,
            // Tasks before the first heading form the phase before it.
            (None, _) => match phases.get(index + 1).map(|next| next.number) {
                Some(Some(PhaseHeadingNumber::Whole(next))) => next.checked_sub(1)?,
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
    use super::{ChecklistPhase, number_phases};
    use crate::heading;

    fn assert_phase_numbers(headings: &[&str], expected: &[u32]) {
        let phases = headings.iter().map(|heading_text| {
            let mut phase = heading::parse_phase_heading(heading_text)
                .map_or_else(ChecklistPhase::before_first_heading, |found| {
                    ChecklistPhase::new(&found, heading_text)
                });
            phase.mark_used();
            phase
        });
        assert_eq!(number_phases(phases.collect()).1, expected, "{headings:?}");
    }

    #[test]
    fn headings_number_their_phases() {
        assert_phase_numbers(&["Phase 1", "Phase 2", "Phase 4"], &[1, 2, 4]);
        assert_phase_numbers(&["Phase 1", "Phase N: Polish"], &[1, 2]);
        assert_phase_numbers(&["", "Phase 1"], &[0, 1]);
        assert_phase_numbers(&["", "Phase 3"], &[2, 3]);
        assert_phase_numbers(&[""], &[1]);
    }

    #[test]
    fn phases_are_counted_in_file_order_unless_numbers_increase() {
        assert_phase_numbers(&["Phase 3.1: Setup", "Phase 3.2: Tests", "Phase 3.3: Core"], &[1, 2, 3]);
        assert_phase_numbers(&["Phase 1", "Phase 1"], &[1, 2]);
        assert_phase_numbers(&["", "Phase 0"], &[1, 2]);
    }
}
