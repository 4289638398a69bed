//! Queue of inputs for the agent: written in order, each once, in pieces that never block.
//!
//! Distinguishes inputs that were written, queued or are new by their number. This is only kept in memory, since it is
//! needed only as long as the terminal exists.

use std::{collections::VecDeque, os::fd::OwnedFd};

use rustix::io::Errno;
use zeroize::Zeroizing;

use crate::protocol::{INPUT_BYTES_MAX, INPUT_QUEUE_BYTES_MAX, INPUT_QUEUE_MAX, Refusal};

/// Longest line, including its end, that a terminal accepts in canonical mode; it silently drops the rest.
const LINE_BYTES_MAX: usize = 4095;
/// Amount written at once. Output is read between pieces to avoid a deadlock.
const PIECE_BYTES: usize = 4096;

struct QueuedInput {
    number: u64,
    bytes: Zeroizing<Vec<u8>>,
    written: usize,
}

#[derive(Default)]
pub(super) struct InputQueue {
    queue: VecDeque<QueuedInput>,
    queue_bytes: usize,
    accepted: u64,
    written: u64,
    /// Close the agent's standard input when the queue is empty.
    pub(super) is_closing: bool,
}

/// Result of offering an input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InputAcceptance {
    /// It was written before.
    AlreadyWritten,
    /// It is queued, now or since earlier.
    Queued,
    Refused(Refusal),
}

/// Result of one write to the agent.
pub(super) enum PieceWriteOutcome {
    /// The queue is empty.
    Idle,
    /// The agent currently accepts no more.
    Blocked,
    /// A piece was written; the rest of the input follows.
    Piece,
    /// An input was written completely.
    Written { number: u64, bytes: Zeroizing<Vec<u8>> },
    /// A line exceeds the terminal's limit. This input and all later ones are dropped.
    LineTooLong,
    /// The agent closed its input.
    Closed,
}

impl InputQueue {
    pub(super) fn last_accepted(&self) -> u64 {
        self.accepted
    }

    pub(super) fn last_written(&self) -> u64 {
        self.written
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn accept(&mut self, number: u64, bytes: Vec<u8>) -> InputAcceptance {
        let bytes = Zeroizing::new(bytes);
        if number <= self.written {
            return InputAcceptance::AlreadyWritten;
        }
        if number <= self.accepted {
            return InputAcceptance::Queued;
        }
        let expected = self.accepted + 1;
        if number != expected {
            return InputAcceptance::Refused(Refusal::OutOfOrder { expected });
        }
        if bytes.len() > INPUT_BYTES_MAX {
            return InputAcceptance::Refused(Refusal::TooLong { bytes_max: INPUT_BYTES_MAX as u64 });
        }
        if self.is_closing {
            return InputAcceptance::Refused(Refusal::WrongPhase);
        }
        if self.queue.len() == INPUT_QUEUE_MAX || self.queue_bytes + bytes.len() > INPUT_QUEUE_BYTES_MAX {
            return InputAcceptance::Refused(Refusal::Busy);
        }
        self.accepted = number;
        self.queue_bytes += bytes.len();
        self.queue.push_back(QueuedInput { number, bytes, written: 0 });
        InputAcceptance::Queued
    }

    /// Writes at most one piece.
    pub(super) fn write_piece(
        &mut self,
        input: &OwnedFd,
        is_canonical: impl FnOnce() -> bool,
    ) -> PieceWriteOutcome {
        let Some(first) = self.queue.front_mut() else { return PieceWriteOutcome::Idle };
        if first.written == 0 && longest_line_length(&first.bytes) > LINE_BYTES_MAX && is_canonical() {
            self.drop_all();
            return PieceWriteOutcome::LineTooLong;
        }
        let rest = first.bytes.get(first.written..).unwrap_or_default();
        let piece = rest.get(..PIECE_BYTES).unwrap_or(rest);
        match rustix::io::write(input, piece) {
            Ok(length) => first.written += length,
            Err(Errno::AGAIN | Errno::INTR) => return PieceWriteOutcome::Blocked,
            Err(_) => {
                self.drop_all();
                return PieceWriteOutcome::Closed;
            }
        }
        if first.written < first.bytes.len() {
            return PieceWriteOutcome::Piece;
        }
        let Some(done) = self.queue.pop_front() else { return PieceWriteOutcome::Idle };
        self.queue_bytes -= done.bytes.len();
        self.written = done.number;
        PieceWriteOutcome::Written { number: done.number, bytes: done.bytes }
    }

    /// Drops all queued inputs. Clients are asked to send them again.
    fn drop_all(&mut self) {
        self.queue.clear();
        self.queue_bytes = 0;
        self.accepted = self.written;
    }
}

fn longest_line_length(bytes: &[u8]) -> usize {
    // A carriage return and Ctrl-D end a line, too.
    let lines = bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r' | 4));
    lines.map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_accepted_once_and_in_order() {
        let mut inputs = InputQueue::default();
        assert_eq!(inputs.accept(2, vec![]), InputAcceptance::Refused(Refusal::OutOfOrder { expected: 1 }));
        assert_eq!(inputs.accept(1, vec![b'a']), InputAcceptance::Queued);
        assert_eq!(inputs.accept(1, vec![b'a']), InputAcceptance::Queued);
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        assert!(matches!(
            inputs.write_piece(&writer, || false),
            PieceWriteOutcome::Written { number: 1, .. }
        ));
        assert_eq!(inputs.accept(1, vec![b'a']), InputAcceptance::AlreadyWritten);
        let mut got = [0; 8];
        assert_eq!(rustix::io::read(&reader, &mut got), Ok(1));
    }

    #[test]
    fn the_queue_is_bounded() {
        let mut inputs = InputQueue::default();
        let too_long = Refusal::TooLong { bytes_max: INPUT_BYTES_MAX as u64 };
        assert_eq!(inputs.accept(1, vec![0; INPUT_BYTES_MAX + 1]), InputAcceptance::Refused(too_long));
        assert_eq!(inputs.accept(1, vec![0; INPUT_BYTES_MAX]), InputAcceptance::Queued);
        assert_eq!(inputs.accept(2, vec![0; INPUT_BYTES_MAX]), InputAcceptance::Refused(Refusal::Busy));
        for number in 2..=INPUT_QUEUE_MAX as u64 {
            assert_eq!(inputs.accept(number, vec![0]), InputAcceptance::Queued);
        }
        assert_eq!(
            inputs.accept(INPUT_QUEUE_MAX as u64 + 1, vec![0]),
            InputAcceptance::Refused(Refusal::Busy)
        );
    }
}
