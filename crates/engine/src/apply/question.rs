//! What happens to questions, permissions and requests.

use domain::{
    Actor, Event, PermissionScope, QuestionId, QuestionRoute, RequestId, SessionId, SessionInput, Timestamp,
};

use super::{PATIENCE_MS, start::later};
use crate::{
    decide::provision,
    effect::Effect,
    guard::Guard,
    orders::Given,
    run::Run,
    state::{Deadline, Duty, EffectKey, Question, QuestionState, Request, RequestState, Stage},
};

impl Run {
    pub(super) fn take_question(&mut self, at: Timestamp, event: &Event, given: &mut Given) {
        match event {
            Event::QuestionAsked {
                question,
                session,
                task,
                kind,
                text,
                options,
                default,
                context,
                required,
                permission,
                prompt,
                ..
            } => {
                let agent = self.session(*session).agent.clone();
                self.questions.push(Question {
                    session: *session,
                    task: task.as_ref().and_then(|task| self.find(task)),
                    agent,
                    kind: *kind,
                    text: text.clone(),
                    options: options.clone(),
                    default: default.clone(),
                    context: context.clone(),
                    required: *required,
                    permission: permission.clone(),
                    prompt: prompt.clone(),
                    state: QuestionState::Asked,
                });
                if let Some(prompt) = prompt.as_ref().or(permission.as_ref().map(|wish| &wish.prompt)) {
                    self.prompted(*session, prompt);
                }
                self.question_asked(at, *question, *session);
            }
            Event::QuestionRouted { question, to } => match to {
                QuestionRoute::Orchestrator => {
                    self.set_question(*question, QuestionState::WithOrchestrator);
                    self.timers.set(later(at, PATIENCE_MS), Deadline::Unanswered(*question));
                    self.give_duty(self.root, Duty::Question(*question));
                }
                QuestionRoute::Person => {
                    self.drop_duty(self.root, Duty::Question(*question));
                    self.set_question(*question, QuestionState::Pending);
                }
            },
            Event::QuestionForwarded { question, text } => {
                self.drop_duty(self.root, Duty::Question(*question));
                self.set_question(*question, QuestionState::Pending);
                if let Some(question) = self.questions.get_mut(question.0) {
                    question.text.clone_from(text);
                }
            }
            // The question stays as it is; what was asked back is said to the session.
            Event::ClarificationRequested { .. } => {}
            Event::QuestionAnswered { question, answer } => self.question_answered(*question, answer),
            Event::QuestionDelivered { question, .. } => {
                self.set_question(*question, QuestionState::Delivered);
            }
            Event::QuestionResumed { question } => self.set_question(*question, QuestionState::Resumed),
            Event::QuestionWithdrawn { question, .. } => {
                self.close_question(*question, QuestionState::Withdrawn);
            }
            Event::QuestionExpired { question, default_used: took_default } => match took_default {
                Some(answer) => self.question_answered(*question, answer),
                None => self.close_question(*question, QuestionState::Expired),
            },
            Event::PermissionRuleSaved { scope: keep, task, pattern, allowed } => {
                let choice = (pattern.clone(), *allowed);
                match (keep, task.as_ref().and_then(|task| self.find(task))) {
                    (PermissionScope::Once, _) => {}
                    (PermissionScope::Task, Some(task)) => {
                        if let Some(task) = self.task_mut(task) {
                            task.kept.push(choice);
                        }
                    }
                    (PermissionScope::Task, None) | (PermissionScope::Run, _) => self.kept.push(choice),
                    (PermissionScope::Project, _) => {
                        self.kept.push(choice);
                        let effect =
                            Effect::SavePermissionRule { pattern: pattern.clone(), allowed: *allowed };
                        given.order(&mut self.orders, EffectKey::Keep(pattern.clone()), effect);
                    }
                }
            }
            Event::RequestMade { request, session, task, dependency: asked, .. } => {
                self.requests.push(Request {
                    session: Some(*session),
                    task: task.as_ref().and_then(|task| self.find(task)),
                    asked: Some(asked.clone()),
                    state: RequestState::Asked,
                });
                self.open_requests.insert(*request);
            }
            Event::RequestProvided { request, provided, default } => {
                let asked = self.requests.get(request.0).asked.clone();
                if let Some(asked) = asked {
                    let input = SessionInput::Provided {
                        request: *request,
                        name: asked.name,
                        kind: asked.r#type,
                        provided: provided.clone(),
                        default: *default,
                    };
                    self.settle_request(*request, RequestState::Provided, input);
                }
            }
            Event::RequestRefused { request, reason } => {
                self.refuse_request(*request, RequestState::Refused, reason);
            }
            Event::RequestSkipped { request } => {
                // The agent gets what it would take itself, where it said what that is.
                let default = self.requests.get(request.0).asked.clone();
                match default.and_then(|asked| Some((provision(&asked)?, asked))) {
                    Some((provided, asked)) => {
                        let (name, kind) = (asked.name, asked.r#type);
                        let input =
                            SessionInput::Provided { request: *request, name, kind, provided, default: true };
                        self.settle_request(*request, RequestState::Skipped, input);
                    }
                    None => self.refuse_request(*request, RequestState::Skipped, "skipped"),
                }
            }
            Event::RequestDelivered { request, .. } => {
                if let Some(request) = self.requests.get_mut(request.0) {
                    request.state = RequestState::Delivered;
                }
            }
            // It is answered by an input.
            Event::PermissionDecided { session, request: wish, .. } => self.prompted(*session, &wish.prompt),
            // The warning is for people.
            Event::ManyQuestionsAsked { .. } => {}
            other => debug_assert!(false, "{} is no event of questions", other.name()),
        }
    }

    fn question_asked(&mut self, at: Timestamp, id: QuestionId, session: SessionId) {
        self.open_questions.insert(id);
        if let Some(asking) = self.sessions.get_mut(session.0) {
            asking.questions.push_back(id);
            asking.concluded = true;
        }
        if let Some(expires) = self.settings.question_expires_after_ms {
            self.timers.set(later(at, expires), Deadline::Question(id));
        }
        let asked = self.questions.get(id.0);
        let phase = asked.task.map(|task| self.task(task).planned.phase);
        if let (Some(agent), Some(phase), None) = (&asked.agent, phase, &asked.permission) {
            *self.asked.entry(format!("{phase} {agent}")).or_default() += 1;
        }
    }

    fn question_answered(&mut self, id: QuestionId, answer: &str) {
        self.close_question(id, QuestionState::Answered);
        let question = self.questions.get(id.0);
        let (task, session) = (question.task, question.session);
        let input = match &question.permission {
            Some(wish) => SessionInput::Permission {
                prompt: wish.prompt.clone(),
                allowed: is_allowed(answer),
                question: Some(id),
            },
            None => {
                let prompt = question.prompt.clone();
                SessionInput::Answer { question: id, answer: answer.to_owned(), prompt }
            }
        };
        if self.is_on(Guard::AnswerToAskingSession) {
            self.owe(task, session, input);
        } else if let Some(other) = self.tasks.iter_mut().find(|task| task.stage.is_live()) {
            other.owed.push(input);
        }
    }

    /// Lets a question wait for nobody any more, and its session wait for the next one.
    fn close_question(&mut self, id: QuestionId, state: QuestionState) {
        self.set_question(id, state);
        self.open_questions.remove(&id);
        self.timers.clear(Deadline::Question(id));
        self.drop_duty(self.root, Duty::Question(id));
        let session = self.questions.get(id.0).session;
        if let Some(session) = self.sessions.get_mut(session.0) {
            session.questions.retain(|waiting| *waiting != id);
        }
    }

    fn set_question(&mut self, id: QuestionId, state: QuestionState) {
        self.timers.clear(Deadline::Unanswered(id));
        if let Some(question) = self.questions.get_mut(id.0) {
            question.state = state;
        }
    }

    fn refuse_request(&mut self, id: RequestId, state: RequestState, reason: &str) {
        let asked = self.requests.get(id.0).asked.clone();
        let name = asked.map(|asked| asked.name).unwrap_or_default();
        self.settle_request(
            id,
            state,
            SessionInput::Refused { request: id, name, reason: reason.to_owned() },
        );
    }

    fn settle_request(&mut self, id: RequestId, state: RequestState, input: SessionInput) {
        self.open_requests.remove(&id);
        let Some(request) = self.requests.get_mut(id.0) else { return };
        request.state = state;
        if let (task, Some(session)) = (request.task, request.session) {
            self.owe(task, session, input);
        }
    }

    /// Keeps what a task's session is to be told when it goes on. Others are told at once.
    pub(super) fn owe(
        &mut self,
        task: Option<crate::state::TaskRef>,
        session: SessionId,
        input: SessionInput,
    ) {
        let is_worker = task.is_some_and(|task| self.task(task).session == Some(session));
        if let Some(task) = task.filter(|_| is_worker)
            && let Some(task) = self.task_mut(task)
            && task.stage.is_live()
            && task.stage != Stage::Broken
        {
            task.owed.push(input);
        }
    }

    pub(super) fn give_duty(&mut self, session: Option<SessionId>, duty: Duty) {
        if let Some(session) = session.and_then(|session| self.sessions.get_mut(session.0)) {
            session.duties.push_back(duty);
        }
    }

    pub(super) fn drop_duty(&mut self, session: Option<SessionId>, duty: Duty) {
        if let Some(session) = session.and_then(|session| self.sessions.get_mut(session.0)) {
            session.duties.retain(|waiting| *waiting != duty);
            if session.in_hand == Some(duty) {
                session.in_hand = None;
            }
        }
    }

    pub(super) fn chat_said(&mut self, actor: &Actor, text: &str, answers: Option<QuestionId>) {
        if actor.is_person() && answers.is_none() && self.orchestrator().is_some() {
            self.chats.push_back(text.to_owned());
            self.give_duty(self.root, Duty::Chat);
        }
        if !actor.is_person() {
            self.drop_duty(self.root, Duty::Chat);
        }
    }
}

/// Reads the answer to a permission prompt.
pub(crate) fn is_allowed(answer: &str) -> bool {
    matches!(answer, "allow" | "yes" | "예" | "허용")
}
