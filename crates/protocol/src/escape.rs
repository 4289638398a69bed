//! Escape sequences: their length, and the few that edit the line.
//!
//! Input is a slice that begins with an introducer.

/// Longer sequences are abandoned; no program draws with them.
pub(crate) const SEQUENCE_BYTES_MAX: usize = 4096;

pub(crate) const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
/// The first byte of every C1 control in UTF-8; the second byte is the code point.
pub(crate) const C1_LEAD: u8 = 0xc2;

/// The sequence at the beginning of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParsedSequence {
    /// The sequence has this length in bytes.
    Complete { length: usize, effect: SequenceEffect },
    /// The slice ends inside the sequence.
    Incomplete,
}

/// The effect of a sequence on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SequenceEffect {
    None,
    /// Changes the line of the cursor.
    Edit(LineEdit),
    /// Leaves the line or the screen: the output is painted, not written line by line.
    Repaint,
}

/// A change of the line of the cursor. Counts are at least 1, columns start at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEdit {
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

/// Parses the sequence that `bytes` begins with: ESC, or a C1 introducer as a code point.
pub(crate) fn parse_escape_sequence(bytes: &[u8]) -> ParsedSequence {
    match bytes {
        [ESC, rest @ ..] => parse_after_escape(bytes, rest),
        [C1_LEAD, control, ..] => match c1_sequence_kind(*control) {
            Some(kind) => parse_sequence_body(bytes, 2, kind),
            None => complete_sequence(2, SequenceEffect::None),
        },
        _ => ParsedSequence::Incomplete,
    }
}

