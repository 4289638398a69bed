//! Which id is where, and which ids are from one to another.

use domain::TaskId;

use crate::{
    dependencies::IdOrRange,
    diagnostic::{Diagnostic, DiagnosticCode, DiagnosticSink},
    draft::{PlanDraft, TaskDraft},
    ids::{self, IndexById},
    plan::Task,
    text::truncate_for_message,
};

/// The ids of a plan.
pub(super) struct IdIndex<'p> {
    tasks: &'p [Task],
    /// Empty until somebody asks for an id.
    index_by_id: IndexById<'p>,
    /// The places of all kept tasks by id.
    pub(super) by_id: Vec<usize>,
    pub(super) rank: Vec<usize>,
    /// The first task of each id, if it is not deferred.
    pub(super) is_kept: Vec<bool>,
}

impl<'p> IdIndex<'p> {
    /// Looks at all ids, and complains about those that are there twice.
    pub(super) fn new(
        draft: &'p PlanDraft<'_>,
        index_by_id: IndexById<'p>,
        diagnostics: &mut DiagnosticSink,
    ) -> Self {
        let tasks = draft.tasks.as_slice();
        let mut is_kept = vec![true; tasks.len()];
        let mut by_id = ids::indices_sorted_by_id(tasks, &draft.sort_keys);
        let mut complain = |index: usize| {
            if std::mem::replace(&mut is_kept[index], false) {
                diagnostics.push(duplicate_id(&tasks[index], &draft.task_drafts[index]));
            }
        };
        // A reader that knows the places has seen to it that none is there twice.
        if index_by_id.is_empty() {
            let pairs = by_id.iter().zip(by_id.iter().skip(1));
            let twice = pairs.filter(|(one, next)| tasks[**one].id == tasks[**next].id);
            twice.for_each(|(_, &next)| complain(next));
        }
        if !draft.subtask_groups.is_empty() {
            (0..tasks.len())
                .filter(|&index| draft.subtask_groups.contains_key(tasks[index].id.as_str()))
                .for_each(complain);
        }
        for (is_kept, draft) in is_kept.iter_mut().zip(&draft.task_drafts) {
            *is_kept &= !draft.is_deferred;
        }
        by_id.retain(|&index| is_kept[index]);
        let mut rank = vec![usize::MAX; tasks.len()];
        for (position, &index) in by_id.iter().enumerate() {
            rank[index] = position;
        }
        Self { tasks, index_by_id, by_id, rank, is_kept }
    }

    /// Returns the place of an id.
    pub(super) fn index_of(&mut self, id: &str) -> Option<usize> {
        if self.index_by_id.is_empty() {
            // In a check list tasks follow each other, and hardly one names another.
            self.index_by_id.reserve(self.tasks.len());
            for (index, task) in self.tasks.iter().enumerate() {
                self.index_by_id.entry(task.id.as_str()).or_insert(index);
            }
        }
        self.index_by_id.get(id).copied()
    }

    /// Returns the places of all ids from one to another, by their numbers.
    pub(super) fn indices_in_range(&self, from: &TaskId, to: &TaskId) -> &[usize] {
        let (low, high) = if from.cmp_numbers(to).is_le() { (from, to) } else { (to, from) };
        let id_at = |index: usize| &self.tasks[index].id;
        let start = self.by_id.partition_point(|&index| id_at(index).cmp_numbers(low).is_lt());
        let end = self.by_id.partition_point(|&index| id_at(index).cmp_numbers(high).is_le());
        self.by_id.get(start..end).unwrap_or_default()
    }

    /// Complains about ids that are none of the plan's.
    pub(super) fn missing_dependency(&self, ids: &IdOrRange<'_>, span: std::ops::Range<usize>) -> Diagnostic {
        let message = match &ids.last {
            Some(to) => {
                format!(
                    "no task of this plan is from {} to {}",
                    truncate_for_message(&ids.first.id),
                    truncate_for_message(&to.id)
                )
            }
            None => format!("there is no task {} in this plan", truncate_for_message(&ids.first.id)),
        };
        let id_at = |position: Option<&usize>| position.map(|&index| &self.tasks[index].id);
        let hint = match (id_at(self.by_id.first()), id_at(self.by_id.last())) {
            (Some(first), Some(last)) => {
                format!("the ids of this plan go from {first} to {last}; put a name into double quotes")
            }
            _ => "write '-' if it waits for nothing".to_owned(),
        };
        Diagnostic::error(DiagnosticCode::MissingDep, span, message).hint(hint)
    }
}

fn duplicate_id(task: &Task, draft: &TaskDraft) -> Diagnostic {
    let message = format!("there is a task {} already", task.id);
    Diagnostic::error(DiagnosticCode::ParseFail, draft.id_span.clone(), message)
        .hint("give one of the two another id")
}
