//! Evidence of done: a claim is examined before the check, and so is a turn that ends without a message.
//!
//! [`super::large_files`] comes first. The worker is told once in a round what is missing; then Jangdan asks the user in its place.

use std::collections::BTreeMap;

use domain::{
    CheckpointReason, ClaimEvidence, ClaimSource, EscalationCause, EscalationType, EvidenceGap,
    MissingEvidence, QuestionId, QuestionKind, SessionId, Severity, events,
};

use super::{DecisionContext, escalation::NewEscalation, question::QuestionDraft};
use crate::state::{TaskClaim, TaskIndex, TreeExamination};

/// Questions about missing evidence with the same tree and the same words, after which the task is escalated: an agent
/// that is answered automatically must not repeat itself forever.
const EQUAL_QUESTIONS_MAX: u32 = 3;
/// Questions about missing evidence in one round, whatever the agent wrote.
const QUESTIONS_MAX: u32 = 20;

impl DecisionContext<'_> {
    /// Accepts the claim of a task, or finds what it lacks, once the tree of its work is known.
    pub(super) fn examine_claim(&mut self, task: TaskIndex, claim: TaskClaim) {
        if !self.is_tree_examined(task) || self.ask_about_large_files(task) {
            return;
        }
        let Some(session) = self.run.task(task).session() else { return };
        let round = &self.run.task(task).round;
        let TaskClaim { source, has_reason } = claim;
        let is_message = match source {
            ClaimSource::DoneMessage | ClaimSource::PhaseMarker => true,
            ClaimSource::Exit => !self.knows_protocol(session),
            ClaimSource::TurnEnd => false,
        };
        let missing_change = round.missing_change();
        let evidence = match missing_change {
            None => Some(ClaimEvidence::Change),
            Some(_) if round.has_result => Some(ClaimEvidence::Result),
            Some(_) if has_reason => Some(ClaimEvidence::Reason),
            Some(_) if !self.run.is_evidence_required => Some(ClaimEvidence::NotRequired),
            Some(_) => None,
        };
        match evidence {
            Some(evidence) if is_message => self.accept_claim(task, evidence, true),
            Some(ClaimEvidence::Change) if self.is_unclaimed_work_accepted(task) => {
                self.accept_claim(task, ClaimEvidence::Change, false);
            }
            Some(_) | None => self.request_evidence(task, session, is_message),
        }
    }

    /// Handles the end of a worker's turn without a message, once the tree of its work is known.
    pub(super) fn examine_turn_without_message(&mut self, task: TaskIndex, session: SessionId) {
        // The end of its process is its only message.
        if !self.knows_protocol(session) || !self.is_tree_examined(task) {
            return;
        }
        if self.run.task(task).round.missing_change().is_none() && self.is_unclaimed_work_accepted(task) {
            self.claim_task(task, ClaimSource::TurnEnd, None, BTreeMap::new());
            self.examine_claim(task, TaskClaim { source: ClaimSource::TurnEnd, has_reason: false });
        } else {
            self.request_evidence(task, session, false);
        }
    }

    fn accept_claim(&mut self, task: TaskIndex, evidence: ClaimEvidence, is_claimed: bool) {
        let change = self.run.task(task).round.change();
        self.emit(events::ClaimAccepted { task: self.task_id(task), evidence, change, is_claimed });
    }

    /// Returns whether the check decides about work that the agent does not report as done.
    fn is_unclaimed_work_accepted(&self, task: TaskIndex) -> bool {
        self.run.task(task).round.is_evidence_requested && self.run.has_check(task)
    }

    /// Tells the agent what is missing, or asks the user if the agent was told before or cannot be told.
    fn request_evidence(&mut self, task: TaskIndex, session: SessionId, is_message: bool) {
        let (round, large_files) = (&self.run.task(task).round, &self.run.task(task).large_files);
        let no_message = Some(MissingEvidence::NoMessage).filter(|_| !is_message);
        let missing_change = round.missing_change().filter(|_| !round.has_result).map(|missing| {
            let has_only_large_files =
                missing == MissingEvidence::NoChange && !large_files.left_out.is_empty();
            if has_only_large_files { MissingEvidence::OnlyLargeFiles } else { missing }
        });
        let missing: Vec<_> = no_message.into_iter().chain(missing_change).collect();
        if round.is_evidence_requested || !self.knows_protocol(session) {
            self.ask_about_evidence(task, session, missing);
        } else {
            self.emit(events::EvidenceRequested { task: self.task_id(task), missing });
        }
    }

    /// Asks the user what the agent does not say, quoting its last words. The answer goes to the agent.
    fn ask_about_evidence(&mut self, task: TaskIndex, session: SessionId, missing: Vec<MissingEvidence>) {
        let round = &self.run.task(task).round;
        let words = round.last_words.clone();
        let is_repetition = round.questions.is_repetition(round.examined_tree(), &words);
        let is_repeated = is_repetition && round.questions.repeated >= EQUAL_QUESTIONS_MAX;
        if is_repeated || round.questions.count >= QUESTIONS_MAX {
            return self.escalate_missing_evidence(task, words);
        }
        let evidence_gap = EvidenceGap { missing, last_words: words };
        let draft = QuestionDraft::new(QuestionKind::Text, evidence_gap.to_string());
        self.ask_question(session, QuestionDraft { evidence_gap: Some(evidence_gap), ..draft });
    }

    /// Withdraws the question about the evidence of a task whose agent now reports it as done.
    pub(super) fn withdraw_evidence_question(&mut self, task: TaskIndex) {
        let is_open = |id: &QuestionId| self.run.open_questions.contains(id);
        if let Some(question) = self.run.task(task).round.question.filter(is_open) {
            let reason = format!("{} is reported as done", self.task_id(task));
            self.emit_as_system(events::QuestionWithdrawn { question, reason });
            self.unblock_by_question(question);
        }
    }

    fn escalate_missing_evidence(&mut self, task: TaskIndex, words: String) {
        let questions = self.run.task(task).round.questions.count;
        self.block_on_escalation(
            task,
            NewEscalation {
                kind: EscalationType::Blocked,
                severity: Severity::High,
                title: EscalationCause::EvidenceMissing { task: self.task_id(task) }.into(),
                description: format!("its agent got {questions} answers and shows no change of its work"),
                context: words,
            },
        );
    }

    /// Returns whether the tree of a task's work is known, and requests it if not.
    fn is_tree_examined(&mut self, task: TaskIndex) -> bool {
        match self.run.task(task).round.examination {
            TreeExamination::Finished { .. } => true,
            TreeExamination::Requested(_) => false,
            TreeExamination::NotRequested => {
                self.request_checkpoint_creation(task, CheckpointReason::Claim);
                false
            }
        }
    }

    fn knows_protocol(&self, session: SessionId) -> bool {
        let agent = &self.run.session(session).agent;
        agent.as_ref().is_none_or(|agent| self.run.team.knows_protocol(agent))
    }
}
