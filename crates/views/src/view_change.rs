//! A change of a row.

use domain::SessionId;

use crate::{Row, RowKind, RowSessions};

/// One row that is new, changed or removed.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewChange {
    pub kind: RowKind,
    /// Unique within its kind.
    pub key: String,
    /// `None` if it was removed.
    pub row: Option<Row>,
    pub(crate) names: &'static [&'static str],
    /// Sessions before and after the change.
    pub(crate) sessions: [RowSessions; 2],
}

impl ViewChange {
    /// Returns the sessions that the row concerned before and concerns now: both must learn of the change.
    pub fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.sessions.iter().flatten().copied().flatten()
    }

    /// Returns the names of the change on the live stream.
    pub fn names(&self) -> Vec<&'static str> {
        match (self.names, &self.row) {
            ([], Some(_)) => vec![self.kind.changed_event_name()],
            ([], None) => vec![self.kind.removed_event_name()],
            (names, _) => names.to_vec(),
        }
    }
}
