//! What a change of the plan means for a run that goes on.

use domain::{Event, PhaseNumber, PlanField, PlannedPhase, PlannedTask, SessionInput, TaskId};

use super::start::{duration, requirements};
use crate::{
    graph::Node,
    run::{NodeKind, PlanChangeOffer, Run},
    state::{BudgetUsage, Phase, TaskRef, TaskStage},
};

impl Run {
    pub(super) fn apply_plan_change_event(&mut self, event: &Event) {
        match event {
            Event::PlanChangeDetected { offer, changes, .. } => {
                self.offers = offer.0;
                self.offer = Some(PlanChangeOffer { id: *offer, changes: changes.clone() });
            }
            Event::PlanChangeWithdrawn { offer, .. } => {
                self.offer.take_if(|open| open.id == *offer);
                self.ignored_offer.take_if(|left| left.id == *offer);
            }
            Event::PlanChangeIgnored { .. } => self.ignored_offer = self.offer.take(),
            Event::PlanChangeApplied { removed, restored, .. } => {
                self.offer = None;
                self.ignored_offer = None;
                self.set_removed(removed, true);
                self.set_removed(restored, false);
            }
            // Somebody is told, and nothing changes.
            Event::PlanUnreadable { .. } => {}
            Event::PhaseAdded { phase } => self.phase_added(phase),
            Event::PhaseChanged { phase, name, after } => self.phase_changed(*phase, name, after),
            Event::TaskChanged { task, fields } => self.task_changed(task, fields),
            other => debug_assert!(false, "{} changes no plan", other.name()),
        }
    }

    fn set_removed(&mut self, tasks: &[TaskId], is_removed: bool) {
        for id in tasks {
            if let Some(task) = self.find(id).and_then(|task| self.task_mut(task)) {
                task.is_removed = is_removed;
            }
        }
    }

    fn phase_added(&mut self, planned: &PlannedPhase) {
        let before: Vec<Node> = planned
            .after
            .iter()
            .filter_map(|number| self.phases.get(number))
            .map(|phase| phase.node)
            .collect();
        let node = self.schedule.add_barrier(&before);
        self.nodes.push(NodeKind::Gate(planned.number));
        // One that joined before it may come after it.
        let behind = self.phases.values().filter(|phase| phase.after.contains(&planned.number));
        for later in behind.map(|phase| phase.node).collect::<Vec<Node>>() {
            // A circle was refused before it was recorded.
            let _ = self.schedule.connect(node, later);
        }
        self.phases.insert(planned.number, Phase::new(planned, node));
    }

    fn phase_changed(&mut self, number: PhaseNumber, name: &str, after: &[PhaseNumber]) {
        let gates = |numbers: &[PhaseNumber]| -> Vec<Node> {
            numbers.iter().filter_map(|number| self.phases.get(number)).map(|phase| phase.node).collect()
        };
        let Some(known) = self.phases.get(&number) else { return };
        let (old, new) = (gates(&known.after), gates(after));
        let tasks = known.tasks.clone();
        let own = tasks.iter().map(|task| self.task(*task).node);
        let waiting: Vec<Node> = own.chain([known.node]).collect();
        for later in &waiting {
            for earlier in old.iter().filter(|gate| !new.contains(gate)) {
                self.schedule.disconnect(*earlier, *later);
            }
        }
        for later in &waiting {
            for earlier in &new {
                // A circle was refused before it was recorded.
                let _ = self.schedule.connect(*earlier, *later);
            }
        }
        for task in tasks {
            self.return_to_waiting(task);
        }
        if let Some(phase) = self.phases.get_mut(&number) {
            name.clone_into(&mut phase.name);
            phase.after = after.to_vec();
        }
    }

    fn task_changed(&mut self, said: &PlannedTask, fields: &[PlanField]) {
        let Some(found) = self.find(&said.id) else { return };
        let timeout_ms = self.settings.timeout_ms;
        let before = self.task(found).planned.external.clone();
        let Some(task) = self.task_mut(found) else { return };
        task.planned.copy_fields(said, fields);
        let has = |some: &[PlanField]| fields.iter().any(|field| some.contains(field));
        if has(&[PlanField::Timeout]) {
            task.timeout_ms = Some(said.timeout_ms.unwrap_or(timeout_ms));
        }
        if has(&[PlanField::Budget]) {
            let maximum = BudgetUsage::new(said.budget);
            task.budget_usage.tokens_max = maximum.tokens_max;
            task.budget_usage.cost_micros_max = maximum.cost_micros_max;
        }
        if has(&[PlanField::Title, PlanField::Text, PlanField::Acceptance]) && task.stage.is_in_progress() {
            // Only the last word counts.
            task.pending_inputs
                .retain(|pending_inputs| !matches!(pending_inputs, SessionInput::TaskChanged { .. }));
            task.pending_inputs.push(SessionInput::TaskChanged {
                task: task.planned.id.clone(),
                title: task.planned.title.clone(),
                text: task.planned.text.clone(),
                acceptance: task.planned.acceptance.clone(),
            });
        }
        if has(&[PlanField::Agent]) {
            let agent = self.agent_of(said);
            self.schedule.set_agent(self.task(found).node, agent);
            if let Some(task) = self.task_mut(found) {
                task.agent = agent;
            }
        }
        let (node, planned) = (self.task(found).node, self.task(found).planned.clone());
        if has(&[PlanField::Touches, PlanField::Worktree]) {
            self.schedule.set_touches(node, requirements(&planned, self.task(found).agent).touches);
        }
        if has(&[PlanField::Priority]) {
            self.schedule.set_priority(node, planned.priority);
        }
        if has(&[PlanField::Complexity, PlanField::Status]) {
            self.schedule.set_duration(node, duration(&planned));
        }
        if has(&[PlanField::External]) {
            self.change_externals(found, &before, &planned.external);
        }
    }

    /// Lets a task wait for other things outside of the plan than before.
    fn change_externals(&mut self, task: TaskRef, before: &[String], after: &[String]) {
        let node = self.task(task).node;
        for name in before.iter().filter(|name| !after.contains(name)) {
            let outside = self.external_node(name);
            self.schedule.disconnect(outside, node);
        }
        for name in after {
            let outside = self.external_node(name);
            // Nothing outside waits for a task, so no circle closes.
            let _ = self.schedule.connect(outside, node);
        }
        self.return_to_waiting(task);
    }

    /// Lets a task that could start wait, because something that it waits for is not there.
    pub(super) fn return_to_waiting(&mut self, task: TaskRef) {
        if self.task(task).stage == TaskStage::Ready
            && !self.schedule.has_met_dependencies(self.task(task).node)
        {
            self.set_stage(task, TaskStage::Waiting);
        }
    }

    /// Returns the node of something outside of the plan; it is made where nobody waited for it yet.
    pub(super) fn external_node(&mut self, name: &str) -> Node {
        if let Some(node) = self.externals.get(name) {
            return *node;
        }
        let node = self.schedule.add_barrier(&[]);
        self.nodes.push(NodeKind::External);
        self.externals.insert(name.to_owned(), node);
        node
    }

    /// Returns the gates that the tasks of a phase wait for.
    pub(super) fn gates_before(&self, phase: PhaseNumber) -> Vec<Node> {
        let after = self.phases.get(&phase).map(|phase| phase.after.as_slice()).unwrap_or_default();
        after.iter().filter_map(|number| self.phases.get(number)).map(|phase| phase.node).collect()
    }
}
