//! Applies events about calls, results and direct messages.

use domain::{SessionInput, events};

use crate::{
    run::Run,
    state::{
        DirectMessage, DirectMessageChannel, Invocation, InvocationState, ResultState, SubmittedResult,
        WorkItem,
    },
};

impl Run {
    pub(super) fn apply_invocation_made(&mut self, event: &events::InvocationMade) {
        let events::InvocationMade { invocation, caller, callee, task: instruction, context } = event;
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

    pub(super) fn apply_invocation_started(&mut self, event: &events::InvocationStarted) {
        let events::InvocationStarted { invocation, session } = event;
        self.pending_calls.retain(|pending| pending != invocation);
        if let Some(call) = self.invocations.get_mut(invocation.0) {
            call.state = InvocationState::InProgress(*session);
        }
        if let Some(session) = self.session_mut(*session) {
            session.current_item = Some(WorkItem::Call(*invocation));
        }
    }

    pub(super) fn apply_invocation_ended(&mut self, event: &events::InvocationEnded) {
        let events::InvocationEnded { invocation, outcome } = event;
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

    pub(super) fn apply_result_submitted(&mut self, event: &events::ResultSubmitted) {
        let events::ResultSubmitted { result, from, to, result_type, content } = event;
        self.results.push(SubmittedResult {
            from: self.session(*from).agent.clone(),
            to: Some(to.clone()),
            result_type: *result_type,
            content: content.clone(),
            state: ResultState::Pending,
        });
        self.pending_results.insert(*result);
        if let Some(task) = self.task_of_worker(*from).and_then(|task| self.task_mut(task)) {
            task.history.add_result(to.as_str(), content);
        }
        self.record_result(*from);
    }

    pub(super) fn apply_result_delivered(&mut self, event: &events::ResultDelivered) {
        let events::ResultDelivered { result, .. } = event;
        self.pending_results.remove(result);
        if let Some(submitted) = self.results.get_mut(result.0) {
            submitted.state = ResultState::Delivered;
        }
    }

    pub(super) fn apply_channel_created(&mut self, event: &events::ChannelCreated) {
        let events::ChannelCreated { channel, session_a, session_b } = event;
        self.open_channels.insert(*channel);
        self.channels.push(DirectMessageChannel { ends: Some((*session_a, *session_b)), is_open: true });
    }

    pub(super) fn apply_channel_closed(&mut self, event: &events::ChannelClosed) {
        let events::ChannelClosed { channel } = event;
        self.open_channels.remove(channel);
        if let Some(channel) = self.channels.get_mut(channel.0) {
            channel.is_open = false;
        }
    }

    pub(super) fn apply_direct_message_sent(&mut self, event: &events::DirectMessageSent) {
        let events::DirectMessageSent { message, channel, from, to, direct_type, content } = event;
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

    pub(super) fn apply_direct_message_received(&mut self, event: &events::DirectMessageReceived) {
        let events::DirectMessageReceived { message } = event;
        let to = self.messages.get(message.0).to;
        if let Some(session) = self.session_mut(to) {
            session.direct_messages.retain(|waiting| waiting != message);
        }
    }
}
