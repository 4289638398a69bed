//! The part of a task that changes during a run.

use domain::{
    AgentName, AttemptFailure, AttemptNumber, BlockReason, Budget, ClaimEvidence, CompletionProof, LargeFile,
    MergeOutcome, PhaseNumber, PlanStatus, PlannedTask, Priority, QuestionId, SessionId, TaskAction, TaskId,
    Timestamp, WorkChange, events,
};
use serde::{Deserialize, Serialize};

use super::{
    ResponsibleParty, TaskDetailRow, TaskMark, TaskReceipt, TaskState, UnmetDependency, UsageTotals,
};
use crate::{RowKind, RowSessions, TableRow, Views, facts::TaskFacts, views::EventMoment};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskRow {
    pub id: TaskId,
    pub phase: PhaseNumber,
    pub title: String,
    pub state: TaskState,
    /// Remarks to show beside the state.
    #[serde(default)]
    pub marks: Vec<TaskMark>,
    pub state_since_at: Timestamp,
    /// Why it cannot continue, and which party must act.
    pub blocked: Vec<TaskBlocker>,
    /// The first unmet dependencies.
    pub waits_for: Vec<UnmetDependency>,
    /// Number of unmet dependencies.
    pub n_waits_for: u32,
    pub priority: Priority,
    /// The assigned agent; `None` means any worker of the team.
    pub agent: Option<AgentName>,
    pub tester: Option<AgentName>,
    /// The current or last session.
    pub session: Option<SessionId>,
    /// Number of the attempt; 0 before the first.
    pub attempt: AttemptNumber,
    /// From 0 to 1; `None` if unknown.
    pub progress: Option<f64>,
    /// The current step.
    pub step: Option<String>,
    /// The oldest unanswered question.
    pub question: Option<PendingQuestion>,
    /// The accepted claim of the current round of work.
    #[serde(default)]
    pub claim: Option<AcceptedClaim>,
    /// Set when it is done.
    pub proof: Option<CompletionProof>,
    /// The last receipt of its checks.
    #[serde(default)]
    pub receipt: Option<TaskReceipt>,
    /// Untracked files above the size limit that are not part of its work.
    #[serde(default)]
    pub left_out: Vec<LargeFile>,
    /// Why it failed, or why its last attempt did.
    pub failure: Option<AttemptFailure>,
    pub used: UsageTotals,
    pub budget: Option<Budget>,
    /// Start of the first attempt.
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// What the user may do with it.
    #[serde(default)]
    pub actions: Vec<TaskAction>,
}

/// A claim that has evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AcceptedClaim {
    pub evidence: ClaimEvidence,
    pub change: WorkChange,
    /// Whether the agent reported the task as done.
    pub is_claimed: bool,
}

/// A reason why a task cannot continue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskBlocker {
    pub reason: BlockReason,
    /// The party that must act.
    pub on: ResponsibleParty,
    pub since_at: Timestamp,
}

impl TaskBlocker {
    /// Returns whether the task is paused.
    pub fn is_pause(&self) -> bool {
        matches!(self.reason, BlockReason::Paused { .. })
    }

