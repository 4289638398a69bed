//! The disk space that the worktrees of a data directory may use.
//!
//! When the budget is reached, worktrees are removed in the order that the engine gives (`engine::eviction_order`), until
//! enough space is free.

mod worktree_registry;

use std::{
    error::Error,
    fmt, fs, io,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use domain::{RunId, TaskId};
use engine::{UnusedWorktrees, WorktreeEviction};
use repo::RepoError;
use tracing::{debug, warn};
use worktree_registry::{RemovalCandidates, WorktreeRegistry};

use crate::executor::is_check_worktree_in_use;

/// A measurement stays valid for this many times its own duration.
const VALIDITY_FACTOR: u32 = 20;

/// The worktrees use more space than the budget allows, and no further one can be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DiskBudgetExceeded {
    budget_bytes: u64,
    usage: UnremovableUsage,
}

/// Space used by the worktrees that cannot be removed automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct UnremovableUsage {
    /// Of tasks and sessions that have not ended.
    in_use_bytes: u64,
    /// Of ended tasks and sessions whose work is not merged.
    unmerged_bytes: u64,
    /// Of runs that this machine cannot open.
    unknown_bytes: u64,
}

impl fmt::Display for DiskBudgetExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnremovableUsage { in_use_bytes, unmerged_bytes, unknown_bytes } = self.usage;
        let (used, budget) =
            (format_size(in_use_bytes + unmerged_bytes + unknown_bytes), format_size(self.budget_bytes));
        let parts = [
            (in_use_bytes, "in use"),
            (unmerged_bytes, "of work that is not merged"),
            (unknown_bytes, "of runs that this machine cannot open"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(bytes, _)| *bytes > 0)
            .map(|(bytes, owner)| format!("{} {owner}", format_size(*bytes)))
            .collect();
        write!(
            f,
            "worktrees use {used}, `worktree.disk_budget` is {budget}, and none can be removed automatically: {}. \
             The task continues when others are merged, or when you free space: `jangdan clean RUN`",
            parts.join(", ")
        )
    }
}

/// Measures the worktrees of a data directory and removes them when space is needed.
#[derive(Default)]
pub(crate) struct DiskBudget {
    pub(crate) registry: WorktreeRegistry,
    /// Last measurement. Locked while worktrees are measured, removed or created.
    measurement: Mutex<Option<UsageMeasurement>>,
}

struct UsageMeasurement {
    at: Instant,
    took: Duration,
    bytes: u64,
}

impl DiskBudget {
    /// Calls `create` if the worktrees are within the budget, after removing some if necessary. One caller at a time, so
    /// that no two use the same free space.
    pub(crate) fn create_within<T>(
        &self,
        data: &Path,
        budget_bytes: Option<u64>,
        create: impl FnOnce() -> T,
    ) -> Result<T, DiskBudgetExceeded> {
        let Some(budget_bytes) = budget_bytes else { return Ok(create()) };
        let mut measurement = self.measurement.lock().unwrap_or_else(PoisonError::into_inner);
        self.free_up_space(&mut measurement, data, budget_bytes)?;
        Ok(create())
    }

    /// Tells whether a worktree can be created, after removing others if necessary.
    pub(crate) fn ensure_space(&self, data: &Path, budget_bytes: u64) -> bool {
        self.create_within(data, Some(budget_bytes), || ()).is_ok()
    }

    fn free_up_space(
        &self,
        measurement: &mut Option<UsageMeasurement>,
        data: &Path,
        budget_bytes: u64,
    ) -> Result<(), DiskBudgetExceeded> {
        let is_far_below = |last: &UsageMeasurement| {
            last.at.elapsed() < last.took * VALIDITY_FACTOR && last.bytes < budget_bytes / 2
        };
        if measurement.as_ref().is_some_and(is_far_below) {
            return Ok(());
        }
        let mut used = measure(measurement, data);
        if used < budget_bytes {
            return Ok(());
        }
        let candidates = self.registry.removal_candidates(data);
        for freed in self.evict_worktrees(data, &candidates) {
            used = used.saturating_sub(freed);
            if used < budget_bytes {
                break;
            }
        }
        if measure(measurement, data) < budget_bytes {
            return Ok(());
        }
        // Repeated while tasks wait for space; the event of the run is logged once.
        debug!(worktrees = %data.join("worktrees").display(), budget_bytes, "no space for a worktree");
        Err(DiskBudgetExceeded { budget_bytes, usage: unremovable_usage(data, &candidates) })
    }

