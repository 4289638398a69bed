//! Access of users to the sessions of a run: output, screen, input and end of a process.
//!
//! Independent of the session's thread. Keys that are sent here are recorded in the spool; the log has who typed, and how
//! many bytes.

mod io_records;
mod screen;

use std::error::Error;

use domain::{Report, RunId, SessionId, UserCommand};
use holder::{
    END_GRACE,
    protocol::{Request, WindowSize},
    spool::{OutputSource, RecordBody, RecordReader, SpoolError},
};
use sessions::{CallerOrigin, InputWriter, SessionEntry, SessionError, SessionState, Sessions};
use tracing::{debug, warn};

use crate::{CommandSender, Host, HostError};

pub use io_records::{IoDirection, IoRecord, IoRecordPage, IoRecordQuery, PageStart};
pub use screen::{ScreenSnapshot, ScreenStream, ScreenUpdate};

/// Limit of the columns and rows of a window.
const WINDOW_SIDE_MAX: u16 = 1000;
/// Time that a holder has to reply.
const REPLY_MAX: std::time::Duration = std::time::Duration::from_secs(15);

/// A part of the output of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputChunk {
    /// Number of the process in its session, from 1.
    pub process: u32,
    /// Offset of the first byte.
    pub offset: u64,
    /// Bytes of the output.
    pub bytes: Vec<u8>,
    /// Whether no more output will follow.
    pub is_last: bool,
}

/// Selects a part of the output of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputQuery {
    /// Number of the process; the last one if absent.
    pub process: Option<u32>,
    /// Offset of the first byte.
    pub after: u64,
    /// Limit of the number of bytes.
    pub bytes_max: usize,
}

/// Returns the processes of a session in order.
pub fn session_processes(
    sessions: &Sessions,
    run: &RunId,
    session: SessionId,
) -> Result<Vec<SessionEntry>, SessionError> {
    let mut processes = Vec::new();
    for number in 1_u32.. {
        match sessions.find_exactly(&process_name(run, session, number))? {
            Some(entry) => processes.push(entry),
            None => break,
        }
    }
    Ok(processes)
}

/// Ends the last process of a session.
pub(crate) fn end_last_process(
    sessions: &Sessions,
    run: &RunId,
    session: SessionId,
) -> Result<(), SessionError> {
    let Some(entry) = session_processes(sessions, run, session)?.pop() else {
        return Err(SessionError::NotRunning { name: process_name(run, session, 1) });
    };
    match entry.state {
        SessionState::Ended { .. } => Err(SessionError::NotRunning { name: entry.name }),
        SessionState::Starting | SessionState::Lost => {
            sessions.kill_orphans(&entry);
            Ok(())
        }
        SessionState::Alive(_) => {
            let request = Request::End { grace: END_GRACE };
            match sessions.request(&entry, &request, END_GRACE + REPLY_MAX) {
                Ok(_) | Err(SessionError::NotRunning { .. }) => Ok(()),
                Err(error) => Err(error),
            }
        }
    }
}

/// Returns the name of a process of a session.
pub(crate) fn process_name(run: &RunId, session: SessionId, number: u32) -> String {
    format!("{run}-{session}-{number}")
}

impl Host {
    /// Returns whether this data directory may have sessions.
    pub fn has_sessions(&self) -> bool {
        self.session_store().has_any()
    }

    /// Finds out whether a process belongs to a session of this data directory.
    pub fn caller_origin(&self, pid: u32) -> CallerOrigin {
        self.session_store().caller_origin(pid)
    }

    /// Reports to the run of a process that it called the server as if it were the user.
    pub fn report_user_act(&self, process: &str, request: String) {
        warn!(process, request, "a process of a session tried to act as the user");
        let Some((run, name)) = process.split_once('-') else { return };
        let Ok(run) = run.parse() else { return };
        let session = name.rsplit_once('-').and_then(|(session, _)| session.parse().ok());
        let report = Report::UserActRefused { session, process: process.to_owned(), request };
        if let Err(error) = self.report(&run, report) {
            debug!(%run, error = &error as &dyn Error, "the attempt is not escalated");
        }
    }

