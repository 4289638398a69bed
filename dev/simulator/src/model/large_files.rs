//! Files above the size limit: only a user decides that they are committed.

use domain::{LargeFile, LargeFileDecision, QuestionId, TaskId};
use engine::Effect;

use super::{Model, Stage};
use crate::rule::Rule;

impl Model {
    /// Records a decision about large files. Any other answer goes to the agent.
    pub(super) fn decide_large_files(&mut self, question: QuestionId, answer: &str) {
        let Some(question) = self.questions.get(&question) else { return };
        let files = question.large_files.clone();
        let Some(id) = question.task.clone().filter(|_| !files.is_empty()) else { return };
        let Some(decision) = LargeFileDecision::parse(answer) else {
            let session = self.tasks.get(&id).and_then(|task| task.session);
            if !session.is_some_and(|session| self.accepts_input(session)) {
                self.end_attempt(&id, Stage::Waiting);
            }
            return self.update_task(&id, |task| task.round.is_accepted = false);
        };
        let decisions = files.into_iter().map(|file| (file, decision));
        self.update_task(&id, |task| task.file_decisions.extend(decisions));
    }

    /// Checks that an effect commits only large files that a user decided to commit.
    pub(crate) fn check_large_files(&mut self, effect: &Effect) {
        let (task, files): (&TaskId, &[LargeFile]) = match effect {
            Effect::RunCheck(order) => (&order.task, &order.large_files),
            Effect::Merge(order) => (&order.task, &order.large_files),
            Effect::MakeCheckpoint { task, large_files, .. } => (task, large_files),
            Effect::SpawnAgent(_)
            | Effect::SendInput { .. }
            | Effect::ParkSession { .. }
            | Effect::WakeSession { .. }
            | Effect::EndSession { .. }
            | Effect::CheckGate(_)
            | Effect::LandPhase { .. }
            | Effect::LandRun { .. }
            | Effect::CleanRun { .. }
            | Effect::StopSession { .. }
            | Effect::RestoreCheckpoint { .. }
            | Effect::SavePermissionRule { .. }
            | Effect::TickPlan { .. }
            | Effect::RecordDuration(_)
            | Effect::ReleaseWorktree { .. }
            | Effect::RemoveWorktree { .. }
            | Effect::ProvideResource(_) => return,
        };
        let Some(known) = self.tasks.get(task) else { return };
        let is_decided =
            |file: &LargeFile| known.file_decisions.get(file) == Some(&LargeFileDecision::Commit);
        if !files.iter().all(is_decided) {
            self.add_violation(Rule::LargeFiles, format!("{effect:?} commits a file without an answer"));
        }
    }
}
