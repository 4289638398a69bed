//! A session and its driver: what the agent writes becomes happenings, what it is told becomes numbered inputs.
//!
//! Blocks, and is owned by one thread. Everything it knows can be read again from the session's folder: after a crash a
//! new one begins at the recorded offset and goes on.

mod hearing;
mod inputs;
mod waker;
mod watching;

use std::{
    os::fd::AsFd,
    path::Path,
    time::{Duration, Instant},
};

use drivers::{DriverSetup, Happening, Reaction, Told, Untold};
use holder::{ClientError, protocol::Request, spool::Exit};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{error::SessionError, ledger::Cause};
use hearing::{Heard, Hearing};
use inputs::Inputs;
pub use waker::Waker;
pub use watching::{Moment, Watching};

/// How long all processes of a session may take to stop, beside the time that a holder has to answer.
const STOP_MAX: Duration = Duration::from_secs(5);

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
    /// The holder was killed, and nobody knows how the process ended. Nothing follows.
    Lost,
}

/// A session and its driver.
pub struct Living {
    inputs: Inputs,
    hearing: Hearing,
    waker: Waker,
    silent_since: Instant,
    was_silent: bool,
    is_over: bool,
    /// Whether all is read that was there when it was taken over: only then every open prompt is known.
    is_caught_up: bool,
    /// Whether something was refused that may be told then.
    waits_to_tell: bool,
}

impl Living {
    /// Takes a session over. What was not sent at its start is sent now.
    ///
    /// A session whose holder is gone is read to its end all the same.
    pub fn open(directory: &Path, mut setup: DriverSetup) -> Result<(Self, Vec<Seen>), SessionError> {
        let inputs = Inputs::open(directory)?;
        let waker = Waker::new().map_err(SessionError::io("make a waker for the session in", directory))?;
        let opening = setup.driver.open();
        let hearing = Hearing::open(directory, setup)?;
        let mut living = Self {
            inputs,
            hearing,
            waker,
            silent_since: Instant::now(),
            was_silent: false,
            is_over: false,
            is_caught_up: false,
            waits_to_tell: false,
        };
        let mut seen: Vec<Seen> =
            living.inputs.told().into_iter().map(|number| Seen::Typed { number }).collect();
        seen.extend(living.react(opening, Cause::Opening)?);
        Ok((living, seen))
    }

    /// Returns what wakes [`Living::next`] from another thread.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Tells the agent something, once for each number, however often it is called.
    ///
    /// What can't be told yet ([`Untold`]) is to be told again when more was seen: one who has just taken over knows a
    /// prompt only after it was heard again.
    pub fn tell(&mut self, told: &Told, number: u32) -> Result<Vec<Seen>, SessionError> {
        if self.inputs.is_typed(Cause::Told(number)) {
            return Ok(vec![Seen::Typed { number }]);
        }
        match self.hearing.driver.tell(told, number) {
            // The prompt or the turn may not have been read again yet.
            Err(Untold::UnknownPrompt { .. } | Untold::NotReady) if !self.is_caught_up => {
                self.waits_to_tell = true;
                Err(Untold::NotReady.into())
            }
            reaction => self.react(reaction?, Cause::Told(number)),
        }
    }

    /// Tells whether all is read that was there when the session was opened: only then every open prompt is known.
    pub fn is_caught_up(&self) -> bool {
        self.is_caught_up
    }

    /// Says that something will never be told: after a crash it may have its place among the inputs already, and those
    /// behind it wait for it.
    pub fn give_up(&mut self, number: u32) -> Result<(), SessionError> {
        self.inputs.give_up(Cause::Told(number))
    }

