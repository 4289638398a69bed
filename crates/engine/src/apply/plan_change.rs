//! Applies changes of the plan to a running run.

use domain::{PhaseNumber, PlanField, PlannedPhase, PlannedTask, SessionInput, TaskId, events};

use super::start::{task_duration_ms, task_requirements};
use crate::{
    graph::Node,
    run::{NodeKind, PlanChangeOffer, Run},
    state::{BudgetUsage, Phase, TaskIndex, TaskOrigin, TaskStage},
};

impl Run {
    pub(super) fn apply_plan_change_detected(&mut self, event: &events::PlanChangeDetected) {
        let events::PlanChangeDetected { offer, changes, .. } = event;
        self.offers = offer.0;
        self.offer = Some(PlanChangeOffer { id: *offer, changes: changes.clone() });
    }

    pub(super) fn apply_plan_change_withdrawn(&mut self, event: &events::PlanChangeWithdrawn) {
        let events::PlanChangeWithdrawn { offer, .. } = event;
        self.offer.take_if(|open| open.id == *offer);
        self.ignored_offer.take_if(|left| left.id == *offer);
    }

    pub(super) fn apply_plan_change_applied(&mut self, event: &events::PlanChangeApplied) {
        let events::PlanChangeApplied { removed, restored, .. } = event;
        self.offer = None;
        self.ignored_offer = None;
        self.set_task_origins(removed, TaskOrigin::RemovedFromPlan);
        self.set_task_origins(restored, TaskOrigin::PlanFile);
    }

    fn set_task_origins(&mut self, tasks: &[TaskId], origin: TaskOrigin) {
        for id in tasks {
            if let Some(task) = self.find_task(id).and_then(|task| self.task_mut(task)) {
                task.origin = origin;
            }
        }
    }

    pub(super) fn apply_phase_added(&mut self, planned: &PlannedPhase) {
        let before: Vec<Node> = planned
            .after
            .iter()
            .filter_map(|number| self.phases.get(number))
            .map(|phase| phase.node)
            .collect();
        let node = self.schedule.add_barrier(&before);
        self.nodes.push(NodeKind::Gate(planned.number));
        // A phase that was added earlier may come after this one.
        let later_phases = self.phases.values().filter(|phase| phase.after.contains(&planned.number));
        for later in later_phases.map(|phase| phase.node).collect::<Vec<Node>>() {
            // A cycle was rejected before the event was recorded.
            let _ = self.schedule.connect(node, later);
        }
        self.phases.insert(planned.number, Phase::new(planned, node));
    }

    pub(super) fn apply_phase_changed(&mut self, number: PhaseNumber, name: &str, after: &[PhaseNumber]) {
        let gates = |numbers: &[PhaseNumber]| -> Vec<Node> {
            numbers.iter().filter_map(|number| self.phases.get(number)).map(|phase| phase.node).collect()
        };
        let Some(known) = self.phases.get(&number) else { return };
        let (old_gates, new_gates) = (gates(&known.after), gates(after));
        let tasks = known.tasks.clone();
        let task_nodes = tasks.iter().map(|task| self.task(*task).node);
        let waiting: Vec<Node> = task_nodes.chain([known.node]).collect();
        for later in &waiting {
            for earlier in old_gates.iter().filter(|gate| !new_gates.contains(gate)) {
                self.schedule.disconnect(*earlier, *later);
            }
        }
        for later in &waiting {
            for earlier in &new_gates {
                // A cycle was rejected before the event was recorded.
                let _ = self.schedule.connect(*earlier, *later);
            }
        }
        for task in tasks {
            self.return_task_to_waiting(task);
        }
        if let Some(phase) = self.phases.get_mut(&number) {
            name.clone_into(&mut phase.name);
            phase.after = after.to_vec();
        }
    }

