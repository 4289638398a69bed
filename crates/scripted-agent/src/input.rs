//! The player's standard input, a line at a time, and only as much as the script wants to hear.
//!
//! There is no reader in the background: a script that is deaf leaves the pipe full, as a real program would.

use std::{
    io,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, read},
    stdio::stdin,
};

/// What came of listening.
#[derive(Debug, PartialEq, Eq)]
pub enum Listened {
    /// A line, without its end. Bytes that are no UTF-8 are replaced.
    Line(String),
    /// Nothing in the given time.
    Nothing,
    /// There is no more to come.
    End,
}

/// As much as one line may have; what a driver types is far shorter.
const LINE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Standard input.
#[derive(Debug, Default)]
pub struct Input {
    held: Vec<u8>,
    is_over: bool,
}

impl Input {
    /// Returns the next line; without a time it waits for ever.
    pub fn next(&mut self, within: Option<Duration>) -> io::Result<Listened> {
        let until = within.map(|within| Instant::now() + within);
        loop {
            // A terminal in raw mode sends a carriage return for Enter.
            if let Some(at) = self.held.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
                let mut line: Vec<u8> = self.held.drain(..=at).collect();
                let end = line.pop();
                if end == Some(b'\r') && self.held.first() == Some(&b'\n') {
                    self.held.remove(0);
                }
                return Ok(Listened::Line(String::from_utf8_lossy(&line).into_owned()));
            }
            if self.is_over || self.held.len() > LINE_BYTES_MAX {
                let rest = std::mem::take(&mut self.held);
                return Ok(match rest.is_empty() {
                    true => Listened::End,
                    false => Listened::Line(String::from_utf8_lossy(&rest).into_owned()),
                });
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if !self.fill(left)? {
                return Ok(Listened::Nothing);
            }
        }
    }

    /// Returns the keys that were pressed, as they come; `None` where there were none in time or there are no more.
    pub fn keys(&mut self, within: Option<Duration>) -> io::Result<Option<Vec<u8>>> {
        let until = within.map(|within| Instant::now() + within);
        while self.held.is_empty() && !self.is_over {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if !self.fill(left)? {
                return Ok(None);
            }
        }
        let keys = std::mem::take(&mut self.held);
        Ok(Some(keys).filter(|keys| !keys.is_empty()))
    }

    /// Reads what is there; says no where nothing came in time.
    fn fill(&mut self, within: Option<Duration>) -> io::Result<bool> {
        let mut fds = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
        let timeout = within.and_then(|within| Timespec::try_from(within).ok());
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) => return Ok(false),
            // The caller looks at the clock and comes again.
            Err(Errno::INTR) => return Ok(within.is_none_or(|within| !within.is_zero())),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut buffer = [0; 16 * 1024];
        match read(stdin(), &mut buffer) {
            // A terminal whose other end is gone answers EIO.
            Ok(0) | Err(Errno::IO) => self.is_over = true,
            Ok(length) => self.held.extend_from_slice(buffer.get(..length).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }
}
