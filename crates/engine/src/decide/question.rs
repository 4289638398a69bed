//! Questions: who is asked, who may answer, what an answer sets free.

use domain::{
    AskUser, AskUserType, BlockReason, EscalationCause, EscalationSubject, EscalationType, Event,
    PermissionRequest, PermissionScope, QuestionCategory, QuestionId, QuestionKind, QuestionRoute, Role,
    SessionId, SessionInput, Severity, TaskId, UserQuestion,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    apply::is_allowed,
    guard::Guard,
    rejection::Rejection,
    state::{QuestionState, WorkItem},
};

/// A session that asks more than this at once asks for nothing.
const QUESTIONS_MAX: usize = 16;
/// More questions of one agent in one phase are worth a warning.
const QUESTIONS_BEFORE_WARNING: u32 = 3;

/// A question before it has its number.
pub(super) struct QuestionDraft {
    pub(super) kind: QuestionKind,
    pub(super) text: String,
    pub(super) options: Vec<String>,
    pub(super) default: Option<String>,
    pub(super) context: Option<String>,
    pub(super) required: bool,
    pub(super) permission: Option<PermissionRequest>,
    pub(super) prompt: Option<String>,
}

impl DecisionContext<'_> {
    /// Tells why a session can't ask for anything now.
    pub(super) fn asking_refusal(&self, session: SessionId) -> Option<String> {
        let speaker = self.run.session(session);
        let task = speaker.task.filter(|_| speaker.role == Role::Worker).map(|task| self.run.task(task));
        if speaker.questions.len() >= QUESTIONS_MAX {
            return Some(format!("{QUESTIONS_MAX} of your questions wait already; wait for the answers"));
        }
        let is_settled = task.filter(|task| task.stage != crate::state::TaskStage::Running);
        is_settled.map(|task| format!("{} is {} already", task.planned.id, task.stage.label()))
    }

    pub(super) fn ask_user(&mut self, session: SessionId, ask: AskUser, prompt: Option<String>) {
        let kind = match ask.r#type {
            AskUserType::Text => QuestionKind::Text,
            AskUserType::Selection => QuestionKind::Selection,
            AskUserType::Confirmation => QuestionKind::Confirmation,
        };
        let AskUser { question: text, options, default, context, required, .. } = ask;
        self.ask(
            session,
            QuestionDraft { kind, text, options, default, context, required, permission: None, prompt },
        );
    }

    pub(super) fn user_question(&mut self, session: SessionId, message: UserQuestion) {
        let kind = match message.category {
            QuestionCategory::Choice => QuestionKind::Selection,
            QuestionCategory::Confirmation => QuestionKind::Confirmation,
            QuestionCategory::Business | QuestionCategory::Clarification if message.options.is_empty() => {
                QuestionKind::Text
            }
            QuestionCategory::Business | QuestionCategory::Clarification => QuestionKind::Selection,
        };
        let UserQuestion { question: text, options, default, required, .. } = message;
        self.ask(
            session,
            QuestionDraft {
                kind,
                text,
                options,
                default,
                context: None,
                required,
                permission: None,
                prompt: None,
            },
        );
    }

    /// The orchestrator hands the question in its hand on to the person, or asks one of its own.
    pub(super) fn need_human(&mut self, session: SessionId, text: String) {
        if let Some(WorkItem::Question(question)) = self.run.session(session).current_item {
            self.emit(Event::QuestionForwarded { question, text });
        } else {
            let draft = QuestionDraft {
                kind: QuestionKind::Text,
                text,
                options: Vec::new(),
                default: None,
                context: None,
                required: true,
                permission: None,
                prompt: None,
            };
            self.ask(session, draft);
        }
    }

    pub(super) fn ask(&mut self, session: SessionId, draft: QuestionDraft) {
        let question = QuestionId(self.run.questions.next());
        let speaker = self.run.session(session);
        let (task, is_worker) = (speaker.task, speaker.role == Role::Worker);
        let agent = speaker.agent.clone();
        let blocks = task.map(|task| self.work_blocked_by(task)).unwrap_or_default();
        let id = task.map(|task| self.id(task));
        let is_permission = draft.permission.is_some();
        let QuestionDraft { kind, text, options, default, context, required, permission, prompt } = draft;
        self.emit(Event::QuestionAsked {
            question,
            session,
            task: id.clone(),
            kind,
            text,
            options,
            default,
            context,
            required,
            permission,
            prompt,
            blocks,
        });
        if let (Some(task), true) = (id, is_worker) {
            self.emit(Event::TaskBlocked { task, reason: BlockReason::Question { question } });
        }
        let phase = task.map(|task| self.run.task(task).planned.phase);
        if let (Some(agent), Some(phase), false) = (agent, phase, is_permission) {
            let count = self.run.question_counts.get(&format!("{phase} {agent}")).copied().unwrap_or(0);
            if count > QUESTIONS_BEFORE_WARNING {
                self.emit_by_rule(Event::ManyQuestionsAsked { agent, phase, count });
            }
        }
    }

    /// Brings a question to whoever is to answer it.
    pub(super) fn route_question(&mut self, question: QuestionId) {
        let asked = self.run.questions.get(question.0);
        // What an agent may do is the person's to say.
        let is_for_person = asked.permission.is_some() || Some(asked.session) == self.run.root_session;
        // An orchestrator that waits for others can't answer them: nobody may wait in a circle.
        let listens = |id: &SessionId| self.calls_of(*id).is_empty();
        let to = match self.run.orchestrator().filter(listens) {
            Some(_) if !is_for_person => QuestionRoute::Orchestrator,
            _ => QuestionRoute::Person,
        };
        self.emit_by_rule(Event::QuestionRouted { question, to });
    }

    pub(super) fn answer(
        &mut self,
        question: Option<QuestionId>,
        task: Option<&TaskId>,
        answer: &str,
        scope: PermissionScope,
    ) -> Result<(), Rejection> {
        let answer = answer.trim();
        let question = match (question, task) {
            (Some(question), _) => question,
            (None, Some(task)) => {
                let task = self.find(task)?;
                self.only_pending_question(|id| self.run.questions.get(id.0).task == Some(task))?
            }
            (None, None) => self.only_pending_question(|_| true)?,
        };
        if !self.run.questions.has(question.0) {
            return Err(Rejection::UnknownObject { what: format!("question {question}") });
        }
        let asked = self.run.questions.get(question.0);
        match asked.state {
            QuestionState::Pending | QuestionState::WithOrchestrator => {}
            QuestionState::Answered | QuestionState::Delivered | QuestionState::Resumed
                if self.run.is_on(Guard::OneAnswer) =>
            {
                return Err(Rejection::AlreadyAnswered { question });
            }
            QuestionState::Answered | QuestionState::Delivered | QuestionState::Resumed => {}
            QuestionState::Queued | QuestionState::Withdrawn | QuestionState::Expired => {
                return Err(Rejection::QuestionNotPending { question, state: asked.state.label() });
            }
        }
        if answer.is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        if asked.permission.is_some() && !asked.options.iter().any(|option| option == answer) {
            let options = asked.options.clone();
            return Err(Rejection::NotAnOption { question, answer: answer.to_owned(), options });
        }
        self.save_permission_rule(question, answer, scope);
        self.accept_answer(question, answer.to_owned());
        Ok(())
    }

    /// Returns the only question that waits for the person, among some.
    pub(super) fn only_pending_question(
        &self,
        is_meant: impl Fn(&QuestionId) -> bool,
    ) -> Result<QuestionId, Rejection> {
        let is_pending = |id: &QuestionId| self.run.questions.get(id.0).state == QuestionState::Pending;
        let pending: Vec<QuestionId> =
            self.run.open_questions.iter().copied().filter(is_pending).filter(is_meant).collect();
        match pending.as_slice() {
            [] => Err(Rejection::NoPendingQuestion),
            [question] => Ok(*question),
            [first, ..] if !self.run.is_on(Guard::ChatAnswersOnlyQuestion) => Ok(*first),
            _ => Err(Rejection::SeveralPendingQuestions { questions: pending }),
        }
    }

    pub(super) fn accept_answer(&mut self, question: QuestionId, answer: String) {
        self.emit(Event::QuestionAnswered { question, answer: answer.clone() });
        self.after_answer(question, answer);
    }

    /// Sets free what waited for an answer.
    fn after_answer(&mut self, question: QuestionId, answer: String) {
        let asked = self.run.questions.get(question.0).clone();
        let is_worker = asked.task.is_some_and(|task| self.run.task(task).session == Some(asked.session));
        if !is_worker && self.run.session(asked.session).is_alive() {
            let input = match asked.permission {
                Some(request) => SessionInput::Permission {
                    prompt: request.prompt,
                    allowed: is_allowed(&answer),
                    question: Some(question),
                },
                None => SessionInput::Answer { question, answer, prompt: asked.prompt },
            };
            self.send_input(asked.session, input);
        }
        self.unblock_by_question(question);
    }

    pub(super) fn unblock_by_question(&mut self, question: QuestionId) {
        let task = self.run.questions.get(question.0).task;
        let reason = BlockReason::Question { question };
        if let Some(task) = task.filter(|task| self.run.is_blocked_by(*task, &reason)) {
            self.emit_by_rule(Event::TaskUnblocked { task: self.id(task), reason });
        }
    }

    pub(super) fn request_clarification(
        &mut self,
        question: QuestionId,
        text: String,
    ) -> Result<(), Rejection> {
        if !self.run.questions.has(question.0) {
            return Err(Rejection::UnknownObject { what: format!("question {question}") });
        }
        let asked = self.run.questions.get(question.0);
        if !asked.state.is_open() {
            return Err(Rejection::QuestionNotPending { question, state: asked.state.label() });
        }
        if text.trim().is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        let session = asked.session;
        self.emit(Event::ClarificationRequested { question, text: text.clone() });
        self.send_input(session, SessionInput::ClarificationRequest { question, text });
        Ok(())
    }

    /// Nobody answered in time: the default where it may be taken, else a problem for somebody to decide.
    pub(super) fn expire_question(&mut self, question: QuestionId) {
        let asked = self.run.questions.get(question.0).clone();
        let may_default = !asked.required || !self.run.is_on(Guard::DefaultsForOptionalOnly);
        if let Some(answer) = asked.default.filter(|_| may_default && asked.permission.is_none()) {
            self.emit(Event::QuestionExpired { question, default_used: Some(answer.clone()) });
            self.after_answer(question, answer);
            return;
        }
        self.emit(Event::QuestionExpired { question, default_used: None });
        let problem = NewEscalation {
            kind: EscalationType::Decision,
            severity: Severity::Medium,
            title: EscalationCause::QuestionExpired.into(),
            description: asked.text,
            context: format!("{question} has expired"),
        };
        let reason = BlockReason::Question { question };
        match asked.task.filter(|task| self.run.is_blocked_by(*task, &reason)) {
            Some(task) => {
                self.block_on_escalation(task, problem);
                self.unblock_by_question(question);
            }
            None => {
                let subject = asked
                    .task
                    .map_or(EscalationSubject::Run, |task| EscalationSubject::Task { task: self.id(task) });
                self.raise(subject, Some(asked.session), problem);
                // Nothing else would let it go on with what it has in hand.
                self.send_input(
                    asked.session,
                    SessionInput::Resume { reason: format!("nobody answered {question} in time") },
                );
            }
        }
    }
}
