//! The way to a run's living sessions for people: what a process wrote, its screen, keys for it, and its end.
//!
//! Works beside whoever leads the session. What is typed here is in the spool and not in the log.

mod records;
mod terminal;

use domain::{RunId, SessionId};
use holder::{
    END_GRACE,
    protocol::{Request, WindowSize},
    spool::{RecordBody, RecordReader, SpoolError, Stream},
};
use sessions::{InputWriter, SessionEntry, SessionError, SessionState, Sessions};

use crate::{Host, HostError};

pub use records::{Piece, Place, Records, WantedRecords, Way};
pub use terminal::{Picture, Screen, Shown as ScreenShown};

/// The largest window that anybody has.
const SIDE_MAX: u16 = 1000;
/// How long a holder may take to end all processes.
const END_MAX: std::time::Duration = std::time::Duration::from_secs(15);

/// A piece of what a process wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Which process of the session it is, from 1.
    pub process: u32,
    /// Where the piece begins.
    pub offset: u64,
    /// The piece.
    pub bytes: Vec<u8>,
    /// Whether nothing will follow it.
    pub is_over: bool,
}

/// Which piece is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The process; the last where none is named.
    pub process: Option<u32>,
    /// Where it begins.
    pub after: u64,
    /// How long it can be.
    pub bytes_max: usize,
}

/// Returns the processes of a session: the first, and one more each time that it came back.
pub fn processes(
    sessions: &Sessions,
    run: &RunId,
    session: SessionId,
) -> Result<Vec<SessionEntry>, SessionError> {
    let mut processes = Vec::new();
    for number in 1_u32.. {
        match sessions.find_exactly(&process_name(run, session, number))? {
            Some(found) => processes.push(found),
            None => break,
        }
    }
    Ok(processes)
}

/// Returns the name of a process of a session.
pub(crate) fn process_name(run: &RunId, session: SessionId, number: u32) -> String {
    format!("{run}-{session}-{number}")
}

impl Host {
    /// Returns a piece of what a session's process wrote, as it wrote it; secrets are masked.
    pub fn output(&self, run: &RunId, session: SessionId, wanted: Wanted) -> Result<Output, HostError> {
        let (process, found) = self.process(run, session, wanted.process)?;
        let damaged = |source: SpoolError| HostError::Spool { session, source };
        let mut output = Output { process, offset: wanted.after, bytes: Vec::new(), is_over: false };
        let mut reader = RecordReader::open(&found.directory, wanted.after).map_err(damaged)?;
        while let Some(record) = reader.next_record().map_err(damaged)? {
            match record.body {
                RecordBody::Output { stream: Stream::SideChannel, .. } => {}
                RecordBody::Output { bytes, .. } => {
                    let room = wanted.bytes_max.saturating_sub(output.bytes.len());
                    output.bytes.extend(bytes.iter().take(room));
                    if bytes.len() >= room {
                        return Ok(output);
                    }
                }
                RecordBody::Exit(_) => output.is_over = true,
                RecordBody::Input { .. }
                | RecordBody::TurnEnd { .. }
                | RecordBody::Resize { .. }
                | RecordBody::Gap { .. }
                | RecordBody::Unknown { .. } => {}
            }
        }
        output.is_over |= matches!(found.state, SessionState::Ended { .. } | SessionState::Lost);
        Ok(output)
    }

    /// Types into a session's terminal, once.
    pub fn type_in(&self, run: &RunId, session: SessionId, bytes: &[u8]) -> Result<(), HostError> {
        let found = self.on_terminal(run, session)?;
        Ok(InputWriter::connect(self.sessions(), &found)?.write(bytes)?)
    }

    /// Changes the size of a session's window.
    pub fn resize(&self, run: &RunId, session: SessionId, columns: u16, rows: u16) -> Result<(), HostError> {
        let size = WindowSize { columns: columns.clamp(1, SIDE_MAX), rows: rows.clamp(1, SIDE_MAX) };
        let found = self.on_terminal(run, session)?;
        self.sessions().request(&found, &Request::Resize(size), END_MAX)?;
        Ok(())
    }

    /// Ends the process of a session. Its run hears of it, and does what its rules say.
    pub fn end_session(&self, run: &RunId, session: SessionId) -> Result<(), HostError> {
        let (_, found) = self.process(run, session, None)?;
        match found.state {
            SessionState::Ended { .. } => Err(SessionError::Over { name: found.name }.into()),
            SessionState::Starting | SessionState::Lost => {
                self.sessions().kill_orphans(&found);
                Ok(())
            }
            SessionState::Alive(_) => {
                let request = Request::End { grace: END_GRACE };
                match self.sessions().request(&found, &request, END_GRACE + END_MAX) {
                    Ok(_) | Err(SessionError::Over { .. }) => Ok(()),
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// Opens a session's screen.
    pub fn screen(&self, run: &RunId, session: SessionId) -> Result<Screen, HostError> {
        let (_, found) = self.process(run, session, None)?;
        let is_over = matches!(found.state, SessionState::Ended { .. } | SessionState::Lost);
        Screen::open(&found.directory, is_over).map_err(|source| HostError::Spool { session, source })
    }

    fn on_terminal(&self, run: &RunId, session: SessionId) -> Result<SessionEntry, HostError> {
        let (_, found) = self.process(run, session, None)?;
        if !found.metadata.has_terminal {
            return Err(HostError::NoTerminal { session });
        }
        Ok(found)
    }

    /// Returns a process of a session, the last where none is named.
    fn process(
        &self,
        run: &RunId,
        session: SessionId,
        wanted: Option<u32>,
    ) -> Result<(u32, SessionEntry), HostError> {
        if self.rows(run)?.views.rows().sessions.get(&session).is_none() {
            return Err(HostError::UnknownSession { run: run.clone(), session });
        }
        let processes = processes(self.sessions(), run, session)?;
        let mut numbered = (1_u32..).zip(processes);
        let found = match wanted {
            Some(wanted) => numbered.find(|(number, _)| *number == wanted),
            None => numbered.last(),
        };
        found.ok_or(HostError::NoProcess { session })
    }
}
