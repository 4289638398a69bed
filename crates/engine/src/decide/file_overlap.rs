//! Files that two unfinished tasks both changed.

use domain::{TaskId, TaskOverlap, events};

use super::DecisionContext;
use crate::state::TaskIndex;

/// Maximum number of pairs recorded.
const OVERLAPS_MAX: usize = 1000;

impl DecisionContext<'_> {
    /// Compares a report of the worktrees with the known overlaps, and records new, changed and resolved ones.
    pub(super) fn handle_overlap_report(&mut self, overlaps: Vec<TaskOverlap>) {
        let mut reported: Vec<TaskOverlap> =
            overlaps.into_iter().filter(|overlap| self.is_between_unfinished(overlap)).collect();
        reported.sort_by(|left, right| left.tasks.cmp(&right.tasks));
        reported.dedup_by(|left, right| left.tasks == right.tasks);
        reported.truncate(OVERLAPS_MAX);
        let is_reported = |tasks: &[TaskId; 2]| reported.iter().any(|overlap| overlap.tasks == *tasks);
        self.resolve_overlaps(|overlap| !is_reported(&overlap.tasks));
        for overlap in reported {
            if !self.run.overlaps.contains(&overlap) {
                self.emit(events::OverlapDetected { overlap });
            }
        }
    }

    /// Resolves the overlaps of a task that has ended.
    pub(super) fn resolve_overlaps_of_ended_task(&mut self, task: TaskIndex) {
        if self.run.overlaps.is_empty() || !self.run.task(task).stage.is_final() {
            return;
        }
        let id = self.task_id(task);
        self.resolve_overlaps(|overlap| overlap.tasks.contains(&id));
    }

    fn resolve_overlaps(&mut self, is_resolved: impl Fn(&TaskOverlap) -> bool) {
        let resolved: Vec<[TaskId; 2]> = self
            .run
            .overlaps
            .iter()
            .filter(|overlap| is_resolved(overlap))
            .map(|overlap| overlap.tasks.clone())
            .collect();
        for tasks in resolved {
            self.emit(events::OverlapResolved { tasks });
        }
    }

    /// Returns whether both tasks, in order, are unfinished: a report may be late.
    fn is_between_unfinished(&self, overlap: &TaskOverlap) -> bool {
        let [first, second] = &overlap.tasks;
        let is_unfinished = |task: &TaskId| {
            self.run.find_task(task).is_some_and(|task| !self.run.task(task).stage.is_final())
        };
        first < second && is_unfinished(first) && is_unfinished(second)
    }
}
