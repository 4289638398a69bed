//! A session with an agent: its parts and the operations on it.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::process::{Signal, WaitStatus, kill_process_group};

use super::{
    agent::{self, Agent},
    event_loop::ReplyAddress,
    input_queue::{InputAcceptance, InputQueue},
    output_collector::OutputCollector,
    pause::{PauseState, foreground_process_group},
    requests::{RequestResult, SESSION_FOLDER, io_refusal},
    termination::Termination,
    time_limit::TimeLimit,
};
use crate::{
    cgroup::Cgroup,
    protocol::{Refusal, Reply, ResourceLimits, SessionPhase, SessionStatus, WindowSize},
    spool::{EndReason, Exit, RecordBody},
    status::{self, SessionEnd, SessionSummary},
};

/// Delay before writing the status file is retried.
const STATUS_RETRY: Duration = Duration::from_millis(200);
/// Longer messages must be passed as a file.
const SIDE_CHANNEL_BYTES_MAX: usize = crate::protocol::INPUT_BYTES_MAX;

/// A session whose agent was started.
pub(super) struct AgentSession {
    pub(super) agent: Agent,
    pub(super) outputs: OutputCollector,
    pub(super) inputs: InputQueue,
    pub(super) pause: PauseState,
    pub(super) termination: Option<Termination>,
    pub(super) time_limit: TimeLimit,
    pub(super) cgroup: Option<Cgroup>,
    pub(super) limits: ResourceLimits,
    pub(super) leftover_grace: Duration,
    pub(super) summary: SessionSummary,
    pub(super) status: Option<WaitStatus>,
    /// The content of the last record of the spool.
    pub(super) exit: Option<Exit>,
    pub(super) has_children: bool,
    /// Whether the session's folder exists; otherwise nothing more is recorded.
    pub(super) has_folder: bool,
    /// Folder that is removed at the end.
    pub(super) temporary: Option<PathBuf>,
    pub(super) status_at: Option<Instant>,
    /// Initial terminal size; becomes the first record, after the reply to the start.
    pub(super) first_size: Option<WindowSize>,
}

