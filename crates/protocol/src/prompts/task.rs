//! Work to do: a task of the plan, or another agent's call, and the prompt that it becomes.

use domain::{AgentName, Locale, PhaseNumber, TaskId};
use serde::Serialize;

use super::{localized, prompt_text::PromptText, template};

/// Work to do. A task of the plan has most of the fields, a call has `from`, `text` and `context`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskPrompt {
    /// The task; where it is a call, the caller's.
    pub task_id: TaskId,
    /// Who calls, where it is a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentName>,
    /// The task's phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    /// The task's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is to be done.
    pub text: String,
    /// What the caller adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// When it is done, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// The files that it changes, as the plan has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    /// The command that will judge it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// What the tasks before it have delivered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<DependencyResult>,
    /// The directory to work in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// What the agent is told about the protocol; see [`preamble`](super::preamble()).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preamble: Option<String>,
}

/// What a task that this one depends on has delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DependencyResult {
    /// The task that delivered it.
    pub task_id: TaskId,
    /// The result.
    pub content: String,
}

const TEMPLATE_EN: &str = "\
{heading}
Phase {phase}
{title}

{text}

context:
{context}

Acceptance criteria:
{criteria}

Change only:
{touches}

It will be judged by this check:
{check}

Results of the tasks before it:
{results}

Work in this directory: {worktree}

{preamble}
";

const TEMPLATE_KO: &str = "\
{heading}
{phase}단계
{title}

{text}

컨텍스트:
{context}

완료 조건:
{criteria}

수정 범위:
{touches}

다음 검사로 판정합니다:
{check}

앞선 작업의 결과:
{results}

작업 디렉터리: {worktree}

{preamble}
";

/// Returns the template of a task's prompt, which a project can replace with its own.
///
/// Its places are `{heading}`, `{task}`, `{from}`, `{phase}`, `{title}`, `{text}`, `{context}`, `{criteria}`,
/// `{touches}`, `{check}`, `{results}`, `{worktree}` and `{preamble}`. A line whose places are empty is left out, and
/// so is a paragraph whose places all are.
pub fn task_template(locale: Locale) -> &'static str {
    localized(locale, TEMPLATE_EN, TEMPLATE_KO)
}

/// Returns a task's prompt, made from a project's own template.
pub fn render_task_prompt(task: &TaskPrompt, template: &str, locale: Locale) -> String {
    let mut text = PromptText::default();
    task.write(template, locale, &mut text);
    text.finish()
}

impl TaskPrompt {
    pub(super) fn write(&self, template: &str, locale: Locale, text: &mut PromptText) {
        template::render(template, |name| self.placeholder(name, locale), text);
    }

    fn placeholder(&self, name: &str, locale: Locale) -> Option<template::PlaceholderValue> {
        let one = |text: Option<String>| text.filter(|text| !text.trim().is_empty()).into_iter().collect();
        let value = match name {
            "heading" => vec![self.heading(locale)],
            "task" => vec![self.task_id.to_string()],
            "from" => one(self.from.as_ref().map(AgentName::to_string)),
            "phase" => one(self.phase.map(|phase| phase.to_string())),
            "title" => one(self.title.clone()),
            "text" => one(Some(self.text.clone())),
            "context" => one(self.context.clone()),
            "criteria" => self.criteria.iter().map(|criterion| bullet(criterion)).collect(),
            "touches" => self.touches.iter().map(|path| bullet(path)).collect(),
            "check" => one(self.check.clone()),
            "results" => {
                self.results.iter().map(|result| format!("{}:\n{}", result.task_id, result.content)).collect()
            }
            "worktree" => one(self.worktree.clone()),
            "preamble" => one(self.preamble.clone()),
            _ => return None,
        };
        Some(value)
    }

    fn heading(&self, locale: Locale) -> String {
        match &self.from {
            Some(from) => format!("[{} from {from}]", localized(locale, "TASK", "작업 요청")),
            None => format!("[{} {}]", localized(locale, "TASK", "작업"), self.task_id),
        }
    }
}

/// Makes an item of a list; its further lines are indented.
fn bullet(text: &str) -> String {
    format!("- {}", text.trim().replace('\n', "\n  "))
}
