//! What a person sees of a run: pure, so that every screen is a test.
//!
//! Takes rows and changes, a size, a moment and a language, and gives lines. Never reads a clock, a key or a socket.

pub mod amount;
pub mod board;
pub mod draw;
pub mod entry;
pub mod history;
mod left;
pub mod line;
mod overlaps;
pub mod plan_diff;
pub mod prompt;
mod tasks;
mod totals;
pub mod words;

#[cfg(test)]
mod tests;

use domain::{Locale, Timestamp};

/// For whom and when a screen is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The language.
    pub locale: Locale,
    /// How many columns there are.
    pub width: usize,
    /// How many lines there are.
    pub height: usize,
    /// Now.
    pub now: Timestamp,
}
