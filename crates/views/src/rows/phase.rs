//! Phases: task counts and the state of the gate.

use domain::{Budget, PhaseNumber, PlannedPhase, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{GateState, TaskCounts, UsageTotals};
use crate::{RowKind, TableRow, Views, views::EventMoment};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PhaseRow {
    /// Counted from 1.
    pub number: PhaseNumber,
    /// Empty if the phase has no name.
    pub name: String,
    pub state: PhaseState,
    pub gate: GateState,
    /// Round of the gate; 0 before the first.
    pub round: u32,
    /// The phases that it depends on.
    pub after: Vec<PhaseNumber>,
    /// Phases of `after` whose gates have not passed.
    pub waits_for: Vec<PhaseNumber>,
    pub session: Option<SessionId>,
    pub n_tasks: u32,
    pub tasks: TaskCounts,
    pub used: UsageTotals,
    pub budgets: Vec<Budget>,
    /// When its first task started.
    pub started_at: Option<Timestamp>,
    /// When it was approved or cancelled.
    pub ended_at: Option<Timestamp>,
    /// When it was merged.
    pub landed_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PhaseState {
    /// No task has started.
    Waiting,
    Running,
    Paused,
    AtGate,
    Approved,
    /// Merged into the branch of the user.
    Landed,
    Cancelled,
}

impl PhaseRow {
    pub(super) fn from_plan(phase: &PlannedPhase) -> Self {
        Self {
            number: phase.number,
            name: phase.name.clone(),
            state: PhaseState::Waiting,
            gate: GateState::Closed,
            round: 0,
            after: phase.after.clone(),
            waits_for: phase.after.clone(),
            session: None,
            n_tasks: 0,
            tasks: TaskCounts::default(),
            used: UsageTotals::default(),
            budgets: phase.budgets.clone(),
            started_at: None,
            ended_at: None,
            landed_at: None,
        }
    }
}

impl TableRow for PhaseRow {
    type Key = PhaseNumber;
    const KIND: RowKind = RowKind::Phase;

    fn key(&self) -> PhaseNumber {
        self.number
    }

    fn key_to_text(key: &PhaseNumber) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn apply_phase_started(
        &mut self,
        moment: EventMoment<'_>,
        phase: PhaseNumber,
        session: SessionId,
    ) {
        self.rows.phases.change(&phase, |row| {
            row.state = PhaseState::Running;
            row.session = Some(session);
            row.started_at.get_or_insert(moment.at);
        });
    }

    pub(crate) fn apply_phase_continued(&mut self, phase: PhaseNumber) {
        self.rows.phases.change(&phase, |row| {
            row.state = match (row.started_at, row.gate.is_open()) {
                (None, _) => PhaseState::Waiting,
                (Some(_), true) => PhaseState::AtGate,
                (Some(_), false) => PhaseState::Running,
            };
        });
    }

    pub(crate) fn set_phase_state(&mut self, moment: EventMoment<'_>, phase: PhaseNumber, state: PhaseState) {
        self.rows.phases.change(&phase, |row| {
            row.state = state;
            match state {
                PhaseState::Waiting | PhaseState::Running | PhaseState::Paused | PhaseState::AtGate => {}
                PhaseState::Approved | PhaseState::Cancelled => row.ended_at = Some(moment.at),
                PhaseState::Landed => row.landed_at = Some(moment.at),
            }
        });
    }

    /// Updates the gate in the row of the phase.
    pub(super) fn set_phase_gate(&mut self, phase: PhaseNumber, gate: GateState, round: u32) {
        self.rows.phases.change(&phase, |row| (row.gate, row.round) = (gate, round));
    }
}
