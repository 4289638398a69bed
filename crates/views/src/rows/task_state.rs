//! States of a task, and the transitions between them.

use domain::{BlockReason, CompletionProof, TaskId, WorkChange};
use serde::{Deserialize, Serialize};

use super::{ResponsibleParty, TaskBlocker, TaskRow};
use crate::{Views, facts::DependencyState, views::EventMoment};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TaskState {
    /// Has unmet dependencies.
    Waiting,
    /// Can start or continue as soon as a slot is free.
    Ready,
    Running,
    /// Cannot continue; `blocked` lists the reasons.
    Blocked,
    /// Claimed to be done; checks or a tester review it.
    Checking,
    Merging,
    Done,
    Failed,
    Skipped,
    Cancelled,
}

impl TaskState {
    /// Returns whether the state can only change through a user.
    pub fn is_final(self) -> bool {
        match self {
            Self::Done | Self::Failed | Self::Skipped | Self::Cancelled => true,
            Self::Waiting | Self::Ready | Self::Running | Self::Blocked | Self::Checking | Self::Merging => {
                false
            }
        }
    }

    /// Returns the state for tasks that depend on this one.
    pub(super) fn dependency_state(self) -> DependencyState {
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
    /// Its last check could not run.
    CheckNotRun,
    /// Its work has changed since its last check.
    ChangedSinceCheck,
    /// Its agent changed nothing, and gave a reason or a result.
    NoChanges,
    /// Its agent changed nothing since the work was rejected, failed its check or conflicted.
    SameAsLastRound,
    /// Its agent changed files and did not report it as done.
    NotClaimed,
    /// New files above the size limit are not part of its work.
    FilesLeftOut,
}

impl TaskMark {
    fn marks_of_task(row: &TaskRow, state: TaskState) -> Vec<Self> {
        let proof = match row.proof.filter(|_| state == TaskState::Done) {
            Some(CompletionProof::Unchecked) => Some(Self::Unchecked),
            Some(CompletionProof::Waived) => Some(Self::Waived),
            Some(CompletionProof::Checked) | None => None,
        };
        let receipt = row.receipt.as_ref();
        let failed = receipt.filter(|receipt| !receipt.passed);
        let failed = failed.map(|receipt| match receipt.could_run {
            true => Self::CheckFailed,
            false => Self::CheckNotRun,
        });
        let stale = receipt.filter(|receipt| receipt.is_stale).map(|_| Self::ChangedSinceCheck);
        let unchanged = match row.claim.map(|claim| claim.change) {
            Some(WorkChange::Unchanged) => Some(Self::NoChanges),
            Some(WorkChange::SameAsLastRound) => Some(Self::SameAsLastRound),
            Some(WorkChange::Changed | WorkChange::Unknown) | None => None,
        };
        let unclaimed = row.claim.filter(|claim| !claim.is_claimed).map(|_| Self::NotClaimed);
        let left_out = (!row.left_out.is_empty()).then_some(Self::FilesLeftOut);
        let of_work = unchanged.into_iter().chain(unclaimed).chain(left_out);
        proof.into_iter().chain(failed).chain(stale).chain(of_work).collect()
    }
}

impl Views {
    /// Sets the state of a task without regard to blocks.
    pub(crate) fn set_task_state(&mut self, moment: EventMoment<'_>, task: &TaskId, base: TaskState) {
        let Some(facts) = self.facts.tasks.get_mut(task) else { return };
        let before = std::mem::replace(&mut facts.base, base);
        if base.is_final() {
            self.clear_blocks(task);
        }
        self.update_task_state(moment, task);
        if before.dependency_state() != base.dependency_state() {
            self.notify_dependents(moment, task, base.dependency_state());
        }
    }

    pub(super) fn give_task_slot(&mut self, task: &TaskId) {
        if let Some(facts) = self.facts.tasks.get_mut(task) {
            facts.has_slot = true;
        }
    }

    /// Resets a task to waiting, without blocks.
    pub(crate) fn reset_task(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        self.clear_blocks(task);
        self.set_task_state(moment, task, TaskState::Waiting);
    }

    pub(crate) fn apply_task_blocked(
        &mut self,
        moment: EventMoment<'_>,
        task: &TaskId,
        reason: &BlockReason,
    ) {
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

    pub(crate) fn apply_task_unblocked(
        &mut self,
        moment: EventMoment<'_>,
        task: &TaskId,
        reason: &BlockReason,
    ) {
        if let BlockReason::Approval { phase } = reason
            && let Some(facts) = self.facts.phases.get_mut(phase)
        {
            facts.at_gate.remove(task);
        }
        self.rows.tasks.change(task, |row| row.blocked.retain(|other| other.reason != *reason));
        self.update_task_state(moment, task);
    }

    /// Updates the party that must act on a reason, if the task is blocked by it.
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
            BlockReason::Paused { by } => self.party_of_actor(by),
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

    /// Updates the state in the row, and the counts of phase and run.
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
        self.rows.phases.change(&phase, |row| row.tasks.move_task(Some(before), state));
        self.rows.run.change(&(), |row| row.tasks.move_task(Some(before), state));
    }

    /// Updates the marks of a task that has or gets this state.
    pub(super) fn update_marks(&mut self, task: &TaskId, state: TaskState) {
        let Some(row) = self.rows.tasks.get(task) else { return };
        let marks = TaskMark::marks_of_task(row, state);
        if row.marks != marks {
            self.rows.tasks.change(task, |row| row.marks = marks);
        }
    }
}
