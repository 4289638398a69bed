//! Files above the size limit: the user decides about them before the work of a task is checked and merged.

use domain::{CheckpointId, LargeFile, LargeFileDecision, QuestionId, QuestionKind, events};

use super::{DecisionContext, question::QuestionDraft};
use crate::state::TaskIndex;

impl DecisionContext<'_> {
    /// Asks about the large files of a task that the user has not decided about, and returns whether there are any.
    pub(super) fn ask_about_large_files(&mut self, task: TaskIndex) -> bool {
        let files = self.run.task(task).large_files.undecided();
        let Some(session) = self.run.task(task).session().filter(|_| !files.is_empty()) else { return false };
        let options = LargeFileDecision::ALL.map(|decision| decision.to_string()).to_vec();
        let draft = QuestionDraft::new(QuestionKind::Selection, question_text(&files));
        self.ask_question(session, QuestionDraft { options, large_files: files, ..draft });
        true
    }

    /// Withdraws the question about the large files of a task if a checkpoint shows others.
    pub(super) fn withdraw_outdated_large_file_question(&mut self, checkpoint: CheckpointId) {
        let Some(task) = self.run.checkpoints.get(checkpoint.0).task else { return };
        let Some(question) = self.run.large_file_question(task) else { return };
        if self.run.questions.get(question.0).large_files != self.run.task(task).large_files.undecided() {
            let reason = format!("the large files of {} have changed", self.task_id(task));
            self.emit_as_system(events::QuestionWithdrawn { question, reason });
            self.unblock_by_question(question);
        }
    }
}

impl crate::run::Run {
    /// Returns the open question about the large files of a task.
    pub(crate) fn large_file_question(&self, task: TaskIndex) -> Option<QuestionId> {
        let is_about_files = |id: &&QuestionId| {
            let question = self.questions.get(id.0);
            question.task == Some(task) && !question.large_files.is_empty()
        };
        self.open_questions.iter().find(is_about_files).copied()
    }
}

fn question_text(files: &[LargeFile]) -> String {
    format!(
        "The work has new files above the size limit: {}. Commit them with the work, or leave them out?",
        LargeFile::list_text(files)
    )
}