    /// Waits until something happens, a deadline passes, or somebody wakes it; then nothing is seen.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Vec<Seen>, SessionError> {
        loop {
            let mut seen = typed(self.inputs.take_replies()?);
            self.inputs.send_what_is_due()?;
            // Whether the holder is gone is asked before the last look at what it wrote.
            let is_closed = self.inputs.is_closed();
            while seen.is_empty()
                && let Some((_, heard)) = self.hearing.next()?
            {
                seen.extend(self.take(heard)?);
            }
            let is_just_caught_up = seen.is_empty() && !self.is_caught_up;
            self.is_caught_up |= is_just_caught_up;
            if is_just_caught_up && std::mem::take(&mut self.waits_to_tell) {
                return Ok(seen);
            }
            if seen.is_empty() && is_closed && !self.is_over {
                seen = self.end(Seen::Lost);
            }
            if seen.is_empty() {
                seen.extend(self.be_silent()?);
            }
            let is_time = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if !seen.is_empty() || is_time || self.waker.take() {
                return Ok(seen);
            }
            self.sleep(deadline);
        }
    }

    /// Returns the offset from which a new one for the same session must read.
    pub fn read_from(&self) -> u64 {
        // What is said aside is whole in its record, so that only the driver can be in the middle of something.
        self.hearing.driver.read_from()
    }

    /// Stops all processes of the session where they are, and returns when they stand still.
    pub fn pause(&mut self) -> Result<(), SessionError> {
        self.inputs.ask(&Request::Stop, STOP_MAX).map(drop)
    }

    /// Lets all processes go on.
    pub fn go_on(&mut self) -> Result<(), SessionError> {
        // It was not silent while it was stopped.
        self.silent_since = Instant::now();
        self.inputs.ask(&Request::Continue, Duration::ZERO).map(drop)
    }

    /// Says that nothing more will be told: an agent on pipes finishes its turn, keeps its session and ends.
    ///
    /// Its end is seen by [`Living::next`]. Agents that write their session down when they end need this before it can
    /// be resumed. One on a terminal can't be told so, which is refused.
    pub fn close(&mut self) -> Result<(), SessionError> {
        self.inputs.ask(&Request::CloseInput, Duration::ZERO).map(drop)
    }

    /// Ends all processes, politely first and by force after the grace, and returns when they are gone.
    pub fn stop(&mut self, grace: Duration) -> Result<(), SessionError> {
        match self.inputs.ask(&Request::End { grace }, grace + STOP_MAX) {
            // It may say goodbye before it answers.
            Ok(_) | Err(SessionError::Holder { source: ClientError::Closed, .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Sleeps until the agent or its holder says something, somebody calls, or it is time for something.
    fn sleep(&self, deadline: Option<Instant>) {
        let left = self.wake(deadline).map(|wake| wake.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let readable = [Some(self.hearing.readable()), Some(self.waker.as_fd()), self.inputs.readable()];
        let polled = readable.into_iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        // Woken too early, the loop looks and sleeps again.
        let _ = poll(&mut polled.collect::<Vec<_>>(), left.as_ref());
    }

    fn take(&mut self, heard: Heard) -> Result<Vec<Seen>, SessionError> {
        match heard {
            Heard::Wrote(reaction, offset) => {
                self.silent_since = Instant::now();
                self.was_silent = false;
                self.react(reaction, Cause::Reply(offset))
            }
            Heard::Noted(seen) => Ok(seen),
            Heard::Typed(number) => Ok(typed(self.inputs.note_typed(number))),
            Heard::Exited(exit) => Ok(self.end(Seen::Ended(exit))),
        }
    }

    fn be_silent(&mut self) -> Result<Vec<Seen>, SessionError> {
        let silent = self.silent_since.elapsed();
        let silent_ms = u64::try_from(silent.as_millis()).unwrap_or(u64::MAX);
        if self.was_silent || self.hearing.driver.patience_ms().is_none_or(|patience| silent_ms < patience) {
            return Ok(Vec::new());
        }
        // Who stands still is not silent.
        if self.inputs.is_paused() {
            self.silent_since = Instant::now();
            return Ok(Vec::new());
        }
        self.was_silent = true;
        let reaction = self.hearing.driver.silence(silent_ms);
        let offset = self.hearing.offset();
        // Nothing in the output says that the turn ended here, so whoever reads it again must be told.
        if reaction.happened.iter().any(|happening| matches!(happening, Happening::TurnEnded { .. })) {
            self.inputs.note(&Request::MarkTurnEnd { offset })?;
            self.hearing.mark(offset);
        }
        self.react(reaction, Cause::Reply(offset))
    }

    /// Ends what was open; nothing can follow.
    fn end(&mut self, how: Seen) -> Vec<Seen> {
        self.is_over = true;
        let reaction = self.hearing.driver.end();
        reaction.happened.into_iter().map(Seen::Happened).chain([how]).collect()
    }

    /// Sends what a driver wants to be sent.
    fn react(&mut self, reaction: Reaction, cause: Cause) -> Result<Vec<Seen>, SessionError> {
        self.inputs.put(reaction.send, cause)?;
        Ok(reaction.happened.into_iter().map(Seen::Happened).collect())
    }

    /// Returns when to look again although nothing is written.
    fn wake(&self, deadline: Option<Instant>) -> Option<Instant> {
        let patience = self.hearing.driver.patience_ms().filter(|_| !self.was_silent && !self.is_over);
        let silence = patience.map(|patience| self.silent_since + Duration::from_millis(patience));
        [deadline, self.inputs.due(), silence].into_iter().flatten().min()
    }
}

fn typed(told: Vec<u32>) -> Vec<Seen> {
    told.into_iter().map(|number| Seen::Typed { number }).collect()
}
