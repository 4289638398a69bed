//! Evidence of done: what an agent changed in a round of work, and which claims may be accepted.

use domain::{
    AgentMessage, CheckpointId, CheckpointOutcome, CheckpointReason, ClaimEvidence, InputNumber, LargeFile,
    Role, SessionId, SessionInput, TaskId, events,
};

use super::Model;
use crate::rule::Rule;

/// A round of work on a task.
#[derive(Debug, Clone, Default)]
pub(crate) struct Round {
    /// Tree before the first prompt.
    base: Option<String>,
    /// Tree before the last denied permission.
    denied: Option<String>,
    /// The checkpoint of the current work.
    checkpoint: Option<CheckpointId>,
    /// Tree of the current work.
    examined: Option<String>,
    is_requested: bool,
    has_result: bool,
    /// Whether the current claim has a reason.
    has_reason: bool,
    /// Whether the current work was accepted.
    pub is_accepted: bool,
}

impl Round {
    fn has_change(&self) -> bool {
        self.examined.is_some()
            && self.base.is_some()
            && self.examined != self.base
            && self.examined != self.denied
    }
}

impl Model {
    /// Begins a round: earlier work no longer counts as evidence.
    pub(super) fn begin_round(&mut self, task: &TaskId) {
        self.update_task(task, |task| task.round = Round::default());
    }

    /// Continues a round with a restored worktree. At the start of the task, earlier work is no evidence any more.
    pub(super) fn rewind_round(&mut self, task: &TaskId, is_start: bool) {
        self.update_task(task, |task| {
            let base = task.round.base.take().filter(|_| !is_start);
            task.round = Round { base, ..Round::default() };
        });
    }

    pub(super) fn record_tree(&mut self, session: SessionId, input: InputNumber, tree: Option<&String>) {
        let content = self.sessions.get(&session).and_then(|session| session.inputs.get(&input));
        let Some((content, _)) = content else { return };
        let is_denial = matches!(content, SessionInput::Permission { allowed: false, .. });
        // The agent gets it within its turn; the report of the prompt may come later.
        let is_reply = matches!(
            content,
            SessionInput::Permission { allowed: true, .. } | SessionInput::Answer { prompt: Some(_), .. }
        );
        let (Some(task), Some(tree)) = (self.task_of_worker(session), tree) else { return };
        self.update_task(&task, |task| match is_denial {
            true => task.round.denied = Some(tree.clone()),
            false if is_reply => {}
            false => {
                task.round.base.get_or_insert_with(|| tree.clone());
            }
        });
    }

    pub(super) fn request_checkpoint(&mut self, event: &events::CheckpointRequested) {
        let events::CheckpointRequested { checkpoint, task, reason } = event;
        if matches!(reason, CheckpointReason::TurnEnd | CheckpointReason::Claim) {
            self.update_task(task, |task| {
                (task.round.checkpoint, task.round.examined) = (Some(*checkpoint), None);
            });
        }
    }

    pub(super) fn record_checkpoint(&mut self, checkpoint: CheckpointId, outcome: &CheckpointOutcome) {
        let Some((task, _)) = self.checkpoints.get(&checkpoint).cloned() else { return };
        if let CheckpointOutcome::Made { tree, large_files, .. } = outcome {
            self.update_task(&task, |task| {
                task.large_files.clone_from(large_files);
                if task.round.checkpoint == Some(checkpoint) {
                    task.round.examined.clone_from(tree);
                }
            });
        }
    }

    pub(super) fn claim_task(&mut self, event: &events::TaskClaimed) {
        self.update_task(&event.task, |task| {
            task.reset_proof();
            task.checked_commit = None;
            task.round.is_accepted = false;
            task.round.has_reason = event.reason.is_some();
        });
    }

    pub(super) fn record_reason_or_result(&mut self, session: SessionId, message: &AgentMessage) {
        let Some(task) = self.task_of_worker(session) else { return };
        let has_reason = matches!(message, AgentMessage::Done(done) if done.reason.is_some());
        let has_result = matches!(message, AgentMessage::DeliverResult(_));
        self.update_task(&task, |task| {
            task.round.has_reason |= has_reason;
            task.round.has_result |= has_result;
        });
    }

    pub(super) fn accept_claim(&mut self, event: &events::ClaimAccepted) {
        let events::ClaimAccepted { task: id, evidence, is_claimed, .. } = event;
        let Some(task) = self.tasks.get(id) else { return };
        let has_check = self.check_of_task(task).is_some() || task.plan.tester.is_some();
        let is_undecided = |file: &&LargeFile| !task.file_decisions.contains_key(*file);
        let undecided: Vec<LargeFile> = task.large_files.iter().filter(is_undecided).cloned().collect();
        let round = &task.round;
        let is_proved = match evidence {
            ClaimEvidence::Change => round.has_change(),
            ClaimEvidence::Result => round.has_result,
            ClaimEvidence::Reason => round.has_reason,
            // Simulated runs are started by this version.
            ClaimEvidence::NotRequired => false,
        };
        if !is_proved {
            self.add_violation(Rule::Evidence, format!("{id} has no {evidence:?}: {round:?}"));
        } else if !(*is_claimed || has_check && round.is_requested) {
            self.add_violation(Rule::Evidence, format!("{id} is not claimed: {round:?}"));
        }
        if !undecided.is_empty() {
            let how = format!("{id} is accepted without an answer about {undecided:?}");
            self.add_violation(Rule::LargeFiles, how);
        }
        self.update_task(id, |task| task.round.is_accepted = true);
    }

    /// Checks that an agent is told once in a round what is missing.
    pub(super) fn request_evidence(&mut self, id: &TaskId) {
        if self.tasks.get(id).is_some_and(|task| task.round.is_requested) {
            self.add_violation(Rule::Evidence, format!("{id}: its evidence is requested twice in a round"));
        }
        if self.tasks.get(id).is_some_and(|task| task.stage == super::Stage::Working) {
            let accepts = self.tasks.get(id).and_then(|task| task.session);
            if !accepts.is_some_and(|session| self.accepts_input(session)) {
                self.end_attempt(id, super::Stage::Waiting);
            }
        }
        self.update_task(id, |task| task.round.is_requested = true);
    }

    /// Lets an agent try again with the answer to the question about its evidence.
    pub(super) fn continue_round(&mut self, id: &TaskId) {
        self.update_task(id, |task| (task.round.is_requested, task.round.denied) = (false, None));
    }

    /// Checks that work is accepted before it is checked or merged, unless a user accepted it despite its check.
    pub(super) fn check_accepted(&mut self, id: &TaskId, what: &str) {
        if self.tasks.get(id).is_some_and(|task| !task.round.is_accepted && !task.waived) {
            self.add_violation(Rule::Evidence, format!("{id} {what} without an accepted claim"));
        }
    }

    fn task_of_worker(&self, session: SessionId) -> Option<TaskId> {
        let worker = self.sessions.get(&session).filter(|session| session.role == Role::Worker)?;
        let task = worker.task.clone()?;
        (self.tasks.get(&task)?.session == Some(session)).then_some(task)
    }
}
