//! Which sessions are in the middle of a turn.
//!
//! Checks and merges wait for the end of the turn: an agent that has reported its task as done may still write files, and
//! reports its usage only at the end of its turn.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use domain::{SessionId, TaskId};

use super::stop_token::StopToken;

/// Time to wait for the end of a turn. Longer turns are ignored, since the agent has reported its task as done.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// Time between two looks at the stop token.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Open turns of a run's sessions, except of agents that do not report the end of a turn.
#[derive(Debug, Default)]
pub(super) struct OpenTurns {
    tasks: Mutex<BTreeMap<SessionId, TaskId>>,
    ended: Condvar,
}

impl OpenTurns {
    pub(super) fn begin(&self, session: SessionId, task: &TaskId) {
        self.tasks().insert(session, task.clone());
    }

    pub(super) fn end(&self, session: SessionId) {
        self.tasks().remove(&session);
        self.ended.notify_all();
    }

    /// Waits until no session of a task has an open turn.
    pub(super) fn wait_for_task(&self, task: &TaskId, stop_token: &StopToken) {
        let deadline = Instant::now() + WAIT_MAX;
        let mut tasks = self.tasks();
        while tasks.values().any(|open| open == task) && !stop_token.is_stopped() && Instant::now() < deadline
        {
            let waited = self.ended.wait_timeout(tasks, POLL_INTERVAL);
            (tasks, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn tasks(&self) -> MutexGuard<'_, BTreeMap<SessionId, TaskId>> {
        // Each change is a single call.
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
