//! Calls, results and direct messages between agents.

use domain::{
    AgentInvocationOutcome, AgentName, BlockReason, ChannelId, DeliverResult, DirectMessage, DirectMessageId,
    DirectType, InvocationId, InvokeMessage, QuestionRoute, ResultId, Role, SessionId, SessionInput, events,
};
use test_reports::parse_feedback;

use super::DecisionContext;
use crate::state::{InvocationState, Session, WorkItem};

/// Maximum number of calls that wait for a callee.
const PENDING_CALLS_MAX: usize = 256;
/// Maximum depth of nested calls.
const DEPTH_MAX: u32 = 16;

enum CalleeAvailability {
    Idle(SessionId),
    Busy,
    NoSession,
}

impl DecisionContext<'_> {
    pub(super) fn unknown_agent_rejection(&self, name: &AgentName) -> Option<String> {
        let known =
            || self.run.team.agent_names().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let is_unknown = self.run.team.agent_index(name).is_none();
        is_unknown.then(|| format!("there is no agent '{name}' in the team; there are {}", known()))
    }

    pub(super) fn call_rejection(&self, session: SessionId, callee: &AgentName) -> Option<String> {
        if let Some(rejection) =
            self.unknown_agent_rejection(callee).or_else(|| self.asking_rejection(session))
        {
            return Some(rejection);
        }
        if self.run.pending_calls.len() >= PENDING_CALLS_MAX || self.run.session(session).depth >= DEPTH_MAX {
            return Some("too many calls are pending; do it yourself or ask the user".to_owned());
        }
        let path = self.find_call_cycle(session, callee)?;
        let path: Vec<String> = path.iter().map(ToString::to_string).collect();
        Some(format!("dependency cycle: {}", path.join("->")))
    }

    /// Finds the cycle that a call would close: the callee already waits for the caller.
    fn find_call_cycle(&self, session: SessionId, callee: &AgentName) -> Option<Vec<AgentName>> {
        let caller = self.run.session(session).agent.clone()?;
        let mut paths = vec![vec![caller.clone(), callee.clone()]];
        let mut seen = vec![callee.clone()];
        while let Some(path) = paths.pop() {
            let last = path.last()?;
            if *last == caller {
                return Some(path);
            }
            for id in &self.run.open_calls {
                let call = self.run.invocations.get(id.0);
                let from = call.caller.and_then(|from| self.run.session(from).agent.as_ref());
                if let (Some(from), Some(to)) = (from, &call.callee)
                    && from == last
                    && (!seen.contains(to) || *to == caller)
                {
                    seen.push(to.clone());
                    paths.push([path.as_slice(), std::slice::from_ref(to)].concat());
                }
            }
        }
        None
    }

    pub(super) fn invoke_agent(&mut self, session: SessionId, invoke: InvokeMessage) {
        let invocation = InvocationId(self.run.invocations.next_number());
        let InvokeMessage { target: callee, task: instruction, context } = invoke;
        self.emit(events::InvocationMade { invocation, caller: session, callee, task: instruction, context });
        if Some(session) == self.run.root_session {
            self.forward_questions_to_user(session);
        }
        let sender = self.run.session(session);
        if let Some(task) = sender.task.filter(|_| sender.role == Role::Worker) {
            let reason = BlockReason::Invocation { invocation };
            self.emit(events::TaskBlocked { task: self.task_id(task), reason });
        }
    }

    /// Forwards the questions of an orchestrator that waits for a call: its callee may be among the asking agents.
    fn forward_questions_to_user(&mut self, session: SessionId) {
        let work_queue = self.run.session(session).work_queue.clone();
        for item in work_queue {
            if let WorkItem::Question(question) = item {
                self.emit_as_system(events::QuestionRouted { question, to: QuestionRoute::Person });
            }
        }
    }

    /// Assigns the first pending call whose callee is idle or can be started.
    pub(super) fn assign_next_call(&mut self) -> bool {
        if self.run.status != crate::run::RunStatus::Active {
            return false;
        }
        let pending: Vec<InvocationId> = self.run.pending_calls.iter().copied().collect();
        for invocation in pending {
            let call = self.run.invocations.get(invocation.0);
            let (Some(callee), Some(caller)) = (call.callee.clone(), call.caller) else { continue };
            match self.callee_availability(&callee, caller) {
                CalleeAvailability::Idle(session) => {
                    self.start_call(invocation, session);
                    return true;
                }
                CalleeAvailability::NoSession => {
                    let session = self.open_callee(&callee, caller);
                    self.start_call(invocation, session);
                    return true;
                }
                CalleeAvailability::Busy => {}
            }
        }
        false
    }

    /// Assigns the next pending call for its agent to a session whose turn ended.
    pub(super) fn assign_call_to(&mut self, session: SessionId) -> bool {
        let Some(agent) = self.run.session(session).agent.clone() else { return false };
        let is_for = |id: &&InvocationId| {
            let call = self.run.invocations.get(id.0);
            call.callee.as_ref() == Some(&agent) && call.caller != Some(session)
        };
        let Some(invocation) = self.run.pending_calls.iter().find(is_for).copied() else { return false };
        self.start_call(invocation, session);
        true
    }

    fn callee_availability(&self, agent: &AgentName, caller: SessionId) -> CalleeAvailability {
        let of_agent = |session: &Session| session.agent.as_ref() == Some(agent);
        let mut availability = CalleeAvailability::NoSession;
        for id in self.run.alive.iter().filter(|id| **id != caller) {
            let session = self.run.session(*id);
            if !of_agent(session) || !session.is_alive() {
                continue;
            }
            if session.is_idle() && session.work_queue.is_empty() && session.unsent_inputs.is_empty() {
                return CalleeAvailability::Idle(*id);
            }
            availability = CalleeAvailability::Busy;
        }
        availability
    }

    fn open_callee(&mut self, agent: &AgentName, caller: SessionId) -> SessionId {
        let session = SessionId(self.run.sessions.next_number());
        let depth = self.run.session(caller).depth.saturating_add(1);
        self.emit(events::SessionOpened {
            session,
            parent: Some(caller),
            depth,
            role: Role::Specialist,
            agent: Some(agent.clone()),
            task: None,
            phase: None,
            resumes: None,
        });
        session
    }

    fn start_call(&mut self, invocation: InvocationId, session: SessionId) {
        self.emit(events::InvocationStarted { invocation, session });
        let call = self.run.invocations.get(invocation.0).clone();
        let from = call.caller.and_then(|caller| self.run.session(caller).agent.clone());
        let Some(from) = from else { return };
        self.send_input(
            session,
            SessionInput::Invocation { invocation, from, task: call.instruction, context: call.context },
        );
    }

    pub(super) fn end_call(&mut self, invocation: InvocationId, outcome: AgentInvocationOutcome) {
        let call = self.run.invocations.get(invocation.0).clone();
        if call.state == InvocationState::Ended {
            return;
        }
        self.emit(events::InvocationEnded { invocation, outcome: outcome.clone() });
        let Some(caller) = call.caller else { return };
        let task = self.run.session(caller).task;
        let reason = BlockReason::Invocation { invocation };
        match task.filter(|task| self.run.is_task_blocked_by(*task, &reason)) {
            Some(task) => self.emit_as_system(events::TaskUnblocked { task: self.task_id(task), reason }),
            None => {
                if let Some(from) = call.callee {
                    self.send_input(caller, SessionInput::InvocationEnded { invocation, from, outcome });
                }
            }
        }
    }

    pub(super) fn submit_result(&mut self, session: SessionId, delivered: DeliverResult) {
        let result = ResultId(self.run.results.next_number());
        let DeliverResult { target: to, result_type, content } = delivered;
        self.emit(events::ResultSubmitted {
            result,
            from: session,
            to: to.clone(),
            result_type,
            content: content.clone(),
        });
        let Some(WorkItem::Call(invocation)) = self.run.session(session).current_item else { return };
        let caller = self.run.invocations.get(invocation.0).caller;
        let Some(caller) = caller else { return };
        if self.run.session(caller).agent.as_ref() == Some(&to) {
            // The caller receives the result with the end of the call.
            self.emit(events::ResultDelivered { result, session: caller });
            self.end_call(invocation, AgentInvocationOutcome::Completed { result_type, content });
        }
    }

    pub(super) fn direct_message_rejection(&self, session: SessionId, target: &AgentName) -> Option<String> {
        let no_session = || format!("'{target}' has no running session; invoke it, or deliver it a result");
        self.unknown_agent_rejection(target).or_else(|| match self.find_peer(session, target) {
            Some(peer) => self.unread_messages_rejection(peer, target),
            None => Some(no_session()),
        })
    }

    /// Finds the session of an agent: the other session of the same task first, then any.
    fn find_peer(&self, session: SessionId, target: &AgentName) -> Option<SessionId> {
        let sender = self.run.session(session);
        let named = |id: &SessionId| {
            let other = self.run.session(*id);
            *id != session && other.is_alive() && other.agent.as_ref() == Some(target)
        };
        let task = sender.task.map(|task| self.run.task(task));
        let same_task =
            task.and_then(|task| [task.session(), task.tester()].into_iter().flatten().find(named));
        same_task.or_else(|| self.run.alive.iter().copied().find(named))
    }

    pub(super) fn handle_direct_message(&mut self, session: SessionId, direct: DirectMessage) {
        let DirectMessage { target, r#type, content } = direct;
        let direct_type = r#type.unwrap_or(DirectType::Query);
        if let (Some(task), DirectType::Feedback) = (self.tested_task(session), direct_type) {
            return self.handle_test_verdict(task, parse_feedback(&content));
        }
        if let Some(peer) = self.find_peer(session, &target) {
            self.send_direct_message(session, peer, direct_type, content);
        }
    }

    pub(super) fn send_direct_message(
        &mut self,
        from: SessionId,
        to: SessionId,
        direct_type: DirectType,
        content: String,
    ) -> DirectMessageId {
        let connects = |id: &ChannelId| {
            let ends = self.run.channels.get(id.0).ends;
            ends == Some((from, to)) || ends == Some((to, from))
        };
        let open = self.run.open_channels.iter().copied().find(connects);
        let channel = open.unwrap_or_else(|| {
            let channel = ChannelId(self.run.channels.next_number());
            self.emit(events::ChannelCreated { channel, session_a: from, session_b: to });
            channel
        });
        let message = DirectMessageId(self.run.messages.next_number());
        self.emit(events::DirectMessageSent { message, channel, from, to, direct_type, content });
        message
    }
}
