//! The path of a task from the agent's report to done: check, test, merge.

use domain::{
    AttemptFailure, AttemptNumber, BlockReason, CheckpointId, CheckpointReason, ClaimSource, DirectType,
    EscalationCause, EscalationType, FeedbackLoopOutcome, LoopId, MergeOutcome, Receipt, Role, SessionId,
    SessionInput, Severity, TaskId, TaskReturnReason, TestCounts, TestFailure, TestFeedback, TestMetrics,
    events,
};
use test_reports::bound_feedback;

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    failure_text::failure_text,
    rejection::Rejection,
    state::{GateState, TaskIndex, TaskStage, WorkItem, failure_story},
};

/// Lost processes that do not count as failed attempts of a task or rounds of a gate.
const LOSSES_MAX: u32 = 3;

impl DecisionContext<'_> {
    /// Records that an agent reports a task as done; the check follows.
    pub(super) fn claim_task(
        &mut self,
        task: TaskIndex,
        source: ClaimSource,
        reason: Option<String>,
        fields: std::collections::BTreeMap<String, String>,
    ) {
        self.emit(events::TaskClaimed { task: self.task_id(task), source, reason, fields });
    }

    pub(super) fn start_check(&mut self, task: TaskIndex) {
        self.open_feedback_loop(task);
        let attempt = self.run.task(task).attempt();
        let command = self.run.check_of_task(task).cloned();
        match command {
            Some(command) => self.emit(events::CheckStarted { task: self.task_id(task), attempt, command }),
            None => self.after_check(task),
        }
    }

    fn open_feedback_loop(&mut self, task: TaskIndex) {
        let open = self.run.task(task).feedback_loop.filter(|id| self.run.loops.get(id.0).is_open);
        if open.is_none() {
            let feedback_loop = LoopId(self.run.loops.next_number());
            let tester = self.run.task(task).planned.tester.clone();
            self.emit(events::LoopStarted { feedback_loop, task: self.task_id(task), tester });
        }
    }

    pub(super) fn handle_check_report(
        &mut self,
        task: &TaskId,
        attempt: AttemptNumber,
        receipt: Receipt,
    ) -> Result<(), Rejection> {
        let task_ref = self.find_task(task)?;
        let state = self.run.task(task_ref);
        let is_current = state.stage == TaskStage::Checking && state.attempt() == attempt;
        if !is_current {
            return Err(Rejection::StaleReport);
        }
        self.emit(events::CheckFinished { task: task.clone(), attempt, receipt: receipt.clone() });
        self.handle_failed_check(task_ref, &receipt);
        Ok(())
    }

    /// Fails a round of the feedback loop, or blocks the task if its check could not run.
    fn handle_failed_check(&mut self, task: TaskIndex, receipt: &Receipt) {
        match &receipt.obstacle {
            Some(obstacle) => self.block_on_unrun_check(task, receipt, obstacle),
            None if receipt.passed() => {}
            None => self.fail_loop_round(task, feedback_from_receipt(receipt)),
        }
    }

    /// Starts the tester of a task whose check passed, else ends its feedback loop.
    pub(super) fn after_check(&mut self, task: TaskIndex) {
        if !self.start_tester(task) {
            self.end_feedback_loop(task, FeedbackLoopOutcome::Success);
        }
    }

    /// Starts the tester of a task, and returns whether the task has one.
    pub(super) fn start_tester(&mut self, task: TaskIndex) -> bool {
        let state = self.run.task(task);
        let Some(tester) = state.planned.tester.clone() else { return false };
        // One that gave no verdict may still wait.
        self.dismiss_tester(task);
        let state = self.run.task(task);
        let (id, attempt, phase) = (state.planned.id.clone(), state.attempt(), state.planned.phase);
        let session = SessionId(self.run.sessions.next_number());
        self.emit(events::SessionOpened {
            session,
            parent: self.run.phases.get(&phase).and_then(|phase| phase.leader),
            depth: 2,
            role: Role::Tester,
            agent: Some(tester),
            task: Some(id.clone()),
            phase: Some(phase),
            resumes: None,
        });
        self.emit(events::TestStarted { task: id.clone(), session });
        self.send_input(session, SessionInput::Test { task: id, attempt });
        true
    }

    pub(super) fn handle_test_verdict(&mut self, task: TaskIndex, feedback: TestFeedback) {
        let feedback = bound_feedback(feedback);
        if feedback.success && feedback.failures.is_empty() {
            self.end_feedback_loop(task, FeedbackLoopOutcome::Success);
        } else {
            self.fail_loop_round(task, feedback);
        }
    }

    pub(super) fn end_feedback_loop(&mut self, task: TaskIndex, outcome: FeedbackLoopOutcome) {
        let open = self.run.task(task).feedback_loop.filter(|id| self.run.loops.get(id.0).is_open);
        if let Some(feedback_loop) = open {
            self.emit(events::LoopEnded { feedback_loop, outcome });
        }
    }

    fn fail_loop_round(&mut self, task: TaskIndex, feedback: TestFeedback) {
        self.open_feedback_loop(task);
        let Some(feedback_loop) = self.run.task(task).feedback_loop else { return };
        let round = self.run.loops.get(feedback_loop.0).rounds.saturating_add(1);
        let (worker, tester) = (self.run.task(task).session(), self.run.task(task).tester());
        if let (Some(worker), Some(tester), TaskStage::Testing) = (worker, tester, self.run.task(task).stage)
            && self.run.session(worker).is_alive()
        {
            self.send_feedback(tester, worker, &feedback);
        }
        self.emit(events::LoopRoundFailed { feedback_loop, round, feedback });
    }

    /// Sends a tester's feedback to the worker over their direct channel.
    fn send_feedback(&mut self, tester: SessionId, worker: SessionId, feedback: &TestFeedback) {
        let content = serde_json::to_string(feedback).unwrap_or_default();
        let message = self.send_direct_message(tester, worker, DirectType::Feedback, content);
        self.emit(events::DirectMessageReceived { message });
    }

    /// Returns a task with failed checks to its agent, or escalates it after the last round.
    pub(super) fn after_failed_round(&mut self, task: TaskIndex) {
        let rounds = self.run.task(task).feedback_loop.map_or(0, |id| self.run.loops.get(id.0).rounds);
        let is_last = rounds >= self.run.settings.retries_max.get();
        if is_last {
            let context = self.failure_context(task);
            self.end_feedback_loop(task, FeedbackLoopOutcome::Escalated);
            let id = self.task_id(task);
            self.block_on_escalation(
                task,
                NewEscalation {
                    kind: EscalationType::TestFailure,
                    severity: Severity::High,
                    title: EscalationCause::TestsFailing { task: id.clone() }.into(),
                    description: format!("{id} failed {rounds} test rounds"),
                    context,
                },
            );
            return;
        }
        let reason = if self.run.task(task).tester().is_some() {
            TaskReturnReason::Test
        } else {
            TaskReturnReason::Check
        };
        self.emit(events::TaskReturned { task: self.task_id(task), reason });
    }

    /// Tells what failed so far, what was tried and what still fails, with the end of the last output.
    fn failure_context(&self, task: TaskIndex) -> String {
        let state = self.run.task(task);
        let mut lines = failure_story(&state.history.failures);
        let last_output = state.feedback_loop.map(|id| self.run.loops.get(id.0).last_output.clone());
        lines.extend(last_output.filter(|output| !output.is_empty()));
        lines.join("\n")
    }

    pub(super) fn handle_merge_report(
        &mut self,
        task: &TaskId,
        attempt: AttemptNumber,
        outcome: MergeOutcome,
    ) -> Result<(), Rejection> {
        let task_ref = self.find_task(task)?;
        let state = self.run.task(task_ref);
        if !state.stage.is_merging() || state.attempt() != attempt {
            return Err(Rejection::StaleReport);
        }
        self.emit(events::MergeFinished { task: task.clone(), attempt, outcome: outcome.clone() });
        match outcome {
            MergeOutcome::Merged { .. } | MergeOutcome::Conflicted { .. } => {}
            MergeOutcome::CheckFailed { receipt } => self.handle_failed_check(task_ref, &receipt),
            MergeOutcome::Failed { error } => self.escalate_failed_merge(task_ref, error),
        }
        Ok(())
    }

    /// Returns a merge conflict to the agent once, then escalates it.
    pub(super) fn after_conflict(&mut self, task: TaskIndex) {
        if self.run.task(task).conflict_returned {
            let error = "its work still conflicts with merged work".to_owned();
            self.escalate_failed_merge(task, error);
        } else {
            self.emit(events::TaskReturned { task: self.task_id(task), reason: TaskReturnReason::Conflict });
        }
    }

    fn escalate_failed_merge(&mut self, task: TaskIndex, description: String) {
        let id = self.task_id(task);
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

    /// Finishes a merged task, unless its agent reported the phase as complete: then the gate must approve first.
    pub(super) fn after_merge(&mut self, task: TaskIndex) {
        let state = self.run.task(task);
        let phase = state.planned.phase;
        let gate = self.run.phases.get(&phase).map(|phase| phase.gate);
        let is_phase_marked = state.last_attempt.as_ref().is_some_and(|attempt| attempt.is_phase_marked);
        if is_phase_marked && gate != Some(GateState::Approved) {
            self.emit(events::TaskBlocked {
                task: self.task_id(task),
                reason: BlockReason::Approval { phase },
            });
            self.dismiss_tester(task);
        } else {
            self.finish_task(task);
        }
    }

    /// Finishes a merged task.
    pub(super) fn finish_task(&mut self, task: TaskIndex) {
        let TaskStage::Merged(proof) = self.run.task(task).stage else { return };
        self.emit(events::TaskDone { task: self.task_id(task), proof });
        self.close_attempt(task, "is done", FeedbackLoopOutcome::Success);
    }

    pub(super) fn dismiss_tester(&mut self, task: TaskIndex) {
        if let Some(tester) = self.run.task(task).tester() {
            self.dismiss_session(tester);
        }
    }

    /// Ends a failed attempt, and retries the task or escalates it after the last attempt.
    pub(super) fn fail_attempt(&mut self, task: TaskIndex, failure: AttemptFailure) {
        let state = self.run.task(task);
        let counted = !self.is_uncounted_loss(&failure, state.losses);
        let (id, attempt) = (state.planned.id.clone(), state.attempt());
        let failures = state.failures + u32::from(counted);
        let text = failure_text(&failure);
        self.request_checkpoint_creation(task, CheckpointReason::Failure);
        self.emit(events::AttemptFailed { task: id.clone(), attempt, failure, counted });
        self.close_attempt(task, "is retried", FeedbackLoopOutcome::Failed);
        if failures >= self.run.settings.retries_max.get() {
            self.block_on_escalation(
                task,
                NewEscalation {
                    kind: EscalationType::Blocked,
                    severity: Severity::High,
                    title: EscalationCause::RepeatedFailure { task: id, failures }.into(),
                    description: text,
                    context: self.failure_context(task),
                },
            );
        } else {
            let hint = Some(format!("The last attempt failed: {text}"));
            self.emit(events::TaskRetried { task: id, hint, resets_attempts: false });
        }
    }

    /// Returns whether a failure is a lost process that does not count as an attempt.
    ///
    /// An agent that is killed from outside loses no attempt, but an agent that crashes each time must not retry
    /// forever.
    pub(super) fn is_uncounted_loss(&self, failure: &AttemptFailure, losses: u32) -> bool {
        failure.is_process_loss() && losses <= LOSSES_MAX
    }

    pub(super) fn request_checkpoint_creation(&mut self, task: TaskIndex, reason: CheckpointReason) {
        let checkpoint = CheckpointId(self.run.checkpoints.next_number());
        self.emit_as_system(events::CheckpointRequested { checkpoint, task: self.task_id(task), reason });
    }

    /// Returns the task that a tester session tests.
    pub(super) fn tested_task(&self, session: SessionId) -> Option<TaskIndex> {
        match self.run.session(session).current_item {
            Some(WorkItem::Test(task)) => Some(task),
            Some(
                WorkItem::Question(_)
                | WorkItem::Escalation(_)
                | WorkItem::Call(_)
                | WorkItem::Verify(_)
                | WorkItem::Chat,
            )
            | None => None,
        }
    }
}

