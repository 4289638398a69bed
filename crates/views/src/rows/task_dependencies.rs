//! Dependencies of tasks.
//!
//! A row lists only the first unmet ones: a task at the end of a plan may depend on all others, and its row changes
//! with each of them.

use domain::{PhaseNumber, PlannedTask, TaskId};
use serde::{Deserialize, Serialize};

use super::{TaskRow, TaskState};
use crate::{
    Views,
    facts::{DependencyState, TaskFacts},
    views::EventMoment,
};

/// Maximum number of listed dependencies.
const WAITS_SHOWN_MAX: usize = 20;

/// A dependency that is not met yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum UnmetDependency {
    Task {
        task: TaskId,
        /// Whether that task failed or was cancelled, so that a user must act.
        failed: bool,
    },
    Phase {
        phase: PhaseNumber,
    },
    /// Something outside the plan, until a user marks it as available.
    External {
        name: String,
    },
}

impl Views {
    /// Sets the dependencies of a task from the plan.
    pub(super) fn set_planned_dependencies(&mut self, task: &PlannedTask) {
        for earlier in &task.depends_on {
            self.link_dependency(earlier, &task.id);
        }
        let after = self.rows.phases.get(&task.phase).map(|row| row.waits_for.clone()).unwrap_or_default();
        for name in &task.external {
            self.facts.externals.entry(name.clone()).or_default().insert(task.id.clone());
        }
        let met = &self.facts.externals_met;
        let externals = task.external.iter().filter(|name| !met.contains(*name)).cloned();
        if let Some(facts) = self.facts.tasks.get_mut(&task.id) {
            facts.unmet_phases = after.into_iter().collect();
            facts.unmet_externals = externals.collect();
        }
        self.update_dependencies(&task.id);
    }

    pub(crate) fn apply_dependency_added(
        &mut self,
        moment: EventMoment<'_>,
        earlier: &TaskId,
        later: &TaskId,
    ) {
        self.link_dependency(earlier, later);
        self.rows.task_details.change(later, |row| {
            if !row.depends_on.contains(earlier) {
                row.depends_on.push(earlier.clone());
            }
        });
        self.return_to_waiting(moment, later);
        self.update_dependencies(later);
    }

    pub(crate) fn apply_dependency_removed(&mut self, earlier: &TaskId, later: &TaskId) {
        if let Some(facts) = self.facts.tasks.get_mut(earlier) {
            facts.dependents.remove(later);
        }
        if let Some(facts) = self.facts.tasks.get_mut(later) {
            facts.set_dependency_state(earlier, DependencyState::Met);
        }
        self.rows.task_details.change(later, |row| row.depends_on.retain(|other| other != earlier));
        self.update_dependencies(later);
    }

    pub(crate) fn apply_external_dependency_met(&mut self, name: &str) {
        self.facts.externals_met.insert(name.to_owned());
        for task in self.facts.externals.remove(name).unwrap_or_default() {
            if let Some(facts) = self.facts.tasks.get_mut(&task) {
                facts.unmet_externals.remove(name);
            }
            self.update_dependencies(&task);
        }
    }

    /// Replaces the external dependencies of a task.
    pub(super) fn set_external_dependencies(&mut self, moment: EventMoment<'_>, task: &PlannedTask) {
        for waiting in self.facts.externals.values_mut() {
            waiting.remove(&task.id);
        }
        for name in &task.external {
            self.facts.externals.entry(name.clone()).or_default().insert(task.id.clone());
        }
        let met = &self.facts.externals_met;
        let open = task.external.iter().filter(|name| !met.contains(*name)).cloned().collect();
        if let Some(facts) = self.facts.tasks.get_mut(&task.id) {
            facts.unmet_externals = open;
        }
        self.return_to_waiting(moment, &task.id);
        self.update_dependencies(&task.id);
    }

    /// Removes a passed phase from the dependencies of later phases.
    pub(super) fn release_later_phases(&mut self, phase: PhaseNumber) {
        let later = self.facts.phases.get(&phase).map(|facts| facts.later.clone()).unwrap_or_default();
        for number in later {
            self.rows.phases.change(&number, |row| row.waits_for.retain(|other| *other != phase));
            let tasks = self.facts.phases.get(&number).map(|facts| facts.tasks.clone()).unwrap_or_default();
            for task in tasks {
                if let Some(facts) = self.facts.tasks.get_mut(&task) {
                    facts.unmet_phases.remove(&phase);
                }
                self.update_dependencies(&task);
            }
        }
    }

    /// Tells the dependents of a task its new state.
    pub(super) fn notify_dependents(
        &mut self,
        moment: EventMoment<'_>,
        task: &TaskId,
        standing: DependencyState,
    ) {
        let dependents = self.facts.tasks.get(task).map(|facts| facts.dependents.clone());
        for other in dependents.unwrap_or_default() {
            if let Some(facts) = self.facts.tasks.get_mut(&other) {
                facts.set_dependency_state(task, standing);
            }
            self.return_to_waiting(moment, &other);
            self.update_dependencies(&other);
        }
    }

    /// Moves a ready task back to waiting if it has unmet dependencies again.
    pub(super) fn return_to_waiting(&mut self, moment: EventMoment<'_>, task: &TaskId) {
        let facts = self.facts.tasks.get(task);
        if facts.is_some_and(|facts| facts.base == TaskState::Ready && facts.n_unmet() > 0) {
            self.set_task_state(moment, task, TaskState::Waiting);
        }
    }

    /// Updates the unmet dependencies in the row; only a waiting task shows any.
    pub(super) fn update_dependencies(&mut self, task: &TaskId) {
        let Some(facts) = self.facts.tasks.get(task) else { return };
        let n_waits_for = if facts.base == TaskState::Waiting { facts.n_unmet() } else { 0 };
        let waits_for: Vec<_> = first_unmet_dependencies(facts).take(n_waits_for).collect();
        let n_waits_for = u32::try_from(n_waits_for).unwrap_or(u32::MAX);
        let differs = |row: &TaskRow| row.n_waits_for != n_waits_for || row.waits_for != waits_for;
        if self.rows.tasks.get(task).is_some_and(differs) {
            self.rows.tasks.change(task, |row| (row.waits_for, row.n_waits_for) = (waits_for, n_waits_for));
        }
    }

    fn link_dependency(&mut self, earlier: &TaskId, later: &TaskId) {
        let Some(facts) = self.facts.tasks.get_mut(earlier) else { return };
        facts.dependents.insert(later.clone());
        let standing = facts.base.dependency_state();
        if let Some(facts) = self.facts.tasks.get_mut(later) {
            facts.set_dependency_state(earlier, standing);
        }
    }
}

fn first_unmet_dependencies(facts: &TaskFacts) -> impl Iterator<Item = UnmetDependency> {
    // Failed tasks first: they need attention.
    let lost = facts.lost_tasks.iter().map(|task| (task, true));
    let tasks = lost.chain(facts.unmet_tasks.iter().map(|task| (task, false)));
    let tasks = tasks.map(|(task, failed)| UnmetDependency::Task { task: task.clone(), failed });
    let phases = facts.unmet_phases.iter().map(|phase| UnmetDependency::Phase { phase: *phase });
    let externals = facts.unmet_externals.iter().map(|name| UnmetDependency::External { name: name.clone() });
    externals.chain(phases).chain(tasks).take(WAITS_SHOWN_MAX)
}