    /// Returns a part of the output of a process, without decoding it. Secrets are masked.
    pub fn session_output(
        &self,
        run: &RunId,
        session: SessionId,
        query: OutputQuery,
    ) -> Result<OutputChunk, HostError> {
        let (process, entry) = self.find_process(run, session, query.process)?;
        let spool_error = |source: SpoolError| HostError::Spool { session, source };
        let mut output = OutputChunk { process, offset: query.after, bytes: Vec::new(), is_last: false };
        let mut reader = RecordReader::open(&entry.directory, query.after).map_err(spool_error)?;
        while let Some(record) = reader.next_record().map_err(spool_error)? {
            match record.body {
                RecordBody::Output { stream: OutputSource::SideChannel, .. } => {}
                RecordBody::Output { bytes, .. } => {
                    let remaining = query.bytes_max.saturating_sub(output.bytes.len());
                    output.bytes.extend(bytes.iter().take(remaining));
                    if bytes.len() >= remaining {
                        return Ok(output);
                    }
                }
                RecordBody::Exit(_) => output.is_last = true,
                RecordBody::Input { .. }
                | RecordBody::TurnEnd { .. }
                | RecordBody::Resize { .. }
                | RecordBody::Gap { .. }
                | RecordBody::Unknown { .. } => {}
            }
        }
        output.is_last |= matches!(entry.state, SessionState::Ended { .. } | SessionState::Lost);
        Ok(output)
    }

    /// Writes bytes of a user to the terminal of a session.
    pub fn send_keys(
        &self,
        run: &RunId,
        person: &str,
        session: SessionId,
        bytes: &[u8],
    ) -> Result<(), HostError> {
        let entry = self.terminal_process(run, session)?;
        InputWriter::connect(self.session_store(), &entry)?.write(bytes)?;
        self.record_typed_input(run, person, session, bytes.len() as u64)
    }

    /// Changes the window size of a session's terminal.
    pub fn resize_terminal(
        &self,
        run: &RunId,
        session: SessionId,
        columns: u16,
        rows: u16,
    ) -> Result<(), HostError> {
        let size =
            WindowSize { columns: columns.clamp(1, WINDOW_SIDE_MAX), rows: rows.clamp(1, WINDOW_SIDE_MAX) };
        let entry = self.terminal_process(run, session)?;
        self.session_store().request(&entry, &Request::Resize(size), REPLY_MAX)?;
        Ok(())
    }

    /// Ends the process of a session, and returns when it was told to end. The run decides how to continue.
    pub fn end_session<'a>(
        &self,
        run: &RunId,
        sender: impl Into<CommandSender<'a>>,
        session: SessionId,
    ) -> Result<(), HostError> {
        if self.run_snapshot(run)?.views.rows().sessions.get(&session).is_none() {
            return Err(HostError::UnknownSession { run: run.clone(), session });
        }
        self.execute_command(run, sender, UserCommand::StopSession(session))?;
        let stopped = self.wait_for_rows(run, move |rows| {
            let row = rows.sessions.get(&session)?;
            row.stop_requested_at.is_none().then(|| row.stop_error.clone())
        })?;
        match stopped {
            None => Ok(()),
            Some(reason) => Err(HostError::NotStopped { session, reason }),
        }
    }

    /// Opens a stream of the screen of a session.
    pub fn open_screen_stream(&self, run: &RunId, session: SessionId) -> Result<ScreenStream, HostError> {
        let (_, entry) = self.find_process(run, session, None)?;
        let has_ended = matches!(entry.state, SessionState::Ended { .. } | SessionState::Lost);
        ScreenStream::open(&entry.directory, has_ended).map_err(|source| HostError::Spool { session, source })
    }

    fn terminal_process(&self, run: &RunId, session: SessionId) -> Result<SessionEntry, HostError> {
        let (_, entry) = self.find_process(run, session, None)?;
        if !entry.metadata.has_terminal {
            return Err(HostError::NoTerminal { session });
        }
        Ok(entry)
    }

    /// Returns a process of a session by its number; the last one if `None`.
    fn find_process(
        &self,
        run: &RunId,
        session: SessionId,
        number: Option<u32>,
    ) -> Result<(u32, SessionEntry), HostError> {
        if self.run_snapshot(run)?.views.rows().sessions.get(&session).is_none() {
            return Err(HostError::UnknownSession { run: run.clone(), session });
        }
        let processes = session_processes(self.session_store(), run, session)?;
        let mut numbered = (1_u32..).zip(processes);
        let entry = match number {
            Some(number) => numbered.find(|(other, _)| *other == number),
            None => numbered.last(),
        };
        entry.ok_or(HostError::NoProcess { session })
    }
}