    pub(super) fn apply_task_changed(&mut self, new: &PlannedTask, fields: &[PlanField]) {
        let Some(task_ref) = self.find_task(&new.id) else { return };
        let timeout_ms = self.settings.timeout_ms;
        let before = self.task(task_ref).planned.external.clone();
        self.mark_task_affected(task_ref);
        let Some(task) = self.task_mut(task_ref) else { return };
        task.planned.copy_fields(new, fields);
        let changes = |some: &[PlanField]| fields.iter().any(|field| some.contains(field));
        if changes(&[PlanField::Timeout]) {
            task.timeout_ms = Some(new.timeout_ms.unwrap_or(timeout_ms));
        }
        if changes(&[PlanField::Budget]) {
            let maximum = BudgetUsage::new(new.budget);
            task.budget_usage.tokens_max = maximum.tokens_max;
            task.budget_usage.cost_micros_max = maximum.cost_micros_max;
        }
        if changes(&[PlanField::Title, PlanField::Text, PlanField::Acceptance]) && task.stage.is_in_progress()
        {
            // Only the latest text is sent.
            task.pending_inputs
                .retain(|pending_inputs| !matches!(pending_inputs, SessionInput::TaskChanged { .. }));
            task.pending_inputs.push(SessionInput::TaskChanged {
                task: task.planned.id.clone(),
                title: task.planned.title.clone(),
                text: task.planned.text.clone(),
                acceptance: task.planned.acceptance.clone(),
            });
        }
        if changes(&[PlanField::Agent]) {
            let agent = self.agent_for_task(new);
            self.schedule.set_agent(self.task(task_ref).node, agent);
            if let Some(task) = self.task_mut(task_ref) {
                task.agent = agent;
            }
        }
        let (node, planned) = (self.task(task_ref).node, self.task(task_ref).planned.clone());
        if changes(&[PlanField::Touches, PlanField::Worktree]) {
            self.schedule.set_touches(node, task_requirements(&planned, self.task(task_ref).agent).touches);
        }
        if changes(&[PlanField::Priority]) {
            self.schedule.set_priority(node, planned.priority);
        }
        if changes(&[PlanField::Complexity, PlanField::Status]) {
            self.schedule.set_duration(node, task_duration_ms(&planned));
        }
        if changes(&[PlanField::External]) {
            self.replace_external_dependencies(task_ref, &before, &planned.external);
        }
    }

    /// Replaces the external dependencies of a task.
    fn replace_external_dependencies(&mut self, task: TaskIndex, before: &[String], after: &[String]) {
        let node = self.task(task).node;
        for name in before.iter().filter(|name| !after.contains(name)) {
            let external = self.external_node(name);
            self.schedule.disconnect(external, node);
        }
        for name in after {
            let external = self.external_node(name);
            // External dependencies depend on nothing, so no cycle can close.
            let _ = self.schedule.connect(external, node);
        }
        self.return_task_to_waiting(task);
    }

    /// Returns a ready task to waiting if it has an unmet dependency again.
    pub(super) fn return_task_to_waiting(&mut self, task: TaskIndex) {
        if self.task(task).stage == TaskStage::Ready
            && !self.schedule.has_met_dependencies(self.task(task).node)
        {
            self.set_task_stage(task, TaskStage::Waiting);
        }
    }

    /// Returns the node of an external dependency, and adds it if it is new.
    pub(super) fn external_node(&mut self, name: &str) -> Node {
        if let Some(node) = self.externals.get(name) {
            return *node;
        }
        let node = self.schedule.add_barrier(&[]);
        self.nodes.push(NodeKind::External);
        self.externals.insert(name.to_owned(), node);
        node
    }

    /// Returns the gates that the tasks of a phase depend on.
    pub(super) fn gates_before(&self, phase: PhaseNumber) -> Vec<Node> {
        let after = self.phases.get(&phase).map(|phase| phase.after.as_slice()).unwrap_or_default();
        after.iter().filter_map(|number| self.phases.get(number)).map(|phase| phase.node).collect()
    }
}
