//! What an event does to the rows.

use domain::SessionId;

use crate::{Row, RowKind, RowSessions};

/// One row that is new, looks different, or is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewChange {
    /// What it is a row of.
    pub kind: RowKind,
    /// Its name within its kind.
    pub key: String,
    /// How it looks now; none where it is gone.
    pub row: Option<Row>,
    pub(crate) names: &'static [&'static str],
    /// Those before the change, and those behind it.
    pub(crate) sessions: [RowSessions; 2],
}

impl ViewChange {
    /// Returns the sessions that the row is about, and those that it was about until now: they are to know that it left.
    pub fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.sessions.iter().flatten().copied().flatten()
    }

    /// Returns what the live stream calls it: the names that say what happened, or else that the row changed.
    pub fn names(&self) -> Vec<&'static str> {
        match (self.names, &self.row) {
            ([], Some(_)) => vec![self.kind.changed()],
            ([], None) => vec![self.kind.removed()],
            (names, _) => names.to_vec(),
        }
    }
}
