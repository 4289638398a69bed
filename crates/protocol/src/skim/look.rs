//! A closer look at the bytes of a line: can it matter, seen from here?
//!
//! Never makes text of them. In doubt the answer is yes: reading the line whole gives the same, only slower.

use crate::{
    decoration,
    escape::{self, Act, Edit, Sequence},
};

/// Some bytes, and what is looked for in them.
#[derive(Clone, Copy)]
pub(super) struct Look<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) interest: Interest,
    /// Whether older text may show behind the end of what is looked at.
    pub(super) is_overlaid: bool,
}

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Interest {
    Messages,
    /// The end of a code fence, in which nothing counts.
    Fences,
}

/// What a line can begin with to matter, in any case: a near miss may be written small.
///
/// `#` is what a task's id begins with; white space may stand behind a colon.
const WORDS: [&[u8]; 14] = [
    b"RESOLVE_NEXT",
    b"READY:#",
    b"PHASE_DONE",
    b"ALL_DONE",
    b"TASK_ID:#",
    b"DONE:#",
    b"FAIL:#",
    b"ERROR:TASKS_NOT_FOUND",
    b"ERROR:CIRCULAR_DEP",
    b"ERROR:MISSING_DEP",
    b"ERROR:PARSE_FAIL",
    b"ERROR:STATE_CORRUPT",
    b"CUSTOM:",
    b"NEED_HUMAN",
];

/// What a bracket can begin with to matter; `?` is `_` and what is taken for it.
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

/// What a byte tells about a line that begins with it.
#[derive(Clone, Copy)]
enum First {
    /// The line is text.
    Dull,
    /// White space or decoration: the next byte tells.
    Skipped,
    /// A letter that a word of the protocol begins with.
    Letter,
    /// A sign beyond ASCII.
    Beyond,
    Other,
}

const FIRST: [First; 256] = {
    let mut table = [First::Dull; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'>' | b'*' | b'-' | b'+' | b'#' | b'|' => First::Skipped,
            b'\n' => First::Dull,
            b'[' | b'=' | b'`' | b'~' | 0x00..0x20 | 0x7f => First::Other,
            0x80.. => First::Beyond,
            letter => match letter.to_ascii_uppercase() {
                b'R' | b'P' | b'A' | b'T' | b'D' | b'F' | b'E' | b'C' | b'N' => First::Letter,
                _ => First::Dull,
            },
        };
        byte += 1;
    }
    table
};

