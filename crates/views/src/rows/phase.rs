//! A phase: how many of its tasks are where, and how its gate stands.

use domain::{Budget, PhaseNumber, PlannedPhase, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{GateState, TaskCounts, UsageTotals};
use crate::{RowKind, TableRow, Views, views::EventMoment};

/// A group of tasks with a gate at its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PhaseRow {
    /// The number, as people count.
    pub number: PhaseNumber,
    /// The name, or an empty text.
    pub name: String,
    /// How it stands.
    pub state: PhaseState,
    /// How its gate stands.
    pub gate: GateState,
    /// Which time it is at its gate; 0 where it was not yet.
    pub round: u32,
    /// The phases that it comes after.
    pub after: Vec<PhaseNumber>,
    /// Those of them whose gates have not passed.
    pub waits_for: Vec<PhaseNumber>,
    /// The session that leads it.
    pub session: Option<SessionId>,
    /// How many tasks there are.
    pub n_tasks: u32,
    /// How many of them are in each state.
    pub tasks: TaskCounts,
    /// What was used.
    pub used: UsageTotals,
    /// What may be used.
    pub budgets: Vec<Budget>,
    /// When its first task started.
    pub started_at: Option<Timestamp>,
    /// When it was approved or called off.
    pub ended_at: Option<Timestamp>,
    /// When it was landed.
    pub landed_at: Option<Timestamp>,
}

/// How a phase stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PhaseState {
    /// None of its tasks has started.
    Waiting,
    /// It goes on.
    Running,
    /// Somebody wants it to wait.
    Paused,
    /// It is at its gate.
    AtGate,
    /// It is approved.
    Approved,
    /// It is in the branch that people work on, or ready to be.
    Landed,
    /// Somebody called it off.
    Cancelled,
}

impl PhaseRow {
    pub(super) fn planned(phase: &PlannedPhase) -> Self {
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

    fn write_key(key: &PhaseNumber) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn phase_started(&mut self, moment: EventMoment<'_>, phase: PhaseNumber, session: SessionId) {
        self.rows.phases.change(&phase, |row| {
            row.state = PhaseState::Running;
            row.session = Some(session);
            row.started_at.get_or_insert(moment.at);
        });
    }

    pub(crate) fn phase_continued(&mut self, phase: PhaseNumber) {
        self.rows.phases.change(&phase, |row| {
            row.state = match (row.started_at, row.gate.is_open()) {
                (None, _) => PhaseState::Waiting,
                (Some(_), true) => PhaseState::AtGate,
                (Some(_), false) => PhaseState::Running,
            };
        });
    }

    pub(crate) fn phase_state(&mut self, moment: EventMoment<'_>, phase: PhaseNumber, state: PhaseState) {
        self.rows.phases.change(&phase, |row| {
            row.state = state;
            match state {
                PhaseState::Waiting | PhaseState::Running | PhaseState::Paused | PhaseState::AtGate => {}
                PhaseState::Approved | PhaseState::Cancelled => row.ended_at = Some(moment.at),
                PhaseState::Landed => row.landed_at = Some(moment.at),
            }
        });
    }

    /// Shows how the gate of a phase stands.
    pub(super) fn phase_gate(&mut self, phase: PhaseNumber, gate: GateState, round: u32) {
        self.rows.phases.change(&phase, |row| (row.gate, row.round) = (gate, round));
    }
}
