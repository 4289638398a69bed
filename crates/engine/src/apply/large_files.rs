//! Applies answers about files above the size limit.

use domain::{LargeFileDecision, QuestionId, Timestamp};

use crate::{
    run::Run,
    state::{TaskStage, TreeExamination},
};

impl Run {
    /// Applies the decision about large files. Returns false if the answer is something else.
    pub(super) fn apply_large_file_decision(&mut self, id: QuestionId, answer: &str) -> bool {
        let question = self.questions.get(id.0);
        let (task, files) = (question.task, question.large_files.clone());
        let Some(decision) = LargeFileDecision::parse(answer).filter(|_| !files.is_empty()) else {
            return false;
        };
        if let Some(task) = task.and_then(|task| self.task_mut(task)) {
            task.large_files.decide(&files, decision);
            if decision == LargeFileDecision::Commit {
                // The tree with the files is the work.
                task.round.examination = TreeExamination::NotRequested;
            }
        }
        true
    }

    /// Returns a task to its agent, which gets the user's instruction about its large files.
    pub(super) fn return_work_with_large_files(&mut self, at: Timestamp, id: QuestionId) {
        let question = self.questions.get(id.0);
        let Some(task_ref) = question.task.filter(|_| !question.large_files.is_empty()) else { return };
        if matches!(self.task(task_ref).stage, TaskStage::Claimed(_) | TaskStage::Mergeable(_)) {
            self.mergeable.retain(|waiting| *waiting != task_ref);
            self.cancel_turn_wait(task_ref);
            if let Some(task) = self.task_mut(task_ref) {
                task.round.is_accepted = false;
            }
            self.return_to_agent(at, task_ref);
        }
    }
}
