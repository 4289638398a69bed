//! What has been heard, and the code fence that may hold it back.

use super::{BODY_BYTES_MAX, open::Finished};
use crate::{
    fence::Fence,
    item::{Invalid, Item, Message, Near, Span},
};

/// Items on their way out.
#[derive(Debug, Default)]
pub(super) struct Output {
    items: Vec<Item>,
    fence: Option<OpenFence>,
    /// Where the last item ends.
    last_end: u64,
}

/// A code fence outside of a message. What stands in it counts only if it holds nothing but messages.
#[derive(Debug)]
struct OpenFence {
    fence: Fence,
    begin: u64,
    /// The messages so far; `None` once something else stood in it.
    held: Option<Vec<Item>>,
    held_bytes: usize,
}

/// Where output stands in relation to a code fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fenced {
    Outside,
    /// Inside of one that may turn out to hold messages only.
    Inside,
    /// Inside of one that holds something else: an example or a file.
    InQuotation,
}

impl Output {
    pub(super) fn take_items(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.items)
    }

    pub(super) fn fenced(&self) -> Fenced {
        match &self.fence {
            None => Fenced::Outside,
            Some(OpenFence { held: Some(_), .. }) => Fenced::Inside,
            Some(OpenFence { held: None, .. }) => Fenced::InQuotation,
        }
    }

    /// Returns the offset of the line that opened the fence.
    pub(super) fn fence_begin(&self) -> Option<u64> {
        self.fence.as_ref().map(|open| open.begin)
    }

    pub(super) fn open_fence(&mut self, fence: Fence, begin: u64) {
        self.fence = Some(OpenFence { fence, begin, held: Some(Vec::new()), held_bytes: 0 });
    }

    /// Tells whether a fence line closes the fence that is open.
    pub(super) fn closes_fence(&self, fence: Fence) -> bool {
        self.fence.as_ref().is_some_and(|open| fence.closes(&open.fence))
    }

    pub(super) fn close_fence(&mut self) {
        if let Some(OpenFence { held: Some(held), .. }) = self.fence.take() {
            self.items.extend(held);
        }
    }

    /// Something that is no message stands in the fence.
    pub(super) fn spoil_fence(&mut self) {
        if let Some(fence) = &mut self.fence {
            fence.held = None;
        }
    }

    pub(super) fn near(&mut self, near: &'static str, span: Span) {
        if self.fence.is_some() {
            self.spoil_fence();
        } else {
            let span = self.place(span);
            self.items.push(Item::Near(Near { near, span }));
        }
    }

    pub(super) fn finished(&mut self, Finished { protocol, said, span }: Finished) {
        let span = self.place(span);
        let item = match said {
            Ok(said) => Item::Message(Message { said, span }),
            Err(error) => Item::Invalid(Invalid { protocol, error, span }),
        };
        match &mut self.fence {
            None => self.items.push(item),
            Some(OpenFence { held: None, .. }) => {}
            Some(OpenFence { held: held @ Some(_), held_bytes, .. }) => {
                *held_bytes += item_bytes(&item);
                if *held_bytes > BODY_BYTES_MAX {
                    // What is held has a bound; what is refused is said.
                    let error = "stands in a code fence with more than 1 MiB of messages".to_owned();
                    let first = held.take().and_then(|held| held.into_iter().next()).unwrap_or(item);
                    let span = first.span().clone();
                    self.items.push(Item::Invalid(Invalid { protocol, error, span }));
                } else if let Some(held) = held {
                    held.push(item);
                }
            }
        }
    }

    /// Keeps ranges in order and apart where a line was not drawn from left to right.
    fn place(&mut self, span: Span) -> Span {
        let start = span.start.max(self.last_end);
        // One byte at least, so that no two begin at the same place.
        let end = if span.end < span.start { start + 1 } else { span.end.max(start) };
        self.last_end = end;
        Span { start, end, ..span }
    }
}

/// Returns about how much memory an item takes.
fn item_bytes(item: &Item) -> usize {
    // The payload repeats what the raw text shows, and a body can be longer than the raw text that is kept.
    let span = item.span();
    256 + span.raw.len() + usize::try_from(span.end.saturating_sub(span.start)).unwrap_or(usize::MAX / 2)
}