/// Returns whether a byte after `C1_LEAD` makes a C1 control.
pub(crate) fn is_c1(second: u8) -> bool {
    (0x80..=0x9f).contains(&second)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SequenceKind {
    Csi,
    /// OSC, DCS, SOS, PM, APC: everything up to the string terminator.
    Text,
}

fn c1_sequence_kind(c1: u8) -> Option<SequenceKind> {
    match c1 {
        0x9b => Some(SequenceKind::Csi),
        0x90 | 0x98 | 0x9d | 0x9e | 0x9f => Some(SequenceKind::Text),
        _ => None,
    }
}

fn parse_after_escape(bytes: &[u8], rest: &[u8]) -> ParsedSequence {
    match rest.first() {
        None => ParsedSequence::Incomplete,
        Some(b'[') => parse_sequence_body(bytes, 2, SequenceKind::Csi),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => parse_sequence_body(bytes, 2, SequenceKind::Text),
        Some(b'M') => complete_sequence(2, SequenceEffect::Repaint),
        Some(0x20..=0x2f) => parse_with_intermediates(bytes),
        Some(0x30..=0x7e) => complete_sequence(2, SequenceEffect::None),
        // A control or a non-ASCII character: only the ESC is skipped.
        Some(_) => complete_sequence(1, SequenceEffect::None),
    }
}

/// Returns the length of the colour sequence that `bytes` begins with.
///
/// `None` for every other sequence, for a colour with more than 16 bytes of parameters and for one near the end of
/// `bytes`: [`parse_escape_sequence`] handles all of them.
pub(crate) fn colour_sequence_length(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(&[ESC, b'['])?;
    // Digits and semicolons have 3 as their upper half. Comparing 16 bytes at once needs no branch for their number.
    let upper_halves = u128::from_le_bytes(*rest.first_chunk()?) & u128::from_le_bytes([0xf0; 16]);
    let parameters = (upper_halves ^ u128::from_le_bytes([0x30; 16])).trailing_zeros() as usize / 8;
    (rest.get(parameters) == Some(&b'm')).then_some(parameters + 3)
}

fn parse_with_intermediates(bytes: &[u8]) -> ParsedSequence {
    for (index, byte) in bytes.iter().enumerate().skip(2) {
        match byte {
            0x20..=0x2f if index < SEQUENCE_BYTES_MAX => {}
            0x30..=0x7e => return complete_sequence(index + 1, SequenceEffect::None),
            _ => return complete_sequence(index, SequenceEffect::None),
        }
    }
    ParsedSequence::Incomplete
}

fn parse_sequence_body(bytes: &[u8], from: usize, kind: SequenceKind) -> ParsedSequence {
    let mut index = from;
    while let Some(&byte) = bytes.get(index) {
        if index >= SEQUENCE_BYTES_MAX {
            return complete_sequence(index, SequenceEffect::None);
        }
        match byte {
            CAN | SUB => return complete_sequence(index + 1, SequenceEffect::None),
            ESC => {
                // ST ends a string; any other ESC begins the next sequence and abandons this one.
                return match (kind, bytes.get(index + 1)) {
                    (SequenceKind::Text, None) => ParsedSequence::Incomplete,
                    (SequenceKind::Text, Some(b'\\')) => complete_sequence(index + 2, SequenceEffect::None),
                    (SequenceKind::Text, Some(_)) | (SequenceKind::Csi, _) => {
                        complete_sequence(index, SequenceEffect::None)
                    }
                };
            }
            C1_LEAD => match bytes.get(index + 1) {
                None => return ParsedSequence::Incomplete,
                Some(0x9c) => return complete_sequence(index + 2, SequenceEffect::None),
                Some(&second) if c1_sequence_kind(second).is_some() => {
                    return complete_sequence(index, SequenceEffect::None);
                }
                Some(_) => {}
            },
            BEL if kind == SequenceKind::Text => return complete_sequence(index + 1, SequenceEffect::None),
            0x40..=0x7e if kind == SequenceKind::Csi => {
                let parameters = bytes.get(from..index).unwrap_or_default();
                return complete_sequence(index + 1, csi_effect(parameters, byte));
            }
            _ => {}
        }
        index += 1;
    }
    ParsedSequence::Incomplete
}

fn complete_sequence(length: usize, effect: SequenceEffect) -> ParsedSequence {
    ParsedSequence::Complete { length, effect }
}

/// Returns the effect of a control sequence with these parameters and this final byte.
pub(crate) fn csi_effect(parameters: &[u8], last: u8) -> SequenceEffect {
    match last {
        b'm' => SequenceEffect::None,
        b'A' | b'F' | b'H' | b'f' | b'd' | b'L' | b'M' | b'T' => SequenceEffect::Repaint,
        b'h' | b'l' if switches_screen(parameters) => SequenceEffect::Repaint,
        b'K' | b'J' | b'G' | b'C' | b'D' | b'P' | b'@' | b'X' => match first_number(parameters) {
            Some(number) => edit_effect(last, number),
            None => SequenceEffect::None,
        },
        _ => SequenceEffect::None,
    }
}

fn edit_effect(last: u8, number: Option<usize>) -> SequenceEffect {
    let count = number.unwrap_or(1).max(1);
    let edit = match (last, number.unwrap_or(0)) {
        (b'K' | b'J', 0) => LineEdit::EraseToEnd,
        (b'K', 1) => LineEdit::EraseToStart,
        (b'K', 2) => LineEdit::EraseAll,
        (b'J', 1..=3) => return SequenceEffect::Repaint,
        (b'G', _) => LineEdit::ToColumn(count - 1),
        (b'C', _) => LineEdit::Right(count),
        (b'D', _) => LineEdit::Left(count),
        (b'P', _) => LineEdit::DeleteCells(count),
        (b'@', _) => LineEdit::InsertBlanks(count),
        (b'X', _) => LineEdit::EraseCells(count),
        _ => return SequenceEffect::None,
    };
    SequenceEffect::Edit(edit)
}

fn switches_screen(parameters: &[u8]) -> bool {
    matches!(parameters, b"?1049" | b"?1047" | b"?47")
}

/// Returns the first parameter: `Some(None)` if omitted, `None` if the parameters are private or invalid.
fn first_number(parameters: &[u8]) -> Option<Option<usize>> {
    let first = parameters.split(|byte| *byte == b';').next().unwrap_or_default();
    let mut number = None;
    for byte in first {
        if !byte.is_ascii_digit() {
            return None;
        }
        // Saturates far beyond every column, so that a long number stays large.
        number = Some((number.unwrap_or(0) * 10 + usize::from(byte - b'0')).min(1_000_000));
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::{LineEdit, ParsedSequence, SequenceEffect, colour_sequence_length, parse_escape_sequence};

    fn assert_parses_to(bytes: &[u8], length: usize, effect: SequenceEffect) {
        assert_eq!(parse_escape_sequence(bytes), ParsedSequence::Complete { length, effect }, "{bytes:?}");
    }

    #[test]
    fn sequences_end_where_a_terminal_ends_them() {
        assert_parses_to(b"\x1b[1;31mred", 7, SequenceEffect::None);
        assert_parses_to(b"\x1b]0;title\x07x", 10, SequenceEffect::None);
        assert_parses_to(b"\x1b]8;;http://x\x1b\\x", 15, SequenceEffect::None);
        assert_parses_to(b"\x1bPq#0\x1b\\x", 7, SequenceEffect::None);
        assert_parses_to(b"\x1b(B", 3, SequenceEffect::None);
        assert_parses_to(b"\x1b7x", 2, SequenceEffect::None);
        assert_parses_to("\u{9b}2Kx".as_bytes(), 4, SequenceEffect::Edit(LineEdit::EraseAll));
        assert_parses_to("\u{9d}0;t\u{9c}x".as_bytes(), 7, SequenceEffect::None);
        assert_parses_to("\u{85}x".as_bytes(), 2, SequenceEffect::None);
        assert_parses_to("\x1b]0;뛰\x07".as_bytes(), 8, SequenceEffect::None);
    }

    #[test]
    fn sequence_ends_at_another_sequence_a_cancel_or_the_length_limit() {
        assert_parses_to(b"\x1b[12\x1b[m", 4, SequenceEffect::None);
        assert_parses_to(b"\x1b]0;x\x18y", 6, SequenceEffect::None);
        assert_parses_to(b"\x1b\x1b[m", 1, SequenceEffect::None);
        assert_parses_to(&[b"\x1b]".as_slice(), &[b'x'; 5000]].concat(), 4096, SequenceEffect::None);
        assert_eq!(parse_escape_sequence(b"\x1b]0;title"), ParsedSequence::Incomplete);
        assert_eq!(parse_escape_sequence(b"\x1b"), ParsedSequence::Incomplete);
    }

    #[test]
    fn colours_are_recognized_by_their_form() {
        let padded = |text: &str| format!("{text}                ").into_bytes();
        assert_eq!(colour_sequence_length(&padded("\x1b[m")), Some(3));
        assert_eq!(colour_sequence_length(&padded("\x1b[38;2;10;20;30mx")), Some(16));
        assert_eq!(colour_sequence_length(&padded("\x1b[38;2;255;255;255m")), Some(19));
        for other in ["\x1b[2K", "\x1b[?25h", "\x1b]0;m", "\x1b[38;2;255;255;255;1m", "[1m", "\x1b[1 m"] {
            assert_eq!(colour_sequence_length(&padded(other)), None, "{other:?}");
        }
        assert_eq!(colour_sequence_length(b"\x1b[1m"), None);
    }

    #[test]
    fn edits_and_repaints_are_distinguished() {
        assert_parses_to(b"\x1b[K", 3, SequenceEffect::Edit(LineEdit::EraseToEnd));
        assert_parses_to(b"\x1b[1K", 4, SequenceEffect::Edit(LineEdit::EraseToStart));
        assert_parses_to(b"\x1b[J", 3, SequenceEffect::Edit(LineEdit::EraseToEnd));
        assert_parses_to(b"\x1b[5G", 4, SequenceEffect::Edit(LineEdit::ToColumn(4)));
        assert_parses_to(b"\x1b[0C", 4, SequenceEffect::Edit(LineEdit::Right(1)));
        assert_parses_to(b"\x1b[?K", 4, SequenceEffect::None);
        assert_parses_to(b"\x1b[2J", 4, SequenceEffect::Repaint);
        assert_parses_to(b"\x1b[3A", 4, SequenceEffect::Repaint);
        assert_parses_to(b"\x1b[?1049h", 8, SequenceEffect::Repaint);
        assert_parses_to(b"\x1b[?25l", 6, SequenceEffect::None);
    }
}
