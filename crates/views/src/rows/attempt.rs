//! One attempt at a task.

use domain::{AgentName, AttemptFailure, AttemptNumber, ClaimSource, SessionId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use super::TaskState;
use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// One attempt at a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttemptRow {
    pub task: TaskId,
    pub number: AttemptNumber,
    pub agent: AgentName,
    /// The latest session of the attempt.
    pub session: SessionId,
    pub state: AttemptState,
    /// How the agent last claimed to be done.
    pub claim: Option<ClaimSource>,
    /// Why nothing, or nothing more, had to change, as the agent reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_reason: Option<String>,
    pub failure: Option<AttemptFailure>,
    /// Whether the attempt counts towards the retry limit.
    pub counted: bool,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AttemptState {
    Running,
    Done,
    Failed,
    /// The task was skipped, cancelled or restored during the attempt.
    Dropped,
}

impl TableRow for AttemptRow {
    type Key = (TaskId, AttemptNumber);
    const KIND: RowKind = RowKind::Attempt;

    fn key(&self) -> Self::Key {
        (self.task.clone(), self.number)
    }

    fn key_to_text((task, number): &Self::Key) -> String {
        format!("{task}/{number}")
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session), None]
    }
}

impl Views {
    pub(super) fn add_attempt(
        &mut self,
        moment: EventMoment<'_>,
        task: &TaskId,
        number: AttemptNumber,
        agent: &AgentName,
        session: SessionId,
    ) {
        self.rows.attempts.put(AttemptRow {
            task: task.clone(),
            number,
            agent: agent.clone(),
            session,
            state: AttemptState::Running,
            claim: None,
            claim_reason: None,
            failure: None,
            counted: true,
            started_at: moment.at,
            ended_at: None,
        });
    }

    pub(super) fn set_attempt_session(&mut self, task: &TaskId, session: SessionId) {
        self.change_attempt(task, |row| row.session = session);
    }

    pub(crate) fn set_attempt_claim(&mut self, task: &TaskId, source: ClaimSource, reason: Option<&str>) {
        self.change_attempt(task, |row| {
            (row.claim, row.claim_reason) = (Some(source), reason.map(str::to_owned));
        });
    }

    pub(crate) fn apply_attempt_failed(
        &mut self,
        moment: EventMoment<'_>,
        (task, number): (&TaskId, AttemptNumber),
        failure: &AttemptFailure,
        counted: bool,
    ) {
        self.rows.attempts.change(&(task.clone(), number), |row| {
            (row.state, row.counted) = (AttemptState::Failed, counted);
            (row.failure, row.ended_at) = (Some(failure.clone()), Some(moment.at));
        });
        self.rows.tasks.change(task, |row| row.failure = Some(failure.clone()));
        // The next step has its own event: another attempt or a decision.
        self.set_task_state(moment, task, TaskState::Running);
    }

    pub(super) fn complete_attempt(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        self.end_attempt(moment, task, AttemptState::Done);
    }

    pub(crate) fn drop_attempt(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        self.end_attempt(moment, task, AttemptState::Dropped);
    }

    fn end_attempt(&mut self, moment: EventMoment<'_>, task: &TaskId, state: AttemptState) {
        self.change_attempt(task, |row| {
            if row.state == AttemptState::Running {
                (row.state, row.ended_at) = (state, Some(moment.at));
            }
        });
    }

    fn change_attempt(&mut self, task: &TaskId, change: impl FnOnce(&mut AttemptRow)) {
        let Some(number) = self.rows.tasks.get(task).map(|row| row.attempt) else { return };
        self.rows.attempts.change(&(task.clone(), number), change);
    }
}
