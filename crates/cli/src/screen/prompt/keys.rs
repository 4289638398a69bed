//! Bytes of a keyboard become keys. What is cut in the middle waits for the rest; what is unknown is no key.

use super::typed::Edit;

/// An escape sequence longer than this is no key.
const SEQUENCE_BYTES_MAX: usize = 32;

const PASTE_BEGINS: &[u8] = b"[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Changes the line.
    Edit(Edit),
    /// Ends the line.
    Enter,
    /// Goes to the next entry.
    Tab,
    /// Forgets the line.
    Escape,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D, or nobody is there to type any more.
    End,
    /// Ctrl-Z.
    Suspend,
    /// Ctrl-L.
    Redraw,
}

impl Key {
    /// Returns the sign that it types.
    pub fn sign(self) -> Option<char> {
        if let Self::Edit(Edit::Insert(sign)) = self { Some(sign) } else { None }
    }
}

/// Reads keys from bytes as they come.
#[derive(Debug, Default)]
pub struct Keys {
    pending: Vec<u8>,
    is_pasting: bool,
}

impl Keys {
    /// Takes bytes, and returns the keys that are whole.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.pending.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, length)) = self.next() {
            self.pending.drain(..length.min(self.pending.len()));
            keys.extend(key);
        }
        keys
    }

    /// Says that nothing came for a moment: an escape that waits for more is the key itself.
    pub fn pause(&mut self) -> Option<Key> {
        if self.pending == [0x1b] && !self.is_pasting {
            self.pending.clear();
            return Some(Key::Escape);
        }
        None
    }

    /// Tells whether something waits for the rest.
    pub fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns the first key and how many bytes it takes; none where more must come.
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
            0x01 => edit(Edit::Home),
            0x03 => key(Key::Interrupt),
            0x04 => key(Key::End),
            0x05 => edit(Edit::End),
            0x08 | 0x7f => edit(Edit::Backspace),
            0x0c => key(Key::Redraw),
            0x15 => edit(Edit::DeleteToStart),
            0x17 => edit(Edit::DeleteWord),
            0x1a => key(Key::Suspend),
            0x1b => self.sequence(),
            0x00..0x20 => Some((None, 1)),
            _ => self.sign(),
        }
    }

    /// Takes pasted text as it is: its new lines end nothing.
    fn next_pasted(&mut self, first: u8) -> Option<(Option<Key>, usize)> {
        if self.pending.starts_with(PASTE_ENDS) {
            self.is_pasting = false;
            return Some((None, PASTE_ENDS.len()));
        }
        let insert = |sign| Some((Some(Key::Edit(Edit::Insert(sign))), 1));
        match first {
            0x1b if PASTE_ENDS.starts_with(&self.pending) => None,
            b'\r' | b'\n' => insert('\n'),
            b'\t' => insert('\t'),
            0x00..0x20 | 0x7f => Some((None, 1)),
            _ => self.sign(),
        }
    }

    fn sign(&self) -> Option<(Option<Key>, usize)> {
        let length = match self.pending.first()? {
            0x00..0x80 => 1,
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf5 => 4,
            _ => return Some((None, 1)),
        };
        let Some(bytes) = self.pending.get(..length) else {
            // The rest is on its way, unless what is there is wrong already.
            let is_wrong = self.pending.iter().skip(1).any(|byte| byte & 0xc0 != 0x80);
            return is_wrong.then_some((None, 1));
        };
        match std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next()) {
            Some(sign) => Some((Some(Key::Edit(Edit::Insert(sign))), length)),
            None => Some((None, 1)),
        }
    }

    fn sequence(&mut self) -> Option<(Option<Key>, usize)> {
        let rest = self.pending.get(1..)?;
        let introducer = *rest.first()?;
        if introducer != b'[' && introducer != b'O' {
            // Escape, and then something else.
            return Some((Some(Key::Escape), 1));
        }
        let is_final = |byte: &u8| (0x40..0x7f).contains(byte);
        let Some(end) = rest.iter().skip(1).position(is_final) else {
            let is_endless = rest.len() > SEQUENCE_BYTES_MAX;
            return is_endless.then_some((None, 1 + rest.len()));
        };
        let body = rest.get(..end + 2).unwrap_or_default();
        let key = match body {
            PASTE_BEGINS => {
                self.is_pasting = true;
                None
            }
            b"[D" | b"OD" => Some(Key::Edit(Edit::Left)),
            b"[C" | b"OC" => Some(Key::Edit(Edit::Right)),
            b"[H" | b"OH" | b"[1~" | b"[7~" => Some(Key::Edit(Edit::Home)),
            b"[F" | b"OF" | b"[4~" | b"[8~" => Some(Key::Edit(Edit::End)),
            b"[3~" => Some(Key::Edit(Edit::Delete)),
            b"[Z" => Some(Key::Tab),
            _ => None,
        };
        Some((key, 1 + end + 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Vec<Key> {
        text.chars().map(|sign| Key::Edit(Edit::Insert(sign))).collect()
    }

    #[test]
    fn keys_are_read_wherever_their_bytes_are_cut() {
        let bytes = "a가\x1b[D\x1bOH\x1b[3~\r\x03\u{8}\x1b[200~x\r\ny\x03\x1b[201~\x1b[1;5Cz".as_bytes();
        let mut expected = typed("a가");
        expected.extend([Key::Edit(Edit::Left), Key::Edit(Edit::Home), Key::Edit(Edit::Delete), Key::Enter]);
        expected.extend([Key::Interrupt, Key::Edit(Edit::Backspace)]);
        expected.extend(typed("x\n\nyz"));
        for cut in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            let mut keys = Keys::default();
            assert_eq!([keys.push(head), keys.push(tail)].concat(), expected, "cut at {cut}");
        }
    }

    #[test]
    fn what_is_no_key_is_passed_over() {
        let mut keys = Keys::default();
        let mut bytes = vec![0xff, 0xc0, 0x80, 0xe1, b'a', 0xf5];
        bytes.extend(b"\x1b[");
        bytes.extend([b'1'; 100]);
        bytes.extend(b"b");
        assert_eq!(keys.push(&bytes).first(), Some(&Key::Edit(Edit::Insert('a'))));
        assert!(!keys.is_waiting());
    }

    #[test]
    fn an_escape_alone_is_a_key_after_a_pause() {
        let mut keys = Keys::default();
        assert_eq!(keys.push(b"\x1b"), []);
        assert_eq!(keys.pause(), Some(Key::Escape));
        assert_eq!(keys.pause(), None);
    }
}
