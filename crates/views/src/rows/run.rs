//! The row of the run.

use domain::{
    OrchestrationMode, PlannedWork, RunAction, RunId, RunOutcome, RunSettings, TaskId, TeamMember, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{PhaseRow, ResponsibleParty, TaskState, UsageTotals};
use crate::{RowKind, TableRow, Views, views::EventMoment};

/// One execution of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    pub id: RunId,
    pub project: String,
    /// Title of the plan.
    pub title: String,
    pub status: RunState,
    pub mode: OrchestrationMode,
    /// Maximum number of parallel tasks.
    pub slots: u32,
    pub n_tasks: u32,
    pub tasks: TaskCounts,
    /// Open items by the party that must act.
    pub waits_for: PendingCounts,
    pub used: UsageTotals,
    /// Tasks that failed or were cancelled; set at the end.
    pub failed: Vec<TaskId>,
    /// Tasks that never started because of them.
    pub waiting: Vec<TaskId>,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// Whether nothing continues until the user acts.
    #[serde(default)]
    pub needs_user: bool,
    /// What the user may do with it.
    #[serde(default)]
    pub actions: Vec<RunAction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RunState {
    Running,
    Paused,
    Done,
    /// A task failed, and no other task can continue.
    Failed,
    Cancelled,
}

/// Number of tasks in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskCounts {
    pub waiting: u32,
    pub ready: u32,
    pub running: u32,
    pub blocked: u32,
    pub checking: u32,
    pub merging: u32,
    pub done: u32,
    pub failed: u32,
    pub skipped: u32,
    pub cancelled: u32,
}

impl TaskCounts {
    /// Moves a task from one state to another; `from` is `None` for a new task.
    pub(super) fn move_task(&mut self, from: Option<TaskState>, to: TaskState) {
        if let Some(from) = from {
            let count = self.count_mut(from);
            *count = count.saturating_sub(1);
        }
        let count = self.count_mut(to);
        *count = count.saturating_add(1);
    }

    fn count_mut(&mut self, state: TaskState) -> &mut u32 {
        match state {
            TaskState::Waiting => &mut self.waiting,
            TaskState::Ready => &mut self.ready,
            TaskState::Running => &mut self.running,
            TaskState::Blocked => &mut self.blocked,
            TaskState::Checking => &mut self.checking,
            TaskState::Merging => &mut self.merging,
            TaskState::Done => &mut self.done,
            TaskState::Failed => &mut self.failed,
            TaskState::Skipped => &mut self.skipped,
            TaskState::Cancelled => &mut self.cancelled,
        }
    }
}

/// Number of open items by the party that must act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PendingCounts {
    /// In the inbox of the user.
    pub person: u32,
    pub orchestrator: u32,
    pub operators: u32,
    /// Calls between agents.
    pub agents: u32,
}

impl PendingCounts {
    /// Returns the count of a party; waiting for time or for Jangdan is not counted.
    pub(crate) fn count_mut(&mut self, party: &ResponsibleParty) -> Option<&mut u32> {
        match party {
            ResponsibleParty::Person => Some(&mut self.person),
            ResponsibleParty::Orchestrator => Some(&mut self.orchestrator),
            ResponsibleParty::Operator => Some(&mut self.operators),
            ResponsibleParty::Agent { .. } => Some(&mut self.agents),
            ResponsibleParty::Clock { .. } | ResponsibleParty::Jangdan => None,
        }
    }
}

impl TableRow for RunRow {
    type Key = ();
    const KIND: RowKind = RowKind::Run;

    fn key(&self) {}

    fn key_to_text((): &()) -> String {
        "run".to_owned()
    }
}

impl Views {
    pub(crate) fn apply_run_started(
        &mut self,
        moment: EventMoment<'_>,
        project: &str,
        work: &PlannedWork,
        settings: &RunSettings,
        team: &[TeamMember],
    ) {
        self.facts.question_expires_after_ms = settings.question_expires_after_ms;
        self.facts.gate_approval = settings.gate_approval;
        self.facts.has_check = settings.verify.is_some();
        self.rows.run.put(RunRow {
            id: self.run.clone(),
            project: project.to_owned(),
            title: work.title.clone(),
            status: RunState::Running,
            mode: settings.mode,
            slots: settings.slots.get(),
            n_tasks: 0,
            tasks: TaskCounts::default(),
            waits_for: PendingCounts::default(),
            used: UsageTotals::default(),
            failed: Vec::new(),
            waiting: Vec::new(),
            started_at: moment.at,
            ended_at: None,
            needs_user: false,
            actions: Vec::new(),
        });
        for member in team {
            self.add_agent(member);
        }
        for phase in &work.phases {
            self.facts.phases.entry(phase.number).or_default().has_check = phase.verify.is_some();
            for earlier in &phase.after {
                self.facts.phases.entry(*earlier).or_default().later.insert(phase.number);
            }
            self.rows.phases.put(PhaseRow::from_plan(phase));
        }
        for task in &work.tasks {
            self.add_planned_task(moment, task);
        }
        // Dependencies need all tasks to exist.
        for task in &work.tasks {
            self.set_planned_dependencies(task);
        }
    }

    pub(crate) fn set_run_state(&mut self, status: RunState) {
        self.rows.run.change(&(), |row| {
            row.status = status;
            if matches!(status, RunState::Running | RunState::Paused) {
                (row.ended_at, row.failed, row.waiting) = (None, Vec::new(), Vec::new());
            }
        });
    }

    pub(crate) fn apply_run_ended(
        &mut self,
        moment: EventMoment<'_>,
        outcome: RunOutcome,
        failed: &[TaskId],
        waiting: &[TaskId],
    ) {
        if outcome == RunOutcome::Cancelled {
            self.remove_gates_from_inbox();
        }
        self.rows.run.change(&(), |row| {
            row.status = match outcome {
                RunOutcome::Done => RunState::Done,
                RunOutcome::Failed => RunState::Failed,
                RunOutcome::Cancelled => RunState::Cancelled,
            };
            row.ended_at = Some(moment.at);
            (row.failed, row.waiting) = (failed.to_vec(), waiting.to_vec());
        });
    }

    /// Updates the open items in the row of the run.
    pub(crate) fn update_pending_counts(&mut self) {
        let counts = self.facts.open.counts;
        if self.rows.run.get(&()).is_some_and(|row| row.waits_for != counts) {
            self.rows.run.change(&(), |row| row.waits_for = counts);
        }
    }
}
