//! The room that the worktrees of a data directory may take: measured, and made.
//!
//! What can be built again goes first: what git ignores in the worktrees of tasks that are over. Then the worktrees of
//! merged tasks, each kept in git before it goes. Never goes what is not merged, and nothing where somebody works.

mod books;

use std::{
    fmt, fs,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use books::{Books, Candidate};

/// What was measured is taken for true for so many times as long as it took.
const MEASURE_TIMES: u32 = 20;

/// Worktrees take more than they may, and nothing more can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom {
    used_bytes: u64,
    budget_bytes: u64,
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (used, budget) = (size(self.used_bytes), size(self.budget_bytes));
        write!(
            f,
            "worktrees take {used}, `worktree.disk_budget` is {budget}, and what is left is work that is not merged. \
             It goes on by itself when tasks are merged, or when you free some room: `jangdan clean RUN`"
        )
    }
}

/// The worktrees of a data directory.
#[derive(Default)]
pub(crate) struct Disk {
    pub(crate) books: Books,
    /// Whoever has this one measures, removes or makes; the others wait.
    measured: Mutex<Option<Measured>>,
}

struct Measured {
    at: Instant,
    took: Duration,
    bytes: u64,
}

impl Disk {
    /// Makes a worktree where there is room for one, and makes room where there is none. One after the other, so that no
    /// two take the same room.
    pub(crate) fn with_room<T>(
        &self,
        data: &Path,
        budget_bytes: Option<u64>,
        make: impl FnOnce() -> T,
    ) -> Result<T, NoRoom> {
        let Some(budget_bytes) = budget_bytes else { return Ok(make()) };
        let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        self.make_room(&mut measured, data, budget_bytes)?;
        Ok(make())
    }

    /// Tells whether there is room, or could be made.
    pub(crate) fn has_room(&self, data: &Path, budget_bytes: u64) -> bool {
        self.with_room(data, Some(budget_bytes), || ()).is_ok()
    }

    fn make_room(
        &self,
        measured: &mut Option<Measured>,
        data: &Path,
        budget_bytes: u64,
    ) -> Result<(), NoRoom> {
        let is_far = |known: &Measured| {
            known.at.elapsed() < known.took * MEASURE_TIMES && known.bytes < budget_bytes / 2
        };
        if measured.as_ref().is_some_and(is_far) {
            return Ok(());
        }
        let mut used = measure(measured, data);
        if used < budget_bytes {
            return Ok(());
        }
        let candidates = self.books.candidates(data);
        let free = |candidate: &&Candidate| self.books.is_free(&candidate.run, &candidate.task);
        for Candidate { run, task, git, .. } in candidates.iter().filter(free) {
            let freed = git.drop_ignored(task).unwrap_or(0);
            if freed > 0 {
                // Whoever works there again needs its set-up again.
                let _ = fs::remove_file(data.join("runs").join(run.as_str()).join(format!("ready-{task}")));
            }
            used = used.saturating_sub(freed);
            if used < budget_bytes {
                break;
            }
        }
        for candidate in candidates.iter().filter(|candidate| candidate.is_done).filter(free) {
            if used < budget_bytes {
                break;
            }
            // What can't be kept stays where it is.
            let freed = candidate.git.remove_merged(&candidate.task).ok().flatten();
            used = used.saturating_sub(freed.unwrap_or(0));
        }
        let used_bytes = measure(measured, data);
        if used_bytes < budget_bytes { Ok(()) } else { Err(NoRoom { used_bytes, budget_bytes }) }
    }
}

fn measure(measured: &mut Option<Measured>, data: &Path) -> u64 {
    let at = Instant::now();
    let bytes = repo::bytes_below(&data.join("worktrees"));
    *measured = Some(Measured { at, took: at.elapsed(), bytes });
    bytes
}

/// Writes an amount of bytes as people do.
fn size(bytes: u64) -> String {
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
    use super::size;

    #[test]
    fn sizes_are_written_as_people_do() {
        assert_eq!(
            [0, 1023, 1024, 1536, 20 << 30].map(size),
            ["0 bytes", "1023 bytes", "1.0 KiB", "1.5 KiB", "20.0 GiB"]
        );
    }
}
