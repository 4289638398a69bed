//! Compares a plan file with the run's plan, and determines which differences can still be applied.
//!
//! Changes nothing itself. Finished and running work stays: a change that comes too late is listed as such.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ChangedTask, LateTaskChange, PlanChanges, PlanField, PlanStatus, PlannedTask, PlannedWork, TaskId,
};

use crate::{
    run::Run,
    state::{GateState, Task, TaskIndex, TaskOrigin, TaskStage},
};

/// The steps that apply a plan change.
#[derive(Debug, Default)]
pub(crate) struct PlanAmendment {
    pub(crate) restored: Vec<(TaskIndex, ChangedTask)>,
    pub(crate) changed: Vec<(TaskIndex, ChangedTask)>,
    /// Tasks that were removed from the plan or marked as done in it.
    pub(crate) skipped: Vec<TaskIndex>,
    /// Pairs (earlier, later).
    pub(crate) edges_removed: Vec<(TaskId, TaskId)>,
    /// Pairs (earlier, later).
    pub(crate) edges_added: Vec<(TaskId, TaskId)>,
}

impl Run {
    /// Returns the differences between a plan file and the run's plan.
    pub(crate) fn plan_changes(&self, work: &PlannedWork) -> PlanChanges {
        let mut changes = PlanChanges::default();
        for phase in &work.phases {
            match self.phases.get(&phase.number) {
                None => changes.phases_added.push(phase.clone()),
                Some(current) if current.gate != GateState::Closed => {}
                Some(current) if current.name == phase.name && current.after == phase.after => {}
                Some(_) => changes.phases_changed.push(phase.clone()),
            }
        }
        for task in &work.tasks {
            match self.find_task(&task.id) {
                Some(task_ref) => compare_task(self.task(task_ref), task, &mut changes),
                None => changes.added.push(task.clone()),
            }
        }
        let ids_in_file: BTreeSet<&TaskId> = work.tasks.iter().map(|task| &task.id).collect();
        let is_removed =
            |task: &&Task| task.origin == TaskOrigin::PlanFile && !ids_in_file.contains(&task.planned.id);
        for task in self.tasks.iter().filter(is_removed) {
            let id = task.planned.id.clone();
            if is_skippable(task.stage) {
                changes.removed.push(id);
            } else if task.stage.is_in_progress() {
                changes.too_late.push(LateTaskChange { task: id, fields: Vec::new() });
            }
        }
        changes
    }

    /// Returns the parts of a change that can be applied in the current state.
    pub(crate) fn plan_amendment(&self, changes: &PlanChanges) -> PlanAmendment {
        let mut amendment = PlanAmendment::default();
        let skipped = changes.removed.iter().filter_map(|id| self.find_task(id));
        amendment.skipped = skipped.filter(|task| is_skippable(self.task(*task).stage)).collect();
        for restored in &changes.restored {
            let Some(task_ref) = self.find_task(&restored.task.id) else { continue };
            if matches!(self.task(task_ref).stage, TaskStage::Skipped | TaskStage::Done) {
                self.collect_edge_changes(task_ref, &restored.task, &mut amendment);
                amendment.restored.push((task_ref, restored.clone()));
            }
        }
        for changed in &changes.changed {
            let Some(task_ref) = self.find_task(&changed.task.id) else { continue };
            let stage = self.task(task_ref).stage;
            let fields: Vec<PlanField> =
                changed.fields.iter().copied().filter(|field| can_still_change(stage, *field)).collect();
            if fields.contains(&PlanField::DependsOn) {
                self.collect_edge_changes(task_ref, &changed.task, &mut amendment);
            }
            if !fields.is_empty() {
                amendment.changed.push((task_ref, ChangedTask { task: changed.task.clone(), fields }));
            }
        }
        amendment
    }

    /// Adds the removed and new dependencies of a task to the amendment.
    fn collect_edge_changes(&self, task_ref: TaskIndex, new: &PlannedTask, amendment: &mut PlanAmendment) {
        let later = self.task(task_ref);
        let waits_for = |id: &TaskId| {
            let earlier = self.find_task(id).map(|earlier| self.task(earlier).node);
            earlier.is_some_and(|earlier| self.schedule.graph().dependencies(later.node).contains(&earlier))
        };
        let pair = |id: &TaskId| (id.clone(), new.id.clone());
        let old = later.planned.depends_on.iter();
        let removed = old.filter(|id| !new.depends_on.contains(id) && waits_for(id));
        amendment.edges_removed.extend(removed.map(pair));
        amendment.edges_added.extend(new.depends_on.iter().filter(|id| !waits_for(id)).map(pair));
    }
}

