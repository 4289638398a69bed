//! Replays entries of the log as frames, for streams that start before the buffered entries.

use std::{collections::BTreeMap, sync::Arc};

use domain::{RunId, Sequence};
use runtime::ReplayedRun;
use store::{Entry, Log, Position, StoreError};

use super::sse::EntryFrames;

const PAGE_ENTRIES: usize = 500;

/// Reads the log from a position on. A run is rebuilt from its first entry when it is met first.
pub(super) struct LogReplay {
    log: Arc<dyn Log>,
    at: Position,
    run: Option<RunId>,
    runs: BTreeMap<RunId, ReplayedRun>,
}

impl LogReplay {
    /// Starts after a position, with one run or all.
    pub(super) fn starting_after(log: Arc<dyn Log>, at: Position, run: Option<RunId>) -> Self {
        Self { log, at, run, runs: BTreeMap::new() }
    }

    /// Returns the position of the last entry read.
    pub(super) fn position(&self) -> Position {
        self.at
    }

    /// Returns the next entries of the selected run; `None` at the end of the log.
    ///
    /// A page without entries of the run is empty and still advances [`LogReplay::at`].
    pub(super) fn next_page(&mut self) -> Result<Option<Vec<EntryFrames>>, StoreError> {
        let entries = self.log.read_all(self.at, PAGE_ENTRIES)?;
        let Some(last) = entries.last() else { return Ok(None) };
        let end = last.position;
        let mut page = Vec::new();
        for entry in &entries {
            if self.run.as_ref().is_none_or(|run| *run == entry.run) {
                page.push(self.fold(entry)?);
            }
        }
        self.at = end;
        Ok(Some(page))
    }

    fn fold(&mut self, entry: &Entry) -> Result<EntryFrames, StoreError> {
        let replayed = match self.runs.entry(entry.run.clone()) {
            std::collections::btree_map::Entry::Occupied(occupied) => occupied.into_mut(),
            std::collections::btree_map::Entry::Vacant(vacant) => {
                vacant.insert(run_before(&*self.log, &entry.run, entry.sequence)?)
            }
        };
        let changes = replayed.apply(&entry.to_recorded_event()?);
        Ok(EntryFrames::from_changes(&entry.run, entry.position, entry.sequence, &changes))
    }
}

/// Rebuilds a run from the entries before `end`.
fn run_before(log: &dyn Log, run: &RunId, end: Sequence) -> Result<ReplayedRun, StoreError> {
    let mut replayed = ReplayedRun::new(run.clone());
    while replayed.views().sequence().0 + 1 < end.0 {
        let at = replayed.views().sequence();
        let remaining = usize::try_from(end.0 - at.0 - 1).unwrap_or(PAGE_ENTRIES);
        let entries = log.read(run, at, remaining.min(PAGE_ENTRIES))?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            drop(replayed.apply(&entry.to_recorded_event()?));
        }
    }
    Ok(replayed)
}
