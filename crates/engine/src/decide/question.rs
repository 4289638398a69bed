//! Questions of agents: where they go, who answers them, what an answer unblocks.

use domain::{
    AskUser, AskUserType, BlockReason, EscalationCause, EscalationSubject, EscalationType, EvidenceGap,
    LargeFile, OrchestratorPower, PermissionRequest, QuestionCategory, QuestionId, QuestionKind,
    QuestionRoute, Role, SessionId, SessionInput, Severity, TaskId, UserQuestion, events,
};

use super::{DecisionContext, escalation::NewEscalation, permission::PermissionChoice};
use crate::{
    apply::is_allowing_answer,
    rejection::Rejection,
    state::{QuestionState, WorkItem},
};

/// Questions of one agent in one phase after which the user is warned.
const QUESTIONS_BEFORE_WARNING: u32 = 3;

/// A question that has no id yet.
pub(super) struct QuestionDraft {
    pub(super) kind: QuestionKind,
    pub(super) category: Option<QuestionCategory>,
    pub(super) text: String,
    pub(super) options: Vec<String>,
    pub(super) default: Option<String>,
    pub(super) context: Option<String>,
    pub(super) required: bool,
    pub(super) permission: Option<PermissionRequest>,
    /// The proposed pattern of similar requests.
    pub(super) similar: Option<String>,
    pub(super) prompt: Option<String>,
    /// Set if Jangdan asks in place of the agent.
    pub(super) evidence_gap: Option<EvidenceGap>,
    /// Set if Jangdan asks whether to commit files above the size limit.
    pub(super) large_files: Vec<LargeFile>,
}

impl QuestionDraft {
    /// A question that must be answered, without options.
    pub(super) fn new(kind: QuestionKind, text: String) -> Self {
        Self {
            kind,
            category: None,
            text,
            options: Vec::new(),
            default: None,
            context: None,
            required: true,
            permission: None,
            similar: None,
            prompt: None,
            evidence_gap: None,
            large_files: Vec::new(),
        }
    }
}

