//! Detects files that two active worktrees both changed, before they become conflicts.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use domain::TaskId;

use crate::{
    RepoError, RunRepository, TaskWorktree, check_leftovers::CheckLeftovers,
    untracked_files::LeftOutFileFilter,
};

/// Files that two tasks both changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPairOverlap {
    /// The two tasks, in order.
    pub tasks: [TaskId; 2],
    /// Paths, sorted by name.
    pub files: Vec<PathBuf>,
}

impl TaskPairOverlap {
    /// Returns each pair of tasks that changed the same files, sorted.
    pub fn between_tasks(changed: &BTreeMap<TaskId, BTreeSet<PathBuf>>) -> Vec<Self> {
        let mut tasks_by_file: BTreeMap<&PathBuf, Vec<&TaskId>> = BTreeMap::new();
        for (task, files) in changed {
            for file in files {
                tasks_by_file.entry(file).or_default().push(task);
            }
        }
        let mut files_by_pair: BTreeMap<[&TaskId; 2], Vec<PathBuf>> = BTreeMap::new();
        for (file, tasks) in tasks_by_file {
            for (n, first) in tasks.iter().enumerate() {
                for second in tasks.iter().skip(n + 1) {
                    files_by_pair.entry([first, second]).or_default().push(file.clone());
                }
            }
        }
        let to_overlap = |(tasks, files): ([&TaskId; 2], _)| Self { tasks: tasks.map(TaskId::clone), files };
        files_by_pair.into_iter().map(to_overlap).collect()
    }
}

impl RunRepository {
    /// Returns all files that a task changed since it branched off, including uncommitted ones, without caches,
    /// files above the size limit and leftovers of its check.
    pub fn changed_files(&self, worktree: &TaskWorktree) -> Result<BTreeSet<PathBuf>, RepoError> {
        let git = &worktree.slot.git;
        let base = git
            .call(["merge-base", "HEAD", &format!("refs/heads/{}", self.run_branch())])
            .run()?
            .trimmed_text();
        let options = [
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=dirty",
        ];
        let tracked = git.call(options).args([&base, "--"]).run()?;
        let untracked = git.call(["ls-files", "-z", "--others", "--exclude-standard"]).run()?;
        let leftovers = CheckLeftovers::read(&worktree.slot)?;
        let left_out = LeftOutFileFilter::new(&worktree.path, Some(&worktree.slot.untracked_files));
        let untracked = untracked.paths().filter(|path| !left_out.contains(path));
        Ok(tracked.paths().chain(untracked).filter(|path| !leftovers.has_path(path)).collect())
    }
}
