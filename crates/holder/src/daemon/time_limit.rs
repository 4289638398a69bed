//! The time limit of an agent, which does not run while the agent is stopped.

use std::time::{Duration, Instant};

#[derive(Default)]
pub(super) struct TimeLimit {
    remaining: Option<Duration>,
    running_since: Option<Instant>,
}

impl TimeLimit {
    pub(super) fn start(limit: Option<Duration>, now: Instant) -> Self {
        Self { remaining: limit, running_since: Some(now) }
    }

    pub(super) fn pause(&mut self, now: Instant) {
        if let Some(since) = self.running_since.take() {
            self.remaining = self
                .remaining
                .map(|remaining| remaining.saturating_sub(now.saturating_duration_since(since)));
        }
    }

    pub(super) fn resume(&mut self, now: Instant) {
        self.running_since.get_or_insert(now);
    }

    /// Returns the deadline, unless the limit is paused or absent.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.running_since?.checked_add(self.remaining?)
    }

    /// Returns true once when the time limit has been reached.
    pub(super) fn take_expired(&mut self, now: Instant) -> bool {
        let is_expired = self.deadline().is_some_and(|deadline| now >= deadline);
        if is_expired {
            self.remaining = None;
        }
        is_expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_limit_is_suspended_while_paused() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut time_limit = TimeLimit::start(Some(Duration::from_secs(10)), start);
        time_limit.pause(at(4));
        assert_eq!(time_limit.deadline(), None);
        time_limit.resume(at(100));
        assert_eq!(time_limit.deadline(), Some(at(106)));
        assert!(!time_limit.take_expired(at(105)));
        assert!(time_limit.take_expired(at(106)));
        assert!(!time_limit.take_expired(at(107)));
    }
}
