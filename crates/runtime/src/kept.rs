//! One run that is kept: its state, its rows, and the log behind both.
//!
//! Invariant: what this gives out (changes, orders) is recorded. Where recording fails, the state is made anew from the
//! log, as after a restart.

use std::sync::Arc;

use domain::{Actor, Command, EffectId, RecordedEvent, RunId, Sequence, Timestamp};
use engine::{Effect, Rejection, Run};
use store::{Log, NewEntry, Position, Row, RowChange, StoreError};
use views::{Change, Views};

/// How many events are read at once.
const PAGE_ENTRIES: usize = 1000;
/// How many bytes of rows are saved at once, unless a single event changes more. The log refuses much more than this,
/// and appends of other runs wait while it is written.
const SAVE_BYTES_MAX: usize = 1 << 20;

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
    /// The events that the saved rows do not know yet, each with the rows that it changed.
    unsaved: Vec<(Sequence, Vec<RowChange>)>,
    /// The place of the last event among all runs.
    position: Position,
    /// Whether memory is ahead of the log, which alone counts.
    is_ahead: bool,
}

impl Kept {
    /// Opens a run as the log has it; one that the log does not know has not started.
    pub fn open(log: Arc<dyn Log>, id: RunId) -> Result<Self, StoreError> {
        let mut kept = Self {
            views: Arc::new(Views::new(id.clone())),
            id,
            log,
            run: Run::new(),
            unsaved: Vec::new(),
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
        self.run.pending_effects()
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

    /// Saves the rows that changed. If that fails, the next call tries again.
    pub fn save(&mut self) -> Result<(), StoreError> {
        while !self.unsaved.is_empty() {
            let mut bytes = 0;
            let mut fits = |(_, changes): &&(Sequence, Vec<RowChange>)| {
                bytes += changes.iter().map(RowChange::bytes).sum::<usize>();
                bytes <= SAVE_BYTES_MAX
            };
            let n_events = self.unsaved.iter().take_while(|event| fits(event)).count().max(1);
            let step = self.unsaved.get(..n_events).unwrap_or_default();
            let Some((up_to, _)) = step.last() else { return Ok(()) };
            let changes = step.iter().flat_map(|(_, changes)| changes).cloned().collect();
            self.log.save_rows(&self.id, *up_to, changes)?;
            self.unsaved.drain(..n_events);
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
        self.unsaved.push((recorded.sequence, row_changes(&changes, recorded.sequence)));
        let behind = self.run.sequence().0.saturating_sub(recorded.sequence.0);
        let position = Position(end.0.saturating_sub(behind));
        ShownEvent { sequence: recorded.sequence, position, changes }
    }

    fn reload(&mut self) -> Result<(), StoreError> {
        let kept = Self::open(Arc::clone(&self.log), self.id.clone())?;
        *self = kept;
        Ok(())
    }

    /// Applies every entry of the log to the state and to the rows.
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
                // Effects are not executed twice: those still open are in `outstanding`.
                drop(self.run.apply(&recorded));
                let changes = Arc::make_mut(&mut self.views).apply(&recorded);
                if recorded.sequence > saved {
                    self.unsaved.push((recorded.sequence, row_changes(&changes, recorded.sequence)));
                }
            }
        }
    }
}

fn row_changes(changes: &[Change], sequence: Sequence) -> Vec<RowChange> {
    let row_change = |change: &Change| {
        let (kind, key) = (change.kind.name().to_owned(), change.key.clone());
        match &change.row {
            Some(row) => RowChange::Put(Row { kind, key, json: row.to_json(), sequence }),
            None => RowChange::Delete { kind, key },
        }
    };
    changes.iter().map(row_change).collect()
}
