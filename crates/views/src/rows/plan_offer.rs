//! A plan file that changed: what differs, and what became of it.

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

/// What a plan file says that the run's plan does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanOfferRow {
    /// The offer.
    pub id: OfferId,
    /// What became of it.
    pub state: PlanOfferState,
    /// What is different.
    pub changes: PlanChanges,
    /// Why it could not be taken when it was offered.
    pub problem: Option<String>,
    /// When it was seen.
    pub offered_at: Timestamp,
    /// When somebody took or left it, or it was replaced.
    pub resolved_at: Option<Timestamp>,
    /// Who did.
    pub resolved_by: Option<Actor>,
}

/// What became of a change of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PlanOfferState {
    /// It waits for the person.
    Open,
    /// The run goes by it.
    Applied,
    /// Somebody wants the plan to stay as it was.
    Ignored,
    /// The file says something else again.
    Withdrawn,
}

impl TableRow for PlanOfferRow {
    type Key = OfferId;
    const KIND: RowKind = RowKind::PlanOffer;

    fn key(&self) -> OfferId {
        self.id
    }

    fn write_key(key: &OfferId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn plan_change_detected(
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
            // The run goes on without it.
            blocks: BlockedWork::default(),
            since_at: moment.at,
        });
        self.facts.offer = Some(id);
        self.facts.open.set(InboxItem::Plan(id), Some(ResponsibleParty::Person));
    }

    pub(crate) fn resolve_plan_offer(&mut self, moment: EventMoment<'_>, id: OfferId, state: PlanOfferState) {
        self.rows.plan_offers.change(&id, |row| {
            row.state = state;
            row.resolved_at = Some(moment.at);
            row.resolved_by = Some(moment.actor.clone());
        });
        self.rows.inbox.remove(&InboxItem::Plan(id));
        self.facts.open.set(InboxItem::Plan(id), None);
        self.facts.offer.take_if(|open| *open == id);
    }

    pub(crate) fn phase_added(&mut self, phase: &PlannedPhase) {
        self.facts.phases.entry(phase.number).or_default().has_check = phase.verify.is_some();
        self.rows.phases.put(PhaseRow::planned(phase));
        self.set_earlier_phases(phase.number, &phase.after);
    }

    pub(crate) fn phase_changed(
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

    /// Notes whose gates a phase waits for; those that have passed hold nobody up.
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

    pub(crate) fn task_changed(&mut self, moment: EventMoment<'_>, said: &PlannedTask, fields: &[PlanField]) {
        let (of_run, phases) = (self.facts.has_check, &self.facts.phases);
        let of_phase = phases.get(&said.phase).is_some_and(|phase| phase.has_check);
        let has = |field: PlanField| fields.contains(&field);
        self.rows.tasks.change(&said.id, |row| {
            if has(PlanField::Title) {
                row.title.clone_from(&said.title);
            }
            if has(PlanField::Priority) {
                row.priority = said.priority;
            }
            if has(PlanField::Agent) {
                row.agent.clone_from(&said.agent);
            }
            if has(PlanField::Tester) {
                row.tester.clone_from(&said.tester);
            }
            if has(PlanField::Budget) {
                row.budget = said.budget;
            }
        });
        self.rows.task_details.change(&said.id, |row| row.take(said, fields));
        let tester = self.rows.tasks.get(&said.id).is_some_and(|row| row.tester.is_some());
        let verify = self.rows.task_details.get(&said.id).is_some_and(|row| row.verify.is_some());
        if let Some(facts) = self.facts.tasks.get_mut(&said.id) {
            facts.has_review = tester || verify || of_phase || of_run;
        }
        if has(PlanField::External) {
            self.set_external_dependencies(moment, said);
        }
    }
}
