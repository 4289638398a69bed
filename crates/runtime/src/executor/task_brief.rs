//! Prompts of tasks for agents, from the briefs of the engine. They do not contain the session's key.

use engine::{CompletedDependency, TaskBrief};
use protocol::prompts::{DependencyResult, TaskPrompt};

/// Returns the prompt of a task, without what depends on its session: worktree and preamble.
pub(super) fn task_prompt(brief: TaskBrief) -> TaskPrompt {
    let context = brief
        .conversation
        .map(|text| format!("You have worked at this before. The conversation so far:\n{text}"));
    TaskPrompt {
        task_id: brief.task,
        from: None,
        phase: Some(brief.phase),
        title: Some(brief.title),
        text: brief.text,
        context,
        criteria: brief.criteria,
        touches: brief.touches,
        check: brief.check,
        results: brief.dependencies.into_iter().map(dependency_result).collect(),
        worktree: None,
        preamble: None,
    }
}

fn dependency_result(dependency: CompletedDependency) -> DependencyResult {
    let CompletedDependency { task, title, reported } = dependency;
    let lines: Vec<String> = reported.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    DependencyResult { task_id: task, content: if lines.is_empty() { title } else { lines.join("\n") } }
}
