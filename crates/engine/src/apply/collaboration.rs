//! Applies events about calls, results and direct messages.

use domain::{Event, SessionInput, events};

use crate::{
    run::Run,
    state::{
        DirectMessage, DirectMessageChannel, Invocation, InvocationState, ResultState, SubmittedResult,
        WorkItem,
    },
};

impl Run {
    pub(super) fn apply_collaboration_event(&mut self, event: &Event) {
        match event {
            Event::InvocationMade(events::InvocationMade {
                invocation,
                caller,
                callee,
                task: instruction,
                context,
            }) => {
                self.invocations.push(Invocation {
                    caller: Some(*caller),
                    callee: Some(callee.clone()),
                    instruction: instruction.clone(),
                    context: context.clone(),
                    state: InvocationState::Pending,
                });
                self.pending_calls.push_back(*invocation);
                self.open_calls.insert(*invocation);
            }
            Event::InvocationStarted(events::InvocationStarted { invocation, session }) => {
                self.pending_calls.retain(|pending| pending != invocation);
                if let Some(call) = self.invocations.get_mut(invocation.0) {
                    call.state = InvocationState::InProgress(*session);
                }
                if let Some(session) = self.session_mut(*session) {
                    session.current_item = Some(WorkItem::Call(*invocation));
                }
            }
            Event::InvocationEnded(events::InvocationEnded { invocation, outcome }) => {
                self.open_calls.remove(invocation);
                self.pending_calls.retain(|pending| pending != invocation);
                let Some(call) = self.invocations.get_mut(invocation.0) else { return };
                let previous = std::mem::replace(&mut call.state, InvocationState::Ended);
                let (caller, callee) = (call.caller, call.callee.clone());
                self.affected_sessions.extend(caller);
                // The callee is in its turn, or the end of its turn ended the call.
                if let InvocationState::InProgress(session) = previous
                    && let Some(callee) = self.session_mut_unmarked(session)
                {
                    callee.remove_work_item(WorkItem::Call(*invocation));
                }
                if let (Some(caller), Some(from)) = (caller, callee) {
                    let outcome = outcome.clone();
                    let input = SessionInput::InvocationEnded { invocation: *invocation, from, outcome };
                    self.queue_input_for_worker(self.session(caller).task, caller, input);
                }
            }
            Event::ResultSubmitted(events::ResultSubmitted { result, from, to, result_type, content }) => {
                self.results.push(SubmittedResult {
                    from: self.session(*from).agent.clone(),
                    to: Some(to.clone()),
                    result_type: *result_type,
                    content: content.clone(),
                    state: ResultState::Pending,
                });
                self.pending_results.insert(*result);
            }
            Event::ResultDelivered(events::ResultDelivered { result, .. }) => {
                self.pending_results.remove(result);
                if let Some(submitted) = self.results.get_mut(result.0) {
                    submitted.state = ResultState::Delivered;
                }
            }
            Event::ChannelCreated(events::ChannelCreated { channel, session_a, session_b }) => {
                self.open_channels.insert(*channel);
                self.channels
                    .push(DirectMessageChannel { ends: Some((*session_a, *session_b)), is_open: true });
            }
            Event::ChannelClosed(events::ChannelClosed { channel }) => {
                self.open_channels.remove(channel);
                if let Some(channel) = self.channels.get_mut(channel.0) {
                    channel.is_open = false;
                }
            }
            Event::DirectMessageSent(events::DirectMessageSent {
                message,
                channel,
                from,
                to,
                direct_type,
                content,
            }) => {
                self.messages.push(DirectMessage {
                    channel: *channel,
                    from: self.session(*from).agent.clone(),
                    to: *to,
                    direct_type: *direct_type,
                    content: content.clone(),
                });
                if let Some(session) = self.session_mut(*to) {
                    session.direct_messages.push_back(*message);
                }
            }
            Event::DirectMessageReceived(events::DirectMessageReceived { message }) => {
                let to = self.messages.get(message.0).to;
                if let Some(session) = self.session_mut(to) {
                    session.direct_messages.retain(|waiting| waiting != message);
                }
            }
            // The receiving session has the message: no state changes.
            Event::DirectMessageAcknowledged(_) => {}
            other => debug_assert!(false, "{} is not an event between agents", other.name()),
        }
    }
}
