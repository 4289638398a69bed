//! Questions and requests: their answers, and the sessions that got them.

use domain::{
    DependencyRequest, InputNumber, LargeFile, PermissionKind, ProvidedResource, QuestionId, RequestId,
    SessionId, SessionInput, TaskId,
};

use super::{Model, SessionState};
use crate::rule::Rule;

/// The state of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionState {
    /// Not routed yet.
    Asked,
    /// With the orchestrator.
    Orchestrator,
    /// With the person.
    Person,
    /// Answered, or its default is used.
    Answered,
    /// Withdrawn, or expired without a default.
    Closed,
}

impl QuestionState {
    /// Tells whether an answer is possible.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Asked | Self::Orchestrator | Self::Person)
    }
}

/// A question of a session.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub session: SessionId,
    pub task: Option<TaskId>,
    pub options: Vec<String>,
    pub default: Option<String>,
    /// Whether the default must not be used.
    pub required: bool,
    /// The action that a permission is requested for.
    pub action: Option<(PermissionKind, String)>,
    pub state: QuestionState,
    pub answer: Option<String>,
    /// The inputs that contain the answer.
    /// Whether Jangdan asks in place of the agent.
    pub is_about_evidence: bool,
    /// Files above the size limit that it is about.
    pub large_files: Vec<LargeFile>,
    pub delivered: Vec<(SessionId, InputNumber)>,
}

/// A request of a session for a dependency.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub session: SessionId,
    pub task: Option<TaskId>,
    pub asked: DependencyRequest,
    pub open: bool,
    /// Whether the executor was asked to deliver the resource.
    pub is_delivering: bool,
    /// The inputs that contain the outcome.
    pub delivered: Vec<(SessionId, InputNumber)>,
}

impl Model {
    /// Adds the answer of a question.
    pub(super) fn answer(&mut self, id: QuestionId, answer: &str) {
        let Some(question) = self.questions.get_mut(&id) else {
            return self.add_violation(Rule::OneAnswer, format!("{id} is answered, but was not asked"));
        };
        let was_open = question.state.is_open();
        question.state = QuestionState::Answered;
        question.answer = Some(answer.to_owned());
        if !was_open {
            self.add_violation(Rule::OneAnswer, format!("{id} is answered again"));
        }
    }

    /// Expires a question, with its default if it is used.
    pub(super) fn expire(&mut self, id: QuestionId, default: Option<&String>) {
        let Some(question) = self.questions.get_mut(&id) else { return };
        let was_open = question.state.is_open();
        let is_allowed = !question.required && question.default.as_ref() == default;
        question.state = if default.is_some() { QuestionState::Answered } else { QuestionState::Closed };
        if default.is_some() {
            question.answer = default.cloned();
        }
        if !was_open {
            self.add_violation(Rule::OneAnswer, format!("{id} expires and is not open"));
        }
        if default.is_some() && !is_allowed {
            self.add_violation(Rule::DefaultOnlyOptional, format!("{id} uses the default {default:?}"));
        }
    }

    /// Checks that a resource was delivered before it is called provided. A permission is the answer itself.
    pub(super) fn check_provision(&mut self, id: RequestId, provided: &ProvidedResource) {
        let is_delivered = self.requests.get(&id).is_some_and(|request| request.is_delivering);
        if !is_delivered && !matches!(provided, ProvidedResource::Permission { .. }) {
            self.add_violation(
                Rule::ProvidedAfterDelivery,
                format!("{id} is provided and was not delivered"),
            );
        }
    }

    /// Closes a request.
    pub(super) fn close_request(&mut self, id: RequestId, skipped: bool, default: bool) {
        let auto = self.settings.requests_auto_default;
        let Some(request) = self.requests.get_mut(&id) else { return };
        let (was_open, required) = (request.open, request.asked.required);
        request.open = false;
        if !was_open {
            self.add_violation(Rule::OneAnswer, format!("{id} is closed again"));
        }
        if skipped && required {
            self.add_violation(Rule::RequiredRequest, format!("{id} is required and skipped"));
        }
        if default && !auto {
            self.add_violation(
                Rule::RequiredRequest,
                format!("{id}: its default is used without the setting for it"),
            );
        }
    }

