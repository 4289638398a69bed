//! Skips the lines that cannot begin a message, without rendering them.
//!
//! About 90% of all lines are neither messages nor parts of one. The filter goes from each escape sequence, carriage
//! return and newline to the next with `memchr` and classifies the first visible characters of a line with `LineStart`,
//! as the grammar does. An unclear line is not skipped: rendering it gives the same result, only slower.

use memchr::memmem::Finder;

use crate::{
    assemble::{LINE_BYTES_MAX, MessageAssembler, RelevantLines},
    decoration::may_surround_message,
    escape::{self, ESC, LineEdit, ParsedSequence, SequenceEffect},
    line_start::LineStart,
    need_human,
    render::may_begin_control,
};

/// Finds lines that need no rendering.
#[derive(Debug)]
pub(crate) struct LineFilter {
    question_name: Finder<'static>,
}

/// The position in the filtered bytes.
#[derive(Clone, Copy)]
struct Cursor {
    /// The first byte of the current line.
    line: usize,
    /// The first byte of the visible text at the start of the line: of a spinner's last frame.
    frame: usize,
    /// The first byte after the last escape sequence.
    unread: usize,
}

impl Default for LineFilter {
    fn default() -> Self {
        Self { question_name: Finder::new(need_human::NAME) }
    }
}

impl LineFilter {
    /// Skips whole lines until the assembler needs the text of one, and returns their length in bytes.
    ///
    /// Sets `repaints` if a skipped sequence repaints the screen.
    pub(crate) fn skip_lines(
        &self,
        bytes: &[u8],
        assembler: &mut MessageAssembler,
        repaints: &mut bool,
    ) -> usize {
        let mut cursor = Cursor::at_line_start(0);
        if assembler.relevant_lines() == RelevantLines::AllLines {
            return 0;
        }
        for at in memchr::memchr3_iter(ESC, b'\r', b'\n', bytes) {
            // A match inside a sequence that has been parsed.
            let Some(run) = bytes.get(cursor.unread..at) else { continue };
            match bytes[at] {
                b'\n' => {
                    let start = self.classify_line(&bytes[cursor.line..at], cursor.frame - cursor.line);
                    if !start.is_some_and(|start| assembler.try_skip_line(start)) {
                        break;
                    }
                    cursor = Cursor::at_line_start(at + 1);
                }
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => {}
                b'\r' => cursor = cursor.with_frame_start(at + 1),
                _ if ends_inside_question_name(run) => break,
                _ => {
                    let Some((length, effect)) = parse_sequence_up_to_newline(&bytes[at..]) else { break };
                    cursor.unread = at + length;
                    match effect {
                        // Text is written from left to right, so there is nothing to erase after its end.
                        SequenceEffect::None | SequenceEffect::Edit(LineEdit::EraseToEnd) => {}
                        SequenceEffect::Repaint => *repaints = true,
                        SequenceEffect::Edit(LineEdit::EraseAll | LineEdit::ToColumn(0)) => {
                            cursor = cursor.with_frame_start(at + length)
                        }
                        SequenceEffect::Edit(_) => break,
                    }
                }
            }
        }
        cursor.line
    }

    /// Classifies a line whose escape sequences leave its text in order; `None` if only the rendered line can tell.
    fn classify_line(&self, line: &[u8], frame: usize) -> Option<LineStart> {
        // A question may be anywhere on its line. A line over the limit is truncated by rendering.
        let is_plain = line.len() <= LINE_BYTES_MAX && !has_other_control(line);
        if !is_plain || self.question_name.find(line).is_some() {
            return None;
        }
        let text = skip_prefix(&line[frame..])?;
        if frame == 0 {
            return Some(LineStart::classify(text));
        }
        // Text of an older frame may show after the end of this one, and where a tab moved over it. Every question has
        // an underscore, also one that is composed of two frames.
        let shows_older_text = line.contains(&b'\t') || line.contains(&b'_');
        if shows_older_text { None } else { LineStart::classify_beginning(text) }
    }
}

impl Cursor {
    fn at_line_start(line: usize) -> Self {
        Self { line, frame: line, unread: line }
    }

    fn with_frame_start(self, frame: usize) -> Self {
        Self { frame, unread: frame, ..self }
    }
}

/// Returns whether the name of a question may continue after the escape sequence that follows these bytes.
fn ends_inside_question_name(run: &[u8]) -> bool {
    let name = need_human::NAME.as_bytes();
    matches!(run.last(), Some(b'A'..=b'Z' | b'_'))
        && (1..name.len()).any(|length| run.ends_with(&name[..length]))
}

/// Reads the sequence that `bytes` begins with, up to the end of its line; `None` if the bytes end before it does.
fn parse_sequence_up_to_newline(bytes: &[u8]) -> Option<(usize, SequenceEffect)> {
    if let Some(length) = escape::colour_sequence_length(bytes) {
        return Some((length, SequenceEffect::None));
    }
    let (length, effect) = match escape::parse_escape_sequence(bytes) {
        ParsedSequence::Complete { length, effect } => (length, Some(effect)),
        ParsedSequence::Incomplete => (bytes.len(), None),
    };
    match memchr::memchr(b'\n', &bytes[..length]) {
        Some(newline) => Some((newline, SequenceEffect::None)),
        None => Some((length, effect?)),
    }
}

