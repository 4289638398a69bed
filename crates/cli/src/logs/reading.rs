//! Reads the spool of one process, and prints what its agent says and does.

use std::io::{self, Write};

use anstream::adapter::StripBytes;
use anstyle::Style;
use drivers::{
    Begin, Chunk, Driver, Happening, Reaction, Stream, ToolStatus, driver,
    preset::{self, DriverName, Launch},
};
use holder::spool::{self, Body, Follower, SpoolError};
use runtime::Outfit;
use serde::Serialize;
use sessions::{Found, SessionError, State};
use views::SessionRow;

use crate::{
    failure::Failure,
    printable::{json, printable},
    remote::chain,
    session,
};

const FAINT: Style = Style::new().dimmed();

/// One process that is read.
pub struct Reading<'a> {
    pub found: Found,
    pub session: &'a SessionRow,
    pub outfit: &'a Outfit,
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

impl Reading<'_> {
    /// Prints everything, and goes on where that is wanted. Returns why the output could not be written.
    pub fn print(&self) -> Result<Option<io::Error>, Failure> {
        let mut follower = Follower::open(&self.found.directory, 0).map_err(|error| self.damaged(&error))?;
        let mut ear = self.ear()?;
        let lives = matches!(self.found.state, State::Alive(_) | State::Starting);
        loop {
            let record = match follower.try_next() {
                Ok(None) if self.follow && lives => follower.next_until(None),
                other => other,
            };
            let Some(record) = record.map_err(|error| self.damaged(&error))? else { return Ok(None) };
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
    fn ear(&self) -> Result<Ear, Failure> {
        let name = self.session.agent.as_ref().and_then(|agent| self.outfit.agents.get(agent)).cloned();
        let name = name.or_else(|| self.session.agent.as_ref().map(ToString::to_string)).unwrap_or_default();
        let preset = preset::pick(&name, &self.outfit.presets).map_err(|error| Failure {
            what: chain(&error),
            hint: Some("jangdan agents lists those that Jangdan knows".to_owned()),
            exit: 1,
        })?;
        if preset.driver == DriverName::Pty {
            return Ok(Ear::Text(StripBytes::new()));
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
        // What it would send is nothing that a reader says.
        drop(driver.open());
        Ok(Ear::Driver(driver))
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

    fn damaged(&self, error: &SpoolError) -> Failure {
        let source = io::Error::other(error.to_string());
        session::failure(SessionError::Io {
            action: "read what was written by",
            path: self.found.name.clone().into(),
            source,
        })
    }
}
