//! The fold: takes one event after another, and says which rows it changed.

use domain::{Actor, RecordedEvent, RunId, Sequence, Timestamp};

use crate::{Row, Rows, ViewChange, facts::Facts, rows::InboxRow};

/// All rows of one run, and what is needed to keep them.
#[derive(Debug, Clone)]
pub struct Views {
    pub(crate) run: RunId,
    pub(crate) sequence: Sequence,
    pub(crate) rows: Rows,
    pub(crate) facts: Facts,
}

/// When something happened, and through whom.
#[derive(Debug, Clone, Copy)]
pub struct EventMoment<'a> {
    pub sequence: Sequence,
    pub at: Timestamp,
    pub actor: &'a Actor,
}

impl Views {
    /// Begins with no rows.
    pub fn new(run: RunId) -> Self {
        Self { run, sequence: Sequence(0), rows: Rows::default(), facts: Facts::default() }
    }

    /// Takes the next event, and returns the rows that it changed, each once.
    ///
    /// What was taken already changes nothing, so that saying it twice does it once.
    pub fn apply(&mut self, recorded: &RecordedEvent) -> Vec<ViewChange> {
        if recorded.sequence <= self.sequence {
            return Vec::new();
        }
        self.sequence = recorded.sequence;
        let moment = EventMoment { sequence: recorded.sequence, at: recorded.at, actor: &recorded.actor };
        self.fold(moment, &recorded.event);
        self.add_timeline_row(moment, &recorded.event);
        self.rows.take_changes(&recorded.event)
    }

    /// Returns the last event that the rows know of.
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// Returns all rows.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Returns what waits for the person, the most urgent first.
    pub fn inbox(&self) -> Vec<&InboxRow> {
        let mut inbox: Vec<_> = self.rows.inbox.iter().collect();
        inbox.sort_by(|left, right| left.cmp_urgency(right));
        inbox
    }

    /// Returns every row of every kind.
    pub fn all(&self) -> impl Iterator<Item = Row> {
        crate::RowKind::ALL.iter().flat_map(|kind| self.rows.of(*kind))
    }
}
