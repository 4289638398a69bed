//! The states of a task, and what brings it from one to another.

use domain::{BlockReason, CompletionProof, TaskId};
use serde::{Deserialize, Serialize};

use super::{ResponsibleParty, TaskBlocker, TaskRow};
use crate::{Views, facts::DependencyState, views::EventMoment};

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TaskState {
    /// Something that it waits for is not there.
    Waiting,
    /// It may start or go on when there is a slot.
    Ready,
    /// An agent works at it.
    Running,
    /// It has reasons not to go on.
    Blocked,
    /// It is said to be done, and looked at.
    Checking,
    /// It is being merged.
    Merging,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// It is left out.
    Skipped,
    /// It was called off.
    Cancelled,
}

impl TaskState {
    /// Tells whether nothing more happens with it by itself.
    pub fn is_final(self) -> bool {
        match self {
            Self::Done | Self::Failed | Self::Skipped | Self::Cancelled => true,
            Self::Waiting | Self::Ready | Self::Running | Self::Blocked | Self::Checking | Self::Merging => {
                false
            }
        }
    }

    /// Returns what a task in this state is to those who wait for it.
    pub(super) fn standing(self) -> DependencyState {
        match self {
            Self::Done | Self::Skipped => DependencyState::Met,
            Self::Failed | Self::Cancelled => DependencyState::Failed,
            Self::Waiting | Self::Ready | Self::Running | Self::Blocked | Self::Checking | Self::Merging => {
                DependencyState::Open
            }
        }
    }
}

/// A remark beside the state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TaskMark {
    /// Done without a check: only its agent's claim.
    Unchecked,
    /// Done despite a failed check, accepted by a user.
    Waived,
    /// Its last check failed.
    CheckFailed,
    /// Its work has changed since its last check.
    ChangedSinceCheck,
}

impl TaskMark {
    fn all_of(row: &TaskRow, state: TaskState) -> Vec<Self> {
        let proof = match row.proof.filter(|_| state == TaskState::Done) {
            Some(CompletionProof::Unchecked) => Some(Self::Unchecked),
            Some(CompletionProof::Waived) => Some(Self::Waived),
            Some(CompletionProof::Checked) | None => None,
        };
        let receipt = row.receipt.as_ref();
        let failed = receipt.filter(|receipt| !receipt.passed).map(|_| Self::CheckFailed);
        let stale = receipt.filter(|receipt| receipt.is_stale).map(|_| Self::ChangedSinceCheck);
        proof.into_iter().chain(failed).chain(stale).collect()
    }
}

impl Views {
    /// Says how a task stands, were it not blocked.
    pub(crate) fn set_task_state(&mut self, moment: EventMoment<'_>, task: &TaskId, base: TaskState) {
        let Some(facts) = self.facts.tasks.get_mut(task) else { return };
        let before = std::mem::replace(&mut facts.base, base);
        if base.is_final() {
            self.clear_blocks(task);
        }
        self.update_task_state(moment, task);
        if before.standing() != base.standing() {
            self.notify_dependents(moment, task, base.standing());
        }
    }

    /// Gives a task a slot.
    pub(super) fn give_task_slot(&mut self, task: &TaskId) {
        if let Some(facts) = self.facts.tasks.get_mut(task) {
            facts.has_slot = true;
        }
    }

    /// Brings a task back to where it was before its first try; nothing holds it up but what it comes after.
    pub(crate) fn reset_task(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        self.clear_blocks(task);
        self.set_task_state(moment, task, TaskState::Waiting);
    }

    pub(crate) fn task_blocked(&mut self, moment: EventMoment<'_>, task: &TaskId, reason: &BlockReason) {
        if let BlockReason::Approval { phase } = reason {
            self.facts.phases.entry(*phase).or_default().at_gate.insert(task.clone());
        }
        if let Some(facts) = self.facts.tasks.get_mut(task) {
            facts.has_slot = false;
        }
        let blocked =
            TaskBlocker { reason: reason.clone(), on: self.blocking_party(reason), since_at: moment.at };
        self.rows.tasks.change(task, |row| {
            row.blocked.retain(|other| other.reason != *reason);
            row.blocked.push(blocked);
        });
        self.update_task_state(moment, task);
    }

