//! Prints the messages and tool calls of an agent from the spool of its process.

use std::io::{self, Write};

use anstream::adapter::StripBytes;
use anstyle::Style;
use drivers::{
    Driver, DriverCheckpoint, DriverEvent, DriverSetup, OutputStream, Reaction, SpoolChunk, ToolStatus,
};
use holder::spool::{self, RecordBody, RecordFollower, SpoolError};
use serde::Serialize;
use sessions::{SessionEntry, SessionError, SessionState};

use crate::{
    failure::Failure,
    printable::{printable, printable_json},
    session::{self, agent_conversation},
};

const FAINT: Style = Style::new().dimmed();

/// Prints the spool of one process.
pub(super) struct SpoolPrinter {
    pub entry: SessionEntry,
    pub json: bool,
    pub follow: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum OutputLine<'a> {
    Words { text: &'a str },
    Tool { title: &'a str },
}

/// Converts the output of a process to text.
enum OutputReader {
    /// By the protocol of the agent.
    Driver(Box<dyn Driver>),
    /// As text of a terminal, without escape sequences.
    Text(StripBytes),
}

impl SpoolPrinter {
    /// Prints the spool, and follows it if requested. Returns the error if the output cannot be written.
    pub(super) fn print(&self) -> Result<Option<io::Error>, Failure> {
        let mut follower =
            RecordFollower::open(&self.entry.directory, 0).map_err(|error| self.spool_failure(error))?;
        let mut reader = self.output_reader();
        let is_alive = matches!(self.entry.state, SessionState::Alive(_) | SessionState::Starting);
        loop {
            let record = match follower.try_next() {
                Ok(None) if self.follow && is_alive => follower.next_until(None),
                other => other,
            };
            let Some(record) = record.map_err(|error| self.spool_failure(error))? else { return Ok(None) };
            let printed = match record.body {
                RecordBody::Output { stream: spool::OutputSource::SideChannel, .. } => Ok(()),
                RecordBody::Output { stream, bytes } => {
                    self.print_output(&mut reader, stream, record.offset, &bytes)
                }
                RecordBody::Exit(_) => return Ok(None),
                RecordBody::Input { .. }
                | RecordBody::TurnEnd { .. }
                | RecordBody::Resize { .. }
                | RecordBody::Gap { .. }
                | RecordBody::Unknown { .. } => Ok(()),
            };
            if let Err(error) = printed {
                return Ok(Some(error));
            }
        }
    }

    /// Returns the driver of the agent, or a plain text reader for programs on a terminal.
    fn output_reader(&self) -> OutputReader {
        let setup = agent_conversation::set_up_session_driver(&self.entry, DriverCheckpoint::default());
        match setup.filter(|_| session::has_protocol_driver(&self.entry)) {
            Some(DriverSetup { mut driver, .. }) => {
                // A reader does not send the input of the driver.
                drop(driver.on_start());
                OutputReader::Driver(driver)
            }
            None => OutputReader::Text(StripBytes::new()),
        }
    }

    fn print_output(
        &self,
        reader: &mut OutputReader,
        stream: spool::OutputSource,
        offset: u64,
        bytes: &[u8],
    ) -> io::Result<()> {
        if stream == spool::OutputSource::Error {
            // Agents report start-up failures on standard error.
            let text: Vec<u8> = StripBytes::new().strip_next(bytes).flatten().copied().collect();
            self.print_text(&String::from_utf8_lossy(&text))?;
        }
        match reader {
            OutputReader::Text(strip) => {
                let text: Vec<u8> = strip.strip_next(bytes).flatten().copied().collect();
                self.print_text(&String::from_utf8_lossy(&text))
            }
            OutputReader::Driver(driver) => {
                let stream = match stream {
                    spool::OutputSource::Error => OutputStream::Stderr,
                    spool::OutputSource::Terminal
                    | spool::OutputSource::Output
                    | spool::OutputSource::SideChannel => OutputStream::Output,
                };
                let Reaction { events, outgoing: _ } = driver.on_output(SpoolChunk { stream, offset, bytes });
                events.iter().try_for_each(|event| match event {
                    DriverEvent::Text { text } => self.print_text(text),
                    DriverEvent::ToolCall(call) => match call.status {
                        ToolStatus::Running => self.print_tool(&call.title),
                        // It was printed when it started.
                        ToolStatus::Done => Ok(()),
                        ToolStatus::Failed => self.print_tool(&format!("{} (failed)", call.title)),
                    },
                    DriverEvent::TurnEnded { .. } => self.print_text("\n"),
                    DriverEvent::Ready { .. }
                    | DriverEvent::Model { .. }
                    | DriverEvent::Message { .. }
                    | DriverEvent::Permission { .. }
                    | DriverEvent::Question { .. }
                    | DriverEvent::Plan { .. }
                    | DriverEvent::Mode { .. }
                    | DriverEvent::PromptWithdrawn { .. }
                    | DriverEvent::Usage(_)
                    | DriverEvent::Warning(_) => Ok(()),
                })
            }
        }
    }

    fn print_text(&self, text: &str) -> io::Result<()> {
        let mut out = anstream::stdout().lock();
        if self.json {
            return writeln!(out, "{}", printable_json(&OutputLine::Words { text })?);
        }
        // Keep line breaks, replace other control characters.
        let lines: Vec<String> =
            text.split('\n').map(|line| printable(line.trim_end_matches('\r'))).collect();
        write!(out, "{}", lines.join("\n"))?;
        out.flush()
    }

    fn print_tool(&self, title: &str) -> io::Result<()> {
        let mut out = anstream::stdout().lock();
        if self.json {
            return writeln!(out, "{}", printable_json(&OutputLine::Tool { title })?);
        }
        writeln!(out, "\n{FAINT}$ {}{FAINT:#}", printable(title))?;
        out.flush()
    }

    fn spool_failure(&self, source: SpoolError) -> Failure {
        session::session_failure(SessionError::Spool { name: self.entry.name.clone(), source })
    }
}
