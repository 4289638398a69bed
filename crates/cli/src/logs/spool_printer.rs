//! Prints the messages and tool calls of an agent from the spool of its process.

use std::io::{self, Write};

use agents::{
    Begin, Chunk, Driver, Found, Happening, Reaction, SessionError, State, Stream, ToolStatus, driver,
    preset::{self, DriverName, Launch},
};
use anstream::adapter::StripBytes;
use anstyle::Style;
use holder::spool::{self, Body, Follower, SpoolError};
use runtime::Outfit;
use serde::Serialize;
use views::SessionRow;

use crate::{
    failure::Failure,
    printable::{json, printable},
    remote::chain,
    session,
};

const FAINT: Style = Style::new().dimmed();

/// Prints the spool of one process.
pub struct SpoolPrinter<'a> {
    pub found: Found,
    pub session: &'a SessionRow,
    pub outfit: &'a Outfit,
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

impl SpoolPrinter<'_> {
    /// Prints the spool, and follows it if requested. Returns the error if the output cannot be written.
    pub fn print(&self) -> Result<Option<io::Error>, Failure> {
        let mut follower =
            Follower::open(&self.found.directory, 0).map_err(|error| self.spool_failure(&error))?;
        let mut reader = self.output_reader()?;
        let is_alive = matches!(self.found.state, State::Alive(_) | State::Starting);
        loop {
            let record = match follower.try_next() {
                Ok(None) if self.follow && is_alive => follower.next_until(None),
                other => other,
            };
            let Some(record) = record.map_err(|error| self.spool_failure(&error))? else { return Ok(None) };
            let printed = match record.body {
                Body::Output { stream: spool::Stream::Aside, .. } => Ok(()),
                Body::Output { stream, bytes } => {
                    self.print_output(&mut reader, stream, record.offset, &bytes)
                }
                Body::Exit(_) => return Ok(None),
                Body::Input { .. }
                | Body::TurnEnd { .. }
                | Body::Resize { .. }
                | Body::Gap { .. }
                | Body::Unknown { .. } => Ok(()),
            };
            if let Err(error) = printed {
                return Ok(Some(error));
            }
        }
    }

    /// Returns the driver of the agent, or a plain text reader for programs on a terminal.
    fn output_reader(&self) -> Result<OutputReader, Failure> {
        let name = self.session.agent.as_ref().and_then(|agent| self.outfit.agents.get(agent)).cloned();
        let name = name.or_else(|| self.session.agent.as_ref().map(ToString::to_string)).unwrap_or_default();
        let preset = preset::pick(&name, &self.outfit.presets).map_err(|error| Failure {
            what: chain(&error),
            hint: Some("List the known agents: jangdan agents".to_owned()),
            exit: 1,
        })?;
        if preset.driver == DriverName::Pty {
            return Ok(OutputReader::Text(StripBytes::new()));
        }
        let id = self.session.agent_session.clone().unwrap_or_default();
        let begin = Begin {
            launch: Launch::Fresh(&id),
            directory: &self.found.about.directory,
            key: &self.found.about.key,
            role: self.session.role,
            has_numeric_ids: false,
            left: None,
        };
        let mut driver = driver(&preset, &begin);
        // A reader does not send the input of the driver.
        drop(driver.open());
        Ok(OutputReader::Driver(driver))
    }

    fn print_output(
        &self,
        reader: &mut OutputReader,
        stream: spool::Stream,
        offset: u64,
        bytes: &[u8],
    ) -> io::Result<()> {
        if stream == spool::Stream::Error {
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
                    spool::Stream::Error => Stream::Errors,
                    spool::Stream::Terminal | spool::Stream::Output | spool::Stream::Aside => Stream::Output,
                };
                let Reaction { happened, send: _ } = driver.hear(Chunk { stream, offset, bytes });
                happened.iter().try_for_each(|happening| match happening {
                    Happening::Words { text } => self.print_text(text),
                    Happening::ToolCall(call) => match call.status {
                        ToolStatus::Running => self.print_tool(&call.title),
                        // It was printed when it started.
                        ToolStatus::Done => Ok(()),
                        ToolStatus::Failed => self.print_tool(&format!("{} (failed)", call.title)),
                    },
                    Happening::TurnEnded { .. } => self.print_text("\n"),
                    _ => Ok(()),
                })
            }
        }
    }

    fn print_text(&self, text: &str) -> io::Result<()> {
        let mut out = anstream::stdout().lock();
        if self.json {
            return writeln!(out, "{}", json(&OutputLine::Words { text })?);
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
            return writeln!(out, "{}", json(&OutputLine::Tool { title })?);
        }
        writeln!(out, "\n{FAINT}$ {}{FAINT:#}", printable(title))?;
        out.flush()
    }

    fn spool_failure(&self, error: &SpoolError) -> Failure {
        let source = io::Error::other(error.to_string());
        session::failure(SessionError::Io {
            action: "read the output of",
            path: self.found.name.clone().into(),
            source,
        })
    }
}
