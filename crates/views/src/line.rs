//! One line about an event, with what it is about.

use domain::{PhaseNumber, QuestionId, SessionId, TaskId};

/// What happened, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What happened.
    pub text: String,
    /// The task it is about.
    pub task: Option<TaskId>,
    /// The phase it is about.
    pub phase: Option<PhaseNumber>,
    /// The session it is about.
    pub session: Option<SessionId>,
    /// The question it is about.
    pub question: Option<QuestionId>,
    /// What else it is about, by its id: a request, a call, an escalation and so on.
    pub id: Option<String>,
    /// Whether only somebody who looks for a mistake wants to know.
    pub quiet: bool,
}

impl Line {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        let (task, phase, session, question, id) = (None, None, None, None, None);
        Self { text: text.into(), task, phase, session, question, id, quiet: false }
    }

    pub(crate) fn task(mut self, task: &TaskId) -> Self {
        self.task = Some(task.clone());
        self
    }

    pub(crate) fn maybe_task(mut self, task: Option<&TaskId>) -> Self {
        self.task = task.cloned();
        self
    }

    pub(crate) fn phase(mut self, phase: PhaseNumber) -> Self {
        self.phase = Some(phase);
        self
    }

    pub(crate) fn session(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    pub(crate) fn question(mut self, question: QuestionId) -> Self {
        self.question = Some(question);
        self
    }

    pub(crate) fn id(mut self, id: impl ToString) -> Self {
        self.id = Some(id.to_string());
        self
    }

    pub(crate) fn quiet(mut self) -> Self {
        self.quiet = true;
        self
    }
}

/// Joins names for a sentence; of many only the first are named.
pub(crate) fn list<T: ToString>(items: &[T]) -> String {
    list_of(items, items.len())
}

/// Joins names for a sentence, of which only the first are at hand.
pub(crate) fn list_of<T: ToString>(items: &[T], n_items: usize) -> String {
    let mut named = first(items);
    if n_items > named.len() {
        named.push(format!("{} more", n_items - named.len()));
    }
    named.join(", ")
}

/// Returns a number of things as it is counted here.
pub(crate) fn count(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Returns the names of a list that fit a sentence.
pub(crate) fn first<T: ToString>(items: &[T]) -> Vec<String> {
    const NAMED_MAX: usize = 8;
    items.iter().take(NAMED_MAX).map(ToString::to_string).collect()
}

/// Returns the first line of a text, shortened to what fits a line.
pub(crate) fn brief(text: &str) -> String {
    const SIGNS_MAX: usize = 120;
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(SIGNS_MAX).collect();
    if short.len() < text.len() { format!("{}…", short.trim_end()) } else { short }
}

/// Returns as much of a commit's name as people compare.
pub(crate) fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// Puts a text behind a colon, where there is one.
pub(crate) fn colon(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!(": {}", brief(text)) }
}
