//! A plan file that changed: what differs is offered, and taken or left by a person.

use std::collections::{BTreeMap, BTreeSet};

use domain::{Event, OfferId, PhaseNumber, PlanChanges, PlanField, PlannedPhase, PlannedWork, TaskId};

use super::{DecisionContext, start::TASKS_MAX};
use crate::{
    graph::{Graph, Node},
    plan_diff::{PlanAmendment, in_order},
    rejection::Rejection,
    run::{PlanChangeOffer, RunStatus},
    state::{GateState, TaskStage},
};

/// More of what is wrong with a file nobody reads here.
const PROBLEM_CHARS_MAX: usize = 2_000;

impl DecisionContext<'_> {
    /// Offers what differs, unless it is offered already or somebody left it.
    pub(super) fn report_plan(&mut self, work: &PlannedWork) -> Result<(), Rejection> {
        if !matches!(self.run.status, RunStatus::Active | RunStatus::Paused) {
            return Err(Rejection::StaleReport);
        }
        let changes = Box::new(self.run.plan_changes(work));
        if changes.is_empty() {
            let settled =
                self.run.offer.as_ref().or(self.run.ignored_offer.as_ref()).ok_or(Rejection::StaleReport)?;
            let (offer, reason) = (settled.id, "the plan file says what the run does".to_owned());
            self.emit(Event::PlanChangeWithdrawn { offer, reason });
            return Ok(());
        }
        let is_known =
            |offer: &Option<PlanChangeOffer>| offer.as_ref().is_some_and(|known| known.changes == changes);
        if is_known(&self.run.offer) || is_known(&self.run.ignored_offer) {
            return Err(Rejection::StaleReport);
        }
        let amendment = self.run.amendment(&changes);
        let problem = self.check_amendment(&changes, &amendment).err().map(|why| why.to_string());
        let offer = OfferId(self.run.offers.saturating_add(1));
        self.emit(Event::PlanChangeDetected { offer, changes, problem });
        Ok(())
    }

    /// Says that the file can't be read; nothing of it is taken.
    pub(super) fn report_plan_unreadable(&mut self, problem: &str) -> Result<(), Rejection> {
        if !matches!(self.run.status, RunStatus::Active | RunStatus::Paused) {
            return Err(Rejection::StaleReport);
        }
        if let Some(offer) = self.run.offer.as_ref().map(|offer| offer.id) {
            let reason = "the plan file can't be read any more".to_owned();
            self.emit(Event::PlanChangeWithdrawn { offer, reason });
        }
        let problem = problem.chars().take(PROBLEM_CHARS_MAX).collect();
        self.emit(Event::PlanUnreadable { problem });
        Ok(())
    }

    pub(super) fn ignore_plan_change(&mut self, offer: OfferId) -> Result<(), Rejection> {
        self.open_offer(offer)?;
        self.emit(Event::PlanChangeIgnored { offer });
        Ok(())
    }

    pub(super) fn apply_plan_change(&mut self, offer: OfferId) -> Result<(), Rejection> {
        let changes = self.open_offer(offer)?;
        let amendment = self.run.amendment(&changes);
        self.check_amendment(&changes, &amendment)?;
        self.reopen();
        let removed = amendment.skipped.iter().map(|task| self.id(*task)).collect();
        let restored = amendment.restored.iter().map(|(task, _)| self.id(*task)).collect();
        self.emit(Event::PlanChangeApplied { offer, removed, restored });
        self.apply_amendment(&changes, amendment);
        Ok(())
    }

    /// Returns what is offered, if it is still what somebody saw.
    fn open_offer(&self, offer: OfferId) -> Result<Box<PlanChanges>, Rejection> {
        match &self.run.offer {
            Some(open) if open.id == offer => Ok(open.changes.clone()),
            Some(open) if open.id > offer => {
                let state = "not what the plan file says any more: look at the difference anew";
                Err(Rejection::WrongRunState { what: offer.to_string(), state })
            }
            Some(_) | None => Err(Rejection::UnknownObject {
                what: format!("change of the plan {offer} that waits for anybody"),
            }),
        }
    }

    /// Lets a change hold, piece by piece: what joins, then who waits for whom, then what is left out.
    fn apply_amendment(&mut self, changes: &PlanChanges, amendment: PlanAmendment) {
        for phase in &changes.phases_added {
            self.emit(Event::PhaseAdded { phase: Box::new(phase.clone()) });
        }
        for (earlier, later) in amendment.edges_removed {
            self.emit(Event::DependencyRemoved { earlier, later });
        }
        self.change_phases(self.open_phases(changes));
        for task in in_order(&changes.added) {
            self.emit(Event::TaskAdded { task: Box::new(task.clone()), in_file: true });
        }
        for (found, restored) in amendment.restored {
            let mut fields = restored.fields;
            // What was removed and is back may never have said otherwise.
            if !fields.contains(&PlanField::Status) {
                fields.push(PlanField::Status);
            }
            self.emit(Event::TaskChanged { task: Box::new(restored.task), fields });
            if self.run.task(found).stage == TaskStage::Done {
                let reason = "the plan has it open again".to_owned();
                self.emit(Event::TaskReopened { task: self.id(found), reason });
            } else {
                self.restart(found, None);
            }
        }
        for (_, changed) in amendment.changed {
            self.emit(Event::TaskChanged { task: Box::new(changed.task), fields: changed.fields });
        }
        for (earlier, later) in amendment.edges_added {
            self.emit(Event::DependencyAdded { earlier, later });
        }
        for task in amendment.skipped {
            self.skip(task);
        }
    }

    /// Gives phases their new order. Nobody waits for anybody new before all that no longer holds is taken away:
    /// phases that change places would else wait for each other for a moment.
    fn change_phases(&mut self, changed: Vec<PlannedPhase>) {
        let mut still_to_come = Vec::new();
        for PlannedPhase { number, name, after, .. } in changed {
            let old = self.run.phases.get(&number).map(|known| known.after.clone()).unwrap_or_default();
            let kept: Vec<PhaseNumber> = old.iter().filter(|phase| after.contains(phase)).copied().collect();
            let (loses, is_whole) = (kept.len() < old.len(), kept == after);
            if loses {
                self.emit(Event::PhaseChanged { phase: number, name: name.clone(), after: kept });
            }
            if !(loses && is_whole) {
                still_to_come.push(Event::PhaseChanged { phase: number, name, after });
            }
        }
        for event in still_to_come {
            self.emit(event);
        }
    }

    /// Returns the phases that change and are not at their gates yet.
    fn open_phases(&self, changes: &PlanChanges) -> Vec<PlannedPhase> {
        let is_open = |phase: &&PlannedPhase| {
            self.run.phases.get(&phase.number).is_some_and(|known| known.gate == GateState::Closed)
        };
        changes.phases_changed.iter().filter(is_open).cloned().collect()
    }

    /// Refuses a change that can't be taken, with what is wrong.
    fn check_amendment(&self, changes: &PlanChanges, amendment: &PlanAmendment) -> Result<(), Rejection> {
        let bad = |reason: String| Err(Rejection::InvalidPlan { reason });
        let n_tasks = self.run.tasks.len() + changes.added.len();
        if n_tasks > TASKS_MAX {
            return Err(Rejection::TooMany { what: "tasks", max: TASKS_MAX });
        }
        let moved = amendment.changed.iter().chain(&amendment.restored);
        if let Some((_, moved)) = moved.clone().find(|(_, task)| task.fields.contains(&PlanField::Phase)) {
            let (id, phase) = (&moved.task.id, moved.task.phase);
            return bad(format!(
                "{id} is in phase {phase} now; give it a new id there, and take the old one away"
            ));
        }
        let new: BTreeSet<PhaseNumber> = changes.phases_added.iter().map(|phase| phase.number).collect();
        let restored = amendment.restored.iter().map(|(_, restored)| &restored.task);
        for task in changes.added.iter().chain(restored) {
            match self.run.phases.get(&task.phase).map(|phase| phase.gate) {
                Some(GateState::Closed) => {}
                None if new.contains(&task.phase) => {}
                None => return bad(format!("{} is in phase {}, which is not there", task.id, task.phase)),
                Some(_) => {
                    let (id, phase) = (&task.id, task.phase);
                    return bad(format!(
                        "{id} is new in phase {phase}, which is past its work: put it into a later one"
                    ));
                }
            }
        }
        let known = self.run.team.names();
        let said = changes.added.iter().chain(moved.map(|(_, changed)| &changed.task));
        for task in said {
            if let Some(name) = task.agent.iter().chain(&task.tester).find(|name| !known.contains(name)) {
                return Err(Rejection::UnknownAgent { name: name.clone(), known });
            }
        }
        let mut ids: BTreeSet<&TaskId> = BTreeSet::new();
        let is_there = |id: &TaskId| self.run.find(id).is_some();
        if let Some(task) = changes.added.iter().find(|task| is_there(&task.id) || !ids.insert(&task.id)) {
            return bad(format!("{} is there twice", task.id));
        }
        self.check_cycles(changes, amendment)
    }

    /// Refuses a change by which some would wait for each other.
    fn check_cycles(&self, changes: &PlanChanges, amendment: &PlanAmendment) -> Result<(), Rejection> {
        let run = &*self.run;
        let graph = run.schedule.graph();
        let first = graph.nodes().count();
        let names: Vec<String> = changes
            .phases_added
            .iter()
            .map(|phase| format!("phase {}", phase.number))
            .chain(changes.added.iter().map(|task| task.id.to_string()))
            .collect();
        let n_gates = changes.phases_added.len();
        let new_gates: BTreeMap<PhaseNumber, usize> =
            changes.phases_added.iter().zip(first..).map(|(phase, at)| (phase.number, at)).collect();
        let new_tasks: BTreeMap<&TaskId, usize> =
            changes.added.iter().zip(first + n_gates..).map(|(task, at)| (&task.id, at)).collect();
        let task_at = |id: &TaskId| {
            let known = run.find(id).map(|task| run.task(task).node.index());
            known.or_else(|| new_tasks.get(id).copied())
        };
        let gate_at = |phase: &PhaseNumber| {
            let known = run.phases.get(phase).map(|phase| phase.node.index());
            known.or_else(|| new_gates.get(phase).copied())
        };

        let mut edges: BTreeSet<(usize, usize)> = BTreeSet::new();
        for later in graph.nodes() {
            edges.extend(graph.dependencies(later).iter().map(|earlier| (earlier.index(), later.index())));
        }
        for (earlier, later) in &amendment.edges_removed {
            if let (Some(earlier), Some(later)) = (task_at(earlier), task_at(later)) {
                edges.remove(&(earlier, later));
            }
        }
        let phases = self.open_phases(changes);
        for phase in &phases {
            let Some(known) = run.phases.get(&phase.number) else { continue };
            let waits =
                known.tasks.iter().map(|task| run.task(*task).node.index()).chain([known.node.index()]);
            for later in waits {
                for earlier in known.after.iter().filter_map(gate_at) {
                    edges.remove(&(earlier, later));
                }
                edges.extend(phase.after.iter().filter_map(gate_at).map(|earlier| (earlier, later)));
            }
        }
        for phase in &changes.phases_added {
            let Some(own) = gate_at(&phase.number) else { continue };
            edges.extend(phase.after.iter().filter_map(gate_at).map(|earlier| (earlier, own)));
        }
        let after = |number: PhaseNumber| -> Vec<PhaseNumber> {
            let changed = phases.iter().chain(&changes.phases_added).find(|phase| phase.number == number);
            let known = || run.phases.get(&number).map(|phase| phase.after.clone());
            changed.map(|phase| phase.after.clone()).or_else(known).unwrap_or_default()
        };
        for task in &changes.added {
            let Some(own) = task_at(&task.id) else { continue };
            for id in &task.depends_on {
                let earlier = task_at(id).ok_or_else(|| Rejection::UnknownTask { task: id.clone() })?;
                edges.insert((earlier, own));
            }
            edges.extend(gate_at(&task.phase).map(|gate| (own, gate)));
            edges.extend(after(task.phase).iter().filter_map(gate_at).map(|gate| (gate, own)));
        }
        for (earlier, later) in &amendment.edges_added {
            let earlier_at =
                task_at(earlier).ok_or_else(|| Rejection::UnknownTask { task: earlier.clone() })?;
            edges.extend(task_at(later).map(|later| (earlier_at, later)));
        }

        let edges: Vec<(usize, usize)> = edges.into_iter().collect();
        match Graph::new(&vec![0; first + names.len()], &edges) {
            Ok(_) => Ok(()),
            Err(cycle) => {
                let name = |node: &Node| match node.index().checked_sub(first).and_then(|at| names.get(at)) {
                    Some(name) => name.clone(),
                    None => self.node_name(*node),
                };
                Err(Rejection::DependencyCycle { path: cycle.path.iter().map(name).collect() })
            }
        }
    }
}
