//! The one thread that writes: everything that waits goes into one transaction, and is answered when it is durable.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use rusqlite::{Connection, TransactionBehavior};

use super::{
    command::{Answer, Command, HeldAnswer, Work},
    feed::{Feed, Group},
    group::Filling,
    heads::Heads,
};
use crate::{Position, StoreError};

/// How much one transaction may hold in memory before it is committed.
const GROUP_BYTES_MAX: usize = 16 << 20;

/// How many wishes one transaction may answer.
const GROUP_WORK_MAX: usize = 1024;

/// How long a transaction waits for those who wrote last time, as a part of the time that a commit takes.
const GATHER_PART: u32 = 4;

/// And how long at most.
const GATHER_MAX: Duration = Duration::from_millis(2);

/// The writer, with all that only it may touch.
pub struct Writer {
    connection: Connection,
    path: PathBuf,
    heads: Heads,
    feeds: Vec<Feed>,
    last: LastCommit,
}

/// What the last commit tells about the next one.
#[derive(Default)]
struct LastCommit {
    n_work: usize,
    took: Duration,
}

/// What goes into one turn.
#[derive(Default)]
struct Turn {
    work: Vec<Work>,
    bytes: usize,
    subscribers: Vec<(Feed, Answer<Position>)>,
    is_last: bool,
}

impl Writer {
    /// Makes a writer of an open connection.
    pub fn new(connection: Connection, path: PathBuf) -> Self {
        let (heads, feeds, last) = (Heads::default(), Vec::new(), LastCommit::default());
        Self { connection, path, heads, feeds, last }
    }

    /// Works until it is told to stop, or nobody is left who could.
    pub fn run(mut self, queue: &Receiver<Command>) {
        loop {
            let turn = self.gather(queue);
            if !turn.work.is_empty() {
                self.commit(turn.work);
            }
            // Only now: what was committed above is in the file, and is not sent to those who come now.
            for (feed, answer) in turn.subscribers {
                self.listen(feed, answer);
            }
            if turn.is_last {
                return;
            }
        }
    }

    /// Waits for the first wish and takes what follows at once.
    ///
    /// After a commit those who waited for it come back one by one. A transaction that began with the first of them
    /// would leave the others a whole commit behind, so it waits for as many as last time, a moment at most. Whoever
    /// writes alone never waits.
    fn gather(&self, queue: &Receiver<Command>) -> Turn {
        let mut turn = Turn::default();
        match queue.recv() {
            Ok(command) => turn.take(command),
            Err(_) => turn.is_last = true,
        }
        let wait = (self.last.took / GATHER_PART).min(GATHER_MAX);
        let until = Instant::now() + wait;
        while !turn.is_full() {
            let left = match turn.work.len() < self.last.n_work {
                true => until.saturating_duration_since(Instant::now()),
                false => Duration::ZERO,
            };
            match queue.recv_timeout(left) {
                Ok(command) => turn.take(command),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => turn.is_last = true,
            }
        }
        turn
    }

    /// Writes all of it in one transaction, then tells subscribers and those who wait.
    fn commit(&mut self, work: Vec<Work>) {
        let n_work = work.len();
        let mut answers = Vec::with_capacity(n_work);
        let start = Instant::now();
        let committed = self.transact(work, &mut answers).map_err(|error| {
            self.heads.clear();
            StoreError::using(&self.path, error)
        });
        self.last = LastCommit { n_work, took: start.elapsed() };
        let outcome = match committed {
            Ok(recorded) => {
                self.publish(recorded);
                Ok(())
            }
            Err(error) => Err(error),
        };
        for answer in answers {
            answer(outcome.clone());
        }
    }

    /// Fills a transaction and commits it. What fails leaves nothing behind but the answers that are owed.
    fn transact(
        &mut self,
        work: Vec<Work>,
        answers: &mut Vec<HeldAnswer>,
    ) -> rusqlite::Result<Option<Group>> {
        let recorded = (!self.feeds.is_empty()).then(|| Group { entries: Vec::new(), bytes: 0 });
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = match begun {
            Ok(transaction) => transaction,
            Err(error) => {
                answers.extend(work.into_iter().map(Work::refuse));
                return Err(error);
            }
        };
        let mut filling = Filling { connection: &transaction, heads: &mut self.heads, recorded };
        let mut failed = Ok(());
        for work in work {
            if failed.is_err() {
                answers.push(work.refuse());
                continue;
            }
            let (answer, done) = filling.add(work);
            answers.push(answer);
            failed = done;
        }
        let recorded = filling.recorded;
        failed.and_then(|()| transaction.commit()).map(|()| recorded)
    }

    /// Sends what was recorded to everybody who listens, and lets go of those who do not keep up.
    fn publish(&mut self, recorded: Option<Group>) {
        if let Some(group) = recorded.filter(|group| !group.entries.is_empty()) {
            let group = Arc::new(group);
            self.feeds.retain(|feed| feed.send(&group));
        }
    }

    /// Takes a subscriber in, and tells it from where on it is told.
    fn listen(&mut self, feed: Feed, answer: Answer<Position>) {
        match self.heads.position(&self.connection) {
            Ok(position) => {
                self.feeds.push(feed);
                answer.give(Ok(position));
            }
            Err(error) => answer.give(Err(StoreError::using(&self.path, error))),
        }
    }
}

impl Turn {
    fn take(&mut self, command: Command) {
        match command {
            Command::Write { work, bytes } => {
                self.work.push(work);
                self.bytes += bytes;
            }
            Command::Subscribe { feed, answer } => self.subscribers.push((feed, answer)),
            Command::Stop => self.is_last = true,
        }
    }

    fn is_full(&self) -> bool {
        self.is_last || self.bytes >= GROUP_BYTES_MAX || self.work.len() >= GROUP_WORK_MAX
    }
}
