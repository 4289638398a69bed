//! The run: one row that says how it stands.

use domain::{OrchestrationMode, PlannedWork, RunId, RunOutcome, RunSettings, TaskId, TeamMember, Timestamp};
use serde::{Deserialize, Serialize};

use super::{PhaseRow, ResponsibleParty, TaskState, UsageTotals};
use crate::{RowKind, TableRow, Views, views::EventMoment};

/// One execution of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// The project.
    pub project: String,
    /// What the plan calls itself.
    pub title: String,
    /// How it stands.
    pub status: RunState,
    /// Who decides what starts.
    pub mode: OrchestrationMode,
    /// How many tasks may run at once.
    pub slots: u32,
    /// How many tasks there are.
    pub n_tasks: u32,
    /// How many of them are in each state.
    pub tasks: TaskCounts,
    /// For whom it waits, and how often.
    pub waits_for: PendingCounts,
    /// What was used.
    pub used: UsageTotals,
    /// What failed or was cancelled, when it ended.
    pub failed: Vec<TaskId>,
    /// What never started because of that.
    pub waiting: Vec<TaskId>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RunState {
    /// It goes on.
    Running,
    /// Somebody wants it to wait.
    Paused,
    /// All that was to be done is done.
    Done,
    /// Something failed, and nothing can move.
    Failed,
    /// Somebody called it off.
    Cancelled,
}

/// How many tasks are in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskCounts {
    /// Waiting.
    pub waiting: u32,
    /// Ready.
    pub ready: u32,
    /// Running.
    pub running: u32,
    /// Blocked.
    pub blocked: u32,
    /// Checking.
    pub checking: u32,
    /// Merging.
    pub merging: u32,
    /// Done.
    pub done: u32,
    /// Failed.
    pub failed: u32,
    /// Skipped.
    pub skipped: u32,
    /// Cancelled.
    pub cancelled: u32,
}

impl TaskCounts {
    /// Moves a task from one state to another; from none where it is new.
    pub(super) fn shift(&mut self, from: Option<TaskState>, to: TaskState) {
        if let Some(from) = from {
            let count = self.of(from);
            *count = count.saturating_sub(1);
        }
        let count = self.of(to);
        *count = count.saturating_add(1);
    }

    fn of(&mut self, state: TaskState) -> &mut u32 {
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

/// For how many things a run waits, by whom they are with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PendingCounts {
    /// What is in the person's inbox.
    pub person: u32,
    /// What the orchestrator has in hand.
    pub orchestrator: u32,
    /// What the leaders of phases have in hand.
    pub operators: u32,
    /// Calls that agents have in hand.
    pub agents: u32,
}

impl PendingCounts {
    /// Returns the count that a party belongs to; time and Jangdan need no reminder.
    pub(crate) fn of(&mut self, party: &ResponsibleParty) -> Option<&mut u32> {
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

    fn write_key((): &()) -> String {
        "run".to_owned()
    }
}

impl Views {
    pub(crate) fn run_started(
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
        });
        for member in team {
            self.agent_joined(member);
        }
        for phase in &work.phases {
            self.facts.phases.entry(phase.number).or_default().has_check = phase.verify.is_some();
            for earlier in &phase.after {
                self.facts.phases.entry(*earlier).or_default().later.insert(phase.number);
            }
            self.rows.phases.put(PhaseRow::planned(phase));
        }
        for task in &work.tasks {
            self.task_planned(moment, task);
        }
        // Only now is it known which tasks there are.
        for task in &work.tasks {
            self.plan_dependencies(task);
        }
    }

    pub(crate) fn run_status(&mut self, status: RunState) {
        self.rows.run.change(&(), |row| {
            row.status = status;
            if matches!(status, RunState::Running | RunState::Paused) {
                (row.ended_at, row.failed, row.waiting) = (None, Vec::new(), Vec::new());
            }
        });
    }

    pub(crate) fn run_ended(
        &mut self,
        moment: EventMoment<'_>,
        outcome: RunOutcome,
        failed: &[TaskId],
        waiting: &[TaskId],
    ) {
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

    /// Shows for whom the run waits, where that is different from before.
    pub(crate) fn update_pending_counts(&mut self) {
        let counts = self.facts.open.counts;
        if self.rows.run.get(&()).is_some_and(|row| row.waits_for != counts) {
            self.rows.run.change(&(), |row| row.waits_for = counts);
        }
    }
}
