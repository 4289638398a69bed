//! A live session with its driver: agent output becomes reports, inputs become numbered writes of the holder.
//!
//! Blocking, and owned by one thread. All of its state can be read again from the session's folder: after a crash, a
//! new [`Session`] continues at the recorded offset.

mod input_sender;
mod observer;
mod spool_reader;
mod waker;

use std::{
    os::fd::AsFd,
    path::Path,
    time::{Duration, Instant},
};

use drivers::{AgentInput, DriverEvent, DriverSetup, Reaction, SendError};
use holder::{ClientError, mask::Secret, protocol::Request, spool::Exit};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing::{info, warn};

use crate::{
    error::{SessionError, session_name_from_directory},
    input_ledger::InputPurpose,
};
use input_sender::InputSender;
pub use observer::{SessionObserver, TimedReports};
use spool_reader::{SpoolEvent, SpoolReader};
pub use waker::Waker;

/// Time allowed for all processes of a session to stop, in addition to the holder's response time.
const STOP_MAX: Duration = Duration::from_secs(5);

/// First silence of an agent that is logged; then each time that it has doubled.
const LOGGED_SILENCE_MIN: Duration = Duration::from_secs(60);

/// A report of a live session.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionReport {
    Event(DriverEvent),
    /// All bytes of an input were written to the agent.
    InputWritten {
        number: u32,
    },
    /// The process has ended. The last report.
    Ended(Exit),
    /// The holder was killed, so the exit status of the process is unknown. The last report.
    Lost,
}

/// A live session and its driver.
pub struct Session {
    /// Name of the session's folder.
    name: String,
    inputs: InputSender,
    spool: SpoolReader,
    waker: Waker,
    /// The time of the last output or resumption.
    silent_since: Instant,
    /// Length of the present silence at which it is logged next.
    logged_silence: Duration,
    /// Whether the driver knows about the present silence.
    is_silence_reported: bool,
    has_ended: bool,
    /// Whether all output that existed when the session was opened has been read: only then are all open prompts known.
    is_caught_up: bool,
    /// Whether an input was refused that may be accepted once caught up.
    has_deferred_input: bool,
}

impl Session {
    /// Takes over a session, and sends those parts of the handshake that were not sent at its start.
    ///
    /// A session without a holder is read to its end as well.
    pub fn open(
        directory: &Path,
        mut setup: DriverSetup,
    ) -> Result<(Self, Vec<SessionReport>), SessionError> {
        let inputs = InputSender::open(directory)?;
        let waker = Waker::new()
            .map_err(SessionError::io_error_mapper("create a waker for the session in", directory))?;
        let handshake = setup.driver.on_start();
        let spool = SpoolReader::open(directory, setup)?;
        let mut session = Self {
            name: session_name_from_directory(directory),
            inputs,
            spool,
            waker,
            silent_since: Instant::now(),
            logged_silence: LOGGED_SILENCE_MIN,
            is_silence_reported: false,
            has_ended: false,
            is_caught_up: false,
            has_deferred_input: false,
        };
        let mut reports = input_written_reports(session.inputs.all_written_inputs());
        reports.extend(session.apply_reaction(handshake, InputPurpose::Handshake)?);
        Ok((session, reports))
    }

    /// Returns a handle that wakes [`Session::next_reports`] from another thread.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Sends an input once per number, however often it is called.
    ///
    /// If the driver refuses it ([`SendError`]), the caller tries again after further reports: a session that was just
    /// taken over learns of an open prompt only by reading it again.
    pub fn send_input(
        &mut self,
        input: &AgentInput,
        number: u32,
    ) -> Result<Vec<SessionReport>, SessionError> {
        if self.inputs.is_written(InputPurpose::Input(number)) {
            return Ok(vec![SessionReport::InputWritten { number }]);
        }
        match self.spool.driver.encode_input(input, number) {
            // The prompt or the turn may not have been read again yet.
            Err(SendError::UnknownPrompt { .. } | SendError::NotReady) if !self.is_caught_up => {
                self.has_deferred_input = true;
                Err(SendError::NotReady.into())
            }
            reaction => self.apply_reaction(reaction?, InputPurpose::Input(number)),
        }
    }

