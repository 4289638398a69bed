//! What a plan file says that the run's plan does not, and what of it can still be taken.
//!
//! Only compares; nothing changes here. What is done or being done stays: a change that comes too late is named as kept.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ChangedTask, LateTaskChange, PlanChanges, PlanField, PlanStatus, PlannedTask, PlannedWork, TaskId,
};

use crate::{
    run::Run,
    state::{GateState, Task, TaskRef, TaskStage},
};

/// What is to be done to take a change of the plan.
#[derive(Debug, Default)]
pub(crate) struct PlanAmendment {
    pub(crate) restored: Vec<(TaskRef, ChangedTask)>,
    pub(crate) changed: Vec<(TaskRef, ChangedTask)>,
    /// Tasks that the plan no longer has, or that are ticked.
    pub(crate) skipped: Vec<TaskRef>,
    /// Pairs (earlier, later) that no longer hold.
    pub(crate) edges_removed: Vec<(TaskId, TaskId)>,
    /// Pairs (earlier, later) that hold from now on.
    pub(crate) edges_added: Vec<(TaskId, TaskId)>,
}

impl Run {
    /// Returns what a plan file says that the run's plan does not.
    pub(crate) fn plan_changes(&self, work: &PlannedWork) -> PlanChanges {
        let mut changes = PlanChanges::default();
        for phase in &work.phases {
            match self.phases.get(&phase.number) {
                None => changes.phases_added.push(phase.clone()),
                Some(known) if known.gate != GateState::Closed => {}
                Some(known) if known.name == phase.name && known.after == phase.after => {}
                Some(_) => changes.phases_changed.push(phase.clone()),
            }
        }
        for task in &work.tasks {
            match self.find(&task.id) {
                Some(found) => compare(self.task(found), task, &mut changes),
                None => changes.added.push(task.clone()),
            }
        }
        let said: BTreeSet<&TaskId> = work.tasks.iter().map(|task| &task.id).collect();
        let is_gone =
            |task: &&Task| !said.contains(&task.planned.id) && !task.is_outside_plan_file && !task.is_removed;
        for task in self.tasks.iter().filter(is_gone) {
            let id = task.planned.id.clone();
            match task.stage {
                stage if is_skippable(stage) => changes.removed.push(id),
                stage if stage.is_in_progress() => {
                    changes.too_late.push(LateTaskChange { task: id, fields: Vec::new() })
                }
                _ => {}
            }
        }
        changes
    }

    /// Returns what of a change can be taken as things stand now.
    pub(crate) fn amendment(&self, changes: &PlanChanges) -> PlanAmendment {
        let mut amendment = PlanAmendment::default();
        let skipped = changes.removed.iter().filter_map(|id| self.find(id));
        amendment.skipped = skipped.filter(|task| is_skippable(self.task(*task).stage)).collect();
        for restored in &changes.restored {
            let Some(found) = self.find(&restored.task.id) else { continue };
            if matches!(self.task(found).stage, TaskStage::Skipped | TaskStage::Done) {
                self.move_edges(found, &restored.task, &mut amendment);
                amendment.restored.push((found, restored.clone()));
            }
        }
        for changed in &changes.changed {
            let Some(found) = self.find(&changed.task.id) else { continue };
            let stage = self.task(found).stage;
            let fields: Vec<PlanField> =
                changed.fields.iter().copied().filter(|field| is_in_time(stage, *field)).collect();
            if fields.contains(&PlanField::DependsOn) {
                self.move_edges(found, &changed.task, &mut amendment);
            }
            if !fields.is_empty() {
                amendment.changed.push((found, ChangedTask { task: changed.task.clone(), fields }));
            }
        }
        amendment
    }

    /// Finds who is no longer waited for, and who is from now on.
    fn move_edges(&self, found: TaskRef, new: &PlannedTask, amendment: &mut PlanAmendment) {
        let later = self.task(found);
        let waits_for = |id: &TaskId| {
            let earlier = self.find(id).map(|earlier| self.task(earlier).node);
            earlier.is_some_and(|earlier| self.schedule.graph().dependencies(later.node).contains(&earlier))
        };
        let pair = |id: &TaskId| (id.clone(), new.id.clone());
        let old = later.planned.depends_on.iter();
        let gone = old.filter(|id| !new.depends_on.contains(id) && waits_for(id));
        amendment.edges_removed.extend(gone.map(pair));
        amendment.edges_added.extend(new.depends_on.iter().filter(|id| !waits_for(id)).map(pair));
    }
}