impl DecisionContext<'_> {
    /// Returns why a session cannot ask for anything now.
    pub(super) fn asking_rejection(&self, session: SessionId) -> Option<String> {
        let sender = self.run.session(session);
        let task = sender.task.filter(|_| sender.role == Role::Worker).map(|task| self.run.task(task));
        if let Some(rejection) = self.open_items_rejection(session) {
            return Some(rejection);
        }
        let finished_task = task.filter(|task| !task.stage.is_running());
        finished_task.map(|task| format!("{} is already {}", task.planned.id, task.stage.label()))
    }

    pub(super) fn ask_user(&mut self, session: SessionId, ask: AskUser, prompt: Option<String>) {
        let kind = match ask.r#type {
            AskUserType::Text => QuestionKind::Text,
            AskUserType::Selection => QuestionKind::Selection,
            AskUserType::Confirmation => QuestionKind::Confirmation,
        };
        let AskUser { question: text, options, default, context, required, .. } = ask;
        let draft = QuestionDraft::new(kind, text);
        self.ask_question(session, QuestionDraft { options, default, context, required, prompt, ..draft });
    }

    pub(super) fn handle_user_question_message(&mut self, session: SessionId, message: UserQuestion) {
        let kind = match message.category {
            QuestionCategory::Choice => QuestionKind::Selection,
            QuestionCategory::Confirmation => QuestionKind::Confirmation,
            QuestionCategory::Business | QuestionCategory::Clarification if message.options.is_empty() => {
                QuestionKind::Text
            }
            QuestionCategory::Business | QuestionCategory::Clarification => QuestionKind::Selection,
        };
        let UserQuestion { category, question: text, options, default, required, .. } = message;
        let draft = QuestionDraft::new(kind, text);
        let category = Some(category);
        self.ask_question(session, QuestionDraft { category, options, default, required, ..draft });
    }

    /// Forwards the orchestrator's current question to the user, or asks a question of its own.
    pub(super) fn forward_or_ask_user(&mut self, session: SessionId, text: String) {
        if let Some(WorkItem::Question(question)) = self.run.session(session).current_item {
            self.emit(events::QuestionForwarded { question, text });
        } else {
            self.ask_question(session, QuestionDraft::new(QuestionKind::Text, text));
        }
    }

    pub(super) fn ask_question(&mut self, session: SessionId, draft: QuestionDraft) {
        let question = QuestionId(self.run.questions.next_number());
        let sender = self.run.session(session);
        let (task, is_worker) = (sender.task, sender.role == Role::Worker);
        let agent = sender.agent.clone();
        let blocks = task.map(|task| self.work_blocked_by(task)).unwrap_or_default();
        let id = task.map(|task| self.task_id(task));
        let is_permission = draft.permission.is_some();
        let QuestionDraft {
            kind,
            category,
            text,
            options,
            default,
            context,
            required,
            permission,
            similar,
            prompt,
            evidence_gap,
            large_files,
        } = draft;
        self.emit(events::QuestionAsked {
            question,
            session,
            task: id.clone(),
            kind,
            category,
            text,
            options,
            default,
            context,
            required,
            permission,
            similar,
            prompt,
            evidence_gap,
            large_files,
            blocks,
        });
        if let (Some(task), true) = (id, is_worker) {
            self.emit(events::TaskBlocked { task, reason: BlockReason::Question { question } });
        }
        let phase = task.map(|task| self.run.task(task).planned.phase);
        if let (Some(agent), Some(phase), false) = (agent, phase, is_permission) {
            let count = self.run.question_counts.get(&format!("{phase} {agent}")).copied().unwrap_or(0);
            if count > QUESTIONS_BEFORE_WARNING {
                self.emit_as_system(events::ManyQuestionsAsked { agent, phase, count });
            }
        }
    }

    /// Routes a question to the orchestrator or the user.
    pub(super) fn route_question(&mut self, question: QuestionId) {
        let record = self.run.questions.get(question.0);
        let power = match record.permission {
            Some(_) => OrchestratorPower::Permission,
            None => OrchestratorPower::Answer,
        };
        // Only the user decides what is committed.
        let is_for_person = !self.run.settings.orchestrator_may.contains(&power)
            || !record.large_files.is_empty()
            || Some(record.session) == self.run.root_session;
        // An orchestrator that waits for a call cannot answer: its callee could be the asking agent.
        let can_answer = |id: &SessionId| self.open_calls_made_by(*id).is_empty();
        let to = match self.run.orchestrator().filter(can_answer) {
            Some(_) if !is_for_person => QuestionRoute::Orchestrator,
            Some(_) | None => QuestionRoute::Person,
        };
        self.emit_as_system(events::QuestionRouted { question, to });
    }

    pub(super) fn answer_question(
        &mut self,
        question: Option<QuestionId>,
        task: Option<&TaskId>,
        answer: &str,
        choice: PermissionChoice,
    ) -> Result<(), Rejection> {
        let answer = answer.trim();
        let question = match (question, task) {
            (Some(question), _) => question,
            (None, Some(task)) => {
                let task = self.find_task(task)?;
                self.only_pending_question(|id| self.run.questions.get(id.0).task == Some(task))?
            }
            (None, None) => self.only_pending_question(|_| true)?,
        };
        self.run.check_answerable(question)?;
        let record = self.run.questions.get(question.0);
        if answer.is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        if record.permission.is_some() && !record.options.iter().any(|option| option == answer) {
            let options = record.options.clone();
            return Err(Rejection::NotAnOption { question, answer: answer.to_owned(), options });
        }
        let choice = self.check_permission_choice(question, answer, choice)?;
        self.settle_question(question, answer, &choice);
        Ok(())
    }

    /// Accepts an answer that was checked. The answer to a permission request also decides the equal ones.
    pub(super) fn settle_question(&mut self, question: QuestionId, answer: &str, choice: &PermissionChoice) {
        match self.run.questions.get(question.0).permission.clone() {
            Some(request) => self.decide_permission(question, &request, answer, choice),
            None => self.accept_answer(question, answer.to_owned()),
        }
    }

    /// Returns the only pending question that satisfies the predicate. Equal permission requests count as one.
    pub(super) fn only_pending_question(
        &self,
        is_candidate: impl Fn(&QuestionId) -> bool,
    ) -> Result<QuestionId, Rejection> {
        let is_pending = |id: &QuestionId| self.run.questions.get(id.0).state == QuestionState::Pending;
        let pending: Vec<QuestionId> =
            self.run.open_questions.iter().copied().filter(is_pending).filter(is_candidate).collect();
        match pending.as_slice() {
            [] => Err(Rejection::NoPendingQuestion),
            [first, others @ ..] if others.iter().all(|other| self.is_equal_permission(*first, *other)) => {
                Ok(*first)
            }
            _ => Err(Rejection::SeveralPendingQuestions { questions: pending }),
        }
    }

    /// Accepts what the orchestrator replied to a question. The user decides if it is no answer.
    pub(super) fn accept_reply(&mut self, question: QuestionId, reply: String) {
        let record = self.run.questions.get(question.0);
        if record.permission.is_none() && !reply.is_empty() {
            return self.accept_answer(question, reply);
        }
        // A permission needs one of its options, alone.
        let word = reply.trim().trim_end_matches('.').trim_matches('`').to_lowercase();
        match record.options.iter().find(|option| **option == word).cloned() {
            Some(option) => self.settle_question(question, &option, &PermissionChoice::default()),
            None => {
                self.emit_as_system(events::QuestionRouted { question, to: QuestionRoute::Person });
            }
        }
    }

    pub(super) fn accept_answer(&mut self, question: QuestionId, answer: String) {
        self.emit(events::QuestionAnswered { question, answer: answer.clone(), reason: None });
        self.deliver_answer(question, answer, None);
    }

    /// Accepts the decision about a permission. Only a denial has a reason.
    pub(super) fn accept_permission_answer(
        &mut self,
        question: QuestionId,
        answer: String,
        reason: Option<String>,
    ) {
        let reason = reason.filter(|_| !is_allowing_answer(&answer));
        self.emit(events::QuestionAnswered { question, answer: answer.clone(), reason: reason.clone() });
        self.deliver_answer(question, answer, reason);
    }

    /// Unblocks the task, or sends the answer to a session without a task.
    fn deliver_answer(&mut self, question: QuestionId, answer: String, reason: Option<String>) {
        let record = self.run.questions.get(question.0).clone();
        let is_worker = record.task.is_some_and(|task| self.run.task(task).session() == Some(record.session));
        if !is_worker && self.run.session(record.session).is_alive() {
            let input = match record.permission {
                Some(request) => SessionInput::Permission {
                    prompt: request.prompt,
                    allowed: is_allowing_answer(&answer),
                    reason,
                    question: Some(question),
                },
                None => SessionInput::Answer { question, answer, prompt: record.prompt },
            };
            self.send_input(record.session, input);
        }
        self.unblock_by_question(question);
    }

    pub(super) fn unblock_by_question(&mut self, question: QuestionId) {
        let task = self.run.questions.get(question.0).task;
        let reason = BlockReason::Question { question };
        if let Some(task) = task.filter(|task| self.run.is_task_blocked_by(*task, &reason)) {
            self.emit_as_system(events::TaskUnblocked { task: self.task_id(task), reason });
        }
    }

    pub(super) fn request_clarification(
        &mut self,
        question: QuestionId,
        text: String,
    ) -> Result<(), Rejection> {
        self.run.check_question_open(question)?;
        if text.trim().is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        let session = self.run.questions.get(question.0).session;
        self.emit(events::ClarificationRequested { question, text: text.clone() });
        self.send_input(session, SessionInput::ClarificationRequest { question, text });
        Ok(())
    }

    /// Uses the default if allowed, else raises an escalation.
    pub(super) fn expire_question(&mut self, question: QuestionId) {
        let record = self.run.questions.get(question.0).clone();
        if let Some(answer) = record.default.filter(|_| !record.required && record.permission.is_none()) {
            self.emit(events::QuestionExpired { question, default_used: Some(answer.clone()) });
            self.deliver_answer(question, answer, None);
            return;
        }
        self.emit(events::QuestionExpired { question, default_used: None });
        let escalation = NewEscalation {
            kind: EscalationType::Decision,
            severity: Severity::Medium,
            title: EscalationCause::QuestionExpired.into(),
            description: record.text,
            context: format!("{question} has expired"),
        };
        let reason = BlockReason::Question { question };
        match record.task.filter(|task| self.run.is_task_blocked_by(*task, &reason)) {
            Some(task) => {
                self.block_on_escalation(task, escalation);
                self.unblock_by_question(question);
            }
            None => {
                let subject = record.task.map_or(EscalationSubject::Run, |task| EscalationSubject::Task {
                    task: self.task_id(task),
                });
                self.raise_escalation(subject, Some(record.session), escalation);
                // Otherwise nothing would continue its current work item.
                self.send_input(
                    record.session,
                    SessionInput::Resume { reason: format!("{question} was not answered in time") },
                );
            }
        }
    }
}
