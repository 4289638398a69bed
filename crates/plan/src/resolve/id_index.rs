//! Look-up of task ids and id ranges.

use domain::TaskId;

use crate::{
    dependencies::IdOrRange,
    diagnostic::{Diagnostic, DiagnosticCode, DiagnosticSink},
    draft::{PlanDraft, TaskDraft},
    ids::{self, IndexById},
    plan::Task,
    text::truncate_for_message,
};

pub(super) struct IdIndex<'p> {
    tasks: &'p [Task],
    /// Filled on the first look-up, unless the parser provides it.
    index_by_id: IndexById<'p>,
    /// Indices of all kept tasks, sorted by id.
    pub(super) by_id: Vec<usize>,
    pub(super) rank: Vec<usize>,
    /// True for the first task of each id, unless it is deferred.
    pub(super) is_kept: Vec<bool>,
}

impl<'p> IdIndex<'p> {
    /// Indexes all ids and reports duplicates.
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
                diagnostics.push(duplicate_id_error(&tasks[index], &draft.task_drafts[index]));
            }
        };
        // A parser that provides the index has already rejected duplicates.
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

    pub(super) fn index_of(&mut self, id: &str) -> Option<usize> {
        if self.index_by_id.is_empty() {
            // Tasks of a checklist rarely name each other, so the map is built only on demand.
            self.index_by_id.reserve(self.tasks.len());
            for (index, task) in self.tasks.iter().enumerate() {
                self.index_by_id.entry(task.id.as_str()).or_insert(index);
            }
        }
        self.index_by_id.get(id).copied()
    }

    /// Returns the indices of all ids between two others, compared by their numbers.
    pub(super) fn indices_in_range(&self, from: &TaskId, to: &TaskId) -> &[usize] {
        let (low, high) = if from.cmp_numbers(to).is_le() { (from, to) } else { (to, from) };
        let id_at = |index: usize| &self.tasks[index].id;
        let start = self.by_id.partition_point(|&index| id_at(index).cmp_numbers(low).is_lt());
        let end = self.by_id.partition_point(|&index| id_at(index).cmp_numbers(high).is_le());
        self.by_id.get(start..end).unwrap_or_default()
    }

    /// Returns the error for an id or range that matches no task of the plan.
    pub(super) fn missing_dependency_error(
        &self,
        ids: &IdOrRange<'_>,
        span: std::ops::Range<usize>,
    ) -> Diagnostic {
        let message = match &ids.last {
            Some(to) => {
                format!(
                    "no task of this plan is between {} and {}",
                    truncate_for_message(&ids.first.id),
                    truncate_for_message(&to.id)
                )
            }
            None => format!("task {} is not in this plan", truncate_for_message(&ids.first.id)),
        };
        let id_at = |position: Option<&usize>| position.map(|&index| &self.tasks[index].id);
        let hint = match (id_at(self.by_id.first()), id_at(self.by_id.last())) {
            (Some(first), Some(last)) => {
                format!("task ids of this plan: {first} to {last}; put any other name in double quotes")
            }
            _ => "write '-' for no dependencies".to_owned(),
        };
        Diagnostic::error(DiagnosticCode::MissingDep, span, message).with_hint(hint)
    }
}

fn duplicate_id_error(task: &Task, draft: &TaskDraft) -> Diagnostic {
    let message = format!("duplicate task id {}", task.id);
    Diagnostic::error(DiagnosticCode::ParseFail, draft.id_span.clone(), message)
        .with_hint("give one of them a different id")
}
