//! Decodes protocol messages in an agent's own text, with offsets that do not change after a restart.
//!
//! The text arrives in pieces, each in a line of the agent's output. A message is identified by the offset of the line in
//! which it starts and by its ordinal in that line, so reading the line again gives the same identity.

use std::collections::VecDeque;

use domain::{MessageOffset, TurnTools};
use protocol::{DecodedItem, Decoder, DecoderOptions};

use crate::{
    driver::{DriverEvent, ToolCall},
    lines::Line,
    turn_transcript::TurnTranscript,
};

/// Of a longer turn, people see the end, which matters most.
const TURN_BYTES_MAX: usize = 64 * 1024;

/// Reads the messages of one session.
#[derive(Debug)]
pub(crate) struct MessageReader {
    decoder: Decoder,
    /// The number of bytes that the decoder has received.
    n_decoded: u64,
    /// The pieces in which a message may still start.
    pieces: VecDeque<TextPiece>,
    transcript: TurnTranscript,
}

/// A piece of text, and its line in the output.
#[derive(Debug)]
struct TextPiece {
    /// The decoder's offset of its first byte.
    decoder_offset: u64,
    begin: u64,
    end: u64,
    n_items: u32,
}

impl MessageReader {
    pub(crate) fn new(options: DecoderOptions) -> Self {
        let (decoder, transcript) = (Decoder::new(options), TurnTranscript::new(TURN_BYTES_MAX));
        Self { decoder, n_decoded: 0, pieces: VecDeque::new(), transcript }
    }

    /// Decodes the text of one line of output. Texts of two lines never form one line.
    pub(crate) fn push_text(&mut self, text: &str, line: &Line, read_from: u64) -> Vec<DriverEvent> {
        // One line is one piece, so that its messages are numbered together.
        if self.pieces.back().is_none_or(|last| last.begin != line.begin) {
            self.pieces.push_back(TextPiece {
                decoder_offset: self.n_decoded,
                begin: line.begin,
                end: line.end,
                n_items: 0,
            });
        }
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        let mut items = Vec::new();
        for part in [text, newline] {
            items.extend(self.decoder.push(part.as_bytes()));
            self.n_decoded += part.len() as u64;
            self.transcript.push_text(part);
        }
        self.convert_items(items, read_from)
    }

    /// Ends the turn, and returns the messages that end with it.
    pub(crate) fn end_turn(&mut self, read_from: u64) -> Vec<DriverEvent> {
        let items = self.decoder.end_turn();
        self.convert_items(items, read_from)
    }

    /// Adds a tool call after the text so far.
    pub(crate) fn push_tool_call(&mut self, call: &ToolCall) {
        self.transcript.push_tool_call(call);
    }

    /// Returns the text and the tools of the turn, and starts a new one.
    pub(crate) fn take_turn(&mut self) -> (String, TurnTools) {
        self.transcript.take_turn()
    }

    fn convert_items(&mut self, items: Vec<DecodedItem>, read_from: u64) -> Vec<DriverEvent> {
        let events = items.into_iter().map(|item| self.convert_item(item, read_from)).collect();
        let needed = self.decoder.safe_offset();
        while self.pieces.get(1).is_some_and(|next| next.decoder_offset <= needed) {
            self.pieces.pop_front();
        }
        events
    }

    fn convert_item(&mut self, mut item: DecodedItem, read_from: u64) -> DriverEvent {
        let span = match &mut item {
            DecodedItem::Message(message) => &mut message.span,
            DecodedItem::Invalid(invalid) => &mut invalid.span,
            DecodedItem::NearMiss(near) => &mut near.span,
        };
        let last = span.end.saturating_sub(1).max(span.start);
        let end = self
            .pieces
            .iter()
            .rev()
            .find(|piece| piece.decoder_offset <= last)
            .map_or(span.end, |piece| piece.end);
        if let Some(piece) = self.pieces.iter_mut().rev().find(|piece| piece.decoder_offset <= span.start) {
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
