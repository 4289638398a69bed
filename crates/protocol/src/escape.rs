//! Escape sequences: where one ends, and the few that act on the line.
//!
//! Works on a slice that begins with an introducer; knows nothing of lines or text.

/// A sequence is given up after this many bytes; no program draws with longer ones.
pub(crate) const SEQUENCE_BYTES_MAX: usize = 4096;

pub(crate) const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
/// The first byte of every C1 control in UTF-8; what follows it is the code point itself.
pub(crate) const C1_LEAD: u8 = 0xc2;

/// What stands at the beginning of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sequence {
    /// So many bytes are gone; the act is what is left of them.
    Whole { length: usize, act: Act },
    /// The slice ends inside the sequence.
    Unfinished,
}

/// What a sequence does to the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Nothing.
    Nothing,
    /// It changes the line that the cursor is in.
    Edit(Edit),
    /// It leaves the line or the screen: the output is a painting, not a text.
    Repaint,
}

/// A change of the line that the cursor is in. Counts are at least 1, columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    EraseToEnd,
    EraseToStart,
    EraseAll,
    ToColumn(usize),
    Right(usize),
    Left(usize),
    DeleteCells(usize),
    InsertBlanks(usize),
    EraseCells(usize),
}

/// Reads the sequence that `bytes` begins with: ESC, or a C1 introducer as a code point.
pub(crate) fn read(bytes: &[u8]) -> Sequence {
    match bytes {
        [ESC, rest @ ..] => after_escape(bytes, rest),
        [C1_LEAD, control, ..] => match introducer(*control) {
            Some(kind) => body(bytes, 2, kind),
            None => whole(2, Act::Nothing),
        },
        _ => Sequence::Unfinished,
    }
}

/// Tells whether a byte behind `C1_LEAD` makes a C1 control of it.
pub(crate) fn is_c1(second: u8) -> bool {
    (0x80..=0x9f).contains(&second)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Csi,
    /// OSC, DCS, SOS, PM, APC: everything up to the string terminator.
    Text,
}

fn introducer(c1: u8) -> Option<Kind> {
    match c1 {
        0x9b => Some(Kind::Csi),
        0x90 | 0x98 | 0x9d | 0x9e | 0x9f => Some(Kind::Text),
        _ => None,
    }
}

fn after_escape(bytes: &[u8], rest: &[u8]) -> Sequence {
    match rest.first() {
        None => Sequence::Unfinished,
        Some(b'[') => body(bytes, 2, Kind::Csi),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => body(bytes, 2, Kind::Text),
        Some(b'M') => whole(2, Act::Repaint),
        Some(0x20..=0x2f) => with_intermediates(bytes),
        Some(0x30..=0x7e) => whole(2, Act::Nothing),
        // A control or a letter of another script: the lone ESC goes, what follows is looked at by itself.
        Some(_) => whole(1, Act::Nothing),
    }
}

/// Returns the length of the colour sequence that `bytes` begins with.
///
/// `None` for every other sequence, for a colour with more than 16 bytes of parameters and for one near the end of
/// `bytes`: [`read`] reads all of them.
pub(crate) fn colour_length(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(&[ESC, b'['])?;
    // Digits and semicolons have 3 as their upper half. Comparing 16 bytes at once needs no branch for their number.
    let upper_halves = u128::from_le_bytes(*rest.first_chunk()?) & u128::from_le_bytes([0xf0; 16]);
    let parameters = (upper_halves ^ u128::from_le_bytes([0x30; 16])).trailing_zeros() as usize / 8;
    (rest.get(parameters) == Some(&b'm')).then_some(parameters + 3)
}

fn with_intermediates(bytes: &[u8]) -> Sequence {
    for (index, byte) in bytes.iter().enumerate().skip(2) {
        match byte {
            0x20..=0x2f if index < SEQUENCE_BYTES_MAX => {}
            0x30..=0x7e => return whole(index + 1, Act::Nothing),
            _ => return whole(index, Act::Nothing),
        }
    }
    Sequence::Unfinished
}

fn body(bytes: &[u8], from: usize, kind: Kind) -> Sequence {
    let mut index = from;
    while let Some(&byte) = bytes.get(index) {
        if index >= SEQUENCE_BYTES_MAX {
            return whole(index, Act::Nothing);
        }
        match byte {
            CAN | SUB => return whole(index + 1, Act::Nothing),
            ESC => {
                // ST ends a string; any other ESC begins the next sequence, and this one is given up.
                return match (kind, bytes.get(index + 1)) {
                    (Kind::Text, None) => Sequence::Unfinished,
                    (Kind::Text, Some(b'\\')) => whole(index + 2, Act::Nothing),
                    (Kind::Text, Some(_)) | (Kind::Csi, _) => whole(index, Act::Nothing),
                };
            }
            C1_LEAD => match bytes.get(index + 1) {
                None => return Sequence::Unfinished,
                Some(0x9c) => return whole(index + 2, Act::Nothing),
                Some(&second) if introducer(second).is_some() => return whole(index, Act::Nothing),
                Some(_) => {}
            },
            BEL if kind == Kind::Text => return whole(index + 1, Act::Nothing),
            0x40..=0x7e if kind == Kind::Csi => {
                let parameters = bytes.get(from..index).unwrap_or_default();
                return whole(index + 1, csi_act(parameters, byte));
            }
            _ => {}
        }
        index += 1;
    }
    Sequence::Unfinished
}

fn whole(length: usize, act: Act) -> Sequence {
    Sequence::Whole { length, act }
}

