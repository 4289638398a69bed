//! Commands that edit the plan of a run: tasks, dependencies, external dependencies.

use domain::{PlannedTask, TaskId, events};

use super::DecisionContext;
use crate::{
    graph::{CycleError, Node},
    rejection::Rejection,
    run::{NodeKind, Run},
    state::{GateState, TaskStage},
};

impl DecisionContext<'_> {
    pub(super) fn add_task(&mut self, task: Box<PlannedTask>) -> Result<(), Rejection> {
        self.run.check_accepts_commands()?;
        if self.run.find_task(&task.id).is_some() {
            return Err(Rejection::InvalidPlan { reason: format!("{} already exists", task.id) });
        }
        let phase = task.phase;
        let state = self.run.phases.get(&phase).ok_or(Rejection::UnknownPhase { phase })?;
        if state.gate != GateState::Closed {
            return Err(Rejection::WrongRunState {
                object: format!("phase {phase}"),
                state: "already at its gate",
                hint: "add the task to a later phase",
            });
        }
        // The gate of its phase will depend on it: its dependencies must not depend on that gate.
        let gate = state.node;
        for id in &task.depends_on {
            let task_ref = self.find_task(id)?;
            let earlier = self.run.task(task_ref).node;
            if let Err(CycleError { path }) = self.run.schedule.graph().clone().connect(earlier, gate) {
                let path = path.iter().map(|node| self.run.node_name(*node)).collect();
                return Err(Rejection::DependencyCycle { path });
            }
            if self.run.task(task_ref).planned.phase > phase {
                let path = vec![task.id.to_string(), id.to_string(), format!("phase {phase}")];
                return Err(Rejection::DependencyCycle { path });
            }
        }
        for name in &task.external {
            if !self.run.externals.contains_key(name) {
                let reason = format!("external dependency '{name}' is not in the plan; name a task instead");
                return Err(Rejection::InvalidPlan { reason });
            }
        }
        let known = self.run.team.agent_names();
        if let Some(name) = task.agent.iter().chain(&task.tester).find(|name| !known.contains(name)) {
            return Err(Rejection::UnknownAgent { name: name.clone(), known });
        }
        self.reopen_run();
        self.emit(events::TaskAdded { task, in_file: false });
        Ok(())
    }

    pub(super) fn add_dependency(&mut self, earlier: TaskId, later: TaskId) -> Result<(), Rejection> {
        self.run.check_accepts_commands()?;
        let (from, to) = (self.find_task(&earlier)?, self.find_task(&later)?);
        self.check_not_started(&later)?;
        let (from, to) = (self.run.task(from).node, self.run.task(to).node);
        // Checked on a copy: a rejected command changes nothing.
        if let Err(CycleError { path }) = self.run.schedule.graph().clone().connect(from, to) {
            let path = path.iter().map(|node| self.run.node_name(*node)).collect();
            return Err(Rejection::DependencyCycle { path });
        }
        self.emit(events::DependencyAdded { earlier, later });
        Ok(())
    }

    pub(super) fn remove_dependency(&mut self, earlier: TaskId, later: TaskId) -> Result<(), Rejection> {
        self.run.check_accepts_commands()?;
        let (from, to) = (self.find_task(&earlier)?, self.find_task(&later)?);
        let (from, to) = (self.run.task(from).node, self.run.task(to).node);
        if !self.run.schedule.graph().dependencies(to).contains(&from) {
            let object = format!("dependency of {later} on {earlier}");
            return Err(Rejection::UnknownObject { object });
        }
        self.check_not_started(&later)?;
        self.reopen_run();
        self.emit(events::DependencyRemoved { earlier, later });
        Ok(())
    }

    fn check_not_started(&self, id: &TaskId) -> Result<(), Rejection> {
        let stage = self.run.task(self.find_task(id)?).stage;
        if matches!(stage, TaskStage::Waiting | TaskStage::Ready) {
            return Ok(());
        }
        let hint = "dependencies can be changed only before the task starts";
        Err(Rejection::WrongTaskState { task: id.clone(), state: stage.label(), hint })
    }

    pub(super) fn mark_external_met(&mut self, name: String) -> Result<(), Rejection> {
        self.run.check_accepts_commands()?;
        match self.run.externals.get(&name) {
            None => Err(Rejection::UnknownObject { object: format!("external dependency '{name}'") }),
            Some(node) if self.run.schedule.is_met(*node) => Err(Rejection::WrongRunState {
                object: format!("'{name}'"),
                state: "already met",
                hint: "choose an external dependency that is not met",
            }),
            Some(_) => {
                self.reopen_run();
                self.emit(events::ExternalDependencyMet { name });
                Ok(())
            }
        }
    }
}

impl Run {
    pub(super) fn node_name(&self, node: Node) -> String {
        match self.node_kind(node) {
            NodeKind::Task(task) => self.task(task).planned.id.to_string(),
            NodeKind::Gate(phase) => format!("phase {phase}"),
            NodeKind::External => "external dependency".to_owned(),
        }
    }
}
