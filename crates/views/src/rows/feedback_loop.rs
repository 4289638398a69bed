//! A feedback loop: implement, test, implement again.

use domain::{AgentName, LoopId, LoopOutcome, TaskId, TestFeedback, Timestamp};
use serde::{Deserialize, Serialize};

use super::TaskState;
use crate::{RowKind, TableRow, Views, views::EventMoment};

/// A worker and a tester, or a check, at one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LoopRow {
    /// The loop.
    pub id: LoopId,
    /// The task.
    pub task: TaskId,
    /// Who tests; none where a command does.
    pub tester: Option<AgentName>,
    /// How it stands.
    pub status: LoopState,
    /// The rounds that found failures; the settings bound how many there can be.
    pub rounds: Vec<LoopRound>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was over.
    pub ended_at: Option<Timestamp>,
}

/// One round that found failures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LoopRound {
    /// Which round.
    pub round: u32,
    /// What was found.
    pub feedback: TestFeedback,
    /// When.
    pub failed_at: Timestamp,
}

/// How a loop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LoopState {
    /// It goes on.
    Running,
    /// The tests pass.
    Success,
    /// The task came to another end.
    Failed,
    /// It was tried too often.
    Escalated,
}

impl TableRow for LoopRow {
    type Key = LoopId;
    const KIND: RowKind = RowKind::Loop;

    fn key(&self) -> LoopId {
        self.id
    }

    fn write_key(key: &LoopId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn loop_started(
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

    pub(crate) fn loop_round_failed(
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

    pub(crate) fn loop_ended(&mut self, moment: EventMoment<'_>, id: LoopId, outcome: LoopOutcome) {
        self.rows.loops.change(&id, |row| {
            row.ended_at = Some(moment.at);
            row.status = match outcome {
                LoopOutcome::Success => LoopState::Success,
                LoopOutcome::Failed => LoopState::Failed,
                LoopOutcome::Escalated => LoopState::Escalated,
            };
        });
        if outcome == LoopOutcome::Success {
            // The tests pass, so the merge is next.
            self.set_loop_task_state(moment, id, TaskState::Merging);
        }
    }

    /// Says how the task of a loop stands, unless it came to its end before its loop did.
    fn set_loop_task_state(&mut self, moment: EventMoment<'_>, id: LoopId, base: TaskState) {
        let Some(task) = self.rows.loops.get(&id).map(|row| row.task.clone()) else { return };
        if self.facts.tasks.get(&task).is_some_and(|facts| !facts.base.is_final()) {
            self.set_task_state(moment, &task, base);
        }
    }
}
