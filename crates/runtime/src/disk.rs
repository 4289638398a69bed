//! The room that the worktrees of a data directory may take: measured, and made.
//!
//! What can be made again goes first: where merged trees are checked, where sessions sat that are over, what git ignores in
//! the worktrees of tasks that are over. Then the worktrees of merged tasks. Whatever somebody wrote is kept in git before
//! it goes. Never goes the work of a task that is not merged, and nothing where somebody works.

mod books;

use std::{
    fmt, fs,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use books::{Books, Candidates};
use domain::RunId;

use crate::world::is_room_taken;

/// What was measured is taken for true for so many times as long as it took.
const MEASURE_TIMES: u32 = 20;

/// Worktrees take more than they may, and nothing more can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom {
    budget_bytes: u64,
    left: Left,
}

/// What is left when all has gone that may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Left {
    /// Where somebody works, or will.
    in_use_bytes: u64,
    /// Of tasks and sessions that are over.
    unmerged_bytes: u64,
    /// Of nobody who is known here.
    unknown_bytes: u64,
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Left { in_use_bytes, unmerged_bytes, unknown_bytes } = self.left;
        let (used, budget) = (size(in_use_bytes + unmerged_bytes + unknown_bytes), size(self.budget_bytes));
        let parts = [
            (in_use_bytes, "where somebody works or will go on"),
            (unmerged_bytes, "of work that is not merged"),
            (unknown_bytes, "of runs that this machine can't open"),
        ];
        let left: Vec<String> = parts
            .iter()
            .filter(|(bytes, _)| *bytes > 0)
            .map(|(bytes, whose)| format!("{} {whose}", size(*bytes)))
            .collect();
        write!(
            f,
            "worktrees take {used}, `worktree.disk_budget` is {budget}, and what is left can't go by itself: {}. \
             It goes on by itself when tasks are merged, or when you free some room: `jangdan clean RUN`",
            left.join(", ")
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
        for freed in self.giving_up(data, &candidates) {
            used = used.saturating_sub(freed);
            if used < budget_bytes {
                break;
            }
        }
        if measure(measured, data) < budget_bytes {
            return Ok(());
        }
        Err(NoRoom { budget_bytes, left: left(data, &candidates) })
    }

    /// Gives things up, one with each step: the bytes that it gives back. What can be made again goes first.
    fn giving_up<'a>(
        &'a self,
        data: &'a Path,
        candidates: &'a [Candidates],
    ) -> impl Iterator<Item = u64> + 'a {
        let folder = |run: &RunId| data.join("runs").join(run.as_str());
        let is_unused = move |run: &&Candidates| run.is_shut || !is_room_taken(&folder(&run.run));
        let rooms = candidates.iter().filter(is_unused).map(|run| run.git.remove_scratch());
        let desks =
            candidates.iter().flat_map(|run| run.desks.iter().map(|session| run.git.remove_desk(*session)));
        let tasks = || {
            let all = candidates.iter().flat_map(|run| run.tasks.iter().map(move |task| (run, task)));
            all.filter(|(run, (task, _))| self.books.is_free(&run.run, task))
        };
        let ignored = tasks().map(move |(run, (task, _))| {
            let freed = run.git.drop_ignored(task)?;
            if freed > 0 {
                // Whoever works there again needs its set-up again.
                let _ = fs::remove_file(folder(&run.run).join(format!("ready-{task}")));
            }
            Ok(freed)
        });
        let merged = tasks()
            .filter(|(_, (_, is_done))| *is_done)
            .map(|(run, (task, _))| Ok(run.git.remove_merged(task)?.unwrap_or(0)));
        // What can't be kept stays where it is.
        rooms.chain(desks).chain(ignored).chain(merged).map(|freed| freed.unwrap_or(0))
    }
}

fn measure(measured: &mut Option<Measured>, data: &Path) -> u64 {
    let at = Instant::now();
    let bytes = repo::disk_usage(&data.join("worktrees"));
    *measured = Some(Measured { at, took: at.elapsed(), bytes });
    bytes
}

/// Finds out whose the worktrees are that are left.
fn left(data: &Path, candidates: &[Candidates]) -> Left {
    let mut left = Left::default();
    for entry in fs::read_dir(data.join("worktrees")).into_iter().flatten().flatten() {
        let bytes = repo::disk_usage(&entry.path());
        let name = entry.file_name().to_string_lossy().into_owned();
        let (run, place) = name.split_once('-').unwrap_or_default();
        let run = candidates.iter().find(|candidates| candidates.run.as_str() == run);
        *match run {
            None => &mut left.unknown_bytes,
            Some(run) if run.is_shut || run.is_over(place) => &mut left.unmerged_bytes,
            Some(_) => &mut left.in_use_bytes,
        } += bytes;
    }
    left
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
