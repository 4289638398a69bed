//! Counts wrong tokens: a few may be mistakes, many are guesses.
//!
//! A right token always passes, so that nobody can lock its owner out by guessing. It has 256 bits: the limit keeps
//! guesses from being work for us, and no number of them would ever be enough.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// How many wrong tokens are answered as mistakes.
pub const GUESSES_MAX: u32 = 10;
/// How long until there may be one more.
const EACH: Duration = Duration::from_secs(6);

/// Counts wrong tokens.
pub struct Guesses {
    /// When all of them are forgotten.
    forgotten_at: Mutex<Option<Instant>>,
}

impl Guesses {
    /// Begins with none.
    pub fn new() -> Self {
        Self { forgotten_at: Mutex::new(None) }
    }

    /// Counts one. Where there were too many it says for how long; those do not count.
    pub fn count(&self) -> Result<(), Duration> {
        let now = Instant::now();
        // What is inside is whole after each step.
        let mut forgotten_at = self.forgotten_at.lock().unwrap_or_else(PoisonError::into_inner);
        let next = forgotten_at.unwrap_or(now).max(now) + EACH;
        let too_much = next.duration_since(now).saturating_sub(EACH * GUESSES_MAX);
        if too_much > Duration::ZERO {
            return Err(too_much);
        }
        *forgotten_at = Some(next);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_few_are_mistakes_and_time_forgives_them() {
        let guesses = Guesses::new();
        let count = |n_times: u32| (0..n_times).filter(|_| guesses.count().is_ok()).count();
        assert_eq!(count(1000), 10);
        tokio::time::advance(EACH * 2).await;
        assert_eq!(count(1000), 2);
        tokio::time::advance(EACH * 1000).await;
        assert_eq!(count(1000), 10);
        assert!(guesses.count().unwrap_err() <= EACH);
    }
}
