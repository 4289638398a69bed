//! Changes of the plan file: detected, offered to the user, applied or ignored.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Event, OfferId, PhaseNumber, PlanChanges, PlanField, PlannedPhase, PlannedWork, TaskId, events,
};

use super::{DecisionContext, start::TASKS_MAX};
use crate::{
    graph::{Graph, Node},
    plan_diff::{PlanAmendment, in_dependency_order},
    rejection::Rejection,
    run::{PlanChangeOffer, Run, RunStatus},
    state::{GateState, TaskStage},
};

/// Length limit of a recorded problem.
const PROBLEM_CHARS_MAX: usize = 2_000;

impl DecisionContext<'_> {
    /// Offers the differences, unless they are already offered or were ignored.
    pub(super) fn handle_plan_report(&mut self, work: &PlannedWork) -> Result<(), Rejection> {
        if !matches!(self.run.status, RunStatus::Active | RunStatus::Paused) {
            return Err(Rejection::StaleReport);
        }
        let changes = Box::new(self.run.plan_changes(work));
        if changes.is_empty() {
            let obsolete =
                self.run.offer.as_ref().or(self.run.ignored_offer.as_ref()).ok_or(Rejection::StaleReport)?;
            let (offer, reason) = (obsolete.id, "the plan file matches the run again".to_owned());
            self.emit(events::PlanChangeWithdrawn { offer, reason });
            return Ok(());
        }
        let is_known =
            |offer: &Option<PlanChangeOffer>| offer.as_ref().is_some_and(|known| known.changes == changes);
        if is_known(&self.run.offer) || is_known(&self.run.ignored_offer) {
            return Err(Rejection::StaleReport);
        }
        let amendment = self.run.plan_amendment(&changes);
        let problem =
            self.run.check_amendment(&changes, &amendment).err().map(|rejection| rejection.to_string());
        let offer = OfferId(self.run.offers.saturating_add(1));
        self.emit(events::PlanChangeDetected { offer, changes, problem });
        Ok(())
    }

    /// Records that the plan file cannot be read, and withdraws an open offer.
    pub(super) fn handle_unreadable_plan(&mut self, problem: &str) -> Result<(), Rejection> {
        if !matches!(self.run.status, RunStatus::Active | RunStatus::Paused) {
            return Err(Rejection::StaleReport);
        }
        if let Some(offer) = self.run.offer.as_ref().map(|offer| offer.id) {
            let reason = "the plan file can no longer be read".to_owned();
            self.emit(events::PlanChangeWithdrawn { offer, reason });
        }
        let problem = problem.chars().take(PROBLEM_CHARS_MAX).collect();
        self.emit(events::PlanUnreadable { problem });
        Ok(())
    }

    pub(super) fn ignore_plan_change(&mut self, offer: OfferId) -> Result<(), Rejection> {
        self.run.offered_changes(offer)?;
        self.emit(events::PlanChangeIgnored { offer });
        Ok(())
    }

    pub(super) fn apply_plan_change(&mut self, offer: OfferId) -> Result<(), Rejection> {
        let changes = self.run.offered_changes(offer)?.clone();
        let amendment = self.run.plan_amendment(&changes);
        self.run.check_amendment(&changes, &amendment)?;
        self.reopen_run();
        let removed = amendment.skipped.iter().map(|task| self.task_id(*task)).collect();
        let restored = amendment.restored.iter().map(|(task, _)| self.task_id(*task)).collect();
        self.emit(events::PlanChangeApplied { offer, removed, restored });
        self.apply_amendment(&changes, amendment);
        Ok(())
    }

    /// Applies a change in steps: additions, then dependencies, then skipped tasks.
    fn apply_amendment(&mut self, changes: &PlanChanges, amendment: PlanAmendment) {
        for phase in &changes.phases_added {
            self.emit(events::PhaseAdded { phase: Box::new(phase.clone()) });
        }
        for (earlier, later) in amendment.edges_removed {
            self.emit(events::DependencyRemoved { earlier, later });
        }
        self.change_phases(self.run.changed_open_phases(changes));
        for task in in_dependency_order(&changes.added) {
            self.emit(events::TaskAdded { task: Box::new(task.clone()), in_file: true });
        }
        for (task_ref, restored) in amendment.restored {
            let mut fields = restored.fields;
            // The status of a restored task may not differ in the file.
            if !fields.contains(&PlanField::Status) {
                fields.push(PlanField::Status);
            }
            self.emit(events::TaskChanged { task: Box::new(restored.task), fields });
            if self.run.task(task_ref).stage == TaskStage::Done {
                let reason = "it is open again in the plan".to_owned();
                self.emit(events::TaskReopened { task: self.task_id(task_ref), reason });
            } else {
                self.restart_task(task_ref, None);
            }
        }
        for (_, changed) in amendment.changed {
            self.emit(events::TaskChanged { task: Box::new(changed.task), fields: changed.fields });
        }
        for (earlier, later) in amendment.edges_added {
            self.emit(events::DependencyAdded { earlier, later });
        }
        for task in amendment.skipped {
            self.emit_task_skip(task);
        }
    }

    /// Changes names and dependencies of phases. Removes old dependencies before it adds new ones: phases that swap
    /// places would otherwise form a cycle for a moment.
    fn change_phases(&mut self, changed: Vec<PlannedPhase>) {
        let mut additions = Vec::new();
        for PlannedPhase { number, name, after, .. } in changed {
            let old = self.run.phases.get(&number).map(|known| known.after.clone()).unwrap_or_default();
            let remaining: Vec<PhaseNumber> =
                old.iter().filter(|phase| after.contains(phase)).copied().collect();
            let (removes_some, is_complete) = (remaining.len() < old.len(), remaining == after);
            if removes_some {
                self.emit(events::PhaseChanged { phase: number, name: name.clone(), after: remaining });
            }
            if !(removes_some && is_complete) {
                additions.push(Event::PhaseChanged(events::PhaseChanged { phase: number, name, after }));
            }
        }
        for event in additions {
            self.emit(event);
        }
    }
}

