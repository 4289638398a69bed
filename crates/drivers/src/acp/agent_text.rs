//! Decodes the agent's text of one turn, which arrives in pieces, into messages with the offset of their line.

use std::collections::BTreeMap;

use domain::{MessageOffset, TurnTools};
use protocol::{DecodedItem, Decoder, DecoderOptions};

use crate::{
    driver::{DriverEvent, ToolCall},
    turn_transcript::TurnTranscript,
};

/// Limit of the text of a turn that users and callers get; the end of a longer one is kept.
const TEXT_BYTES_MAX: usize = 1024 * 1024;

/// A piece with at most this many words may be part of a longer text of the model.
const SENTENCE_WORDS_MIN: usize = 5;

/// Decodes the text of an agent.
#[derive(Debug)]
pub(super) struct AgentTextReader {
    options: DecoderOptions,
    /// A new one for each turn, so that reading a turn again gives the same offsets.
    decoder: Decoder,
    /// Number of bytes that the decoder has received.
    n_bytes: u64,
    /// The decoder's offset of each piece, and the offset of its line.
    line_offsets: BTreeMap<u64, u64>,
    /// Number of items that start in a line, by the offset of the line.
    ordinals: BTreeMap<u64, u32>,
    transcript: TurnTranscript,
    /// Whether the last piece was a whole sentence.
    was_sentence: bool,
    /// What separates the next text from the last one.
    line_break: PendingLineBreak,
    message_id: Option<String>,
    /// The message during which the previous turn ended: Claude sends the rest of it afterwards.
    ended_message_id: Option<String>,
}

/// The way in which a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnEnding {
    /// The agent completed its text.
    Complete,
    /// The agent was interrupted; its last message may be incomplete.
    Stopped,
}

/// Whether the next text starts a new line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PendingLineBreak {
    None,
    /// Something came that can interrupt a sentence: only if the message id changes.
    Possible,
    /// Something came that ends a sentence.
    Required,
}

impl AgentTextReader {
    pub(super) fn new(options: DecoderOptions) -> Self {
        Self {
            decoder: Decoder::new(options.clone()),
            options,
            n_bytes: 0,
            line_offsets: BTreeMap::new(),
            ordinals: BTreeMap::new(),
            transcript: TurnTranscript::new(TEXT_BYTES_MAX),
            was_sentence: false,
            line_break: PendingLineBreak::None,
            message_id: None,
            ended_message_id: None,
        }
    }

    /// Notes a tool call or a prompt: the next text starts a new line.
    pub(super) fn require_new_line(&mut self) {
        self.line_break = PendingLineBreak::Required;
    }

    /// Notes any other update: the next text starts a new line, unless it has the same message id.
    pub(super) fn suggest_new_line(&mut self) {
        if self.line_break == PendingLineBreak::None {
            self.line_break = PendingLineBreak::Possible;
        }
    }

    /// Decodes text of the output line at offset `line`.
    pub(super) fn push_text(
        &mut self,
        piece: &str,
        message_id: Option<String>,
        line: u64,
        turn: u64,
    ) -> Vec<DriverEvent> {
        if message_id.is_some() && message_id == self.ended_message_id {
            return Vec::new();
        }
        let has_same_id = self.message_id.is_some() && self.message_id == message_id;
        let has_new_id = self.message_id.is_some() && message_id.is_some() && !has_same_id;
        let is_new = match std::mem::replace(&mut self.line_break, PendingLineBreak::None) {
            PendingLineBreak::Required => true,
            PendingLineBreak::Possible => !has_same_id,
            PendingLineBreak::None => {
                has_new_id
                    || is_message_after_sentence(self.transcript.text(), piece)
                    || (self.was_sentence && starts_sentence(piece))
            }
        };
        self.was_sentence = is_sentence(piece);
        self.message_id = message_id;
        let before = self.transcript.text();
        let breaks = is_new && !before.is_empty() && !before.ends_with('\n');
        let text = if breaks { format!("\n{piece}") } else { piece.to_owned() };
        self.line_offsets.insert(self.n_bytes, line);
        self.n_bytes += text.len() as u64;
        let items = self.decoder.push(text.as_bytes());
        let mut events = vec![DriverEvent::Text { text: text.clone() }];
        events.extend(items.into_iter().map(|item| self.message_event(item, turn)));
        self.transcript.push_text(&text);
        self.drop_obsolete_offsets();
        events
    }

    /// Adds a tool call after the text so far.
    pub(super) fn push_tool_call(&mut self, call: &ToolCall) {
        self.transcript.push_tool_call(call);
    }

    /// Ends the turn. Returns the messages that end with it, and the text and tools of the turn.
    ///
    /// The last message of a stopped turn may be incomplete, so it is dropped.
    pub(super) fn end_turn(
        &mut self,
        turn: u64,
        ending: TurnEnding,
    ) -> (Vec<DriverEvent>, String, TurnTools) {
        let items = match ending {
            TurnEnding::Complete => self.decoder.end_turn(),
            TurnEnding::Stopped => Vec::new(),
        };
        let events = items.into_iter().map(|item| self.message_event(item, turn)).collect();
        let (text, tools) = self.transcript.take_turn();
        let message_id = self.message_id.take();
        *self = Self { ended_message_id: message_id, ..Self::new(self.options.clone()) };
        (events, text, tools)
    }

