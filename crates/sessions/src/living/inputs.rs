//! What a session is sent: numbered, in order, each typed once, and known to be typed.
//!
//! The ledger says which numbers an input has; the holder types each number once. So everything may be sent again.

use std::{
    collections::VecDeque,
    io,
    os::fd::{AsFd, BorrowedFd},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use drivers::Send;
use holder::{
    ClientError, Connection,
    protocol::{INPUT_BYTES_MAX, Phase, Refusal, Reply, Request},
    status,
};

use crate::{
    error::{SessionError, session_name},
    ledger::{Cause, Ledger},
};

/// How long a holder may take to answer. It answers at once; a machine can be very busy.
const ANSWER_MAX: Duration = Duration::from_secs(20);
/// How long to wait before a holder that has too much to type is asked again.
const BUSY_PAUSE: Duration = Duration::from_millis(100);
/// How long a holder that hangs up may take to be gone.
const LEAVING_MAX: Duration = Duration::from_secs(2);
/// How often it is looked whether it is.
const LEAVING_LOOK: Duration = Duration::from_millis(5);
/// What is longer is sent in pieces; two fit into what a holder lets wait.
const PIECE_BYTES_MAX: usize = INPUT_BYTES_MAX / 2;

/// The inputs of one session.
pub(super) struct Inputs {
    directory: PathBuf,
    /// Nothing when the holder is gone.
    connection: Option<Connection>,
    ledger: Ledger,
    later: VecDeque<Later>,
    sent: VecDeque<Sent>,
    typed: u64,
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

/// Connects to a session's holder; nothing where it is gone.
///
/// One that hangs up at once is about to leave, or has no place free at the moment: which of both is seen a little later.
fn connect(directory: &Path) -> Result<Option<Connection>, ClientError> {
    let deadline = Instant::now() + LEAVING_MAX;
    loop {
        match Connection::connect(directory) {
            Ok(connection) => return Ok(Some(connection)),
            Err(ClientError::HolderNotRunning { .. }) => return Ok(None),
            Err(ClientError::Closed) if Instant::now() < deadline => thread::sleep(LEAVING_LOOK),
            Err(error) => return Err(error),
        }
    }
}

impl Inputs {
    pub(super) fn open(directory: &Path) -> Result<Self, SessionError> {
        let failed = SessionError::holder(directory);
        let mut connection = connect(directory).map_err(&failed)?;
        let status = connection.as_mut().map(|connection| connection.ask(&Request::Status, ANSWER_MAX));
        let typed = match status {
            Some(Ok(Reply::Status(status))) => status.input_typed,
            Some(Ok(_)) => return Err(failed(ClientError::Malformed)),
            Some(Err(source)) if !matches!(source, ClientError::Closed) => return Err(failed(source)),
            // It ended, perhaps while we asked: what it noted then; nothing where it was killed.
            Some(Err(_)) | None => {
                connection = None;
                let summary = status::read(directory).ok().flatten();
                summary.and_then(|summary| summary.exit).map_or(0, |ended| ended.input_typed)
            }
        };
        let ledger = Ledger::open(directory).map_err(|source| match source.kind() {
            io::ErrorKind::WouldBlock => SessionError::InUse { name: session_name(directory) },
            _ => SessionError::io("use the ledger of inputs in", directory)(source),
        })?;
        let (later, sent) = (VecDeque::new(), VecDeque::new());
        Ok(Self { directory: directory.to_owned(), connection, ledger, later, sent, typed })
    }

    /// Tells whether the holder is gone; what it wrote may still have to be read.
    pub(super) fn is_closed(&self) -> bool {
        self.connection.is_none()
    }

    /// Returns what is readable when the holder has said something.
    pub(super) fn readable(&self) -> Option<BorrowedFd<'_>> {
        self.connection.as_ref().map(AsFd::as_fd)
    }

    /// Returns the inputs of the run that are typed.
    pub(super) fn told(&self) -> Vec<u32> {
        self.ledger.told_up_to(self.typed).collect()
    }

    /// Tells whether an input is typed as a whole.
    pub(super) fn is_typed(&self, cause: Cause) -> bool {
        self.ledger.find(cause).is_some_and(|numbers| numbers.end <= self.typed + 1)
    }

    /// Takes what is to be sent, under numbers that stay its own.
    pub(super) fn put(&mut self, sends: Vec<Send>, cause: Cause) -> Result<(), SessionError> {
        let pieces: Vec<Send> = sends.into_iter().flat_map(pieces).collect();
        if pieces.is_empty() {
            return Ok(());
        }
        if self.ledger.find(cause).is_none() && self.later.is_empty() && self.sent.is_empty() {
            self.leave_out_what_others_typed();
        }
        let numbers = self
            .ledger
            .numbers(cause, pieces.len() as u64)
            .map_err(SessionError::io("write the ledger of inputs in", &self.directory))?;
        let mut at = Instant::now();
        for (number, send) in numbers.zip(pieces) {
            at += Duration::from_millis(send.after_ms);
            let is_waiting = self.later.iter().map(|later| later.number);
            let is_known =
                is_waiting.chain(self.sent.iter().map(|sent| sent.number)).any(|known| known == number);
            if number > self.typed && !is_known {
                self.later.push_back(Later { at, number, bytes: send.bytes });
            }
        }
        self.send_what_is_due()
    }

    /// A person who attaches to a terminal types under numbers too. Ours must lie behind those, or they would count as
    /// typed already.
    fn leave_out_what_others_typed(&mut self) {
        if let Ok(Reply::Status(status)) = self.ask(&Request::Status, Duration::ZERO) {
            self.ledger.skip_to(status.input_taken + 1);
        }
    }

    /// Types nothing in the place of an input that can't be told any more: what comes behind it waits for its numbers.
    pub(super) fn give_up(&mut self, cause: Cause) -> Result<(), SessionError> {
        let numbers = self.ledger.find(cause).unwrap_or_default();
        let nothing = numbers.map(|_| Send { after_ms: 0, bytes: Vec::new() });
        self.put(nothing.collect(), cause)
    }

    /// Sends inputs whose time has come, in the order of their numbers. That they are typed is known from the spool.
    pub(super) fn send_what_is_due(&mut self) -> Result<(), SessionError> {
        while let Some(connection) = &mut self.connection
            && let Some(first) = self.later.pop_front_if(|first| first.at <= Instant::now())
        {
            let Later { number, bytes, .. } = first;
            match connection.send(&Request::Input { number, bytes: bytes.clone() }) {
                Ok(tag) => self.sent.push_back(Sent { tag, number, bytes }),
                Err(ClientError::Closed) => self.connection = None,
                Err(source) => return Err(self.lost(source)),
            }
        }
        Ok(())
    }

    /// Returns when the next input is to be sent.
    pub(super) fn due(&self) -> Option<Instant> {
        self.later.front().map(|first| first.at).filter(|_| !self.is_closed())
    }

    /// Takes what the holder answered, and returns the inputs of the run that are typed now.
    pub(super) fn take_replies(&mut self) -> Result<Vec<u32>, SessionError> {
        let mut told = Vec::new();
        while let Some(connection) = &mut self.connection {
            match connection.try_receive() {
                Ok(None) => break,
                Ok(Some((_, Reply::Typed { number }))) => told.extend(self.note_typed(number)),
                Ok(Some((tag, Reply::Refused(Refusal::Busy)))) => self.send_again(tag),
                // The agent has closed its ears, and its end is what comes next.
                Ok(Some((_, Reply::Refused(Refusal::WrongPhase)))) => {}
                Ok(Some((tag, Reply::Refused(refusal)))) if self.sent.iter().any(|sent| sent.tag == tag) => {
                    return Err(self.lost(ClientError::Refused(refusal)));
                }
                Ok(Some(_)) => {}
                // Its last words are in the spool, and its exit behind them.
                Err(ClientError::Closed) => self.connection = None,
                Err(source) => return Err(self.lost(source)),
            }
        }
        Ok(told)
    }

    /// Notes that all inputs up to a number are typed, and returns those of the run that were not before.
    pub(super) fn note_typed(&mut self, number: u64) -> Vec<u32> {
        let known = self.told();
        self.typed = self.typed.max(number);
        self.sent.retain(|sent| sent.number > self.typed);
        self.told().into_iter().filter(|told| !known.contains(told)).collect()
    }

    /// Asks the holder for something and waits for its answer.
    pub(super) fn ask(&mut self, request: &Request, time_max: Duration) -> Result<Reply, SessionError> {
        let asked = match &mut self.connection {
            Some(connection) => connection.ask(request, ANSWER_MAX + time_max),
            None => Err(ClientError::Closed),
        };
        match asked {
            Ok(Reply::Refused(refusal)) => Err(self.lost(ClientError::Refused(refusal))),
            Ok(reply) => Ok(reply),
            Err(source) => Err(self.lost(source)),
        }
    }

    /// Tells whether the session's processes stand still.
    pub(super) fn is_paused(&mut self) -> bool {
        match self.ask(&Request::Status, Duration::ZERO) {
            Ok(Reply::Status(status)) => matches!(status.phase, Phase::Stopping | Phase::Stopped),
            _ => false,
        }
    }

    /// Tells the holder something whose answer nobody needs.
    pub(super) fn note(&mut self, request: &Request) -> Result<(), SessionError> {
        match self.connection.as_mut().map(|connection| connection.send(request)) {
            Some(Err(ClientError::Closed)) => self.connection = None,
            Some(Err(source)) => return Err(self.lost(source)),
            Some(Ok(_)) | None => {}
        }
        Ok(())
    }

    /// The holder has too much to type already: all that was sent from there on is sent again, a little later.
    fn send_again(&mut self, tag: u32) {
        let place = self.sent.iter().position(|sent| sent.tag == tag).unwrap_or(self.sent.len());
        let at = Instant::now() + BUSY_PAUSE;
        for sent in self.sent.split_off(place).into_iter().rev() {
            self.later.push_front(Later { at, number: sent.number, bytes: sent.bytes });
        }
    }

    fn lost(&self, source: ClientError) -> SessionError {
        SessionError::holder(&self.directory)(source)
    }
}

/// Cuts what is too long for one input.
fn pieces(send: Send) -> Vec<Send> {
    if send.bytes.len() <= PIECE_BYTES_MAX {
        return vec![send];
    }
    let after = std::iter::once(send.after_ms).chain(std::iter::repeat(0));
    let pieces = send.bytes.chunks(PIECE_BYTES_MAX).zip(after);
    pieces.map(|(bytes, after_ms)| Send { after_ms, bytes: bytes.to_vec() }).collect()
}
