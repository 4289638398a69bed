//! Tasks: overview, conversation, events.

use std::collections::BTreeSet;

use axum::{Json, extract::State};
use domain::{Actor, Locale, RunId, Sequence, SessionId, TaskId};
use engine::Rejection;
use runtime::{HostError, RunSnapshot};
use views::{TurnKind, TurnRow, TurnSpeaker, describe_event};

use crate::{
    api::Api,
    bodies::{ConversationTurn, ConversationTurnKind, EventEntry, TaskOverview, ToolUseSummary, TurnAuthor},
    extract::{PathParams, QueryPairs, QueryReader},
    problem::{ApiError, Problem},
    routes::check_run_exists,
};

/// Default limit of a response.
const EVENTS: usize = 200;
const EVENTS_MAX: usize = 1000;
/// Entries that are read from the log at once.
const PAGE_ENTRIES: usize = 1000;

/// Returns a task with its plan, attempts, check results, checkpoints, questions, requests and problems.
#[utoipa::path(
    get, path = "/api/runs/{run}/tasks/{task}",
    params(("run" = String, Path, description = "id of the run"), ("task" = String, Path, description = "id of the task")),
    responses((status = OK, body = TaskOverview), (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn get_task(
    State(api): State<Api>,
    PathParams((run, task)): PathParams<(RunId, TaskId)>,
) -> Result<Json<TaskOverview>, ApiError> {
    api.run_blocking(move |host| {
        let snapshot = host.run_snapshot(&run)?;
        let rows = snapshot.views.rows();
        let row = rows.tasks.get(&task).cloned().ok_or_else(|| unknown_task_error(&task))?;
        Ok(Json(TaskOverview {
            detail: rows.task_details.get(&task).cloned(),
            attempts: rows.attempts.iter().filter(|row| row.task == task).cloned().collect(),
            receipts: rows.receipts.iter().filter(|row| row.task.as_ref() == Some(&task)).cloned().collect(),
            checkpoints: rows.checkpoints.iter().filter(|row| row.task == task).cloned().collect(),
            questions: rows
                .questions
                .iter()
                .filter(|row| row.task.as_ref() == Some(&task))
                .cloned()
                .collect(),
            requests: rows.requests.iter().filter(|row| row.task.as_ref() == Some(&task)).cloned().collect(),
            escalations: rows
                .escalations
                .iter()
                .filter(|row| row.task.as_ref() == Some(&task))
                .cloned()
                .collect(),
            loops: rows.loops.iter().filter(|row| row.task == task).cloned().collect(),
            task: row,
        }))
    })
    .await
}

/// Returns the conversation with the agents of a task, in order.
#[utoipa::path(
    get, path = "/api/runs/{run}/tasks/{task}/conversation",
    params(("run" = String, Path, description = "id of the run"), ("task" = String, Path, description = "id of the task")),
    responses((status = OK, body = [ConversationTurn]), (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn conversation(
    State(api): State<Api>,
    PathParams((run, task)): PathParams<(RunId, TaskId)>,
) -> Result<Json<Vec<ConversationTurn>>, ApiError> {
    api.run_blocking(move |host| {
        let snapshot = host.run_snapshot(&run)?;
        if snapshot.views.rows().tasks.get(&task).is_none() {
            return Err(unknown_task_error(&task));
        }
        let turns = snapshot.views.rows().turns.iter().filter(|turn| turn.task.as_ref() == Some(&task));
        Ok(Json(sorted_turns(&snapshot, turns)))
    })
    .await
}

/// Returns the conversation with the agent of a session, in order: its turns, and the inputs that it was sent.
#[utoipa::path(
    get, path = "/api/runs/{run}/sessions/{session}/conversation",
    params(("run" = String, Path, description = "id of the run"), ("session" = String, Path, description = "id of the session")),
    responses((status = OK, body = [ConversationTurn]), (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn session_conversation(
    State(api): State<Api>,
    PathParams((run, session)): PathParams<(RunId, SessionId)>,
) -> Result<Json<Vec<ConversationTurn>>, ApiError> {
    api.run_blocking(move |host| {
        let snapshot = host.run_snapshot(&run)?;
        if snapshot.views.rows().sessions.get(&session).is_none() {
            return Err(HostError::UnknownSession { run, session }.into());
        }
        let turns = snapshot.views.rows().turns.iter().filter(|turn| turn.session == session);
        Ok(Json(sorted_turns(&snapshot, turns)))
    })
    .await
}

fn sorted_turns<'a>(
    snapshot: &RunSnapshot,
    turns: impl Iterator<Item = &'a TurnRow>,
) -> Vec<ConversationTurn> {
    let mut turns: Vec<_> = turns.map(|turn| to_turn(snapshot, turn)).collect();
    turns.sort_by_key(|turn| turn.index);
    turns
}

fn to_turn(snapshot: &RunSnapshot, turn: &TurnRow) -> ConversationTurn {
    let question = turn.question.and_then(|id| snapshot.views.rows().questions.get(&id));
    let person = match (turn.kind, question) {
        (TurnKind::Answer, Some(row)) => row.answered_by.as_ref(),
        (TurnKind::Clarification, Some(row)) => {
            row.clarifications.last().map(|clarification| &clarification.by)
        }
        _ => None,
    };
    let name = match person {
        Some(Actor::Person(name)) => Some(name.clone()),
        _ => None,
    };
    let author = match (turn.role, turn.kind, &name) {
        (_, _, Some(_)) => TurnAuthor::Person,
        (TurnSpeaker::Agent, TurnKind::Notice, None) => TurnAuthor::System,
        (TurnSpeaker::Agent, _, None) => TurnAuthor::Agent,
        (TurnSpeaker::Orchestrator, _, None) => TurnAuthor::Orchestrator,
    };
    ConversationTurn {
        index: turn.index,
        at: turn.sent_at,
        author,
        name: name.or_else(|| turn.agent.as_ref().map(ToString::to_string)),
        session: turn.session,
        kind: match turn.kind {
            TurnKind::Text | TurnKind::Step => ConversationTurnKind::Text,
            TurnKind::Prompt => ConversationTurnKind::Prompt,
            TurnKind::Question | TurnKind::Clarification => ConversationTurnKind::Question,
            TurnKind::Answer => ConversationTurnKind::Answer,
            TurnKind::Notice => ConversationTurnKind::Notice,
        },
        question: turn.question,
        text: turn.shown_text(Locale::En),
        tools: turn.tools.uses.iter().map(ToolUseSummary::from).collect(),
        n_tools_omitted: turn.tools.n_omitted,
        is_cut: turn.is_interrupted,
    }
}

/// Lists the events of a run, in order.
#[utoipa::path(
    get, path = "/api/runs/{run}/events",
    params(
        ("run" = String, Path, description = "id of the run"),
        ("after" = Option<u64>, Query, description = "sequence number after which the list starts"),
        ("task" = Option<String>, Query, description = "only events of this task"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "maximum number of events; 200 if missing"),
    ),
    responses(
        (status = OK, body = [EventEntry]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn events(
    State(api): State<Api>,
    PathParams(run): PathParams<RunId>,
    query: QueryPairs,
) -> Result<Json<Vec<EventEntry>>, ApiError> {
    let mut query = QueryReader::new(query);
    let after = Sequence(query.take("after")?.unwrap_or(0));
    let task: Option<TaskId> = query.take("task")?;
    let limit = query.take_limit(EVENTS, EVENTS_MAX)?;
    query.finish()?;
    api.run_blocking(move |host| {
        check_run_exists(host, &run)?;
        let snapshot = host.run_snapshot(&run)?;
        let selected = task.map(|task| (sessions_of_task(&snapshot, &task), task));
        // Read to the end of the log if necessary: an empty response means that there are no more events.
        let (mut events, mut after) = (Vec::new(), after);
        while events.len() < limit {
            let entries = host.log().read(&run, after, PAGE_ENTRIES)?;
            let Some(last) = entries.last() else { break };
            after = last.sequence;
            for entry in &entries {
                let recorded = entry.to_recorded_event()?;
                let sentence = describe_event(&recorded.event, snapshot.views.rows(), &recorded.actor);
                let is_selected = selected.as_ref().is_none_or(|(sessions, task)| {
                    sentence.task.as_ref() == Some(task)
                        || sentence.task.is_none()
                            && sentence.session.is_some_and(|session| sessions.contains(&session))
                });
                if is_selected && events.len() < limit {
                    events.push(EventEntry {
                        sequence: recorded.sequence,
                        at: recorded.at,
                        actor: recorded.actor.to_string(),
                        event: recorded.event.name().to_owned(),
                        text: sentence.text,
                        task: sentence.task,
                        session: sentence.session,
                        question: sentence.question,
                        quiet: sentence.is_internal,
                    });
                }
            }
        }
        Ok(Json(events))
    })
    .await
}

/// Returns the sessions that worked on a task.
fn sessions_of_task(snapshot: &RunSnapshot, task: &TaskId) -> BTreeSet<SessionId> {
    let rows = snapshot.views.rows();
    let of_attempts = rows.attempts.iter().filter(|row| row.task == *task).map(|row| row.session);
    let of_turns = rows.turns.iter().filter(|row| row.task.as_ref() == Some(task)).map(|row| row.session);
    of_attempts.chain(of_turns).collect()
}

pub(super) fn unknown_task_error(task: &TaskId) -> ApiError {
    Rejection::UnknownTask { task: task.clone() }.into()
}
