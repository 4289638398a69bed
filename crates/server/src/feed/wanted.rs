//! What somebody wants to hear: one run or all, some kinds of rows, some sessions.

use domain::{RunId, SessionId};
use store::Position;
use views::RowKind;

/// What somebody wants to hear. An empty list leaves nothing out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The place behind which it starts.
    pub after: Position,
    /// The run; all where there is none.
    pub only: Option<RunId>,
    /// The kinds of rows.
    pub kinds: Vec<RowKind>,
    /// Whether what is only seen is wanted where kinds are named.
    pub seen: bool,
    /// The sessions.
    pub sessions: Vec<SessionId>,
}

impl Wanted {
    /// Tells whether a run concerns it.
    pub fn is_of(&self, run: &RunId) -> bool {
        self.only.as_ref().is_none_or(|only| only == run)
    }

    /// Tells whether everything of a run does.
    pub fn is_whole(&self) -> bool {
        self.kinds.is_empty() && !self.seen && self.sessions.is_empty()
    }

    /// Tells whether a change of a row does.
    pub fn is_change(&self, kind: RowKind, about: &[SessionId]) -> bool {
        let names_kinds = self.seen || !self.kinds.is_empty();
        (!names_kinds || self.kinds.contains(&kind))
            && (self.sessions.is_empty() || about.iter().any(|session| self.sessions.contains(session)))
    }

    /// Tells whether what is seen of a session does.
    pub fn is_seen(&self, run: &RunId, session: SessionId) -> bool {
        self.is_of(run)
            && (self.seen || self.kinds.is_empty())
            && (self.sessions.is_empty() || self.sessions.contains(&session))
    }
}
