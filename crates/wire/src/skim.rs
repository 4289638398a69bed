//! Skips the lines that can't matter, without making text of them.
//!
//! Nine lines of ten neither begin like a message nor are edited by what follows; a look at their head and at their
//! controls is enough. In doubt a line is not skipped: reading it whole gives the same, only slower.

use crate::{
    assemble::{Assembler, Wants},
    decoration,
    escape::{self, Act, Edit, Sequence},
    landmarks::{self, Landmarks},
};

/// Returns how many bytes of whole lines can be skipped; marks whether one of them repaints the screen.
pub(crate) fn skip(bytes: &[u8], assembler: &mut Assembler, repaints: &mut bool) -> usize {
    let interest = match assembler.wants() {
        Wants::Everything => return 0,
        Wants::Messages | Wants::MessagesInFence => Interest::Messages,
        Wants::EndOfFence => Interest::Fences,
    };
    let mut skimmer =
        Skimmer { bytes, landmarks: Landmarks::of(bytes), interest, is_overlaid: false, repaints };
    let mut line = 0;
    while let Some(next) = skimmer.dull_line(line) {
        if assembler.wants() == Wants::MessagesInFence && !skimmer.is_blank(line, next) {
            assembler.spoil_fence();
            skimmer.interest = Interest::Fences;
        }
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
    /// Whether older text may show behind the end of what is looked at.
    is_overlaid: bool,
    repaints: &'r mut bool,
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

impl Skimmer<'_, '_> {
    /// Tells whether a dull line shows nothing, as far as can be seen without reading it.
    fn is_blank(&self, line: usize, next: usize) -> bool {
        let bytes = self.bytes.get(line..next).unwrap_or_default();
        bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    }

    /// Returns the index behind a line that can't matter; `None` where it might, or does not end here.
    #[inline]
    fn dull_line(&mut self, line: usize) -> Option<usize> {
        if self.bytes.get(line) == Some(&b'\r') {
            return self.dull_edited(line);
        }
        let head = self.dull_head(line)?;
        self.dull_rest(line, head)
    }

    /// Returns the index up to which a line's head can't matter.
    #[inline]
    fn dull_head(&self, line: usize) -> Option<usize> {
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
    #[inline]
    fn may_be_thin(&self, at: usize) -> bool {
        // Two letters tell nearly every other line.
        let is_like = match self.two_letters(at) {
            Some(letters) => {
                matches!(&letters, b"RE" | b"PH" | b"AL" | b"TA" | b"DO" | b"FA" | b"ER" | b"CU" | b"NE")
            }
            None => true,
        };
        is_like && self.interest == Interest::Messages && WORDS.iter().any(|word| self.may_be(at, word))
    }

    /// Tells whether a line from behind its bracket on may be a tag.
    #[inline]
    fn may_be_tag(&self, at: usize) -> bool {
        let is_like = match self.two_letters(at) {
            Some(letters) => {
                matches!(&letters, b"AS" | b"IN" | b"DE" | b"ST" | b"PR" | b"DI" | b"US" | b"ER" | b"NE")
            }
            None => true,
        };
        is_like && self.interest == Interest::Messages && NAMES.iter().any(|name| self.may_be(at, name))
    }

    /// Returns the two letters at `at`, in upper case, if two letters stand there.
    #[inline]
    fn two_letters(&self, at: usize) -> Option<[u8; 2]> {
        let [first, second] = *self.bytes.get(at..)?.first_chunk::<2>()?;
        (first.is_ascii_alphabetic() && second.is_ascii_alphabetic())
            .then_some([first.to_ascii_uppercase(), second.to_ascii_uppercase()])
    }

    /// Returns the index behind a sequence that leaves the head of its line alone.
    #[inline]
    fn behind_harmless(&self, at: usize) -> Option<usize> {
        if let Some(behind) = landmarks::behind_colour(self.bytes, at) {
            return Some(behind);
        }
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
                match landmarks::behind_colour(self.bytes, at) {
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

    /// Returns the index behind the line, if nothing from `from` on edits it or begins a question.
    #[inline]
    fn dull_rest(&mut self, line: usize, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            let landmark = self.landmarks.next(at)?;
            at = match *self.bytes.get(landmark)? {
                b'\n' => return Some(landmark + 1),
                escape::ESC => match landmarks::behind_colour(self.bytes, landmark) {
                    Some(behind) => behind,
                    None => match self.sequence(landmark)? {
                        (behind, Act::Nothing) => behind,
                        (behind, Act::Repaint) => {
                            *self.repaints = true;
                            behind
                        }
                        // So far the line was written from left to right: there is nothing to erase.
                        (behind, Act::Edit(Edit::EraseToEnd)) => behind,
                        (_, Act::Edit(_)) => return self.dull_edited(line),
                    },
                },
                b'[' if self.may_ask(landmark) => return None,
                b'\r' if self.bytes.get(landmark + 1) == Some(&b'\n') => return Some(landmark + 2),
                b'\r' => return self.dull_edited(line),
                0x08 => return None,
                escape::C1_LEAD if escape::is_c1(*self.bytes.get(landmark + 1)?) => return None,
                _ => landmark + 1,
            };
        }
    }

    /// Returns the index behind a line that is edited, if what is left of it can't matter.
    ///
    /// Understands what spinners do: each frame begins with a return or by erasing the line. The last frame is what
    /// is seen; what it does not cover is behind its head. Everything else is for the editor.
    fn dull_edited(&mut self, line: usize) -> Option<usize> {
        let mut frame = line;
        let mut at = line;
        let mut has_bracket = false;
        let mut landmarks = Landmarks::of(self.bytes.get(line..)?);
        let behind = loop {
            let landmark = line + landmarks.next(at - line)?;
            at = match *self.bytes.get(landmark)? {
                b'\n' => break landmark + 1,
                b'\r' if self.bytes.get(landmark + 1) == Some(&b'\n') => break landmark + 2,
                b'\r' => {
                    frame = landmark + 1;
                    frame
                }
                escape::ESC => {
                    let (behind, act) = self.sequence(landmark)?;
                    match act {
                        Act::Nothing | Act::Edit(Edit::EraseToEnd) => {}
                        Act::Repaint => *self.repaints = true,
                        Act::Edit(Edit::EraseAll | Edit::ToColumn(0)) => frame = behind,
                        Act::Edit(_) => return None,
                    }
                    behind
                }
                b'[' => {
                    has_bracket = true;
                    landmark + 1
                }
                0x08 | escape::C1_LEAD => return None,
                _ => landmark + 1,
            };
        };
        // A question could be put together from pieces of several frames.
        if has_bracket && self.bytes.get(line..behind)?.contains(&b'_') {
            return None;
        }
        self.is_overlaid = true;
        let head = self.dull_head(frame);
        self.is_overlaid = false;
        let head = head?;
        // A frame without text of its own shows the one below it.
        (!matches!(self.bytes.get(head)?, b'\n' | b'\r')).then_some(behind)
    }

    fn may_ask(&self, bracket: usize) -> bool {
        self.interest == Interest::Messages && self.may_be(bracket + 1, b"NEED_HUMAN")
    }

    /// Returns the index behind a sequence, and what it does; `None` where the line does not end here.
    fn sequence(&self, at: usize) -> Option<(usize, Act)> {
        let rest = self.bytes.get(at..)?;
        // Most sequences are short: the end of the line is looked for only where it matters.
        let near = rest.get(..rest.len().min(32))?;
        if !near.contains(&b'\n')
            && let Sequence::Whole { length, act } = escape::read(near)
        {
            return Some((at + length, act));
        }
        let line_end = memchr::memchr(b'\n', rest)?;
        match escape::read(rest.get(..line_end)?) {
            Sequence::Whole { length, act } => Some((at + length, act)),
            Sequence::Unfinished => Some((at + line_end, Act::Nothing)),
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
