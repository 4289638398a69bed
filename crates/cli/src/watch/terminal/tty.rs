//! This terminal, giving every key at once; as it was again when dropped.

use std::io::{self, Write};

use rustix::{
    process::{Signal, getpid, kill_process},
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr},
};

/// Pasted text is marked, so that its new lines do not end the line; the window's title is kept to be given back.
const ENTER: &str = "\x1b[?2004h\x1b[22;2t";
const LEAVE: &str = "\x1b[?2004l\x1b[23;2t\x1b[?25h";

/// A window that does not know its size.
const SIZE: (usize, usize) = (80, 24);

/// This terminal.
pub struct Tty {
    before: Termios,
}

impl Tty {
    /// Takes it over.
    pub fn enter() -> io::Result<Self> {
        let tty = Self { before: tcgetattr(io::stdin())? };
        tty.take()?;
        say(ENTER);
        Ok(tty)
    }

    /// Takes it over again, after somebody else had it.
    pub fn again(&self) {
        // One that is gone shows itself at the next key.
        let _ = self.take();
    }

    /// Gives it back, and lets this program wait until it is called into the foreground.
    pub fn suspend(&self) {
        self.give_back();
        let _ = kill_process(getpid(), Signal::TSTP);
        let _ = self.take();
        say(ENTER);
    }

    /// Lines and echo off, and Ctrl-C is a key like any other. Output stays as it is: others may write too.
    fn take(&self) -> io::Result<()> {
        let mut ours = self.before.clone();
        ours.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        ours.special_codes[SpecialCodeIndex::VMIN] = 1;
        ours.special_codes[SpecialCodeIndex::VTIME] = 0;
        Ok(tcsetattr(io::stdin(), OptionalActions::Now, &ours)?)
    }

    fn give_back(&self) {
        say(LEAVE);
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Returns how many columns and lines it has.
pub fn size() -> (usize, usize) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
        Ok(_) | Err(_) => SIZE,
    }
}

fn say(bytes: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes.as_bytes());
    let _ = out.flush();
}
