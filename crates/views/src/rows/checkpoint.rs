//! A checkpoint: a point that a task can go back to.

use domain::{CheckpointId, CheckpointOutcome, CheckpointReason, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views, views::EventMoment};

/// A point that a task can go back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRow {
    /// The checkpoint.
    pub id: CheckpointId,
    /// The task.
    pub task: TaskId,
    /// Why it was made.
    pub reason: CheckpointReason,
    /// How it stands.
    pub state: CheckpointState,
    /// The kept commit.
    pub commit: Option<String>,
    /// The tree that the task's work was.
    #[serde(default)]
    pub tree: Option<String>,
    /// The agent's own session id.
    pub agent_session: Option<String>,
    /// Why it could not be made.
    pub error: Option<String>,
    /// When it was ordered.
    pub requested_at: Timestamp,
    /// When it was there, or could not be made.
    pub finished_at: Option<Timestamp>,
}

/// How a checkpoint stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum CheckpointState {
    /// It is to be made.
    Requested,
    /// It is there.
    Made,
    /// It could not be made.
    Failed,
}

impl TableRow for CheckpointRow {
    type Key = CheckpointId;
    const KIND: RowKind = RowKind::Checkpoint;

    fn key(&self) -> CheckpointId {
        self.id
    }

    fn write_key(key: &CheckpointId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn checkpoint_requested(
        &mut self,
        moment: EventMoment<'_>,
        id: CheckpointId,
        task: &TaskId,
        reason: CheckpointReason,
    ) {
        self.rows.checkpoints.put(CheckpointRow {
            id,
            task: task.clone(),
            reason,
            state: CheckpointState::Requested,
            commit: None,
            tree: None,
            agent_session: None,
            error: None,
            requested_at: moment.at,
            finished_at: None,
        });
    }

    pub(crate) fn checkpoint_finished(
        &mut self,
        moment: EventMoment<'_>,
        id: CheckpointId,
        outcome: &CheckpointOutcome,
    ) {
        self.rows.checkpoints.change(&id, |row| {
            row.finished_at = Some(moment.at);
            match outcome {
                CheckpointOutcome::Made { commit, agent_session, tree } => {
                    row.state = CheckpointState::Made;
                    (row.commit, row.tree) = (Some(commit.clone()), tree.clone());
                    row.agent_session.clone_from(agent_session);
                }
                CheckpointOutcome::Failed { error } => {
                    (row.state, row.error) = (CheckpointState::Failed, Some(error.clone()));
                }
            }
        });
        if let CheckpointOutcome::Made { tree: Some(tree), .. } = outcome
            && let Some(task) = self.rows.checkpoints.get(&id).map(|row| row.task.clone())
        {
            self.set_checkpoint_tree(&task, tree);
        }
    }
}