impl Run {
    /// Returns the changed phases that have not reached their gates.
    fn changed_open_phases(&self, changes: &PlanChanges) -> Vec<PlannedPhase> {
        let is_open = |phase: &&PlannedPhase| {
            self.phases.get(&phase.number).is_some_and(|known| known.gate == GateState::Closed)
        };
        changes.phases_changed.iter().filter(is_open).cloned().collect()
    }

    /// Rejects a change that cannot be applied, with the reason.
    pub(crate) fn check_amendment(
        &self,
        changes: &PlanChanges,
        amendment: &PlanAmendment,
    ) -> Result<(), Rejection> {
        let invalid = |reason: String| Err(Rejection::InvalidPlan { reason });
        let n_tasks = self.tasks.len() + changes.added.len();
        if n_tasks > TASKS_MAX {
            return Err(Rejection::TooMany {
                object: "tasks",
                max: TASKS_MAX,
                hint: "split the plan into several runs",
            });
        }
        let moved = amendment.changed.iter().chain(&amendment.restored);
        if let Some((_, moved)) = moved.clone().find(|(_, task)| task.fields.contains(&PlanField::Phase)) {
            let (id, phase) = (&moved.task.id, moved.task.phase);
            return invalid(format!(
                "{id} moved to phase {phase}: give it a new id there and remove the old one"
            ));
        }
        let new: BTreeSet<PhaseNumber> = changes.phases_added.iter().map(|phase| phase.number).collect();
        let restored = amendment.restored.iter().map(|(_, restored)| &restored.task);
        for task in changes.added.iter().chain(restored) {
            match self.phases.get(&task.phase).map(|phase| phase.gate) {
                Some(GateState::Closed) => {}
                None if new.contains(&task.phase) => {}
                None => {
                    return invalid(format!("{} is in phase {}, which does not exist", task.id, task.phase));
                }
                Some(_) => {
                    let (id, phase) = (&task.id, task.phase);
                    return invalid(format!(
                        "{id} is new in phase {phase}, which is already at its gate: move it to a later phase"
                    ));
                }
            }
        }
        let known = self.team.agent_names();
        let named = changes.added.iter().chain(moved.map(|(_, changed)| &changed.task));
        for task in named {
            if let Some(name) = task.agent.iter().chain(&task.tester).find(|name| !known.contains(name)) {
                return Err(Rejection::UnknownAgent { name: name.clone(), known });
            }
        }
        let mut ids: BTreeSet<&TaskId> = BTreeSet::new();
        let exists = |id: &TaskId| self.find_task(id).is_some();
        if let Some(task) = changes.added.iter().find(|task| exists(&task.id) || !ids.insert(&task.id)) {
            return invalid(format!("{} is defined twice", task.id));
        }
        self.check_cycles(changes, amendment)
    }

    /// Rejects a change that would close a dependency cycle.
    fn check_cycles(&self, changes: &PlanChanges, amendment: &PlanAmendment) -> Result<(), Rejection> {
        let run = self;
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
            let known = run.find_task(id).map(|task| run.task(task).node.index());
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
        let phases = self.changed_open_phases(changes);
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
