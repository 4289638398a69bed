//! What the writer can be asked to do, and how it answers.

use std::sync::mpsc::{Receiver, sync_channel};

use domain::{RunId, Sequence};

use crate::{Appended, NewEntry, RowChange, StoreError, Then};

/// One wish to the writer's thread.
pub enum Command {
    /// Change the file.
    Write {
        /// What to change.
        work: Work,
        /// How much memory it holds.
        bytes: usize,
    },
    /// End.
    Stop,
}

/// A change to the file, with whoever waits for it.
pub enum Work {
    /// Record entries behind a place.
    Append { run: RunId, expected: Sequence, entries: Vec<NewEntry>, answer: Answer<Appended> },
    /// Change rows.
    SaveRows { run: RunId, up_to: Sequence, changes: Vec<RowChange>, answer: Answer<Sequence> },
}

impl Work {
    /// Leaves it undone; whoever waits gets the reason why nothing was committed.
    pub fn refuse(self) -> HeldAnswer {
        match self {
            Self::Append { answer, .. } => answer.hold(Err(StoreError::Stopped)),
            Self::SaveRows { answer, .. } => answer.hold(Err(StoreError::Stopped)),
        }
    }
}

/// The way back to whoever waits for a result.
pub struct Answer<T>(pub Then<T>);

impl<T: 'static> Answer<T> {
    /// Makes an answer that a thread waits for.
    pub fn awaited() -> (Self, Receiver<Result<T, StoreError>>)
    where
        T: Send,
    {
        let (sender, receiver) = sync_channel(1);
        // There is room for the one answer. Whoever does not wait any more does not want it.
        (Self(Box::new(move |result| drop(sender.try_send(result)))), receiver)
    }

    /// Gives the result.
    pub fn give(self, result: Result<T, StoreError>) {
        (self.0)(result);
    }

    /// Keeps the result back until it is known whether the transaction was committed.
    pub fn hold(self, result: Result<T, StoreError>) -> HeldAnswer {
        Box::new(move |committed| self.give(committed.and(result)))
    }
}

/// A result that is given when its transaction is durable, or the reason why it is not.
pub type HeldAnswer = Box<dyn FnOnce(Result<(), StoreError>)>;
