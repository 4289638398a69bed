//! What somebody missed: entries of the log, folded anew.

use std::{collections::BTreeMap, sync::Arc};

use domain::{RunId, Sequence};
use store::{Entry, Log, Position, StoreError};
use views::Views;

use super::frames::Frames;

/// How many entries are read at once.
const PAGE_ENTRIES: usize = 500;

/// Goes through the log from a place on. Reads only the runs that it meets there, each from its first entry.
pub struct Missed {
    log: Arc<dyn Log>,
    at: Position,
    only: Option<RunId>,
    views: BTreeMap<RunId, Views>,
}

impl Missed {
    /// Begins behind a place, with one run or all.
    pub fn behind(log: Arc<dyn Log>, at: Position, only: Option<RunId>) -> Self {
        Self { log, at, only, views: BTreeMap::new() }
    }

    /// Returns the place that it has come to.
    pub fn at(&self) -> Position {
        self.at
    }

    /// Returns the next entries that concern the listener; nothing where the log ends.
    ///
    /// A page may have none of them, so that [`Missed::at`] says how far it went.
    pub fn next_page(&mut self) -> Result<Option<Vec<Frames>>, StoreError> {
        let entries = self.log.read_all(self.at, PAGE_ENTRIES)?;
        let Some(last) = entries.last() else { return Ok(None) };
        let end = last.position;
        let mut page = Vec::new();
        for entry in &entries {
            if self.only.as_ref().is_none_or(|run| *run == entry.run) {
                page.push(self.fold(entry)?);
            }
        }
        self.at = end;
        Ok(Some(page))
    }

    fn fold(&mut self, entry: &Entry) -> Result<Frames, StoreError> {
        let views = match self.views.entry(entry.run.clone()) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => {
                new.insert(before(&*self.log, &entry.run, entry.sequence)?)
            }
        };
        let changes = views.apply(&entry.recorded()?);
        Ok(Frames::of(&entry.run, entry.position, entry.sequence, &changes))
    }
}

/// Folds a run up to a place, without what stands there.
fn before(log: &dyn Log, run: &RunId, end: Sequence) -> Result<Views, StoreError> {
    let mut views = Views::new(run.clone());
    while views.sequence().0 + 1 < end.0 {
        let left = usize::try_from(end.0 - views.sequence().0 - 1).unwrap_or(PAGE_ENTRIES);
        let entries = log.read(run, views.sequence(), left.min(PAGE_ENTRIES))?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            drop(views.apply(&entry.recorded()?));
        }
    }
    Ok(views)
}

/// Returns the place of the last entry. There are no gaps, so it is found by asking whether a place is taken.
pub fn end_of(log: &dyn Log) -> Result<Position, StoreError> {
    let is_taken = |place: u64| is_taken(log, Position(place));
    let mut free = 1_u64;
    while is_taken(free)? {
        free = free.saturating_mul(2);
    }
    let mut taken = free / 2;
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        if is_taken(middle)? {
            taken = middle;
        } else {
            free = middle;
        }
    }
    Ok(Position(taken))
}

/// Tells whether the log has come to a place; every log has come to 0.
pub fn is_taken(log: &dyn Log, place: Position) -> Result<bool, StoreError> {
    let Some(before) = place.0.checked_sub(1) else { return Ok(true) };
    Ok(!log.read_all(Position(before), 1)?.is_empty())
}
