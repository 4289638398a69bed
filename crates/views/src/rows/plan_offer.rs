//! Changes of the plan file: the differences, and what happened to them.

use domain::{
    Actor, BlockedWork, OfferId, PhaseNumber, PlanChanges, PlanField, PlannedPhase, PlannedTask, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{GateState, InboxItem, InboxRow, PhaseRow, ResponsibleParty};
use crate::{
    RowKind, TableRow, Views,
    sentences::{en::plan_changes::summarize_plan_changes, ko},
    views::EventMoment,
};

/// Differences between a plan file and the plan of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanOfferRow {
    pub id: OfferId,
    pub state: PlanOfferState,
    pub changes: PlanChanges,
    /// Why it cannot be applied; set when the change was detected.
    pub problem: Option<String>,
    pub offered_at: Timestamp,
    /// When it was applied, ignored or replaced.
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<Actor>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PlanOfferState {
    /// Waiting for the user.
    Open,
    Applied,
    Ignored,
    /// The file changed again.
    Withdrawn,
}

impl TableRow for PlanOfferRow {
    type Key = OfferId;
    const KIND: RowKind = RowKind::PlanOffer;

    fn key(&self) -> OfferId {
        self.id
    }

    fn key_to_text(key: &OfferId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn apply_plan_change_detected(
        &mut self,
        moment: EventMoment<'_>,
        id: OfferId,
        changes: &PlanChanges,
        problem: Option<&String>,
    ) {
        if let Some(before) = self.facts.offer {
            self.resolve_plan_offer(moment, before, PlanOfferState::Withdrawn);
        }
        self.rows.plan_offers.put(PlanOfferRow {
            id,
            state: PlanOfferState::Open,
            changes: changes.clone(),
            problem: problem.cloned(),
            offered_at: moment.at,
            resolved_at: None,
            resolved_by: None,
        });
        self.rows.inbox.put(InboxRow {
            item: InboxItem::Plan(id),
            task: None,
            phase: None,
            text: format!("Plan file changed: {}", summarize_plan_changes(changes)),
            korean: Some(format!("계획 파일이 변경되었습니다: {}", ko::summarize_plan_changes(changes))),
            severity: None,
            // The run continues without the change.
            blocks: BlockedWork::default(),
            since_at: moment.at,
            equal: Vec::new(),
            equal_tasks: Vec::new(),
            actions: Vec::new(),
        });
        self.facts.offer = Some(id);
        self.facts.open.set_party(InboxItem::Plan(id), Some(ResponsibleParty::Person));
    }

    pub(crate) fn resolve_plan_offer(&mut self, moment: EventMoment<'_>, id: OfferId, state: PlanOfferState) {
        self.rows.plan_offers.change(&id, |row| {
            row.state = state;
            row.resolved_at = Some(moment.at);
            row.resolved_by = Some(moment.actor.clone());
        });
        self.rows.inbox.remove(&InboxItem::Plan(id));
        self.facts.open.set_party(InboxItem::Plan(id), None);
        self.facts.offer.take_if(|open| *open == id);
    }

    pub(crate) fn apply_phase_added(&mut self, phase: &PlannedPhase) {
        self.facts.phases.entry(phase.number).or_default().has_check = phase.verify.is_some();
        self.rows.phases.put(PhaseRow::from_plan(phase));
        self.set_earlier_phases(phase.number, &phase.after);
    }

    pub(crate) fn apply_phase_changed(
        &mut self,
        moment: EventMoment<'_>,
        phase: PhaseNumber,
        name: &str,
        after: &[PhaseNumber],
    ) {
        self.rows.phases.change(&phase, |row| {
            name.clone_into(&mut row.name);
            row.after = after.to_vec();
        });
        for facts in self.facts.phases.values_mut() {
            facts.later.remove(&phase);
        }
        self.set_earlier_phases(phase, after);
        let waits = self.rows.phases.get(&phase).map(|row| row.waits_for.clone()).unwrap_or_default();
        let tasks = self.facts.phases.get(&phase).map(|facts| facts.tasks.clone()).unwrap_or_default();
        for task in tasks {
            if let Some(facts) = self.facts.tasks.get_mut(&task) {
                facts.unmet_phases = waits.iter().copied().collect();
            }
            self.return_to_waiting(moment, &task);
            self.update_dependencies(&task);
        }
    }

    /// Sets the phases that a phase depends on; phases that have passed block nothing.
    fn set_earlier_phases(&mut self, phase: PhaseNumber, after: &[PhaseNumber]) {
        for earlier in after {
            self.facts.phases.entry(*earlier).or_default().later.insert(phase);
        }
        let is_open = |number: &&PhaseNumber| {
            self.rows.phases.get(number).is_some_and(|row| row.gate != GateState::Approved)
        };
        let waits: Vec<PhaseNumber> = after.iter().filter(is_open).copied().collect();
        self.rows.phases.change(&phase, |row| row.waits_for = waits);
    }

    pub(crate) fn apply_task_changed(
        &mut self,
        moment: EventMoment<'_>,
        planned: &PlannedTask,
        fields: &[PlanField],
    ) {
        let (of_run, phases) = (self.facts.has_check, &self.facts.phases);
        let of_phase = phases.get(&planned.phase).is_some_and(|phase| phase.has_check);
        let has = |field: PlanField| fields.contains(&field);
        self.rows.tasks.change(&planned.id, |row| {
            if has(PlanField::Title) {
                row.title.clone_from(&planned.title);
            }
            if has(PlanField::Priority) {
                row.priority = planned.priority;
            }
            if has(PlanField::Agent) {
                row.agent.clone_from(&planned.agent);
            }
            if has(PlanField::Tester) {
                row.tester.clone_from(&planned.tester);
            }
            if has(PlanField::Budget) {
                row.budget = planned.budget;
            }
        });
        self.rows.task_details.change(&planned.id, |row| row.apply_plan_fields(planned, fields));
        let tester = self.rows.tasks.get(&planned.id).is_some_and(|row| row.tester.is_some());
        let verify = self.rows.task_details.get(&planned.id).is_some_and(|row| row.verify.is_some());
        if let Some(facts) = self.facts.tasks.get_mut(&planned.id) {
            facts.has_review = tester || verify || of_phase || of_run;
        }
        if has(PlanField::External) {
            self.set_external_dependencies(moment, planned);
        }
    }
}
