//! Decodes terminal input into keys: characters, Enter, Escape, pastes.

use std::time::{Duration, Instant};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyPress {
    Typed(String),
    /// The content of a bracketed paste.
    Pasted(String),
    Enter,
    /// A line feed, which does not submit.
    NewLine,
    /// Escape that does not start a sequence.
    Escape,
    Backspace,
}

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Decodes keys incrementally; incomplete characters and pastes are kept until the rest arrives.
pub(super) struct KeyDecoder {
    pending: Vec<u8>,
    enter_guard: Duration,
    last_key_at: Option<Instant>,
}

impl KeyDecoder {
    /// An Enter within `enter_guard` after another key is decoded as a line feed.
    pub(super) fn new(guard: Duration) -> Self {
        Self { pending: Vec::new(), enter_guard: guard, last_key_at: None }
    }

    /// Decodes bytes as they arrive.
    pub(super) fn decode(&mut self, bytes: &[u8]) -> Vec<KeyPress> {
        self.pending.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, length)) = self.next_key() {
            self.pending.drain(..length);
            let Some(mut key) = key else { continue };
            if key == KeyPress::Enter
                && self.last_key_at.is_some_and(|last| last.elapsed() < self.enter_guard)
            {
                key = KeyPress::NewLine;
            }
            // An Enter after a bracketed paste is intended.
            self.last_key_at = if matches!(key, KeyPress::Pasted(_)) { None } else { Some(Instant::now()) };
            keys.push(key);
        }
        keys
    }

    /// Returns the next key, if the bytes have a meaning, and their number; `None` if more bytes are needed.
    fn next_key(&self) -> Option<(Option<KeyPress>, usize)> {
        let first = *self.pending.first()?;
        match first {
            b'\r' => Some((Some(KeyPress::Enter), 1)),
            b'\n' => Some((Some(KeyPress::NewLine), 1)),
            0x7f | 0x08 => Some((Some(KeyPress::Backspace), 1)),
            0x1b if self.pending.starts_with(PASTE_START) => {
                let rest = self.pending.get(PASTE_START.len()..)?;
                let end = rest.windows(PASTE_END.len()).position(|window| window == PASTE_END)?;
                // Terminals send a carriage return for each line end of a paste.
                let text =
                    String::from_utf8_lossy(rest.get(..end)?).replace("\r\n", "\n").replace('\r', "\n");
                Some((Some(KeyPress::Pasted(text)), PASTE_START.len() + end + PASTE_END.len()))
            }
            0x1b if self.pending.get(1) == Some(&b'[') => {
                let end = self.pending.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte))?;
                Some((None, end + 3))
            }
            0x1b => Some((Some(KeyPress::Escape), 1)),
            0x00..=0x1f => Some((None, 1)),
            _ => self.decode_character(first),
        }
    }

    fn decode_character(&self, first: u8) -> Option<(Option<KeyPress>, usize)> {
        let length = match first {
            0xf0.. => 4,
            0xe0.. => 3,
            0xc0.. => 2,
            _ => 1,
        };
        let bytes = self.pending.get(..length)?;
        Some((Some(KeyPress::Typed(String::from_utf8_lossy(bytes).into_owned())), length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed_characters(text: &str) -> Vec<KeyPress> {
        text.chars().map(|sign| KeyPress::Typed(sign.to_string())).collect()
    }

    #[test]
    fn keys_are_decoded_regardless_of_chunk_boundaries() {
        let bytes = "a한\x1b[A\x1b[200~one\rtwo\x1b[201~\r\x7f\x1b".as_bytes();
        let mut expected = typed_characters("a한");
        expected.extend([
            KeyPress::Pasted("one\ntwo".to_owned()),
            KeyPress::Enter,
            KeyPress::Backspace,
            KeyPress::Escape,
        ]);
        for cut in 0..bytes.len() - 1 {
            // A lone Escape cannot be distinguished from the beginning of a sequence.
            if bytes[..cut].ends_with(b"\x1b") {
                continue;
            }
            let mut keyboard = KeyDecoder::new(Duration::ZERO);
            let (head, tail) = bytes.split_at(cut);
            assert_eq!([keyboard.decode(head), keyboard.decode(tail)].concat(), expected, "{cut}");
        }
    }

    #[test]
    fn an_enter_within_the_guard_is_part_of_a_paste() {
        let mut keyboard = KeyDecoder::new(Duration::from_secs(60));
        assert_eq!(keyboard.decode(b"a\r"), [typed_characters("a"), vec![KeyPress::NewLine]].concat());
        assert_eq!(
            keyboard.decode(b"\x1b[200~x\x1b[201~\r"),
            [KeyPress::Pasted("x".to_owned()), KeyPress::Enter]
        );
    }
}
