//! A check or merge waits for the end of the turn: an agent that has reported its task as done may still write files, and
//! reports its usage only at the end of its turn.

use domain::{SessionId, Timestamp};

use super::start::add_ms;
use crate::{
    run::Run,
    state::{Deadline, TaskIndex, TaskStage},
};

/// Time to wait for the end of a turn. Longer turns are ignored, since the agent has reported its task as done.
const TURN_END_MS_MAX: u64 = 30_000;

impl Run {
    /// Returns whether the check or merge of a task has to wait for the end of a turn.
    pub(crate) fn awaits_turn_end(&self, task: TaskIndex) -> bool {
        self.timers.has(Deadline::TurnEnd(task))
    }

    /// Lets the next check or merge of a task wait, if its worker or tester is in the middle of a turn.
    pub(super) fn begin_turn_wait(&mut self, at: Timestamp, task: TaskIndex) {
        if self.has_open_turn(task) {
            self.timers.set(add_ms(at, TURN_END_MS_MAX), Deadline::TurnEnd(task));
        }
    }

    /// Lets the check or merge of a session's task wait for a turn that begins before it has started.
    pub(super) fn wait_for_new_turn(&mut self, at: Timestamp, session: SessionId) {
        let is_next = |task: &TaskIndex| {
            let stage = self.task(*task).stage;
            matches!(stage, TaskStage::Claimed(_) | TaskStage::Accepted | TaskStage::Mergeable(_))
        };
        if let Some(task) = self.session(session).task.filter(is_next)
            && !self.awaits_turn_end(task)
        {
            self.begin_turn_wait(at, task);
        }
    }

    /// Ends the wait of a session's task, if the turn of the session was the last one that it waited for.
    pub(super) fn end_turn_wait(&mut self, session: SessionId) {
        let has_ended = |task: &TaskIndex| self.awaits_turn_end(*task) && !self.has_open_turn(*task);
        if let Some(task) = self.session(session).task.filter(has_ended) {
            self.timers.clear(Deadline::TurnEnd(task));
            self.mark_task_affected(task);
        }
    }

    pub(super) fn cancel_turn_wait(&mut self, task: TaskIndex) {
        self.timers.clear(Deadline::TurnEnd(task));
    }

    fn has_open_turn(&self, task: TaskIndex) -> bool {
        let task = self.task(task);
        [task.session(), task.tester()].into_iter().flatten().any(|session| {
            let session = self.session(session);
            let reports_turn_end =
                session.agent.as_ref().is_some_and(|agent| self.team.reports_turn_end(agent));
            session.in_turn && session.may_have_process() && reports_turn_end
        })
    }
}
