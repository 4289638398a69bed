//! Splits output into lines, each with its offset in the spool.
//!
//! Two streams share one spool, so the pieces of a line need not be adjacent. Buffers at most one unfinished line per
//! stream, and only the start of a line that is too long.

use std::borrow::Cow;

use crate::driver::{OutputStream, SpoolChunk};

/// Limit of a line. The longest observed messages of agents contain whole files and images.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Number of bytes of a too long line that are shown.
const HEAD_BYTES: usize = 256;

/// Splits both streams of a session into lines.
#[derive(Debug, Default)]
pub(crate) struct LineSplitter {
    output: PartialLine,
    errors: PartialLine,
    /// The offset after the last received byte.
    end: u64,
}

/// A line, without its newline.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) stream: OutputStream,
    /// The offset of its first byte.
    pub(crate) begin: u64,
    /// The offset after its newline.
    pub(crate) end: u64,
    pub(crate) content: LineContent,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineContent {
    Whole(Vec<u8>),
    /// The start of a line that was too long.
    TooLong(Vec<u8>),
}

#[derive(Debug, Default)]
struct PartialLine {
    begin: u64,
    bytes: Vec<u8>,
    is_too_long: bool,
}

impl LineSplitter {
    /// Adds bytes of a stream and returns the completed lines.
    pub(crate) fn push(&mut self, chunk: SpoolChunk<'_>) -> Vec<Line> {
        let half = self.partial_line(chunk.stream);
        let mut lines = Vec::new();
        let mut offset = chunk.offset;
        for piece in chunk.bytes.split_inclusive(|byte| *byte == b'\n') {
            half.append(piece.strip_suffix(b"\n").unwrap_or(piece), offset);
            offset += piece.len() as u64;
            if piece.ends_with(b"\n") {
                lines.push(half.take_line(chunk.stream, offset));
            }
        }
        self.end = self.end.max(offset);
        lines
    }

    /// Returns the unfinished lines after the end of the output.
    pub(crate) fn take_rest(&mut self) -> Vec<Line> {
        let end = self.end;
        let last = |stream| {
            let half = self.partial_line(stream);
            (!half.is_empty()).then(|| half.take_line(stream, end))
        };
        [OutputStream::Output, OutputStream::Stderr].into_iter().filter_map(last).collect()
    }

    /// Returns the offset of the first byte that is not in a returned line.
    pub(crate) fn unread_offset(&self) -> u64 {
        let begun = [&self.output, &self.errors].into_iter().filter(|half| !half.is_empty());
        begun.map(|half| half.begin).min().unwrap_or(self.end)
    }

    fn partial_line(&mut self, stream: OutputStream) -> &mut PartialLine {
        match stream {
            OutputStream::Output => &mut self.output,
            OutputStream::Stderr => &mut self.errors,
        }
    }
}

impl PartialLine {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && !self.is_too_long
    }

    fn append(&mut self, bytes: &[u8], offset: u64) {
        if self.is_empty() {
            self.begin = offset;
        }
        if self.is_too_long {
            return;
        }
        // One byte more than the limit shows that it is too long.
        let room = (LINE_BYTES_MAX + 1).saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(bytes.get(..room).unwrap_or_default());
        if self.bytes.len() > LINE_BYTES_MAX {
            self.bytes = self.bytes.get(..HEAD_BYTES).unwrap_or_default().to_vec();
            self.is_too_long = true;
        }
    }

    fn take_line(&mut self, stream: OutputStream, end: u64) -> Line {
        let bytes = std::mem::take(&mut self.bytes);
        let content = if self.is_too_long { LineContent::TooLong(bytes) } else { LineContent::Whole(bytes) };
        self.is_too_long = false;
        Line { stream, begin: self.begin, end, content }
    }
}