    /// Returns whether all output that existed when the session was opened has been read: only then are all open
    /// prompts known.
    pub fn is_caught_up(&self) -> bool {
        self.is_caught_up
    }

    /// Gives up an input that will never be sent.
    ///
    /// After a crash it may have sequence numbers already, and the holder would wait for them before later inputs.
    pub fn skip_input(&mut self, number: u32) -> Result<(), SessionError> {
        self.inputs.skip(InputPurpose::Input(number))
    }

    /// Waits for reports. Returns none at the deadline or when woken.
    pub fn next_reports(&mut self, deadline: Option<Instant>) -> Result<Vec<SessionReport>, SessionError> {
        loop {
            let mut reports = input_written_reports(self.inputs.receive_replies()?);
            self.inputs.send_due()?;
            // Checked before the spool is read, so that the holder's last records are not missed.
            let is_closed = self.inputs.is_closed();
            while reports.is_empty()
                && let Some((_, outcome)) = self.spool.read_next_record()?
            {
                reports.extend(self.handle_record(outcome)?);
            }
            let is_just_caught_up = reports.is_empty() && !self.is_caught_up;
            self.is_caught_up |= is_just_caught_up;
            if is_just_caught_up && std::mem::take(&mut self.has_deferred_input) {
                return Ok(reports);
            }
            if reports.is_empty() && is_closed && !self.has_ended {
                reports = self.end_with_report(SessionReport::Lost);
            }
            if reports.is_empty() {
                self.trace_silence();
                reports.extend(self.check_silence()?);
            }
            let is_due = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if !reports.is_empty() || is_due || self.waker.take_wakeup() {
                return Ok(reports);
            }
            self.wait_for_activity(deadline);
        }
    }

    /// Returns the offset from which another [`Session`] must read to continue.
    pub fn resume_offset(&self) -> u64 {
        // Side-channel records are complete messages, so only the driver can be in the middle of one.
        self.spool.driver.resume_offset()
    }

    /// Suspends all processes of the session, and returns when they are stopped.
    pub fn pause(&mut self) -> Result<(), SessionError> {
        self.inputs.request(&Request::Stop, STOP_MAX).map(drop)
    }

    /// Resumes all processes.
    pub fn resume(&mut self) -> Result<(), SessionError> {
        // The time in suspension does not count as silence.
        self.restart_silence();
        self.inputs.request(&Request::Continue, Duration::ZERO).map(drop)
    }

    /// Masks further values in everything that the session writes from now on.
    pub fn add_secrets(&mut self, values: &[&str]) -> Result<(), SessionError> {
        if values.is_empty() {
            return Ok(());
        }
        let secrets = values.iter().map(|value| Secret::new(value.as_bytes().to_vec())).collect();
        self.inputs.request(&Request::AddSecrets(secrets), Duration::ZERO).map(drop)
    }

    /// Closes the agent's standard input: it finishes its turn, saves its session and exits.
    ///
    /// [`Session::next_reports`] reports the exit. Agents that save their session on exit can be resumed only after this.
    /// Refused for an agent on a terminal.
    pub fn close_input(&mut self) -> Result<(), SessionError> {
        self.inputs.request(&Request::CloseInput, Duration::ZERO).map(drop)
    }

