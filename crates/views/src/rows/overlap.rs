//! Overlaps: files that two unfinished tasks both changed. Shown before they conflict, removed when they no longer
//! can.

use domain::{TaskId, TaskOverlap, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views, views::EventMoment};

/// Files that two unfinished tasks both changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OverlapRow {
    /// Sorted by id.
    pub tasks: [TaskId; 2],
    /// Sorted; only the first if there are many.
    pub files: Vec<String>,
    pub n_files: u32,
    pub since_at: Timestamp,
    /// Last time that the list of files changed.
    pub changed_at: Timestamp,
}

impl TableRow for OverlapRow {
    type Key = [TaskId; 2];
    const KIND: RowKind = RowKind::Overlap;

    fn key(&self) -> Self::Key {
        self.tasks.clone()
    }

    fn key_to_text([first, second]: &Self::Key) -> String {
        // A slash of an id must not look like the one between the ids.
        format!("{}/{}", first.to_file_name(), second.to_file_name())
    }
}

impl Views {
    pub(crate) fn apply_overlap_detected(&mut self, moment: EventMoment<'_>, overlap: &TaskOverlap) {
        let TaskOverlap { tasks, files, n_files } = overlap.clone();
        let since_at = self.rows.overlaps.get(&tasks).map_or(moment.at, |row| row.since_at);
        self.rows.overlaps.put(OverlapRow { tasks, files, n_files, since_at, changed_at: moment.at });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_two_pairs_of_tasks_differ() {
        let key = |tasks: [&str; 2]| OverlapRow::key_to_text(&tasks.map(|id| id.parse().unwrap()));
        assert_eq!(key(["T1", "T2"]), "T1/T2");
        assert_eq!(key(["P5", "P6/T1"]), "P5/P6+T1");
        assert_eq!(key(["P5/P6", "T1"]), "P5+P6/T1");
    }
}
