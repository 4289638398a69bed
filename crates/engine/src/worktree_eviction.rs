//! The order in which worktrees are removed when their disk budget is used up: what costs least to create again first,
//! unmerged work and worktrees in use never.

use domain::{RunId, SessionId, TaskId};

/// Worktrees of a run that are not in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedWorktrees {
    pub run: RunId,
    /// Whether the worktree for checks of merged trees is unused too.
    pub is_check_worktree_unused: bool,
    /// Ended sessions without a task.
    pub sessions: Vec<SessionId>,
    /// Ended tasks, and whether each is done.
    pub tasks: Vec<(TaskId, bool)>,
}

/// A step that frees disk space. Changes are saved in git before a worktree is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorktreeEviction {
    CheckWorktree {
        run: RunId,
    },
    SessionWorktree {
        run: RunId,
        session: SessionId,
    },
    /// Folders ignored by git, in the worktree of an ended task.
    IgnoredFolders {
        run: RunId,
        task: TaskId,
    },
    /// The worktree of a done task, if git says that its work is merged.
    MergedWorktree {
        run: RunId,
        task: TaskId,
    },
}

/// Returns the steps in their order; the caller stops when enough space is free.
pub fn eviction_order(runs: &[UnusedWorktrees]) -> Vec<WorktreeEviction> {
    let checks = runs.iter().filter(|unused| unused.is_check_worktree_unused);
    let checks = checks.map(|unused| WorktreeEviction::CheckWorktree { run: unused.run.clone() });
    let sessions = runs.iter().flat_map(|unused| {
        let run = &unused.run;
        unused
            .sessions
            .iter()
            .map(|session| WorktreeEviction::SessionWorktree { run: run.clone(), session: *session })
    });
    let tasks = || runs.iter().flat_map(|unused| unused.tasks.iter().map(move |task| (&unused.run, task)));
    let ignored = tasks()
        .map(|(run, (task, _))| WorktreeEviction::IgnoredFolders { run: run.clone(), task: task.clone() });
    let merged = tasks()
        .filter(|(_, (_, is_done))| *is_done)
        .map(|(run, (task, _))| WorktreeEviction::MergedWorktree { run: run.clone(), task: task.clone() });
    checks.chain(sessions).chain(ignored).chain(merged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheapest_worktrees_of_all_runs_are_removed_first_and_unfinished_work_never() {
        let (r1, r2): (RunId, RunId) = ("r1".parse().unwrap(), "r2".parse().unwrap());
        let (done, failed): (TaskId, TaskId) = ("T1".parse().unwrap(), "T2".parse().unwrap());
        let runs = [
            UnusedWorktrees {
                run: r1.clone(),
                is_check_worktree_unused: false,
                sessions: vec![SessionId(4)],
                tasks: vec![(done.clone(), true), (failed.clone(), false)],
            },
            UnusedWorktrees {
                run: r2.clone(),
                is_check_worktree_unused: true,
                sessions: vec![SessionId(5)],
                tasks: vec![(done.clone(), true)],
            },
        ];
        let expected = [
            WorktreeEviction::CheckWorktree { run: r2.clone() },
            WorktreeEviction::SessionWorktree { run: r1.clone(), session: SessionId(4) },
            WorktreeEviction::SessionWorktree { run: r2.clone(), session: SessionId(5) },
            WorktreeEviction::IgnoredFolders { run: r1.clone(), task: done.clone() },
            WorktreeEviction::IgnoredFolders { run: r1.clone(), task: failed },
            WorktreeEviction::IgnoredFolders { run: r2.clone(), task: done.clone() },
            WorktreeEviction::MergedWorktree { run: r1, task: done.clone() },
            WorktreeEviction::MergedWorktree { run: r2, task: done },
        ];
        assert_eq!(eviction_order(&runs), expected);
    }
}
