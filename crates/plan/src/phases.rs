//! Builds the phases of a plan and the order between them.

use std::collections::BTreeMap;

use domain::{PhaseNumber, TaskId};

use crate::{
    diagnostic::DiagnosticSink,
    draft::PhaseDraft,
    plan::{Phase, Task},
    problem::Problem,
};

/// Returns the phases that have tasks, sorted by number, each with the phases it waits for.
///
/// A phase waits for the one before it. Consecutive user stories run in parallel: all wait for the phase before the
/// first of them, and the phase after them waits for all. An explicit `After` overrides this.
pub(crate) fn build_phases(
    drafts: Vec<PhaseDraft>,
    tasks: &[Task],
    diagnostics: &mut DiagnosticSink,
) -> Vec<Phase> {
    let mut members: BTreeMap<PhaseNumber, Vec<TaskId>> = BTreeMap::new();
    for run in tasks.chunk_by(|task, next| task.phase == next.phase) {
        let Some(first) = run.first() else { continue };
        members.entry(first.phase).or_default().extend(run.iter().map(|task| task.id.clone()));
    }
    let mut drafts_by_number = merge_by_number(drafts);
    let mut phases = Vec::with_capacity(members.len());
    let mut gate = PredecessorTracker::default();
    let numbers: Vec<PhaseNumber> = members.keys().copied().collect();
    for (number, tasks) in members {
        let draft = drafts_by_number.remove(&number);
        let is_story = draft.as_ref().is_some_and(|draft| draft.is_story);
        let mut after = gate.predecessors_of_next(number, is_story);
        let PhaseDraft { name, after: listed, also_after, verify, artefacts, budgets, .. } =
            draft.unwrap_or_default();
        after.extend(also_after.into_iter().filter(|&earlier| earlier < number));
        after.sort_unstable();
        after.dedup();
        if let Some(listed) = listed {
            after = keep_existing_phases(listed, &numbers, diagnostics);
        }
        phases.push(Phase { number, name, after, tasks, verify, artefacts, budgets });
    }
    phases
}

/// Merges declarations of the same phase; the first value of each field wins.
fn merge_by_number(drafts: Vec<PhaseDraft>) -> BTreeMap<PhaseNumber, PhaseDraft> {
    let mut merged: BTreeMap<PhaseNumber, PhaseDraft> = BTreeMap::new();
    for draft in drafts {
        let Some(first) = merged.get_mut(&draft.number) else {
            merged.insert(draft.number, draft);
            continue;
        };
        if first.name.is_empty() {
            first.name = draft.name;
        }
        first.after = first.after.take().or(draft.after);
        first.is_story |= draft.is_story;
        first.also_after.extend(draft.also_after);
        first.verify = first.verify.take().or(draft.verify);
        if first.artefacts.is_empty() {
            first.artefacts = draft.artefacts;
        }
        if first.budgets.is_empty() {
            first.budgets = draft.budgets;
        }
    }
    merged
}

/// Tracks which phases the next phase waits for.
#[derive(Default)]
struct PredecessorTracker {
    /// Predecessors of the current group of parallel user stories.
    before_stories: Vec<PhaseNumber>,
    last: Vec<PhaseNumber>,
    is_among_stories: bool,
}

impl PredecessorTracker {
    fn predecessors_of_next(&mut self, number: PhaseNumber, is_story: bool) -> Vec<PhaseNumber> {
        let after =
            if is_story && self.is_among_stories { self.before_stories.clone() } else { self.last.clone() };
        if is_story && self.is_among_stories {
            self.last.push(number);
        } else {
            self.before_stories = std::mem::replace(&mut self.last, vec![number]);
            self.is_among_stories = is_story;
        }
        after
    }
}

fn keep_existing_phases(
    listed: Vec<(PhaseNumber, std::ops::Range<usize>)>,
    numbers: &[PhaseNumber],
    diagnostics: &mut DiagnosticSink,
) -> Vec<PhaseNumber> {
    let mut after = Vec::with_capacity(listed.len());
    for (number, span) in listed {
        if numbers.binary_search(&number).is_ok() {
            after.push(number);
        } else {
            diagnostics.push(span, Problem::MissingPhase { number });
        }
    }
    after.sort_unstable();
    after.dedup();
    after
}
