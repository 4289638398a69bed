//! Overlaps: files that two tasks have changed, while both have not ended.

use domain::{TaskId, TaskOverlap};

use super::Model;
use crate::rule::Rule;

impl Model {
    pub(super) fn add_overlap(&mut self, overlap: &TaskOverlap) {
        let [first, second] = &overlap.tasks;
        if first >= second {
            self.add_violation(
                Rule::StaleReports,
                format!("{first} and {second} overlap, in the wrong order"),
            );
        }
        self.overlaps.insert(overlap.tasks.clone());
    }

    pub(super) fn remove_overlap(&mut self, tasks: &[TaskId; 2]) {
        if !self.overlaps.remove(tasks) {
            let [first, second] = tasks;
            self.add_violation(Rule::StaleReports, format!("{first} and {second} did not overlap"));
        }
    }

    /// Adds a violation for an overlap of a task that has ended.
    pub(crate) fn check_no_ended_overlaps(&mut self) {
        let is_over = |task: &TaskId| self.tasks.get(task).is_none_or(|task| task.stage.has_ended());
        let late = self.overlaps.iter().find(|tasks| tasks.iter().any(is_over)).cloned();
        if let Some([first, second]) = late {
            self.add_violation(
                Rule::StaleReports,
                format!("{first} and {second} overlap, and one has ended"),
            );
        }
    }
}
