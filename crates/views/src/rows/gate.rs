//! Gates: check and approval at the end of a phase, in rounds.

use domain::{
    Actor, BlockReason, BlockedWork, CommandOrigin, GateApproval, GateReport, GateVerdict, LargeFile,
    PhaseNumber, SessionId, TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{InboxItem, InboxRow, PhaseState, ResponsibleParty, TaskMark, TaskRow, TaskState};
use crate::{RowKind, TableRow, Views, views::EventMoment};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GateRow {
    pub phase: PhaseNumber,
    pub state: GateState,
    pub round: u32,
    /// The latest is last; the number of failed rounds is limited.
    pub rounds: Vec<GateRound>,
    /// Files of the phase, from the latest report.
    pub artefacts: Vec<String>,
    /// Documents that agents reported.
    pub documents: Vec<String>,
    /// Tasks of the phase when the current round ended its checks.
    pub tasks: Vec<GateTask>,
    pub approval: Option<PhaseApproval>,
    /// Work that waits for it.
    pub blocks: BlockedWork,
    /// First time that the phase reached its gate.
    pub opened_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GateRound {
    pub round: u32,
    /// Session of the verifier.
    pub verifier: Option<SessionId>,
    /// Result of the checks.
    pub report: Option<GateReport>,
    /// Judgement of the verifier.
    #[serde(default)]
    pub verdict: Option<GateVerdict>,
    pub passed: Option<bool>,
    pub reason: Option<String>,
    /// Tasks to redo.
    pub rework: Vec<TaskId>,
    /// Whether no task changed anything since the last round failed.
    #[serde(default)]
    pub is_unchanged: bool,
    pub opened_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

/// A task of a phase that is at its gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GateTask {
    pub id: TaskId,
    pub title: String,
    pub state: TaskState,
    pub marks: Vec<TaskMark>,
    /// New files above the size limit that are not part of its work.
    #[serde(default)]
    pub left_out: Vec<LargeFile>,
}

/// A step of the run's branch that brought the work of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedRange {
    /// Tip of the run's branch before.
    pub onto: String,
    /// Tip of the run's branch after.
    pub commit: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PhaseApproval {
    pub by: Actor,
    /// Where the approval of a user came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub origin: Option<CommandOrigin>,
    /// Whether it was approved despite failed checks.
    pub waived: bool,
    pub note: Option<String>,
    pub approved_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum GateState {
    /// The phase has not reached its gate.
    Closed,
    Checking,
    Verifying,
    /// Passed; waiting for approval.
    Review,
    /// The next phase can start.
    Approved,
    Rework,
}

impl GateState {
    /// Returns whether the phase is at its gate.
    pub fn is_open(self) -> bool {
        match self {
            Self::Checking | Self::Verifying | Self::Review => true,
            Self::Closed | Self::Approved | Self::Rework => false,
        }
    }
}

impl GateRow {
    /// Returns the commit that the last failed or rejected round examined.
    pub fn rejected_commit(&self) -> Option<&str> {
        let failed = self.rounds.iter().rev().filter(|round| round.passed == Some(false));
        failed.filter_map(|round| round.report.as_ref()?.commit.as_deref()).next()
    }
}

impl TableRow for GateRow {
    type Key = PhaseNumber;
    const KIND: RowKind = RowKind::Gate;

    fn key(&self) -> PhaseNumber {
        self.phase
    }

    fn key_to_text(key: &PhaseNumber) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn apply_gate_opened(
        &mut self,
        moment: EventMoment<'_>,
        phase: PhaseNumber,
        round: u32,
        documents: &[String],
    ) {
        self.ensure_gate(moment, phase);
        let is_unchanged = self.is_rework_unchanged(phase);
        self.rows.gates.change(&phase, |row| {
            row.documents = documents.to_vec();
            row.rounds.push(GateRound {
                round,
                verifier: None,
                report: None,
                verdict: None,
                passed: None,
                reason: None,
                rework: Vec::new(),
                is_unchanged,
                opened_at: moment.at,
                ended_at: None,
            });
        });
        self.set_phase_state(moment, phase, PhaseState::AtGate);
        self.set_gate_state(phase, round, GateState::Checking, |_| ());
    }

    /// Returns whether the tasks that the last round returned came back as they were.
    fn is_rework_unchanged(&self, phase: PhaseNumber) -> bool {
        let last = self.rows.gates.get(&phase).and_then(|row| row.rounds.last());
        let is_same = |task: &TaskId| {
            let row = self.rows.tasks.get(task);
            row.is_some_and(|row| row.marks.contains(&TaskMark::SameAsLastRound))
        };
        last.is_some_and(|last| !last.rework.is_empty() && last.rework.iter().all(is_same))
    }

    pub(crate) fn apply_gate_checked(
        &mut self,
        moment: EventMoment<'_>,
        phase: PhaseNumber,
        round: u32,
        report: &GateReport,
    ) {
        self.rows.gates.change(&phase, |row| row.artefacts = report.artefacts.clone());
        self.update_gate_tasks(phase);
        self.set_gate_state(phase, round, GateState::Checking, |row| row.report = Some(report.clone()));
        // Its escalation waits for the user; the next round runs the check again.
        if report.receipts.iter().any(|receipt| receipt.obstacle.is_some()) {
            self.set_gate_state(phase, round, GateState::Closed, |row| {
                (row.passed, row.ended_at) = (Some(false), Some(moment.at));
                row.reason = Some(report.summary.clone());
            });
        }
        self.add_gate_receipts(moment, phase, round, report);
    }

    pub(crate) fn apply_gate_verifier_started(&mut self, phase: PhaseNumber, round: u32, session: SessionId) {
        self.set_gate_state(phase, round, GateState::Verifying, |row| row.verifier = Some(session));
    }

    pub(crate) fn apply_gate_verdict(&mut self, phase: PhaseNumber, round: u32, verdict: &GateVerdict) {
        self.set_gate_state(phase, round, GateState::Verifying, |row| row.verdict = Some(verdict.clone()));
    }

    pub(crate) fn apply_gate_passed(
        &mut self,
        moment: EventMoment<'_>,
        phase: PhaseNumber,
        round: u32,
        blocks: BlockedWork,
    ) {
        self.ensure_gate(moment, phase);
        self.rows.gates.change(&phase, |row| row.blocks = blocks);
        self.update_gate_tasks(phase);
        self.set_gate_state(phase, round, GateState::Review, |row| {
            (row.passed, row.ended_at) = (Some(true), Some(moment.at));
        });
        if self.facts.gate_approval == GateApproval::Automatic {
            return;
        }
        self.add_gate_to_inbox(moment, phase, blocks);
        self.update_gate_blocking_party(phase);
    }

    fn add_gate_to_inbox(&mut self, moment: EventMoment<'_>, phase: PhaseNumber, blocks: BlockedWork) {
        let name = self.rows.phases.get(&phase).map(|row| row.name.clone()).unwrap_or_default();
        let round = self.rows.gates.get(&phase).and_then(|row| row.rounds.last()).cloned();
        self.rows.inbox.put(InboxRow::of_gate(phase, &name, round.as_ref(), blocks, moment.at));
        self.facts.open.set_party(InboxItem::Gate(phase), Some(ResponsibleParty::Person));
    }

    /// Removes the gates of a cancelled run from the inbox. They can still be approved, but nothing waits for it.
    pub(crate) fn remove_gates_from_inbox(&mut self) {
        let is_gate = |item: &InboxItem| matches!(item, InboxItem::Gate(_));
        let gates: Vec<InboxItem> = self.rows.inbox.iter().map(|row| row.item).filter(is_gate).collect();
        for item in gates {
            self.rows.inbox.remove(&item);
            self.facts.open.set_party(item, None);
        }
    }

    /// Adds the gates to the inbox again that a reopened run waits for.
    pub(crate) fn restore_gates_in_inbox(&mut self, moment: EventMoment<'_>) {
        if self.facts.gate_approval == GateApproval::Automatic {
            return;
        }
        let is_missing = |row: &&GateRow| {
            row.state == GateState::Review && self.rows.inbox.get(&InboxItem::Gate(row.phase)).is_none()
        };
        let gates: Vec<(PhaseNumber, BlockedWork)> =
            self.rows.gates.iter().filter(is_missing).map(|row| (row.phase, row.blocks)).collect();
        for (phase, blocks) in gates {
            self.add_gate_to_inbox(moment, phase, blocks);
        }
    }

    pub(crate) fn apply_gate_approved(
        &mut self,
        moment: EventMoment<'_>,
        phase: PhaseNumber,
        waived: bool,
        note: Option<&String>,
    ) {
        let by = moment.actor.clone();
        let approval =
            PhaseApproval { by, origin: None, waived, note: note.cloned(), approved_at: moment.at };
        self.ensure_gate(moment, phase);
        self.rows.gates.change(&phase, |row| row.approval = Some(approval));
        self.note_decision(moment, InboxItem::Gate(phase));
        self.close_gate(phase, None, GateState::Approved);
        self.set_phase_state(moment, phase, PhaseState::Approved);
        self.release_later_phases(phase);
    }

    pub(crate) fn apply_gate_failed(
        &mut self,
        moment: EventMoment<'_>,
        (phase, round): (PhaseNumber, u32),
        reason: &str,
        tasks: &[TaskId],
    ) {
        self.set_gate_state(phase, round, GateState::Rework, |row| {
            (row.passed, row.ended_at) = (Some(false), Some(moment.at));
            (row.reason, row.rework) = (Some(reason.to_owned()), tasks.to_vec());
        });
        self.close_gate(phase, Some(round), GateState::Rework);
        self.set_phase_state(moment, phase, PhaseState::Running);
    }

    pub(crate) fn apply_gate_reopened(&mut self, moment: EventMoment<'_>, phase: PhaseNumber, round: u32) {
        self.set_gate_state(phase, round, GateState::Closed, |row| row.ended_at = Some(moment.at));
        self.close_gate(phase, Some(round), GateState::Closed);
        self.set_phase_state(moment, phase, PhaseState::Running);
    }

    /// Returns the party that must act on a gate.
    pub(super) fn party_of_gate(&self, phase: PhaseNumber) -> ResponsibleParty {
        let is_review = self.rows.gates.get(&phase).is_some_and(|row| row.state == GateState::Review);
        if is_review && self.facts.gate_approval == GateApproval::Person {
            ResponsibleParty::Person
        } else {
            ResponsibleParty::Jangdan
        }
    }

    /// Creates the row of a gate. A phase without open tasks passes without an event that opens its gate.
    fn ensure_gate(&mut self, moment: EventMoment<'_>, phase: PhaseNumber) {
        if self.rows.gates.get(&phase).is_none() && self.rows.phases.get(&phase).is_some() {
            self.rows.gates.put(GateRow {
                phase,
                state: GateState::Closed,
                round: 0,
                rounds: Vec::new(),
                artefacts: Vec::new(),
                documents: Vec::new(),
                tasks: Vec::new(),
                approval: None,
                blocks: BlockedWork::default(),
                opened_at: moment.at,
            });
        }
    }

    /// Lists the tasks of a phase in the row of its gate.
    fn update_gate_tasks(&mut self, phase: PhaseNumber) {
        let ids = self.facts.phases.get(&phase).map(|facts| facts.tasks.clone()).unwrap_or_default();
        let to_gate_task = |row: &TaskRow| GateTask {
            id: row.id.clone(),
            title: row.title.clone(),
            state: row.state,
            marks: row.marks.clone(),
            left_out: row.left_out.clone(),
        };
        let tasks = ids.iter().filter_map(|id| self.rows.tasks.get(id)).map(to_gate_task).collect();
        self.rows.gates.change(&phase, |row| row.tasks = tasks);
    }

    /// Returns the merges of the tasks of a phase, oldest first.
    pub fn phase_merges(&self, phase: PhaseNumber) -> &[MergedRange] {
        self.facts.phases.get(&phase).map(|facts| facts.merges.as_slice()).unwrap_or_default()
    }

    pub(super) fn add_phase_merge(&mut self, task: &TaskId, onto: Option<&str>, commit: &str) {
        let phase = self.rows.tasks.get(task).map(|row| row.phase);
        let (Some(phase), Some(onto)) = (phase, onto) else { return };
        let merge = MergedRange { onto: onto.to_owned(), commit: commit.to_owned() };
        let merges = &mut self.facts.phases.entry(phase).or_default().merges;
        // A task that was reworked without changes reports its earlier merge.
        if !merges.contains(&merge) {
            merges.push(merge);
        }
    }

    fn close_gate(&mut self, phase: PhaseNumber, round: Option<u32>, state: GateState) {
        let last = self.rows.gates.get(&phase).map_or(0, |row| row.round);
        self.set_gate_state(phase, round.unwrap_or(last), state, |_| ());
        self.rows.inbox.remove(&InboxItem::Gate(phase));
        self.facts.open.set_party(InboxItem::Gate(phase), None);
        self.update_gate_blocking_party(phase);
    }

    fn set_gate_state(
        &mut self,
        phase: PhaseNumber,
        round: u32,
        state: GateState,
        change: impl FnOnce(&mut GateRound),
    ) {
        self.rows.gates.change(&phase, |row| {
            (row.state, row.round) = (state, round);
            if let Some(gate_round) = row.rounds.iter_mut().rev().find(|gate_round| gate_round.round == round)
            {
                change(gate_round);
            }
        });
        self.set_phase_gate(phase, state, round);
    }

    fn update_gate_blocking_party(&mut self, phase: PhaseNumber) {
        let tasks = self.facts.phases.get(&phase).map(|facts| facts.at_gate.clone()).unwrap_or_default();
        for task in tasks {
            self.update_blocking_party(&task, &BlockReason::Approval { phase });
        }
    }
}
