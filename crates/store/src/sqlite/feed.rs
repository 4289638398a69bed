//! The way from the writer to one subscriber: bounded, and cut where the subscriber does not keep up.
//!
//! The writer never waits for a subscriber.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
    mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
};
use std::time::Duration;

use crate::Entry;

/// How many commits may wait for a subscriber.
const GROUPS_MAX: usize = 256;

/// How many bytes may; a single commit may be larger.
const BYTES_MAX: usize = 16 << 20;

/// What one commit recorded, shared by all subscribers.
#[derive(Debug)]
pub struct Group {
    /// In the order of their places.
    pub entries: Vec<Entry>,
    /// How much memory they hold.
    pub bytes: usize,
}

/// The writer's end.
#[derive(Debug)]
pub struct Feed {
    groups: SyncSender<Arc<Group>>,
    state: Arc<State>,
}

/// The subscriber's end.
#[derive(Debug)]
pub struct FeedReader {
    groups: Receiver<Arc<Group>>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    bytes: AtomicUsize,
    is_cut: AtomicBool,
}

/// Why nothing came out of a feed.
#[derive(Debug, PartialEq, Eq)]
pub enum FeedEnd {
    /// Nothing happened in this time.
    Silence,
    /// The subscriber was too slow.
    Cut,
    /// The writer has stopped.
    Stopped,
}

/// Makes both ends.
pub fn feed() -> (Feed, FeedReader) {
    let (sender, receiver) = sync_channel(GROUPS_MAX);
    let state = Arc::new(State::default());
    (Feed { groups: sender, state: Arc::clone(&state) }, FeedReader { groups: receiver, state })
}

impl Feed {
    /// Passes a group on, and tells whether the feed is to be kept.
    pub fn send(&self, group: &Arc<Group>) -> bool {
        let waiting = self.state.bytes.fetch_add(group.bytes, Ordering::AcqRel);
        let fits = waiting == 0 || waiting + group.bytes <= BYTES_MAX;
        let is_sent = fits && self.groups.try_send(Arc::clone(group)).is_ok();
        if !is_sent {
            self.state.is_cut.store(true, Ordering::Release);
        }
        is_sent
    }
}

impl FeedReader {
    /// Returns the next group, or why there is none.
    pub fn next(&self, wait_max: Duration) -> Result<Arc<Group>, FeedEnd> {
        match self.groups.recv_timeout(wait_max) {
            Ok(group) => {
                self.state.bytes.fetch_sub(group.bytes, Ordering::AcqRel);
                Ok(group)
            }
            Err(RecvTimeoutError::Timeout) => Err(FeedEnd::Silence),
            Err(RecvTimeoutError::Disconnected) if self.state.is_cut.load(Ordering::Acquire) => {
                Err(FeedEnd::Cut)
            }
            Err(RecvTimeoutError::Disconnected) => Err(FeedEnd::Stopped),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(bytes: usize) -> Arc<Group> {
        Arc::new(Group { entries: Vec::new(), bytes })
    }

    #[test]
    fn what_was_sent_before_the_cut_still_arrives() {
        let (feed, reader) = feed();
        while feed.send(&group(1)) {}
        drop(feed);
        for _ in 0..GROUPS_MAX {
            reader.next(Duration::ZERO).unwrap();
        }
        assert_eq!(reader.next(Duration::ZERO).unwrap_err(), FeedEnd::Cut);
    }

    #[test]
    fn a_large_group_waits_alone() {
        let (feed, reader) = feed();
        assert!(feed.send(&group(2 * BYTES_MAX)));
        reader.next(Duration::ZERO).unwrap();
        assert!(feed.send(&group(BYTES_MAX)));
        assert!(!feed.send(&group(1)));
    }

    #[test]
    fn a_writer_that_stops_cuts_nobody() {
        let (feed, reader) = feed();
        assert_eq!(reader.next(Duration::ZERO).unwrap_err(), FeedEnd::Silence);
        drop(feed);
        assert_eq!(reader.next(Duration::ZERO).unwrap_err(), FeedEnd::Stopped);
    }
}
