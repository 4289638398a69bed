//! Dialect C: the orchestrator's question, anywhere on a line and over several lines.

use std::ops::Range;

use domain::{AgentMessage, NeedHuman};

use crate::{
    line::Line,
    options::{DecoderOptions, KeyCheck},
};

pub(crate) const NAME: &str = "NEED_HUMAN";
/// The longest text between name and colon: a key has at most 64 bytes.
const KEY_BYTES_MAX: usize = 80;

/// The start of a question on its line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuestionStart {
    /// The index of its bracket.
    pub(crate) at: usize,
    /// The index after its colon.
    pub(crate) inside: usize,
    pub(crate) key_check: KeyCheck,
}

/// Searches a line for questions.
#[derive(Debug)]
pub(crate) struct QuestionScanner<'t> {
    text: &'t str,
    /// The ranges of inline code, computed when first needed.
    code: Option<Vec<Range<usize>>>,
}

impl<'t> QuestionScanner<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, code: None }
    }

    /// Finds the first question at or after an index that is not in inline code.
    pub(crate) fn next(&mut self, from: usize, options: &DecoderOptions) -> Option<QuestionStart> {
        for bracket in memchr::memchr_iter(b'[', self.text.get(from..)?.as_bytes()) {
            let at = from + bracket;
            if let Some((key, inside)) = self.parse_opening(at)
                && !self.is_in_inline_code(at)
            {
                return Some(QuestionStart { at, inside, key_check: options.check_key(key) });
            }
        }
        None
    }

    /// Parses the text after a bracket: the word in the position of the key, and the index at which the question begins.
    fn parse_opening(&self, at: usize) -> Option<(Option<&'t str>, usize)> {
        let after = self.text[at + 1..].trim_start().strip_prefix(NAME)?;
        let key_area = &after[..after.floor_char_boundary(KEY_BYTES_MAX)];
        let (word, _) = key_area.split_once(':')?;
        let is_separated = word.is_empty() || word.starts_with(char::is_whitespace);
        let mut words = word.split_whitespace();
        let key = words.next();
        let is_opening = is_separated && words.next().is_none() && !word.contains(['[', ']']);
        is_opening.then(|| (key, self.text.len() - after.len() + word.len() + 1))
    }

    fn is_in_inline_code(&mut self, at: usize) -> bool {
        // Wrapped inline code has its second backtick on another line.
        if self.text[..at].ends_with('`') {
            return true;
        }
        let spans = self.code.get_or_insert_with(|| code_spans(self.text));
        let index = spans.partition_point(|span| span.end <= at);
        spans.get(index).is_some_and(|span| span.contains(&at))
    }
}

/// A question whose bracket is still open.
#[derive(Debug)]
pub(crate) struct NeedHumanQuestion {
    question: String,
    /// The number of open brackets, the question's own included.
    depth: usize,
    /// The last closing bracket so far: its index in `question`, and the offset after it.
    last_close: Option<(usize, u64)>,
    is_first_line: bool,
    too_long: bool,
}

#[derive(Debug)]
pub(crate) enum QuestionProgress {
    Open,
    /// Closed by the bracket at this index.
    Closed(usize),
}

const QUESTION_BYTES_MAX: usize = 1 << 20;

impl NeedHumanQuestion {
    pub(crate) fn new() -> Self {
        Self { question: String::new(), depth: 1, last_close: None, is_first_line: true, too_long: false }
    }

    /// Appends the text of a line from `from` on.
    pub(crate) fn push_line(&mut self, line: &Line<'_>, from: usize, text: &str) -> QuestionProgress {
        if !self.is_first_line && !self.question.is_empty() {
            self.question.push(' ');
        }
        self.is_first_line = false;
        self.too_long |= line.too_long || self.question.len() + text.len() > QUESTION_BYTES_MAX;
        let trimmed = text.trim_start();
        let from = from + (text.len() - trimmed.len());
        for (index, character) in trimmed.char_indices() {
            match character {
                '[' => self.depth += 1,
                ']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.last_close = Some((self.question.len(), line.offset_at(from + index) + 1));
                    if self.depth == 0 {
                        return QuestionProgress::Closed(from + index);
                    }
                }
                _ => {}
            }
            if !self.too_long {
                self.question.push(character);
            }
        }
        self.question.truncate(self.question.trim_end().len());
        QuestionProgress::Open
    }

    /// Closes the question at the last bracket; returns the message and the offset after the bracket.
    pub(crate) fn finish(mut self) -> (Result<AgentMessage, String>, Option<u64>) {
        let Some((length, end)) = self.last_close else {
            return (Err("missing closing bracket ']'".to_owned()), None);
        };
        self.question.truncate(length);
        let question = self.question.trim();
        let result = if self.too_long {
            Err("longer than 1 MiB, or with a line longer than 64 KiB".to_owned())
        } else if question.is_empty() {
            Err("missing required field 'question'".to_owned())
        } else {
            Ok(AgentMessage::NeedHuman(NeedHuman { question: question.to_owned() }))
        };
        (result, Some(end))
    }
}

/// Returns the ranges of inline code: between two runs of equally many backticks.
fn code_spans(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, character) in text.bytes().enumerate() {
        match runs.last_mut() {
            Some((start, length)) if character == b'`' && *start + *length == at => *length += 1,
            _ if character == b'`' => runs.push((at, 1)),
            _ => {}
        }
    }
    // For each run, the next one of equal length; computed from the end, so that one pass is enough.
    let mut next_of_length = std::collections::BTreeMap::new();
    let mut partner = vec![None; runs.len()];
    for (index, (_, length)) in runs.iter().enumerate().rev() {
        if let Some(slot) = partner.get_mut(index) {
            *slot = next_of_length.insert(*length, index);
        }
    }
    let mut spans = Vec::new();
    let mut index = 0;
    while let Some((start, _)) = runs.get(index) {
        match partner.get(index).copied().flatten() {
            Some(close) => {
                let end = runs.get(close).map_or(text.len(), |(at, length)| at + length);
                spans.push(*start..end);
                index = close + 1;
            }
            None => index += 1,
        }
    }
    spans
}
