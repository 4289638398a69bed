//! What is kept of a turn for people: what the agent said in it, and which tools it used where.
//!
//! Everything has a bound. Of words and calls the last are kept, of an output its beginning and its end; what is left
//! out is counted.

use std::collections::VecDeque;

use domain::{ToolOutput, ToolUse, TurnTools};

use crate::driver::{ToolCall, ToolStatus};

/// Few turns call more tools than this.
const USES_MAX: usize = 200;
/// A title is a line, or a command of a few.
const TITLE_BYTES_MAX: usize = 500;
/// As much of an output's beginning is kept, and as much of its end.
const OUTPUT_PART_BYTES_MAX: usize = 1024;
/// And as much is looked at, with the signs that colour it.
const OUTPUT_PART_READ_MAX: usize = 16 * 1024;
/// As much is kept of all outputs of a turn together: it is in the log for ever, and all of it is in the spool.
const OUTPUTS_BYTES_MAX: usize = 48 * 1024;

/// The account of one turn.
#[derive(Debug)]
pub(crate) struct TurnTranscript {
    words: String,
    words_bytes_max: usize,
    uses: VecDeque<TrackedToolUse>,
    n_left_out: u64,
}

#[derive(Debug)]
struct TrackedToolUse {
    /// The agent's own id of the call.
    id: String,
    kept: ToolUse,
}

impl TurnTranscript {
    pub(crate) fn new(words_bytes_max: usize) -> Self {
        Self { words: String::new(), words_bytes_max, uses: VecDeque::new(), n_left_out: 0 }
    }

    /// Returns what was said so far.
    pub(crate) fn text(&self) -> &str {
        &self.words
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        self.words.push_str(text);
        // Not with every word: what is cut off is moved.
        if self.words.len() > 2 * self.words_bytes_max {
            self.trim_text_to_limit();
        }
    }

    /// Takes a call, or what became of it.
    pub(crate) fn push_tool_call(&mut self, call: &ToolCall) {
        match self.uses.iter().rposition(|used| used.id == call.id) {
            Some(index) => {
                if let Some(known) = self.uses.get_mut(index) {
                    merge_call(&mut known.kept, call);
                }
            }
            // The end of a call that another turn began.
            None if call.title.is_empty() && call.status != ToolStatus::Running => return,
            None => {
                let line = self.n_lines();
                let mut kept =
                    ToolUse { line, title: String::new(), status: ToolStatus::Running, output: None };
                merge_call(&mut kept, call);
                self.uses.push_back(TrackedToolUse { id: call.id.clone(), kept });
            }
        }
        while self.uses.len() > USES_MAX {
            self.uses.pop_front();
            self.n_left_out += 1;
        }
        self.limit_outputs();
    }

    /// Returns all that is kept of the turn, and begins another one.
    pub(crate) fn take_turn(&mut self) -> (String, TurnTools) {
        self.trim_text_to_limit();
        let mut account = std::mem::replace(self, Self::new(self.words_bytes_max));
        let begin = account.words.len() - account.words.trim_start().len();
        account.drop_text_before(begin);
        account.words.truncate(account.words.trim_end().len());
        let n_lines = account.n_lines();
        let uses = account.uses.into_iter().map(|TrackedToolUse { kept, .. }| {
            // What comes behind blank lines at the end comes at the end.
            ToolUse { line: kept.line.min(n_lines), ..kept }
        });
        let tools = TurnTools { uses: uses.collect(), n_omitted: account.n_left_out };
        (account.words, tools)
    }

    /// Returns how many lines were said so far, also one that is not at its end: what comes now comes behind it.
    fn n_lines(&self) -> u32 {
        let n_ended = n_newlines(&self.words);
        let is_open = !self.words.is_empty() && !self.words.ends_with('\n');
        n_ended + u32::from(is_open)
    }

    fn trim_text_to_limit(&mut self) {
        let from = self.words.len().saturating_sub(self.words_bytes_max);
        self.drop_text_before(self.words.ceil_char_boundary(from));
    }

    /// Drops the beginning of the words. A line that is cut is a line still.
    fn drop_text_before(&mut self, to: usize) {
        let n_dropped = n_newlines(self.words.get(..to).unwrap_or_default());
        self.words.drain(..to);
        for used in &mut self.uses {
            used.kept.line = used.kept.line.saturating_sub(n_dropped);
        }
    }

    /// Lets the oldest outputs give way to the newest.
    fn limit_outputs(&mut self) {
        let mut n_bytes = 0;
        for output in self.uses.iter_mut().rev().filter_map(|used| used.kept.output.as_mut()) {
            let n_kept = output.head.len() + output.tail.len();
            n_bytes += n_kept;
            if n_bytes > OUTPUTS_BYTES_MAX {
                let n_bytes_left_out = output.n_bytes_omitted + n_kept as u64;
                *output = ToolOutput { n_bytes_omitted: n_bytes_left_out, ..ToolOutput::default() };
            }
        }
    }
}

