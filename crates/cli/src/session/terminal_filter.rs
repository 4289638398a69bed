//! Filters the output of an attached session: it may draw, but not use the clipboard or ask the terminal for answers, which
//! the terminal would type into the session.

/// Size limit of a sequence that is held until its end; longer ones are dropped.
const SEQUENCE_BYTES_MAX: usize = 16 << 10;
const BEL: u8 = 0x07;
const ESC: u8 = 0x1b;
/// First byte of the two that encode a C1 control character.
const C1_LEAD: u8 = 0xc2;
/// Numbers of the operating system commands that pass: titles, links and marks of the shell.
const OSC_ALLOWED: [&str; 5] = ["0", "1", "2", "8", "133"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FilterState {
    Text,
    /// After a byte that may begin a C1 control character.
    C1Lead,
    Escape,
    ControlSequence,
    /// A string up to its terminator; `is_osc` if it may pass.
    ControlString {
        is_osc: bool,
        is_after_escape: bool,
    },
}

/// Removes sequences from output that arrives in any pieces.
pub(super) struct TerminalFilter {
    state: FilterState,
    /// The bytes of the incomplete sequence, with its introducer.
    held: Vec<u8>,
}

impl TerminalFilter {
    pub(super) fn new() -> Self {
        Self { state: FilterState::Text, held: Vec::new() }
    }

    /// Returns the printable part of the next piece.
    pub(super) fn filter(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            self.add(*byte, &mut out);
        }
        out
    }

    fn add(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.state {
            FilterState::Text => self.add_text(byte, out),
            FilterState::C1Lead => {
                self.state = FilterState::Text;
                if !(0x80..=0x9f).contains(&byte) {
                    out.push(C1_LEAD);
                    self.add_text(byte, out);
                }
            }
            FilterState::Escape => self.add_after_escape(byte, out),
            FilterState::ControlSequence => match byte {
                ESC => self.begin_escape(),
                0x18 | 0x1a => self.state = FilterState::Text,
                0x40..=0x7e => {
                    self.hold(byte);
                    self.state = FilterState::Text;
                    if is_control_sequence_allowed(&self.held) {
                        out.append(&mut self.held);
                    }
                }
                _ => self.hold(byte),
            },
            FilterState::ControlString { is_osc, is_after_escape } => {
                let is_end =
                    byte == BEL || (is_after_escape && byte == b'\\') || self.ends_with_c1_terminator(byte);
                if is_end {
                    self.hold(byte);
                    self.state = FilterState::Text;
                    if is_osc && is_osc_allowed(&self.held) {
                        out.append(&mut self.held);
                    }
                } else if is_after_escape {
                    // Another sequence begins, and the string ends without effect.
                    self.begin_escape();
                    self.add_after_escape(byte, out);
                } else if matches!(byte, 0x18 | 0x1a) {
                    self.state = FilterState::Text;
                } else {
                    self.hold(byte);
                    self.state = FilterState::ControlString { is_osc, is_after_escape: byte == ESC };
                }
            }
        }
    }

    fn add_text(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            ESC => self.begin_escape(),
            C1_LEAD => self.state = FilterState::C1Lead,
            _ => out.push(byte),
        }
    }

    fn add_after_escape(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.state = match byte {
            b'[' => FilterState::ControlSequence,
            b']' => FilterState::ControlString { is_osc: true, is_after_escape: false },
            b'P' | b'X' | b'^' | b'_' => FilterState::ControlString { is_osc: false, is_after_escape: false },
            ESC => return,
            // Designates a character set: a final byte follows.
            0x20..=0x2f => {
                self.hold(byte);
                return;
            }
            // Asks for the kind of terminal; the end of a string that was dropped.
            b'Z' | b'\\' => FilterState::Text,
            _ => {
                self.hold(byte);
                out.append(&mut self.held);
                FilterState::Text
            }
        };
        if self.state != FilterState::Text {
            self.hold(byte);
        }
    }

    fn begin_escape(&mut self) {
        self.held.clear();
        self.held.push(ESC);
        self.state = FilterState::Escape;
    }

    /// A sequence that is too long is never complete.
    fn hold(&mut self, byte: u8) {
        if self.held.len() < SEQUENCE_BYTES_MAX {
            self.held.push(byte);
        }
    }

    fn ends_with_c1_terminator(&self, byte: u8) -> bool {
        byte == 0x9c && self.held.last() == Some(&C1_LEAD)
    }
}

