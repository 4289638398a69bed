//! The gate at the end of a phase: check, verifier, approval or rework.

use domain::{
    AttemptFailure, BlockReason, CheckpointReason, EscalationCause, EscalationSubject, EscalationType,
    GateApproval, GateFinding, GateReport, GateVerdict, PhaseNumber, Receipt, Role, SessionId, SessionInput,
    Severity, TaskId, TaskReturnReason, events,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    check_output::end_of_output,
    gate_verdict::{find_verdict, shorten},
    rejection::Rejection,
    run::{NodeKind, RunStatus},
    state::{GateState, Phase, TaskIndex, TaskStage},
};

/// How often the work of a phase goes back to its agents before a user must decide.
const REWORKS_MAX: u32 = 3;

impl DecisionContext<'_> {
    /// Opens the gate of a phase whose tasks are all done.
    pub(super) fn open_next_gate(&mut self) -> bool {
        if self.run.status != RunStatus::Active {
            return false;
        }
        if let Some(task) = self.task_awaiting_approval_early() {
            self.finish_task(task);
            return true;
        }
        let free = self.run.schedule.open_barriers().filter_map(|node| match self.run.node_kind(node) {
            NodeKind::Gate(phase) => Some(phase),
            NodeKind::Task(_) | NodeKind::External => None,
        });
        let marked = self.run.marked_phases.iter().copied().filter(|phase| self.is_phase_merged(*phase));
        let is_closed =
            |phase: &PhaseNumber| self.run.phases.get(phase).map(|p| p.gate) == Some(GateState::Closed);
        let Some(phase) = free.chain(marked).find(is_closed) else { return false };
        self.open_gate(phase);
        true
    }

    /// Finds a task that waits for the approval of its phase while other tasks of the phase are unfinished.
    ///
    /// It is finished without the approval: one of the others may depend on it, and they would wait for each other.
    fn task_awaiting_approval_early(&self) -> Option<TaskIndex> {
        let waits_early = |phase: &&PhaseNumber| {
            let gate = self.run.phases.get(phase).map(|phase| phase.gate);
            gate == Some(GateState::Closed) && !self.is_phase_merged(**phase)
        };
        let phase = *self.run.marked_phases.iter().find(waits_early)?;
        let waits = |task: &&TaskIndex| {
            let task = self.run.task(**task);
            matches!(task.stage, TaskStage::Merged(_))
                && task.block_reasons == [BlockReason::Approval { phase }]
        };
        self.run.phases.get(&phase)?.tasks.iter().find(waits).copied()
    }

    /// Returns whether all tasks of a phase are done, except one that waits for the gate itself.
    fn is_phase_merged(&self, phase: PhaseNumber) -> bool {
        let Some(state) = self.run.phases.get(&phase) else { return false };
        let is_merged = |task: &TaskIndex| {
            let task = self.run.task(*task);
            let waits = matches!(task.stage, TaskStage::Merged(_))
                && task.block_reasons == [BlockReason::Approval { phase }];
            waits || self.run.schedule.is_met(task.node)
        };
        state.tasks.iter().all(is_merged)
    }

    fn open_gate(&mut self, phase: PhaseNumber) {
        let Some(state) = self.run.phases.get(&phase) else { return };
        let has_work = state.last_done.is_some() || self.run.marked_phases.contains(&phase);
        if has_work {
            let (round, documents) = (state.rounds.saturating_add(1), state.reported_documents());
            let task = state.marked_by.or(state.last_done);
            self.emit(events::GateOpened { phase, round, documents });
            if let Some(task) = task {
                self.request_checkpoint_creation(task, CheckpointReason::Gate);
            }
        } else {
            let note = Some("the phase has no work".to_owned());
            self.emit(events::GateApproved { phase, waived: false, note });
        }
    }

    pub(super) fn handle_gate_report(
        &mut self,
        phase: PhaseNumber,
        round: u32,
        report: GateReport,
    ) -> Result<(), Rejection> {
        let state = self.run.phases.get(&phase).ok_or(Rejection::UnknownPhase { phase })?;
        let report = with_verdict(report, &state.artefacts);
        if state.gate != GateState::Checking || state.rounds != round {
            return Err(Rejection::StaleReport);
        }
        let (passed, receipts) = (report.passed, report.receipts.clone());
        let mut tasks = report.tasks.clone();
        tasks.extend(self.tasks_with_faulty_documents(phase, &report));
        let mut summary = report.summary.clone();
        if !report.missing.is_empty() {
            summary = format!("{summary}\nmissing: {}", report.missing.join(", ")).trim().to_owned();
        }
        self.emit(events::GateChecked { phase, round, report });
        let unrun =
            receipts.iter().find_map(|receipt| receipt.obstacle.as_ref().map(|obstacle| (receipt, obstacle)));
        if let Some((receipt, obstacle)) = unrun {
            self.escalate_unrun_gate_check(phase, receipt, obstacle);
        } else if !passed {
            let failed = receipts.iter().rfind(|receipt| !receipt.passed());
            let output = failed.map(|receipt| end_of_output(&receipt.output_tail)).unwrap_or_default();
            self.fail_gate(phase, summary, &tasks, &output);
        } else if !self.start_verifier(phase) {
            self.pass_gate(phase);
        }
        Ok(())
    }

    /// Starts the verifier of a phase, and returns whether the team has one.
    fn start_verifier(&mut self, phase: PhaseNumber) -> bool {
        let Some(round) = self.run.phases.get(&phase).map(|phase| phase.rounds) else { return false };
        let Some(verifier) = self.run.team.first_with_role(Role::Verifier) else { return false };
        let (agent, session) = (verifier.name.clone(), SessionId(self.run.sessions.next_number()));
        self.emit(events::SessionOpened {
            session,
            parent: self.run.root_session,
            depth: 1,
            role: Role::Verifier,
            agent: Some(agent),
            task: None,
            phase: Some(phase),
            resumes: None,
        });
        self.emit(events::GateVerifierStarted { phase, round, session });
        self.send_input(session, SessionInput::Verify { phase, round });
        true
    }

    /// Returns the tasks whose agents reported documents that do not exist.
    fn tasks_with_faulty_documents(&self, phase: PhaseNumber, report: &GateReport) -> Vec<TaskId> {
        let Some(state) = self.run.phases.get(&phase) else { return Vec::new() };
        let is_faulty = |path: &String| {
            report.documents.iter().any(|document| document.path == *path && document.fault().is_some())
        };
        let reporting = state.documents.iter().filter(|(_, documents)| documents.iter().any(is_faulty));
        reporting.map(|(task, _)| self.task_id(*task)).collect()
    }

    /// Evaluates what the verifier said when its turn ends: it passes the gate, fails it, or is asked for its verdict.
    pub(super) fn finish_verification(&mut self, phase: PhaseNumber, session: SessionId, reply: &str) {
        let is_verifying = |state: &&Phase| state.gate == GateState::Verifying(session);
        let Some(state) = self.run.phases.get(&phase).filter(is_verifying) else { return };
        // What programs print on a terminal is not distinguished from the words of the agent.
        let agent = self.run.session(session).agent.as_ref();
        let is_text_of_agent = agent.is_some_and(|agent| self.run.team.reports_turn_end(agent));
        let in_text = || find_verdict(reply).filter(|_| is_text_of_agent);
        let stated = state.verdict.clone().or_else(in_text);
        let has_verdict = stated.is_some() || state.is_acceptance_reported || !state.objections.is_empty();
        if !has_verdict {
            return self.remind_or_escalate_verifier(phase, session);
        }
        let (round, objections) = (state.rounds, state.objections.clone());
        let mut verdict = stated.unwrap_or_else(|| GateVerdict {
            accepted: true,
            summary: shorten(reply),
            findings: Vec::new(),
        });
        verdict.accepted &= objections.is_empty();
        let of_objection = |(task, text)| GateFinding { task: Some(task), text, ..GateFinding::default() };
        verdict.findings.extend(objections.into_iter().map(of_objection));
        let (accepted, reason) = (verdict.accepted, reason_of_rejection(&verdict));
        let tasks: Vec<TaskId> = verdict.findings.iter().filter_map(|finding| finding.task.clone()).collect();
        self.emit(events::GateVerdictGiven { phase, round, session, verdict });
        if accepted {
            self.pass_gate(phase);
        } else {
            self.fail_gate(phase, reason, &tasks, "");
        }
    }

    /// Reminds a verifier that ended its turn without a verdict, and escalates the second time: silence accepts nothing.
    fn remind_or_escalate_verifier(&mut self, phase: PhaseNumber, session: SessionId) {
        if self.run.session(session).reminded {
            let description = "the verifier ended its turn without a verdict".to_owned();
            self.escalate_gate_failure(phase, description, "");
        } else {
            self.send_input(session, SessionInput::Reminder);
        }
    }

    /// Starts another verifier, or escalates after too many losses.
    pub(super) fn handle_verifier_loss(&mut self, phase: PhaseNumber, failure: &AttemptFailure) {
        let losses = self.run.phases.get(&phase).map_or(0, |phase| phase.losses);
        if self.is_uncounted_loss(failure, losses) {
            self.start_verifier(phase);
        } else {
            self.escalate_gate_failure(phase, "the verifier ended without a verdict".to_owned(), "");
        }
    }

    fn pass_gate(&mut self, phase: PhaseNumber) {
        let Some(state) = self.run.phases.get(&phase) else { return };
        let (round, blocks) = (state.rounds, self.work_blocked_by_node(state.node));
        self.emit(events::GatePassed { phase, round, blocks });
        match self.run.settings.gate_approval {
            GateApproval::Automatic => self.emit_gate_approval(phase, false, None),
            GateApproval::Person => {}
        }
    }

    pub(super) fn emit_gate_approval(&mut self, phase: PhaseNumber, waived: bool, note: Option<String>) {
        self.emit(events::GateApproved { phase, waived, note });
        let approval = BlockReason::Approval { phase };
        let tasks = self.run.phases.get(&phase).map(|phase| phase.tasks.clone()).unwrap_or_default();
        for task in tasks {
            if self.run.is_task_blocked_by(task, &approval) {
                self.finish_task(task);
            }
        }
    }

    /// Opens the phase of a task again if it is at its gate: its approval would land what was examined without this task. A
    /// phase that was approved stays so.
    pub(super) fn reopen_gate(&mut self, task: TaskIndex) {
        let phase = self.run.task(task).planned.phase;
        let Some(state) = self.run.phases.get(&phase) else { return };
        let (round, id) = (state.rounds, self.task_id(task));
        match state.gate {
            GateState::Closed | GateState::Approved => {}
            GateState::Checking | GateState::Verifying(_) | GateState::Review => {
                self.emit(events::GateReopened { phase, round, task: id });
            }
            GateState::Escalated(escalation) => {
                let note = format!("the cause no longer exists: {id} is done again");
                self.emit_as_system(events::EscalationResolved { escalation, action: None, note });
                self.unblock_escalated_tasks(escalation);
            }
        }
    }

    pub(super) fn approve_gate(&mut self, phase: PhaseNumber, note: Option<String>) -> Result<(), Rejection> {
        self.run.check_gate_reviewable(phase)?;
        self.emit_gate_approval(phase, false, note);
        Ok(())
    }

    pub(super) fn reject_gate(
        &mut self,
        phase: PhaseNumber,
        reason: String,
        tasks: &[TaskId],
    ) -> Result<(), Rejection> {
        self.run.check_gate_reviewable(phase)?;
        for task in tasks {
            self.find_task(task)?;
        }
        self.fail_gate(phase, reason, tasks, "");
        Ok(())
    }

    fn fail_gate(&mut self, phase: PhaseNumber, reason: String, named: &[TaskId], output: &str) {
        let Some(state) = self.run.phases.get(&phase) else { return };
        let round = state.rounds;
        let is_of_phase = |task: &TaskIndex| state.tasks.contains(task);
        // A task that was skipped has no work to return.
        let is_finished =
            |task: &TaskIndex| matches!(self.run.task(*task).stage, TaskStage::Done | TaskStage::Merged(_));
        let mut tasks: Vec<TaskIndex> =
            named.iter().filter_map(|id| self.run.find_task(id)).filter(is_of_phase).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks.retain(is_finished);
        if tasks.is_empty() {
            let last = [state.marked_by, state.last_done].into_iter().flatten().find(is_finished);
            tasks.extend(last.or_else(|| state.tasks.iter().rev().copied().find(is_finished)));
        }
        let is_last = state.failures >= REWORKS_MAX;
        let ids = tasks.iter().map(|task| self.task_id(*task)).collect();
        self.emit(events::GateFailed { phase, round, reason: reason.clone(), tasks: ids });
        if is_last {
            self.escalate_gate_failure(phase, reason, output);
        } else {
            self.return_tasks_for_rework(phase, &reason);
        }
    }

    pub(super) fn escalate_gate_failure(&mut self, phase: PhaseNumber, description: String, output: &str) {
        let failures = self.run.phases.get(&phase).map_or(0, |phase| phase.failures);
        self.raise_escalation(
            EscalationSubject::Phase { phase },
            None,
            NewEscalation {
                kind: EscalationType::Quality,
                severity: Severity::High,
                title: EscalationCause::GateFailed { phase }.into(),
                description,
                context: format!("the gate failed {failures} times\n{output}").trim_end().to_owned(),
            },
        );
    }

    /// Returns the rejected tasks of a phase to their agents.
    pub(super) fn return_tasks_for_rework(&mut self, phase: PhaseNumber, reason: &str) {
        let tasks = self.run.phases.get(&phase).map(|phase| phase.rework.clone()).unwrap_or_default();
        let approval = BlockReason::Approval { phase };
        // Merged tasks that need no rework are done: others of the phase may depend on them.
        let all = self.run.phases.get(&phase).map(|phase| phase.tasks.clone()).unwrap_or_default();
        for task in all {
            if !tasks.contains(&task) && self.run.is_task_blocked_by(task, &approval) {
                self.finish_task(task);
            }
        }
        for task in tasks {
            if self.run.is_task_blocked_by(task, &approval) {
                // Its session is still running and continues.
                self.emit(events::TaskUnblocked { task: self.task_id(task), reason: approval.clone() });
                self.emit(events::TaskReturned {
                    task: self.task_id(task),
                    reason: TaskReturnReason::Rework,
                });
            } else if self.run.task(task).stage == TaskStage::Done {
                self.emit(events::TaskReopened { task: self.task_id(task), reason: reason.to_owned() });
            }
        }
    }
}