/// Repairs JSON with bytes that are not UTF-8 or with unpaired surrogates; `None` if there are none.
///
/// JavaScript may cut text between the halves of a surrogate pair, so one file name or the end of a tool's output could
/// otherwise make the whole line unreadable.
pub(crate) fn repair_json(line: &[u8]) -> Option<Vec<u8>> {
    let text = match String::from_utf8_lossy(line) {
        Cow::Borrowed(text) if !text.contains("\\u") => return None,
        text @ Cow::Borrowed(_) | text @ Cow::Owned(_) => text,
    };
    let mut repaired = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(place) = rest.find('\\') {
        let (before, from) = rest.split_at(place);
        repaired.push_str(before);
        let length = match (surrogate_half(from), from.get(6..).and_then(surrogate_half)) {
            (Some(SurrogateHalf::High), Some(SurrogateHalf::Low)) => 12,
            (Some(_), _) => {
                repaired.push('\u{fffd}');
                rest = from.get(6..).unwrap_or_default();
                continue;
            }
            // Skip the escaped character too, so that an escaped backslash does not start an escape.
            (None, _) => 1 + from.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (escape, behind) = from.split_at_checked(length).unwrap_or((from, ""));
        repaired.push_str(escape);
        rest = behind;
    }
    repaired.push_str(rest);
    Some(repaired.into_bytes())
}

#[derive(Debug, Clone, Copy)]
enum SurrogateHalf {
    High,
    Low,
}

/// Reads `\uD800` to `\uDFFF` at the start of a text.
fn surrogate_half(text: &str) -> Option<SurrogateHalf> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xD800..=0xDBFF => Some(SurrogateHalf::High),
        0xDC00..=0xDFFF => Some(SurrogateHalf::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES_MAX, Line, LineContent, LineSplitter, repair_json};
    use crate::driver::{OutputStream, SpoolChunk};

    fn push_chunk(
        lines: &mut LineSplitter,
        stream: OutputStream,
        offset: u64,
        bytes: &[u8],
    ) -> Vec<(u64, u64, String)> {
        lines.push(SpoolChunk { stream, offset, bytes }).into_iter().map(describe_line).collect()
    }

    fn describe_line(line: Line) -> (u64, u64, String) {
        let text = match line.content {
            LineContent::Whole(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            LineContent::TooLong(head) => format!("too long: {} bytes kept", head.len()),
        };
        (line.begin, line.end, text)
    }

    #[test]
    fn line_offsets_are_correct_when_streams_interleave() {
        let mut lines = LineSplitter::default();
        assert_eq!(
            push_chunk(&mut lines, OutputStream::Output, 10, b"one\ntw"),
            [(10, 14, "one".to_owned())]
        );
        assert_eq!(lines.unread_offset(), 14);
        assert_eq!(push_chunk(&mut lines, OutputStream::Stderr, 16, b"oh\n"), [(16, 19, "oh".to_owned())]);
        assert_eq!(lines.unread_offset(), 14);
        assert_eq!(push_chunk(&mut lines, OutputStream::Output, 19, b"o\n"), [(14, 21, "two".to_owned())]);
        assert_eq!(lines.unread_offset(), 21);
    }

    #[test]
    fn a_too_long_line_is_cut_to_its_head() {
        let long = vec![b'x'; LINE_BYTES_MAX + 1];
        for cut in [1, 5, LINE_BYTES_MAX, LINE_BYTES_MAX + 1] {
            let mut lines = LineSplitter::default();
            let (head, tail) = long.split_at(cut);
            assert_eq!(push_chunk(&mut lines, OutputStream::Output, 0, head), []);
            assert_eq!(push_chunk(&mut lines, OutputStream::Output, cut as u64, tail), []);
            let end = long.len() as u64;
            let rest = push_chunk(&mut lines, OutputStream::Output, end, b"\nnext\n");
            let expected =
                [(0, end + 1, "too long: 256 bytes kept".to_owned()), (end + 1, end + 6, "next".to_owned())];
            assert_eq!(rest, expected);
        }
    }

    #[test]
    fn lone_surrogates_and_invalid_utf8_are_replaced() {
        let cases = [
            (&br#""a\ud83d""#[..], Some("a\u{fffd}")),
            (br#""\ude00b""#, Some("\u{fffd}b")),
            (br#""\ud83d\ude00""#, Some("😀")),
            (br#""\ud83d\ud83d\ude00""#, Some("\u{fffd}😀")),
            (br#""\\ud83d""#, Some("\\ud83d")),
            (b"\"a\xff\"", Some("a\u{fffd}")),
            (br#""a\n""#, None),
        ];
        for (line, expected) in cases {
            let text =
                repair_json(line).map(|line| serde_json::from_slice::<String>(&line).expect("it is JSON"));
            assert_eq!(text.as_deref(), expected, "{}", String::from_utf8_lossy(line));
        }
    }
}
