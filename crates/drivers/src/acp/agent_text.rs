//! The agent's words of one turn: text in pieces → messages, each with the place of the line that carried it.

use std::collections::BTreeMap;

use domain::{MessageOffset, TurnTools};
use protocol::{DecodedItem, Decoder, DecoderOptions};

use crate::{
    driver::{DriverEvent, ToolCall},
    turn_transcript::TurnTranscript,
};

/// What a turn said is kept for people and callers; of a longer one the end.
const WORDS_BYTES_MAX: usize = 1024 * 1024;

/// A sentence of fewer words may be a piece of what a model says.
const SENTENCE_WORDS: usize = 5;

/// Decodes an agent's words.
#[derive(Debug)]
pub(super) struct AgentTextReader {
    options: DecoderOptions,
    /// A new one for each turn, so that reading a turn again gives the same places.
    decoder: Decoder,
    /// How much text the decoder was given.
    taken: u64,
    /// Where text began, and the offset of the line that carried it.
    carried: BTreeMap<u64, u64>,
    /// How many items began in a line.
    ordinals: BTreeMap<u64, u32>,
    account: TurnTranscript,
    /// Whether the last piece was a sentence by itself.
    was_sentence: bool,
    /// What came since the last words.
    gap: PendingLineBreak,
    message_id: Option<String>,
    /// The message in which the turn before was ended: Claude sends the rest of it after the end.
    late: Option<String>,
}

/// How a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnEnding {
    /// The agent has said all that it had to say.
    Spoken,
    /// In the middle of something.
    Stopped,
}

/// What came between two pieces of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PendingLineBreak {
    Nothing,
    /// Something that may as well come in the middle of a sentence.
    Pause,
    /// Something that no sentence goes on behind.
    Break,
}

impl AgentTextReader {
    pub(super) fn new(options: DecoderOptions) -> Self {
        Self {
            decoder: Decoder::new(options.clone()),
            options,
            taken: 0,
            carried: BTreeMap::new(),
            ordinals: BTreeMap::new(),
            account: TurnTranscript::new(WORDS_BYTES_MAX),
            was_sentence: false,
            gap: PendingLineBreak::Nothing,
            message_id: None,
            late: None,
        }
    }

    /// Says that a tool was called or something asked: the next words begin a new line.
    pub(super) fn require_new_line(&mut self) {
        self.gap = PendingLineBreak::Break;
    }

    /// Says that something else came: the next words begin a new line, unless the agent says that they do not.
    pub(super) fn suggest_new_line(&mut self) {
        if self.gap == PendingLineBreak::Nothing {
            self.gap = PendingLineBreak::Pause;
        }
    }

    /// Takes words that the line at `line` carried.
    pub(super) fn push_text(
        &mut self,
        words: &str,
        message_id: Option<String>,
        line: u64,
        turn: u64,
    ) -> Vec<DriverEvent> {
        if message_id.is_some() && message_id == self.late {
            return Vec::new();
        }
        let is_numbered_alike = self.message_id.is_some() && self.message_id == message_id;
        let is_numbered_anew = self.message_id.is_some() && message_id.is_some() && !is_numbered_alike;
        let is_new = match std::mem::replace(&mut self.gap, PendingLineBreak::Nothing) {
            PendingLineBreak::Break => true,
            PendingLineBreak::Pause => !is_numbered_alike,
            PendingLineBreak::Nothing => {
                is_numbered_anew
                    || is_message_after_sentence(self.account.text(), words)
                    || (self.was_sentence && begins_sentence(words))
            }
        };
        self.was_sentence = is_sentence(words);
        self.message_id = message_id;
        let before = self.account.text();
        let breaks = is_new && !before.is_empty() && !before.ends_with('\n');
        let text = if breaks { format!("\n{words}") } else { words.to_owned() };
        self.carried.insert(self.taken, line);
        self.taken += text.len() as u64;
        let items = self.decoder.push(text.as_bytes());
        let mut events = vec![DriverEvent::Text { text: text.clone() }];
        events.extend(items.into_iter().map(|item| self.message_event(item, turn)));
        self.account.push_text(&text);
        self.drop_obsolete_offsets();
        events
    }

    /// Takes a tool call, which stands behind what was said so far.
    pub(super) fn push_tool_call(&mut self, call: &ToolCall) {
        self.account.push_tool_call(call);
    }

