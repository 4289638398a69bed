//! The prompt of a task of the plan, or of a call by another agent.

use domain::{AgentName, Locale, PhaseNumber, TaskId};
use serde::Serialize;

use super::{localized, prompt_text::PromptText, template};

/// The prompt of a task. A task of the plan has most of the fields, a call has `from`, `text` and `context`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskPrompt {
    /// For a call, the caller's task.
    pub task_id: TaskId,
    /// The caller, if it is a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub text: String,
    /// Additional information from the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// The paths that the task may change, as in the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    /// The command that checks the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The results of the tasks that this one depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<DependencyResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The description of the protocol; see [`preamble`](super::preamble()).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preamble: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DependencyResult {
    /// The task that delivered the result.
    pub task_id: TaskId,
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

This command checks the result:
{check}

Results of the tasks it depends on:
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

다음 명령으로 결과를 검증합니다:
{check}

앞선 작업의 결과:
{results}

작업 디렉터리: {worktree}

{preamble}
";

/// Returns the template of a task's prompt, which a project can replace with its own.
///
/// Its placeholders are `{heading}`, `{task}`, `{from}`, `{phase}`, `{title}`, `{text}`, `{context}`, `{criteria}`,
/// `{touches}`, `{check}`, `{results}`, `{worktree}` and `{preamble}`. A line whose placeholders are empty is omitted,
/// and so is a paragraph whose placeholders all are.
pub fn task_template(locale: Locale) -> &'static str {
    localized(locale, TEMPLATE_EN, TEMPLATE_KO)
}

/// Renders a task's prompt from a project's own template.
pub fn render_task_prompt(task: &TaskPrompt, template: &str, locale: Locale) -> String {
    let mut text = PromptText::default();
    task.write(template, locale, &mut text);
    text.finish()
}

impl TaskPrompt {
    pub(super) fn write(&self, template: &str, locale: Locale, text: &mut PromptText) {
        template::render(template, |name| self.placeholder_value(name, locale), text);
    }

    fn placeholder_value(&self, name: &str, locale: Locale) -> Option<template::PlaceholderValue> {
        let optional =
            |text: Option<String>| text.filter(|text| !text.trim().is_empty()).into_iter().collect();
        let value = match name {
            "heading" => vec![self.heading(locale)],
            "task" => vec![self.task_id.to_string()],
            "from" => optional(self.from.as_ref().map(AgentName::to_string)),
            "phase" => optional(self.phase.map(|phase| phase.to_string())),
            "title" => optional(self.title.clone()),
            "text" => optional(Some(self.text.clone())),
            "context" => optional(self.context.clone()),
            "criteria" => self.criteria.iter().map(|criterion| format_bullet(criterion)).collect(),
            "touches" => self.touches.iter().map(|path| format_bullet(path)).collect(),
            "check" => optional(self.check.clone()),
            "results" => {
                self.results.iter().map(|result| format!("{}:\n{}", result.task_id, result.content)).collect()
            }
            "worktree" => optional(self.worktree.clone()),
            "preamble" => optional(self.preamble.clone()),
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

/// Formats an item of a list, with its further lines indented.
fn format_bullet(text: &str) -> String {
    format!("- {}", text.trim().replace('\n', "\n  "))
}