fn n_newlines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// Puts a call together from what is said of it.
fn merge_call(kept: &mut ToolUse, call: &ToolCall) {
    if !call.title.trim().is_empty() {
        kept.title = shorten_title(&call.title);
    }
    kept.status = call.status;
    if let Some(printed) = &call.output {
        kept.output = shorten_output(printed);
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

/// Returns what is kept of an output, if there is anything in it.
fn shorten_output(printed: &str) -> Option<ToolOutput> {
    let (head, n_unread, tail) = head_and_tail(printed, OUTPUT_PART_READ_MAX);
    let text = if n_unread == 0 {
        to_visible_text(head)
    } else {
        [to_visible_text(head), to_visible_text(tail)].join("\n")
    };
    let (head, n_cut, tail) = head_and_tail(&text, OUTPUT_PART_BYTES_MAX);
    let n_bytes_left_out = n_cut + n_unread;
    let output =
        ToolOutput { head: head.to_owned(), n_bytes_omitted: n_bytes_left_out, tail: tail.to_owned() };
    (!text.is_empty()).then_some(output)
}

/// Returns the beginning and the end of a text that is too long, with how much lies between them; else all of it.
fn head_and_tail(text: &str, part_bytes_max: usize) -> (&str, u64, &str) {
    let begin = text.floor_char_boundary(part_bytes_max);
    let end = text.ceil_char_boundary(text.len().saturating_sub(part_bytes_max));
    match (text.get(..begin), text.get(end..)) {
        (Some(head), Some(tail)) if begin < end => (head, (end - begin) as u64, tail),
        _ => (text, 0, ""),
    }
}

/// Returns a text as a terminal would show it: without colours, and without blank lines around it.
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

    /// Tells a turn (`> words`, `! a call`), and returns it as its reader puts it together again.
    fn render_turn(words_bytes_max: usize, told: &[&str]) -> String {
        let mut account = TurnTranscript::new(words_bytes_max);
        for (n, part) in told.iter().enumerate() {
            match part.split_at(2) {
                ("> ", words) => account.push_text(words),
                (_, title) => {
                    account.push_tool_call(&tool_call(&n.to_string(), title, ToolStatus::Done, None))
                }
            }
        }
        let (words, tools) = account.take_turn();
        let mut lines: Vec<String> = words.split('\n').map(|line| format!("> {line}")).collect();
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
        // Blank lines around the words are no lines of them.
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
        let mut account = TurnTranscript::new(1000);
        account.push_tool_call(&tool_call("1", "make test", ToolStatus::Running, None));
        account.push_tool_call(&tool_call("2", "ls", ToolStatus::Running, None));
        account.push_tool_call(&tool_call(
            "1",
            "",
            ToolStatus::Failed,
            Some("\u{1b}[31m1 failed\u{1b}[0m\n\n"),
        ));
        // The end of a call of another turn is not one of this.
        account.push_tool_call(&tool_call("0", "", ToolStatus::Done, Some("old")));
        let (_, tools) = account.take_turn();
        let output = |n: usize| tools.uses[n].output.as_ref().map(|output| output.head.as_str());
        assert_eq!(tools.uses.len(), 2);
        assert_eq!((&*tools.uses[0].title, tools.uses[0].status), ("make test", ToolStatus::Failed));
        assert_eq!(output(0), Some("1 failed"));
        assert_eq!(
            (&*tools.uses[1].title, tools.uses[1].status, output(1)),
            ("ls", ToolStatus::Running, None)
        );
        // And nothing of it is in the next turn.
        assert!(account.take_turn().1.is_empty());
    }

    #[test]
    fn omitted_calls_and_bytes_are_counted() {
        let mut account = TurnTranscript::new(1000);
        let printed = format!("first{}last", "x".repeat(5000));
        for n in 0..USES_MAX + 3 {
            account.push_tool_call(&tool_call(
                &n.to_string(),
                &format!("call {n}"),
                ToolStatus::Done,
                Some(&printed),
            ));
        }
        let (_, tools) = account.take_turn();
        assert_eq!((tools.uses.len(), tools.n_omitted), (USES_MAX, 3));
        assert_eq!(tools.uses[0].title, "call 3");
        let last = tools.uses.last().unwrap().output.clone().unwrap();
        assert!(last.head.starts_with("first") && last.tail.ends_with("last"));
        for used in &tools.uses {
            let output = used.output.as_ref().unwrap();
            let n_kept = output.head.len() + output.tail.len();
            assert_eq!(n_kept + usize::try_from(output.n_bytes_omitted).unwrap(), printed.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_transcript_never_exceeds_its_limits(
            parts in prop::collection::vec(
                prop_oneof![
                    "[a가\n]{0,9}".prop_map(|words| (words, None)),
                    ("[가a\n]{0,3}", 0..8_usize, 0..1000_usize)
                        .prop_map(|(text, n_calls, length)| (text, Some((n_calls, length)))),
                ],
                0..30,
            ),
        ) {
            let mut account = TurnTranscript::new(50);
            for (text, called) in &parts {
                let Some((n_calls, length)) = called else {
                    account.push_text(text);
                    continue;
                };
                let long = text.repeat(*length);
                for n in 0..*n_calls {
                    account.push_tool_call(&tool_call(&n.to_string(), &long, ToolStatus::Done, Some(&long)));
                }
            }
            let (words, tools) = account.take_turn();
            prop_assert!(words.len() <= 50 && words.trim() == words);
            let n_lines = words.split('\n').count() as u32;
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
