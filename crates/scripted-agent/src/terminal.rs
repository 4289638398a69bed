//! Sets the terminal mode, as full-screen programs do.

use rustix::{
    stdio::stdin,
    termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr},
};

use crate::script::TerminalMode;

/// Sets the mode and returns the original settings; without a terminal it does nothing.
pub fn set_mode(terminal: TerminalMode, original: Option<&Termios>) -> Option<Termios> {
    let current = tcgetattr(stdin()).ok()?;
    let mut modes = original.unwrap_or(&current).clone();
    match terminal {
        TerminalMode::Cooked => {}
        TerminalMode::NoEcho => modes.local_modes.remove(LocalModes::ECHO),
        TerminalMode::Raw => modes.make_raw(),
    }
    tcsetattr(stdin(), OptionalActions::Now, &modes).ok()?;
    Some(original.cloned().unwrap_or(current))
}
