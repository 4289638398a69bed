//! The end of a session's conversation, for an agent that cannot resume it.

/// Limit of the conversation that is repeated to an agent; its end is the important part.
const TAIL_BYTES_MAX: usize = 24 * 1024;

/// The last messages of a conversation, at most [`TAIL_BYTES_MAX`] bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ConversationTail {
    text: String,
}

impl ConversationTail {
    /// Adds a message that was sent to the agent.
    pub(crate) fn add_input(&mut self, text: &str) {
        self.add_line("Jangdan", text);
    }

    /// Adds the text of a turn of the agent.
    pub(crate) fn add_turn(&mut self, text: &str) {
        self.add_line("You", text);
    }

    /// Returns the messages, `None` if there are none.
    pub(crate) fn text(&self) -> Option<&str> {
        Some(self.text.as_str()).filter(|text| !text.is_empty())
    }

    fn add_line(&mut self, speaker: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(speaker);
        self.text.push_str(": ");
        self.text.push_str(text);
        let excess = self.text.len().saturating_sub(TAIL_BYTES_MAX);
        self.text.drain(..self.text.ceil_char_boundary(excess));
    }
}

#[cfg(test)]
mod tests {
    use super::{ConversationTail, TAIL_BYTES_MAX};

    #[test]
    fn long_conversation_keeps_its_end() {
        let mut tail = ConversationTail::default();
        assert_eq!(tail.text(), None);
        tail.add_input("한".repeat(TAIL_BYTES_MAX).as_str());
        tail.add_turn("the last words");
        let text = tail.text().unwrap();
        assert!(text.len() <= TAIL_BYTES_MAX, "{}", text.len());
        assert!(text.ends_with("한\nYou: the last words"), "{}", &text[text.len() - 40..]);
    }

    #[test]
    fn empty_turn_adds_nothing() {
        let mut tail = ConversationTail::default();
        tail.add_turn(" \n");
        assert_eq!(tail.text(), None);
    }
}
