//! Sets the terminal mode, as full-screen programs do.

use rustix::{
    stdio::stdin,
    termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr},
};

use crate::script::TerminalInputMode;

/// Sets the mode and returns the original settings; without a terminal it does nothing.
pub(crate) fn set_mode(terminal: TerminalInputMode, original: Option<&Termios>) -> Option<Termios> {
    let current = tcgetattr(stdin()).ok()?;
    let mut modes = original.unwrap_or(&current).clone();
    match terminal {
        TerminalInputMode::Cooked => {}
        TerminalInputMode::NoEcho => modes.local_modes.remove(LocalModes::ECHO),
        TerminalInputMode::Raw => modes.make_raw(),
    }
    tcsetattr(stdin(), OptionalActions::Now, &modes).ok()?;
    Some(original.cloned().unwrap_or(current))
}
