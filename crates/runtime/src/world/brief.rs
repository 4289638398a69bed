//! What an agent is told about its task: from the rows, without a key, which only its session knows.

use domain::{SessionId, SessionInput, TaskId};
use protocol::prompts::{DependencyResult, TaskPrompt};
use views::{Speaker, TaskState};

use crate::Kept;

/// More of a conversation than this is not repeated to an agent that forgot it; the end of it matters.
const REPLAY_BYTES_MAX: usize = 24 * 1024;

/// Returns what there is to do, where an input says to begin with it.
pub(super) fn brief(input: &SessionInput, kept: &Kept) -> Option<Box<TaskPrompt>> {
    match input {
        SessionInput::Task { task, .. } | SessionInput::Test { task, .. } => of_task(task, kept),
        _ => None,
    }
}

/// Returns what a session was told and said so far, for an agent that can't remember by itself.
pub(super) fn replay(session: SessionId, kept: &Kept) -> Option<Box<TaskPrompt>> {
    let task = kept.run().assignment(session)?.task?;
    let mut brief = of_task(&task, kept)?;
    let rows = kept.views().rows();
    let said = rows.turns.iter().filter(|turn| turn.task == task && turn.session == session).skip(1);
    let line = |turn: &views::TurnRow| match turn.role {
        Speaker::Agent => format!("You: {}", turn.content),
        Speaker::Orchestrator => format!("Jangdan: {}", turn.content),
    };
    let lines: Vec<String> = said.map(line).collect();
    let text = lines.join("\n");
    let start = text.len().saturating_sub(REPLAY_BYTES_MAX);
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    if let Some(tail) = text.get(start..).filter(|tail| !tail.is_empty()) {
        brief.context = Some(format!("You have worked at this before. What was said then:\n{tail}"));
    }
    Some(brief)
}

fn of_task(task: &TaskId, kept: &Kept) -> Option<Box<TaskPrompt>> {
    let rows = kept.views().rows();
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
        check: kept.run().check_command(task).map(str::to_owned),
        results: detail.depends_on.iter().filter_map(result).collect(),
        worktree: None,
        preamble: None,
    }))
}
