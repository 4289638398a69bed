//! A session with an agent: its parts and the operations on it.

use std::{
    io::ErrorKind,
    path::Path,
    time::{Duration, Instant},
};

use rustix::process::{Signal, WaitStatus, kill_process_group};

use super::{
    agent::{self, Agent},
    clock::Clock,
    ending::Ending,
    inputs::{Inputs, Taken},
    outputs::Outputs,
    pause::{Pause, foreground},
    requests::{Answer, HERE, failed},
    session::Asker,
};
use crate::{
    cgroup::Cgroup,
    protocol::{Limits, Phase, Refusal, Reply, Status, WindowSize},
    spool::{Body, EndReason, Exit},
    status::{self, Ended, Summary},
};

/// Delay before writing the status file is retried.
const STATUS_RETRY: Duration = Duration::from_millis(200);
/// Longer messages must be passed as a file.
const ASIDE_BYTES_MAX: usize = crate::protocol::INPUT_BYTES_MAX;

/// A session whose agent was started.
pub(super) struct Held {
    pub(super) agent: Agent,
    pub(super) outputs: Outputs,
    pub(super) inputs: Inputs,
    pub(super) pause: Pause,
    pub(super) ending: Option<Ending>,
    pub(super) clock: Clock,
    pub(super) cgroup: Option<Cgroup>,
    pub(super) limits: Limits,
    pub(super) leftover_grace: Duration,
    pub(super) summary: Summary,
    pub(super) status: Option<WaitStatus>,
    /// The content of the last record of the spool.
    pub(super) exit: Option<Exit>,
    pub(super) has_children: bool,
    pub(super) status_at: Option<Instant>,
    /// Initial terminal size; becomes the first record, after the reply to the start.
    pub(super) first_size: Option<WindowSize>,
}

impl Held {
    /// Returns when the next scheduled action is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let all = [
            self.outputs.deadline(),
            self.ending.as_ref().filter(|_| self.has_children).map(Ending::deadline),
            self.pause.deadline(),
            self.clock.deadline(),
            self.status_at,
        ];
        all.into_iter().flatten().min()
    }

    /// After all processes have ended: reads the remaining output, records the exit and writes the status. Returns
    /// true when all of this is done.
    pub(super) fn finish(&mut self, now: Instant) -> bool {
        if self.has_children {
            return false;
        }
        while !self.outputs.is_waiting() && self.outputs.drain_some(now) {}
        if self.exit.is_none() && !self.outputs.is_waiting() {
            self.outputs.flush(now);
            let reason = self.ending.as_ref().map_or(EndReason::Itself, |ending| ending.reason);
            let code = self.status.and_then(WaitStatus::exit_status);
            let signal = self.status.and_then(WaitStatus::terminating_signal);
            let exit = Exit { code, signal, reason };
            self.exit = Some(exit);
            self.outputs.append(&Body::Exit(exit), now);
        }
        let Some(exit) = self.exit.filter(|_| !self.outputs.is_waiting()) else { return false };
        if self.summary.exit.is_none() {
            let (offset, input_typed) = (self.outputs.offset(), self.inputs.typed());
            self.summary.exit = Some(Ended { exit, offset, input_typed });
            self.status_at = Some(now);
            self.write_status(now);
        }
        if self.status_at.is_some() {
            return false;
        }
        if let Some(cgroup) = &self.cgroup {
            cgroup.remove();
        }
        true
    }

    /// Writes the status file if it is due; schedules a retry if that fails.
    pub(super) fn write_status(&mut self, now: Instant) {
        if self.status_at.is_some_and(|at| now >= at) {
            let written = status::write(Path::new(HERE), &self.summary);
            // A removed folder is not coming back: give up.
            let again = written.err().filter(|error| error.kind() != ErrorKind::NotFound);
            self.status_at = again.map(|_| now + STATUS_RETRY);
        }
    }
}

impl Held {
    pub(super) fn take_input(&mut self, number: u64, bytes: Vec<u8>) -> Answer {
        if self.agent.input.is_none() && number > self.inputs.typed() {
            return Err(Refusal::WrongPhase);
        }
        match self.inputs.take(number, bytes) {
            Taken::Before => Ok(Some(Reply::Typed { number: self.inputs.typed() })),
            Taken::Waits => Ok(None),
            Taken::Refused(refusal) => Err(refusal),
        }
    }

    pub(super) fn close_input(&mut self) -> Result<(), Refusal> {
        if self.agent.terminal.is_some() {
            return Err(Refusal::WrongPhase);
        }
        self.inputs.is_closing = true;
        if self.inputs.is_empty() {
            self.agent.input = None;
        }
        Ok(())
    }

    pub(super) fn resize(&mut self, size: WindowSize, now: Instant) -> Result<(), Refusal> {
        let Some(terminal) = &self.agent.terminal else { return Err(Refusal::WrongPhase) };
        if self.outputs.is_waiting() {
            return Err(Refusal::Busy);
        }
        agent::resize(terminal, size).map_err(failed("resize"))?;
        self.outputs.append(&Body::Resize { columns: size.columns, rows: size.rows }, now);
        Ok(())
    }

    pub(super) fn interrupt(&self) -> Result<(), Refusal> {
        let interrupted = kill_process_group(foreground(&self.agent), Signal::INT)
            .or_else(|_| kill_process_group(self.agent.pid, Signal::INT));
        interrupted.map_err(|error| failed("interrupt")(error.into()))
    }

    pub(super) fn say_aside(&mut self, bytes: &[u8], now: Instant) -> Result<(), Refusal> {
        if self.outputs.is_waiting() {
            return Err(Refusal::Busy);
        }
        if bytes.len() > ASIDE_BYTES_MAX {
            return Err(Refusal::TooLong { bytes_max: ASIDE_BYTES_MAX as u64 });
        }
        self.outputs.flush(now);
        self.outputs.append_aside(bytes, now);
        Ok(())
    }

    pub(super) fn mark_turn_end(&mut self, offset: u64, now: Instant) -> Result<(), Refusal> {
        if self.outputs.is_waiting() {
            return Err(Refusal::Busy);
        }
        self.outputs.flush(now);
        if offset > self.outputs.offset() {
            return Err(Refusal::NoSuchOffset { first: 0, end: self.outputs.offset() });
        }
        self.outputs.append(&Body::TurnEnd { offset }, now);
        Ok(())
    }

    pub(super) fn stop(&mut self, asker: Asker, now: Instant) -> Answer {
        if self.ending.is_some() {
            return Err(Refusal::WrongPhase);
        }
        match &mut self.pause {
            Pause::Moving => self.pause = Pause::begin(&self.agent, asker, now),
            Pause::Stopping(stopping) => stopping.askers.push(asker),
            Pause::Still { .. } => return Ok(Some(Reply::Done)),
        }
        Ok(None)
    }

    pub(super) fn status(&self) -> Status {
        let phase = match (&self.exit, &self.ending, &self.pause) {
            (Some(_), _, _) => Phase::Ended,
            (None, Some(_), _) => Phase::Ending,
            (None, None, Pause::Moving) => Phase::Running,
            (None, None, Pause::Stopping(_)) => Phase::Stopping,
            (None, None, Pause::Still { .. }) => Phase::Stopped,
        };
        Status {
            phase,
            agent_pid: Some(self.summary.agent_pid),
            offset: self.outputs.offset(),
            input_taken: self.inputs.taken(),
            input_typed: self.inputs.typed(),
            is_disk_full: self.outputs.is_waiting(),
            exit: self.exit,
        }
    }
}
