//! What is still to be typed: in order, each once, in pieces that never block.
//!
//! Knows a number that was typed from one that waits and one that is new. That memory lives as long as the terminal it
//! protects, so nothing of it is written down.

use std::{collections::VecDeque, os::fd::OwnedFd};

use rustix::io::Errno;
use zeroize::Zeroizing;

use crate::protocol::{INPUT_BYTES_MAX, INPUT_QUEUE_BYTES_MAX, INPUT_QUEUE_MAX, Refusal};

/// The longest line, with its end, that a terminal in canonical mode takes; it drops what is longer without a word.
const LINE_BYTES_MAX: usize = 4095;
/// How much is offered to the terminal at once. Between two pieces the agent's output is read, or both would wait.
const PIECE_BYTES: usize = 4096;

struct Waiting {
    number: u64,
    bytes: Zeroizing<Vec<u8>>,
    typed: usize,
}

/// The inputs of a session.
#[derive(Default)]
pub(super) struct Inputs {
    queue: VecDeque<Waiting>,
    queue_bytes: usize,
    taken: u64,
    typed: u64,
    /// No more will come: the agent's standard input is closed when the queue is empty.
    pub(super) is_closing: bool,
}

/// What became of an offered input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It was typed before.
    Before,
    /// It waits, or waited already.
    Waits,
    /// It was not taken.
    Refused(Refusal),
}

/// What one step of typing did.
pub(super) enum Step {
    /// Nothing waits.
    Idle,
    /// The agent takes no more for now.
    Blocked,
    /// A piece was typed, and more of the same input waits.
    Piece,
    /// An input was typed to its end.
    Typed { number: u64, bytes: Zeroizing<Vec<u8>> },
    /// An input has a line that the terminal would cut. It and those behind it are dropped.
    LineTooLong,
    /// The agent has closed its input.
    Closed,
}

impl Inputs {
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    pub(super) fn typed(&self) -> u64 {
        self.typed
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn take(&mut self, number: u64, bytes: Vec<u8>) -> Taken {
        let bytes = Zeroizing::new(bytes);
        if number <= self.typed {
            return Taken::Before;
        }
        if number <= self.taken {
            return Taken::Waits;
        }
        let expected = self.taken + 1;
        if number != expected {
            return Taken::Refused(Refusal::OutOfOrder { expected });
        }
        if bytes.len() > INPUT_BYTES_MAX {
            return Taken::Refused(Refusal::TooLong { bytes_max: INPUT_BYTES_MAX as u64 });
        }
        if self.is_closing {
            return Taken::Refused(Refusal::WrongPhase);
        }
        if self.queue.len() == INPUT_QUEUE_MAX || self.queue_bytes + bytes.len() > INPUT_QUEUE_BYTES_MAX {
            return Taken::Refused(Refusal::Busy);
        }
        self.taken = number;
        self.queue_bytes += bytes.len();
        self.queue.push_back(Waiting { number, bytes, typed: 0 });
        Taken::Waits
    }

    /// Types at most one piece.
    pub(super) fn step(&mut self, input: &OwnedFd, is_canonical: impl FnOnce() -> bool) -> Step {
        let Some(first) = self.queue.front_mut() else { return Step::Idle };
        if first.typed == 0 && longest_line(&first.bytes) > LINE_BYTES_MAX && is_canonical() {
            self.drop_all();
            return Step::LineTooLong;
        }
        let rest = first.bytes.get(first.typed..).unwrap_or_default();
        let piece = rest.get(..PIECE_BYTES).unwrap_or(rest);
        match rustix::io::write(input, piece) {
            Ok(length) => first.typed += length,
            Err(Errno::AGAIN | Errno::INTR) => return Step::Blocked,
            Err(_) => {
                self.drop_all();
                return Step::Closed;
            }
        }
        if first.typed < first.bytes.len() {
            return Step::Piece;
        }
        let Some(done) = self.queue.pop_front() else { return Step::Idle };
        self.queue_bytes -= done.bytes.len();
        self.typed = done.number;
        Step::Typed { number: done.number, bytes: done.bytes }
    }

    /// Forgets what waits. Who sent it is told to send it again.
    fn drop_all(&mut self) {
        self.queue.clear();
        self.queue_bytes = 0;
        self.taken = self.typed;
    }
}

fn longest_line(bytes: &[u8]) -> usize {
    // A carriage return and Ctrl-D end a line too.
    let lines = bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r' | 4));
    lines.map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_once_and_in_order() {
        let mut inputs = Inputs::default();
        assert_eq!(inputs.take(2, vec![]), Taken::Refused(Refusal::OutOfOrder { expected: 1 }));
        assert_eq!(inputs.take(1, vec![b'a']), Taken::Waits);
        assert_eq!(inputs.take(1, vec![b'a']), Taken::Waits);
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        assert!(matches!(inputs.step(&writer, || false), Step::Typed { number: 1, .. }));
        assert_eq!(inputs.take(1, vec![b'a']), Taken::Before);
        let mut got = [0; 8];
        assert_eq!(rustix::io::read(&reader, &mut got), Ok(1));
    }

    #[test]
    fn the_queue_is_bounded() {
        let mut inputs = Inputs::default();
        let too_long = Refusal::TooLong { bytes_max: INPUT_BYTES_MAX as u64 };
        assert_eq!(inputs.take(1, vec![0; INPUT_BYTES_MAX + 1]), Taken::Refused(too_long));
        assert_eq!(inputs.take(1, vec![0; INPUT_BYTES_MAX]), Taken::Waits);
        assert_eq!(inputs.take(2, vec![0; INPUT_BYTES_MAX]), Taken::Refused(Refusal::Busy));
        for number in 2..=INPUT_QUEUE_MAX as u64 {
            assert_eq!(inputs.take(number, vec![0]), Taken::Waits);
        }
        assert_eq!(inputs.take(INPUT_QUEUE_MAX as u64 + 1, vec![0]), Taken::Refused(Refusal::Busy));
    }
}
