//! Bytes from a terminal as keys: letters, Enter, Escape, pastes.

use std::time::{Duration, Instant};

/// What was pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A letter.
    Typed(String),
    /// All of a bracketed paste.
    Pasted(String),
    /// Enter.
    Enter,
    /// A line feed, which is no Enter.
    NewLine,
    /// Escape, alone.
    Escape,
    /// Backspace.
    Back,
}

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// Reads keys. Half a character or half a paste waits inside for the rest.
pub struct Keyboard {
    held: Vec<u8>,
    guard: Duration,
    last: Option<Instant>,
}

impl Keyboard {
    /// Takes an Enter for one only so long after the last key.
    pub fn new(guard: Duration) -> Self {
        Self { held: Vec::new(), guard, last: None }
    }

    /// Takes bytes as they come.
    pub fn press(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.held.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, length)) = self.next() {
            self.held.drain(..length);
            let Some(mut key) = key else { continue };
            if key == Key::Enter && self.last.is_some_and(|last| last.elapsed() < self.guard) {
                key = Key::NewLine;
            }
            // A paste ends itself: Enter behind it is meant.
            self.last = if matches!(key, Key::Pasted(_)) { None } else { Some(Instant::now()) };
            keys.push(key);
        }
        keys
    }

    /// Returns the next key, if it is one, and its bytes; `None` where more must come.
    fn next(&self) -> Option<(Option<Key>, usize)> {
        let first = *self.held.first()?;
        match first {
            b'\r' => Some((Some(Key::Enter), 1)),
            b'\n' => Some((Some(Key::NewLine), 1)),
            0x7f | 0x08 => Some((Some(Key::Back), 1)),
            0x1b if self.held.starts_with(PASTE_BEGINS) => {
                let rest = self.held.get(PASTE_BEGINS.len()..)?;
                let end = rest.windows(PASTE_ENDS.len()).position(|window| window == PASTE_ENDS)?;
                // A terminal sends a carriage return for each new line of a paste.
                let text =
                    String::from_utf8_lossy(rest.get(..end)?).replace("\r\n", "\n").replace('\r', "\n");
                Some((Some(Key::Pasted(text)), PASTE_BEGINS.len() + end + PASTE_ENDS.len()))
            }
            0x1b if self.held.get(1) == Some(&b'[') => {
                let end = self.held.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte))?;
                Some((None, end + 3))
            }
            0x1b => Some((Some(Key::Escape), 1)),
            0x00..=0x1f => Some((None, 1)),
            _ => self.letter(first),
        }
    }

    fn letter(&self, first: u8) -> Option<(Option<Key>, usize)> {
        let length = match first {
            0xf0.. => 4,
            0xe0.. => 3,
            0xc0.. => 2,
            _ => 1,
        };
        let bytes = self.held.get(..length)?;
        Some((Some(Key::Typed(String::from_utf8_lossy(bytes).into_owned())), length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Vec<Key> {
        text.chars().map(|sign| Key::Typed(sign.to_string())).collect()
    }

    #[test]
    fn keys_are_found_however_the_bytes_are_cut() {
        let bytes = "a한\x1b[A\x1b[200~one\rtwo\x1b[201~\r\x7f\x1b".as_bytes();
        let mut expected = typed("a한");
        expected.extend([Key::Pasted("one\ntwo".to_owned()), Key::Enter, Key::Back, Key::Escape]);
        for cut in 0..bytes.len() - 1 {
            // An Escape alone and the beginning of a sequence cannot be told apart.
            if bytes[..cut].ends_with(b"\x1b") {
                continue;
            }
            let mut keyboard = Keyboard::new(Duration::ZERO);
            let (head, tail) = bytes.split_at(cut);
            assert_eq!([keyboard.press(head), keyboard.press(tail)].concat(), expected, "{cut}");
        }
    }

    #[test]
    fn an_enter_that_comes_too_fast_is_part_of_a_paste() {
        let mut keyboard = Keyboard::new(Duration::from_secs(60));
        assert_eq!(keyboard.press(b"a\r"), [typed("a"), vec![Key::NewLine]].concat());
        assert_eq!(keyboard.press(b"\x1b[200~x\x1b[201~\r"), [Key::Pasted("x".to_owned()), Key::Enter]);
    }
}
