//! The text of a prompt, sanitized so that no part of it decodes to a message.
//!
//! A prompt quotes agents and users, and may come back as an echo or a quotation. Controls are applied and removed, as
//! on a terminal; a line that would decode to a message becomes inline code; an open code fence is closed. Lines are
//! classified as by the decoder, for every role and key. Visible text is never dropped.

use domain::{Role, SessionKey};

use crate::{
    assemble::LINE_BYTES_MAX,
    decoration::{self, LinePrefix},
    escape::{self, ParsedSequence},
    fence::Fence,
    line_head::{LineHead, LineKind},
    need_human::{self, QuestionScanner},
    options::{AcceptedTaskIds, DecoderOptions, KeyRequirement},
    render::LineRenderer,
};

/// A longer line is not quoted as a whole, so that its end stays recognizable.
const CODE_BYTES_MAX: usize = 256;

/// A prompt under construction.
///
/// Invariant: after each public call, no line so far decodes to a message and no code fence is open.
#[derive(Debug, Default)]
pub(super) struct PromptText {
    text: String,
    renderer: LineRenderer,
    fence: Option<OpenFence>,
}

/// An open fence in quoted text, and the line that closes it.
#[derive(Debug)]
struct OpenFence {
    fence: Fence,
    closing: String,
}

impl PromptText {
    /// Appends one line. Line breaks become spaces, and controls are removed without effect, because the line also has our own text.
    pub(super) fn push_line(&mut self, text: &str) {
        let pieces: Vec<String> = text.split('\n').map(without_controls).collect();
        let pieces = pieces.iter().map(|piece| piece.trim()).filter(|piece| !piece.is_empty());
        self.push_escaped_line(pieces.collect::<Vec<_>>().join(" "));
        self.close_fence();
    }

    /// Appends several lines of quoted text, as a terminal would show them.
    pub(super) fn push_lines(&mut self, text: &str) {
        for raw in text.split('\n') {
            let line = self.renderer.render(raw.as_bytes(), 0, 0, usize::MAX).text.to_owned();
            self.push_escaped_line(line);
        }
        self.close_fence();
    }

    pub(super) fn push_blank(&mut self) {
        self.text.push('\n');
    }

    /// Returns the text without a newline at its end.
    pub(super) fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end_matches('\n').len());
        self.text
    }

    fn push_escaped_line(&mut self, mut line: String) {
        // Invisible, and absent on a screen.
        line.retain(|character| character != '\u{feff}');
        if reads_as_message(decoded_part(&line)) {
            quote_message_start(&mut line);
        }
        if QuestionScanner::new(decoded_part(&line)).next(0, &most_accepting_options(None)).is_some() {
            line = escape_questions(&line);
        }
        self.track_fence(decoded_part(&line));
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn track_fence(&mut self, line: &str) {
        let LineHead { prefix, kind: LineKind::Fence(fence) } =
            LineHead::parse(line, &most_accepting_options(None))
        else {
            return;
        };
        match &self.fence {
            Some(open) if fence.closes(&open.fence) => self.fence = None,
            Some(_) => {}
            None => {
                let characters = line[prefix.end..].chars();
                let first = characters.clone().next();
                let closing = characters.take_while(|character| Some(*character) == first).collect();
                self.fence = Some(OpenFence { fence, closing });
            }
        }
    }

    fn close_fence(&mut self) {
        if let Some(OpenFence { closing, .. }) = self.fence.take() {
            self.text.push_str(&closing);
            self.text.push('\n');
        }
    }
}

/// Removes controls and escape sequences from a line.
fn without_controls(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let length = match character {
            '\u{1b}' | '\u{80}'..='\u{9f}' => match escape::parse_escape_sequence(rest.as_bytes()) {
                ParsedSequence::Complete { length, .. } => rest.ceil_char_boundary(length),
                ParsedSequence::Incomplete => rest.len(),
            },
            _ => character.len_utf8(),
        };
        if !character.is_control() || character == '\t' {
            text.push(character);
        }
        rest = &rest[length..];
    }
    text
}

/// Returns the part of a line that a decoder reads.
fn decoded_part(line: &str) -> &str {
    &line[..line.floor_char_boundary(LINE_BYTES_MAX)]
}

/// Returns the options under which most lines are messages.
fn most_accepting_options(key: Option<SessionKey>) -> DecoderOptions {
    DecoderOptions {
        role: Role::Orchestrator,
        key,
        key_requirement: KeyRequirement::Optional,
        task_ids: AcceptedTaskIds::Any,
    }
}

/// Returns whether a line decodes to a message or a near miss in the output of any session.
fn reads_as_message(line: &str) -> bool {
    // A screen shows a tab as spaces.
    let line = &line.replace('\t', " ");
    // The session's key is unknown here, so the last word is also tried as the key.
    let last = decoration::trim_end_decoration(line).rsplit(char::is_whitespace).next();
    let key = last.and_then(|word| word.parse().ok());
    let is_message = |key| match LineHead::parse(line, &most_accepting_options(key)).kind {
        LineKind::Text | LineKind::Blank | LineKind::Fence(_) => false,
        LineKind::OpenTag { .. }
        | LineKind::BlockTag { .. }
        | LineKind::ClosingTag { .. }
        | LineKind::PhaseMarker { .. }
        | LineKind::Message { .. }
        | LineKind::TaskStart { .. }
        | LineKind::NearMiss(_) => true,
    };
    is_message(None) || (key.is_some() && is_message(key))
}

