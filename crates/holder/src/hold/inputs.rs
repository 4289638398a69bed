//! Inputs to type: in order, each once, in pieces that never block.
//!
//! Distinguishes inputs that were typed, queued or are new by their number. This is only kept in memory, since it is
//! needed only as long as the terminal exists.

use std::{collections::VecDeque, os::fd::OwnedFd};

use rustix::io::Errno;
use zeroize::Zeroizing;

use crate::protocol::{INPUT_BYTES_MAX, INPUT_QUEUE_BYTES_MAX, INPUT_QUEUE_MAX, Refusal};

/// Longest line, including its end, that a terminal accepts in canonical mode; it silently drops the rest.
const LINE_BYTES_MAX: usize = 4095;
/// Amount written at once. Output is read between pieces to avoid a deadlock.
const PIECE_BYTES: usize = 4096;

struct Waiting {
    number: u64,
    bytes: Zeroizing<Vec<u8>>,
    typed: usize,
}

#[derive(Default)]
pub(super) struct Inputs {
    queue: VecDeque<Waiting>,
    queue_bytes: usize,
    taken: u64,
    typed: u64,
    /// Close the agent's standard input when the queue is empty.
    pub(super) is_closing: bool,
}

/// Result of offering an input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It was typed before.
    Before,
    /// It is queued, now or since earlier.
    Waits,
    Refused(Refusal),
}

/// Result of one step of typing.
pub(super) enum Step {
    /// The queue is empty.
    Idle,
    /// The agent currently accepts no more.
    Blocked,
    /// A piece was typed; the rest of the input follows.
    Piece,
    /// An input was typed completely.
    Typed { number: u64, bytes: Zeroizing<Vec<u8>> },
    /// A line exceeds the terminal's limit. This input and all later ones are dropped.
    LineTooLong,
    /// The agent closed its input.
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

    /// Drops all queued inputs. Clients are asked to send them again.
    fn drop_all(&mut self) {
        self.queue.clear();
        self.queue_bytes = 0;
        self.taken = self.typed;
    }
}

fn longest_line(bytes: &[u8]) -> usize {
    // A carriage return and Ctrl-D end a line, too.
    let lines = bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r' | 4));
    lines.map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_accepted_once_and_in_order() {
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
