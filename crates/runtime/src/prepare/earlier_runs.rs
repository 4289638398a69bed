//! Earlier runs of a project: which are active, and which tasks of the same plan they did.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use domain::{PlanStatus, PlannedWork, RunId, TaskId};
use views::{RunRow, RunState, TaskRow, TaskState, UsageTotals};

use super::{PrepareError, StartRemark};
use crate::{RunEnvironment, project_root};

/// How many runs of a plan are searched for completed tasks, the newest first.
const SEARCHED_RUNS_MAX: usize = 20;

/// What a run does with tasks that an earlier run of the same plan did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepeatPolicy {
    /// Refuses to start if no other task is open, else does them again.
    #[default]
    RefuseAll,
    /// Leaves them out.
    LeaveOut,
    /// Does them again.
    Again,
}

/// An earlier run of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierRun {
    pub id: RunId,
    pub title: String,
    pub is_active: bool,
    /// Titles of the tasks that it did. Empty if it had another plan file.
    pub done: BTreeMap<TaskId, String>,
    /// What it used, if it did the same plan file to its end.
    pub used: Option<UsageTotals>,
}

/// Selects the runs of a project, the newest first. `tasks_of` returns the tasks of a run, `None` if they are unreadable.
pub fn earlier_runs_of_project(
    runs: &[RunRow],
    data: &Path,
    project: &Path,
    plan: Option<&Path>,
    tasks_of: impl Fn(&RunId) -> Option<Vec<TaskRow>>,
) -> Vec<EarlierRun> {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (project, plan) = (canonical(project_root(project)), plan.map(canonical));
    let mut n_searched = 0;
    let mut earlier = Vec::new();
    for row in runs.iter().rev() {
        let Ok(environment) = RunEnvironment::read(&data.join("runs").join(row.id.as_str())) else {
            continue;
        };
        if canonical(project_root(&environment.project)) != project {
            continue;
        }
        let is_same_plan = plan.is_some() && environment.plan.as_deref().map(canonical) == plan;
        let is_searched = is_same_plan && n_searched < SEARCHED_RUNS_MAX;
        n_searched += usize::from(is_searched);
        let tasks = if is_searched { tasks_of(&row.id).unwrap_or_default() } else { Vec::new() };
        let done = tasks.into_iter().filter(|task| task.state == TaskState::Done);
        earlier.push(EarlierRun {
            id: row.id.clone(),
            title: if row.title.trim().is_empty() { row.project.clone() } else { row.title.clone() },
            is_active: match row.status {
                RunState::Running | RunState::Paused => true,
                RunState::Done | RunState::Failed | RunState::Cancelled => false,
            },
            done: done.map(|task| (task.id, task.title)).collect(),
            used: Some(row.used)
                .filter(|used| is_same_plan && row.status == RunState::Done && used.tokens > 0),
        });
    }
    earlier
}

/// Returns remarks about other active runs.
pub(super) fn active_run_remarks(earlier: &[EarlierRun]) -> Vec<StartRemark> {
    let active = earlier.iter().filter(|run| run.is_active);
    active.map(|run| StartRemark::OtherRunActive { run: run.id.clone(), title: run.title.clone() }).collect()
}

/// Applies the policy to the open tasks that earlier runs did. Returns the tasks to leave out.
pub(super) fn apply_repeat_policy(
    work: &PlannedWork,
    earlier: &[EarlierRun],
    policy: RepeatPolicy,
    remarks: &mut Vec<StartRemark>,
) -> Result<BTreeSet<TaskId>, PrepareError> {
    let is_open = |task: &&domain::PlannedTask| task.plan_status == PlanStatus::Open;
    let open: Vec<_> = work.tasks.iter().filter(is_open).collect();
    // Of several runs, the newest names the work. A task with another title is another task.
    let done_by = |task: &domain::PlannedTask| {
        earlier.iter().find(|run| run.done.get(&task.id) == Some(&task.title)).map(|run| &run.id)
    };
    let repeated: Vec<_> = open.iter().filter_map(|task| Some((&task.id, done_by(task)?))).collect();
    let Some((_, run)) = repeated.first().filter(|_| policy != RepeatPolicy::Again) else {
        return Ok(BTreeSet::new());
    };
    let (n_tasks, run) = (repeated.len(), (*run).clone());
    match (policy, repeated.len() == open.len()) {
        (RepeatPolicy::RefuseAll, true) => Err(PrepareError::AlreadyDone { run, n_tasks }),
        (RepeatPolicy::LeaveOut, true) => Err(PrepareError::NothingOpen { run }),
        (RepeatPolicy::RefuseAll, false) => {
            remarks.push(StartRemark::TasksRepeated { n_tasks, run });
            Ok(BTreeSet::new())
        }
        (RepeatPolicy::LeaveOut, false) => {
            remarks.push(StartRemark::TasksLeftOut { n_tasks, run });
            Ok(repeated.into_iter().map(|(task, _)| task.clone()).collect())
        }
        (RepeatPolicy::Again, _) => Ok(BTreeSet::new()),
    }
}

