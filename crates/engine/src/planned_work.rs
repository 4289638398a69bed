//! Converts a parsed plan into the work of a run.

use domain::{AgentName, PlanStatus, PlannedPhase, PlannedTask, PlannedWork};
use plan::{Plan, Task};

/// Converts a plan. Optional tasks are skipped unless `with_optional` is set; an invalid agent name counts as
/// unassigned.
pub fn planned_work(plan: &Plan, with_optional: bool) -> PlannedWork {
    let phase = |phase: &plan::Phase| PlannedPhase {
        number: phase.number,
        name: phase.name.clone(),
        after: phase.after.clone(),
        verify: phase.verify.clone(),
        artefacts: phase.artefacts.clone(),
        budgets: phase.budgets.clone(),
    };
    PlannedWork {
        title: plan.title.clone(),
        phases: plan.phases.iter().map(phase).collect(),
        tasks: plan.tasks.iter().map(|task| planned_task(task, with_optional)).collect(),
    }
}

fn planned_task(task: &Task, with_optional: bool) -> PlannedTask {
    let name = |name: &Option<String>| name.as_ref().and_then(|name| name.parse::<AgentName>().ok());
    PlannedTask {
        text: task.text.clone(),
        acceptance: task.acceptance.clone(),
        depends_on: task.depends_on.clone(),
        external: task.external.clone(),
        agent: name(&task.agent),
        tester: name(&task.tester),
        touches: task.touches.clone(),
        verify: task.verify.clone(),
        timeout_ms: task.timeout_seconds.map(|seconds| seconds.saturating_mul(1000)),
        priority: task.priority,
        complexity: task.complexity,
        budget: task.budget,
        worktree: task.worktree.clone(),
        plan_status: if task.done {
            PlanStatus::Done
        } else if task.optional && !with_optional {
            PlanStatus::Skipped
        } else {
            PlanStatus::Open
        },
        ..PlannedTask::new(task.id.clone(), task.phase, task.title.clone())
    }
}
