//! What is said of files that two tasks both changed: of two that are not over, and no longer than that.

use domain::{TaskId, TaskOverlap};

use super::Model;
use crate::rule::Rule;

impl Model {
    pub(super) fn see_overlap(&mut self, overlap: &TaskOverlap) {
        let [first, second] = &overlap.tasks;
        if first >= second {
            self.breach(Rule::StaleReports, format!("{first} and {second} overlap, in this order"));
        }
        self.overlaps.insert(overlap.tasks.clone());
    }

    pub(super) fn lose_overlap(&mut self, tasks: &[TaskId; 2]) {
        if !self.overlaps.remove(tasks) {
            let [first, second] = tasks;
            self.breach(Rule::StaleReports, format!("{first} and {second} did not overlap"));
        }
    }

    /// Looks whether a task that is over still overlaps with another one.
    pub fn check_overlaps(&mut self) {
        let is_over = |task: &TaskId| self.tasks.get(task).is_none_or(|task| task.stage.is_over());
        let late = self.overlaps.iter().find(|tasks| tasks.iter().any(is_over)).cloned();
        if let Some([first, second]) = late {
            self.breach(Rule::StaleReports, format!("{first} and {second} overlap, and one is over"));
        }
    }
}
