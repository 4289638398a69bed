//! Look-up of task ids and id ranges.

use domain::TaskId;

use crate::{
    dependencies::{IdOrRange, IdReference},
    diagnostic::DiagnosticSink,
    draft::PlanDraft,
    ids::{self, IndexById},
    line_index::LineIndex,
    plan::Task,
    problem::Problem,
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
    n_group_lookups: usize,
}

impl<'p> IdIndex<'p> {
    /// Indexes all ids and reports duplicates.
    pub(super) fn new(
        draft: &'p PlanDraft<'_>,
        index_by_id: IndexById<'p>,
        text: &str,
        diagnostics: &mut DiagnosticSink,
    ) -> Self {
        let tasks = draft.tasks.as_slice();
        let mut is_kept = vec![true; tasks.len()];
        let mut by_id = ids::indices_sorted_by_id(tasks, &draft.sort_keys);
        let mut lines = None;
        let mut complain = |first: Option<usize>, index: usize| {
            if !std::mem::replace(&mut is_kept[index], false) {
                return;
            }
            let span_of = |index: usize| draft.task_drafts.get(index).map(|draft| draft.id_span.clone());
            let start = first.and_then(span_of).unwrap_or_default().start;
            let lines = lines.get_or_insert_with(|| LineIndex::new(text.as_bytes()));
            let are_done = tasks[index].done && first.is_some_and(|first| tasks[first].done);
            let id = tasks[index].id.to_string();
            let problem = Problem::DuplicateId { id, first_line: lines.line_of(start), are_done };
            diagnostics.push(span_of(index).unwrap_or_default(), problem);
        };
        // A parser that provides the index has already rejected duplicates.
        if index_by_id.is_empty() {
            let mut first = None;
            for pair in by_id.windows(2) {
                let &[one, next] = pair else { continue };
                if tasks[one].id != tasks[next].id {
                    first = None;
                    continue;
                }
                complain(Some(*first.get_or_insert(one)), next);
            }
        }
        if !draft.subtask_groups.is_empty() {
            for (index, task) in tasks.iter().enumerate() {
                let group = draft.subtask_groups.get(task.id.as_str());
                if let Some(group) = group.filter(|group| !group.contains(&index)) {
                    complain(Some(group.start).filter(|first| *first < tasks.len()), index);
                }
            }
        }
        for (is_kept, draft) in is_kept.iter_mut().zip(&draft.task_drafts) {
            *is_kept &= !draft.is_deferred;
        }
        by_id.retain(|&index| is_kept[index]);
        let mut rank = vec![usize::MAX; tasks.len()];
        for (position, &index) in by_id.iter().enumerate() {
            rank[index] = position;
        }
        Self { tasks, index_by_id, by_id, rank, is_kept, n_group_lookups: 0 }
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

    /// Tells whether a reference names a task or a group.
    pub(super) fn contains(&mut self, reference: &IdReference<'_>) -> bool {
        let has_task =
            self.index_of(&reference.with_phase()).is_some() || self.index_of(&reference.id).is_some();
        has_task || !self.members_of_group(&reference.with_phase()).is_empty()
    }

    /// Returns the tasks whose id continues a common part: `P1-R1` for `P1-R1-T1`, `T0.5` for `T0.5.1`, `FE` for `FE/T1`.
    pub(super) fn members_of_group(&mut self, common: &str) -> Vec<usize> {
        // Bounds the cost of a file in which every dependency is unknown.
        const LOOKUPS_MAX: usize = 1_000;
        if self.n_group_lookups >= LOOKUPS_MAX {
            return Vec::new();
        }
        self.n_group_lookups += 1;
        let continues =
            |id: &str| id.strip_prefix(common).is_some_and(|rest| rest.starts_with(['.', '-', '_', '/']));
        let indices = 0..self.tasks.len();
        indices.filter(|&index| self.is_kept[index] && continues(self.tasks[index].id.as_str())).collect()
    }

    /// Returns the problem of an id or range that matches no task of the plan.
    pub(super) fn missing_dependency(&self, ids: &IdOrRange<'_>) -> Problem {
        const TASKS_MAX: usize = 1_000;
        let written = ids.first.with_phase();
        // An id with an area is compared with those of its area, in a plan of usual size.
        let area = written.rfind('/').filter(|_| self.by_id.len() <= TASKS_MAX).map(|end| &written[..=end]);
        let ends = |area: &str| {
            let ids = self.by_id.iter().map(|&index| &self.tasks[index].id);
            let mut ids = ids.filter(|id| id.as_str().starts_with(area));
            let first = ids.next()?;
            let last = ids.next_back().unwrap_or(first);
            Some(first.to_string()..=last.to_string())
        };
        let known = area.and_then(ends).or_else(|| ends(""));
        let id = truncate_for_message(&ids.first.with_phase());
        match &ids.last {
            Some(to) => {
                Problem::MissingRange { first: id, last: truncate_for_message(&to.with_phase()), ids: known }
            }
            None => Problem::MissingDependency { id, ids: known },
        }
    }
}
