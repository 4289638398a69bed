//! Reads standard input by line or by key, only when the script waits for it.
//!
//! There is no background reader: a script that does not read leaves the pipe full, as a real program would.

use std::{
    io,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, read},
    stdio::stdin,
};

/// Result of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputEvent {
    /// A line without its end; invalid UTF-8 is replaced.
    Line(String),
    /// No line arrived in time.
    TimedOut,
    /// The input was closed.
    Closed,
}

/// Longer lines are split; real input is far shorter.
const LINE_BYTES_MAX: usize = 64 * 1024 * 1024;

#[derive(Debug, Default)]
pub(crate) struct StdinReader {
    buffer: Vec<u8>,
    is_closed: bool,
}

impl StdinReader {
    /// Returns the next line; waits indefinitely without a timeout.
    pub(crate) fn next_line(&mut self, timeout: Option<Duration>) -> io::Result<InputEvent> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        loop {
            // A terminal in raw mode sends a carriage return for Enter.
            if let Some(at) = self.buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
                let mut line: Vec<u8> = self.buffer.drain(..=at).collect();
                let end = line.pop();
                if end == Some(b'\r') && self.buffer.first() == Some(&b'\n') {
                    self.buffer.remove(0);
                }
                return Ok(InputEvent::Line(String::from_utf8_lossy(&line).into_owned()));
            }
            if self.is_closed || self.buffer.len() > LINE_BYTES_MAX {
                let rest = std::mem::take(&mut self.buffer);
                return Ok(match rest.is_empty() {
                    true => InputEvent::Closed,
                    false => InputEvent::Line(String::from_utf8_lossy(&rest).into_owned()),
                });
            }
            let remaining = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if !self.fill_buffer(remaining)? {
                return Ok(InputEvent::TimedOut);
            }
        }
    }

    /// Returns the bytes of pressed keys; `None` on timeout or if the input was closed.
    pub(crate) fn next_keys(&mut self, timeout: Option<Duration>) -> io::Result<Option<Vec<u8>>> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        while self.buffer.is_empty() && !self.is_closed {
            let remaining = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if !self.fill_buffer(remaining)? {
                return Ok(None);
            }
        }
        let keys = std::mem::take(&mut self.buffer);
        Ok(Some(keys).filter(|keys| !keys.is_empty()))
    }

    /// Reads available bytes; returns false on timeout.
    fn fill_buffer(&mut self, timeout: Option<Duration>) -> io::Result<bool> {
        let mut fds = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
        let timespec = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        match poll(&mut fds, timespec.as_ref()) {
            Ok(0) => return Ok(false),
            // The caller checks the deadline and calls again.
            Err(Errno::INTR) => return Ok(timeout.is_none_or(|timeout| !timeout.is_zero())),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut buffer = [0; 16 * 1024];
        match read(stdin(), &mut buffer) {
            // A terminal whose other end is closed returns EIO.
            Ok(0) | Err(Errno::IO) => self.is_closed = true,
            Ok(length) => self.buffer.extend_from_slice(buffer.get(..length).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }
}
