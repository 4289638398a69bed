//! Who is in the middle of a turn.
//!
//! What an agent made is looked at when it stands still: one that has said that it is done may still write, and tells what
//! it used only when its turn ends.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use domain::{SessionId, TaskId};

use super::leash::Leash;

/// One that goes on for longer is not waited for: it has said that it is done.
const STANDING_STILL_MAX: Duration = Duration::from_secs(30);
/// How often it is looked whether somebody pulls.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The turns of a run's sessions, as far as their agents tell when one ends.
#[derive(Debug, Default)]
pub(super) struct Turns {
    open: Mutex<BTreeMap<SessionId, TaskId>>,
    ended: Condvar,
}

impl Turns {
    pub(super) fn begin(&self, session: SessionId, task: &TaskId) {
        self.open().insert(session, task.clone());
    }

    pub(super) fn end(&self, session: SessionId) {
        self.open().remove(&session);
        self.ended.notify_all();
    }

    /// Waits until nobody who works at a task is in the middle of a turn.
    pub(super) fn wait_for(&self, task: &TaskId, leash: &Leash) {
        let deadline = Instant::now() + STANDING_STILL_MAX;
        let mut open = self.open();
        while open.values().any(|at| at == task) && !leash.is_pulled() && Instant::now() < deadline {
            let waited = self.ended.wait_timeout(open, LOOK_EVERY);
            (open, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<SessionId, TaskId>> {
        // What is inside is whole after each step.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
