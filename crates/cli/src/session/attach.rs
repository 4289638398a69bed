//! `jangdan session attach`: this terminal becomes the session's, until Ctrl-] or its end.

use std::{
    io::{self, IsTerminal, Write},
    os::fd::AsFd,
    process::ExitCode,
};

use holder::{
    ClientError,
    protocol::{Reply, Request, WindowSize},
    spool::{RecordBody, Stream},
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr},
};
use sessions::{InputWriter, SessionEntry, SessionError, SessionState, Sessions};

use super::failure;
use crate::failure::Failure;

/// Ctrl-], as telnet has it: hardly any program wants it.
const DETACH: u8 = 0x1d;
/// How much of what was written before is shown again.
const BACKLOG_BYTES: u64 = 64 << 10;
/// How often the window's size is looked at.
const LOOK_MS: i64 = 500;

/// Returns the size of this terminal.
pub fn window() -> Option<WindowSize> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some(WindowSize { columns: size.ws_col, rows: size.ws_row })
}

pub fn run(sessions: &Sessions, found: &SessionEntry) -> Result<ExitCode, Failure> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Failure {
            what: "attach needs a terminal".to_owned(),
            hint: Some(format!("read what it writes: jangdan session log --follow {}", found.name)),
            exit: 1,
        });
    }
    let SessionState::Alive(status) = found.state else {
        return Err(failure(SessionError::Over { name: found.name.clone() }));
    };
    let typist = InputWriter::connect(sessions, found).map_err(failure)?;
    let mut connection = sessions.connect(found).map_err(failure)?;
    let from = status.offset.saturating_sub(BACKLOG_BYTES);
    let lost = |source| failure(SessionError::Holder { name: found.name.clone(), source });
    connection.send(&Request::Subscribe { from }).map_err(lost)?;
    eprintln!("attached to {}; Ctrl-] leaves it", found.name);
    let raw = Raw::enter().map_err(|error| Failure {
        what: format!("use this terminal: {error}"),
        hint: None,
        exit: 1,
    })?;
    let end = Attached { connection, typist, window: None, name: &found.name }.turn();
    drop(raw);
    match end? {
        End::Left => eprintln!("\nleft {}; it goes on", found.name),
        End::Over => eprintln!("\n{} is over", found.name),
    }
    Ok(ExitCode::SUCCESS)
}

enum End {
    Left,
    Over,
}

struct Attached<'a> {
    connection: holder::HolderConnection,
    typist: InputWriter,
    window: Option<WindowSize>,
    name: &'a str,
}

impl Attached<'_> {
    fn turn(&mut self) -> Result<End, Failure> {
        loop {
            self.fit_window()?;
            if let Some(end) = self.show()? {
                return Ok(end);
            }
            let stdin = io::stdin();
            let (keys, output) = {
                let mut polled = [
                    PollFd::new(&stdin, PollFlags::IN),
                    PollFd::from_borrowed_fd(self.connection.as_fd(), PollFlags::IN),
                ];
                let wait = Timespec { tv_sec: 0, tv_nsec: LOOK_MS * 1_000_000 };
                let _ = poll(&mut polled, Some(&wait));
                let [keys, output] = polled;
                (!keys.revents().is_empty(), !output.revents().is_empty())
            };
            if keys && let Some(end) = self.take_keys()? {
                return Ok(end);
            }
            if !keys && !output {
                continue;
            }
        }
    }

    /// Passes on what was typed, up to the key that leaves.
    fn take_keys(&mut self) -> Result<Option<End>, Failure> {
        let mut buffer = [0; 4096];
        let length = rustix::io::read(io::stdin(), &mut buffer).unwrap_or(0);
        let typed = buffer.get(..length).unwrap_or_default();
        let leaves = typed.iter().position(|byte| *byte == DETACH);
        let typed = typed.get(..leaves.unwrap_or(length)).unwrap_or_default();
        if !typed.is_empty() {
            self.typist.write(typed).map_err(failure)?;
        }
        Ok((leaves.is_some() || length == 0).then_some(End::Left))
    }

    /// Shows what the session wrote.
    fn show(&mut self) -> Result<Option<End>, Failure> {
        let mut out = io::stdout().lock();
        loop {
            match self.connection.try_receive() {
                Ok(Some((_, Reply::Record(record)))) => match record.body {
                    RecordBody::Output { stream: Stream::SideChannel, .. } => {}
                    RecordBody::Output { bytes, .. } => {
                        // A terminal that is gone is one that was left.
                        if out.write_all(&bytes).is_err() {
                            return Ok(Some(End::Left));
                        }
                    }
                    RecordBody::Exit(_) => return Ok(Some(End::Over)),
                    RecordBody::Input { .. }
                    | RecordBody::TurnEnd { .. }
                    | RecordBody::Resize { .. }
                    | RecordBody::Gap { .. }
                    | RecordBody::Unknown { .. } => {}
                },
                Ok(Some(_)) => {}
                Ok(None) => {
                    let _ = out.flush();
                    return Ok(None);
                }
                Err(ClientError::Closed) => return Ok(Some(End::Over)),
                Err(source) => {
                    return Err(failure(SessionError::Holder { name: self.name.to_owned(), source }));
                }
            }
        }
    }

    fn fit_window(&mut self) -> Result<(), Failure> {
        let now = window();
        if now == self.window {
            return Ok(());
        }
        self.window = now;
        let Some(size) = now else { return Ok(()) };
        match self.connection.send(&Request::Resize(size)) {
            // Its reply comes among the records, and says nothing new.
            Ok(_) | Err(ClientError::Closed) => Ok(()),
            Err(source) => Err(failure(SessionError::Holder { name: self.name.to_owned(), source })),
        }
    }
}

/// This terminal, passing every key on; as it was again when dropped.
struct Raw {
    before: Termios,
}

impl Raw {
    fn enter() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // Whatever the program switched on: alternate screen, mouse, paste marks, a hidden cursor, colours.
        let _ = io::stdout().write_all(
            b"\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[?25h\x1b[0m",
        );
        let _ = io::stdout().flush();
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}