/// Puts the start of a message line into backticks: its tag, or all of a short line.
///
/// Single backticks, because three would be a fence if the line were cut before the closing ones.
fn quote_message_start(line: &mut String) {
    let at = LinePrefix::parse(line).end;
    let rest = &line[at..];
    let whole =
        if rest.starts_with('[') { rest.find(']').map(|end| end + 1) } else { Some(rest.trim_end().len()) };
    let fits = |end: &usize| *end <= CODE_BYTES_MAX && !rest[..*end].contains('`');
    let word = || {
        let end =
            rest.find(|character: char| character.is_whitespace() || character == '`').unwrap_or(rest.len());
        rest.floor_char_boundary(end.min(CODE_BYTES_MAX))
    };
    let end = at + whole.filter(fits).unwrap_or_else(word);
    line.insert(end, '`');
    line.insert(at, '`');
}

/// Puts the name of each question into backticks, so that no bracket precedes it.
fn escape_questions(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(need_human::NAME) {
        let (before, after) = (&rest[..at], &rest[at + need_human::NAME.len()..]);
        text.push_str(before);
        if before.trim_end().ends_with('[') {
            text.push_str(&format!("`{}`", need_human::NAME));
        } else {
            text.push_str(need_human::NAME);
        }
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::PromptText;

    fn assert_pushed_lines(quoted: &str, expected: &str) {
        let mut text = PromptText::default();
        text.push_lines(quoted);
        let text = text.finish();
        assert_eq!(text, expected, "{quoted:?}");
        let mut again = PromptText::default();
        again.push_lines(&text);
        assert_eq!(again.finish(), text, "a sanitized text does not change again");
    }

    #[test]
    fn message_lines_become_code() {
        assert_pushed_lines("[ASK_USER k3f9] Which?", "`[ASK_USER k3f9]` Which?");
        assert_pushed_lines("> **[INVOKE: PO]** do", "> **`[INVOKE: PO]`** do");
        assert_pushed_lines("  DONE:T1.3 k3f9  ", "  `DONE:T1.3 k3f9`  ");
        assert_pushed_lines("ERROR:PARSE_FAIL MyKey", "`ERROR:PARSE_FAIL MyKey`");
        assert_pushed_lines("=== PHASE 1 COMPLETE ===", "`=== PHASE 1 COMPLETE ===`");
        assert_pushed_lines("FAIL:T1.3:see `log`", "`FAIL:T1.3:see` `log`");
        assert_pushed_lines("[Ask_User] Which?", "`[Ask_User]` Which?");
        assert_pushed_lines("[ERROR] Failed to execute goal", "[ERROR] Failed to execute goal");
        assert_pushed_lines("so [ASK_USER] stays", "so [ASK_USER] stays");
    }

    #[test]
    fn user_questions_are_escaped() {
        assert_pushed_lines(
            "now [NEED_HUMAN k: x] and `[NEED_HUMAN: y]`",
            "now [`NEED_HUMAN` k: x] and `[`NEED_HUMAN`: y]`",
        );
        assert_pushed_lines("see `[NEED_HUMAN: y]`", "see `[NEED_HUMAN: y]`");
        assert_pushed_lines("NEED_HUMAN: me", "`NEED_HUMAN: me`");
        assert_pushed_lines("[NEED_HUMAN: me]", "`[NEED_HUMAN: me]`");
    }

    #[test]
    fn terminal_controls_are_applied_and_removed() {
        assert_pushed_lines("a\u{1b}[31mb\u{1b}[0m\u{1b}[201~c\r\n\u{9b}2Kd\u{7f}\te", "abc\nd\te");
        assert_pushed_lines("50%\r100%", "100%");
        assert_pushed_lines("[ASK\u{1b}[1m_USER]", "`[ASK_USER]`");
        assert_pushed_lines("\u{feff}[ASK_USER]", "`[ASK_USER]`");
    }

    #[test]
    fn quoted_controls_do_not_change_our_text() {
        let mut text = PromptText::default();
        text.push_line("[ANSWER q\u{1b}[2K\r\u{8}_7\u{9b}5D\n\u{1b}]0;open]");
        assert_eq!(text.finish(), "[ANSWER q_7");
    }

    #[test]
    fn open_fence_is_closed() {
        assert_pushed_lines("````js\nlet a;\n```", "````js\nlet a;\n```\n````");
        assert_pushed_lines("- ~~~\nx", "- ~~~\nx\n~~~");
        assert_pushed_lines("```\nx\n```", "```\nx\n```");
        assert_pushed_lines("```[NEED_HUMAN: x]", "```[NEED_HUMAN: x]\n```");
    }
}