impl AgentSession {
    /// Returns when the next scheduled action is due.
    pub(super) fn next_action_at(&self) -> Option<Instant> {
        let all = [
            self.outputs.next_action_at(),
            self.termination.as_ref().filter(|_| self.has_children).map(Termination::kill_at),
            self.pause.next_scan_at(),
            self.time_limit.deadline(),
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
        if !self.has_folder {
            self.remove_remains();
            return true;
        }
        while !self.outputs.is_blocked() && self.outputs.drain_once(now) {}
        if self.exit.is_none() && !self.outputs.is_blocked() {
            self.outputs.flush(now);
            let reason =
                self.termination.as_ref().map_or(EndReason::AgentExited, |termination| termination.reason);
            let code = self.status.and_then(WaitStatus::exit_status);
            let signal = self.status.and_then(WaitStatus::terminating_signal);
            let exit = Exit { code, signal, reason };
            self.exit = Some(exit);
            self.outputs.append_record(&RecordBody::Exit(exit), now);
        }
        let Some(exit) = self.exit.filter(|_| !self.outputs.is_blocked()) else { return false };
        if self.summary.exit.is_none() {
            let (offset, inputs_written) = (self.outputs.offset(), self.inputs.last_written());
            self.summary.exit = Some(SessionEnd { exit, offset, inputs_written });
            self.status_at = Some(now);
            self.write_status(now);
        }
        if self.status_at.is_some() {
            return false;
        }
        self.remove_remains();
        true
    }

    fn remove_remains(&mut self) {
        if let Some(cgroup) = &self.cgroup {
            cgroup.remove();
        }
        if let Some(temporary) = self.temporary.take() {
            // What cannot be removed is left to the cleanup of the machine.
            let _ = std::fs::remove_dir_all(temporary);
        }
    }

    /// Returns true once when the agent has written more than its limit.
    pub(super) fn take_exceeded_output_limit(&mut self) -> bool {
        let is_exceeded = self.limits.output_bytes_max.is_some_and(|max| self.outputs.offset() > max);
        if is_exceeded {
            self.limits.output_bytes_max = None;
        }
        is_exceeded
    }

    /// Writes the status file if it is due; schedules a retry if that fails.
    pub(super) fn write_status(&mut self, now: Instant) {
        if self.status_at.is_some_and(|at| now >= at) {
            let written = status::write(Path::new(SESSION_FOLDER), &self.summary);
            // A removed folder is not coming back: give up.
            let again = written.err().filter(|error| error.kind() != ErrorKind::NotFound);
            self.status_at = again.map(|_| now + STATUS_RETRY);
        }
    }
}

impl AgentSession {
    pub(super) fn accept_input(&mut self, number: u64, bytes: Vec<u8>) -> RequestResult {
        if self.agent.input.is_none() && number > self.inputs.last_written() {
            return Err(Refusal::WrongPhase);
        }
        match self.inputs.accept(number, bytes) {
            InputAcceptance::AlreadyWritten => {
                Ok(Some(Reply::InputWritten { number: self.inputs.last_written() }))
            }
            InputAcceptance::Queued => Ok(None),
            InputAcceptance::Refused(refusal) => Err(refusal),
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
        if self.outputs.is_blocked() {
            return Err(Refusal::Busy);
        }
        agent::resize_terminal(terminal, size).map_err(io_refusal("resize"))?;
        self.outputs.append_record(&RecordBody::Resize { columns: size.columns, rows: size.rows }, now);
        Ok(())
    }

    pub(super) fn interrupt(&self) -> Result<(), Refusal> {
        let interrupted = kill_process_group(foreground_process_group(&self.agent), Signal::INT)
            .or_else(|_| kill_process_group(self.agent.pid, Signal::INT));
        interrupted.map_err(|error| io_refusal("interrupt")(error.into()))
    }

    pub(super) fn write_side_channel(&mut self, bytes: &[u8], now: Instant) -> Result<(), Refusal> {
        if self.outputs.is_blocked() {
            return Err(Refusal::Busy);
        }
        if bytes.len() > SIDE_CHANNEL_BYTES_MAX {
            return Err(Refusal::TooLong { bytes_max: SIDE_CHANNEL_BYTES_MAX as u64 });
        }
        self.outputs.flush(now);
        self.outputs.append_side_channel(bytes, now);
        Ok(())
    }

    pub(super) fn mark_turn_end(&mut self, offset: u64, now: Instant) -> Result<(), Refusal> {
        if self.outputs.is_blocked() {
            return Err(Refusal::Busy);
        }
        self.outputs.flush(now);
        if offset > self.outputs.offset() {
            return Err(Refusal::NoSuchOffset { first: 0, end: self.outputs.offset() });
        }
        self.outputs.append_record(&RecordBody::TurnEnd { offset }, now);
        Ok(())
    }

    pub(super) fn begin_pause(&mut self, waiter: ReplyAddress, now: Instant) -> RequestResult {
        if self.termination.is_some() {
            return Err(Refusal::WrongPhase);
        }
        match &mut self.pause {
            PauseState::Running => self.pause = PauseState::begin(&self.agent, waiter, now),
            PauseState::Stopping(stopping) => stopping.waiters.push(waiter),
            PauseState::Stopped { .. } => return Ok(Some(Reply::Done)),
        }
        Ok(None)
    }

    pub(super) fn status(&self) -> SessionStatus {
        let phase = match (&self.exit, &self.termination, &self.pause) {
            (Some(_), _, _) => SessionPhase::Ended,
            (None, Some(_), _) => SessionPhase::Ending,
            (None, None, PauseState::Running) => SessionPhase::Running,
            (None, None, PauseState::Stopping(_)) => SessionPhase::Stopping,
            (None, None, PauseState::Stopped { .. }) => SessionPhase::Stopped,
        };
        SessionStatus {
            phase,
            agent_pid: Some(self.summary.agent_pid),
            offset: self.outputs.offset(),
            inputs_accepted: self.inputs.last_accepted(),
            inputs_written: self.inputs.last_written(),
            is_disk_full: self.outputs.is_blocked(),
            exit: self.exit,
        }
    }
}
