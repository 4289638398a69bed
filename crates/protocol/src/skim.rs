//! Skips the lines that can't matter, without making text of them.
//!
//! Nine lines of ten neither begin like a message nor are edited by what follows; a look at their head and at their
//! controls is enough. In doubt a line is not skipped: reading it whole gives the same, only slower.

mod blocks;
mod lanes;
mod look;

use wide::u8x16;

use self::{
    blocks::{BLOCK_BYTES, Block, Blocks},
    lanes::Lanes,
    look::{Interest, Look},
};
use crate::{
    assemble::{Assembler, Wants},
    escape::{self, Act, Edit},
};

/// Returns how many bytes of whole lines can be skipped; marks whether one of them repaints the screen.
pub(crate) fn skip(bytes: &[u8], assembler: &mut Assembler, repaints: &mut bool) -> usize {
    let mut skipped = 0;
    while assembler.wants() == Wants::MessagesInFence {
        // One line alone: if it is text, the fence holds nothing that counts.
        let rest = bytes.get(skipped..).unwrap_or_default();
        let Some(length) = memchr::memchr(b'\n', rest).map(|end| end + 1) else { return skipped };
        let line = rest.get(..length).unwrap_or_default();
        if Skimmer::new(line, Interest::Messages, repaints).run() < length {
            return skipped;
        }
        if !line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
            assembler.skipped_text();
        }
        skipped += length;
    }
    let interest = match assembler.wants() {
        Wants::Messages => Interest::Messages,
        Wants::EndOfFence => Interest::Fences,
        Wants::Everything | Wants::MessagesInFence => return skipped,
    };
    let rest = bytes.get(skipped..).unwrap_or_default();
    skipped + Skimmer::new(rest, interest, repaints).run()
}

struct Skimmer<'b, 'r> {
    look: Look<'b>,
    repaints: &'r mut bool,
}

/// Where reading stands.
#[derive(Clone, Copy)]
struct Position {
    /// The line that is not known to be dull yet.
    line: usize,
    /// The first of its bytes that was not looked at.
    at: usize,
    /// Whether its head was looked at closely: once is enough.
    head_is_dull: bool,
}

impl Position {
    fn line(line: usize) -> Self {
        Self { line, at: line, head_is_dull: false }
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

impl<'b, 'r> Skimmer<'b, 'r> {
    fn new(bytes: &'b [u8], interest: Interest, repaints: &'r mut bool) -> Self {
        Self { look: Look { bytes, interest, is_overlaid: false }, repaints }
    }

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
            match self.settle(position, &doubt) {
                Some(next) => position = next,
                None => break,
            }
        }
        position.line
    }

    /// Goes on to the first doubt, and with it to the line that the doubt is about.
    #[inline(always)]
    fn first_doubt<L: Lanes>(&self, position: &mut Position) -> Option<Doubt> {
        let rest = self.look.bytes.get(position.at..)?;
        let mut base = position.at;
        for block in Blocks::<L>::of(rest, position.at == position.line) {
            let doubt = self.doubt_in(base, block);
            let (before, found) = match doubt {
                Some((place, doubt)) => (block.newlines & !(u64::MAX << place), Some(doubt)),
                None => (block.newlines, None),
            };
            if before != 0 {
                position.line = base + BLOCK_BYTES - before.leading_zeros() as usize;
                position.head_is_dull = false;
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
            if !self.look.is_plain(at) && self.look.dull_head(at).is_none() {
                // A line that begins with a return may be a spinner's.
                let is_return = self.look.bytes.get(at) == Some(&b'\r');
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
            if !self.look.is_smooth(at) {
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
    fn settle(&mut self, Position { line, head_is_dull, .. }: Position, doubt: &Doubt) -> Option<Position> {
        match *doubt {
            Doubt::Head => None,
            Doubt::Rough(at) if self.look.bytes.get(at) == Some(&b'\r') => {
                self.dull_edited(line).map(Position::line)
            }
            Doubt::Rough(_) => None,
            Doubt::Sequence(at) => {
                // The sequence began before it showed what it is.
                let escape = line + memchr::memrchr(escape::ESC, self.look.bytes.get(line..at)?)?;
                let (behind, act) = self.look.sequence(escape)?;
                match act {
                    // So far the line was written from left to right: there is nothing to erase.
                    Act::Nothing | Act::Edit(Edit::EraseToEnd) => {}
                    Act::Repaint => *self.repaints = true,
                    Act::Edit(_) => return self.dull_edited(line).map(Position::line),
                }
                if !head_is_dull {
                    self.look.dull_head(line)?;
                }
                Some(Position { line, at: behind, head_is_dull: true })
            }
        }
    }

    /// Returns the next byte that is not plain text.
    fn rough(&self, from: usize) -> Option<usize> {
        let is_rough =
            |byte: &u8| (*byte < 0x20 && *byte != b'\t') || *byte == b'[' || *byte == escape::C1_LEAD;
        self.look.bytes.get(from..)?.iter().position(is_rough).map(|found| from + found)
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
            at = match *self.look.bytes.get(landmark)? {
                b'\n' => break landmark + 1,
                b'\r' if self.look.bytes.get(landmark + 1) == Some(&b'\n') => break landmark + 2,
                b'\r' => {
                    frame = landmark + 1;
                    frame
                }
                escape::ESC => {
                    let (behind, act) = self.look.sequence(landmark)?;
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
        if has_bracket && self.look.bytes.get(line..behind)?.contains(&b'_') {
            return None;
        }
        let head = Look { is_overlaid: true, ..self.look }.dull_head(frame)?;
        // A frame without text of its own shows the one below it.
        (!matches!(self.look.bytes.get(head)?, b'\n' | b'\r')).then_some(behind)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_with_avx2(skimmer: Skimmer<'_, '_>) -> usize {
    skimmer.run_with::<lanes::Avx2>()
}
