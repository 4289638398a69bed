//! The time limit of an agent, which does not run while the agent is stopped.

use std::time::{Duration, Instant};

#[derive(Default)]
pub(super) struct Clock {
    left: Option<Duration>,
    running_since: Option<Instant>,
}

impl Clock {
    pub(super) fn start(limit: Option<Duration>, now: Instant) -> Self {
        Self { left: limit, running_since: Some(now) }
    }

    pub(super) fn stop(&mut self, now: Instant) {
        if let Some(since) = self.running_since.take() {
            self.left = self.left.map(|left| left.saturating_sub(now.saturating_duration_since(since)));
        }
    }

    pub(super) fn go_on(&mut self, now: Instant) {
        self.running_since.get_or_insert(now);
    }

    /// Returns the deadline, unless the limit is paused or absent.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.running_since?.checked_add(self.left?)
    }

    /// Returns true once when the time limit has been reached.
    pub(super) fn take_expired(&mut self, now: Instant) -> bool {
        let is_expired = self.deadline().is_some_and(|deadline| now >= deadline);
        if is_expired {
            self.left = None;
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
        let mut clock = Clock::start(Some(Duration::from_secs(10)), start);
        clock.stop(at(4));
        assert_eq!(clock.deadline(), None);
        clock.go_on(at(100));
        assert_eq!(clock.deadline(), Some(at(106)));
        assert!(!clock.take_expired(at(105)));
        assert!(clock.take_expired(at(106)));
        assert!(!clock.take_expired(at(107)));
    }
}
