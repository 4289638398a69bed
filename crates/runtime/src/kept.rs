//! One run that is kept: its state, its rows, and the log behind both.
//!
//! Invariant: what this gives out (changes, orders) is recorded. Where recording fails, the state is made anew from the
//! log, as after a restart.

use std::sync::Arc;

use domain::{Actor, Command, EffectId, RecordedEvent, RunId, Sequence, Timestamp};
use engine::{Effect, Rejection, Run, SNAPSHOT_VERSION};
use store::{Log, NewEntry, Position, Row, RowChange, Snapshot, StoreError};
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
    /// What each of its events shows.
    pub shown: Vec<ShownEvent>,
    /// What the world must do.
    pub orders: Vec<(EffectId, Effect)>,
}

/// What one event shows.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownEvent {
    /// Its place in the run.
    pub sequence: Sequence,
    /// Its place among all runs.
    pub position: Position,
    /// The rows that look different now.
    pub changes: Vec<Change>,
}

/// A run, its rows, and the log behind them.
pub struct Kept {
    id: RunId,
    log: Arc<dyn Log>,
    run: Run,
    /// Shared with readers; copied only if an event comes while a reader has them.
    views: Arc<Views>,
    /// Changes of rows that are not saved yet.
    unsaved: Vec<RowChange>,
    snapshot_at: Sequence,
    /// The place of the last event among all runs.
    position: Position,
    /// Whether memory is ahead of the log, which alone counts.
    is_ahead: bool,
}

impl Kept {
    /// Opens a run as the log has it; one that the log does not know has not started.
    pub fn open(log: Arc<dyn Log>, id: RunId) -> Result<Self, StoreError> {
        let (run, snapshot_at) = restore(&*log, &id)?;
        let mut kept = Self {
            views: Arc::new(Views::new(id.clone())),
            id,
            log,
            run,
            unsaved: Vec::new(),
            snapshot_at,
            position: Position(0),
            is_ahead: false,
        };
        kept.replay()?;
        Ok(kept)
    }

    /// Returns the run's name.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Returns the run's state.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Returns the run's rows.
    pub fn views(&self) -> &Arc<Views> {
        &self.views
    }

    /// Returns the place of its last event among all runs.
    pub fn position(&self) -> Position {
        self.position
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
        let end = match self.record(before, &decision.events) {
            Ok(end) => end,
            Err(source) => {
                self.is_ahead = true;
                // Where the log can't even be read, that is tried again with the next wish.
                let _ = self.reload();
                return Err(self.unrecorded(source));
            }
        };
        self.position = end;
        let shown = decision.events.iter().map(|recorded| self.show(recorded, end)).collect();
        Ok(Step { sequence: self.run.sequence(), shown, orders: decision.effects })
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

    /// Records events, and returns the place of the last one among all runs.
    fn record(&self, before: Sequence, events: &[RecordedEvent]) -> Result<Position, StoreError> {
        if events.is_empty() {
            return Ok(self.position);
        }
        let entries = events.iter().map(NewEntry::of).collect::<Result<Vec<_>, _>>()?;
        self.log.append(&self.id, before, entries).map(|appended| appended.position)
    }

    /// Folds an event of an append that ended at a place; what is appended together stands together.
    fn show(&mut self, recorded: &RecordedEvent, end: Position) -> ShownEvent {
        let changes = Arc::make_mut(&mut self.views).apply(recorded);
        self.unsaved.extend(changes.iter().map(|change| row_change(change, recorded.sequence)));
        let behind = self.run.sequence().0.saturating_sub(recorded.sequence.0);
        let position = Position(end.0.saturating_sub(behind));
        ShownEvent { sequence: recorded.sequence, position, changes }
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
            self.position = last.position;
            for entry in &entries {
                let recorded = entry.recorded()?;
                if recorded.sequence > self.run.sequence() {
                    // Orders are not given twice: what is still open is in `outstanding`.
                    drop(self.run.apply(&recorded));
                }
                let changes = Arc::make_mut(&mut self.views).apply(&recorded);
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