/// Describes a failed check by the failures that its test tools reported, else by its command and the end of its output.
///
/// A command that was ended may have failures that no tool could report.
fn feedback_from_receipt(receipt: &Receipt) -> TestFeedback {
    let report = receipt.tests.as_deref();
    let mut failures = report.map(|report| report.failures.clone()).unwrap_or_default();
    if failures.is_empty() || receipt.exit_status.is_none() {
        let status =
            receipt.exit_status.map_or("a signal".to_owned(), |status| format!("exit status {status}"));
        failures.push(TestFailure {
            name: receipt.command.clone(),
            expected: Some("exit status 0".to_owned()),
            actual: Some(status),
            trace: Some(receipt.output_tail.clone()).filter(|tail| !tail.is_empty()),
            ..TestFailure::default()
        });
    }
    TestFeedback {
        failures,
        n_unlisted: report.map_or(0, |report| report.n_unlisted),
        metrics: report.map(|report| metrics_of_receipt(receipt, report.counts)),
        ..TestFeedback::default()
    }
}

fn metrics_of_receipt(receipt: &Receipt, counts: TestCounts) -> TestMetrics {
    let TestCounts { passed, failed, skipped } = counts;
    let milliseconds = receipt.finished_at.0.saturating_sub(receipt.started_at.0);
    let tenths = u32::try_from(milliseconds / 100).unwrap_or(0);
    TestMetrics {
        total: passed.saturating_add(failed).saturating_add(skipped),
        passed,
        failed,
        skipped,
        seconds: f64::from(tenths) / 10.0,
    }
}
