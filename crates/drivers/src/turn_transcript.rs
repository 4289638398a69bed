//! The transcript of a turn for users: the agent's text, and the tool calls at their positions in it.
//!
//! Everything is bounded: the last text and calls are kept, and the start and end of an output. Omissions are counted.

use std::collections::VecDeque;

use domain::{ToolOutput, ToolUse, TurnTools};

use crate::driver::{ToolCall, ToolStatus};

/// Limit of the tool calls of a turn; few turns have more.
const USES_MAX: usize = 200;
/// Limit of a title, which is a line or a short command.
const TITLE_BYTES_MAX: usize = 500;
/// Limit of the start of an output, and of its end.
const OUTPUT_PART_BYTES_MAX: usize = 1024;
/// Limit of the same parts before escape sequences are removed.
const OUTPUT_PART_READ_MAX: usize = 16 * 1024;
/// Limit of all outputs of a turn together, which the log stores permanently. The spool has the full outputs.
const OUTPUTS_BYTES_MAX: usize = 48 * 1024;

/// The transcript of one turn.
#[derive(Debug)]
pub(crate) struct TurnTranscript {
    text: String,
    text_bytes_max: usize,
    uses: VecDeque<TrackedToolUse>,
    n_omitted: u64,
}

#[derive(Debug)]
struct TrackedToolUse {
    /// The agent's own id of the call.
    id: String,
    tool_use: ToolUse,
}

impl TurnTranscript {
    pub(crate) fn new(text_bytes_max: usize) -> Self {
        Self { text: String::new(), text_bytes_max, uses: VecDeque::new(), n_omitted: 0 }
    }

    /// Returns the text so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
        // Not at every call: trimming moves the rest of the text.
        if self.text.len() > 2 * self.text_bytes_max {
            self.trim_text_to_limit();
        }
    }

    /// Adds a tool call, or updates it.
    pub(crate) fn push_tool_call(&mut self, call: &ToolCall) {
        match self.uses.iter().rposition(|used| used.id == call.id) {
            Some(index) => {
                if let Some(used) = self.uses.get_mut(index) {
                    merge_call(&mut used.tool_use, call);
                }
            }
            // The end of a call that started in another turn.
            None if call.title.is_empty() && call.status != ToolStatus::Running => return,
            None => {
                let line = self.n_lines();
                let mut tool_use =
                    ToolUse { line, title: String::new(), status: ToolStatus::Running, output: None };
                merge_call(&mut tool_use, call);
                self.uses.push_back(TrackedToolUse { id: call.id.clone(), tool_use });
            }
        }
        while self.uses.len() > USES_MAX {
            self.uses.pop_front();
            self.n_omitted += 1;
        }
        self.limit_outputs();
    }

    /// Returns the transcript of the turn and starts the next one.
    pub(crate) fn take_turn(&mut self) -> (String, TurnTools) {
        self.trim_text_to_limit();
        let mut transcript = std::mem::replace(self, Self::new(self.text_bytes_max));
        let begin = transcript.text.len() - transcript.text.trim_start().len();
        transcript.drop_text_before(begin);
        transcript.text.truncate(transcript.text.trim_end().len());
        let n_lines = transcript.n_lines();
        let uses = transcript.uses.into_iter().map(|TrackedToolUse { tool_use, .. }| {
            // Blank lines at the end were removed.
            ToolUse { line: tool_use.line.min(n_lines), ..tool_use }
        });
        let tools = TurnTools { uses: uses.collect(), n_omitted: transcript.n_omitted };
        (transcript.text, tools)
    }

    /// Counts the lines so far, including an unfinished one: a tool call is placed after it.
    fn n_lines(&self) -> u32 {
        let n_ended = n_newlines(&self.text);
        let is_open = !self.text.is_empty() && !self.text.ends_with('\n');
        n_ended + u32::from(is_open)
    }

    fn trim_text_to_limit(&mut self) {
        let from = self.text.len().saturating_sub(self.text_bytes_max);
        self.drop_text_before(self.text.ceil_char_boundary(from));
    }

    /// Drops the start of the text. A line that is cut still counts as a line.
    fn drop_text_before(&mut self, to: usize) {
        let n_dropped = n_newlines(self.text.get(..to).unwrap_or_default());
        self.text.drain(..to);
        for used in &mut self.uses {
            used.tool_use.line = used.tool_use.line.saturating_sub(n_dropped);
        }
    }

    /// Drops the oldest outputs if all together exceed the limit.
    fn limit_outputs(&mut self) {
        let mut n_bytes = 0;
        for output in self.uses.iter_mut().rev().filter_map(|used| used.tool_use.output.as_mut()) {
            let n_stored = output.head.len() + output.tail.len();
            n_bytes += n_stored;
            if n_bytes > OUTPUTS_BYTES_MAX {
                let n_bytes_omitted = output.n_bytes_omitted + n_stored as u64;
                *output = ToolOutput { n_bytes_omitted, ..ToolOutput::default() };
            }
        }
    }
}

