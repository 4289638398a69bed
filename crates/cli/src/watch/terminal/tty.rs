//! The terminal in raw mode; restored when dropped.

use std::io::{self, Write};

use rustix::{
    process::{Signal, getpid, kill_process},
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr},
};

/// Enables bracketed paste, whose line breaks do not submit, and saves the window title.
const ENTER: &str = "\x1b[?2004h\x1b[22;2t";
const LEAVE: &str = "\x1b[?2004l\x1b[23;2t\x1b[?25h";

/// Size if the terminal does not report one.
const DEFAULT_SIZE: (usize, usize) = (80, 24);

/// The terminal in raw mode.
pub(super) struct Tty {
    before: Termios,
}

impl Tty {
    /// Switches to raw mode.
    pub(super) fn enter_raw_mode() -> io::Result<Self> {
        let tty = Self { before: tcgetattr(io::stdin())? };
        tty.set_raw()?;
        write(ENTER);
        Ok(tty)
    }

    /// Switches to raw mode again, after another program has used the terminal.
    pub(super) fn reenter_raw_mode(&self) {
        // A closed terminal is detected at the next key.
        let _ = self.set_raw();
    }

    /// Restores the terminal and suspends this process until it is in the foreground again.
    pub(super) fn suspend(&self) {
        self.restore();
        // A process can always signal itself; a closed terminal is detected at the next key.
        let _ = kill_process(getpid(), Signal::TSTP);
        let _ = self.set_raw();
        write(ENTER);
    }

    /// Disables line mode, echo and signals of keys. Output modes stay, since other programs may write.
    fn set_raw(&self) -> io::Result<()> {
        let mut ours = self.before.clone();
        ours.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        ours.special_codes[SpecialCodeIndex::VMIN] = 1;
        ours.special_codes[SpecialCodeIndex::VTIME] = 0;
        Ok(tcsetattr(io::stdin(), OptionalActions::Now, &ours)?)
    }

    fn restore(&self) {
        write(LEAVE);
        // A closed terminal needs no settings.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.restore();
    }
}

/// Returns the columns and lines of the terminal.
pub(super) fn size() -> (usize, usize) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
        Ok(_) | Err(_) => DEFAULT_SIZE,
    }
}

fn write(bytes: &str) {
    // A closed terminal is detected at the next key.
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes.as_bytes());
    let _ = out.flush();
}
