//! The one thread that writes: everything that waits goes into one transaction, and is answered when it is durable.

use std::{
    path::PathBuf,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use rusqlite::{Connection, TransactionBehavior};

use super::{
    command::{Command, HeldAnswer, Work},
    group::Filling,
    heads::Heads,
};
use crate::{NewEntry, StoreError};

/// How much one transaction may hold in memory before it is committed.
const GROUP_BYTES_MAX: usize = 16 << 20;

/// How many wishes one transaction may answer.
const GROUP_WORK_MAX: usize = 1024;

/// How long a transaction waits at most for those who wrote last time. A commit's own time is the other bound.
const GATHER_MAX: Duration = Duration::from_millis(2);

/// The writer, with all that only it may touch.
pub struct Writer {
    connection: Connection,
    path: PathBuf,
    heads: Heads,
    last: LastCommit,
}

/// What the last commit tells about the next one.
#[derive(Default)]
struct LastCommit {
    n_work: usize,
    took: Duration,
}

/// What is done in one turn.
#[derive(Default)]
struct Turn {
    answers: Vec<HeldAnswer>,
    bytes: usize,
    // Freed with the turn, after all answers are given.
    spent: Vec<Vec<NewEntry>>,
    is_last: bool,
}

impl Writer {
    /// Makes a writer of an open connection.
    pub fn new(connection: Connection, path: PathBuf) -> Self {
        Self { connection, path, heads: Heads::default(), last: LastCommit::default() }
    }

    /// Works until it is told to stop, or nobody is left who could.
    pub fn run(mut self, queue: &Receiver<Command>) {
        while let Ok(command) = queue.recv() {
            let mut turn = Turn::default();
            if let Some(work) = turn.take(command) {
                self.commit(work, queue, &mut turn);
            }
            if turn.is_last {
                return;
            }
        }
    }

    /// Writes all waiting work in one transaction, then answers the callers.
    fn commit(&mut self, first: Work, queue: &Receiver<Command>, turn: &mut Turn) {
        let committed = self.transact(first, queue, turn).map_err(|error| {
            self.heads.clear();
            StoreError::using(&self.path, error)
        });
        for answer in turn.answers.drain(..) {
            answer(committed.clone());
        }
    }

    /// Fills a transaction and commits it. What fails leaves nothing behind but the answers that are owed.
    ///
    /// After a commit those who waited for it come back one by one. A transaction that ended with the first of them
    /// would leave the others a whole commit behind, so it waits for as many as last time, a moment at most. Whoever
    /// writes alone never waits.
    fn transact(&mut self, first: Work, queue: &Receiver<Command>, turn: &mut Turn) -> rusqlite::Result<()> {
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = match begun {
            Ok(transaction) => transaction,
            Err(error) => {
                turn.answers.push(first.refuse());
                return Err(error);
            }
        };
        let mut filling = Filling { connection: &transaction, heads: &mut self.heads, spent: Vec::new() };
        let until = Instant::now() + self.last.took.min(GATHER_MAX);
        let mut next = Some(first);
        loop {
            if let Some(work) = next.take() {
                let (answer, done) = filling.add(work);
                turn.answers.push(answer);
                done?;
            }
            if turn.is_full() {
                break;
            }
            let is_waiting = turn.answers.len() < self.last.n_work;
            let left =
                if is_waiting { until.saturating_duration_since(Instant::now()) } else { Duration::ZERO };
            match queue.recv_timeout(left) {
                Ok(command) => next = turn.take(command),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => turn.is_last = true,
            }
        }
        turn.spent = filling.spent;
        self.heads.place(&transaction)?;
        let start = Instant::now();
        transaction.commit()?;
        self.last = LastCommit { n_work: turn.answers.len(), took: start.elapsed() };
        Ok(())
    }
}

impl Turn {
    /// Takes a command in, and returns the work that it brings.
    fn take(&mut self, command: Command) -> Option<Work> {
        match command {
            Command::Write { work, bytes } => {
                self.bytes += bytes;
                Some(work)
            }
            Command::Stop => {
                self.is_last = true;
                None
            }
        }
    }

    fn is_full(&self) -> bool {
        self.is_last || self.bytes >= GROUP_BYTES_MAX || self.answers.len() >= GROUP_WORK_MAX
    }
}
