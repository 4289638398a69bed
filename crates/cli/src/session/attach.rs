//! `jangdan session attach`: connects this terminal to a session until Ctrl-] or the session's end.

use std::{
    io::{self, IsTerminal, Write},
    os::fd::AsFd,
    process::ExitCode,
};

use holder::{
    ClientError,
    protocol::{Reply, Request, WindowSize},
    spool::{OutputSource, RecordBody},
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr},
};
use sessions::{InputWriter, SessionEntry, SessionError, SessionState, Sessions};

use super::{session_failure, terminal_filter::TerminalFilter};
use crate::{failure::Failure, localized::localized};

/// Ctrl-], as in telnet: hardly any program uses it.
const DETACH: u8 = 0x1d;
/// Earlier output that is shown again.
const BACKLOG_BYTES: u64 = 64 << 10;
/// How often the window's size is checked.
const RESIZE_POLL_MS: i64 = 500;

/// Returns the window size of this terminal; `None` if there is none.
pub(super) fn window_size() -> Option<WindowSize> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some(WindowSize { columns: size.ws_col, rows: size.ws_row })
}

pub(super) fn run(sessions: &Sessions, entry: &SessionEntry, is_raw: bool) -> Result<ExitCode, Failure> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Failure {
            what: localized("Attaching requires a terminal.", "연결하려면 터미널이 필요합니다."),
            hint: Some(localized(
                format!("Follow its output instead: jangdan session log --follow {}", entry.name),
                format!("대신 출력을 확인하세요: jangdan session log --follow {}", entry.name),
            )),
            exit: 1,
        });
    }
    let SessionState::Alive(status) = entry.state else {
        return Err(session_failure(SessionError::NotRunning { name: entry.name.clone() }));
    };
    let writer = InputWriter::connect(sessions, entry).map_err(session_failure)?;
    let mut connection = sessions.connect(entry).map_err(session_failure)?;
    let from = status.offset.saturating_sub(BACKLOG_BYTES);
    let lost = |source| session_failure(SessionError::Holder { name: entry.name.clone(), source });
    connection.send(&Request::Subscribe { from }).map_err(lost)?;
    eprintln!(
        "{}",
        localized(
            format!("Attached to {}. Ctrl-] detaches.", entry.name),
            format!("{} 세션에 연결했습니다. Ctrl-]: 연결 끊기", entry.name)
        )
    );
    let raw = RawMode::enter().map_err(|error| Failure {
        what: localized(
            format!("Cannot set the mode of this terminal ({error})."),
            format!("이 터미널의 모드를 설정할 수 없습니다({error})."),
        ),
        hint: None,
        exit: 1,
    })?;
    let end = AttachedTerminal {
        connection,
        writer,
        filter: (!is_raw).then(TerminalFilter::new),
        window: None,
        name: &entry.name,
    }
    .run();
    drop(raw);
    let name = &entry.name;
    let text = match end? {
        AttachEnd::Detached => localized(
            format!("Detached from {name}; it keeps running."),
            format!("{name} 세션과 연결을 끊었습니다. 세션은 계속 실행됩니다."),
        ),
        AttachEnd::SessionEnded => {
            localized(format!("{name} has ended."), format!("{name} 세션이 끝났습니다."))
        }
    };
    eprintln!("\n{text}");
    Ok(ExitCode::SUCCESS)
}

enum AttachEnd {
    Detached,
    SessionEnded,
}

struct AttachedTerminal<'a> {
    connection: holder::HolderConnection,
    writer: InputWriter,
    /// `None` if everything passes.
    filter: Option<TerminalFilter>,
    window: Option<WindowSize>,
    name: &'a str,
}

impl AttachedTerminal<'_> {
    fn run(&mut self) -> Result<AttachEnd, Failure> {
        loop {
            self.forward_window_size()?;
            if let Some(end) = self.print_output()? {
                return Ok(end);
            }
            let stdin = io::stdin();
            let (keys, output) = {
                let mut polled = [
                    PollFd::new(&stdin, PollFlags::IN),
                    PollFd::from_borrowed_fd(self.connection.as_fd(), PollFlags::IN),
                ];
                let wait = Timespec { tv_sec: 0, tv_nsec: RESIZE_POLL_MS * 1_000_000 };
                // If it returns early, the loop reads and waits again.
                let _ = poll(&mut polled, Some(&wait));
                let [keys, output] = polled;
                (!keys.revents().is_empty(), !output.revents().is_empty())
            };
            if keys && let Some(end) = self.forward_keys()? {
                return Ok(end);
            }
            if !keys && !output {
                continue;
            }
        }
    }

    /// Forwards typed bytes up to the detach key.
    fn forward_keys(&mut self) -> Result<Option<AttachEnd>, Failure> {
        let mut buffer = [0; 4096];
        let length = rustix::io::read(io::stdin(), &mut buffer).unwrap_or(0);
        let typed = buffer.get(..length).unwrap_or_default();
        let detach = typed.iter().position(|byte| *byte == DETACH);
        let typed = typed.get(..detach.unwrap_or(length)).unwrap_or_default();
        if !typed.is_empty() {
            self.writer.write(typed).map_err(session_failure)?;
        }
        Ok((detach.is_some() || length == 0).then_some(AttachEnd::Detached))
    }

    fn print_output(&mut self) -> Result<Option<AttachEnd>, Failure> {
        let mut out = io::stdout().lock();
        loop {
            match self.connection.try_receive() {
                Ok(Some((_, Reply::Record(record)))) => match record.body {
                    RecordBody::Output { stream: OutputSource::SideChannel, .. } => {}
                    RecordBody::Output { bytes, .. } => {
                        let bytes = match &mut self.filter {
                            Some(filter) => filter.filter(&bytes),
                            None => bytes,
                        };
                        // A closed terminal counts as detached.
                        if out.write_all(&bytes).is_err() {
                            return Ok(Some(AttachEnd::Detached));
                        }
                    }
                    RecordBody::Exit(_) => return Ok(Some(AttachEnd::SessionEnded)),
                    RecordBody::Input { .. }
                    | RecordBody::TurnEnd { .. }
                    | RecordBody::Resize { .. }
                    | RecordBody::Gap { .. }
                    | RecordBody::Unknown { .. } => {}
                },
                Ok(Some(_)) => {}
                Ok(None) => {
                    // A closed terminal is detected at the next key.
                    let _ = out.flush();
                    return Ok(None);
                }
                Err(ClientError::Closed) => return Ok(Some(AttachEnd::SessionEnded)),
                Err(source) => {
                    return Err(session_failure(SessionError::Holder { name: self.name.to_owned(), source }));
                }
            }
        }
    }

    fn forward_window_size(&mut self) -> Result<(), Failure> {
        let now = window_size();
        if now == self.window {
            return Ok(());
        }
        self.window = now;
        let Some(size) = now else { return Ok(()) };
        match self.connection.send(&Request::Resize(size)) {
            // The reply arrives among the records and is ignored.
            Ok(_) | Err(ClientError::Closed) => Ok(()),
            Err(source) => Err(session_failure(SessionError::Holder { name: self.name.to_owned(), source })),
        }
    }
}

/// Raw mode of this terminal; restores the previous mode when dropped.
struct RawMode {
    before: Termios,
}

impl RawMode {
    fn enter() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { before })
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // Resets modes that the program may have set: alternate screen, mouse, bracketed paste, hidden cursor, colours.
        // A closed terminal needs none of it.
        let _ = io::stdout().write_all(
            b"\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[?25h\x1b[0m",
        );
        let _ = io::stdout().flush();
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}
