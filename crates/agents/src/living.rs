//! A session and its driver: what the agent writes becomes happenings, what it is told becomes numbered inputs.
//!
//! Blocks, and is owned by one thread. Everything it knows can be read again from the session's folder: after a crash a
//! new one begins at the recorded offset and goes on.

use std::{
    collections::VecDeque,
    os::fd::AsFd,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use holder::{
    ClientError, Connection,
    protocol::{Refusal, Reply, Request},
    spool::{self, Body, Exit, Follower, SpoolError},
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use wire::Item;

use crate::{
    driver::{Chunk, Driver, Happening, Reaction, Stream, Told, Untold},
    ledger::{Cause, Ledger},
};

/// How long a holder may take to answer. It answers at once; a machine can be very busy.
const ANSWER_MAX: Duration = Duration::from_secs(20);
/// How long to wait before a holder that has too much to type is asked again.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// Why a living session can't be used.
#[derive(Debug, thiserror::Error)]
pub enum LivingError {
    /// Its holder does not answer as it should.
    #[error("the holder of the session in {}", .directory.display())]
    Holder {
        /// The session's folder.
        directory: PathBuf,
        /// Why.
        source: ClientError,
    },
    /// What it wrote can't be read.
    #[error("what was written in {}", .directory.display())]
    Spool {
        /// The session's folder.
        directory: PathBuf,
        /// Why.
        source: SpoolError,
    },
    /// Its ledger can't be used.
    #[error("the ledger of inputs in {}", .directory.display())]
    Ledger {
        /// The session's folder.
        directory: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The driver can't tell it.
    #[error("tell the agent something")]
    Untold(#[from] Untold),
}

/// What is seen of a living session.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// Something happened.
    Happened(Happening),
    /// An input of the run was typed.
    Typed {
        /// Its number.
        number: u32,
    },
    /// The process is gone. Nothing follows.
    Ended(Exit),
}

/// Bytes that wait for their time.
struct Later {
    at: Instant,
    number: u64,
    bytes: Vec<u8>,
}

/// Bytes that were sent and are not typed yet.
struct Sent {
    tag: u32,
    number: u64,
    bytes: Vec<u8>,
}

/// A session and its driver.
pub struct Living {
    directory: PathBuf,
    connection: Connection,
    follower: Follower,
    driver: Box<dyn Driver>,
    /// Reads what helpers of the agent's say beside its output.
    aside: wire::Decoder,
    ledger: Ledger,
    later: VecDeque<Later>,
    sent: VecDeque<Sent>,
    /// Whether the holder has gone; what it wrote is still to be read.
    is_closed: bool,
    typed: u64,
    silent_since: Instant,
    was_silent: bool,
}

impl Living {
    /// Takes a session over, from an offset of its output on. What was not sent at its start is sent now.
    pub fn open(
        directory: &Path,
        mut driver: Box<dyn Driver>,
        aside: wire::Options,
        from: u64,
    ) -> Result<(Self, Vec<Seen>), LivingError> {
        let owned = || directory.to_owned();
        let lost = |source| LivingError::Holder { directory: owned(), source };
        let mut connection = Connection::connect(directory).map_err(lost)?;
        let typed = match connection.ask(&Request::Status, ANSWER_MAX).map_err(lost)? {
            Reply::Status(status) => status.input_typed,
            _ => return Err(lost(ClientError::Malformed)),
        };
        let follower = Follower::open(directory, from)
            .map_err(|source| LivingError::Spool { directory: owned(), source })?;
        let ledger =
            Ledger::open(directory).map_err(|source| LivingError::Ledger { directory: owned(), source })?;
        let opening = driver.open();
        let mut living = Self {
            directory: owned(),
            connection,
            follower,
            driver,
            aside: wire::Decoder::new(aside),
            ledger,
            later: VecDeque::new(),
            sent: VecDeque::new(),
            is_closed: false,
            typed,
            silent_since: Instant::now(),
            was_silent: false,
        };
        let mut seen: Vec<Seen> =
            living.ledger.told_up_to(typed).map(|number| Seen::Typed { number }).collect();
        seen.extend(living.react(opening, Cause::Opening)?);
        Ok((living, seen))
    }

    /// Tells the agent something, once for each number, however often it is called.
    pub fn tell(&mut self, told: &Told, number: u32) -> Result<Vec<Seen>, LivingError> {
        if let Some(numbers) = self.ledger.find(Cause::Told(number))
            && numbers.end <= self.typed + 1
        {
            return Ok(vec![Seen::Typed { number }]);
        }
        let reaction = self.driver.tell(told, number)?;
        self.react(reaction, Cause::Told(number))
    }

    /// Waits until something happens, or a deadline.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Vec<Seen>, LivingError> {
        loop {
            let mut seen = self.take_replies()?;
            self.send_what_is_due()?;
            while seen.is_empty()
                && let Some(record) = self.follower.try_next().map_err(|source| self.damaged(source))?
            {
                seen.extend(self.hear(record)?);
            }
            if seen.is_empty() {
                seen.extend(self.be_silent()?);
            }
            if !seen.is_empty() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(seen);
            }
            self.sleep(deadline);
        }
    }

    /// Sleeps until the agent or its holder says something, or it is time for something.
    fn sleep(&self, deadline: Option<Instant>) {
        let left = self.wake(deadline).map(|wake| wake.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let mut polled = [
            PollFd::from_borrowed_fd(self.follower.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.connection.as_fd(), PollFlags::IN),
        ];
        // Woken too early, the loop looks and sleeps again.
        let n_polled = if self.is_closed { 1 } else { 2 };
        let _ = poll(polled.get_mut(..n_polled).unwrap_or_default(), left.as_ref());
    }

    /// Takes what the holder answered to the inputs that were sent.
    fn take_replies(&mut self) -> Result<Vec<Seen>, LivingError> {
        let mut seen = Vec::new();
        while !self.is_closed {
            match self.connection.try_receive() {
                Ok(None) => break,
                Ok(Some((_, Reply::Typed { number }))) => seen.extend(self.note_typed(number)),
                Ok(Some((tag, Reply::Refused(Refusal::Busy)))) => self.send_again(tag),
                Ok(Some((_, Reply::Refused(refusal)))) => {
                    return Err(self.lost(ClientError::Refused(refusal)));
                }
                Ok(Some(_)) => {}
                // Its last words are in the spool, and its exit behind them.
                Err(ClientError::Closed) => self.is_closed = true,
                Err(source) => return Err(self.lost(source)),
            }
        }
        Ok(seen)
    }

    /// The holder has too much to type already: all that was sent from there on is sent again, a little later.
    fn send_again(&mut self, tag: u32) {
        let place = self.sent.iter().position(|sent| sent.tag == tag).unwrap_or(self.sent.len());
        let at = Instant::now() + BUSY_PAUSE;
        for sent in self.sent.split_off(place).into_iter().rev() {
            self.later.push_front(Later { at, number: sent.number, bytes: sent.bytes });
        }
    }

    /// Returns the offset from which a new one for the same session must read.
    pub fn read_from(&self) -> u64 {
        // What is said aside is whole in its record, so that only the driver can be in the middle of something.
        self.driver.read_from()
    }

    fn hear(&mut self, record: spool::Record) -> Result<Vec<Seen>, LivingError> {
        let offset = record.offset;
        match record.body {
            Body::Output { stream: spool::Stream::Aside, bytes } => Ok(self.hear_aside(offset, &bytes)),
            Body::Output { stream, bytes } => {
                self.silent_since = Instant::now();
                self.was_silent = false;
                let stream = match stream {
                    spool::Stream::Error => Stream::Errors,
                    spool::Stream::Terminal | spool::Stream::Output | spool::Stream::Aside => Stream::Output,
                };
                let reaction = self.driver.hear(Chunk { stream, offset, bytes: &bytes });
                self.react(reaction, Cause::Reply(offset))
            }
            Body::Input { number, .. } => Ok(self.note_typed(number)),
            Body::Exit(exit) => {
                let reaction = self.driver.end();
                let mut seen: Vec<Seen> = reaction.happened.into_iter().map(Seen::Happened).collect();
                seen.push(Seen::Ended(exit));
                Ok(seen)
            }
            Body::TurnEnd { .. } | Body::Resize { .. } | Body::Gap { .. } | Body::Unknown { .. } => {
                Ok(Vec::new())
            }
        }
    }

    /// A helper says whole messages, each in a record of its own: its place is the record's.
    fn hear_aside(&mut self, offset: u64, bytes: &[u8]) -> Vec<Seen> {
        let mut items: Vec<Item> = self.aside.push(bytes);
        items.extend(self.aside.end_turn());
        let end = offset + bytes.len() as u64;
        let said = |(item, ordinal)| {
            let heard = domain::Heard { start: offset, ordinal };
            Seen::Happened(Happening::Said { heard, read_from: self.driver.read_from().min(end), item })
        };
        items.into_iter().zip(0..).map(said).collect()
    }

    fn note_typed(&mut self, number: u64) -> Vec<Seen> {
        let before = self.typed;
        self.typed = self.typed.max(number);
        self.sent.retain(|sent| sent.number > self.typed);
        let known: Vec<u32> = self.ledger.told_up_to(before).collect();
        let now = self.ledger.told_up_to(self.typed);
        now.filter(|told| !known.contains(told)).map(|number| Seen::Typed { number }).collect()
    }

    fn be_silent(&mut self) -> Result<Vec<Seen>, LivingError> {
        let silent = self.silent_since.elapsed();
        let silent_ms = u64::try_from(silent.as_millis()).unwrap_or(u64::MAX);
        if self.was_silent || self.driver.patience_ms().is_none_or(|patience| silent_ms < patience) {
            return Ok(Vec::new());
        }
        self.was_silent = true;
        let reaction = self.driver.silence(silent_ms);
        let cause = Cause::Reply(self.follower.offset());
        self.react(reaction, cause)
    }

    /// Sends what a driver wants to be sent, under numbers that stay its own.
    fn react(&mut self, reaction: Reaction, cause: Cause) -> Result<Vec<Seen>, LivingError> {
        let seen: Vec<Seen> = reaction.happened.into_iter().map(Seen::Happened).collect();
        if reaction.send.is_empty() {
            return Ok(seen);
        }
        let count = reaction.send.len() as u64;
        let numbers = self
            .ledger
            .numbers(cause, count)
            .map_err(|source| LivingError::Ledger { directory: self.directory.clone(), source })?;
        let mut at = Instant::now();
        for (number, send) in numbers.zip(reaction.send) {
            at += Duration::from_millis(send.after_ms);
            if number > self.typed {
                self.later.push_back(Later { at, number, bytes: send.bytes });
            }
        }
        self.send_what_is_due()?;
        Ok(seen)
    }

    /// Sends inputs whose time has come, in the order of their numbers. That they are typed is known from the spool.
    fn send_what_is_due(&mut self) -> Result<(), LivingError> {
        while !self.is_closed
            && let Some(first) = self.later.pop_front_if(|first| first.at <= Instant::now())
        {
            let Later { number, bytes, .. } = first;
            match self.connection.send(&Request::Input { number, bytes: bytes.clone() }) {
                Ok(tag) => self.sent.push_back(Sent { tag, number, bytes }),
                Err(ClientError::Closed) => self.is_closed = true,
                Err(source) => return Err(self.lost(source)),
            }
        }
        Ok(())
    }

    /// Returns when to look again although nothing is written.
    fn wake(&self, deadline: Option<Instant>) -> Option<Instant> {
        let due = self.later.front().map(|first| first.at);
        let patience = self.driver.patience_ms().filter(|_| !self.was_silent);
        let silence = patience.map(|patience| self.silent_since + Duration::from_millis(patience));
        [deadline, due, silence].into_iter().flatten().min()
    }

    fn lost(&self, source: ClientError) -> LivingError {
        LivingError::Holder { directory: self.directory.clone(), source }
    }

    fn damaged(&self, source: SpoolError) -> LivingError {
        LivingError::Spool { directory: self.directory.clone(), source }
    }
}
