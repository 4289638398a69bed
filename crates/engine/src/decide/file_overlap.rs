//! Files that two unfinished tasks both changed.

use domain::{Event, TaskId, TaskOverlap};

use super::DecisionContext;
use crate::state::TaskRef;

/// Maximum number of pairs recorded.
const OVERLAPS_MAX: usize = 1000;

impl DecisionContext<'_> {
    /// Compares a report of the worktrees with the known overlaps, and records new, changed and resolved ones.
    pub(super) fn report_overlaps(&mut self, overlaps: Vec<TaskOverlap>) {
        let mut seen: Vec<TaskOverlap> =
            overlaps.into_iter().filter(|overlap| self.is_between_unfinished(overlap)).collect();
        seen.sort_by(|left, right| left.tasks.cmp(&right.tasks));
        seen.dedup_by(|left, right| left.tasks == right.tasks);
        seen.truncate(OVERLAPS_MAX);
        let is_seen = |tasks: &[TaskId; 2]| seen.iter().any(|overlap| overlap.tasks == *tasks);
        self.forget_overlaps(|overlap| !is_seen(&overlap.tasks));
        for overlap in seen {
            if !self.run.overlaps.contains(&overlap) {
                self.emit(Event::OverlapDetected { overlap });
            }
        }
    }

    /// Resolves the overlaps of a task that has ended.
    pub(super) fn end_overlaps(&mut self, task: TaskRef) {
        if self.run.overlaps.is_empty() || !self.run.task(task).stage.is_final() {
            return;
        }
        let id = self.id(task);
        self.forget_overlaps(|overlap| overlap.tasks.contains(&id));
    }

    fn forget_overlaps(&mut self, is_gone: impl Fn(&TaskOverlap) -> bool) {
        let gone: Vec<[TaskId; 2]> = self
            .run
            .overlaps
            .iter()
            .filter(|overlap| is_gone(overlap))
            .map(|overlap| overlap.tasks.clone())
            .collect();
        for tasks in gone {
            self.emit(Event::OverlapResolved { tasks });
        }
    }

    /// Returns whether both tasks, in order, are unfinished: a report may be late.
    fn is_between_unfinished(&self, overlap: &TaskOverlap) -> bool {
        let [first, second] = &overlap.tasks;
        let is_unfinished =
            |task: &TaskId| self.run.find(task).is_some_and(|task| !self.run.task(task).stage.is_final());
        first < second && is_unfinished(first) && is_unfinished(second)
    }
}
