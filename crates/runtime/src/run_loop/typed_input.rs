//! What users typed into terminals and the log does not have yet.
//!
//! Each key is a request of its own, so they are counted, and reported once in a while. After a crash the count since the last
//! report is lost; the spool of the session has the keys.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use domain::{Report, SessionId};

/// Time between two reports, and so the time within which typed input is in the log.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// Counts the typed bytes of each person and session.
#[derive(Default)]
pub(super) struct TypedInput {
    bytes: BTreeMap<(String, SessionId), u64>,
    /// `None` while nothing is counted.
    due: Option<Instant>,
}

impl TypedInput {
    pub(super) fn add(&mut self, person: String, session: SessionId, bytes: u64) {
        let count = self.bytes.entry((person, session)).or_default();
        *count = count.saturating_add(bytes);
        self.due.get_or_insert_with(|| Instant::now() + REPORT_INTERVAL);
    }

    pub(super) fn is_due(&self) -> bool {
        self.due.is_some_and(|due| due <= Instant::now())
    }

    /// Returns the time until the next report; `None` if there is nothing to report.
    pub(super) fn due_in(&self) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(Instant::now()))
    }

    /// Returns what must be recorded, and starts again.
    pub(super) fn take(&mut self) -> Vec<Report> {
        self.due = None;
        let counts = std::mem::take(&mut self.bytes).into_iter();
        counts.map(|((person, session), bytes)| Report::KeysTyped { person, session, bytes }).collect()
    }
}
