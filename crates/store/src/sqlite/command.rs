//! Commands for the writer, and its replies.

use std::sync::mpsc::{Receiver, sync_channel};

use domain::{RunId, Sequence};

use crate::{AppendResult, Callback, NewEntry, RowChange, StoreError};

/// A command for the writer thread.
pub(super) enum WriterCommand {
    Write {
        request: WriteRequest,
        /// Memory that the request holds.
        bytes: usize,
    },
    Stop,
}

/// A change of the file, with the reply to its caller.
pub(super) enum WriteRequest {
    Append { run: RunId, expected: Sequence, entries: Vec<NewEntry>, reply: Reply<AppendResult> },
    SaveRows { run: RunId, up_to: Sequence, changes: Vec<RowChange>, reply: Reply<Sequence> },
}

impl WriteRequest {
    pub(super) fn run(&self) -> &RunId {
        match self {
            Self::Append { run, .. } | Self::SaveRows { run, .. } => run,
        }
    }

    /// Drops the request; the caller gets the error of the transaction.
    pub(super) fn into_failed_reply(self) -> PendingReply {
        match self {
            Self::Append { reply, .. } => reply.hold(Err(StoreError::Stopped)),
            Self::SaveRows { reply, .. } => reply.hold(Err(StoreError::Stopped)),
        }
    }
}

/// Returns a result to the caller.
pub(super) struct Reply<T>(pub Callback<T>);

impl<T: 'static> Reply<T> {
    /// Creates a reply that a thread waits for.
    pub(super) fn with_receiver() -> (Self, Receiver<Result<T, StoreError>>)
    where
        T: Send,
    {
        let (sender, receiver) = sync_channel(1);
        // The channel has room for the one result; a caller that stopped waiting does not need it.
        (Self(Box::new(move |result| drop(sender.try_send(result)))), receiver)
    }

    pub(super) fn send(self, result: Result<T, StoreError>) {
        (self.0)(result);
    }

    /// Holds the result until the transaction is committed.
    pub(super) fn hold(self, result: Result<T, StoreError>) -> PendingReply {
        Box::new(move |committed| self.send(committed.and(result)))
    }
}

/// Sends a result after the commit, or the error if the commit failed.
pub(super) type PendingReply = Box<dyn FnOnce(Result<(), StoreError>)>;
