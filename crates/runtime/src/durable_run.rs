//! A run backed by the event log: its state and its rows.
//!
//! Invariant: all changes and effects that leave this module are recorded. If recording fails, the state is rebuilt from
//! the log, as after a restart.

use std::sync::Arc;

use domain::{ActionUpdate, EffectId, RecordedEvent, RunId, RunInput, Sequence, Timestamp};
use engine::{Effect, Rejection, Run};
use store::{Log, NewEntry, Position, Row, RowChange, StoreError};
use views::{ViewChange, Views};

use crate::ReplayedRun;

/// Limit of events read at once.
const PAGE_ENTRIES: usize = 1000;
/// Limit of row bytes saved at once, unless a single event changes more. The log rejects much larger writes, and appends
/// of other runs wait for this one.
const SAVE_BYTES_MAX: usize = 1 << 20;

/// Why an input had no effect.
#[derive(Debug, thiserror::Error)]
pub enum DurableRunError {
    /// The engine rejected the input.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The resulting events could not be recorded. The state is unchanged.
    #[error("cannot record the events of run {run}")]
    Store {
        /// Id of the run.
        run: RunId,
        /// Error of the log.
        source: StoreError,
    },
}

/// Result of an input. Its events are recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutedInput {
    /// Sequence number of the run's last event.
    pub sequence: Sequence,
    /// Events of the input, in order.
    pub events: Vec<AppliedEvent>,
    /// Effects that the executor has to carry out.
    pub effects: Vec<(EffectId, Effect)>,
}

/// A recorded event and the rows that it changed.
#[derive(Debug, Clone, PartialEq)]
pub struct AppliedEvent {
    /// Sequence number in the run.
    pub sequence: Sequence,
    /// Position in the log of all runs.
    pub position: Position,
    /// Rows that the event changed.
    pub changes: Vec<ViewChange>,
}

/// A run with its rows and its log.
pub struct DurableRun {
    id: RunId,
    log: Arc<dyn Log>,
    run: Run,
    /// Shared with readers; copied only if an event is applied while a reader holds them.
    views: Arc<Views>,
    /// Events that are not in the saved rows yet, each with the rows that it changed. Saved
    /// each second. Events and rows are in one file, so events are not recorded for long while rows cannot be saved.
    unsaved: Vec<(Sequence, Vec<RowChange>)>,
    /// Position of the last event in the log of all runs.
    position: Position,
    /// Whether an append failed after the state had changed, so that the state must be rebuilt from the log.
    is_ahead: bool,
}

impl DurableRun {
    /// Rebuilds a run from the log. A run without events has not started.
    pub fn open(log: Arc<dyn Log>, id: RunId) -> Result<Self, StoreError> {
        let saved_up_to = log.rows_sequence(&id)?;
        let mut replayed = ReplayedRun::new(id.clone());
        let (mut after, mut position, mut unsaved) = (Sequence(0), Position(0), Vec::new());
        loop {
            let entries = log.read(&id, after, PAGE_ENTRIES)?;
            let Some(last) = entries.last() else { break };
            (after, position) = (last.sequence, last.position);
            for entry in &entries {
                let recorded = entry.to_recorded_event()?;
                // Effects are not executed twice: those still open are in `pending_effects`.
                let changes = replayed.apply(&recorded);
                if recorded.sequence > saved_up_to {
                    unsaved.push((recorded.sequence, to_row_changes(&changes, recorded.sequence)));
                }
            }
        }
        let (run, views) = replayed.into_parts();
        Ok(Self { id, log, run, views, unsaved, position, is_ahead: false })
    }

    /// Returns the run's id.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Returns the run's state.
    pub fn state(&self) -> &Run {
        &self.run
    }

    /// Returns the run's rows.
    pub fn views(&self) -> &Arc<Views> {
        &self.views
    }

    /// Returns the position of the run's last event in the log of all runs.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Returns the number of the last event in the log; `None` while the state is ahead of a log that cannot be read.
    pub fn recorded_sequence(&self) -> Option<Sequence> {
        (!self.is_ahead).then(|| self.run.sequence())
    }

