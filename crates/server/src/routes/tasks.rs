//! One task: all that is known of it, its conversation, and what happened to it.

use std::collections::BTreeSet;

use axum::{Json, extract::State};
use domain::{Actor, RunId, Sequence, SessionId, TaskId};
use runtime::RunSnapshot;
use views::{TurnKind, TurnRow, TurnSpeaker, describe_event};

use crate::{
    api::Api,
    bodies::{By, HappenedEvent, Said, SaidKind, TaskWhole, UsedTool},
    code::Code,
    problem::{Failure, Problem},
    request::{Asked, Named, Pairs},
    routes::known,
};

/// How many events are answered where nobody says how many.
const EVENTS: usize = 200;
/// How many at most.
const EVENTS_MAX: usize = 1000;
/// How many entries are read at once.
const PAGE_ENTRIES: usize = 1000;

/// All that is known of a task: its row, what the plan says, its tries, proofs, checkpoints and questions.
#[utoipa::path(
    get, path = "/api/runs/{run}/tasks/{task}",
    params(("run" = String, Path, description = "the run"), ("task" = String, Path, description = "the task")),
    responses((status = OK, body = TaskWhole), (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"))
)]
pub async fn one(
    State(api): State<Api>,
    Named((run, task)): Named<(RunId, TaskId)>,
) -> Result<Json<TaskWhole>, Failure> {
    api.ask(move |host| {
        let shown = host.snapshot(&run)?;
        let rows = shown.views.rows();
        let row = rows.tasks.get(&task).cloned().ok_or_else(|| unknown(&run, &task))?;
        Ok(Json(TaskWhole {
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

/// What a task's agent was told and what it said, in order.
#[utoipa::path(
    get, path = "/api/runs/{run}/tasks/{task}/conversation",
    params(("run" = String, Path, description = "the run"), ("task" = String, Path, description = "the task")),
    responses((status = OK, body = [Said]), (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"))
)]
pub async fn conversation(
    State(api): State<Api>,
    Named((run, task)): Named<(RunId, TaskId)>,
) -> Result<Json<Vec<Said>>, Failure> {
    api.ask(move |host| {
        let shown = host.snapshot(&run)?;
        if shown.views.rows().tasks.get(&task).is_none() {
            return Err(unknown(&run, &task));
        }
        let turns = shown.views.rows().turns.iter().filter(|turn| turn.task == task);
        let mut turns: Vec<_> = turns.map(|turn| (turn.index, said(&shown, turn))).collect();
        turns.sort_by_key(|(index, _)| *index);
        Ok(Json(turns.into_iter().map(|(_, said)| said).collect()))
    })
    .await
}

fn said(shown: &RunSnapshot, turn: &TurnRow) -> Said {
    let question = turn.question.and_then(|id| shown.views.rows().questions.get(&id));
    let person = match (turn.kind, question) {
        (TurnKind::Answer, Some(row)) => row.answered_by.as_ref(),
        (TurnKind::Clarification, Some(row)) => row.clarifications.last().map(|asked| &asked.by),
        _ => None,
    };
    let name = match person {
        Some(Actor::Person(name)) => Some(name.clone()),
        _ => None,
    };
    let by = match (turn.role, turn.kind, &name) {
        (_, _, Some(_)) => By::Person,
        (TurnSpeaker::Agent, TurnKind::Notice, None) => By::System,
        (TurnSpeaker::Agent, _, None) => By::Agent,
        (TurnSpeaker::Orchestrator, _, None) => By::Orchestrator,
    };
    Said {
        index: turn.index,
        at: turn.sent_at,
        by,
        name: name.or_else(|| turn.agent.as_ref().map(ToString::to_string)),
        session: turn.session,
        kind: match turn.kind {
            TurnKind::Text | TurnKind::Step => SaidKind::Text,
            TurnKind::Prompt => SaidKind::Prompt,
            TurnKind::Question | TurnKind::Clarification => SaidKind::Question,
            TurnKind::Answer => SaidKind::Answer,
            TurnKind::Notice => SaidKind::Notice,
        },
        question: turn.question,
        text: turn.content.clone(),
        tools: turn.tools.uses.iter().map(UsedTool::from).collect(),
        n_tools_left_out: turn.tools.n_omitted,
        is_cut: turn.is_interrupted,
    }
}

/// What happened in a run, an entry of its log for each, in order.
#[utoipa::path(
    get, path = "/api/runs/{run}/events",
    params(
        ("run" = String, Path, description = "the run"),
        ("after" = Option<u64>, Query, description = "the place in the run behind which it starts"),
        ("task" = Option<String>, Query, description = "only what is about this task"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "how many at most; 200 without it"),
    ),
    responses(
        (status = OK, body = [HappenedEvent]),
        (status = BAD_REQUEST, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn events(
    State(api): State<Api>,
    Named(run): Named<RunId>,
    asked: Asked,
) -> Result<Json<Vec<HappenedEvent>>, Failure> {
    let mut pairs = Pairs::new(asked);
    let after = Sequence(pairs.take("after")?.unwrap_or(0));
    let task: Option<TaskId> = pairs.take("task")?;
    let limit = pairs.take_limit(EVENTS, EVENTS_MAX)?;
    pairs.done()?;
    api.ask(move |host| {
        known(host, &run)?;
        let snapshot = host.snapshot(&run)?;
        let about = task.map(|task| (sessions_of(&snapshot, &task), task));
        // To the end of the log if need be: an answer without an event says that there is none.
        let (mut found, mut after) = (Vec::new(), after);
        while found.len() < limit {
            let entries = host.log().read(&run, after, PAGE_ENTRIES)?;
            let Some(last) = entries.last() else { break };
            after = last.sequence;
            for entry in &entries {
                let recorded = entry.recorded()?;
                let sentence = describe_event(&recorded.event, snapshot.views.rows(), &recorded.actor);
                let is_wanted = about.as_ref().is_none_or(|(sessions, task)| {
                    sentence.task.as_ref() == Some(task)
                        || sentence.task.is_none()
                            && sentence.session.is_some_and(|session| sessions.contains(&session))
                });
                if is_wanted && found.len() < limit {
                    found.push(HappenedEvent {
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
        Ok(Json(found))
    })
    .await
}

/// Returns the sessions that worked at a task.
fn sessions_of(shown: &RunSnapshot, task: &TaskId) -> BTreeSet<SessionId> {
    let rows = shown.views.rows();
    let of_attempts = rows.attempts.iter().filter(|row| row.task == *task).map(|row| row.session);
    let of_turns = rows.turns.iter().filter(|row| row.task == *task).map(|row| row.session);
    of_attempts.chain(of_turns).collect()
}

/// Says that there is no such task.
pub(super) fn unknown(run: &RunId, task: &TaskId) -> Failure {
    let hint = format!("GET /api/runs/{run}/rows?kind=task lists all");
    Failure::new(Code::UnknownTask, format!("there is no task {task}"), hint)
}
