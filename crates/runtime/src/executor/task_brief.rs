//! Descriptions of tasks for agents, made from the rows. They do not contain the session's key.

use domain::{SessionId, SessionInput, TaskId};
use protocol::prompts::{DependencyResult, TaskPrompt};
use views::{TaskState, TurnSpeaker};

use crate::DurableRun;

/// Limit of the conversation that is repeated to an agent; its end is the important part.
const REPLAY_BYTES_MAX: usize = 24 * 1024;

/// Returns the description of the task that an input starts; `None` for other inputs.
pub(super) fn task_brief(input: &SessionInput, durable_run: &DurableRun) -> Option<Box<TaskPrompt>> {
    match input {
        SessionInput::Task { task, .. } | SessionInput::Test { task, .. } => {
            build_task_brief(task, durable_run)
        }
        _ => None,
    }
}

/// Returns the description of a session's task with the conversation so far, for an agent that cannot resume it.
pub(super) fn replay_brief(session: SessionId, durable_run: &DurableRun) -> Option<Box<TaskPrompt>> {
    let task = durable_run.state().session_assignment(session)?.task?;
    let mut brief = build_task_brief(&task, durable_run)?;
    let turns = durable_run.views().rows().turns.iter();
    // The first turn is the description itself.
    let turns = turns.filter(|turn| turn.task == task && turn.session == session).skip(1);
    let line = |turn: &views::TurnRow| match turn.role {
        TurnSpeaker::Agent => format!("You: {}", turn.content),
        TurnSpeaker::Orchestrator => format!("Jangdan: {}", turn.content),
    };
    let lines: Vec<String> = turns.map(line).collect();
    let text = lines.join("\n");
    let start = text.len().saturating_sub(REPLAY_BYTES_MAX);
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    if let Some(tail) = text.get(start..).filter(|tail| !tail.is_empty()) {
        brief.context = Some(format!("You have worked at this before. The conversation so far:\n{tail}"));
    }
    Some(brief)
}

fn build_task_brief(task: &TaskId, durable_run: &DurableRun) -> Option<Box<TaskPrompt>> {
    let rows = durable_run.views().rows();
    let (row, detail) = (rows.tasks.get(task)?, rows.task_details.get(task)?);
    let result = |id: &TaskId| {
        let done = rows.tasks.get(id).filter(|row| row.state == TaskState::Done)?;
        let reported = &rows.task_details.get(id)?.reported;
        let lines: Vec<String> = reported.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let content = if lines.is_empty() { done.title.clone() } else { lines.join("\n") };
        Some(DependencyResult { task_id: id.clone(), content })
    };
    Some(Box::new(TaskPrompt {
        task_id: task.clone(),
        from: None,
        phase: Some(row.phase),
        title: Some(row.title.clone()),
        text: detail.text.clone(),
        context: None,
        criteria: detail.acceptance.clone(),
        touches: detail.touches.clone(),
        check: durable_run.state().check_command(task).map(str::to_owned),
        results: detail.depends_on.iter().filter_map(result).collect(),
        worktree: None,
        preamble: None,
    }))
}
