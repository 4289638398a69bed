//! Deadlines of a run, at most one time per deadline.

use std::collections::{BTreeMap, BTreeSet};

use domain::Timestamp;

use crate::state::Deadline;

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Timers {
    by_time: BTreeSet<(Timestamp, Deadline)>,
    by_deadline: BTreeMap<Deadline, Timestamp>,
}

impl Timers {
    /// Sets or moves a deadline.
    pub(crate) fn set(&mut self, at: Timestamp, deadline: Deadline) {
        self.clear(deadline);
        self.by_time.insert((at, deadline));
        self.by_deadline.insert(deadline, at);
    }

    /// Moves the selected deadlines.
    pub(crate) fn shift(&mut self, by_ms: i64, is_selected: impl Fn(&Deadline) -> bool) {
        let selected: Vec<_> =
            self.by_deadline.iter().filter(|(deadline, _)| is_selected(deadline)).collect();
        let moved: Vec<_> = selected
            .into_iter()
            .map(|(deadline, at)| (Timestamp(at.0.saturating_add(by_ms)), *deadline))
            .collect();
        for (at, deadline) in moved {
            self.set(at, deadline);
        }
    }

    pub(crate) fn clear(&mut self, deadline: Deadline) {
        if let Some(at) = self.by_deadline.remove(&deadline) {
            self.by_time.remove(&(at, deadline));
        }
    }

    pub(crate) fn earliest(&self) -> Option<(Timestamp, Deadline)> {
        self.by_time.first().copied()
    }

    /// Returns the due deadlines, earliest first.
    pub(crate) fn due(&self, now: Timestamp) -> Vec<(Timestamp, Deadline)> {
        self.by_time.iter().take_while(|(at, _)| *at <= now).copied().collect()
    }

    /// Returns whether a deadline has not moved since it was read.
    pub(crate) fn is_set_to(&self, at: Timestamp, deadline: Deadline) -> bool {
        self.by_deadline.get(&deadline) == Some(&at)
    }

    /// Returns whether a deadline has passed.
    pub(crate) fn is_due(&self, now: Timestamp, deadline: Deadline) -> bool {
        self.by_deadline.get(&deadline).is_some_and(|at| *at <= now)
    }

    /// Returns all deadlines.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Deadline> {
        self.by_deadline.keys()
    }

    pub(crate) fn has(&self, deadline: Deadline) -> bool {
        self.by_deadline.contains_key(&deadline)
    }
}
