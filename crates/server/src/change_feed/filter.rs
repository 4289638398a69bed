//! The selection of an event stream: one run or all, kinds of rows, sessions.

use domain::{RunId, SessionId};
use store::Position;
use views::RowKind;

/// The selection of an event stream. An empty list selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StreamFilter {
    /// The stream starts after this position.
    pub after: Position,
    /// The run; all runs if `None`.
    pub run: Option<RunId>,
    pub kinds: Vec<RowKind>,
    /// Includes session activity although `kinds` is not empty.
    pub activity: bool,
    pub sessions: Vec<SessionId>,
}

impl StreamFilter {
    pub(crate) fn includes_run(&self, run: &RunId) -> bool {
        self.run.as_ref().is_none_or(|selected| selected == run)
    }

    /// Returns whether all events of the selected runs are included.
    pub(crate) fn is_unfiltered(&self) -> bool {
        self.kinds.is_empty() && !self.activity && self.sessions.is_empty()
    }

    /// Returns whether a change of a row of these sessions is included.
    pub(crate) fn includes_change(&self, kind: RowKind, sessions: &[SessionId]) -> bool {
        let selects_kinds = self.activity || !self.kinds.is_empty();
        (!selects_kinds || self.kinds.contains(&kind))
            && (self.sessions.is_empty() || sessions.iter().any(|session| self.sessions.contains(session)))
    }

    pub(crate) fn includes_activity(&self, run: &RunId, session: SessionId) -> bool {
        self.includes_run(run)
            && (self.activity || self.kinds.is_empty())
            && (self.sessions.is_empty() || self.sessions.contains(&session))
    }
}
