//! The sentence that describes an event, and the names that its ids stand for.

use domain::{
    Actor, CheckpointId, EscalationAction, EscalationId, EscalationSubject, InvocationId, LoopId,
    PhaseNumber, QuestionId, RequestId, ResultId, SessionId, TaskId,
};

use crate::{
    Rows,
    rows::{EscalationRow, InvocationRow},
};

/// What happened, in one line of English, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventSentence {
    pub text: String,
    pub task: Option<TaskId>,
    pub phase: Option<PhaseNumber>,
    pub session: Option<SessionId>,
    pub question: Option<QuestionId>,
    /// Id of anything else: a request, an invocation, an escalation and so on.
    pub id: Option<String>,
    /// Whether it only helps to find a bug; the timeline omits it.
    pub is_internal: bool,
}

impl EventSentence {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        let (task, phase, session, question, id) = (None, None, None, None, None);
        Self { text: text.into(), task, phase, session, question, id, is_internal: false }
    }

    pub(crate) fn with_task(mut self, task: &TaskId) -> Self {
        self.task = Some(task.clone());
        self
    }

    pub(crate) fn with_optional_task(mut self, task: Option<&TaskId>) -> Self {
        self.task = task.cloned();
        self
    }

    pub(crate) fn with_phase(mut self, phase: PhaseNumber) -> Self {
        self.phase = Some(phase);
        self
    }

    pub(crate) fn with_session(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    pub(crate) fn with_question(mut self, question: QuestionId) -> Self {
        self.question = Some(question);
        self
    }

    pub(crate) fn with_id(mut self, id: impl ToString) -> Self {
        self.id = Some(id.to_string());
        self
    }

    pub(crate) fn mark_internal(mut self) -> Self {
        self.is_internal = true;
        self
    }
}

/// Start of the hint that the engine writes for the next attempt. It repeats the event before, so sentences omit it.
const FAILURE_HINT: &str = "The last attempt failed: ";

/// Returns the hint of a retry, unless the engine wrote it.
pub(crate) fn retry_hint(hint: Option<&str>) -> Option<&str> {
    hint.filter(|hint| !hint.starts_with(FAILURE_HINT))
}

/// Returns whether a note only names the action. Earlier versions called one differently.
pub(crate) fn is_action_name(action: &EscalationAction, note: &str) -> bool {
    let is_former_name = *action == EscalationAction::MarkFailed && note.trim() == "give up";
    is_former_name || note.trim() == action.to_string()
}

/// Finds the names of sessions, questions, requests and so on in the rows that the event has already changed.
#[derive(Clone, Copy)]
pub(crate) struct SentenceContext<'a> {
    pub rows: &'a Rows,
    pub actor: &'a Actor,
}

