//! The decoder of a session's output.

use std::borrow::Cow;

use crate::{
    assemble::{LINE_BYTES_MAX, MessageAssembler},
    echo_filter::EchoFilter,
    item::DecodedItem,
    line::Line,
    line_editor::LineEditor,
    line_filter::LineFilter,
    options::DecoderOptions,
    render::LineRenderer,
    screen::Screen,
};

/// A large read without a newline is processed in pieces of this size; buffers of a few pieces are reused.
const PIECE_BYTES: usize = 64 * 1024;

/// Decodes the output of one session into items.
///
/// Accepts bytes in chunks of any size, never fails, and buffers a bounded amount. The result does not depend on how
/// the bytes are cut.
///
/// ```
/// use protocol::{Decoder, DecodedItem, DecoderOptions};
///
/// let mut decoder = Decoder::new(DecoderOptions::worker());
/// assert!(decoder.push(b"\x1b[1m[ASK").is_empty());
/// assert!(decoder.push(b"_USER]\x1b[0m Which database?\n").is_empty());
/// let items = decoder.end_turn();
/// assert!(matches!(&items[..], [DecodedItem::Message(decoded)] if decoded.message.name() == "ASK_USER"));
/// ```
#[derive(Debug)]
pub struct Decoder {
    source: LineSource,
    assembler: MessageAssembler,
    echo: EchoFilter,
    /// The offset of the next byte.
    offset: u64,
    /// The start offset of the last item of a screen, and its ordinal there.
    last_point: Option<(u64, u32)>,
}

#[derive(Debug)]
enum LineSource {
    Lines(Box<LineBuffer>),
    Screen(Box<Screen>),
}

#[derive(Debug, Default)]
struct LineBuffer {
    /// The bytes of the unfinished line that are not in `editor`.
    partial_line: Vec<u8>,
    /// The unfinished line, once it is longer than its limit.
    editor: Option<LineEditor>,
    /// The offset of the unfinished line's first byte.
    begin: u64,
    /// The length of `partial_line` at which it is passed to the editor again.
    partial_line_goal: usize,
    renderer: LineRenderer,
    filter: LineFilter,
}

impl Decoder {
    /// Creates a decoder for output that is written line by line.
    pub fn new(options: DecoderOptions) -> Self {
        Self::with_line_source(options, LineSource::Lines(Box::default()))
    }

    /// Creates a decoder for a program that repaints its screen.
    pub fn for_screen(options: DecoderOptions) -> Self {
        Self::with_line_source(options, LineSource::Screen(Box::default()))
    }

    fn with_line_source(options: DecoderOptions, source: LineSource) -> Self {
        Self {
            source,
            assembler: MessageAssembler::new(options),
            echo: EchoFilter::default(),
            offset: 0,
            last_point: None,
        }
    }

    /// Decodes the next bytes and returns the items that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<DecodedItem> {
        match &mut self.source {
            LineSource::Lines(lines) => lines.push(bytes, self.offset, &mut self.assembler, &mut self.echo),
            LineSource::Screen(screen) => {
                screen.push(bytes, self.offset, &mut self.assembler, &mut self.echo)
            }
        }
        self.offset += bytes.len() as u64;
        self.take_items()
    }

    /// Ends the turn: the open message becomes complete or invalid, and the next byte begins a new line.
    pub fn end_turn(&mut self) -> Vec<DecodedItem> {
        match &mut self.source {
            LineSource::Lines(lines) => lines.end_turn(self.offset, &mut self.assembler, &mut self.echo),
            LineSource::Screen(screen) => screen.end_turn(self.offset, &mut self.assembler, &mut self.echo),
        }
        self.assembler.end_turn();
        self.take_items()
    }

    fn take_items(&mut self) -> Vec<DecodedItem> {
        let mut items = self.assembler.take_items();
        if let LineSource::Screen(_) = self.source {
            for span in items.iter_mut().map(DecodedItem::span_mut) {
                let ordinal = match self.last_point {
                    Some((start, last)) if start == span.start => last + 1,
                    _ => 0,
                };
                span.ordinal = ordinal;
                self.last_point = Some((span.start, ordinal));
            }
        }
        items
    }

    /// Registers input that was typed into the session, so that its echo is not decoded as output of the agent.
    pub fn expect_echo(&mut self, typed: &str) {
        self.echo.expect(typed, self.offset);
    }

    /// Returns the offset of the first byte that is still needed: a new decoder can start there.
    pub fn safe_offset(&self) -> u64 {
        match &self.source {
            LineSource::Lines(lines) => {
                self.assembler.first_needed_offset().unwrap_or(lines.line_begin_or(self.offset))
            }
            // A screen depends on everything that was painted on it.
            LineSource::Screen(_) => 0,
        }
    }

    /// Returns whether silence must not end the turn here: inside a block, a fence or an open bracket.
    pub fn prevents_turn_end(&self) -> bool {
        self.assembler.prevents_turn_end()
    }

    /// Returns the rows on the screen; empty in line mode.
    pub fn screen_rows(&self) -> Vec<String> {
        match &self.source {
            LineSource::Lines(_) => Vec::new(),
            LineSource::Screen(screen) => screen.visible_lines(),
        }
    }

    /// Returns whether the output repaints the screen, so that screen mode would read it better.
    pub fn repaints_screen(&self) -> bool {
        match &self.source {
            LineSource::Lines(lines) => lines.renderer.repaints,
            LineSource::Screen(_) => false,
        }
    }
}

