//! Typed input that a terminal may print again as an echo.

use std::collections::VecDeque;

/// A line that is printed later than this is not an echo but output of the agent.
const ECHO_BYTES_MAX: u64 = 64 * 1024;
/// The oldest lines are dropped first.
const ECHO_LINES_MAX: usize = 4096;

/// Lines that are expected as echoes.
#[derive(Debug, Default)]
pub(crate) struct EchoFilter {
    lines: VecDeque<ExpectedEcho>,
}

#[derive(Debug)]
struct ExpectedEcho {
    text: String,
    /// The first offset at which an equal line is no longer an echo.
    until: u64,
}

impl EchoFilter {
    /// Registers input that was typed when the output was at `offset`.
    pub(crate) fn expect(&mut self, typed: &str, offset: u64) {
        let until = offset + ECHO_BYTES_MAX;
        let mut line_bytes = 0;
        for line in typed.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()) {
            line_bytes += line.len() as u64;
            // Input longer than the window cannot be echoed within it.
            if line_bytes > ECHO_BYTES_MAX {
                break;
            }
            if self.lines.len() == ECHO_LINES_MAX {
                self.lines.pop_front();
            }
            self.lines.push_back(ExpectedEcho { text: line.to_owned(), until });
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns whether a line that begins at `offset` is an echo, and removes the expectation if so.
    pub(crate) fn consume(&mut self, text: &str, offset: u64) -> bool {
        while self.lines.front().is_some_and(|expected| expected.until <= offset) {
            self.lines.pop_front();
        }
        let text = text.trim();
        match self.lines.iter().position(|expected| expected.text == text) {
            Some(index) => {
                self.lines.remove(index);
                true
            }
            None => false,
        }
    }
}
