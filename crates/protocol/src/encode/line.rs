//! Dialects C and D and the phase marker: messages of one line, and the two that further lines may join.

use std::{collections::BTreeMap, fmt::Display};

use domain::{
    CustomMessage, DoneMessage, FailMessage, NeedHuman, PhaseComplete, PhaseNumber, PhaseTasksDone,
    ReadyTasksMessage, ResolveNextError, ResolveNextErrorCode, ResolveNextRequest, SessionKey,
    StartTaskMessage, TaskId,
};

use super::{quote_if_needed, session_key_suffix};
use crate::prompts::json;

pub(super) fn encode_phase_complete(complete: &PhaseComplete, key: Option<&SessionKey>) -> String {
    let PhaseComplete { phase, name, documents } = complete;
    let mut text = format!("=== PHASE {phase} COMPLETE{} ===\n", session_key_suffix(key));
    if let Some(name) = name {
        text.push_str(&format!("Phase: {name}\n"));
    }
    if !documents.is_empty() {
        text.push_str("Documents created:\n");
    }
    for document in documents {
        text.push_str(&format!("- {}\n", quote_if_needed(document)));
    }
    // Two blank lines end the message, so that a list printed next is not read as documents.
    text.push_str("\n\n");
    text
}

pub(super) fn encode_need_human(message: &NeedHuman, key: Option<&SessionKey>) -> String {
    format!("[NEED_HUMAN{}: {}]\n", session_key_suffix(key), message.question)
}

pub(super) fn encode_resolve_next(next: &ResolveNextRequest, key: Option<&SessionKey>) -> String {
    let phase = next.phase.map(|phase| format!(":PHASE:{phase}")).unwrap_or_default();
    line_with_session_key(format!("RESOLVE_NEXT{phase}{}", if next.force { ":FORCE" } else { "" }), key)
}

pub(super) fn encode_ready(ready: &ReadyTasksMessage, key: Option<&SessionKey>) -> String {
    let groups = ready.groups.iter().map(|group| join(group, ",")).collect::<Vec<_>>();
    line_with_session_key(format!("READY:{}", groups.join("|")), key)
}

pub(super) fn encode_phase_done(done: &PhaseTasksDone, key: Option<&SessionKey>) -> String {
    line_with_session_key(format!("PHASE_DONE:{}", done.phase), key)
}

pub(super) fn encode_all_done(key: Option<&SessionKey>) -> String {
    line_with_session_key("ALL_DONE".to_owned(), key)
}

pub(super) fn encode_task(request: &StartTaskMessage, key: Option<&SessionKey>) -> String {
    let StartTaskMessage { task_id, phase, worktree, meta } = request;
    let mut text = line_with_session_key(format!("TASK_ID:{}", format_task_reference(task_id, *phase)), key);
    if let Some(worktree) = worktree {
        text.push_str(&format!("WORKTREE:{worktree}\n"));
    }
    if let Some(meta) = meta {
        text.push_str(&format!("META:{}\n", json::to_line(meta)));
    }
    // A blank line ends the message, so that a line printed next does not join it.
    text.push('\n');
    text
}

pub(super) fn encode_done(done: &DoneMessage, key: Option<&SessionKey>) -> String {
    let DoneMessage { task_id, phase, reason, fields } = done;
    let reason = reason.as_ref().map(|reason| format!(":{reason}")).unwrap_or_default();
    line_with_session_key(
        format!("DONE:{}{}{reason}", format_task_reference(task_id, *phase), fields_text(fields)),
        key,
    )
}

pub(super) fn encode_fail(fail: &FailMessage, key: Option<&SessionKey>) -> String {
    let FailMessage { task_id, phase, reason, fields } = fail;
    // The last part is always the reason; without a reason, fields are followed by an empty part.
    let reason = match reason {
        Some(reason) => format!(":{reason}"),
        None if fields.is_empty() => String::new(),
        None => ":".to_owned(),
    };
    line_with_session_key(
        format!("FAIL:{}{}{reason}", format_task_reference(task_id, *phase), fields_text(fields)),
        key,
    )
}

pub(super) fn encode_resolve_error(error: &ResolveNextError, key: Option<&SessionKey>) -> String {
    let code = match error.code {
        ResolveNextErrorCode::TasksNotFound => "TASKS_NOT_FOUND",
        ResolveNextErrorCode::CircularDep => "CIRCULAR_DEP",
        ResolveNextErrorCode::MissingDep => "MISSING_DEP",
        ResolveNextErrorCode::ParseFail => "PARSE_FAIL",
        ResolveNextErrorCode::StateCorrupt => "STATE_CORRUPT",
    };
    let detail = error.detail.as_ref().map(|detail| format!(":{detail}")).unwrap_or_default();
    line_with_session_key(format!("ERROR:{code}{detail}"), key)
}

pub(super) fn encode_custom(custom: &CustomMessage, key: Option<&SessionKey>) -> String {
    line_with_session_key(format!("CUSTOM:{}:{}", custom.kind, custom.value), key)
}

fn line_with_session_key(text: String, key: Option<&SessionKey>) -> String {
    text + &session_key_suffix(key) + "\n"
}

fn format_task_reference(task: &TaskId, phase: Option<PhaseNumber>) -> String {
    match phase {
        Some(phase) => format!("P{phase}-{task}"),
        None => task.to_string(),
    }
}

fn fields_text(fields: &BTreeMap<String, String>) -> String {
    fields.iter().map(|(name, value)| format!(":{name}={value}")).collect()
}

fn join(items: &[impl Display], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}
