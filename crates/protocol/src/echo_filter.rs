//! What we typed, and may see again because a terminal repeats it.

use std::collections::VecDeque;

/// An echo comes soon or never; what comes later is somebody's own words.
const ECHO_BYTES_MAX: u64 = 64 * 1024;
/// More lines than this are not waited for; the oldest go first.
const ECHO_LINES_MAX: usize = 4096;

/// Lines that are expected to come back.
#[derive(Debug, Default)]
pub(crate) struct EchoFilter {
    lines: VecDeque<ExpectedEcho>,
}

#[derive(Debug)]
struct ExpectedEcho {
    text: String,
    /// The first offset at which it is no echo any more.
    until: u64,
}

impl EchoFilter {
    /// Remembers what was typed when the output was at `offset`.
    pub(crate) fn expect(&mut self, typed: &str, offset: u64) {
        let until = offset + ECHO_BYTES_MAX;
        let mut kept = 0;
        for line in typed.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()) {
            kept += line.len() as u64;
            // What is longer than the window can't come back inside it.
            if kept > ECHO_BYTES_MAX {
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

    /// Tells whether a line that begins at `offset` is an echo, and forgets it if so.
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
