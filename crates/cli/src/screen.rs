//! Draws a run for the terminal, as pure functions, so that every screen can be tested.
//!
//! From rows, the size of the terminal, the time and the language to lines. Reads no clock, keyboard or socket.

pub(crate) mod amounts;
pub(crate) mod board;
pub(crate) mod draw;
pub(crate) mod entry;
pub(crate) mod history;
pub(crate) mod line;
mod overlaps;
pub(crate) mod phrases;
pub(crate) mod plan_diff;
pub(crate) mod prompt;
mod remaining_time;
mod tasks;
mod totals;

#[cfg(test)]
mod tests;

use domain::{Locale, Timestamp};

/// Size, language and time for which a screen is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawContext {
    pub locale: Locale,
    /// Columns of the terminal.
    pub width: usize,
    /// Lines of the terminal.
    pub height: usize,
    pub now: Timestamp,
}
