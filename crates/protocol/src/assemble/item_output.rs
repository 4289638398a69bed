//! LineKind has been heard, and the code fence that may hold it back.

use super::{BODY_BYTES_MAX, open_message::FinishedMessage};
use crate::{
    fence::Fence,
    item::{DecodedItem, DecodedMessage, InvalidMessage, NearMiss, Span},
};

/// Items on their way out.
#[derive(Debug, Default)]
pub(super) struct ItemOutput {
    items: Vec<DecodedItem>,
    fence: Option<OpenFence>,
    /// Where the last item ends.
    last_end: u64,
}

/// A code fence outside of a message. LineKind stands in it counts only if it holds nothing but messages.
#[derive(Debug)]
struct OpenFence {
    fence: Fence,
    begin: u64,
    /// The messages so far; `None` once something else stood in it.
    pending: Option<Vec<DecodedItem>>,
    pending_bytes: usize,
}

/// Where output stands in relation to a code fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FencePosition {
    Outside,
    /// Inside of one that may turn out to hold messages only.
    Inside,
    /// Inside of one that holds something else: an example or a file.
    InQuotation,
}

impl ItemOutput {
    pub(super) fn take_items(&mut self) -> Vec<DecodedItem> {
        std::mem::take(&mut self.items)
    }

    pub(super) fn fence_position(&self) -> FencePosition {
        match &self.fence {
            None => FencePosition::Outside,
            Some(OpenFence { pending: Some(_), .. }) => FencePosition::Inside,
            Some(OpenFence { pending: None, .. }) => FencePosition::InQuotation,
        }
    }

    /// Returns the offset of the line that opened the fence.
    pub(super) fn fence_begin(&self) -> Option<u64> {
        self.fence.as_ref().map(|open| open.begin)
    }

    pub(super) fn open_fence(&mut self, fence: Fence, begin: u64) {
        self.fence = Some(OpenFence { fence, begin, pending: Some(Vec::new()), pending_bytes: 0 });
    }

    /// Tells whether a fence line closes the fence that is open.
    pub(super) fn closes_fence(&self, fence: Fence) -> bool {
        self.fence.as_ref().is_some_and(|open| fence.closes(&open.fence))
    }

    pub(super) fn close_fence(&mut self) {
        if let Some(OpenFence { pending: Some(pending), .. }) = self.fence.take() {
            self.items.extend(pending);
        }
    }

    /// Something that is no message stands in the fence.
    pub(super) fn mark_fence_as_quotation(&mut self) {
        if let Some(fence) = &mut self.fence {
            fence.pending = None;
        }
    }

    pub(super) fn near(&mut self, message_name: &'static str, span: Span) {
        if self.fence.is_some() {
            self.mark_fence_as_quotation();
        } else {
            let span = self.order_span(span);
            self.items.push(DecodedItem::NearMiss(NearMiss { message_name, span }));
        }
    }

    pub(super) fn finished(&mut self, FinishedMessage { message_name, result, span }: FinishedMessage) {
        let span = self.order_span(span);
        let item = match result {
            Ok(message) => DecodedItem::Message(DecodedMessage { message, span }),
            Err(error) => DecodedItem::Invalid(InvalidMessage { message_name, error, span }),
        };
        match &mut self.fence {
            None => self.items.push(item),
            Some(OpenFence { pending: None, .. }) => {}
            Some(OpenFence { pending: pending @ Some(_), pending_bytes, .. }) => {
                *pending_bytes += item_bytes(&item);
                if *pending_bytes > BODY_BYTES_MAX {
                    // LineKind is pending has a bound; what is refused is result.
                    let error = "stands in a code fence with more than 1 MiB of messages".to_owned();
                    let first = pending.take().and_then(|pending| pending.into_iter().next()).unwrap_or(item);
                    let span = first.span().clone();
                    self.items.push(DecodedItem::Invalid(InvalidMessage { message_name, error, span }));
                } else if let Some(pending) = pending {
                    pending.push(item);
                }
            }
        }
    }

    /// Keeps ranges in order and apart where a line was not drawn from left to right.
    fn order_span(&mut self, span: Span) -> Span {
        let start = span.start.max(self.last_end);
        // One byte at least, so that no two begin at the same place.
        let end = if span.end < span.start { start + 1 } else { span.end.max(start) };
        self.last_end = end;
        Span { start, end, ..span }
    }
}

/// Returns about how much memory an item takes.
fn item_bytes(item: &DecodedItem) -> usize {
    // The payload repeats what the raw text shows, and a body can be longer than the raw text that is kept.
    let span = item.span();
    256 + span.raw.len() + usize::try_from(span.end.saturating_sub(span.start)).unwrap_or(usize::MAX / 2)
}
