//! Questions and requests in the model: who waits for whose answer, and who got it.

use domain::{DependencyRequest, InputNumber, QuestionId, RequestId, SessionId, SessionInput, TaskId};

use super::{Life, Model};
use crate::rule::Rule;

/// How far a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has it yet.
    Asked,
    /// The orchestrator has it.
    Orchestrator,
    /// The person has it.
    Person,
    /// It has its answer, or its default.
    Answered,
    /// Nobody needs it any more, or nobody answered.
    Over,
}

impl Standing {
    /// Tells whether an answer may still come.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Asked | Self::Orchestrator | Self::Person)
    }
}

/// One question.
#[derive(Debug, Clone)]
pub struct Question {
    /// Who asked.
    pub session: SessionId,
    /// The task.
    pub task: Option<TaskId>,
    /// The offered answers.
    pub options: Vec<String>,
    /// The answer the agent would take.
    pub default: Option<String>,
    /// Whether it can't go on without.
    pub required: bool,
    /// How far it is.
    pub standing: Standing,
    /// The answer.
    pub answer: Option<String>,
    /// To whom the answer was said.
    pub told: Vec<(SessionId, InputNumber)>,
}

/// One request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Who asked.
    pub session: SessionId,
    /// The task.
    pub task: Option<TaskId>,
    /// What is needed.
    pub asked: DependencyRequest,
    /// Whether it waits for somebody.
    pub open: bool,
    /// To whom the outcome was said.
    pub told: Vec<(SessionId, InputNumber)>,
}

impl Model {
    /// A question has its answer.
    pub(super) fn answer(&mut self, id: QuestionId, answer: &str) {
        let Some(question) = self.questions.get_mut(&id) else {
            return self.breach(Rule::OneAnswer, format!("{id} is answered and was not asked"));
        };
        let was_open = question.standing.is_open();
        question.standing = Standing::Answered;
        question.answer = Some(answer.to_owned());
        if !was_open {
            self.breach(Rule::OneAnswer, format!("{id} is answered again"));
        }
    }

    /// Nobody answered in time.
    pub(super) fn expire(&mut self, id: QuestionId, took: Option<&String>) {
        let Some(question) = self.questions.get_mut(&id) else { return };
        let was_open = question.standing.is_open();
        let may_take = !question.required && question.default.as_ref() == took;
        question.standing = if took.is_some() { Standing::Answered } else { Standing::Over };
        if took.is_some() {
            question.answer = took.cloned();
        }
        if !was_open {
            self.breach(Rule::OneAnswer, format!("{id} expires and is not open"));
        }
        if took.is_some() && !may_take {
            self.breach(Rule::DefaultOnlyOptional, format!("{id} takes {took:?}"));
        }
    }

    /// A request is settled.
    pub(super) fn settle(&mut self, id: RequestId, skipped: bool, default: bool) {
        let auto = self.settings.requests_auto_default;
        let Some(request) = self.requests.get_mut(&id) else { return };
        let (was_open, required) = (request.open, request.asked.required);
        request.open = false;
        if !was_open {
            self.breach(Rule::OneAnswer, format!("{id} is settled again"));
        }
        if skipped && required {
            self.breach(Rule::RequiredRequest, format!("{id} is required and skipped"));
        }
        if default && !auto {
            self.breach(Rule::RequiredRequest, format!("{id}: its default is taken, and nobody said so"));
        }
    }

    /// An input is queued: what answers are in it, whose are they, and who had them before?
    pub(super) fn owe(&mut self, session: SessionId, number: InputNumber, content: &SessionInput) {
        match content {
            SessionInput::Answer { question, answer, .. } => {
                self.tell_answer(session, number, *question, Some(answer))
            }
            SessionInput::Permission { question: Some(question), .. } => {
                self.tell_answer(session, number, *question, None);
            }
            SessionInput::Provided { request, .. } | SessionInput::Refused { request, .. } => {
                self.tell_request(session, number, *request);
            }
            SessionInput::Task { carried, .. } => {
                for content in carried {
                    self.owe(session, number, content);
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

    fn tell_answer(
        &mut self,
        session: SessionId,
        number: InputNumber,
        id: QuestionId,
        answer: Option<&String>,
    ) {
        let Some(question) = self.questions.get(&id) else {
            return self
                .breach(Rule::AnswerToAsker, format!("{session} is told of {id}, which nobody asked"));
        };
        let mut found = Vec::new();
        if question.standing != Standing::Answered {
            found.push(format!("{session} is told the answer to {id}, which has none"));
        }
        if answer.is_some() && answer != question.answer.as_ref() {
            found.push(format!("{session} is told {answer:?} for {id}, which has {:?}", question.answer));
        }
        if !self.stands_for(session, question.session, question.task.as_ref()) {
            found.push(format!("{id} of {} is answered to {session}", question.session));
        }
        found.extend(self.told_before(&question.told, session).map(|how| format!("{id}: {how}")));
        for how in found {
            self.breach(Rule::AnswerToAsker, how);
        }
        if let Some(question) = self.questions.get_mut(&id) {
            question.told.push((session, number));
        }
    }

    fn tell_request(&mut self, session: SessionId, number: InputNumber, id: RequestId) {
        let Some(request) = self.requests.get(&id) else {
            return self.breach(Rule::AnswerToAsker, format!("{session} is told of {id}, which nobody made"));
        };
        let mut found = Vec::new();
        if request.open {
            found.push(format!("{session} is told of {id}, which is open"));
        }
        if !self.stands_for(session, request.session, request.task.as_ref()) {
            found.push(format!("{id} of {} is given to {session}", request.session));
        }
        found.extend(self.told_before(&request.told, session).map(|how| format!("{id}: {how}")));
        for how in found {
            self.breach(Rule::AnswerToAsker, how);
        }
        if let Some(request) = self.requests.get_mut(&id) {
            request.told.push((session, number));
        }
    }

    /// Tells whether a session is the one that asked, or the one that has its work now.
    fn stands_for(&self, session: SessionId, asker: SessionId, task: Option<&TaskId>) -> bool {
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

    /// Says who had an answer already; it may be told again only to a session in the place of one that never got it.
    fn told_before(&self, told: &[(SessionId, InputNumber)], session: SessionId) -> Option<String> {
        told.iter().find_map(|(before, number)| {
            let had = self.sessions.get(before)?;
            let typed = had.inputs.get(number).is_some_and(|(_, typed)| *typed);
            if typed {
                Some(format!("{before} has it, and {session} is told too"))
            } else if had.life != Life::Over && had.life != Life::Dismissed {
                Some(format!("{before} is to be told, and {session} too"))
            } else {
                None
            }
        })
    }
}
