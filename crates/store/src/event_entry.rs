//! Converts events to entries and back.

use std::{error::Error, sync::Arc};

use domain::{Event, RecordedEvent};

use crate::{Entry, NewEntry, StoreError};

impl NewEntry {
    /// Serializes an event. The log assigns its sequence.
    pub fn from_event(recorded: &RecordedEvent) -> Result<Self, StoreError> {
        let kind = recorded.event.name();
        let payload = serde_json::to_string(&recorded.event)
            .map_err(|source| StoreError::Unwritable { kind, source: Arc::new(source) })?;
        Ok(Self {
            at: recorded.at,
            actor: recorded.actor.to_string(),
            kind: kind.to_owned(),
            version: Event::VERSION,
            payload,
        })
    }
}

impl Entry {
    /// Parses the event.
    ///
    /// Events of a newer version are rejected, never partially understood.
    pub fn to_recorded_event(&self) -> Result<RecordedEvent, StoreError> {
        let (run, sequence, kind) = (self.run.clone(), self.sequence, self.kind.clone());
        let Some(name) = Event::current_name_of(&self.kind) else {
            return Err(StoreError::UnknownEvent { run, sequence, kind });
        };
        let (found, known) = (self.version, Event::VERSION);
        if found > known {
            return Err(StoreError::NewerEvent { run, sequence, kind, found, known });
        }
        let damaged = |source: Arc<dyn Error + Send + Sync>| {
            let (run, kind) = (self.run.clone(), self.kind.clone());
            StoreError::DamagedEvent { run, sequence, kind, source }
        };
        let actor = self.actor.parse().map_err(|error| damaged(Arc::new(error)))?;
        let event: Event = serde_json::from_str(&self.payload).map_err(|error| damaged(Arc::new(error)))?;
        if event.name() != name {
            return Err(damaged(Arc::new(TypeMismatch { found: event.name() })));
        }
        Ok(RecordedEvent { sequence, at: self.at, actor, event })
    }
}

/// The type in the entry and the type in its payload differ.
#[derive(Debug, thiserror::Error)]
#[error("its payload is a {found}")]
struct TypeMismatch {
    found: &'static str,
}