#[cfg(test)]
mod tests {
    use domain::{PlannedTask, PlannedWork};

    use super::*;

    fn plan(tasks: &[&str]) -> PlannedWork {
        let task = |text: &&str| {
            let (id, title) = text.split_once(' ').unwrap();
            let mut task = PlannedTask::new(id.parse().unwrap(), 1, title.trim_end_matches(" ✓").to_owned());
            if title.ends_with('✓') {
                task.plan_status = PlanStatus::Done;
            }
            task
        };
        PlannedWork { title: String::new(), phases: Vec::new(), tasks: tasks.iter().map(task).collect() }
    }

    /// Makes a run that did these tasks.
    fn run(id: &str, tasks: &[&str]) -> EarlierRun {
        let tasks = plan(tasks).tasks.into_iter().map(|task| (task.id, task.title));
        EarlierRun {
            id: id.parse().unwrap(),
            title: String::new(),
            is_active: false,
            done: tasks.collect(),
            used: None,
        }
    }

    /// Returns the tasks that are left out and the remarks, or the refusal.
    fn outcome(tasks: &[&str], earlier: &[EarlierRun], policy: RepeatPolicy) -> String {
        let mut remarks = Vec::new();
        match apply_repeat_policy(&plan(tasks), earlier, policy, &mut remarks) {
            Ok(left_out) => {
                let names: Vec<String> = left_out.iter().map(ToString::to_string).collect();
                let remarks: Vec<String> =
                    remarks.iter().map(|remark| remark.text(domain::Locale::En)).collect();
                format!("{} | {}", names.join(" "), remarks.join(" "))
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn tasks_that_an_earlier_run_did_are_refused_left_out_or_repeated() {
        use RepeatPolicy::{Again, LeaveOut, RefuseAll};
        let both = [run("r22222", &["T2 b"]), run("r11111", &["T1 a", "T2 b"])];
        let cases: [(&[&str], &[EarlierRun], RepeatPolicy, &str); 9] = [
            (&["T1 a"], &[], RefuseAll, " | "),
            (&["T1 a", "T2 b"], &both, RefuseAll, "run r11111 already did all 2 open tasks of the plan"),
            (&["T1 a", "T2 b"], &both, LeaveOut, "no task of the plan is open: run r11111 did them"),
            (&["T1 a", "T2 b"], &both, Again, " | "),
            (&["T1 a", "T3 c ✓"], &both, RefuseAll, "run r11111 already did the only open task of the plan"),
            (&["T1 other"], &both, RefuseAll, " | "),
            (&["T3 c ✓"], &both, RefuseAll, " | "),
            (
                &["T2 b", "T3 c"],
                &both,
                RefuseAll,
                " | Tasks that run r22222 already did and that are done again: 1. To run only the others: --open",
            ),
            (
                &["T2 b", "T3 c"],
                &both,
                LeaveOut,
                "T2 | Tasks that run r22222 already did and that are left out: 1. If its work is not in your \
                 branch yet: jangdan land r22222",
            ),
        ];
        for (tasks, earlier, policy, expected) in cases {
            assert_eq!(outcome(tasks, earlier, policy), expected, "{tasks:?} {policy:?}");
        }
    }
}
