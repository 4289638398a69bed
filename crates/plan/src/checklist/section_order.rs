//! Reads the order of stories and tasks from the section on dependencies of a Spec Kit file.

use std::collections::HashMap;

use super::phase_numbers::{ChecklistPhase, PhaseReference, story_number};
use crate::{
    dependencies::{DependencyMention, MentionTarget, push_ids_among_words},
    diagnostic::DiagnosticSink,
    draft::PlanDraft,
    problem::Problem,
};

/// Words between a waiting part and the part that it waits for.
const DEPENDENCY_WORDS: [&str; 9] =
    ["depends on", "depend on", "requires", "require", "blocked by", "after", "needs", "의존:", "에 의존"];

/// Applies the lines of the section, given with their offsets.
pub(super) fn apply_lines(
    text: &str,
    lines: &[std::ops::Range<usize>],
    phases: &mut [ChecklistPhase],
    plan: &mut PlanDraft<'_>,
    diagnostics: &mut DiagnosticSink,
) {
    let mut index_by_id: Option<HashMap<String, usize>> = None;
    for span in lines {
        let line = text.get(span.clone()).unwrap_or_default();
        let lower = line.to_lowercase();
        if says_sequential(&lower) {
            phases.iter_mut().filter(|phase| phase.is_story()).for_each(ChecklistPhase::make_sequential);
        }
        for (waiting, awaited) in dependency_pairs(line) {
            let (later, earlier) = (phase_references(waiting), phase_references(awaited));
            for phase in
                phases.iter_mut().filter(|phase| later.iter().any(|&reference| phase.is_meant_by(reference)))
            {
                phase.also_after.extend(&earlier);
            }
            let (later, earlier) = (task_ids(waiting), task_ids(awaited));
            if later.is_empty() || earlier.is_empty() {
                continue;
            }
            let index_by_id = index_by_id.get_or_insert_with(|| {
                // The first of several tasks with an id is the one that is kept.
                let tasks = plan.tasks.iter().enumerate().rev();
                tasks.map(|(index, task)| (task.id.to_string(), index)).collect()
            });
            let mut is_read = true;
            for later in &later {
                for earlier in &earlier {
                    let (Some(&task), Some(&dependency)) = (index_by_id.get(later), index_by_id.get(earlier))
                    else {
                        is_read = false;
                        continue;
                    };
                    if dependency < task {
                        plan.distant.push((task, dependency));
                    } else if dependency > task {
                        let problem = Problem::ForwardDependency { from: later.clone(), to: earlier.clone() };
                        diagnostics.push(span.clone(), problem);
                    }
                }
            }
            if is_read {
                plan.covered.push(span.clone());
            }
        }
    }
    plan.distant.sort_unstable();
    plan.distant.dedup();
}

/// Tells whether a line says that the stories run one after the other, not only that they may.
fn says_sequential(lower: &str) -> bool {
    let line = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let names_stories = line.contains("stor") || line.contains("default") || line.contains("스토리");
    let is_option = line.starts_with("or ")
        || [" or ", "parallel", " can ", " may ", "병렬"].iter().any(|word| line.contains(word));
    names_stories
        && !is_option
        && (line.contains("sequential") || line.contains("순차") || line.contains("one after"))
}

/// Splits a line into pairs of a waiting part and the part that it waits for: around a word, or at arrows from right to left.
fn dependency_pairs(line: &str) -> Vec<(&str, &str)> {
    let lower = line.to_ascii_lowercase();
    let is_option = lower.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with("or ");
    let arrows: Vec<&str> = line.split(['→', '⇒']).flat_map(|part| part.split("->")).collect();
    if arrows.len() > 1 {
        if is_option || lower.contains("parallel") {
            return Vec::new();
        }
        let in_order = arrows.iter().zip(arrows.iter().skip(1));
        return in_order.map(|(earlier, later)| (*later, *earlier)).collect();
    }
    let found = DEPENDENCY_WORDS.iter().filter_map(|verb| lower.find(verb).map(|at| (at, *verb))).min();
    let Some((at, verb)) = found else { return Vec::new() };
    let (before, after) = (&line[..at], &line[at + verb.len()..]);
    let is_denied = ["not ", "n't ", "no "].iter().any(|word| lower[..at].ends_with(word));
    if is_denied {
        return Vec::new();
    }
    // What follows a dash or a full stop is a remark.
    let end =
        [" - ", " — ", ". ", ";"].iter().filter_map(|sign| after.find(sign)).min().unwrap_or(after.len());
    vec![(before, &after[..end])]
}