    /// Checks the answers in a queued input: they must be for this session, and not delivered before.
    pub(super) fn record_delivery(
        &mut self,
        session: SessionId,
        number: InputNumber,
        content: &SessionInput,
    ) {
        match content {
            SessionInput::Answer { question, answer, .. } => {
                self.record_answer_delivery(session, number, *question, Some(answer))
            }
            SessionInput::Permission { question: Some(question), .. } => {
                self.record_answer_delivery(session, number, *question, None);
            }
            SessionInput::Provided { request, .. } | SessionInput::Refused { request, .. } => {
                self.record_request_delivery(session, number, *request);
            }
            SessionInput::Task { carried, .. } => {
                for content in carried {
                    self.record_delivery(session, number, content);
                }
            }
            SessionInput::Permission { question: None, .. }
            | SessionInput::ClarificationRequest { .. }
            | SessionInput::Invocation { .. }
            | SessionInput::InvocationEnded { .. }
            | SessionInput::Result { .. }
            | SessionInput::Direct { .. }
            | SessionInput::Feedback { .. }
            | SessionInput::InvalidMessage { .. }
            | SessionInput::NearMiss { .. }
            | SessionInput::Reminder
            | SessionInput::EvidenceRequest { .. }
            | SessionInput::Conflict { .. }
            | SessionInput::Rework { .. }
            | SessionInput::UserMessage { .. }
            | SessionInput::TaskChanged { .. }
            | SessionInput::Test { .. }
            | SessionInput::Verify { .. }
            | SessionInput::Question { .. }
            | SessionInput::Escalation { .. }
            | SessionInput::ThinLine { .. }
            | SessionInput::Chat { .. }
            | SessionInput::Resume { .. } => {}
        }
    }

    fn record_answer_delivery(
        &mut self,
        session: SessionId,
        number: InputNumber,
        id: QuestionId,
        answer: Option<&String>,
    ) {
        let Some(question) = self.questions.get(&id) else {
            return self.add_violation(
                Rule::AnswerToAsker,
                format!("{session} gets an answer to {id}, which does not exist"),
            );
        };
        let mut violations = Vec::new();
        if question.state != QuestionState::Answered {
            violations.push(format!("{session} gets an answer to {id}, which has none"));
        }
        if answer.is_some() && answer != question.answer.as_ref() {
            violations
                .push(format!("{session} gets {answer:?} for {id}, whose answer is {:?}", question.answer));
        }
        if !self.is_asker_or_successor(session, question.session, question.task.as_ref()) {
            violations.push(format!("{id} of {} is answered to {session}", question.session));
        }
        violations.extend(
            self.earlier_delivery_problem(&question.delivered, session).map(|how| format!("{id}: {how}")),
        );
        for how in violations {
            self.add_violation(Rule::AnswerToAsker, how);
        }
        if let Some(question) = self.questions.get_mut(&id) {
            question.delivered.push((session, number));
        }
    }

    fn record_request_delivery(&mut self, session: SessionId, number: InputNumber, id: RequestId) {
        let Some(request) = self.requests.get(&id) else {
            return self.add_violation(
                Rule::AnswerToAsker,
                format!("{session} gets the outcome of {id}, which does not exist"),
            );
        };
        let mut violations = Vec::new();
        if request.open {
            violations.push(format!("{session} gets the outcome of {id}, which is open"));
        }
        if !self.is_asker_or_successor(session, request.session, request.task.as_ref()) {
            violations.push(format!("{id} of {} is delivered to {session}", request.session));
        }
        violations.extend(
            self.earlier_delivery_problem(&request.delivered, session).map(|how| format!("{id}: {how}")),
        );
        for how in violations {
            self.add_violation(Rule::AnswerToAsker, how);
        }
        if let Some(request) = self.requests.get_mut(&id) {
            request.delivered.push((session, number));
        }
    }

    /// Tells whether a session is the one that asked, or its successor.
    fn is_asker_or_successor(&self, session: SessionId, asker: SessionId, task: Option<&TaskId>) -> bool {
        if session == asker {
            return true;
        }
        let successor = |task: &TaskId| {
            self.sessions.get(&session).is_some_and(|now| now.task.as_ref() == Some(task))
                || self.tasks.get(task).is_some_and(|task| task.session == Some(session))
        };
        let agent = |id: SessionId| self.sessions.get(&id).and_then(|session| session.agent.as_ref());
        let same_agent = agent(session).is_some() && agent(session) == agent(asker);
        task.map_or(same_agent, successor)
    }

    /// Returns the problem of an answer that was delivered before; it may be repeated only if that session never got it.
    fn earlier_delivery_problem(
        &self,
        delivered: &[(SessionId, InputNumber)],
        session: SessionId,
    ) -> Option<String> {
        delivered.iter().find_map(|(before, number)| {
            let earlier = self.sessions.get(before)?;
            let typed = earlier.inputs.get(number).is_some_and(|(_, typed)| *typed);
            if typed {
                Some(format!("{before} has it, and {session} gets it too"))
            } else if earlier.state != SessionState::Ended && earlier.state != SessionState::Dismissed {
                Some(format!("{before} will get it, and {session} too"))
            } else {
                None
            }
        })
    }
}
