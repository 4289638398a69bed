//! Draws a run for the terminal, as pure functions, so that every screen can be tested.
//!
//! From rows, the size of the terminal, the time and the language to lines. Reads no clock, keyboard or socket.

pub mod amounts;
pub mod board;
pub mod draw;
pub mod entry;
pub mod history;
pub mod line;
mod overlaps;
pub mod phrases;
pub mod plan_diff;
pub mod prompt;
mod remaining_time;
mod tasks;
mod totals;

#[cfg(test)]
mod tests;

use domain::{Locale, Timestamp};

/// Size, language and time for which a screen is drawn.
#[derive(Debug, Clone, Copy)]
pub struct DrawContext {
    pub locale: Locale,
    /// Columns of the terminal.
    pub width: usize,
    /// Lines of the terminal.
    pub height: usize,
    pub now: Timestamp,
}