    /// Ends the turn, and returns what was still open and all that was said and done, for people.
    ///
    /// Of a turn that was stopped what is open is half a message, and never counts.
    pub(super) fn end_turn(
        &mut self,
        turn: u64,
        ending: TurnEnding,
    ) -> (Vec<DriverEvent>, String, TurnTools) {
        let items = match ending {
            TurnEnding::Spoken => self.decoder.end_turn(),
            TurnEnding::Stopped => Vec::new(),
        };
        let events = items.into_iter().map(|item| self.message_event(item, turn)).collect();
        let (text, tools) = self.account.take_turn();
        let message_id = self.message_id.take();
        *self = Self { late: message_id, ..Self::new(self.options.clone()) };
        (events, text, tools)
    }

    /// An item is known by the line in which it begins and by its place among those that begin there.
    fn message_event(&mut self, item: DecodedItem, turn: u64) -> DriverEvent {
        let start = self.carried.range(..=item.span().start).next_back().map_or(turn, |(_, line)| *line);
        let next = self.ordinals.entry(start).or_default();
        let offset = MessageOffset { start, ordinal: *next };
        *next += 1;
        DriverEvent::Message { offset, read_from: turn, item }
    }

    /// Forgets the places of text that no item can begin in any more.
    fn drop_obsolete_offsets(&mut self) {
        let needed = self.decoder.safe_offset();
        if let Some((first, _)) = self.carried.range(..=needed).next_back() {
            let first = *first;
            self.carried = self.carried.split_off(&first);
        }
        if let Some((_, line)) = self.carried.first_key_value() {
            self.ordinals = self.ordinals.split_off(line);
        }
    }
}

/// Tells whether a message begins directly behind a sentence that was a whole piece by itself.
///
/// Codex puts warnings among its words, without a space behind them; a tag behind one would be lost.
fn is_message_after_sentence(before: &str, words: &str) -> bool {
    let is_name = |sign: char| sign.is_ascii_uppercase() || sign == '_';
    let begins = match words.strip_prefix('[') {
        Some(rest) => rest.is_empty() || rest.starts_with(|sign| is_name(sign) || sign == '/'),
        None => {
            let name = words.find(|sign| !is_name(sign)).unwrap_or(0);
            words.starts_with("===") || (name > 1 && words[name..].starts_with(':'))
        }
    };
    begins && before.ends_with(['.', '!', '?'])
}

/// Tells whether a piece is a sentence by itself. Models speak in smaller pieces; programs put theirs in between.
fn is_sentence(words: &str) -> bool {
    words.ends_with(['.', '!', '?']) && words.split(' ').count() > SENTENCE_WORDS
}

/// Tells whether a piece can't go on with a sentence: behind a full stop that would begin with a space, or with the rest
/// of a file's name, a number or a quotation.
fn begins_sentence(words: &str) -> bool {
    let goes_on = |sign: char| {
        sign.is_lowercase() || sign.is_numeric() || sign.is_whitespace() || ".,;:!?)]}\"'".contains(sign)
    };
    !words.starts_with(goes_on)
}

#[cfg(test)]
mod tests {
    use protocol::DecoderOptions;

    use super::{AgentTextReader, TurnEnding};

    fn assert_turn_text(pieces: &[(&str, Option<&str>)], act: fn(&mut AgentTextReader), expected: &str) {
        let mut words = AgentTextReader::new(DecoderOptions::worker());
        for (text, id) in pieces {
            words.push_text(text, id.map(str::to_owned), 0, 0);
            act(&mut words);
        }
        assert_eq!(words.end_turn(0, TurnEnding::Spoken).1, expected, "{pieces:?}");
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
        for behind in ["[ask_user]", "Done: T1.3", "**DONE:T1.3**", "- DONE:T1.3", "✅ DONE:T1.3"] {
            assert_turn_text(&[(warning, None), (behind, None)], |_| {}, &format!("{warning}\n{behind}"));
        }
        assert_turn_text(
            &[("Now look at the file main.", None), ("rs", None)],
            |_| {},
            "Now look at the file main.rs",
        );
        assert_turn_text(&[("an ", None), ("[ASK_USER] tag", None)], |_| {}, "an [ASK_USER] tag");
    }
}
