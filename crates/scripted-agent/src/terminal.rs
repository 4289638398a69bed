//! Sets the terminal that the player may have, as programs with a screen of their own do.

use rustix::{
    stdio::stdin,
    termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr},
};

use crate::script::Terminal;

/// Sets the terminal, and returns how it was; on a pipe there is nothing to set.
pub fn set(terminal: Terminal, before: Option<&Termios>) -> Option<Termios> {
    let current = tcgetattr(stdin()).ok()?;
    let mut wanted = before.unwrap_or(&current).clone();
    match terminal {
        Terminal::Cooked => {}
        Terminal::NoEcho => wanted.local_modes.remove(LocalModes::ECHO),
        Terminal::Raw => wanted.make_raw(),
    }
    tcsetattr(stdin(), OptionalActions::Now, &wanted).ok()?;
    Some(before.cloned().unwrap_or(current))
}
