//! Decodes terminal input to keys. Incomplete sequences wait for more bytes; unknown ones are skipped.

use super::input_line::LineEdit;

/// Longer escape sequences are skipped.
const SEQUENCE_BYTES_MAX: usize = 32;

const PASTE_START: &[u8] = b"[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Edit(LineEdit),
    Enter,
    Tab,
    Escape,
    /// Sent by Ctrl-C.
    Interrupt,
    /// Ctrl-D, or the end of input.
    End,
    /// Sent by Ctrl-Z.
    Suspend,
    /// Sent by Ctrl-L.
    Redraw,
}

impl Key {
    /// Returns the character that the key inserts.
    pub(crate) fn inserted_char(self) -> Option<char> {
        if let Self::Edit(LineEdit::Insert(char)) = self { Some(char) } else { None }
    }
}

/// Decodes keys from a stream of bytes.
#[derive(Debug, Default)]
pub(crate) struct KeyReader {
    pending: Vec<u8>,
    is_pasting: bool,
}

impl KeyReader {
    /// Adds bytes and returns the complete keys.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.pending.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, length)) = self.next() {
            self.pending.drain(..length.min(self.pending.len()));
            keys.extend(key);
        }
        keys
    }

    /// Reports a pause in the input: a lone escape byte is then the Escape key.
    pub(crate) fn resolve_lone_escape(&mut self) -> Option<Key> {
        if self.pending == [0x1b] && !self.is_pasting {
            self.pending.clear();
            return Some(Key::Escape);
        }
        None
    }

    /// Tells whether an incomplete sequence is pending.
    pub(crate) fn has_incomplete_key(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns the first key and its length in bytes; `None` if it is incomplete.
    fn next(&mut self) -> Option<(Option<Key>, usize)> {
        let first = *self.pending.first()?;
        if self.is_pasting {
            return self.next_pasted(first);
        }
        let edit = |edit| Some((Some(Key::Edit(edit)), 1));
        let key = |key| Some((Some(key), 1));
        match first {
            b'\r' | b'\n' => key(Key::Enter),
            b'\t' => key(Key::Tab),
            0x01 => edit(LineEdit::Home),
            0x03 => key(Key::Interrupt),
            0x04 => key(Key::End),
            0x05 => edit(LineEdit::End),
            0x08 | 0x7f => edit(LineEdit::Backspace),
            0x0c => key(Key::Redraw),
            0x15 => edit(LineEdit::DeleteToStart),
            0x17 => edit(LineEdit::DeleteWord),
            0x1a => key(Key::Suspend),
            0x1b => self.decode_escape_sequence(),
            0x00..0x20 => Some((None, 1)),
            _ => self.decode_char(),
        }
    }

    /// Decodes pasted text, whose line breaks do not submit the line.
    fn next_pasted(&mut self, first: u8) -> Option<(Option<Key>, usize)> {
        if self.pending.starts_with(PASTE_END) {
            self.is_pasting = false;
            return Some((None, PASTE_END.len()));
        }
        let insert = |char| Some((Some(Key::Edit(LineEdit::Insert(char))), 1));
        match first {
            0x1b if PASTE_END.starts_with(&self.pending) => None,
            b'\r' | b'\n' => insert('\n'),
            b'\t' => insert('\t'),
            0x00..0x20 | 0x7f => Some((None, 1)),
            _ => self.decode_char(),
        }
    }

    fn decode_char(&self) -> Option<(Option<Key>, usize)> {
        let length = match self.pending.first()? {
            0x00..0x80 => 1,
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf5 => 4,
            _ => return Some((None, 1)),
        };
        let Some(bytes) = self.pending.get(..length) else {
            // Wait for the rest, unless the bytes are invalid already.
            let is_invalid = self.pending.iter().skip(1).any(|byte| byte & 0xc0 != 0x80);
            return is_invalid.then_some((None, 1));
        };
        match std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next()) {
            Some(char) => Some((Some(Key::Edit(LineEdit::Insert(char))), length)),
            None => Some((None, 1)),
        }
    }

    fn decode_escape_sequence(&mut self) -> Option<(Option<Key>, usize)> {
        let rest = self.pending.get(1..)?;
        let introducer = *rest.first()?;
        if introducer != b'[' && introducer != b'O' {
            // The Escape key, followed by another key.
            return Some((Some(Key::Escape), 1));
        }
        let is_final = |byte: &u8| (0x40..0x7f).contains(byte);
        let Some(end) = rest.iter().skip(1).position(is_final) else {
            let is_too_long = rest.len() > SEQUENCE_BYTES_MAX;
            return is_too_long.then_some((None, 1 + rest.len()));
        };
        let body = rest.get(..end + 2).unwrap_or_default();
        let key = match body {
            PASTE_START => {
                self.is_pasting = true;
                None
            }
            b"[D" | b"OD" => Some(Key::Edit(LineEdit::Left)),
            b"[C" | b"OC" => Some(Key::Edit(LineEdit::Right)),
            b"[H" | b"OH" | b"[1~" | b"[7~" => Some(Key::Edit(LineEdit::Home)),
            b"[F" | b"OF" | b"[4~" | b"[8~" => Some(Key::Edit(LineEdit::End)),
            b"[3~" => Some(Key::Edit(LineEdit::Delete)),
            b"[Z" => Some(Key::Tab),
            _ => None,
        };
        Some((key, 1 + end + 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn char_keys(text: &str) -> Vec<Key> {
        text.chars().map(|char| Key::Edit(LineEdit::Insert(char))).collect()
    }

    #[test]
    fn keys_do_not_depend_on_how_bytes_are_split() {
        let bytes = "a가\x1b[D\x1bOH\x1b[3~\r\x03\u{8}\x1b[200~x\r\ny\x03\x1b[201~\x1b[1;5Cz".as_bytes();
        let mut expected = char_keys("a가");
        expected.extend([
            Key::Edit(LineEdit::Left),
            Key::Edit(LineEdit::Home),
            Key::Edit(LineEdit::Delete),
            Key::Enter,
        ]);
        expected.extend([Key::Interrupt, Key::Edit(LineEdit::Backspace)]);
        expected.extend(char_keys("x\n\nyz"));
        for cut in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            let mut keys = KeyReader::default();
            assert_eq!([keys.push(head), keys.push(tail)].concat(), expected, "cut at {cut}");
        }
    }

    #[test]
    fn invalid_bytes_are_skipped() {
        let mut keys = KeyReader::default();
        let mut bytes = vec![0xff, 0xc0, 0x80, 0xe1, b'a', 0xf5];
        bytes.extend(b"\x1b[");
        bytes.extend([b'1'; 100]);
        bytes.extend(b"b");
        assert_eq!(keys.push(&bytes).first(), Some(&Key::Edit(LineEdit::Insert('a'))));
        assert!(!keys.has_incomplete_key());
    }

    #[test]
    fn a_lone_escape_is_a_key_after_a_pause() {
        let mut keys = KeyReader::default();
        assert_eq!(keys.push(b"\x1b"), []);
        assert_eq!(keys.resolve_lone_escape(), Some(Key::Escape));
        assert_eq!(keys.resolve_lone_escape(), None);
    }
}
