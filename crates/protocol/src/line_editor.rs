//! A line that is edited while it is written, as on a terminal: carriage returns, backspaces, erasing, moving.
//!

mod cells;

use self::cells::LineCells;
use crate::{
    escape::{self, ParsedSequence, SequenceEffect},
    line::SourcePiece,
};

/// One line under construction.
#[derive(Debug)]
pub(crate) struct LineEditor {
    cells: LineCells,
    /// The number of the line's bytes processed so far.
    consumed: u64,
    repaints: bool,
}

impl LineEditor {
    pub(crate) fn new(text_bytes_max: usize) -> Self {
        Self { cells: LineCells::new(text_bytes_max), consumed: 0, repaints: false }
    }

    /// Processes bytes of the line, without a newline, and returns how many.
    ///
    /// The remaining bytes are an incomplete sequence or character and must be passed again with the bytes that follow.
    /// With `line_ends` all bytes are processed.
    pub(crate) fn push(&mut self, bytes: &[u8], line_ends: bool) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let consumed = self.process_next_piece(rest, line_ends);
            if consumed == 0 {
                break;
            }
            at += consumed;
            self.consumed += consumed as u64;
        }
        at
    }

    /// Writes the text and its byte origins, relative to the line's first byte.
    pub(crate) fn copy_text_to(&self, text: &mut String, pieces: &mut Vec<SourcePiece>) {
        self.cells.copy_text_to(text, pieces);
    }

    pub(crate) fn is_too_long(&self) -> bool {
        self.cells.is_too_long()
    }

    pub(crate) fn repaints_screen(&self) -> bool {
        self.repaints
    }

    fn process_next_piece(&mut self, rest: &[u8], line_ends: bool) -> usize {
        let text_end = rest.iter().position(|byte| may_begin_control(*byte)).unwrap_or(rest.len());
        if text_end > 0 {
            let piece = rest.get(..text_end).unwrap_or(rest);
            let is_last = text_end == rest.len();
            return self.write_bytes(piece, !is_last || line_ends);
        }
        match rest {
            [b'\r', ..] => {
                self.cells.carriage_return();
                1
            }
            [0x08, ..] => {
                self.cells.backspace();
                1
            }
            [b'\t', ..] => {
                if let Some(source) = self.byte_offset_in_line(0) {
                    self.cells.write_tab(source);
                }
                1
            }
            [escape::C1_LEAD, second, ..] if !escape::is_c1(*second) => {
                self.write_text_from_c1_lead(rest, line_ends)
            }
            [escape::C1_LEAD] if line_ends => self.write_bytes(rest, true),
            [escape::C1_LEAD] => 0,
            [escape::ESC | escape::C1_LEAD, ..] => match escape::parse_escape_sequence(rest) {
                ParsedSequence::Complete { length, effect } => {
                    self.apply_effect(effect);
                    length
                }
                // A newline abandons the sequence; its bytes stay hidden.
                ParsedSequence::Incomplete if line_ends => rest.len(),
                ParsedSequence::Incomplete => 0,
            },
            _ => 1,
        }
    }

    /// Writes a piece whose first byte, `C1_LEAD`, begins an ordinary character.
    fn write_text_from_c1_lead(&mut self, rest: &[u8], line_ends: bool) -> usize {
        let more = rest.get(1..).unwrap_or_default();
        let text_end =
            more.iter().position(|byte| may_begin_control(*byte)).map_or(rest.len(), |position| position + 1);
        let is_last = text_end == rest.len();
        self.write_bytes(rest.get(..text_end).unwrap_or(rest), !is_last || line_ends)
    }

    /// Writes a piece without controls; unless `ends`, an incomplete last character is left out.
    fn write_bytes(&mut self, bytes: &[u8], ends: bool) -> usize {
        let mut consumed = 0;
        for chunk in bytes.utf8_chunks() {
            for (index, character) in chunk.valid().char_indices() {
                self.write_character(character, consumed + index);
            }
            consumed += chunk.valid().len();
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            let reaches_end = consumed + invalid.len() == bytes.len();
            if reaches_end && !ends && is_incomplete_utf8(invalid) {
                return consumed;
            }
            self.write_character(char::REPLACEMENT_CHARACTER, consumed);
            consumed += invalid.len();
        }
        consumed
    }

    fn apply_effect(&mut self, effect: SequenceEffect) {
        match effect {
            SequenceEffect::None => {}
            SequenceEffect::Repaint => self.repaints = true,
            SequenceEffect::Edit(edit) => self.cells.apply_edit(edit),
        }
    }

    fn write_character(&mut self, character: char, ahead: usize) {
        if let Some(source) = self.byte_offset_in_line(ahead) {
            self.cells.write(character, source);
        }
    }

    /// Returns the position in the line of the byte `ahead` of the next one; a line of 4 GiB is too long.
    fn byte_offset_in_line(&mut self, ahead: usize) -> Option<u32> {
        let source = u32::try_from(self.consumed + ahead as u64).ok();
        if source.is_none() {
            self.cells.mark_too_long();
        }
        source
    }
}

/// Returns whether a byte is a control or may begin one.
fn may_begin_control(byte: u8) -> bool {
    byte < 0x20 || byte == 0x7f || byte == escape::C1_LEAD
}

/// Returns whether invalid UTF-8 could become valid with more bytes.
fn is_incomplete_utf8(invalid: &[u8]) -> bool {
    matches!(std::str::from_utf8(invalid), Err(error) if error.error_len().is_none())
}