impl Look<'_> {
    /// Tells whether a line whose head begins at `at` is text at first sight.
    #[inline]
    pub(super) fn is_plain(&self, at: usize) -> bool {
        let Some([first, second, third]) = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<3>())
        else {
            return false;
        };
        match FIRST.get(usize::from(*first)) {
            Some(First::Dull) => true,
            Some(First::Letter) => second.is_ascii_alphabetic() && !WORD_STARTS.have([*first, *second]),
            // Hangul, the most frequent letters beyond ASCII here.
            _ => matches!((first, second, third), (0xeb | 0xec, 0x80..=0xbf, 0x80..=0xbf)),
        }
    }

    /// Tells whether a rough byte leaves its line as it is and begins no question.
    #[inline]
    pub(super) fn is_smooth(&self, at: usize) -> bool {
        let next = self.bytes.get(at + 1);
        match self.bytes.get(at) {
            Some(b'[') => !self.may_ask(at),
            Some(b'\r') => next == Some(&b'\n'),
            Some(&escape::C1_LEAD) => next.is_some_and(|second| !escape::is_c1(*second)),
            Some(0x08) | None => false,
            Some(_) => true,
        }
    }

    /// Returns the index up to which a line's head can't matter.
    #[inline]
    pub(super) fn dull_head(&self, line: usize) -> Option<usize> {
        let mut at = line;
        loop {
            let byte = *self.bytes.get(at)?;
            match FIRST.get(usize::from(byte))? {
                First::Dull => return Some(at),
                First::Skipped => at += 1,
                First::Letter => return (!self.may_be_thin(at)).then_some(at),
                First::Beyond => match self.decoration(at)? {
                    0 => return Some(at),
                    length => at += length,
                },
                First::Other => match byte {
                    escape::ESC => at = self.behind_harmless(at)?,
                    b'\r' if self.bytes.get(at + 1) == Some(&b'\n') => return Some(at),
                    b'[' => return (!self.may_be_tag(at + 1)).then_some(at),
                    b'=' => return self.unless(Interest::Messages, at, |next| next == b'='),
                    b'`' | b'~' => return self.unless(Interest::Fences, at, |next| next == byte),
                    _ => return None,
                },
            }
        }
    }

    /// Tells whether a line from its first letter on may be a thin line.
    fn may_be_thin(&self, at: usize) -> bool {
        self.may_be_one_of(at, &WORDS, &WORD_STARTS)
    }

    /// Tells whether a line from behind its bracket on may be a tag.
    fn may_be_tag(&self, at: usize) -> bool {
        self.may_be_one_of(at, &NAMES, &NAME_STARTS)
    }

    #[inline]
    fn may_be_one_of(&self, at: usize, words: &[&[u8]], starts: &Starts) -> bool {
        // Two letters tell nearly every other line.
        let is_like = self.two_letters(at).is_none_or(|letters| starts.have(letters));
        is_like && self.interest == Interest::Messages && words.iter().any(|word| self.may_be(at, word))
    }

    /// Returns the two letters at `at`, if two letters stand there.
    #[inline]
    fn two_letters(&self, at: usize) -> Option<[u8; 2]> {
        let letters = *self.bytes.get(at..)?.first_chunk::<2>()?;
        letters.iter().all(u8::is_ascii_alphabetic).then_some(letters)
    }

    /// Returns the index behind a sequence that leaves the head of its line alone.
    #[inline]
    fn behind_harmless(&self, at: usize) -> Option<usize> {
        match self.sequence(at)? {
            // There is nothing yet behind a line's head that could be erased.
            (behind, Act::Nothing | Act::Repaint | Act::Edit(Edit::EraseToEnd)) => Some(behind),
            (_, Act::Edit(_)) => None,
        }
    }

    /// Returns `at` unless the byte behind it is one that matters, or can't be known.
    fn unless(&self, interest: Interest, at: usize, matters: impl Fn(u8) -> bool) -> Option<usize> {
        let next = *self.bytes.get(at + 1)?;
        // Fences matter always, messages only outside of them.
        let is_asked = interest == Interest::Fences || self.interest == interest;
        let may_matter = matters(next) || self.is_obscure(next);
        (!(is_asked && may_matter)).then_some(at)
    }

    /// Returns the length of the decoration or white space at `at`, 0 where there is other text.
    fn decoration(&self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?;
        match rest.first_chunk::<3>()? {
            // Hangul, the most frequent letters beyond ASCII here.
            [0xeb | 0xec, 0x80..=0xbf, 0x80..=0xbf] => return Some(0),
            // Box drawing, of which there are whole lines.
            [0xe2, 0x94 | 0x95, 0x80..=0xbf] => {
                let (signs, _) = rest.as_chunks::<3>();
                let is_box = |sign: &&[u8; 3]| matches!(sign, [0xe2, 0x94 | 0x95, 0x80..=0xbf]);
                return Some(3 * signs.iter().take_while(is_box).count());
            }
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
    fn may_be(&self, at: usize, word: &[u8]) -> bool {
        let mut at = at;
        let mut allows_space = true;
        let mut letters = word.iter();
        let mut wanted = letters.next();
        while let Some(letter) = wanted {
            let Some(byte) = self.bytes.get(at) else { return true };
            let is_letter = match letter {
                b'?' => matches!(byte, b'_' | b'-' | b' '),
                b'#' => matches!(byte, b'T' | b'P' | b'0'..=b'9'),
                letter => byte.eq_ignore_ascii_case(letter),
            };
            if is_letter {
                allows_space = *letter == b':';
                wanted = letters.next();
                at += 1;
            } else if *byte == escape::ESC {
                match behind_colour(self.bytes, at) {
                    Some(behind) => at = behind,
                    None => return true,
                }
            } else if allows_space && matches!(byte, b' ' | b'\t') {
                at += 1;
            } else {
                // White space beyond ASCII begins with one of the last three.
                return self.is_obscure(*byte) || matches!(byte, 0xe1..=0xe3);
            }
        }
        true
    }

    #[inline]
    fn may_ask(&self, bracket: usize) -> bool {
        // Most brackets are followed by some other letter.
        match self.bytes.get(bracket + 1) {
            Some(b'N' | b'n') | None => {}
            Some(0x21..=0x7e) => return false,
            Some(_) => {}
        }
        self.interest == Interest::Messages && self.may_be(bracket + 1, b"NEED_HUMAN")
    }

    /// Returns the index behind a sequence, and what it does; `None` where the line does not end here.
    pub(super) fn sequence(&self, at: usize) -> Option<(usize, Act)> {
        let rest = self.bytes.get(at..)?;
        if let Some(control) = short_control(rest) {
            return Some((at + control.0, control.1));
        }
        // A sequence is given up at its longest, so the end of the line matters only so far.
        let window = rest.get(..rest.len().min(escape::SEQUENCE_BYTES_MAX + 1))?;
        let line_end = memchr::memchr(b'\n', window);
        match (escape::read(window.get(..line_end.unwrap_or(window.len()))?), line_end) {
            (Sequence::Whole { length, act }, _) => Some((at + length, act)),
            (Sequence::Unfinished, Some(line_end)) => Some((at + line_end, Act::Nothing)),
            (Sequence::Unfinished, None) => None,
        }
    }

    /// Tells whether a byte hides what comes next: a control, what may begin one, the end of a frame.
    fn is_obscure(&self, byte: u8) -> bool {
        match byte {
            b'\n' => self.is_overlaid,
            b'\t' => false,
            0x00..0x20 | 0x7f | escape::C1_LEAD => true,
            _ => false,
        }
    }
}

/// Which two letters some words begin with: a bit for each second letter, by the first.
struct Starts([u32; 32]);

const WORD_STARTS: Starts = Starts::of(&WORDS);
const NAME_STARTS: Starts = Starts::of(&NAMES);

impl Starts {
    const fn of(words: &[&[u8]]) -> Self {
        let mut table = [0; 32];
        let mut index = 0;
        while index < words.len() {
            let word = words[index];
            table[(word[0] & 31) as usize] |= 1 << (word[1] & 31);
            index += 1;
        }
        Self(table)
    }

    /// Tells whether a word begins with two letters, in any case.
    #[inline]
    fn have(&self, [first, second]: [u8; 2]) -> bool {
        self.0.get(usize::from(first & 31)).is_some_and(|letters| letters >> (second & 31) & 1 == 1)
    }
}

/// Reads a control sequence that ends within a few bytes, as nearly all do, and returns its length and what it does.
#[inline]
fn short_control(bytes: &[u8]) -> Option<(usize, Act)> {
    const PARAMETERS_MAX: usize = 32;
    let rest = bytes.strip_prefix(&[escape::ESC, b'['])?;
    let end = rest.iter().take(PARAMETERS_MAX).position(|byte| !(b' '..=b'?').contains(byte))?;
    let last = *rest.get(end)?;
    let is_last = (0x40..=0x7e).contains(&last);
    is_last.then(|| (end + 3, escape::csi_act(rest.get(..end).unwrap_or_default(), last)))
}

/// Returns the index behind the colour that begins at `at`; `None` where another sequence does, or it does not end.
#[inline]
fn behind_colour(bytes: &[u8], at: usize) -> Option<usize> {
    // No colour has more; the bound keeps a long row of digits from being looked at again and again.
    const PARAMETERS_MAX: usize = 256;
    let rest = bytes.get(at..)?.strip_prefix(&[escape::ESC, b'['])?;
    let length = rest.iter().take(PARAMETERS_MAX).position(|byte| !(b'0'..=b';').contains(byte))?;
    (rest.get(length) == Some(&b'm')).then_some(at + 2 + length + 1)
}
