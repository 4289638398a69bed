//! From an agent's word to a task that is done: check, test, merge, proof.

use domain::{
    AttemptFailure, AttemptNumber, BlockReason, CheckpointId, CheckpointReason, ClaimSource, DirectType,
    EscalationCause, EscalationType, Event, LoopId, LoopOutcome, MergeOutcome, Receipt, ReturnReason, Role,
    SessionId, SessionInput, Severity, TaskId, TestFailure, TestFeedback,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    guard::Guard,
    rejection::Rejection,
    state::{GateState, TaskRef, TaskStage, WorkItem},
};

/// So many lost processes cost a task, or a gate, nothing.
const LOSSES_MAX: u32 = 3;

impl DecisionContext<'_> {
    /// Takes an agent's word that a task is done, which moves nothing but the check.
    pub(super) fn claim(
        &mut self,
        task: TaskRef,
        source: ClaimSource,
        fields: std::collections::BTreeMap<String, String>,
    ) {
        self.emit(Event::TaskClaimed { task: self.id(task), source, fields });
    }

    pub(super) fn start_check(&mut self, task: TaskRef) {
        self.open_loop(task);
        let attempt = self.run.task(task).attempt;
        let command = self.run.check_of(task).cloned();
        match command.filter(|_| self.run.is_on(Guard::CheckReceipt)) {
            Some(command) => self.emit(Event::CheckStarted { task: self.id(task), attempt, command }),
            None => self.after_check(task),
        }
    }

    fn open_loop(&mut self, task: TaskRef) {
        let open = self.run.task(task).feedback_loop.filter(|id| self.run.loops.get(id.0).is_open);
        if open.is_none() {
            let feedback_loop = LoopId(self.run.loops.next());
            let tester = self.run.task(task).planned.tester.clone();
            self.emit(Event::LoopStarted { feedback_loop, task: self.id(task), tester });
        }
    }

    pub(super) fn report_check(
        &mut self,
        task: &TaskId,
        attempt: AttemptNumber,
        receipt: Receipt,
    ) -> Result<(), Rejection> {
        let found = self.find(task)?;
        let state = self.run.task(found);
        let is_present = state.stage == TaskStage::Checking && state.attempt == attempt;
        if self.run.is_on(Guard::RejectStaleReports) && !is_present {
            return Err(Rejection::StaleReport);
        }
        let passed = receipt.passed();
        let feedback = feedback_of(&receipt);
        self.emit(Event::CheckFinished { task: task.clone(), attempt, receipt });
        if !passed {
            self.fail_round(found, feedback);
        }
        Ok(())
    }

    /// The check passed: the tester is next, or the merge.
    pub(super) fn after_check(&mut self, task: TaskRef) {
        if !self.open_test(task) {
            self.end_loop(task, LoopOutcome::Success);
        }
    }

    /// Lets a tester look at a task's work, if it has one.
    pub(super) fn open_test(&mut self, task: TaskRef) -> bool {
        let state = self.run.task(task);
        let Some(tester) = state.planned.tester.clone() else { return false };
        let (id, attempt, phase) = (state.planned.id.clone(), state.attempt, state.planned.phase);
        let session = SessionId(self.run.sessions.next());
        self.emit(Event::SessionOpened {
            session,
            parent: self.run.phases.get(&phase).and_then(|phase| phase.leader),
            depth: 2,
            role: Role::Tester,
            agent: Some(tester),
            task: Some(id.clone()),
            phase: Some(phase),
            resumes: None,
        });
        self.emit(Event::TestStarted { task: id.clone(), session });
        self.send_input(session, SessionInput::Test { task: id, attempt });
        true
    }

    /// Takes the outcome of a test.
    pub(super) fn test_finished(&mut self, task: TaskRef, feedback: TestFeedback) {
        if feedback.success && feedback.failures.is_empty() {
            self.end_loop(task, LoopOutcome::Success);
        } else {
            self.fail_round(task, feedback);
        }
    }

    pub(super) fn end_loop(&mut self, task: TaskRef, outcome: LoopOutcome) {
        let open = self.run.task(task).feedback_loop.filter(|id| self.run.loops.get(id.0).is_open);
        if let Some(feedback_loop) = open {
            self.emit(Event::LoopEnded { feedback_loop, outcome });
        }
    }

    fn fail_round(&mut self, task: TaskRef, feedback: TestFeedback) {
        self.open_loop(task);
        let Some(feedback_loop) = self.run.task(task).feedback_loop else { return };
        let round = self.run.loops.get(feedback_loop.0).rounds.saturating_add(1);
        let (worker, tester) = (self.run.task(task).session, self.run.task(task).tester);
        if let (Some(worker), Some(tester), TaskStage::Testing) = (worker, tester, self.run.task(task).stage)
            && self.run.session(worker).is_alive()
        {
            self.send_feedback(tester, worker, &feedback);
        }
        self.emit(Event::LoopRoundFailed { feedback_loop, round, feedback });
    }

    /// Sends what a tester found over the direct channel; the worker gets it as its feedback.
    fn send_feedback(&mut self, tester: SessionId, worker: SessionId, feedback: &TestFeedback) {
        let content = serde_json::to_string(feedback).unwrap_or_default();
        let message = self.send_direct(tester, worker, DirectType::Feedback, content);
        self.emit(Event::DirectMessageReceived { message });
    }

    /// A round found failures: the agent goes on, or the last round was too much.
    pub(super) fn after_failed_round(&mut self, task: TaskRef) {
        let rounds = self.run.task(task).feedback_loop.map_or(0, |id| self.run.loops.get(id.0).rounds);
        let is_last = rounds >= self.run.settings.retries_max.get();
        if is_last && self.run.is_on(Guard::AttemptLimit) {
            let history =
                self.run.task(task).feedback_loop.map(|id| self.run.loops.get(id.0).history.clone());
            self.end_loop(task, LoopOutcome::Escalated);
            let id = self.id(task);
            self.block_on_escalation(
                task,
                NewEscalation {
                    kind: EscalationType::TestFailure,
                    severity: Severity::High,
                    title: EscalationCause::TestsFailing { task: id.clone() }.into(),
                    description: format!("{id} was tested {rounds} times and failed each time"),
                    context: history.unwrap_or_default().join("\n"),
                },
            );
            return;
        }
        let reason =
            if self.run.task(task).tester.is_some() { ReturnReason::Test } else { ReturnReason::Check };
        self.emit(Event::TaskReturned { task: self.id(task), reason });
    }

    pub(super) fn report_merge(
        &mut self,
        task: &TaskId,
        attempt: AttemptNumber,
        outcome: MergeOutcome,
    ) -> Result<(), Rejection> {
        let found = self.find(task)?;
        let state = self.run.task(found);
        if self.run.is_on(Guard::RejectStaleReports)
            && (state.stage != TaskStage::Merging || state.attempt != attempt)
        {
            return Err(Rejection::StaleReport);
        }
        self.emit(Event::MergeFinished { task: task.clone(), attempt, outcome: outcome.clone() });
        match outcome {
            MergeOutcome::Merged { .. } | MergeOutcome::Conflicted { .. } => {}
            MergeOutcome::CheckFailed { receipt } => self.fail_round(found, feedback_of(&receipt)),
            MergeOutcome::Failed { error } => self.raise_conflict(found, error),
        }
        Ok(())
    }

    /// A conflict goes back to the agent once, then upward.
    pub(super) fn after_conflict(&mut self, task: TaskRef) {
        if self.run.task(task).conflict_returned {
            let error = "its work still does not go together with what others did".to_owned();
            self.raise_conflict(task, error);
        } else {
            self.emit(Event::TaskReturned { task: self.id(task), reason: ReturnReason::Conflict });
        }
    }

    fn raise_conflict(&mut self, task: TaskRef, description: String) {
        let id = self.id(task);
        self.block_on_escalation(
            task,
            NewEscalation {
                kind: EscalationType::Conflict,
                severity: Severity::Medium,
                title: EscalationCause::MergeFailed { task: id }.into(),
                description,
                context: String::new(),
            },
        );
    }

    /// It is merged: done, unless its agent said that the phase is complete and the gate has not said so.
    pub(super) fn after_merge(&mut self, task: TaskRef) {
        let state = self.run.task(task);
        let phase = state.planned.phase;
        let gate = self.run.phases.get(&phase).map(|phase| phase.gate);
        if state.phase_marked && gate != Some(GateState::Approved) {
            self.emit(Event::TaskBlocked { task: self.id(task), reason: BlockReason::Approval { phase } });
            self.dismiss_tester(task);
        } else {
            self.finish(task);
        }
    }

    pub(super) fn finish(&mut self, task: TaskRef) {
        let proof = self.run.task(task).proof;
        self.emit(Event::TaskDone { task: self.id(task), proof });
        self.close_attempt(task, "is done", LoopOutcome::Success);
    }

    pub(super) fn dismiss_tester(&mut self, task: TaskRef) {
        if let Some(tester) = self.run.task(task).tester {
            self.dismiss(tester);
        }
    }

    /// A try came to nothing: another one, or the last was too much.
    pub(super) fn fail_attempt(&mut self, task: TaskRef, failure: AttemptFailure) {
        let state = self.run.task(task);
        let counted = !self.is_uncounted_loss(&failure, state.losses);
        let (id, attempt) = (state.planned.id.clone(), state.attempt);
        let failures = state.failures + u32::from(counted);
        let text = failure_text(&failure);
        self.request_checkpoint(task, CheckpointReason::Failure);
        self.emit(Event::AttemptFailed { task: id.clone(), attempt, failure, counted });
        self.close_attempt(task, "is tried again", LoopOutcome::Failed);
        if failures >= self.run.settings.retries_max.get() && self.run.is_on(Guard::AttemptLimit) {
            self.block_on_escalation(
                task,
                NewEscalation {
                    kind: EscalationType::Blocked,
                    severity: Severity::High,
                    title: EscalationCause::RepeatedFailure { task: id, failures }.into(),
                    description: text,
                    context: String::new(),
                },
            );
        } else {
            let hint = Some(format!("The last try came to nothing: {text}"));
            self.emit(Event::TaskRetried { task: id, hint, resets_attempts: false });
        }
    }

    /// Tells whether somebody else takes a lost process's place as if nothing had been.
    ///
    /// Whoever kills an agent costs it no try; one that dies each time must come to an end.
    pub(super) fn is_uncounted_loss(&self, failure: &AttemptFailure, losses: u32) -> bool {
        failure.is_process_loss() && (losses <= LOSSES_MAX || !self.run.is_on(Guard::AttemptLimit))
    }

    /// Keeps a point that the task can go back to.
    pub(super) fn request_checkpoint(&mut self, task: TaskRef, reason: CheckpointReason) {
        let checkpoint = CheckpointId(self.run.checkpoints.next());
        self.emit_by_rule(Event::CheckpointRequested { checkpoint, task: self.id(task), reason });
    }

    /// Returns the task that a tester has in hand.
    pub(super) fn tested_task(&self, session: SessionId) -> Option<TaskRef> {
        match self.run.session(session).current_item {
            Some(WorkItem::Test(task)) => Some(task),
            _ => None,
        }
    }
}