    /// Returns an iterator that executes one step of the eviction with each item, and returns the bytes freed.
    fn evict_worktrees<'a>(
        &'a self,
        data: &'a Path,
        candidates: &'a [RemovalCandidates],
    ) -> impl Iterator<Item = u64> + 'a {
        let folder = |run: &RunId| data.join("runs").join(run.as_str());
        let unused = candidates.iter().map(|candidate| UnusedWorktrees {
            run: candidate.run.clone(),
            is_check_worktree_unused: candidate.has_ended
                || !is_check_worktree_in_use(&folder(&candidate.run)),
            sessions: candidate.sessions.clone(),
            tasks: candidate.tasks.clone(),
        });
        let order = engine::eviction_order(&unused.collect::<Vec<_>>());
        order.into_iter().map(move |step| {
            // A worktree whose content cannot be saved is not removed.
            self.evict_worktree(data, candidates, &step).unwrap_or_else(|error| {
                warn!(error = &error as &dyn Error, "cannot free disk space");
                0
            })
        })
    }

    /// Executes a step of the eviction, and returns the bytes freed.
    fn evict_worktree(
        &self,
        data: &Path,
        candidates: &[RemovalCandidates],
        step: &WorktreeEviction,
    ) -> Result<u64, RepoError> {
        let git = |run: &RunId| {
            candidates.iter().find(|candidate| candidate.run == *run).map(|candidate| &candidate.git)
        };
        // A session may have started to use a worktree in the meantime.
        match step {
            WorktreeEviction::CheckWorktree { run } => {
                git(run).map_or(Ok(0), |git| git.remove_check_worktree())
            }
            WorktreeEviction::SessionWorktree { run, session } => {
                git(run).map_or(Ok(0), |git| git.remove_session_worktree(*session))
            }
            WorktreeEviction::IgnoredFolders { run, task }
            | WorktreeEviction::MergedWorktree { run, task }
                if self.registry.is_leased(run, task) =>
            {
                Ok(0)
            }
            WorktreeEviction::IgnoredFolders { run, task } => {
                let freed = git(run).map_or(Ok(0), |git| git.remove_ignored_folders(task))?;
                if freed > 0 {
                    require_set_up(data, run, task);
                }
                Ok(freed)
            }
            WorktreeEviction::MergedWorktree { run, task } => {
                let freed = git(run).map_or(Ok(None), |git| git.remove_worktree_if_merged(task))?;
                Ok(freed.unwrap_or(0))
            }
        }
    }
}

/// Lets the set-up run again before the worktree of a task is used again.
fn require_set_up(data: &Path, run: &RunId, task: &TaskId) {
    let marker = data.join("runs").join(run.as_str()).join(format!("ready-{}", task.to_file_name()));
    if let Err(error) = fs::remove_file(&marker)
        && error.kind() != io::ErrorKind::NotFound
    {
        warn!(%run, %task, path = %marker.display(), error = &error as &dyn Error, "the set-up will not run again");
    }
}

fn measure(measurement: &mut Option<UsageMeasurement>, data: &Path) -> u64 {
    let at = Instant::now();
    let bytes = repo::disk_usage(&data.join("worktrees"));
    *measurement = Some(UsageMeasurement { at, took: at.elapsed(), bytes });
    bytes
}

/// Attributes the space of the existing worktrees.
fn unremovable_usage(data: &Path, candidates: &[RemovalCandidates]) -> UnremovableUsage {
    let mut usage = UnremovableUsage::default();
    for entry in fs::read_dir(data.join("worktrees")).into_iter().flatten().flatten() {
        let bytes = repo::disk_usage(&entry.path());
        let folder = entry.file_name().to_string_lossy().into_owned();
        let (run, worktree) = folder.split_once('-').unwrap_or_default();
        let run = candidates.iter().find(|candidates| candidates.run.as_str() == run);
        *match run {
            None => &mut usage.unknown_bytes,
            Some(run) if run.has_ended || run.contains(worktree) => &mut usage.unmerged_bytes,
            Some(_) => &mut usage.in_use_bytes,
        } += bytes;
    }
    usage
}

/// Formats a number of bytes for people.
fn format_size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let (mut whole, mut tenths, mut unit) = (bytes, 0, "bytes");
    for next in UNITS {
        if whole < 1024 {
            break;
        }
        (whole, tenths, unit) = (whole / 1024, whole % 1024 * 10 / 1024, next);
    }
    if unit == "bytes" { format!("{whole} {unit}") } else { format!("{whole}.{tenths} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::format_size;

    #[test]
    fn sizes_have_binary_units_and_one_decimal() {
        assert_eq!(
            [0, 1023, 1024, 1536, 20 << 30].map(format_size),
            ["0 bytes", "1023 bytes", "1.0 KiB", "1.5 KiB", "20.0 GiB"]
        );
    }
}
