//! The prompts of agents that judge the work of others: the tester of a task, the verifier of a phase.

use domain::{AgentName, AttemptNumber, Locale, PhaseNumber, SessionKey, TaskId};
use serde::Serialize;

use super::{
    TaskSummary,
    examples::EXAMPLE_TASK,
    templates::{PromptTemplate, TemplateValues, render_template},
};

/// The work of a task, for its tester.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestPrompt {
    pub task_id: TaskId,
    /// Attempt of the worker.
    pub attempt: AttemptNumber,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<AgentName>,
    /// The command that checked the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    pub changes: WorkChanges,
    #[serde(skip)]
    pub key: Option<SessionKey>,
}

/// The work of a phase, for its verifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyPrompt {
    pub phase: PhaseNumber,
    pub round: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub tasks: Vec<PhaseTask>,
    /// Glob patterns of the files that the phase must produce.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artefacts: Vec<String>,
    /// Documents that agents reported as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
    /// Files that match the patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The checks of the phase, each with its result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// How much the phase changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    pub changes: WorkChanges,
    #[serde(skip)]
    pub key: Option<SessionKey>,
}

/// A task of a phase, with its criteria.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseTask {
    #[serde(flatten)]
    pub summary: TaskSummary,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
}

/// What was changed, and how to see it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkChanges {
    /// The first changed files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The command that shows the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl TestPrompt {
    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { task_id, attempt, title, text, criteria, worker, check, changes, key } = self;
        let values = TemplateValues::new()
            .text("task", task_id)
            .text("attempt", attempt)
            .optional("title", title.as_ref())
            .text("text", text)
            .items("criteria", criteria)
            .optional("worker", worker.as_ref())
            .optional("check", check.as_ref())
            .items("files", &changes.files)
            .optional("diff", changes.command.as_ref())
            .optional("key", key.as_ref());
        render_template(PromptTemplate::Test, locale, &values)
    }
}

impl VerifyPrompt {
    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { phase, round, title, tasks, artefacts, documents, files, checks, changed, changes, key } =
            self;
        let example = tasks.first().map(|task| task.summary.task_id.to_string());
        let example = example.unwrap_or_else(|| EXAMPLE_TASK.to_owned());
        let values = TemplateValues::new()
            .text("phase", phase)
            .text("round", round)
            .optional("title", title.as_ref())
            .items("tasks", tasks.iter().map(PhaseTask::lines))
            .items("artefacts", artefacts)
            .items("documents", documents)
            .items("files", files)
            .items("checks", checks)
            .optional("changed", changed.as_ref())
            .text("accept", r#"{"verdict":"accept","summary":"why"}"#)
            .text("reject", reject_example(&example))
            .optional("diff", changes.command.as_ref())
            .text("example", &example)
            .optional("key", key.as_ref());
        render_template(PromptTemplate::Verify, locale, &values)
    }
}

/// Returns a verdict that rejects a phase, for the id of one of its tasks.
fn reject_example(task: &str) -> String {
    format!(
        r#"{{"verdict":"reject","summary":"why","findings":[{{"task":"{task}","file":"path","text":"what is wrong"}}]}}"#
    )
}

impl PhaseTask {
    /// Returns the task in a line, and each criterion below it.
    fn lines(&self) -> String {
        let criteria = self.criteria.iter().map(|criterion| format!("\n- {}", criterion.replace('\n', " ")));
        self.summary.line() + &criteria.collect::<String>()
    }
}
