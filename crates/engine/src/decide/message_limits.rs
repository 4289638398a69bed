//! Bounds what a session may send: how much at once, how much in a minute, and how much of it may wait.

use domain::{
    AgentError, AgentMessage, AgentName, AskUser, DeliverResult, EscalationCause, EscalationSubject,
    EscalationType, PermissionRequest, Recovery, ResultId, Role, SessionId, Severity,
};

use super::{
    DecisionContext,
    agent_message::RejectionText,
    escalation::{EscalationTitle, NewEscalation},
};
use crate::rejection::Rejection;

/// Bytes of a message that users read. Rows of such messages stay small.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a message for another agent. A result may be as large as the protocol allows.
const CONTENT_BYTES_MAX: usize = 256 * 1024;
/// Options of a question that an agent asks with a tool.
const OPTIONS_MAX: usize = 64;
/// Questions, requests and calls of a session that are open.
const OPEN_MAX: usize = 16;
/// Results of a session that are not delivered yet.
const PENDING_RESULTS_MAX: usize = 16;
/// Direct messages that a session has not received yet.
const UNREAD_MESSAGES_MAX: usize = 64;
/// Open escalations of a task, above which its agent cannot report further errors.
const TASK_ESCALATIONS_MAX: usize = 8;
/// Open escalations of a run, above which agents without a task cannot report further errors.
const RUN_ESCALATIONS_MAX: usize = 64;
/// Decisions about permission requests that are not sent yet.
const UNSENT_DECISIONS_MAX: usize = 256;