/// Returns the phases and stories that a text names.
fn phase_references(text: &str) -> Vec<PhaseReference> {
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    let number_after = |rest: &str| -> Option<u32> {
        let rest = rest.trim_start();
        let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[..n_digits].parse().ok()
    };
    let mut rest = lower.as_str();
    while let Some(number) = story_number(rest) {
        found.push(PhaseReference::Story(number));
        let digits = number.to_string();
        rest = rest.split_once(digits.as_str()).map_or("", |(_, rest)| rest);
    }
    for (at, _) in text.match_indices("US") {
        let is_word = !text[..at].ends_with(char::is_alphanumeric);
        if let Some(number) = number_after(&text[at + 2..]).filter(|_| is_word) {
            found.push(PhaseReference::Story(number));
        }
    }
    // A phase beside its story is the same: `User Story 2 (Phase 4)`.
    if found.is_empty() {
        for (at, _) in lower.match_indices("phase") {
            found.extend(number_after(&lower[at + "phase".len()..]).map(PhaseReference::Phase));
        }
    }
    found
}

fn task_ids(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    push_ids_among_words(text, 0, &mut found);
    let id = |mention: DependencyMention<'_>| match mention.target {
        MentionTarget::Ids(ids) if ids.last.is_none() => Some(ids.first.with_phase().into_owned()),
        MentionTarget::Ids(_) | MentionTarget::Name(_) => None,
    };
    found.into_iter().filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::{PhaseReference, dependency_pairs, phase_references, says_sequential, task_ids};

    #[test]
    fn a_line_names_what_waits_and_what_it_waits_for() {
        let named = |line: &str| -> Vec<(Vec<PhaseReference>, Vec<PhaseReference>)> {
            dependency_pairs(line)
                .iter()
                .map(|(later, earlier)| (phase_references(later), phase_references(earlier)))
                .collect()
        };
        let story = PhaseReference::Story;
        assert_eq!(
            named("- **User Story 2 (P2)**: Depends on User Story 1 - shares its model"),
            [(vec![story(2)], vec![story(1)])]
        );
        assert_eq!(named("US3 depends on US1 and US2."), [(vec![story(3)], vec![story(1), story(2)])]);
        assert_eq!(
            named("US1 → US2 → US3"),
            [(vec![story(2)], vec![story(1)]), (vec![story(3)], vec![story(2)])]
        );
        assert_eq!(named("Or sequentially: US1 → US2"), []);
        assert_eq!(named("User Story 2 does not depend on User Story 1"), []);
        assert_eq!(
            named("- **User Stories (Phase 3+)**: All depend on Foundational phase completion"),
            [(vec![PhaseReference::Phase(3)], vec![])]
        );
        let tasks = dependency_pairs("T014 depends on T012, T013");
        assert_eq!(
            (task_ids(tasks[0].0), task_ids(tasks[0].1)),
            (vec!["T014".into()], vec!["T012".into(), "T013".into()])
        );
    }

    #[test]
    fn only_a_statement_makes_stories_sequential() {
        assert!(says_sequential("- user stories run sequentially in priority order"));
        assert!(says_sequential("**default**: sequential, by priority"));
        assert!(!says_sequential("  - or sequentially in priority order (p1 → p2 → p3)"));
        assert!(!says_sequential("user stories can proceed in parallel or sequentially"));
    }
}
