//! The order in which inputs that wait together are decided.

use std::collections::BTreeMap;

use domain::{AgentMessage, AgentOutput, RunInput, SessionId};

/// An entry of a queue that may be an input.
pub trait QueueEntry {
    fn input(&self) -> Option<&RunInput>;
    fn input_mut(&mut self) -> Option<&mut RunInput>;
}

/// Moves urgent messages forward within each sequence of adjacent messages; other entries keep their positions.
///
/// Limits the read position of each message to the first message of its session that is decided later: after a crash,
/// reading then starts before every message that was not recorded.
pub fn sort_by_urgency<T: QueueEntry>(queue: &mut [T]) {
    let urgency = |entry: &T| entry.input().and_then(urgency);
    for messages in queue.chunk_by_mut(|left, right| urgency(left).is_some() && urgency(right).is_some()) {
        messages.sort_by_key(urgency);
        limit_read_positions(messages);
    }
}

impl QueueEntry for RunInput {
    fn input(&self) -> Option<&RunInput> {
        Some(self)
    }

    fn input_mut(&mut self) -> Option<&mut RunInput> {
        Some(self)
    }
}

fn limit_read_positions<T: QueueEntry>(messages: &mut [T]) {
    let mut first_undecided: BTreeMap<SessionId, u64> = BTreeMap::new();
    for input in messages.iter_mut().rev().filter_map(QueueEntry::input_mut) {
        if let RunInput::Agent { session, output: AgentOutput::Message { offset, read_from, .. } } = input {
            let first = first_undecided.entry(*session).or_insert(u64::MAX);
            *read_from = (*read_from).min(*first);
            *first = (*first).min(offset.start);
        }
    }
}

/// Returns the rank of a message: the smallest is decided first, messages of equal rank in output order. `None` for
/// other inputs.
fn urgency(input: &RunInput) -> Option<u8> {
    let RunInput::Agent { output: AgentOutput::Message { message, .. }, .. } = input else { return None };
    Some(match **message {
        AgentMessage::Error(_) => 0,
        AgentMessage::PhaseComplete(_) => 1,
        AgentMessage::DependencyRequest(_) => 2,
        AgentMessage::AskUser(_) | AgentMessage::UserQuestion(_) | AgentMessage::NeedHuman(_) => 3,
        AgentMessage::Invoke(_)
        | AgentMessage::DeliverResult(_)
        | AgentMessage::StepComplete(_)
        | AgentMessage::Progress(_)
        | AgentMessage::Direct(_)
        | AgentMessage::ResolveNext(_)
        | AgentMessage::Ready(_)
        | AgentMessage::PhaseDone(_)
        | AgentMessage::AllDone
        | AgentMessage::Task(_)
        | AgentMessage::Done(_)
        | AgentMessage::Fail(_)
        | AgentMessage::ResolveError(_)
        | AgentMessage::Custom(_) => 4,
    })
}
