//! Feedback loops: a task is tested and reworked until its tests pass.

use domain::{AgentName, FeedbackLoopOutcome, LoopId, TaskId, TestFeedback, Timestamp};
use serde::{Deserialize, Serialize};

use super::TaskState;
use crate::{RowKind, TableRow, Views, views::EventMoment};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LoopRow {
    pub id: LoopId,
    pub task: TaskId,
    /// `None` if a command tests.
    pub tester: Option<AgentName>,
    pub status: LoopState,
    /// Failed rounds; bounded by the settings.
    pub rounds: Vec<LoopRound>,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

/// One failed round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LoopRound {
    pub round: u32,
    pub feedback: TestFeedback,
    pub failed_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LoopState {
    Running,
    Success,
    /// The task ended in another way.
    Failed,
    /// The tests failed too often.
    Escalated,
}

impl TableRow for LoopRow {
    type Key = LoopId;
    const KIND: RowKind = RowKind::Loop;

    fn key(&self) -> LoopId {
        self.id
    }

    fn key_to_text(key: &LoopId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn apply_loop_started(
        &mut self,
        moment: EventMoment<'_>,
        id: LoopId,
        task: &TaskId,
        tester: Option<&AgentName>,
    ) {
        self.rows.loops.put(LoopRow {
            id,
            task: task.clone(),
            tester: tester.cloned(),
            status: LoopState::Running,
            rounds: Vec::new(),
            started_at: moment.at,
            ended_at: None,
        });
    }

    pub(crate) fn apply_loop_round_failed(
        &mut self,
        moment: EventMoment<'_>,
        id: LoopId,
        round: u32,
        feedback: &TestFeedback,
    ) {
        let failed_at = moment.at;
        self.rows.loops.change(&id, |row| {
            row.rounds.push(LoopRound { round, feedback: feedback.clone(), failed_at });
        });
        self.set_loop_task_state(moment, id, TaskState::Checking);
    }

    pub(crate) fn apply_loop_ended(
        &mut self,
        moment: EventMoment<'_>,
        id: LoopId,
        outcome: FeedbackLoopOutcome,
    ) {
        self.rows.loops.change(&id, |row| {
            row.ended_at = Some(moment.at);
            row.status = match outcome {
                FeedbackLoopOutcome::Success => LoopState::Success,
                FeedbackLoopOutcome::Failed => LoopState::Failed,
                FeedbackLoopOutcome::Escalated => LoopState::Escalated,
            };
        });
        if outcome == FeedbackLoopOutcome::Success {
            // The tests passed, so the merge is next.
            self.set_loop_task_state(moment, id, TaskState::Merging);
        }
    }

    /// Sets the state of the tested task, unless the task has already ended.
    fn set_loop_task_state(&mut self, moment: EventMoment<'_>, id: LoopId, base: TaskState) {
        let Some(task) = self.rows.loops.get(&id).map(|row| row.task.clone()) else { return };
        if self.facts.tasks.get(&task).is_some_and(|facts| !facts.base.is_final()) {
            self.set_task_state(moment, &task, base);
        }
    }
}
