//! Reads the spool of one process, and prints what its agent says and does.

use std::io::{self, Write};

use anstream::adapter::StripBytes;
use anstyle::Style;
use drivers::{Chunk, Driver, DriverSetup, Happening, Left, Reaction, Stream, ToolStatus};
use holder::spool::{self, Body, Follower, SpoolError};
use serde::Serialize;
use sessions::{Found, SessionError, State};

use crate::{
    failure::Failure,
    printable::{json, printable},
    session::{self, converse},
};

const FAINT: Style = Style::new().dimmed();

/// One process that is read.
pub struct Reading {
    pub found: Found,
    pub json: bool,
    pub follow: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Said<'a> {
    Words { text: &'a str },
    Tool { title: &'a str },
}

/// How what a process writes becomes words.
enum Ear {
    /// Its own protocol.
    Driver(Box<dyn Driver>),
    /// Text on a terminal.
    Text(StripBytes),
}

impl Reading {
    /// Prints everything, and goes on where that is wanted. Returns why the output could not be written.
    pub fn print(&self) -> Result<Option<io::Error>, Failure> {
        let mut follower = Follower::open(&self.found.directory, 0).map_err(|error| self.damaged(error))?;
        let mut ear = self.ear();
        let lives = matches!(self.found.state, State::Alive(_) | State::Starting);
        loop {
            let record = match follower.try_next() {
                Ok(None) if self.follow && lives => follower.next_until(None),
                other => other,
            };
            let Some(record) = record.map_err(|error| self.damaged(error))? else { return Ok(None) };
            let printed = match record.body {
                Body::Output { stream: spool::Stream::Aside, .. } => Ok(()),
                Body::Output { stream, bytes } => self.hear(&mut ear, stream, record.offset, &bytes),
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

    /// Makes what reads this process: its driver, and for programs on a terminal nothing but their text.
    fn ear(&self) -> Ear {
        let setup = converse::driver_of(&self.found, Left::default());
        match setup.filter(|_| session::is_spoken_with(&self.found)) {
            Some(DriverSetup { mut driver, .. }) => {
                // A reader does not send what the driver would send.
                drop(driver.open());
                Ear::Driver(driver)
            }
            None => Ear::Text(StripBytes::new()),
        }
    }

    fn hear(&self, ear: &mut Ear, stream: spool::Stream, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if stream == spool::Stream::Error {
            // No agent talks there, but this is where it says why it can't.
            let text: Vec<u8> = StripBytes::new().strip_next(bytes).flatten().copied().collect();
            self.words(&String::from_utf8_lossy(&text))?;
        }
        match ear {
            Ear::Text(strip) => {
                let text: Vec<u8> = strip.strip_next(bytes).flatten().copied().collect();
                self.words(&String::from_utf8_lossy(&text))
            }
            Ear::Driver(driver) => {
                let stream = match stream {
                    spool::Stream::Error => Stream::Errors,
                    spool::Stream::Terminal | spool::Stream::Output | spool::Stream::Aside => Stream::Output,
                };
                let Reaction { happened, send: _ } = driver.hear(Chunk { stream, offset, bytes });
                happened.iter().try_for_each(|happening| match happening {
                    Happening::Words { text } => self.words(text),
                    Happening::ToolCall(call) => match call.status {
                        ToolStatus::Running => self.tool(&call.title),
                        // It was told when it began.
                        ToolStatus::Done => Ok(()),
                        ToolStatus::Failed => self.tool(&format!("{} (failed)", call.title)),
                    },
                    Happening::TurnEnded { .. } => self.words("\n"),
                    _ => Ok(()),
                })
            }
        }
    }

    fn words(&self, text: &str) -> io::Result<()> {
        let mut out = anstream::stdout().lock();
        if self.json {
            return writeln!(out, "{}", json(&Said::Words { text })?);
        }
        // Lines stay lines; whatever else a terminal would obey is shown as a sign.
        let lines: Vec<String> =
            text.split('\n').map(|line| printable(line.trim_end_matches('\r'))).collect();
        write!(out, "{}", lines.join("\n"))?;
        out.flush()
    }

    fn tool(&self, title: &str) -> io::Result<()> {
        let mut out = anstream::stdout().lock();
        if self.json {
            return writeln!(out, "{}", json(&Said::Tool { title })?);
        }
        writeln!(out, "\n{FAINT}$ {}{FAINT:#}", printable(title))?;
        out.flush()
    }

    fn damaged(&self, source: SpoolError) -> Failure {
        session::failure(SessionError::Spool { name: self.found.name.clone(), source })
    }
}