    /// Returns whether the task waits for a decision of the user. A user who paused it knows why.
    pub fn needs_user(&self) -> bool {
        self.on == ResponsibleParty::Person && !self.is_pause()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PendingQuestion {
    pub id: QuestionId,
    pub text: String,
    /// Korean text, if Jangdan asks.
    #[serde(default)]
    pub korean: Option<String>,
}

impl TableRow for TaskRow {
    type Key = TaskId;
    const KIND: RowKind = RowKind::Task;

    fn key(&self) -> TaskId {
        self.id.clone()
    }

    fn key_to_text(key: &TaskId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [self.session, None]
    }
}

impl Views {
    pub(super) fn add_planned_task(&mut self, moment: EventMoment<'_>, task: &PlannedTask) {
        if self.facts.tasks.contains_key(&task.id) {
            return;
        }
        let state = match task.plan_status {
            PlanStatus::Open => TaskState::Waiting,
            PlanStatus::Done => TaskState::Done,
            PlanStatus::Skipped => TaskState::Skipped,
        };
        let of_run = self.facts.has_check;
        let phase = self.facts.phases.entry(task.phase).or_default();
        let has_review = task.verify.is_some() || task.tester.is_some() || phase.has_check || of_run;
        phase.tasks.insert(task.id.clone());
        self.facts.tasks.insert(task.id.clone(), TaskFacts::new(state, has_review));
        self.rows.tasks.put(TaskRow {
            id: task.id.clone(),
            phase: task.phase,
            title: task.title.clone(),
            state,
            marks: Vec::new(),
            state_since_at: moment.at,
            blocked: Vec::new(),
            waits_for: Vec::new(),
            n_waits_for: 0,
            priority: task.priority,
            agent: task.agent.clone(),
            tester: task.tester.clone(),
            session: None,
            attempt: 0,
            progress: None,
            step: None,
            question: None,
            claim: None,
            proof: None,
            receipt: None,
            left_out: Vec::new(),
            failure: None,
            used: UsageTotals::default(),
            budget: task.budget,
            started_at: None,
            ended_at: None,
            actions: Vec::new(),
        });
        self.rows.task_details.put(TaskDetailRow::from_plan(task));
        self.rows.phases.change(&task.phase, |row| {
            row.n_tasks += 1;
            row.tasks.move_task(None, state);
        });
        self.rows.run.change(&(), |row| {
            row.n_tasks += 1;
            row.tasks.move_task(None, state);
        });
    }

    pub(crate) fn apply_task_added(&mut self, moment: EventMoment<'_>, task: &PlannedTask) {
        self.add_planned_task(moment, task);
        self.set_planned_dependencies(task);
    }

    pub(crate) fn apply_task_started(
        &mut self,
        moment: EventMoment<'_>,
        task: &TaskId,
        attempt: AttemptNumber,
        agent: &AgentName,
        session: SessionId,
    ) {
        self.rows.tasks.change(task, |row| {
            (row.attempt, row.agent, row.session) = (attempt, Some(agent.clone()), Some(session));
            (row.progress, row.step, row.proof, row.failure) = (None, None, None, None);
            row.claim = None;
            row.started_at.get_or_insert(moment.at);
        });
        self.clear_blocks(task);
        self.give_task_slot(task);
        self.set_task_state(moment, task, TaskState::Running);
        self.set_session_task(session, task);
        self.add_attempt(moment, task, attempt, agent, session);
    }

    pub(crate) fn apply_task_resumed(&mut self, moment: EventMoment<'_>, task: &TaskId, session: SessionId) {
        self.give_task_slot(task);
        // The task continues in its stage: one that was being merged does not run again.
        let base = self.facts.tasks.get(task).map(|facts| facts.base);
        let is_started = base.is_some_and(|base| !matches!(base, TaskState::Waiting | TaskState::Ready));
        let base = base.filter(|_| is_started).unwrap_or(TaskState::Running);
        self.set_task_state(moment, task, base);
        if self.rows.sessions.get(&session).is_some() {
            self.rows.tasks.change(task, |row| row.session = Some(session));
            self.set_session_task(session, task);
            self.set_attempt_session(task, session);
        }
    }

    /// Starts the examination of a task that is claimed to be done.
    pub(crate) fn apply_task_claimed(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        self.rows.tasks.change(task, |row| row.claim = None);
        self.set_task_state(moment, task, TaskState::Checking);
    }

    /// Starts the review of a task whose claim has evidence; without a review, the merge.
    pub(crate) fn apply_claim_accepted(&mut self, moment: EventMoment<'_>, event: &events::ClaimAccepted) {
        let events::ClaimAccepted { task, evidence, change, is_claimed } = event;
        let claim = AcceptedClaim { evidence: *evidence, change: *change, is_claimed: *is_claimed };
        self.rows.tasks.change(task, |row| row.claim = Some(claim));
        let has_review = self.facts.tasks.get(task).is_some_and(|facts| facts.has_review);
        let base = if has_review { TaskState::Checking } else { TaskState::Merging };
        self.set_task_state(moment, task, base);
    }

    /// Returns a task to its agent, or to the queue if the agent's session has ended.
    pub(crate) fn apply_task_returned(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        self.rows.tasks.change(task, |row| row.claim = None);
        let session = self.rows.tasks.get(task).and_then(|row| self.rows.sessions.get(&row.session?));
        let is_alive = session.is_some_and(|row| row.ended_at.is_none() && !row.dismissed);
        self.set_task_state(moment, task, if is_alive { TaskState::Running } else { TaskState::Waiting });
    }

    pub(crate) fn apply_merge_finished(
        &mut self,
        moment: EventMoment<'_>,
        task: &TaskId,
        outcome: &MergeOutcome,
    ) {
        let base = match outcome {
            MergeOutcome::Merged { .. } | MergeOutcome::Conflicted { .. } => TaskState::Merging,
            // It is merged again when the check can run.
            MergeOutcome::CheckFailed { receipt } if receipt.obstacle.is_some() => TaskState::Merging,
            MergeOutcome::CheckFailed { .. } => TaskState::Checking,
            MergeOutcome::Failed { .. } => TaskState::Running,
        };
        self.set_task_state(moment, task, base);
    }

    pub(crate) fn apply_task_retried(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        self.drop_attempt(moment, task);
        self.reset_task(moment, task);
    }

    pub(crate) fn apply_task_done(&mut self, moment: EventMoment<'_>, task: &TaskId, proof: CompletionProof) {
        self.rows.tasks.change(task, |row| {
            (row.proof, row.progress, row.failure) = (Some(proof), Some(1.0), None);
        });
        self.set_task_state(moment, task, TaskState::Done);
        self.complete_attempt(moment, task);
    }

    pub(crate) fn apply_task_failed(
        &mut self,
        moment: EventMoment<'_>,
        task: &TaskId,
        failure: &AttemptFailure,
    ) {
        self.rows.tasks.change(task, |row| row.failure = Some(failure.clone()));
        self.set_task_state(moment, task, TaskState::Failed);
    }

    /// Skips or cancels a task.
    pub(crate) fn end_task_early(&mut self, moment: EventMoment<'_>, task: &TaskId, state: TaskState) {
        self.set_task_state(moment, task, state);
        self.drop_attempt(moment, task);
    }

    pub(crate) fn apply_task_reopened(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        self.rows.tasks.change(task, |row| (row.proof, row.progress) = (None, None));
        self.reset_task(moment, task);
    }

    /// Updates the oldest unanswered question of a task.
    pub(super) fn update_pending_question(&mut self, task: &TaskId) {
        let oldest = self.facts.tasks.get(task).and_then(|facts| facts.questions.first().copied());
        let question = oldest.and_then(|id| {
            let row = self.rows.questions.get(&id)?;
            Some(PendingQuestion { id, text: row.text.clone(), korean: row.korean.clone() })
        });
        if self.rows.tasks.get(task).is_some_and(|row| row.question != question) {
            self.rows.tasks.change(task, |row| row.question = question);
        }
    }
}