/// Returns what a control sequence with these parameters and this final byte does.
pub(crate) fn csi_act(parameters: &[u8], last: u8) -> Act {
    match last {
        b'm' => Act::Nothing,
        b'A' | b'F' | b'H' | b'f' | b'd' | b'L' | b'M' | b'T' => Act::Repaint,
        b'h' | b'l' if switches_screen(parameters) => Act::Repaint,
        b'K' | b'J' | b'G' | b'C' | b'D' | b'P' | b'@' | b'X' => match first_number(parameters) {
            Some(number) => edit_act(last, number),
            None => Act::Nothing,
        },
        _ => Act::Nothing,
    }
}

fn edit_act(last: u8, number: Option<usize>) -> Act {
    let count = number.unwrap_or(1).max(1);
    let edit = match (last, number.unwrap_or(0)) {
        (b'K' | b'J', 0) => Edit::EraseToEnd,
        (b'K', 1) => Edit::EraseToStart,
        (b'K', 2) => Edit::EraseAll,
        (b'J', 1..=3) => return Act::Repaint,
        (b'G', _) => Edit::ToColumn(count - 1),
        (b'C', _) => Edit::Right(count),
        (b'D', _) => Edit::Left(count),
        (b'P', _) => Edit::DeleteCells(count),
        (b'@', _) => Edit::InsertBlanks(count),
        (b'X', _) => Edit::EraseCells(count),
        _ => return Act::Nothing,
    };
    Act::Edit(edit)
}

fn switches_screen(parameters: &[u8]) -> bool {
    matches!(parameters, b"?1049" | b"?1047" | b"?47")
}

/// Returns the first parameter: `Some(None)` where it is left out, `None` where the parameters are private or broken.
fn first_number(parameters: &[u8]) -> Option<Option<usize>> {
    let first = parameters.split(|byte| *byte == b';').next().unwrap_or_default();
    let mut number = None;
    for byte in first {
        if !byte.is_ascii_digit() {
            return None;
        }
        // Saturates far beyond every column, so that a long number stays a large one.
        number = Some((number.unwrap_or(0) * 10 + usize::from(byte - b'0')).min(1_000_000));
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::{Act, Edit, Sequence, colour_length, read};

    fn check(bytes: &[u8], length: usize, act: Act) {
        assert_eq!(read(bytes), Sequence::Whole { length, act }, "{bytes:?}");
    }

    #[test]
    fn every_kind_of_sequence_ends_where_a_terminal_ends_it() {
        check(b"\x1b[1;31mred", 7, Act::Nothing);
        check(b"\x1b]0;title\x07x", 10, Act::Nothing);
        check(b"\x1b]8;;http://x\x1b\\x", 15, Act::Nothing);
        check(b"\x1bPq#0\x1b\\x", 7, Act::Nothing);
        check(b"\x1b(B", 3, Act::Nothing);
        check(b"\x1b7x", 2, Act::Nothing);
        check("\u{9b}2Kx".as_bytes(), 4, Act::Edit(Edit::EraseAll));
        check("\u{9d}0;t\u{9c}x".as_bytes(), 7, Act::Nothing);
        check("\u{85}x".as_bytes(), 2, Act::Nothing);
        check("\x1b]0;뛰\x07".as_bytes(), 8, Act::Nothing);
    }

    #[test]
    fn a_sequence_is_given_up_for_another_a_cancel_or_its_length() {
        check(b"\x1b[12\x1b[m", 4, Act::Nothing);
        check(b"\x1b]0;x\x18y", 6, Act::Nothing);
        check(b"\x1b\x1b[m", 1, Act::Nothing);
        check(&[b"\x1b]".as_slice(), &[b'x'; 5000]].concat(), 4096, Act::Nothing);
        assert_eq!(read(b"\x1b]0;title"), Sequence::Unfinished);
        assert_eq!(read(b"\x1b"), Sequence::Unfinished);
    }

    #[test]
    fn colours_are_recognised_by_their_form() {
        let padded = |text: &str| format!("{text}                ").into_bytes();
        assert_eq!(colour_length(&padded("\x1b[m")), Some(3));
        assert_eq!(colour_length(&padded("\x1b[38;2;10;20;30mx")), Some(16));
        assert_eq!(colour_length(&padded("\x1b[38;2;255;255;255m")), Some(19));
        for other in ["\x1b[2K", "\x1b[?25h", "\x1b]0;m", "\x1b[38;2;255;255;255;1m", "[1m", "\x1b[1 m"] {
            assert_eq!(colour_length(&padded(other)), None, "{other:?}");
        }
        assert_eq!(colour_length(b"\x1b[1m"), None);
    }

    #[test]
    fn what_edits_the_line_and_what_leaves_it_are_told_apart() {
        check(b"\x1b[K", 3, Act::Edit(Edit::EraseToEnd));
        check(b"\x1b[1K", 4, Act::Edit(Edit::EraseToStart));
        check(b"\x1b[J", 3, Act::Edit(Edit::EraseToEnd));
        check(b"\x1b[5G", 4, Act::Edit(Edit::ToColumn(4)));
        check(b"\x1b[0C", 4, Act::Edit(Edit::Right(1)));
        check(b"\x1b[?K", 4, Act::Nothing);
        check(b"\x1b[2J", 4, Act::Repaint);
        check(b"\x1b[3A", 4, Act::Repaint);
        check(b"\x1b[?1049h", 8, Act::Repaint);
        check(b"\x1b[?25l", 6, Act::Nothing);
    }
}
