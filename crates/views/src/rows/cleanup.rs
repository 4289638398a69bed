//! Cleanups that a user requested: which worktrees and refs were removed, and which are kept.

use domain::{Actor, CleanupId, CleanupReport, Sequence, Timestamp, events};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views, views::EventMoment};

/// A request to remove obsolete worktrees and refs of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CleanupRow {
    pub id: CleanupId,
    /// Sequence number of the request in the run.
    pub sequence: Sequence,
    pub requested_by: Actor,
    pub requested_at: Timestamp,
    /// Whether branches and refs are deleted too.
    pub refs: bool,
    /// What was removed and kept; `None` while it is in progress.
    pub report: Option<CleanupReport>,
    /// Why not everything was done.
    pub error: Option<String>,
    pub finished_at: Option<Timestamp>,
}

impl TableRow for CleanupRow {
    type Key = CleanupId;
    const KIND: RowKind = RowKind::Cleanup;

    fn key(&self) -> CleanupId {
        self.id
    }

    fn key_to_text(key: &CleanupId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn apply_cleanup_requested(
        &mut self,
        moment: EventMoment<'_>,
        event: &events::CleanupRequested,
    ) {
        self.rows.cleanups.put(CleanupRow {
            id: event.cleanup,
            sequence: moment.sequence,
            requested_by: moment.actor.clone(),
            requested_at: moment.at,
            refs: event.refs,
            report: None,
            error: None,
            finished_at: None,
        });
    }

    pub(crate) fn apply_cleanup_finished(
        &mut self,
        moment: EventMoment<'_>,
        event: &events::CleanupFinished,
    ) {
        self.rows.cleanups.change(&event.cleanup, |row| {
            row.report = Some((*event.report).clone());
            row.error.clone_from(&event.error);
            row.finished_at = Some(moment.at);
        });
    }
}