    /// Identifies an item by the offset of its first line and its ordinal in that line.
    fn message_event(&mut self, item: DecodedItem, turn: u64) -> DriverEvent {
        let start = self.line_offsets.range(..=item.span().start).next_back().map_or(turn, |(_, line)| *line);
        let next = self.ordinals.entry(start).or_default();
        let offset = MessageOffset { start, ordinal: *next };
        *next += 1;
        DriverEvent::Message { offset, read_from: turn, item }
    }

    /// Drops the offsets of text in which no further item can start.
    fn drop_obsolete_offsets(&mut self) {
        let needed = self.decoder.safe_offset();
        if let Some((first, _)) = self.line_offsets.range(..=needed).next_back() {
            let first = *first;
            self.line_offsets = self.line_offsets.split_off(&first);
        }
        if let Some((_, line)) = self.line_offsets.first_key_value() {
            self.ordinals = self.ordinals.split_off(line);
        }
    }
}

/// Tells whether a message starts directly after a sentence.
///
/// Codex inserts warnings into its text without a space after them; a tag after one would be lost.
fn is_message_after_sentence(before: &str, piece: &str) -> bool {
    let is_name = |char: char| char.is_ascii_uppercase() || char == '_';
    let is_message_start = match piece.strip_prefix('[') {
        Some(rest) => rest.is_empty() || rest.starts_with(|char| is_name(char) || char == '/'),
        None => {
            let name = piece.find(|char| !is_name(char)).unwrap_or(0);
            piece.starts_with("===") || (name > 1 && piece[name..].starts_with(':'))
        }
    };
    is_message_start && before.ends_with(['.', '!', '?'])
}

/// Tells whether a piece is a whole sentence. Models write smaller pieces; the agent's program inserts whole sentences.
fn is_sentence(piece: &str) -> bool {
    piece.ends_with(['.', '!', '?']) && piece.split(' ').count() > SENTENCE_WORDS_MIN
}

/// Tells whether a piece cannot continue a sentence: after a full stop, a continuation starts with a space or with the
/// rest of a file name, a number or a quotation.
fn starts_sentence(piece: &str) -> bool {
    let is_continuation = |char: char| {
        char.is_lowercase() || char.is_numeric() || char.is_whitespace() || ".,;:!?)]}\"'".contains(char)
    };
    !piece.starts_with(is_continuation)
}

#[cfg(test)]
mod tests {
    use protocol::DecoderOptions;

    use super::{AgentTextReader, TurnEnding};

    fn assert_turn_text(pieces: &[(&str, Option<&str>)], act: fn(&mut AgentTextReader), expected: &str) {
        let mut reader = AgentTextReader::new(DecoderOptions::worker());
        for (text, id) in pieces {
            reader.push_text(text, id.map(str::to_owned), 0, 0);
            act(&mut reader);
        }
        assert_eq!(reader.end_turn(0, TurnEnding::Complete).1, expected, "{pieces:?}");
    }

    #[test]
    fn text_after_an_interruption_begins_a_new_line() {
        assert_turn_text(
            &[("I call.", Some("a")), ("Done", Some("a"))],
            AgentTextReader::require_new_line,
            "I call.\nDone",
        );
        assert_turn_text(
            &[("I ca", Some("a")), ("ll", Some("a"))],
            AgentTextReader::suggest_new_line,
            "I call",
        );
        assert_turn_text(
            &[("I call.", None), ("Done", None)],
            AgentTextReader::suggest_new_line,
            "I call.\nDone",
        );
        assert_turn_text(
            &[("I call.\n", None), ("Done", None)],
            AgentTextReader::require_new_line,
            "I call.\nDone",
        );
    }

    #[test]
    fn a_new_message_begins_a_line() {
        assert_turn_text(&[("One", Some("a")), ("Two", Some("b"))], |_| {}, "One\nTwo");
        assert_turn_text(&[("One", Some("a")), ("Two", Some("a"))], |_| {}, "OneTwo");
        assert_turn_text(&[("One", None), ("Two", None)], |_| {}, "OneTwo");
    }

    #[test]
    fn a_tag_after_a_warning_begins_a_new_line() {
        assert_turn_text(
            &[("Heads up.", None), ("[ASK", None), ("_USER]", None)],
            |_| {},
            "Heads up.\n[ASK_USER]",
        );
        assert_turn_text(&[("Heads up.", None), ("DONE:T1.3", None)], |_| {}, "Heads up.\nDONE:T1.3");
        assert_turn_text(&[("See it.", None), ("[1]", None)], |_| {}, "See it.[1]");
        let warning = "Model metadata for `mock` was not found.";
        for following in ["[ask_user]", "Done: T1.3", "**DONE:T1.3**", "- DONE:T1.3", "✅ DONE:T1.3"] {
            assert_turn_text(
                &[(warning, None), (following, None)],
                |_| {},
                &format!("{warning}\n{following}"),
            );
        }
        assert_turn_text(
            &[("Now look at the file main.", None), ("rs", None)],
            |_| {},
            "Now look at the file main.rs",
        );
        assert_turn_text(&[("an ", None), ("[ASK_USER] tag", None)], |_| {}, "an [ASK_USER] tag");
    }
}