impl DecisionContext<'_> {
    /// Refuses messages of a session that sent too many in this minute, and progress that adds nothing.
    pub(super) fn check_message_rate(
        &self,
        session: SessionId,
        message: Option<&AgentMessage>,
    ) -> Result<(), Rejection> {
        let rate = &self.run.session(session).message_rate;
        let is_superfluous = message.is_some_and(|message| rate.is_superfluous(self.now, message));
        if is_superfluous || rate.is_exceeded(self.now) { Err(Rejection::StaleReport) } else { Ok(()) }
    }

    /// Suspends a worker, and asks for help, as soon as its session sent too many messages in a minute.
    pub(super) fn escalate_message_flood(&mut self, session: SessionId) {
        let sender = self.run.session(session);
        let cause = EscalationCause::MessageFlood { session };
        let title = cause.to_string();
        let is_known =
            self.run.open_escalations.iter().any(|id| self.run.escalations.get(id.0).title == title);
        if is_known || !sender.message_rate.is_exceeded(self.now) {
            return;
        }
        let task = sender
            .task
            .filter(|task| sender.role == Role::Worker && self.run.task(*task).is_worked_on_by(session));
        let escalation = NewEscalation {
            kind: EscalationType::Blocked,
            severity: Severity::High,
            title: EscalationTitle::Cause(cause),
            description: "further messages of this minute are ignored".to_owned(),
            context: String::new(),
        };
        match task {
            Some(task) => {
                self.block_on_escalation(task, escalation);
                self.freeze_session(session);
            }
            None => {
                self.raise_escalation(EscalationSubject::Run, Some(session), escalation);
            }
        }
    }

    /// Returns why a message is too large.
    pub(super) fn size_rejection(&self, message: &AgentMessage) -> Option<RejectionText> {
        let max = match message {
            AgentMessage::DeliverResult(_) => return None,
            AgentMessage::Direct(_) | AgentMessage::Invoke(_) => CONTENT_BYTES_MAX,
            AgentMessage::AskUser(_)
            | AgentMessage::UserQuestion(_)
            | AgentMessage::NeedHuman(_)
            | AgentMessage::DependencyRequest(_)
            | AgentMessage::StepComplete(_)
            | AgentMessage::Progress(_)
            | AgentMessage::PhaseComplete(_)
            | AgentMessage::Error(_)
            | AgentMessage::ResolveNext(_)
            | AgentMessage::Task(_)
            | AgentMessage::Custom(_)
            | AgentMessage::Done(_)
            | AgentMessage::Fail(_)
            | AgentMessage::Ready(_)
            | AgentMessage::PhaseDone(_)
            | AgentMessage::AllDone
            | AgentMessage::ResolveError(_) => TEXT_BYTES_MAX,
        };
        let size = message.size_bytes();
        let name = message.name();
        (size > max).then(|| {
            format!("{name} has {size} bytes, and {max} are allowed: write the text to a file and name it")
        })
    }

    /// Returns why a session cannot ask for anything more now.
    pub(super) fn open_items_rejection(&self, session: SessionId) -> Option<RejectionText> {
        let is_own = |id: &&domain::RequestId| self.run.requests.get(id.0).session == Some(session);
        let n_requests = self.run.open_requests.iter().filter(is_own).count();
        let n_calls = self.open_calls_made_by(session).len();
        let n_open = self.run.session(session).questions.len() + n_requests + n_calls;
        let text =
            || format!("{OPEN_MAX} of your questions, requests and calls are open; wait for the answers");
        (n_open >= OPEN_MAX).then(text)
    }

    pub(super) fn result_rejection(
        &self,
        session: SessionId,
        result: &DeliverResult,
    ) -> Option<RejectionText> {
        let sender = self.run.session(session).agent.as_ref();
        let is_own = |id: &&ResultId| self.run.results.get(id.0).from.as_ref() == sender;
        let n_pending = self.run.pending_results.iter().filter(is_own).count();
        let too_many = || {
            format!(
                "{PENDING_RESULTS_MAX} of your results are not delivered yet; end your turn, or ask the user"
            )
        };
        self.unknown_agent_rejection(&result.target)
            .or_else(|| (n_pending >= PENDING_RESULTS_MAX).then(too_many))
    }

    /// Returns why a session cannot receive another direct message.
    pub(super) fn unread_messages_rejection(&self, to: SessionId, name: &AgentName) -> Option<RejectionText> {
        let n_unread = self.run.session(to).direct_messages.len();
        (n_unread >= UNREAD_MESSAGES_MAX)
            .then(|| format!("'{name}' has not received {n_unread} messages yet; end your turn"))
    }

    /// Returns why a session cannot report another error. A wait for a rate limit raises no escalation.
    pub(super) fn error_rejection(&self, session: SessionId, error: &AgentError) -> Option<RejectionText> {
        if error.recovery == Recovery::PauseAndRetry {
            return None;
        }
        let task = self.run.session(session).task;
        let (n_open, max) = match task {
            Some(task) => (self.run.task(task).escalations.len(), TASK_ESCALATIONS_MAX),
            None => (self.run.open_escalations.len(), RUN_ESCALATIONS_MAX),
        };
        (n_open >= max).then(|| format!("{n_open} problems are open; wait until they are resolved"))
    }

    /// Returns why a permission request is denied without a question.
    pub(super) fn permission_overflow(
        &self,
        session: SessionId,
        request: &PermissionRequest,
    ) -> Option<String> {
        let size = request.subject.len();
        if size > TEXT_BYTES_MAX {
            return Some(format!("the request has {size} bytes, and {TEXT_BYTES_MAX} are allowed"));
        }
        (self.run.session(session).questions.len() >= OPEN_MAX)
            .then(|| format!("{OPEN_MAX} of its questions are open"))
    }

    /// Refuses permission requests of an agent that does not wait for decisions.
    pub(super) fn check_unsent_decisions(&self, session: SessionId) -> Result<(), Rejection> {
        let n_unsent = self.run.session(session).unsent_inputs.len();
        if n_unsent >= UNSENT_DECISIONS_MAX { Err(Rejection::StaleReport) } else { Ok(()) }
    }
}

/// Shortens a question that an agent asks with a tool, which cannot be rejected.
pub(super) fn shorten_question(mut ask: AskUser) -> AskUser {
    ask.options.truncate(OPTIONS_MAX);
    let texts = [Some(&mut ask.question), ask.context.as_mut(), ask.default.as_mut()];
    texts.into_iter().flatten().for_each(|text| text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX)));
    for option in &mut ask.options {
        option.truncate(option.floor_char_boundary(TEXT_BYTES_MAX / OPTIONS_MAX));
    }
    ask
}