    /// Ends all processes, with signals first and by force after the grace period, and returns when they have ended.
    pub fn stop(&mut self, grace: Duration) -> Result<(), SessionError> {
        match self.inputs.request(&Request::End { grace }, grace + STOP_MAX) {
            // The holder may exit before it replies.
            Ok(_) | Err(SessionError::Holder { source: ClientError::Closed, .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Sleeps until there is output, a reply of the holder, a call of the waker, or something is due.
    fn wait_for_activity(&self, deadline: Option<Instant>) {
        let timeout =
            self.next_wake_time(deadline).map(|wake| wake.saturating_duration_since(Instant::now()));
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let readable = [Some(self.spool.readable_fd()), Some(self.waker.as_fd()), self.inputs.readable_fd()];
        let polled = readable.into_iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        // If it returns early, the loop checks everything and sleeps again.
        let _ = poll(&mut polled.collect::<Vec<_>>(), timeout.as_ref());
    }

    fn handle_record(&mut self, outcome: SpoolEvent) -> Result<Vec<SessionReport>, SessionError> {
        match outcome {
            SpoolEvent::Output(reaction, offset) => {
                self.restart_silence();
                self.is_silence_reported = false;
                self.apply_reaction(reaction, InputPurpose::Reply(offset))
            }
            SpoolEvent::Reports(reports) => Ok(reports),
            SpoolEvent::InputWritten(sequence) => {
                Ok(input_written_reports(self.inputs.note_written(sequence)))
            }
            SpoolEvent::Exited(exit) => Ok(self.end_with_report(SessionReport::Ended(exit))),
        }
    }

    fn restart_silence(&mut self) {
        self.silent_since = Instant::now();
        self.logged_silence = LOGGED_SILENCE_MIN;
    }

    /// Logs a long silence of an agent: the log of a run that does not proceed shows for which agent it waits.
    fn trace_silence(&mut self) {
        let silent = self.silent_since.elapsed();
        if self.has_ended || silent < self.logged_silence {
            return;
        }
        let is_paused = self.inputs.is_paused();
        info!(process = self.name, silent_s = silent.as_secs(), is_paused, "no output of the agent");
        self.logged_silence = silent * 2;
    }

    /// Notifies the driver if there was no output for as long as it wants to know.
    fn check_silence(&mut self) -> Result<Vec<SessionReport>, SessionError> {
        let silent = self.silent_since.elapsed();
        let silent_ms = u64::try_from(silent.as_millis()).unwrap_or(u64::MAX);
        let timeout_ms = self.spool.driver.silence_timeout_ms();
        if self.is_silence_reported || timeout_ms.is_none_or(|timeout_ms| silent_ms < timeout_ms) {
            return Ok(Vec::new());
        }
        // A suspended agent cannot write.
        if self.inputs.is_paused() {
            self.restart_silence();
            return Ok(Vec::new());
        }
        self.is_silence_reported = true;
        let reaction = self.spool.driver.on_silence(silent_ms);
        let offset = self.spool.offset();
        // The output does not show that the turn ended here, so the spool records it for later readers.
        if reaction.events.iter().any(|event| matches!(event, DriverEvent::TurnEnded { .. })) {
            self.inputs.send_without_reply(&Request::MarkTurnEnd { offset })?;
            self.spool.expect_turn_end_record(offset);
        }
        self.apply_reaction(reaction, InputPurpose::Reply(offset))
    }

    /// Ends the session with a last report, after the events of an open turn.
    fn end_with_report(&mut self, last: SessionReport) -> Vec<SessionReport> {
        self.has_ended = true;
        match &last {
            SessionReport::Ended(exit) => info!(process = self.name, ?exit, "process ended"),
            SessionReport::Lost => warn!(process = self.name, "process lost: its holder is gone"),
            SessionReport::Event(_) | SessionReport::InputWritten { .. } => {}
        }
        let reaction = self.spool.driver.on_exit();
        reaction.events.into_iter().map(SessionReport::Event).chain([last]).collect()
    }

    /// Sends the bytes of a driver's reaction, and returns its events.
    fn apply_reaction(
        &mut self,
        reaction: Reaction,
        source: InputPurpose,
    ) -> Result<Vec<SessionReport>, SessionError> {
        self.inputs.enqueue(reaction.outgoing, source)?;
        Ok(reaction.events.into_iter().map(SessionReport::Event).collect())
    }

    /// Returns the next time at which there is something to do without output.
    fn next_wake_time(&self, deadline: Option<Instant>) -> Option<Instant> {
        let is_waiting = !self.is_silence_reported && !self.has_ended;
        let timeout_ms = self.spool.driver.silence_timeout_ms().filter(|_| is_waiting);
        let silence = timeout_ms.map(|timeout_ms| self.silent_since + Duration::from_millis(timeout_ms));
        let logged = (!self.has_ended).then(|| self.silent_since + self.logged_silence);
        [deadline, self.inputs.next_send_at(), silence, logged].into_iter().flatten().min()
    }
}

fn input_written_reports(numbers: Vec<u32>) -> Vec<SessionReport> {
    numbers.into_iter().map(|number| SessionReport::InputWritten { number }).collect()
}
