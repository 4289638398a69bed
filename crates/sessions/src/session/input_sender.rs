//! Sends a session's inputs to its holder: numbered, in order, each written once, with the holder's confirmation.
//!
//! The ledger gives every input its sequence numbers, and the holder writes each number once, so any input may be sent
//! again.

use std::{
    collections::VecDeque,
    error::Error,
    io,
    os::fd::{AsFd, BorrowedFd},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use drivers::OutgoingBytes;
use holder::{
    ClientError, HolderConnection,
    protocol::{INPUT_BYTES_MAX, Refusal, Reply, Request, SessionPhase},
    status,
};
use tracing::warn;

use crate::{
    error::{SessionError, session_name_from_directory},
    input_ledger::{InputLedger, InputPurpose},
};

/// Time allowed for a holder's reply. It replies at once unless the machine is overloaded.
const REPLY_TIMEOUT: Duration = Duration::from_secs(20);
/// The delay before sending again to a holder whose input queue is full.
const BUSY_DELAY: Duration = Duration::from_millis(100);
/// Time allowed for a holder to exit after it closed a connection.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Longer inputs are sent in pieces; the holder's queue has room for two.
const PIECE_BYTES_MAX: usize = INPUT_BYTES_MAX / 2;

/// The input side of one session.
pub(super) struct InputSender {
    directory: PathBuf,
    /// `None` if the holder has exited.
    connection: Option<HolderConnection>,
    ledger: InputLedger,
    /// In the order of their numbers, as in `unconfirmed`.
    scheduled: VecDeque<ScheduledInput>,
    unconfirmed: VecDeque<UnconfirmedInput>,
    /// All sequence numbers up to this one are written.
    written: u64,
}

struct ScheduledInput {
    at: Instant,
    number: u64,
    bytes: Vec<u8>,
}

/// Bytes that were sent to the holder and are not written to the agent yet.
struct UnconfirmedInput {
    tag: u32,
    number: u64,
    bytes: Vec<u8>,
}

/// Connects to a session's holder; `None` if it has exited.
///
/// A holder that closes the connection at once is either exiting or has too many clients. Only later attempts show
/// which.
fn connect(directory: &Path) -> Result<Option<HolderConnection>, ClientError> {
    let deadline = Instant::now() + EXIT_TIMEOUT;
    loop {
        match HolderConnection::connect(directory) {
            Ok(connection) => return Ok(Some(connection)),
            Err(ClientError::HolderNotRunning { .. }) => return Ok(None),
            Err(ClientError::Closed) if Instant::now() < deadline => thread::sleep(EXIT_POLL_INTERVAL),
            Err(error) => return Err(error),
        }
    }
}

impl InputSender {
    pub(super) fn open(directory: &Path) -> Result<Self, SessionError> {
        let failed = SessionError::holder_error_mapper(directory);
        let mut connection = connect(directory).map_err(&failed)?;
        let status =
            connection.as_mut().map(|connection| connection.request(&Request::Status, REPLY_TIMEOUT));
        let written = match status {
            Some(Ok(Reply::Status(status))) => status.inputs_written,
            Some(Ok(_)) => return Err(failed(ClientError::Malformed)),
            Some(Err(source)) if !matches!(source, ClientError::Closed) => return Err(failed(source)),
            // The holder has exited, perhaps just now: its status file has the number, unless it was killed.
            Some(Err(_)) | None => {
                connection = None;
                let summary = status::read(directory).unwrap_or_else(|error| {
                    warn!(folder = %directory.display(), error = &error as &dyn Error, "cannot read the status of a session");
                    None
                });
                summary.and_then(|summary| summary.exit).map_or(0, |ended| ended.inputs_written)
            }
        };
        let ledger = InputLedger::open(directory).map_err(|source| {
            if source.kind() == io::ErrorKind::WouldBlock {
                SessionError::InUse { name: session_name_from_directory(directory) }
            } else {
                SessionError::io_error_mapper("open the ledger of inputs in", directory)(source)
            }
        })?;
        let (scheduled, unconfirmed) = (VecDeque::new(), VecDeque::new());
        Ok(Self { directory: directory.to_owned(), connection, ledger, scheduled, unconfirmed, written })
    }

    /// Returns whether the holder has exited. There may still be output to read.
    pub(super) fn is_closed(&self) -> bool {
        self.connection.is_none()
    }

    /// Returns the descriptor that becomes readable when the holder has replied.
    pub(super) fn readable_fd(&self) -> Option<BorrowedFd<'_>> {
        self.connection.as_ref().map(AsFd::as_fd)
    }

    /// Returns the numbers of all inputs of the session's user that are written.
    pub(super) fn all_written_inputs(&self) -> Vec<u32> {
        self.ledger.inputs_up_to(self.written).collect()
    }

    /// Returns whether all pieces of an input are written.
    pub(super) fn is_written(&self, source: InputPurpose) -> bool {
        self.ledger.find(source).is_some_and(|numbers| numbers.end <= self.written + 1)
    }

    /// Schedules bytes for sending, under the sequence numbers of their source.
    pub(super) fn enqueue(
        &mut self,
        outgoing: Vec<OutgoingBytes>,
        source: InputPurpose,
    ) -> Result<(), SessionError> {
        let pieces: Vec<OutgoingBytes> = outgoing.into_iter().flat_map(split_into_pieces).collect();
        if pieces.is_empty() {
            return Ok(());
        }
        let is_queue_empty = self.scheduled.is_empty() && self.unconfirmed.is_empty();
        if self.ledger.find(source).is_none() && is_queue_empty {
            self.skip_numbers_of_others();
        }
        let numbers = self
            .ledger
            .allocate(source, pieces.len() as u64)
            .map_err(SessionError::io_error_mapper("write the ledger of inputs in", &self.directory))?;
        let mut at = Instant::now();
        for (number, piece) in numbers.zip(pieces) {
            at += Duration::from_millis(piece.after_ms);
            let scheduled = self.scheduled.iter().map(|input| input.number);
            let unconfirmed = self.unconfirmed.iter().map(|input| input.number);
            let is_queued = scheduled.chain(unconfirmed).any(|queued| queued == number);
            if number > self.written && !is_queued {
                self.scheduled.push_back(ScheduledInput { at, number, bytes: piece.bytes });
            }
        }
        self.send_due()
    }

    /// Skips the sequence numbers that other clients have used, such as a person attached to the terminal. With a used
    /// number, an input would count as written already.
    fn skip_numbers_of_others(&mut self) {
        if let Ok(Reply::Status(status)) = self.request(&Request::Status, Duration::ZERO) {
            self.ledger.skip_to(status.inputs_accepted + 1);
        }
    }

    /// Sends empty bytes under the numbers of an input that is given up: the holder waits for them before later ones.
    pub(super) fn skip(&mut self, source: InputPurpose) -> Result<(), SessionError> {
        let numbers = self.ledger.find(source).unwrap_or_default();
        let empty = numbers.map(|_| OutgoingBytes { after_ms: 0, bytes: Vec::new() });
        self.enqueue(empty.collect(), source)
    }

    /// Sends the inputs that are due, in the order of their numbers. The spool shows when they are written.
    pub(super) fn send_due(&mut self) -> Result<(), SessionError> {
        while let Some(connection) = &mut self.connection
            && let Some(input) = self.scheduled.pop_front_if(|input| input.at <= Instant::now())
        {
            let ScheduledInput { number, bytes, .. } = input;
            match connection.send(&Request::Input { number, bytes: bytes.clone() }) {
                Ok(tag) => self.unconfirmed.push_back(UnconfirmedInput { tag, number, bytes }),
                Err(ClientError::Closed) => self.connection = None,
                Err(source) => return Err(self.holder_error(source)),
            }
        }
        Ok(())
    }

    /// Returns the time at which the next input is to be sent.
    pub(super) fn next_send_at(&self) -> Option<Instant> {
        self.scheduled.front().map(|input| input.at).filter(|_| !self.is_closed())
    }

    /// Reads the holder's replies, and returns the inputs that are newly written.
    pub(super) fn receive_replies(&mut self) -> Result<Vec<u32>, SessionError> {
        let mut written = Vec::new();
        while let Some(connection) = &mut self.connection {
            match connection.try_receive() {
                Ok(None) => break,
                Ok(Some((_, Reply::InputWritten { number }))) => written.extend(self.note_written(number)),
                Ok(Some((tag, Reply::Refused(Refusal::Busy)))) => self.reschedule_from(tag),
                // The agent has closed its standard input, and will exit.
                Ok(Some((_, Reply::Refused(Refusal::WrongPhase)))) => {}
                Ok(Some((tag, Reply::Refused(refusal))))
                    if self.unconfirmed.iter().any(|input| input.tag == tag) =>
                {
                    return Err(self.holder_error(ClientError::Refused(refusal)));
                }
                Ok(Some(_)) => {}
                // The spool has the last output and the exit.
                Err(ClientError::Closed) => self.connection = None,
                Err(source) => return Err(self.holder_error(source)),
            }
        }
        Ok(written)
    }

    /// Notes that all sequence numbers up to `number` are written, and returns the inputs that this completes.
    pub(super) fn note_written(&mut self, number: u64) -> Vec<u32> {
        let before = self.all_written_inputs();
        self.written = self.written.max(number);
        self.unconfirmed.retain(|input| input.number > self.written);
        self.all_written_inputs().into_iter().filter(|input| !before.contains(input)).collect()
    }

    /// Sends a request to the holder and waits for the reply. `extra_time` is added to the usual timeout.
    pub(super) fn request(&mut self, request: &Request, extra_time: Duration) -> Result<Reply, SessionError> {
        let reply = match &mut self.connection {
            Some(connection) => connection.request(request, REPLY_TIMEOUT + extra_time),
            None => Err(ClientError::Closed),
        };
        match reply {
            Ok(Reply::Refused(refusal)) => Err(self.holder_error(ClientError::Refused(refusal))),
            Ok(reply) => Ok(reply),
            Err(source) => Err(self.holder_error(source)),
        }
    }

    /// Returns whether the session's processes are suspended.
    pub(super) fn is_paused(&mut self) -> bool {
        match self.request(&Request::Status, Duration::ZERO) {
            Ok(Reply::Status(status)) => {
                matches!(status.phase, SessionPhase::Stopping | SessionPhase::Stopped)
            }
            _ => false,
        }
    }

    /// Sends a request to the holder without waiting for the reply.
    pub(super) fn send_without_reply(&mut self, request: &Request) -> Result<(), SessionError> {
        match self.connection.as_mut().map(|connection| connection.send(request)) {
            Some(Err(ClientError::Closed)) => self.connection = None,
            Some(Err(source)) => return Err(self.holder_error(source)),
            Some(Ok(_)) | None => {}
        }
        Ok(())
    }

    /// Schedules a refused input and all later ones again: the holder's queue is full.
    fn reschedule_from(&mut self, tag: u32) {
        let refused = self.unconfirmed.iter().position(|input| input.tag == tag);
        let first = refused.unwrap_or(self.unconfirmed.len());
        let at = Instant::now() + BUSY_DELAY;
        for input in self.unconfirmed.split_off(first).into_iter().rev() {
            self.scheduled.push_front(ScheduledInput { at, number: input.number, bytes: input.bytes });
        }
    }

    fn holder_error(&self, source: ClientError) -> SessionError {
        SessionError::holder_error_mapper(&self.directory)(source)
    }
}

/// Splits bytes that are too long for one input of the holder.
fn split_into_pieces(outgoing: OutgoingBytes) -> Vec<OutgoingBytes> {
    if outgoing.bytes.len() <= PIECE_BYTES_MAX {
        return vec![outgoing];
    }
    let delays = std::iter::once(outgoing.after_ms).chain(std::iter::repeat(0));
    let pieces = outgoing.bytes.chunks(PIECE_BYTES_MAX).zip(delays);
    pieces.map(|(bytes, after_ms)| OutgoingBytes { after_ms, bytes: bytes.to_vec() }).collect()
}