/// Adds whether the phase passed, and why, to a report. The executor reports only whether it could examine the phase.
fn with_verdict(mut report: GateReport, artefacts: &[String]) -> GateReport {
    let has_documents = report.documents.iter().all(|document| document.fault().is_none());
    report.passed &=
        report.missing.is_empty() && has_documents && report.receipts.iter().all(Receipt::passed);
    if report.summary.is_empty() {
        let mut lines: Vec<String> = report.receipts.iter().map(describe_receipt).collect();
        lines.extend(report.missing.iter().map(|missing| match artefacts.contains(missing) {
            true => format!("no file matches `{missing}`"),
            // The executor has counted the files of a pattern with a minimum.
            false => format!("too few files match `{missing}`"),
        }));
        let faulty = report.documents.iter().filter_map(|document| Some((document, document.fault()?)));
        lines.extend(faulty.map(|(document, fault)| format!("`{}` was reported but {fault}", document.path)));
        if lines.is_empty() {
            lines.push("no check is set: nothing proves this phase".to_owned());
        }
        report.summary = lines.join("; ");
    }
    report
}

/// Returns the reason of a verifier, with each finding on a line below it.
fn reason_of_rejection(verdict: &GateVerdict) -> String {
    let findings = verdict.findings.iter().map(|finding| {
        let task = finding.task.as_ref().map(|task| format!("{task}: ")).unwrap_or_default();
        let file = finding.file.as_ref().map(|file| format!(" ({file})")).unwrap_or_default();
        format!("{task}{}{file}", finding.text)
    });
    let summary = Some(verdict.summary.clone()).filter(|summary| !summary.is_empty());
    summary.into_iter().chain(findings).collect::<Vec<_>>().join("\n")
}

/// Returns the command of a check with its result.
pub(crate) fn describe_receipt(receipt: &Receipt) -> String {
    let result = match (&receipt.obstacle, receipt.passed()) {
        (Some(_), _) => "could not run",
        (None, true) => "passed",
        (None, false) => "failed",
    };
    format!("`{}` {result}", receipt.command)
}