impl LineBuffer {
    fn line_begin_or(&self, offset: u64) -> u64 {
        if self.is_empty() { offset } else { self.begin }
    }

    fn is_empty(&self) -> bool {
        self.partial_line.is_empty() && self.editor.is_none()
    }

    fn push(&mut self, bytes: &[u8], offset: u64, assembler: &mut MessageAssembler, echo: &mut EchoFilter) {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if self.is_empty() {
                if echo.is_empty() {
                    at += self.filter.skip_lines(rest, assembler, &mut self.renderer.repaints);
                }
                self.begin = offset + at as u64;
            }
            let rest = bytes.get(at..).unwrap_or_default();
            let Some(length) = memchr::memchr(b'\n', rest) else {
                // In pieces, so that a large read is not buffered as a whole.
                rest.chunks(PIECE_BYTES).for_each(|piece| self.buffer_partial_line(piece, assembler));
                return;
            };
            let end = offset + (at + length + 1) as u64;
            self.finish_line(rest.get(..length).unwrap_or_default(), end, assembler, echo);
            at += length + 1;
        }
    }

    fn end_turn(&mut self, offset: u64, assembler: &mut MessageAssembler, echo: &mut EchoFilter) {
        if !self.is_empty() {
            self.finish_line(&[], offset, assembler, echo);
        }
    }

    /// Buffers the start of a line until its end arrives.
    fn buffer_partial_line(&mut self, bytes: &[u8], assembler: &MessageAssembler) {
        self.partial_line.extend_from_slice(bytes);
        // Up to its limit a line is buffered as it is; after that it is edited as it arrives.
        let limit = assembler.line_bytes_max();
        let goal = if self.editor.is_none() { limit + 1 } else { self.partial_line_goal };
        if self.partial_line.len() < goal {
            return;
        }
        let editor = self.editor.get_or_insert_with(|| LineEditor::new(limit));
        let consumed = editor.push(&self.partial_line, false);
        self.partial_line.drain(..consumed);
        // The rest is an incomplete sequence: parsing it again for each byte would be quadratic.
        self.partial_line_goal = self.partial_line.len() + LINE_BYTES_MAX / 8;
    }

    /// Returns whether the buffered line needs no rendering.
    fn try_skip_partial_line(&mut self, assembler: &mut MessageAssembler) -> bool {
        self.partial_line.push(b'\n');
        let is_skipped =
            self.filter.skip_lines(&self.partial_line, assembler, &mut self.renderer.repaints) > 0;
        self.partial_line.pop();
        is_skipped
    }

    /// Forwards the line that ends with `rest`.
    fn finish_line(
        &mut self,
        rest: &[u8],
        end: u64,
        assembler: &mut MessageAssembler,
        echo: &mut EchoFilter,
    ) {
        let raw = if self.partial_line.is_empty() {
            Cow::Borrowed(rest)
        } else {
            self.partial_line.extend_from_slice(rest);
            if self.editor.is_none() && echo.is_empty() && self.try_skip_partial_line(assembler) {
                self.partial_line.clear();
                self.begin = end;
                return;
            }
            Cow::Owned(std::mem::take(&mut self.partial_line))
        };
        let limit = assembler.line_bytes_max();
        // The choice depends on the line alone, never on how it was cut.
        let editor = self.editor.take().or_else(|| (raw.len() > limit).then(|| LineEditor::new(limit)));
        let line = match editor {
            Some(mut editor) => {
                editor.push(&raw, true);
                self.renderer.render_edited_line(&editor, self.begin, end)
            }
            None => self.renderer.render(&raw, self.begin, end, limit),
        };
        forward_line(&line, assembler, echo);
        if let Cow::Owned(mut partial_line) = raw {
            // Reuses the buffer unless one long line has enlarged it.
            if partial_line.capacity() <= 4 * PIECE_BYTES {
                partial_line.clear();
                self.partial_line = partial_line;
            }
        }
        self.partial_line_goal = 0;
        self.begin = end;
    }
}

/// Passes a line to the assembler unless it is an echo of typed input.
pub(crate) fn forward_line(line: &Line<'_>, assembler: &mut MessageAssembler, echo: &mut EchoFilter) {
    if echo.is_empty() || !echo.consume(line.text, line.begin) {
        assembler.push_line(line);
    }
}