fn n_newlines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// Merges an update of a call.
fn merge_call(tool_use: &mut ToolUse, call: &ToolCall) {
    if !call.title.trim().is_empty() {
        tool_use.title = shorten_title(&call.title);
    }
    tool_use.status = call.status;
    if let Some(printed) = &call.output {
        tool_use.output = shorten_output(printed);
    }
}

fn shorten_title(text: &str) -> String {
    let mut title =
        to_visible_text(text.get(..text.floor_char_boundary(4 * TITLE_BYTES_MAX)).unwrap_or_default());
    if title.len() > TITLE_BYTES_MAX {
        title.truncate(title.floor_char_boundary(TITLE_BYTES_MAX));
        title.push('…');
    }
    title
}

/// Shortens an output; `None` if it is blank.
fn shorten_output(printed: &str) -> Option<ToolOutput> {
    let (head, n_unread, tail) = head_and_tail(printed, OUTPUT_PART_READ_MAX);
    let text = if n_unread == 0 {
        to_visible_text(head)
    } else {
        [to_visible_text(head), to_visible_text(tail)].join("\n")
    };
    let (head, n_cut, tail) = head_and_tail(&text, OUTPUT_PART_BYTES_MAX);
    let n_bytes_omitted = n_cut + n_unread;
    let output = ToolOutput { head: head.to_owned(), n_bytes_omitted, tail: tail.to_owned() };
    (!text.is_empty()).then_some(output)
}

/// Returns the start and the end of a text that is too long, and the number of bytes in between; else the whole text.
fn head_and_tail(text: &str, part_bytes_max: usize) -> (&str, u64, &str) {
    let begin = text.floor_char_boundary(part_bytes_max);
    let end = text.ceil_char_boundary(text.len().saturating_sub(part_bytes_max));
    match (text.get(..begin), text.get(end..)) {
        (Some(head), Some(tail)) if begin < end => (head, (end - begin) as u64, tail),
        _ => (text, 0, ""),
    }
}

