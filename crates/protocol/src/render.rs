//! Renders a line's bytes as text: unchanged, stripped of escape sequences, or edited.
//!
//! Three implementations with the same result, cheapest first; a property test compares them.

use crate::{
    escape::{self, LineEdit, ParsedSequence, SequenceEffect},
    line::{ByteOrigin, Line, SourcePiece},
    line_editor::LineEditor,
};

/// Reuses its buffers for each line.
#[derive(Debug, Default)]
pub(crate) struct LineRenderer {
    text: String,
    pieces: Vec<SourcePiece>,
    pub(crate) repaints: bool,
}

impl LineRenderer {
    /// Renders `raw`, which has no newline.
    pub(crate) fn render<'a>(
        &'a mut self,
        raw: &'a [u8],
        begin: u64,
        end: u64,
        text_bytes_max: usize,
    ) -> Line<'a> {
        let trimmed = trim_carriage_returns(raw);
        if !trimmed.iter().any(|byte| may_begin_control(*byte))
            && let Ok(text) = std::str::from_utf8(trimmed)
        {
            let cut = text.floor_char_boundary(text_bytes_max);
            let too_long = cut < text.len();
            return Line::new(
                text.get(..cut).unwrap_or(text),
                ByteOrigin::Contiguous(begin),
                begin,
                end,
                too_long,
            );
        }
        let too_long = match self.strip_sequences(trimmed, text_bytes_max) {
            Some(too_long) => too_long,
            None => {
                let mut editor = LineEditor::new(text_bytes_max);
                editor.push(trimmed, true);
                return self.render_edited_line(&editor, begin, end);
            }
        };
        self.build_line(begin, end, too_long)
    }

    /// Returns the line of an editor.
    pub(crate) fn render_edited_line(&mut self, editor: &LineEditor, begin: u64, end: u64) -> Line<'_> {
        editor.copy_text_to(&mut self.text, &mut self.pieces);
        self.repaints |= editor.repaints_screen();
        self.build_line(begin, end, editor.is_too_long())
    }

    fn build_line(&mut self, begin: u64, end: u64, too_long: bool) -> Line<'_> {
        for piece in &mut self.pieces {
            piece.source += begin;
        }
        Line::new(&self.text, ByteOrigin::Pieces(&self.pieces), begin, end, too_long)
    }

    /// Strips sequences without effect; returns whether the line was too long, `None` if a sequence edits the line.
    fn strip_sequences(&mut self, raw: &[u8], text_bytes_max: usize) -> Option<bool> {
        self.text.clear();
        self.pieces.clear();
        let mut at = 0;
        while let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
            let (length, effect) = match rest {
                [b'\r' | 0x08, ..] => return None,
                [escape::C1_LEAD, second, ..] if !escape::is_c1(*second) => (0, SequenceEffect::None),
                [escape::C1_LEAD] => (0, SequenceEffect::None),
                [escape::ESC | escape::C1_LEAD, ..] => match escape::parse_escape_sequence(rest) {
                    ParsedSequence::Complete { length, effect } => (length, effect),
                    ParsedSequence::Incomplete => (rest.len(), SequenceEffect::None),
                },
                [byte, ..] if may_begin_control(*byte) => (1, SequenceEffect::None),
                _ => (0, SequenceEffect::None),
            };
            match effect {
                // The line is written from left to right: there is nothing to erase after its end.
                SequenceEffect::None | SequenceEffect::Edit(LineEdit::EraseToEnd) => {}
                SequenceEffect::Repaint => self.repaints = true,
                SequenceEffect::Edit(_) => return None,
            }
            at += length;
            if length > 0 {
                continue;
            }
            let more = rest.get(1..).unwrap_or_default();
            let text_end =
                more.iter().position(|byte| may_begin_control(*byte)).map_or(rest.len(), |end| end + 1);
            if self.push_bytes(rest.get(..text_end).unwrap_or(rest), at as u64, text_bytes_max) {
                return Some(true);
            }
            at += text_end;
        }
        Some(false)
    }

    /// Appends bytes without controls; returns whether they exceed the limit.
    fn push_bytes(&mut self, bytes: &[u8], source: u64, text_bytes_max: usize) -> bool {
        let mut source = source;
        for chunk in bytes.utf8_chunks() {
            let valid = chunk.valid();
            if self.push_text(valid, source, text_bytes_max) {
                return true;
            }
            source += valid.len() as u64;
            if !chunk.invalid().is_empty() {
                if self.push_text("\u{fffd}", source, text_bytes_max) {
                    return true;
                }
                source += chunk.invalid().len() as u64;
            }
        }
        false
    }

    fn push_text(&mut self, text: &str, source: u64, text_bytes_max: usize) -> bool {
        let cut = text.floor_char_boundary(text_bytes_max - self.text.len());
        if cut > 0 {
            self.pieces.push(SourcePiece { text: self.text.len(), source });
            self.text.push_str(text.get(..cut).unwrap_or(text));
        }
        cut < text.len()
    }
}

/// Removes carriage returns before the newline, which have no visible effect.
fn trim_carriage_returns(raw: &[u8]) -> &[u8] {
    let end = raw.iter().rposition(|byte| *byte != b'\r').map_or(0, |last| last + 1);
    raw.get(..end).unwrap_or(raw)
}

/// Returns whether a byte is not text: a control other than tab, or a byte that may begin one.
pub(crate) fn may_begin_control(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\t') || byte == 0x7f || byte == escape::C1_LEAD
}
