//! Files that two unfinished tasks both changed: shown before it is a conflict, and gone when it can be none any more.

use domain::{TaskId, TaskOverlap, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views, views::EventMoment};

/// Files that two unfinished tasks both changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OverlapRow {
    /// The two tasks, in order.
    pub tasks: [TaskId; 2],
    /// The files, sorted; the first of them where there are many.
    pub files: Vec<String>,
    /// How many there are.
    pub n_files: u32,
    /// Since when they have something in common.
    pub since_at: Timestamp,
    /// Since when it is these files.
    pub changed_at: Timestamp,
}

impl TableRow for OverlapRow {
    type Key = [TaskId; 2];
    const KIND: RowKind = RowKind::Overlap;

    fn key(&self) -> Self::Key {
        self.tasks.clone()
    }

    fn write_key([first, second]: &Self::Key) -> String {
        format!("{first}/{second}")
    }
}

impl Views {
    pub(crate) fn overlap_detected(&mut self, moment: EventMoment<'_>, overlap: &TaskOverlap) {
        let TaskOverlap { tasks, files, n_files } = overlap.clone();
        let since_at = self.rows.overlaps.get(&tasks).map_or(moment.at, |row| row.since_at);
        self.rows.overlaps.put(OverlapRow { tasks, files, n_files, since_at, changed_at: moment.at });
    }
}
