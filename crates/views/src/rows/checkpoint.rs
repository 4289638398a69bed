//! Checkpoints: saved states of a task.

use domain::{CheckpointId, CheckpointOutcome, CheckpointReason, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views, views::EventMoment};

/// A saved state of a task that can be restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRow {
    pub id: CheckpointId,
    pub task: TaskId,
    pub reason: CheckpointReason,
    pub state: CheckpointState,
    pub commit: Option<String>,
    /// Git tree of the task's work.
    #[serde(default)]
    pub tree: Option<String>,
    /// Session id that the agent uses itself.
    pub agent_session: Option<String>,
    pub error: Option<String>,
    pub requested_at: Timestamp,
    /// Also set if it failed.
    pub finished_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum CheckpointState {
    Requested,
    Made,
    Failed,
}

impl TableRow for CheckpointRow {
    type Key = CheckpointId;
    const KIND: RowKind = RowKind::Checkpoint;

    fn key(&self) -> CheckpointId {
        self.id
    }

    fn key_to_text(key: &CheckpointId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn apply_checkpoint_requested(
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

    pub(crate) fn apply_checkpoint_finished(
        &mut self,
        moment: EventMoment<'_>,
        id: CheckpointId,
        outcome: &CheckpointOutcome,
    ) {
        self.rows.checkpoints.change(&id, |row| {
            row.finished_at = Some(moment.at);
            match outcome {
                CheckpointOutcome::Made { commit, agent_session, tree, .. } => {
                    row.state = CheckpointState::Made;
                    (row.commit, row.tree) = (Some(commit.clone()), tree.clone());
                    row.agent_session.clone_from(agent_session);
                }
                CheckpointOutcome::Failed { error } => {
                    (row.state, row.error) = (CheckpointState::Failed, Some(error.clone()));
                }
            }
        });
        let task = self.rows.checkpoints.get(&id).map(|row| row.task.clone());
        let (CheckpointOutcome::Made { tree, large_files, .. }, Some(task)) = (outcome, task) else { return };
        self.rows.tasks.change(&task, |row| row.left_out.clone_from(large_files));
        if let Some(state) = self.rows.tasks.get(&task).map(|row| row.state) {
            self.update_marks(&task, state);
        }
        if let Some(tree) = tree {
            self.update_receipts_at_checkpoint(&task, tree);
        }
    }
}