/// Adds the differences of a current task to the changes.
fn compare_task(current: &Task, new: &PlannedTask, changes: &mut PlanChanges) {
    let mut fields = current.planned.differences(new);
    let is_finished = matches!(current.stage, TaskStage::Skipped | TaskStage::Done);
    let is_reopened = fields.contains(&PlanField::Status) && current.attempt() == 0;
    if new.plan_status == PlanStatus::Open
        && is_finished
        && (current.origin == TaskOrigin::RemovedFromPlan || is_reopened)
    {
        changes.restored.push(ChangedTask { task: new.clone(), fields });
        return;
    }
    if new.plan_status != PlanStatus::Open && fields.contains(&PlanField::Status) {
        if is_skippable(current.stage) {
            changes.removed.push(new.id.clone());
            return;
        }
        if is_finished {
            // The run has the same status.
            fields.retain(|field| *field != PlanField::Status);
        }
    }
    let (applicable, too_late): (Vec<_>, Vec<_>) =
        fields.into_iter().partition(|field| can_still_change(current.stage, *field));
    if !applicable.is_empty() {
        changes.changed.push(ChangedTask { task: new.clone(), fields: applicable });
    }
    if !too_late.is_empty() {
        changes.too_late.push(LateTaskChange { task: new.id.clone(), fields: too_late });
    }
}

/// Returns whether a task can be skipped without losing work in progress.
fn is_skippable(stage: TaskStage) -> bool {
    matches!(stage, TaskStage::Waiting | TaskStage::Ready | TaskStage::Failed | TaskStage::Cancelled)
}

/// Returns whether a change of this field still has an effect on a task in this stage.
fn can_still_change(stage: TaskStage, field: PlanField) -> bool {
    use PlanField::{
        Acceptance, Agent, Budget, Complexity, DependsOn, External, Phase, Priority, Status, Tester, Text,
        Timeout, Title, Touches, Verify, Worktree,
    };
    let is_in_checks = matches!(
        stage,
        TaskStage::Claimed(_)
            | TaskStage::Accepted
            | TaskStage::Checking
            | TaskStage::Checked
            | TaskStage::Testing
            | TaskStage::Mergeable(_)
            | TaskStage::Merging(_)
            | TaskStage::Merged(_)
    );
    match (stage, field) {
        (TaskStage::Done | TaskStage::Skipped, _) => false,
        (TaskStage::Waiting | TaskStage::Ready, _) => true,
        (TaskStage::Failed | TaskStage::Cancelled, DependsOn | External | Phase | Status) => false,
        (TaskStage::Failed | TaskStage::Cancelled, _) => true,
        // The agent receives the changed text.
        (_, Title | Text | Acceptance) => true,
        (_, Verify | Tester) => !is_in_checks,
        (
            _,
            Agent | Budget | Complexity | DependsOn | External | Phase | Priority | Status | Timeout
            | Touches | Worktree,
        ) => false,
    }
}

/// Orders new tasks so that each comes after its dependencies.
pub(crate) fn in_dependency_order(added: &[PlannedTask]) -> Vec<&PlannedTask> {
    let indices: BTreeMap<&TaskId, usize> =
        added.iter().enumerate().map(|(index, task)| (&task.id, index)).collect();
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); added.len()];
    let mut n_before = vec![0_usize; added.len()];
    for (index, task) in added.iter().enumerate() {
        for earlier in task.depends_on.iter().filter_map(|id| indices.get(id)) {
            if let (Some(later), Some(n)) = (later.get_mut(*earlier), n_before.get_mut(index)) {
                later.push(index);
                *n += 1;
            }
        }
    }
    let mut free: BTreeSet<usize> =
        n_before.iter().enumerate().filter(|(_, n)| **n == 0).map(|(index, _)| index).collect();
    let mut ordered = Vec::new();
    while let Some(index) = free.pop_first() {
        ordered.extend(added.get(index));
        for next in later.get(index).into_iter().flatten() {
            if let Some(n) = n_before.get_mut(*next) {
                *n -= 1;
                if *n == 0 {
                    free.insert(*next);
                }
            }
        }
    }
    ordered
}
