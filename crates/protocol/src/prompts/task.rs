//! The prompt of a task of the plan, or of a call by another agent.

use domain::{AgentName, AttemptNumber, Locale, PhaseNumber, TaskId};
use serde::Serialize;

use super::templates::{PromptTemplate, TemplateValues, render_source, render_template};

/// The prompt of a task. A task of the plan has most of the fields, a call has `from`, `text` and `context`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskPrompt {
    /// For a call, the caller's task.
    pub task_id: TaskId,
    /// The caller, if it is a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentName>,
    /// Why the task starts again, or a hint for this attempt. Comes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<AttemptReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub text: String,
    /// Additional information from the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The conversation so far, for an agent that does not remember it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// The paths that the task may change, as in the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    /// The command that checks the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Completed tasks that this one builds on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<TaskSummary>,
    /// Tasks that other agents work on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parallel: Vec<TaskSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<WorkDirectory>,
    /// The description of the protocol; see [`preamble`](super::preamble()).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preamble: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptReason {
    pub attempt: AttemptNumber,
    pub text: String,
}

/// Another task, in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskSummary {
    pub task_id: TaskId,
    pub title: String,
    /// The agent that works or worked on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// What its agent reported, or the files that it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// The directory that an agent works in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkDirectory {
    pub path: String,
    /// Whether it is a git worktree for the task, not the project's folder.
    pub is_worktree: bool,
}

/// Returns the template of a task's prompt, which a project can replace with its own.
///
/// Its placeholders are `{heading}`, `{task}`, `{from}`, `{attempt}`, `{reason}`, `{project}`, `{phase}`,
/// `{phase_title}`, `{phase_name}` (both), `{title}`, `{text}`, `{context}`, `{criteria}`, `{touches}`, `{check}`,
/// `{done}`, `{parallel}`, `{worktree}` (the path of the directory), `{directory}` (a sentence about it) and
/// `{preamble}`. `{results}` is an older name of `{done}`. A line whose placeholders are empty is omitted, and so is a
/// paragraph whose placeholders all are.
pub fn task_template(locale: Locale) -> &'static str {
    PromptTemplate::Task.source(locale)
}

/// Renders a task's prompt from a project's own template.
pub fn render_task_prompt(task: &TaskPrompt, template: &str, locale: Locale) -> String {
    render_source(template, &task.values(locale))
}

impl TaskPrompt {
    /// Creates a prompt without any content.
    pub fn new(task_id: TaskId) -> Self {
        Self {
            task_id,
            from: None,
            reason: None,
            project: None,
            phase: None,
            phase_title: None,
            title: None,
            text: String::new(),
            context: None,
            conversation: None,
            criteria: Vec::new(),
            touches: Vec::new(),
            check: None,
            done: Vec::new(),
            parallel: Vec::new(),
            directory: None,
            preamble: None,
        }
    }

    pub(super) fn render(&self, locale: Locale) -> String {
        match &self.from {
            Some(from) => render_call(from, &self.text, self.context.as_deref(), locale),
            None => render_template(PromptTemplate::Task, locale, &self.values(locale)),
        }
    }

    fn values(&self, locale: Locale) -> TemplateValues {
        let Self { task_id, from, reason, project, phase, phase_title, title, text, .. } = self;
        let Self {
            context, conversation, criteria, touches, check, done, parallel, directory, preamble, ..
        } = self;
        let heading = TemplateValues::new().text("task", task_id);
        let attempt = reason.as_ref().map(|reason| reason.attempt).filter(|attempt| *attempt > 1);
        let conversation = conversation.as_ref().map(|text| {
            let values = TemplateValues::new().text("conversation", text);
            render_template(PromptTemplate::Conversation, locale, &values)
        });
        let context: Vec<&str> =
            [context.as_deref(), conversation.as_deref()].into_iter().flatten().collect();
        let done: Vec<String> = done.iter().map(TaskSummary::line).collect();
        TemplateValues::new()
            .text("heading", render_template(PromptTemplate::TaskHeading, locale, &heading))
            .text("task", task_id)
            .optional("from", from.as_ref())
            .optional("attempt", attempt)
            .optional("reason", reason.as_ref().map(|reason| &reason.text))
            .optional("project", project.as_ref())
            .optional("phase", *phase)
            .optional("phase_title", phase_title.as_ref())
            .optional("phase_name", phase.map(|phase| phase_name(phase, phase_title.as_deref())))
            .optional("title", title.as_ref())
            .text("text", text)
            .text("context", context.join("\n\n"))
            .items("criteria", criteria)
            .items("touches", touches)
            .optional("check", check.as_ref())
            .items("done", &done)
            .items("results", &done)
            .items("parallel", parallel.iter().map(TaskSummary::line))
            .optional("worktree", directory.as_ref().map(|directory| &directory.path))
            .optional("directory", directory.as_ref().map(|directory| directory.sentence(locale)))
            .optional("preamble", preamble.as_ref())
    }
}

impl TaskSummary {
    /// Returns the task in a line: id, title, agent and summary.
    pub fn line(&self) -> String {
        let Self { task_id, title, agent, summary } = self;
        let agent = agent.as_ref().map(|agent| format!(" ({agent})")).unwrap_or_default();
        let summary = summary.as_ref().map(|summary| format!(": {summary}")).unwrap_or_default();
        format!("{task_id} {title}{agent}{summary}").replace('\n', " ")
    }
}

impl WorkDirectory {
    fn sentence(&self, locale: Locale) -> String {
        let template = match self.is_worktree {
            true => PromptTemplate::DirectoryWorktree,
            false => PromptTemplate::DirectoryProject,
        };
        render_template(template, locale, &TemplateValues::new())
    }
}

/// Returns the number of a phase, with its title if it has one.
pub(super) fn phase_name(phase: PhaseNumber, title: Option<&str>) -> String {
    match title.filter(|title| !title.trim().is_empty()) {
        Some(title) => format!("{phase}: {title}"),
        None => phase.to_string(),
    }
}

/// Renders the request of another agent.
pub fn render_call(from: &AgentName, text: &str, context: Option<&str>, locale: Locale) -> String {
    let values = TemplateValues::new().text("from", from).text("text", text).optional("context", context);
    render_template(PromptTemplate::Call, locale, &values)
}