impl SentenceContext<'_> {
    /// Returns the agent of a session, `Jangdan` for a session without a process.
    pub(crate) fn agent(&self, session: SessionId) -> String {
        match self.rows.sessions.get(&session) {
            Some(row) => row.agent.as_ref().map_or_else(|| "Jangdan".to_owned(), ToString::to_string),
            None => session.to_string(),
        }
    }

    /// Returns the name of the user who caused the event, `None` if an agent or Jangdan did.
    pub(crate) fn acting_user(&self) -> Option<&str> {
        match self.actor {
            Actor::Person(name) => Some(name),
            Actor::Agent(_) | Actor::Clock | Actor::System => None,
        }
    }

    /// Returns the user or agent that caused the event, else `Jangdan`.
    pub(crate) fn acting_party_name(&self) -> String {
        match self.actor {
            Actor::Person(name) => name.clone(),
            Actor::Agent(session) => self.agent(*session),
            Actor::Clock | Actor::System => "Jangdan".to_owned(),
        }
    }

    /// Returns the id of a question with the beginning of its text.
    pub(crate) fn question(&self, id: QuestionId) -> String {
        self.rows.questions.get(&id).map_or_else(|| id.to_string(), |row| question_label(id, &row.text))
    }

    /// Returns the same in Korean, for questions that Jangdan asks itself.
    pub(crate) fn question_korean(&self, id: QuestionId) -> String {
        let row = self.rows.questions.get(&id);
        row.map_or_else(|| id.to_string(), |row| question_label(id, row.korean.as_ref().unwrap_or(&row.text)))
    }

    /// Returns an answer in Korean, if it is a decision about a permission.
    pub(crate) fn answer_korean<'b>(&self, question: QuestionId, answer: &'b str) -> &'b str {
        let is_permission = self.rows.questions.get(&question).is_some_and(|row| row.permission.is_some());
        match answer {
            "allow" if is_permission => "허용",
            "deny" if is_permission => "거부",
            _ => answer,
        }
    }

    /// Returns the name of a requested resource with the id of the request.
    pub(crate) fn request(&self, id: RequestId) -> String {
        self.rows.requests.get(&id).map_or_else(|| id.to_string(), |row| format!("{} ({id})", row.name))
    }

    pub(crate) fn escalation_row(&self, id: EscalationId) -> Option<&EscalationRow> {
        self.rows.escalations.get(&id)
    }

    pub(crate) fn escalation_subject(&self, id: EscalationId) -> EscalationSubject {
        let row = self.escalation_row(id);
        match (row.and_then(|row| row.task.clone()), row.and_then(|row| row.phase)) {
            (Some(task), _) => EscalationSubject::Task { task },
            (None, Some(phase)) => EscalationSubject::Phase { phase },
            (None, None) => EscalationSubject::Run,
        }
    }

    pub(crate) fn invocation_row(&self, id: InvocationId) -> Option<&InvocationRow> {
        self.rows.invocations.get(&id)
    }

    /// Returns the agent that called and the agent that was called.
    pub(crate) fn call_parties(&self, id: InvocationId) -> (String, String) {
        let row = self.invocation_row(id);
        let caller = row.map_or_else(|| id.to_string(), |row| self.agent(row.caller_session));
        let callee = row.map_or_else(|| id.to_string(), |row| row.callee.to_string());
        (caller, callee)
    }

    /// Returns the agent that submitted a result.
    pub(crate) fn result_sender(&self, id: ResultId) -> String {
        self.rows.results.get(&id).map_or_else(|| id.to_string(), |row| self.agent(row.from_session))
    }

    /// Returns the task of a feedback loop.
    pub(crate) fn loop_task(&self, id: LoopId) -> String {
        self.rows.loops.get(&id).map_or_else(|| id.to_string(), |row| row.task.to_string())
    }

    /// Returns the task of a checkpoint.
    pub(crate) fn checkpoint_task(&self, id: CheckpointId) -> Option<&TaskId> {
        self.rows.checkpoints.get(&id).map(|row| &row.task)
    }
}

fn question_label(id: QuestionId, text: &str) -> String {
    const LABEL_CHARS_MAX: usize = 48;
    if text.trim().is_empty() {
        id.to_string()
    } else {
        format!("{id} ({})", shorten_first_line(text, LABEL_CHARS_MAX))
    }
}

/// Joins names for a sentence: the first few, and the number of the others.
pub(crate) fn join_leading_names<T: ToString>(items: &[T]) -> String {
    join_names_of_total(items, items.len())
}

/// Joins the first names of `n_items`.
pub(crate) fn join_names_of_total<T: ToString>(items: &[T], n_items: usize) -> String {
    let mut names = leading_names(items);
    if n_items > names.len() {
        names.push(format!("{} more", n_items - names.len()));
    }
    names.join(", ")
}

pub(crate) fn to_usize(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Returns the names of a list that fit a sentence.
pub(crate) fn leading_names<T: ToString>(items: &[T]) -> Vec<String> {
    const NAMES_MAX: usize = 8;
    items.iter().take(NAMES_MAX).map(ToString::to_string).collect()
}

/// Returns the first line of a text, shortened to 120 characters.
pub(crate) fn first_line(text: &str) -> String {
    const LINE_CHARS_MAX: usize = 120;
    shorten_first_line(text, LINE_CHARS_MAX)
}

fn shorten_first_line(text: &str, chars_max: usize) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(chars_max).collect();
    if short.len() < text.len() { format!("{}…", short.trim_end()) } else { short }
}

/// Returns the first ten digits of a commit id.
pub(crate) fn short_commit(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// Returns the first line of a text behind a colon, nothing if it is empty.
pub(crate) fn prefix_with_colon(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!(": {}", first_line(text)) }
}
