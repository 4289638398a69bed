//! Which phase waits for which.

use std::collections::BTreeMap;

use domain::{PhaseNumber, TaskId};

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    draft::DraftPhase,
    plan::{Phase, Task},
};

/// Returns the phases that have tasks, by number, each with those it waits for.
///
/// A phase waits for the one before it; user stories that follow each other stand side by side: all wait for the
/// phase before the first of them, and the phase after them waits for all. What the file says itself counts more.
pub(crate) fn build(drafts: Vec<DraftPhase>, tasks: &[Task], diagnostics: &mut Diagnostics) -> Vec<Phase> {
    let mut members: BTreeMap<PhaseNumber, Vec<TaskId>> = BTreeMap::new();
    for run in tasks.chunk_by(|task, next| task.phase == next.phase) {
        let Some(first) = run.first() else { continue };
        members.entry(first.phase).or_default().extend(run.iter().map(|task| task.id.clone()));
    }
    let mut found = merge(drafts);
    let mut phases = Vec::with_capacity(members.len());
    let mut gate = Gate::default();
    let numbers: Vec<PhaseNumber> = members.keys().copied().collect();
    for (number, tasks) in members {
        let draft = found.remove(&number);
        let is_story = draft.as_ref().is_some_and(|draft| draft.is_story);
        let mut after = gate.next(number, is_story);
        let DraftPhase { name, after: said, verify, artefacts, budgets, .. } = draft.unwrap_or_default();
        if let Some(said) = said {
            after = known(said, &numbers, diagnostics);
        }
        phases.push(Phase { number, name, after, tasks, verify, artefacts, budgets });
    }
    phases
}

/// Puts together what is said about one phase in several places; what is said first counts.
fn merge(drafts: Vec<DraftPhase>) -> BTreeMap<PhaseNumber, DraftPhase> {
    let mut merged: BTreeMap<PhaseNumber, DraftPhase> = BTreeMap::new();
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

/// The phases that the next one would wait for.
#[derive(Default)]
struct Gate {
    /// Before the stories that stand side by side just now.
    before_stories: Vec<PhaseNumber>,
    last: Vec<PhaseNumber>,
    is_among_stories: bool,
}

impl Gate {
    fn next(&mut self, number: PhaseNumber, is_story: bool) -> Vec<PhaseNumber> {
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

fn known(
    said: Vec<(PhaseNumber, std::ops::Range<usize>)>,
    numbers: &[PhaseNumber],
    diagnostics: &mut Diagnostics,
) -> Vec<PhaseNumber> {
    let mut after = Vec::with_capacity(said.len());
    for (number, span) in said {
        if numbers.binary_search(&number).is_ok() {
            after.push(number);
        } else {
            let message = format!("there is no phase {number} with tasks in this plan");
            diagnostics.push(
                Diagnostic::error(DiagnosticCode::MissingDep, span, message)
                    .hint("write the number of another phase, or '-'"),
            );
        }
    }
    after.sort_unstable();
    after.dedup();
    after
}
