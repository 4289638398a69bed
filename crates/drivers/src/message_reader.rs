//! An agent's own words: what they say in the protocol, each message under a name that a restart does not change.
//!
//! The words come in pieces, each in a line of the agent's output. A message is named by the line that carried its
//! beginning and by its number among those that begin there, so whoever reads that line again finds the same names.

use std::collections::VecDeque;

use domain::{MessageOffset, TurnTools};
use protocol::{DecodedItem, Decoder, DecoderOptions};

use crate::{
    driver::{DriverEvent, ToolCall},
    lines::Line,
    turn_transcript::TurnTranscript,
};

/// What people read of a turn is cut to its end: a turn's last words are those that matter.
const TURN_BYTES_MAX: usize = 64 * 1024;

/// Listens to one session.
#[derive(Debug)]
pub(crate) struct MessageReader {
    decoder: Decoder,
    /// How many bytes the decoder was given.
    given: u64,
    /// The pieces that the decoder may still speak of.
    pieces: VecDeque<Piece>,
    /// What was said and done in this turn.
    account: TurnTranscript,
}

/// A piece of the words, and the line that carried it.
#[derive(Debug)]
struct Piece {
    /// Its first byte, as the decoder counts.
    given: u64,
    begin: u64,
    end: u64,
    n_items: u32,
}

impl MessageReader {
    pub(crate) fn new(options: DecoderOptions) -> Self {
        let (decoder, account) = (Decoder::new(options), TurnTranscript::new(TURN_BYTES_MAX));
        Self { decoder, given: 0, pieces: VecDeque::new(), account }
    }

    /// Takes what the agent said in one line of its output. Words of two lines never join to one line.
    pub(crate) fn hear(&mut self, text: &str, line: &Line, read_from: u64) -> Vec<DriverEvent> {
        // What one line carries is one piece, so that its messages are numbered together.
        if self.pieces.back().is_none_or(|last| last.begin != line.begin) {
            self.pieces.push_back(Piece { given: self.given, begin: line.begin, end: line.end, n_items: 0 });
        }
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        let mut items = Vec::new();
        for part in [text, newline] {
            items.extend(self.decoder.push(part.as_bytes()));
            self.given += part.len() as u64;
            self.account.say(part);
        }
        self.heard(items, read_from)
    }

    /// Ends the turn, and returns what was still open in it.
    pub(crate) fn end_turn(&mut self, read_from: u64) -> Vec<DriverEvent> {
        let items = self.decoder.end_turn();
        self.heard(items, read_from)
    }

    /// Takes a tool call, which stands behind what was said so far.
    pub(crate) fn call(&mut self, call: &ToolCall) {
        self.account.call(call);
    }

    /// Returns what was said and done in the turn, and begins another one.
    pub(crate) fn take_turn(&mut self) -> (String, TurnTools) {
        self.account.take()
    }

    fn heard(&mut self, items: Vec<DecodedItem>, read_from: u64) -> Vec<DriverEvent> {
        let events = items.into_iter().map(|item| self.named(item, read_from)).collect();
        let needed = self.decoder.safe_offset();
        while self.pieces.get(1).is_some_and(|next| next.given <= needed) {
            self.pieces.pop_front();
        }
        events
    }

    fn named(&mut self, mut item: DecodedItem, read_from: u64) -> DriverEvent {
        let span = match &mut item {
            DecodedItem::Message(message) => &mut message.span,
            DecodedItem::Invalid(invalid) => &mut invalid.span,
            DecodedItem::NearMiss(near) => &mut near.span,
        };
        let last = span.end.saturating_sub(1).max(span.start);
        let end =
            self.pieces.iter().rev().find(|piece| piece.given <= last).map_or(span.end, |piece| piece.end);
        if let Some(piece) = self.pieces.iter_mut().rev().find(|piece| piece.given <= span.start) {
            (span.start, span.ordinal) = (piece.begin, piece.n_items);
            piece.n_items += 1;
        }
        span.end = end;
        DriverEvent::Message {
            offset: MessageOffset { start: span.start, ordinal: span.ordinal },
            read_from,
            item,
        }
    }
}
