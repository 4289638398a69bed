//! Finished items, and the code fence that may hold them back.

use super::{BODY_BYTES_MAX, open_message::FinishedMessage};
use crate::{
    fence::Fence,
    item::{DecodedItem, DecodedMessage, InvalidMessage, NearMiss, Span},
};

/// Items to be returned by the decoder.
#[derive(Debug, Default)]
pub(super) struct ItemOutput {
    items: Vec<DecodedItem>,
    fence: Option<OpenFence>,
    /// The end offset of the last item.
    last_end: u64,
}

/// A code fence outside a message. Its messages count only if it contains nothing else.
#[derive(Debug)]
struct OpenFence {
    fence: Fence,
    begin: u64,
    /// The messages so far; `None` after any other line.
    pending: Option<Vec<DecodedItem>>,
    pending_bytes: usize,
}

/// The position of the current line relative to a code fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FencePosition {
    Outside,
    /// Inside a fence that contains only messages so far.
    Inside,
    /// Inside a fence that contains other text: an example or a file.
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

    pub(super) fn fence_begin(&self) -> Option<u64> {
        self.fence.as_ref().map(|open| open.begin)
    }

    pub(super) fn open_fence(&mut self, fence: Fence, begin: u64) {
        self.fence = Some(OpenFence { fence, begin, pending: Some(Vec::new()), pending_bytes: 0 });
    }

    pub(super) fn closes_fence(&self, fence: Fence) -> bool {
        self.fence.as_ref().is_some_and(|open| fence.closes(&open.fence))
    }

    pub(super) fn close_fence(&mut self) {
        if let Some(OpenFence { pending: Some(pending), .. }) = self.fence.take() {
            self.items.extend(pending);
        }
    }

    /// Discards the messages of the fence: it contains other text.
    pub(super) fn mark_fence_as_quotation(&mut self) {
        if let Some(fence) = &mut self.fence {
            fence.pending = None;
        }
    }

    pub(super) fn push_near_miss(&mut self, message_name: &'static str, span: Span) {
        if self.fence.is_some() {
            self.mark_fence_as_quotation();
        } else {
            let span = self.clamp_span_after_last(span);
            self.items.push(DecodedItem::NearMiss(NearMiss { message_name, span }));
        }
    }

    pub(super) fn push_finished_message(
        &mut self,
        FinishedMessage { message_name, result, span }: FinishedMessage,
    ) {
        let span = self.clamp_span_after_last(span);
        let item = match result {
            Ok(message) => DecodedItem::Message(DecodedMessage { message, span }),
            Err(error) => DecodedItem::Invalid(InvalidMessage { message_name, error, span }),
        };
        match &mut self.fence {
            None => self.items.push(item),
            Some(OpenFence { pending: None, .. }) => {}
            Some(OpenFence { pending: pending @ Some(_), pending_bytes, .. }) => {
                *pending_bytes += estimate_item_bytes(&item);
                if *pending_bytes > BODY_BYTES_MAX {
                    // The pending items are bounded; the overflow is reported as one invalid message.
                    let error = "is in a code fence with more than 1 MiB of messages".to_owned();
                    let first = pending.take().and_then(|pending| pending.into_iter().next()).unwrap_or(item);
                    let span = first.span().clone();
                    self.items.push(DecodedItem::Invalid(InvalidMessage { message_name, error, span }));
                } else if let Some(pending) = pending {
                    pending.push(item);
                }
            }
        }
    }

    /// Keeps spans ordered and disjoint if a line was not drawn from left to right.
    fn clamp_span_after_last(&mut self, span: Span) -> Span {
        let start = span.start.max(self.last_end);
        // At least one byte, so that no two spans start at the same offset.
        let end = if span.end < span.start { start + 1 } else { span.end.max(start) };
        self.last_end = end;
        Span { start, end, ..span }
    }
}

/// Estimates the memory of an item.
fn estimate_item_bytes(item: &DecodedItem) -> usize {
    // The payload repeats the span text, and a body can be longer than the span text, which is truncated.
    let span = item.span();
    256 + span.raw.len() + usize::try_from(span.end.saturating_sub(span.start)).unwrap_or(usize::MAX / 2)
}