    /// Returns the effects without a reported outcome. After a restart they are executed again.
    pub fn pending_effects(&self) -> Vec<(EffectId, Effect)> {
        self.run.pending_effects()
    }

    /// Decides on an input and records the resulting events. Returns when they are durable.
    pub fn execute(&mut self, now: Timestamp, input: RunInput) -> Result<ExecutedInput, DurableRunError> {
        if self.is_ahead {
            self.reload().map_err(|source| self.to_command_error(source))?;
        }
        let before = self.run.sequence();
        let decision = self.run.decide(now, input)?;
        let end = match self.record(before, &decision.events) {
            Ok(end) => end,
            Err(source) => {
                self.is_ahead = true;
                // If the log is unreadable too, the next input tries again.
                let _ = self.reload();
                return Err(self.to_command_error(source));
            }
        };
        self.position = end;
        let events = decision.events.iter().zip(&decision.actions);
        let events = events.map(|(recorded, actions)| self.apply_to_views(recorded, actions, end)).collect();
        Ok(ExecutedInput { sequence: self.run.sequence(), events, effects: decision.effects })
    }

    /// Saves the changed rows. If that fails, the next call tries again.
    pub fn save_rows(&mut self) -> Result<(), StoreError> {
        while !self.unsaved.is_empty() {
            let mut bytes = 0;
            let mut fits = |(_, changes): &&(Sequence, Vec<RowChange>)| {
                bytes += changes.iter().map(RowChange::size_bytes).sum::<usize>();
                bytes <= SAVE_BYTES_MAX
            };
            let n_events = self.unsaved.iter().take_while(|event| fits(event)).count().max(1);
            let batch = self.unsaved.get(..n_events).unwrap_or_default();
            let Some((up_to, _)) = batch.last() else { return Ok(()) };
            let changes = batch.iter().flat_map(|(_, changes)| changes).cloned().collect();
            self.log.save_rows(&self.id, *up_to, changes)?;
            self.unsaved.drain(..n_events);
        }
        Ok(())
    }

    fn to_command_error(&self, source: StoreError) -> DurableRunError {
        DurableRunError::Store { run: self.id.clone(), source }
    }

    /// Appends events and returns the position of the last one in the log of all runs.
    fn record(&self, before: Sequence, events: &[RecordedEvent]) -> Result<Position, StoreError> {
        if events.is_empty() {
            return Ok(self.position);
        }
        let entries = events.iter().map(NewEntry::from_event).collect::<Result<Vec<_>, _>>()?;
        self.log.append(&self.id, before, entries).map(|appended| appended.position)
    }

    /// Applies an event of an append whose last event is at `end`. The events of one append have adjacent positions.
    fn apply_to_views(
        &mut self,
        recorded: &RecordedEvent,
        actions: &ActionUpdate,
        end: Position,
    ) -> AppliedEvent {
        let changes = Arc::make_mut(&mut self.views).apply(recorded, actions);
        self.unsaved.push((recorded.sequence, to_row_changes(&changes, recorded.sequence)));
        let n_later = self.run.sequence().0.saturating_sub(recorded.sequence.0);
        let position = Position(end.0.saturating_sub(n_later));
        AppliedEvent { sequence: recorded.sequence, position, changes }
    }

    fn reload(&mut self) -> Result<(), StoreError> {
        *self = Self::open(Arc::clone(&self.log), self.id.clone())?;
        Ok(())
    }
}

fn to_row_changes(changes: &[ViewChange], sequence: Sequence) -> Vec<RowChange> {
    let row_change = |change: &ViewChange| {
        let (kind, key) = (change.kind.name().to_owned(), change.key.clone());
        match &change.row {
            Some(row) => RowChange::Put(Row { kind, key, json: row.to_json(), sequence }),
            None => RowChange::Delete { kind, key },
        }
    };
    changes.iter().map(row_change).collect()
}