fn feedback_of(receipt: &Receipt) -> TestFeedback {
    let status = receipt.exit_status.map_or("a signal".to_owned(), |status| format!("exit status {status}"));
    let failure = TestFailure {
        name: receipt.command.clone(),
        expected: Some("exit status 0".to_owned()),
        actual: Some(status),
        trace: Some(receipt.output_tail.clone()).filter(|tail| !tail.is_empty()),
        suggested_fix: None,
    };
    TestFeedback { success: false, failures: vec![failure], suggestions: Vec::new(), metrics: None }
}

pub(super) fn failure_text(failure: &AttemptFailure) -> String {
    match failure {
        AttemptFailure::Reported { reason } => reason.clone(),
        AttemptFailure::Exited { exit_status: Some(status) } => {
            format!("the agent exited with status {status}")
        }
        AttemptFailure::Exited { exit_status: None } => "the agent was ended by a signal".to_owned(),
        AttemptFailure::Lost { reason } => format!("the agent is gone: {reason}"),
        AttemptFailure::Checks => "its checks failed".to_owned(),
        AttemptFailure::Merge { reason } => format!("it could not be merged: {reason}"),
        AttemptFailure::Error { message } => message.clone(),
        AttemptFailure::MarkedFailed => "it was sink up".to_owned(),
    }
}
