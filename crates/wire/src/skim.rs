//! Skips the lines that can't matter, without making text of them.
//!
//! Nine lines of ten neither begin like a message nor are edited by what follows; a look at their head and at their
//! controls is enough. In doubt a line is not skipped: reading it whole gives the same, only slower.

use wide::u8x16;

use crate::{
    assemble::{Assembler, Wants},
    blocks::{BLOCK_BYTES, Block, Blocks},
    decoration,
    escape::{self, Act, Edit, Sequence},
    lanes::Lanes,
};

/// Returns how many bytes of whole lines can be skipped; marks whether one of them repaints the screen.
pub(crate) fn skip(bytes: &[u8], assembler: &mut Assembler, repaints: &mut bool) -> usize {
    let mut skipped = 0;
    while assembler.wants() == Wants::MessagesInFence {
        // One line alone: if it is text, the fence holds nothing that counts.
        let rest = bytes.get(skipped..).unwrap_or_default();
        let Some(length) = memchr::memchr(b'\n', rest).map(|end| end + 1) else { return skipped };
        let line = rest.get(..length).unwrap_or_default();
        if (Skimmer { bytes: line, interest: Interest::Messages, is_overlaid: false, repaints }).run()
            < length
        {
            return skipped;
        }
        if !line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
            assembler.spoil_fence();
        }
        skipped += length;
    }
    let interest = match assembler.wants() {
        Wants::Messages => Interest::Messages,
        Wants::EndOfFence => Interest::Fences,
        Wants::Everything | Wants::MessagesInFence => return skipped,
    };
    let rest = bytes.get(skipped..).unwrap_or_default();
    skipped + Skimmer { bytes: rest, interest, is_overlaid: false, repaints }.run()
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

/// Where reading stands.
#[derive(Clone, Copy)]
struct Position {
    /// The line that is not known to be dull yet.
    line: usize,
    /// The first of its bytes that was not looked at.
    at: usize,
}

impl Position {
    fn line(line: usize) -> Self {
        Self { line, at: line }
    }
}

/// A byte that needs a closer look.
enum Doubt {
    /// A line may begin like a message.
    Head,
    /// A control or a bracket may change the line.
    Rough(usize),
    /// A sequence that ends or goes on here is no colour.
    Sequence(usize),
}

impl Skimmer<'_, '_> {
    /// Returns the index behind the last line that can't matter.
    fn run(self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(
                unsafe_code,
                reason = "a function for AVX2 may be called only where the processor has it"
            )]
            // SAFETY: the processor has it.
            return unsafe { run_with_avx2(self) };
        }
        self.run_with::<u8x16>()
    }

    #[inline(always)]
    fn run_with<L: Lanes>(mut self) -> usize {
        let mut position = Position::line(0);
        while let Some(doubt) = self.first_doubt::<L>(&mut position) {
            match self.settle(position.line, &doubt) {
                Some(next) => position = next,
                None => break,
            }
        }
        position.line
    }

    /// Goes on to the first doubt, and with it to the line that the doubt is about.
    #[inline(always)]
    fn first_doubt<L: Lanes>(&self, position: &mut Position) -> Option<Doubt> {
        let rest = self.bytes.get(position.at..)?;
        let mut base = position.at;
        for block in Blocks::<L>::of(rest, position.at == position.line) {
            let doubt = self.doubt_in(base, block);
            let (before, found) = match doubt {
                Some((place, doubt)) => (block.newlines & !(u64::MAX << place), Some(doubt)),
                None => (block.newlines, None),
            };
            if before != 0 {
                position.line = base + BLOCK_BYTES - before.leading_zeros() as usize;
            }
            if found.is_some() {
                return found;
            }
            base += BLOCK_BYTES;
        }
        None
    }

    /// Returns the first doubt in a block, and its place there.
    #[inline(always)]
    fn doubt_in(&self, base: usize, block: Block) -> Option<(u32, Doubt)> {
        let mut found = (block.doubts.trailing_zeros(), None);
        let mut heads = block.heads;
        while heads != 0 {
            let place = heads.trailing_zeros();
            let at = base + place as usize;
            if !self.is_plain(at) && self.dull_head(at).is_none() {
                // A line that begins with a return may be a spinner's.
                let is_return = self.bytes.get(at) == Some(&b'\r');
                if place < found.0 {
                    found = (place, Some(if is_return { Doubt::Rough(at) } else { Doubt::Head }));
                }
                break;
            }
            heads &= heads - 1;
        }
        let mut rough = block.rough;
        while rough != 0 {
            let place = rough.trailing_zeros();
            let at = base + place as usize;
            if !self.is_smooth(at) {
                if place < found.0 {
                    found = (place, Some(Doubt::Rough(at)));
                }
                break;
            }
            rough &= rough - 1;
        }
        match found {
            (place, Some(doubt)) => Some((place, doubt)),
            (place, None) if block.doubts != 0 => Some((place, Doubt::Sequence(base + place as usize))),
            _ => None,
        }
    }

    /// Looks closer, and returns where to go on; `None` where the line may matter.
    fn settle(&mut self, line: usize, doubt: &Doubt) -> Option<Position> {
        match *doubt {
            Doubt::Head => None,
            Doubt::Rough(at) if self.bytes.get(at) == Some(&b'\r') => {
                self.dull_edited(line).map(Position::line)
            }
            Doubt::Rough(_) => None,
            Doubt::Sequence(at) => {
                // The sequence began before it showed what it is.
                let escape = line + memchr::memrchr(escape::ESC, self.bytes.get(line..at)?)?;
                let (behind, act) = self.sequence(escape)?;
                match act {
                    // So far the line was written from left to right: there is nothing to erase.
                    Act::Nothing | Act::Edit(Edit::EraseToEnd) => {}
                    Act::Repaint => *self.repaints = true,
                    Act::Edit(_) => return self.dull_edited(line).map(Position::line),
                }
                self.dull_head(line)?;
                Some(Position { line, at: behind })
            }
        }
    }

    /// Tells whether a line whose head begins at `at` is text at first sight.
    #[inline]
    fn is_plain(&self, at: usize) -> bool {
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
    fn is_smooth(&self, at: usize) -> bool {
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

    /// Returns the next byte that is not plain text.
    fn rough(&self, from: usize) -> Option<usize> {
        let is_rough =
            |byte: &u8| (*byte < 0x20 && *byte != b'\t') || *byte == b'[' || *byte == escape::C1_LEAD;
        self.bytes.get(from..)?.iter().position(is_rough).map(|found| from + found)
    }

    /// Returns the index behind a line that is edited, if what is left of it can't matter.
    ///
    /// Understands what spinners do: each frame begins with a return or by erasing the line. The last frame is what
    /// is seen; what it does not cover is behind its head. Everything else is for the editor.
    fn dull_edited(&mut self, line: usize) -> Option<usize> {
        let mut frame = line;
        let mut at = line;
        let mut has_bracket = false;
        let behind = loop {
            let landmark = self.rough(at)?;
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
    fn sequence(&self, at: usize) -> Option<(usize, Act)> {
        let rest = self.bytes.get(at..)?;
        if let Some(control) = short_control(rest) {
            return Some((at + control.0, control.1));
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_with_avx2(skimmer: Skimmer<'_, '_>) -> usize {
    skimmer.run_with::<crate::lanes::Avx2>()
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
