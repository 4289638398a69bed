//! Limits the rate of invalid tokens.
//!
//! A valid token always passes, so that an attacker cannot lock its owner out. It has 256 bits and cannot be guessed; the
//! limit bounds the work that attempts cause.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Invalid tokens that are allowed in a burst.
pub(super) const ATTEMPTS_MAX: u32 = 10;
/// Time after which one more is allowed.
const REFILL_INTERVAL: Duration = Duration::from_secs(6);

/// Rate limit of invalid tokens.
pub(super) struct AttemptLimit {
    /// When all attempts so far have expired.
    cleared_at: Mutex<Option<Instant>>,
}

impl AttemptLimit {
    pub(super) fn new() -> Self {
        Self { cleared_at: Mutex::new(None) }
    }

    /// Counts an attempt. Returns the time to wait if there were too many; such attempts do not count.
    pub(super) fn count_attempt(&self) -> Result<(), Duration> {
        let now = Instant::now();
        // The state is consistent after each step, so a poisoned lock is safe.
        let mut cleared_at = self.cleared_at.lock().unwrap_or_else(PoisonError::into_inner);
        let next = cleared_at.unwrap_or(now).max(now) + REFILL_INTERVAL;
        let excess = next.duration_since(now).saturating_sub(REFILL_INTERVAL * ATTEMPTS_MAX);
        if excess > Duration::ZERO {
            return Err(excess);
        }
        *cleared_at = Some(next);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn attempts_are_limited_and_expire() {
        let attempts = AttemptLimit::new();
        let count = |n_times: u32| (0..n_times).filter(|_| attempts.count_attempt().is_ok()).count();
        assert_eq!(count(1000), 10);
        tokio::time::advance(REFILL_INTERVAL * 2).await;
        assert_eq!(count(1000), 2);
        tokio::time::advance(REFILL_INTERVAL * 1000).await;
        assert_eq!(count(1000), 10);
        assert!(attempts.count_attempt().unwrap_err() <= REFILL_INTERVAL);
    }
}
