//! How much a session sends within a minute.

use domain::{AgentMessage, Timestamp};

/// Messages of a minute that are read. An agent that reports each step sends a few.
const MESSAGES_MAX: u32 = 600;
/// Bytes of messages of a minute that are read: the largest message has a MiB.
const BYTES_MAX: u64 = 16 << 20;
const MINUTE_MS: i64 = 60_000;
/// Shortest time between two reports of progress that are recorded.
const PROGRESS_INTERVAL_MS: i64 = 1000;

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct MessageRate {
    minute_started_at: Timestamp,
    n_messages: u32,
    n_bytes: u64,
    /// The last recorded report of progress.
    progress: Option<(Timestamp, Option<f64>, Option<String>)>,
}

impl MessageRate {
    /// Counts a recorded message. Progress is bounded by its interval instead.
    pub(crate) fn count(&mut self, at: Timestamp, message: &AgentMessage) {
        if let AgentMessage::Progress(progress) = message {
            self.progress = Some((at, progress.progress, progress.task.clone()));
        } else {
            self.count_bytes(at, message.size_bytes());
        }
    }

    /// Counts a recorded message of this size.
    pub(crate) fn count_bytes(&mut self, at: Timestamp, n_bytes: usize) {
        if !self.is_in_minute(at) {
            *self = Self { minute_started_at: at, progress: self.progress.take(), ..Self::default() };
        }
        self.n_messages = self.n_messages.saturating_add(1);
        self.n_bytes = self.n_bytes.saturating_add(u64::try_from(n_bytes).unwrap_or(u64::MAX));
    }

    /// Returns whether no more messages of this minute are read.
    pub(crate) fn is_exceeded(&self, now: Timestamp) -> bool {
        self.is_in_minute(now) && (self.n_messages >= MESSAGES_MAX || self.n_bytes >= BYTES_MAX)
    }

    /// Returns whether a report of progress adds nothing, or comes too soon after the last one.
    pub(crate) fn is_superfluous(&self, now: Timestamp, message: &AgentMessage) -> bool {
        let (AgentMessage::Progress(new), Some((at, progress, task))) = (message, &self.progress) else {
            return false;
        };
        let is_same = new.progress == *progress && new.task == *task;
        is_same || (at.0..at.0.saturating_add(PROGRESS_INTERVAL_MS)).contains(&now.0)
    }

    fn is_in_minute(&self, now: Timestamp) -> bool {
        let start = self.minute_started_at.0;
        (start..start.saturating_add(MINUTE_MS)).contains(&now.0)
    }
}