/// Notes what a plan file says otherwise about a task that the run has.
fn compare(known: &Task, said: &PlannedTask, changes: &mut PlanChanges) {
    let mut fields = known.planned.differences(said);
    let is_left_out = matches!(known.stage, TaskStage::Skipped | TaskStage::Done);
    let is_reopened = fields.contains(&PlanField::Status) && known.attempt == 0;
    if said.plan_status == PlanStatus::Open && is_left_out && (known.is_removed || is_reopened) {
        changes.restored.push(ChangedTask { task: said.clone(), fields });
        return;
    }
    if said.plan_status != PlanStatus::Open && fields.contains(&PlanField::Status) {
        if is_skippable(known.stage) {
            changes.removed.push(said.id.clone());
            return;
        }
        if is_left_out {
            // The run says so too.
            fields.retain(|field| *field != PlanField::Status);
        }
    }
    let (taken, kept): (Vec<_>, Vec<_>) =
        fields.into_iter().partition(|field| is_in_time(known.stage, *field));
    if !taken.is_empty() {
        changes.changed.push(ChangedTask { task: said.clone(), fields: taken });
    }
    if !kept.is_empty() {
        changes.too_late.push(LateTaskChange { task: said.id.clone(), fields: kept });
    }
}

/// Tells whether a task can be left out without losing work that is being done.
fn is_skippable(stage: TaskStage) -> bool {
    matches!(stage, TaskStage::Waiting | TaskStage::Ready | TaskStage::Failed | TaskStage::Cancelled)
}

/// Tells whether what a plan says about a task still matters to a task that has come so far.
fn is_in_time(stage: TaskStage, field: PlanField) -> bool {
    use PlanField::{
        Acceptance, Agent, Budget, Complexity, DependsOn, External, Phase, Priority, Status, Tester, Text,
        Timeout, Title, Touches, Verify, Worktree,
    };
    let is_judged_now = matches!(
        stage,
        TaskStage::Claimed
            | TaskStage::Checking
            | TaskStage::Checked
            | TaskStage::Testing
            | TaskStage::Mergeable
            | TaskStage::Merging
            | TaskStage::Merged
    );
    match (stage, field) {
        (TaskStage::Done | TaskStage::Skipped, _) => false,
        (TaskStage::Waiting | TaskStage::Ready, _) => true,
        (TaskStage::Failed | TaskStage::Cancelled, DependsOn | External | Phase | Status) => false,
        (TaskStage::Failed | TaskStage::Cancelled, _) => true,
        // Its agent is told.
        (_, Title | Text | Acceptance) => true,
        (_, Verify | Tester) => !is_judged_now,
        (
            _,
            Agent | Budget | Complexity | DependsOn | External | Phase | Priority | Status | Timeout
            | Touches | Worktree,
        ) => false,
    }
}

/// Puts new tasks in an order in which each comes after those of them that it waits for.
pub(crate) fn in_order(added: &[PlannedTask]) -> Vec<&PlannedTask> {
    let places: BTreeMap<&TaskId, usize> =
        added.iter().enumerate().map(|(place, task)| (&task.id, place)).collect();
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); added.len()];
    let mut n_before = vec![0_usize; added.len()];
    for (place, task) in added.iter().enumerate() {
        for earlier in task.depends_on.iter().filter_map(|id| places.get(id)) {
            if let (Some(later), Some(n)) = (later.get_mut(*earlier), n_before.get_mut(place)) {
                later.push(place);
                *n += 1;
            }
        }
    }
    let mut free: BTreeSet<usize> =
        n_before.iter().enumerate().filter(|(_, n)| **n == 0).map(|(place, _)| place).collect();
    let mut ordered = Vec::new();
    while let Some(place) = free.pop_first() {
        ordered.extend(added.get(place));
        for next in later.get(place).into_iter().flatten() {
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
