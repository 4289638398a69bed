//! One run that is kept: its state, its rows, and the log behind both.
//!
//! Invariant: what this gives out (changes, orders) is recorded. Where recording fails, the state is made anew from the
//! log, as after a restart.

use std::sync::Arc;

use domain::{Actor, Command, EffectId, Recorded, RunId, Sequence, Timestamp};
use engine::{Effect, Rejection, Run, SNAPSHOT_VERSION};
use store::{Log, NewEntry, Row, RowChange, Snapshot, StoreError};
use views::{Change, Views};

/// How many events are read at once.
const PAGE_ENTRIES: usize = 1000;
/// How many events a start may have to replay: a snapshot is made when there are more.
const SNAPSHOT_EVERY: u64 = 500;
/// The last one, and one before it in case the last is damaged.
const SNAPSHOTS_KEPT: usize = 2;

/// Why a wish did not come true.
#[derive(Debug, thiserror::Error)]
pub enum WishError {
    /// The rules say no.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// It could not be recorded. Nothing of it has happened.
    #[error("record what happened in run {run}")]
    Store {
        /// The run.
        run: RunId,
        /// Why not.
        source: StoreError,
    },
}

/// What came of a wish. It is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The place of its last event.
    pub sequence: Sequence,
    /// The rows that look different now.
    pub changes: Vec<Change>,
    /// What the world must do.
    pub orders: Vec<(EffectId, Effect)>,
}

/// A run, its rows, and the log behind them.
pub struct Kept {
    id: RunId,
    log: Arc<dyn Log>,
    run: Run,
    views: Views,
    /// Changes of rows that are not saved yet.
    unsaved: Vec<RowChange>,
    snapshot_at: Sequence,
    /// Whether memory is ahead of the log, which alone counts.
    is_ahead: bool,
}

impl Kept {
    /// Opens a run as the log has it; one that the log does not know has not started.
    pub fn open(log: Arc<dyn Log>, id: RunId) -> Result<Self, StoreError> {
        let (run, snapshot_at) = restore(&*log, &id)?;
        let mut kept = Self {
            views: Views::new(id.clone()),
            id,
            log,
            run,
            unsaved: Vec::new(),
            snapshot_at,
            is_ahead: false,
        };
        kept.replay()?;
        Ok(kept)
    }

    /// Returns the run's state.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Returns the run's rows.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// Returns what the world was told and has not reported. After a start it is told again.
    pub fn outstanding(&self) -> Vec<(EffectId, Effect)> {
        self.run.outstanding()
    }

    /// Decides on a wish and records what follows. Returns when that is durable.
    pub fn wish(&mut self, now: Timestamp, actor: &Actor, command: Command) -> Result<Step, WishError> {
        if self.is_ahead {
            self.reload().map_err(|source| self.unrecorded(source))?;
        }
        let before = self.run.sequence();
        let decision = self.run.decide(now, actor, command)?;
        if let Err(source) = self.record(before, &decision.events) {
            self.is_ahead = true;
            // Where the log can't even be read, that is tried again with the next wish.
            let _ = self.reload();
            return Err(self.unrecorded(source));
        }
        let changes = decision.events.iter().flat_map(|recorded| self.show(recorded)).collect();
        Ok(Step { sequence: self.run.sequence(), changes, orders: decision.effects })
    }

    /// Saves the rows that changed, and the state now and then. What fails is tried again with the next call.
    pub fn save(&mut self) -> Result<(), StoreError> {
        let up_to = self.views.sequence();
        if !self.unsaved.is_empty() || self.log.rows_position(&self.id)? < up_to {
            self.log.save_rows(&self.id, up_to, self.unsaved.clone())?;
            self.unsaved.clear();
        }
        if self.run.sequence().0 - self.snapshot_at.0 >= SNAPSHOT_EVERY {
            let (sequence, version) = (self.run.sequence(), SNAPSHOT_VERSION);
            self.log.save_snapshot(&self.id, Snapshot { sequence, version, bytes: self.run.snapshot() })?;
            self.log.prune_snapshots(&self.id, SNAPSHOTS_KEPT)?;
            self.snapshot_at = sequence;
        }
        Ok(())
    }

    fn unrecorded(&self, source: StoreError) -> WishError {
        WishError::Store { run: self.id.clone(), source }
    }

    fn record(&self, before: Sequence, events: &[Recorded]) -> Result<(), StoreError> {
        if events.is_empty() {
            return Ok(());
        }
        let entries = events.iter().map(NewEntry::of).collect::<Result<Vec<_>, _>>()?;
        self.log.append(&self.id, before, entries).map(drop)
    }

    fn show(&mut self, recorded: &Recorded) -> Vec<Change> {
        let changes = self.views.apply(recorded);
        self.unsaved.extend(changes.iter().map(|change| row_change(change, recorded.sequence)));
        changes
    }

    fn reload(&mut self) -> Result<(), StoreError> {
        let kept = Self::open(Arc::clone(&self.log), self.id.clone())?;
        *self = kept;
        Ok(())
    }

    /// Takes in what the log has: all of it for the rows, what the state does not know yet for the state.
    fn replay(&mut self) -> Result<(), StoreError> {
        let saved = self.log.rows_position(&self.id)?;
        let mut at = Sequence(0);
        loop {
            let entries = self.log.read(&self.id, at, PAGE_ENTRIES)?;
            let Some(last) = entries.last() else { return Ok(()) };
            at = last.sequence;
            for entry in &entries {
                let recorded = entry.recorded()?;
                if recorded.sequence > self.run.sequence() {
                    // Orders are not given twice: what is still open is in `outstanding`.
                    drop(self.run.apply(&recorded));
                }
                let changes = self.views.apply(&recorded);
                if recorded.sequence > saved {
                    let unsaved = changes.iter().map(|change| row_change(change, recorded.sequence));
                    self.unsaved.extend(unsaved);
                }
            }
        }
    }
}

/// Returns the state as the last snapshot has it; without one that can be read, the state before the first event.
fn restore(log: &dyn Log, id: &RunId) -> Result<(Run, Sequence), StoreError> {
    let snapshot = log.load_snapshot(id)?.filter(|snapshot| snapshot.version == SNAPSHOT_VERSION);
    let restored = snapshot.and_then(|snapshot| {
        let run = Run::restore(&snapshot.bytes).ok()?;
        Some((run, snapshot.sequence))
    });
    Ok(restored.unwrap_or_else(|| (Run::new(), Sequence(0))))
}

fn row_change(change: &Change, sequence: Sequence) -> RowChange {
    let (kind, key) = (change.kind.name().to_owned(), change.key.clone());
    match &change.row {
        Some(row) => RowChange::Put(Row { kind, key, json: row.to_json(), sequence }),
        None => RowChange::Delete { kind, key },
    }
}
