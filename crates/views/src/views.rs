//! Applies events to the rows and returns the changes.

use domain::{ActionUpdate, Actor, RecordedEvent, RunId, Sequence, Timestamp};

use crate::{
    Row, Rows, ViewChange,
    facts::Facts,
    rows::{InboxRow, RunRow, SessionRow, TaskRow},
};

/// All rows of one run, and the state needed to update them.
#[derive(Debug, Clone)]
pub struct Views {
    pub(crate) run: RunId,
    pub(crate) sequence: Sequence,
    pub(crate) rows: Rows,
    pub(crate) facts: Facts,
}

/// Position, time and cause of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventMoment<'a> {
    pub sequence: Sequence,
    pub at: Timestamp,
    pub actor: &'a Actor,
}

impl Views {
    /// Creates views without rows.
    pub fn new(run: RunId) -> Self {
        Self { run, sequence: Sequence(0), rows: Rows::default(), facts: Facts::default() }
    }

    /// Applies the next event, and the actions that are allowed after it. Returns the changed rows, each once.
    ///
    /// Events that were applied already are ignored.
    pub fn apply(&mut self, recorded: &RecordedEvent, actions: &ActionUpdate) -> Vec<ViewChange> {
        if recorded.sequence <= self.sequence {
            return Vec::new();
        }
        self.sequence = recorded.sequence;
        let moment = EventMoment { sequence: recorded.sequence, at: recorded.at, actor: &recorded.actor };
        self.fold(moment, &recorded.event);
        self.set_actions(actions);
        self.add_timeline_row(moment, &recorded.event);
        self.rows.take_changes(&recorded.event)
    }

    /// Changes only the rows whose actions differ.
    fn set_actions(&mut self, update: &ActionUpdate) {
        let rows = &mut self.rows;
        let needs_user = update.needs_user;
        rows.run.change_if(&(), |row| row.needs_user != needs_user, |row| row.needs_user = needs_user);
        if let Some(actions) = &update.run {
            let differs = |row: &RunRow| row.actions != *actions;
            rows.run.change_if(&(), differs, |row| row.actions.clone_from(actions));
        }
        for (task, actions) in &update.tasks {
            let differs = |row: &TaskRow| row.actions != *actions;
            rows.tasks.change_if(task, differs, |row| row.actions.clone_from(actions));
        }
        for (session, actions) in &update.sessions {
            let differs = |row: &SessionRow| row.actions != *actions;
            rows.sessions.change_if(session, differs, |row| row.actions.clone_from(actions));
        }
        for (item, actions) in &update.inbox {
            let differs = |row: &InboxRow| row.actions != *actions;
            rows.inbox.change_if(item, differs, |row| row.actions.clone_from(actions));
            self.facts.permissions.keep_actions(*item, actions);
        }
    }

    /// Returns the sequence of the last applied event.
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Returns the inbox, the most urgent first.
    pub fn inbox(&self) -> Vec<&InboxRow> {
        let mut inbox: Vec<_> = self.rows.inbox.iter().collect();
        inbox.sort_by(|left, right| left.cmp_urgency(right));
        inbox
    }

    /// Returns the rows of all kinds.
    pub fn all_rows(&self) -> impl Iterator<Item = Row> {
        crate::RowKind::ALL.iter().flat_map(|kind| self.rows.of_kind(*kind))
    }
}
