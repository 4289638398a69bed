//! Descriptions of tasks for agents, as data. The executor renders them.

use crate::{
    effect::{CompletedDependency, TaskBrief},
    run::{NodeKind, Run},
    state::{TaskIndex, TaskStage},
};

impl Run {
    /// Describes a task for its agent; `conversation` is repeated to an agent that does not remember it.
    pub(crate) fn task_brief(&self, task: TaskIndex, conversation: Option<&str>) -> TaskBrief {
        let state = self.task(task);
        let planned = &state.planned;
        let dependencies = self.schedule.graph().dependencies(state.node).iter();
        let completed = dependencies.filter_map(|node| match self.node_kind(*node) {
            NodeKind::Task(dependency) => self.completed_dependency(dependency),
            NodeKind::Gate(_) | NodeKind::External => None,
        });
        TaskBrief {
            task: planned.id.clone(),
            phase: planned.phase,
            title: planned.title.clone(),
            text: planned.text.clone(),
            criteria: planned.acceptance.clone(),
            touches: planned.touches.clone(),
            check: self.check_of_task(task).cloned(),
            dependencies: completed.collect(),
            conversation: conversation.map(str::to_owned),
        }
    }

    fn completed_dependency(&self, task: TaskIndex) -> Option<CompletedDependency> {
        let state = self.task(task);
        (state.stage == TaskStage::Done).then(|| CompletedDependency {
            task: state.planned.id.clone(),
            title: state.planned.title.clone(),
            reported: state.reported.clone(),
        })
    }
}