    pub(crate) fn task_unblocked(&mut self, moment: EventMoment<'_>, task: &TaskId, reason: &BlockReason) {
        if let BlockReason::Approval { phase } = reason
            && let Some(facts) = self.facts.phases.get_mut(phase)
        {
            facts.at_gate.remove(task);
        }
        self.rows.tasks.change(task, |row| row.blocked.retain(|other| other.reason != *reason));
        self.update_task_state(moment, task);
    }

    /// Says anew on whom the reasons of a task wait, where one of them is about this.
    pub(super) fn update_blocking_party(&mut self, task: &TaskId, reason: &BlockReason) {
        let on = self.blocking_party(reason);
        let differs = |blocked: &TaskBlocker| blocked.reason == *reason && blocked.on != on;
        if self.rows.tasks.get(task).is_some_and(|row| row.blocked.iter().any(differs)) {
            self.rows.tasks.change(task, |row| {
                for blocked in row.blocked.iter_mut().filter(|blocked| blocked.reason == *reason) {
                    blocked.on = on.clone();
                }
            });
        }
    }

    fn blocking_party(&self, reason: &BlockReason) -> ResponsibleParty {
        match reason {
            BlockReason::Question { question } => self.party_of_question(*question),
            BlockReason::Request { .. } => ResponsibleParty::Person,
            BlockReason::Invocation { invocation } => {
                let callee = self.rows.invocations.get(invocation).map(|row| row.callee.clone());
                ResponsibleParty::Agent { agent: callee }
            }
            BlockReason::Approval { phase } => self.party_of_gate(*phase),
            BlockReason::RateLimited { until } => ResponsibleParty::Clock { until: *until },
            BlockReason::Escalated { escalation } => self
                .rows
                .escalations
                .get(escalation)
                .map_or(ResponsibleParty::Jangdan, |row| row.level.into()),
            BlockReason::Paused { by } => self.party_of(by),
        }
    }

    pub(super) fn clear_blocks(&mut self, task: &TaskId) {
        let Some(row) = self.rows.tasks.get(task) else { return };
        for blocked in &row.blocked {
            if let BlockReason::Approval { phase } = &blocked.reason
                && let Some(facts) = self.facts.phases.get_mut(phase)
            {
                facts.at_gate.remove(task);
            }
        }
        self.rows.tasks.change(task, |row| row.blocked.clear());
    }

    /// Puts into the row, and into the counts of phase and run, how a task stands.
    fn update_task_state(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        let (Some(facts), Some(row)) = (self.facts.tasks.get(task), self.rows.tasks.get(task)) else {
            return;
        };
        let (before, state) = (row.state, facts.state(!row.blocked.is_empty()));
        let phase = row.phase;
        self.update_dependencies(task);
        self.update_marks(task, state);
        if before == state {
            return;
        }
        self.rows.tasks.change(task, |row| {
            (row.state, row.state_since_at) = (state, moment.at);
            row.ended_at = state.is_final().then_some(moment.at);
        });
        self.rows.phases.change(&phase, |row| row.tasks.shift(Some(before), state));
        self.rows.run.change(&(), |row| row.tasks.shift(Some(before), state));
    }

    /// Updates the marks of a task that has or gets this state.
    pub(super) fn update_marks(&mut self, task: &TaskId, state: TaskState) {
        let Some(row) = self.rows.tasks.get(task) else { return };
        let marks = TaskMark::all_of(row, state);
        if row.marks != marks {
            self.rows.tasks.change(task, |row| row.marks = marks);
        }
    }
}