/// Skips escape sequences, white space and decoration; `None` if a character is not valid UTF-8.
fn skip_prefix(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line;
    while let Some(first) = rest.first() {
        let length = if *first == ESC {
            parse_sequence_up_to_newline(rest)?.0
        } else {
            let character = first_character(rest)?;
            if !may_surround_message(character) {
                break;
            }
            character.len_utf8()
        };
        rest = &rest[length..];
    }
    Some(rest)
}

fn first_character(bytes: &[u8]) -> Option<char> {
    match *bytes {
        [first @ ..0x80, ..] => Some(char::from(first)),
        // Box drawing and Hangul: decoded here, because whole lines consist of them.
        [first @ 0xe1..=0xec, second @ 0x80..=0xbf, third @ 0x80..=0xbf, ..] => {
            let [first, second, third] = [first & 0x0f, second & 0x3f, third & 0x3f].map(u32::from);
            char::from_u32((first << 12) | (second << 6) | third)
        }
        _ => bytes[..bytes.len().min(4)].utf8_chunks().next()?.valid().chars().next(),
    }
}

/// Returns whether a line has a control other than ESC, carriage return and tab, or a byte that may begin one.
fn has_other_control(line: &[u8]) -> bool {
    const BLOCK_BYTES: usize = 32;
    let is_other = |byte: u8| may_begin_control(byte) && byte != ESC && byte != b'\r';
    // Blocks of a fixed size without an early exit let the compiler compare all bytes of a block at once.
    let add = |mut has_other: [bool; BLOCK_BYTES], block: &[u8; BLOCK_BYTES]| {
        has_other.iter_mut().zip(block).for_each(|(has_other, byte)| *has_other |= is_other(*byte));
        has_other
    };
    let (blocks, rest) = line.as_chunks();
    match line.last_chunk() {
        Some(last) => blocks.iter().chain([last]).fold([false; BLOCK_BYTES], add).contains(&true),
        None => rest.iter().any(|byte| is_other(*byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::LineFilter;
    use crate::{assemble::MessageAssembler, options::DecoderOptions};

    #[track_caller]
    fn assert_skipped(line: &str, is_skipped: bool) {
        let (mut assembler, mut repaints) = (MessageAssembler::new(DecoderOptions::worker()), false);
        let skipped = LineFilter::default().skip_lines(line.as_bytes(), &mut assembler, &mut repaints);
        assert_eq!(skipped, if is_skipped { line.len() } else { 0 }, "{line:?}");
    }

    #[test]
    fn text_is_skipped_with_its_colours_and_decoration() {
        for line in [
            "\n",
            "text\r\n",
            "│ ┌──┐ > text\n",
            "⏺ 로그인 화면\n",
            "  \u{1b}[1;38;2;255;128;0m\u{1b}[Ktext\u{1b}[0m of a [link]\n",
            "\u{1b}]8;;file://a_b\u{1b}\\text\u{1b}]8;;\u{1b}\\\n",
            "[INFO] done\n[ 12%] Building\n`code` first\n= x\nDO:T1\n",
        ] {
            assert_skipped(line, true);
        }
    }

    #[test]
    fn last_frame_of_a_spinner_is_skipped_if_it_determines_the_line() {
        assert_skipped("\r\u{1b}[36m⠋\u{1b}[0m Thinking about it\u{1b}[K\r⠙ Thinking about it\n", true);
        assert_skipped("fetching\u{1b}[2K\u{1b}[1Gadded 12 packages\n", true);
        assert_skipped("    NE:T1.3\rDO\n", false);
        assert_skipped("                EST]\r[DEPENDENCY_REQU\n", false);
        assert_skipped("some text of a line NEED_HUMAN: x]\rsome text of a line[\n", false);
        assert_skipped("[ASK_USER] which?\r\tsome text after it\n", false);
    }

    #[test]
    fn possible_messages_are_not_skipped() {
        for line in [
            "[ASK_USER]\n",
            "[ /Ask-User\n",
            "[\u{3000}ASK_USER]\n",
            "done:T1.3\n",
            "> DONE\u{1b}[m:T1.3\n",
            "D\u{1b}[mONE:T1.3\n",
            "=\u{1b}[m== PHASE 1 COMPLETE ===\n",
            "``\u{1b}[m`\n",
            "a [NEED_HUMAN: why?]\n",
            "a [NEED\u{1b}[m\u{1b}[m_HUMAN: why?]\n",
            "[ASK\0_USER]\n",
            "text\u{8}\u{8}\n",
            "text\u{1b}[4D\n",
            "text without an end",
        ] {
            assert_skipped(line, false);
        }
    }
}