/// Returns a text without escape sequences and without surrounding blank lines.
fn to_visible_text(text: &str) -> String {
    let lines: Vec<String> =
        text.trim_end().split('\n').map(|line| protocol::visible_text(line.as_bytes())).collect();
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, Strategy, prop, prop_assert, prop_oneof, proptest};

    use super::{OUTPUT_PART_BYTES_MAX, OUTPUTS_BYTES_MAX, TITLE_BYTES_MAX, TurnTranscript, USES_MAX};
    use crate::driver::{ToolCall, ToolStatus};

    fn tool_call(id: &str, title: &str, status: ToolStatus, output: Option<&str>) -> ToolCall {
        ToolCall { id: id.to_owned(), title: title.to_owned(), status, output: output.map(str::to_owned) }
    }

    /// Records a turn (`> text`, `! call`), and returns its transcript in the same form.
    fn render_turn(text_bytes_max: usize, parts: &[&str]) -> String {
        let mut transcript = TurnTranscript::new(text_bytes_max);
        for (n, part) in parts.iter().enumerate() {
            match part.split_at(2) {
                ("> ", text) => transcript.push_text(text),
                (_, title) => {
                    transcript.push_tool_call(&tool_call(&n.to_string(), title, ToolStatus::Done, None))
                }
            }
        }
        let (text, tools) = transcript.take_turn();
        let mut lines: Vec<String> = text.split('\n').map(|line| format!("> {line}")).collect();
        for used in tools.uses.iter().rev() {
            lines.insert(used.line as usize, format!("! {}", used.title));
        }
        lines.join("\n")
    }

    #[test]
    fn a_tool_call_follows_the_text_line_before_it() {
        let check =
            |parts: &[&str], expected: &str| assert_eq!(render_turn(1000, parts), expected, "{parts:?}");
        check(&["> I look.\n", "! ls", "> I see.\n"], "> I look.\n! ls\n> I see.");
        check(&["! ls", "> I see.\n"], "! ls\n> I see.");
        check(&["> I look.", "! ls", "! cat", "> \nI see."], "> I look.\n! ls\n! cat\n> I see.");
        check(&["> 봅니다.\n", "! ls", "> 봤습니다."], "> 봅니다.\n! ls\n> 봤습니다.");
        // Blank lines around the text do not count.
        check(&["> \n\nI look.\n", "! ls", "> I see.\n\n\n", "! cat"], "> I look.\n! ls\n> I see.\n! cat");
        check(&["! ls"], "! ls\n> ");
    }

    #[test]
    fn tool_calls_keep_their_position_when_text_is_cut() {
        let long = ["> one\n", "! a", "> two\n", "! b", "> three\n", "! c", "> four"];
        assert_eq!(render_turn(1000, &long), "> one\n! a\n> two\n! b\n> three\n! c\n> four");
        assert_eq!(render_turn(8, &long), "! a\n! b\n> ree\n! c\n> four");
    }

    #[test]
    fn updates_of_a_tool_call_are_merged() {
        let mut transcript = TurnTranscript::new(1000);
        transcript.push_tool_call(&tool_call("1", "make test", ToolStatus::Running, None));
        transcript.push_tool_call(&tool_call("2", "ls", ToolStatus::Running, None));
        transcript.push_tool_call(&tool_call(
            "1",
            "",
            ToolStatus::Failed,
            Some("\u{1b}[31m1 failed\u{1b}[0m\n\n"),
        ));
        // The end of a call of another turn is not one of this.
        transcript.push_tool_call(&tool_call("0", "", ToolStatus::Done, Some("old")));
        let (_, tools) = transcript.take_turn();
        let output = |n: usize| tools.uses[n].output.as_ref().map(|output| output.head.as_str());
        assert_eq!(tools.uses.len(), 2);
        assert_eq!((&*tools.uses[0].title, tools.uses[0].status), ("make test", ToolStatus::Failed));
        assert_eq!(output(0), Some("1 failed"));
        assert_eq!(
            (&*tools.uses[1].title, tools.uses[1].status, output(1)),
            ("ls", ToolStatus::Running, None)
        );
        // And nothing of it is in the next turn.
        assert!(transcript.take_turn().1.is_empty());
    }

    #[test]
    fn omitted_calls_and_bytes_are_counted() {
        let mut transcript = TurnTranscript::new(1000);
        let printed = format!("first{}last", "x".repeat(5000));
        for n in 0..USES_MAX + 3 {
            transcript.push_tool_call(&tool_call(
                &n.to_string(),
                &format!("call {n}"),
                ToolStatus::Done,
                Some(&printed),
            ));
        }
        let (_, tools) = transcript.take_turn();
        assert_eq!((tools.uses.len(), tools.n_omitted), (USES_MAX, 3));
        assert_eq!(tools.uses[0].title, "call 3");
        let last = tools.uses.last().unwrap().output.clone().unwrap();
        assert!(last.head.starts_with("first") && last.tail.ends_with("last"));
        for used in &tools.uses {
            let output = used.output.as_ref().unwrap();
            let n_stored = output.head.len() + output.tail.len();
            assert_eq!(n_stored + usize::try_from(output.n_bytes_omitted).unwrap(), printed.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_transcript_never_exceeds_its_limits(
            parts in prop::collection::vec(
                prop_oneof![
                    "[a가\n]{0,9}".prop_map(|text| (text, None)),
                    ("[가a\n]{0,3}", 0..8_usize, 0..1000_usize)
                        .prop_map(|(text, n_calls, length)| (text, Some((n_calls, length)))),
                ],
                0..30,
            ),
        ) {
            let mut transcript = TurnTranscript::new(50);
            for (text, called) in &parts {
                let Some((n_calls, length)) = called else {
                    transcript.push_text(text);
                    continue;
                };
                let long = text.repeat(*length);
                for n in 0..*n_calls {
                    transcript.push_tool_call(&tool_call(&n.to_string(), &long, ToolStatus::Done, Some(&long)));
                }
            }
            let (text, tools) = transcript.take_turn();
            prop_assert!(text.len() <= 50 && text.trim() == text);
            let n_lines = text.split('\n').count() as u32;
            prop_assert!(tools.uses.iter().all(|used| used.line <= n_lines));
            prop_assert!(tools.uses.is_sorted_by_key(|used| used.line));
            prop_assert!(tools.uses.iter().all(|used| used.title.len() <= TITLE_BYTES_MAX + 3));
            let outputs: Vec<_> = tools.uses.iter().filter_map(|used| used.output.as_ref()).collect();
            prop_assert!(outputs.iter().all(|output| output.head.len() <= 2 * OUTPUT_PART_BYTES_MAX + 6));
            let n_bytes: usize = outputs.iter().map(|output| output.head.len() + output.tail.len()).sum();
            prop_assert!(n_bytes <= OUTPUTS_BYTES_MAX);
        }
    }
}