/// Returns whether a control sequence neither asks the terminal nor moves its window nor prints.
fn is_control_sequence_allowed(sequence: &[u8]) -> bool {
    if sequence.len() >= SEQUENCE_BYTES_MAX {
        return false;
    }
    let (prefix, last) = (sequence.get(2).copied(), sequence.last().copied());
    let intermediate = sequence.len().checked_sub(2).and_then(|at| sequence.get(at)).copied();
    match last {
        Some(b'c' | b'n' | b'x' | b't' | b'i') => false,
        Some(b'q') => prefix != Some(b'>'),
        Some(b'u' | b'S') => prefix != Some(b'?'),
        Some(b'p' | b'w') if intermediate == Some(b'$') => false,
        Some(b'y') => intermediate != Some(b'*'),
        Some(_) | None => true,
    }
}

fn is_osc_allowed(sequence: &[u8]) -> bool {
    let number = sequence.get(2..).unwrap_or_default().split(|byte| !byte.is_ascii_digit()).next();
    sequence.len() < SEQUENCE_BYTES_MAX
        && number.is_some_and(|number| OSC_ALLOWED.iter().any(|allowed| allowed.as_bytes() == number))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Filters a text in pieces of every size, which must not matter.
    fn filtered(text: &str) -> String {
        let whole = TerminalFilter::new().filter(text.as_bytes());
        for size in 1..text.len() {
            let mut filter = TerminalFilter::new();
            let pieces: Vec<u8> =
                text.as_bytes().chunks(size).flat_map(|piece| filter.filter(piece)).collect();
            assert_eq!(pieces, whole, "{size}");
        }
        String::from_utf8(whole).unwrap()
    }

    #[test]
    fn drawing_passes() {
        for text in [
            "가 ünïcödé\r\n",
            "\x1b[1;31mred\x1b[0m\x1b[2J\x1b[3;4H\x1b[?1049h\x1b[?25l\x1b[4 q\x1b[>1u\x1b[<u",
            "\x1b(B\x1b7\x1b8\x1b=\x1bM",
            "\x1b]0;title\x07\x1b]2;title\x1b\\\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
        ] {
            assert_eq!(filtered(text), text);
        }
    }

    #[test]
    fn clipboard_questions_and_window_operations_do_not_pass() {
        for sequence in [
            "\x1b]52;c;aGVsbG8=\x07",
            "\x1b]52;c;?\x1b\\",
            "\u{9d}52;c;aGVsbG8=\u{9c}",
            "\x1b]11;?\x07",
            "\x1b]4;1;?\x1b\\",
            "\x1b]1337;File=x\x07",
            "\x1b[c",
            "\x1b[>c",
            "\x1b[6n",
            "\x1b[?6n",
            "\x1b[21t",
            "\x1b[8;1;1t",
            "\x1b[>q",
            "\x1b[?1$p",
            "\x1b[?u",
            "\x1b[1;1;1;1;1;1*y",
            "\x1b[5i",
            "\x1bZ",
            "\x1bP$qm\x1b\\",
            "\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\",
            "\x1b_Ga=q\x1b\\",
        ] {
            let text = filtered(&format!("a{sequence}b"));
            // What remains is text that no terminal acts on.
            assert!(!text.contains(['\x1b', '\u{9d}', '\u{9c}', '\x07']), "{sequence:?}: {text:?}");
            assert!(text.starts_with('a') && text.ends_with('b'), "{sequence:?}: {text:?}");
        }
        let long = format!("a\x1b]0;{}\x07b", "x".repeat(SEQUENCE_BYTES_MAX));
        assert_eq!(TerminalFilter::new().filter(long.as_bytes()), b"ab");
    }
}
