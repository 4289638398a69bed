//! Skips the lines that can't matter, without making text of them.
//!
//! Nine lines of ten neither begin like a message nor are edited by what follows; a look at their head and at their
//! controls is enough. In doubt a line is not skipped: reading it whole gives the same, only slower.

use crate::{
    assemble::Assembler,
    decoration,
    escape::{self, Act, Sequence},
    landmarks::Landmarks,
};

/// Returns how many bytes of whole lines can be skipped; marks whether one of them repaints the screen.
pub(crate) fn skip(bytes: &[u8], assembler: &Assembler, repaints: &mut bool) -> usize {
    let interest = if assembler.is_idle() {
        Interest::Messages
    } else if assembler.waits_for_fence() {
        Interest::Fences
    } else {
        return 0;
    };
    let mut skimmer = Skimmer { bytes, landmarks: Landmarks::of(bytes), interest, repaints };
    let mut line = 0;
    while let Some(next) = skimmer.dull_line(line) {
        line = next;
    }
    line
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interest {
    Messages,
    /// The end of a code fence, in which nothing counts.
    Fences,
}

struct Skimmer<'b, 'r> {
    bytes: &'b [u8],
    landmarks: Landmarks<'b>,
    interest: Interest,
    repaints: &'r mut bool,
}

/// Words that a line can begin with to matter; a near miss may be written in lower case.
const WORDS: [&[u8]; 10] = [
    b"RESOLVE_NEXT",
    b"READY:",
    b"PHASE_DONE",
    b"ALL_DONE",
    b"TASK_ID:",
    b"DONE:",
    b"FAIL:",
    b"ERROR:",
    b"CUSTOM:",
    b"NEED_HUMAN",
];

/// Names that a bracket can begin with to matter.
const NAMES: [&[u8]; 10] = [
    b"ASK?USER",
    b"INVOKE",
    b"DELIVER?RESULT",
    b"STEP?COMPLETE",
    b"PROGRESS",
    b"DIRECT",
    b"DEPENDENCY?REQUEST",
    b"USER?QUESTION",
    b"ERROR",
    b"NEED?HUMAN",
];

impl Skimmer<'_, '_> {
    /// Returns the index behind a line that can't matter; `None` where it might, or does not end here.
    #[inline]
    fn dull_line(&mut self, line: usize) -> Option<usize> {
        let head = self.dull_head(line)?;
        self.dull_rest(head)
    }

    /// Returns the index up to which a line's head can't matter.
    #[inline]
    fn dull_head(&self, line: usize) -> Option<usize> {
        let mut at = line;
        loop {
            match *self.bytes.get(at)? {
                b' ' | b'\t' | b'>' | b'*' | b'-' | b'+' | b'#' | b'|' => at += 1,
                escape::ESC => at = self.behind_colour(at)?,
                b'\n' => return Some(at),
                b'\r' if self.bytes.get(at + 1) == Some(&b'\n') => return Some(at),
                b'[' => {
                    let may_matter = self.interest == Interest::Messages
                        && NAMES.iter().any(|name| self.may_be(at + 1, name));
                    return (!may_matter).then_some(at);
                }
                b'=' => return self.unless(Interest::Messages, at, |next| next == b'='),
                sign @ (b'`' | b'~') => return self.unless(Interest::Fences, at, |next| next == sign),
                letter @ (b'A'..=b'Z' | b'a'..=b'z') => {
                    let first = letter.to_ascii_uppercase();
                    let may_matter = self.interest == Interest::Messages
                        && matches!(first, b'R' | b'P' | b'A' | b'T' | b'D' | b'F' | b'E' | b'C' | b'N')
                        && WORDS.iter().any(|word| word.first() == Some(&first) && self.may_be(at, word));
                    return (!may_matter).then_some(at);
                }
                0x80.. => match self.decoration(at)? {
                    0 => return Some(at),
                    length => at += length,
                },
                0x00..0x20 | 0x7f => return None,
                _ => return Some(at),
            }
        }
    }

    /// Returns `at` unless the byte behind it is one that matters, or can't be known.
    fn unless(&self, interest: Interest, at: usize, matters: impl Fn(u8) -> bool) -> Option<usize> {
        let next = *self.bytes.get(at + 1)?;
        // Fences matter always, messages only outside of them.
        let is_asked = interest == Interest::Fences || self.interest == interest;
        let may_matter = matters(next) || is_obscure(next);
        (!(is_asked && may_matter)).then_some(at)
    }

    /// Returns the length of the decoration or white space at `at`, 0 where there is other text.
    fn decoration(&self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?;
        match rest.first_chunk::<3>()? {
            // Hangul, the most frequent letters beyond ASCII here.
            [0xeb | 0xec, 0x80..=0xbf, 0x80..=0xbf] => return Some(0),
            // Box drawing.
            [0xe2, 0x94 | 0x95, 0x80..=0xbf] => return Some(3),
            _ => {}
        }
        let length = match rest.first()? {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            _ => 4,
        };
        let sign = std::str::from_utf8(rest.get(..length)?).ok()?.chars().next()?;
        if ('\u{80}'..='\u{9f}').contains(&sign) {
            return None;
        }
        let is_lead = sign.is_whitespace() || decoration::is_decoration(sign);
        Some(if is_lead { length } else { 0 })
    }

    /// Tells whether the text at `at` may be a word, with colours inside it and white space before it.
    ///
    /// A `?` in the word stands for `_` and what is taken for it.
    fn may_be(&self, at: usize, word: &[u8]) -> bool {
        let mut at = at;
        let mut letters = word.iter();
        let mut wanted = letters.next();
        while let Some(letter) = wanted {
            let Some(byte) = self.bytes.get(at) else { return true };
            let is_letter =
                byte.eq_ignore_ascii_case(letter) || (*letter == b'?' && matches!(byte, b'_' | b'-' | b' '));
            if is_letter {
                wanted = letters.next();
                at += 1;
            } else if *byte == escape::ESC {
                match self.behind_colour(at) {
                    Some(behind) => at = behind,
                    None => return true,
                }
            } else if matches!(byte, b' ' | b'\t') && letters.len() + 1 == word.len() {
                at += 1;
            } else {
                // White space beyond ASCII begins with one of these.
                return is_obscure(*byte) || matches!(byte, 0xe1..=0xe3);
            }
        }
        true
    }

    /// Returns the index behind a colour, `None` where another sequence stands.
    #[inline]
    fn behind_colour(&self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?.strip_prefix(b"\x1b[")?;
        let length = rest.iter().position(|byte| !matches!(byte, b'0'..=b';'))?;
        (length < 64 && rest.get(length) == Some(&b'm')).then_some(at + 2 + length + 1)
    }

    /// Returns the index behind the line, if nothing from `from` on edits it or begins a question.
    #[inline]
    fn dull_rest(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            let landmark = self.landmarks.next(at)?;
            at = match *self.bytes.get(landmark)? {
                b'\n' => return Some(landmark + 1),
                escape::ESC => match self.behind_colour(landmark) {
                    Some(behind) => behind,
                    None => self.behind_sequence(landmark)?,
                },
                b'[' if self.interest == Interest::Messages && self.may_be(landmark + 1, b"NEED_HUMAN") => {
                    return None;
                }
                b'[' => landmark + 1,
                b'\r' if self.bytes.get(landmark + 1) == Some(&b'\n') => return Some(landmark + 2),
                b'\r' | 0x08 => return None,
                escape::C1_LEAD if escape::is_c1(*self.bytes.get(landmark + 1)?) => return None,
                _ => landmark + 1,
            };
        }
    }

    /// Returns the index behind a sequence that is no colour, if it does not edit the line.
    #[cold]
    fn behind_sequence(&mut self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?;
        let line_end = memchr::memchr(b'\n', rest)?;
        match escape::read(rest.get(..line_end)?) {
            Sequence::Whole { act: Act::Edit(_), .. } => None,
            Sequence::Whole { length, act } => {
                *self.repaints |= act == Act::Repaint;
                Some(at + length)
            }
            Sequence::Unfinished => Some(at + line_end),
        }
    }
}

/// Tells whether a byte hides what comes next: a control, or what may begin one.
fn is_obscure(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\t' && byte != b'\n') || byte == 0x7f || byte == escape::C1_LEAD
}
