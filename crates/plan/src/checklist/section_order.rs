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
    vec![(before, without_option(&after[..end]))]
}

/// Cuts off a remark in brackets about what can run beside: `Phase 2 (in parallel with Phase 3)`.
fn without_option(awaited: &str) -> &str {
    let is_option =
        |remark: &str| ["parallel", "병렬"].iter().any(|word| remark.to_lowercase().contains(word));
    match awaited.split_once('(') {
        Some((before, remark)) if is_option(remark) => before,
        Some(_) | None => awaited,
    }
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
            let rest = &lower[at + "phase".len()..];
            found.extend(listed_numbers(rest.strip_prefix('s').unwrap_or(rest)).map(PhaseReference::Phase));
        }
    }
    found
}

/// Returns the numbers at the beginning of a text: `7, 8 and 9`, `3/4`, `3-5`.
fn listed_numbers(text: &str) -> impl Iterator<Item = u32> {
    // Bounds what a hostile range costs; no plan has more phases.
    const RANGE_MAX: u32 = 100;
    let mut numbers = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(number) = rest[..n_digits].parse::<u32>() else { break };
        numbers.push(number);
        rest = &rest[n_digits..];
        if let Some((last, after)) =
            range_end(rest).filter(|(last, _)| last.saturating_sub(number) <= RANGE_MAX)
        {
            numbers.extend(number.saturating_add(1)..=last);
            rest = after;
        }
        let after = rest.trim_start();
        let is_word = ["and ", "& ", "및 "].into_iter().find_map(|word| after.strip_prefix(word));
        let is_sign =
            after.strip_prefix([',', '/']).map(str::trim_start).filter(|next| is_last_of_list(next));
        let Some(next) = is_word.or(is_sign) else { break };
        rest = next.trim_start();
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    numbers.into_iter()
}

/// Splits the end of a range, `-5`, from the beginning of a text.
fn range_end(text: &str) -> Option<(u32, &str)> {
    let rest = text.trim_start().strip_prefix(['-', '–', '~'])?.trim_start();
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((rest[..n_digits].parse().ok()?, &rest[n_digits..]))
}

/// Tells whether a number behind a comma belongs to the list: `2, 3 developers` has one number.
fn is_last_of_list(text: &str) -> bool {
    let rest = text.strip_prefix("and ").unwrap_or(text).trim_start_matches(|c: char| c.is_ascii_digit());
    let next = rest.trim_start();
    rest.len() < text.len()
        && (next.is_empty()
            || !next.starts_with(char::is_alphanumeric)
            || ["and ", "complete"].iter().any(|word| next.starts_with(word)))
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
        let phase = PhaseReference::Phase;
        assert_eq!(
            named("- **Phase 7, 8, 9**: All depend on Phase 6 (shared service)"),
            [(vec![phase(7), phase(8), phase(9)], vec![phase(6)])]
        );
        assert_eq!(
            named("- **Phase 5**: Depends on Phase 2 (can start in parallel with Phase 3/4)"),
            [(vec![phase(5)], vec![phase(2)])]
        );
        assert_eq!(
            named("Phase 9 requires Phases 3-5, 7 and 8 complete"),
            [(vec![phase(9)], [3, 4, 5, 7, 8].map(phase).to_vec())]
        );
        assert_eq!(named("Phase 4 needs Phase 2, 3 developers"), [(vec![phase(4)], vec![phase(2)])]);
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
