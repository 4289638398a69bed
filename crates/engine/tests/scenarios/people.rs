//! What people do in a scenario: `ana answers q_1: Postgres`.

use domain::{Command, DependencyType, EscalationAction, PermissionScope, ProvidedResource};

use crate::{
    given::{read_list, read_task, read_value, unquoted},
    stage::Stage,
};

/// Reads what a person wishes; nothing where the line is about nobody's wish.
pub fn read_wish(stage: &Stage, act: &[&str], tail: Option<&str>) -> Result<Option<Command>, String> {
    let words = || tail.map(str::to_owned);
    let said = || words().ok_or_else(|| "does not say what".to_owned());
    Ok(Some(match act {
        ["pauses", "the", "run"] => Command::PauseRun,
        ["continues", "the", "run"] => Command::ContinueRun,
        ["cancels", "the", "run"] => Command::CancelRun,
        ["pauses", "phase", phase] => Command::PausePhase(read_value(phase)?),
        ["continues", "phase", phase] => Command::ContinuePhase(read_value(phase)?),
        ["cancels", "phase", phase] => Command::CancelPhase(read_value(phase)?),
        ["pauses", task] => Command::PauseTask(read_value(task)?),
        ["continues", task] => Command::ContinueTask(read_value(task)?),
        ["cancels", task] => Command::CancelTask(read_value(task)?),
        ["retries", task] => Command::RetryTask { task: read_value(task)?, hint: words() },
        ["skips", request] if request.starts_with("d_") => Command::SkipRequest(read_value(request)?),
        ["skips", task] => Command::SkipTask(read_value(task)?),
        ["prioritizes", task, priority] => {
            Command::PrioritizeTask { task: read_value(task)?, priority: read_value(priority)? }
        }
        ["reassigns", task, "to", agent] => {
            Command::ReassignTask { task: read_value(task)?, agent: read_value(agent)? }
        }
        ["rewinds", task, "to", "its", "beginning"] => {
            Command::RewindTask { task: read_value(task)?, checkpoint: None }
        }
        ["rewinds", task, "to", checkpoint] => {
            Command::RewindTask { task: read_value(task)?, checkpoint: Some(read_value(checkpoint)?) }
        }
        ["keeps", "a", "checkpoint", "of", task] => Command::CreateCheckpoint(read_value(task)?),
        ["adds", "a", "task"] => Command::AddTask(Box::new(read_task(&said()?)?)),
        ["lets", later, "wait", "for", earlier] => {
            Command::AddDependency { earlier: read_value(earlier)?, later: read_value(later)? }
        }
        ["lets", later, "no", "longer", "wait", "for", earlier] => {
            Command::RemoveDependency { earlier: read_value(earlier)?, later: read_value(later)? }
        }
        ["marks", "as", "met"] => Command::MarkExternalMet { name: said()? },
        ["takes", offer] => Command::ApplyPlanChange { offer: read_value(offer)? },
        ["leaves", offer] => Command::IgnorePlanChange { offer: read_value(offer)? },
        ["answers", of, rest @ ..] => answer(of, rest, words().unwrap_or_default())?,
        ["asks", "back", "about", question] => {
            Command::RequestClarification { question: read_value(question)?, text: said()? }
        }
        ["tells", task] => Command::SendMessage { task: read_value(task)?, text: said()? },
        ["says"] => Command::Chat { text: said()?, talk_only: false },
        ["only", "says"] => Command::Chat { text: said()?, talk_only: true },
        ["provides", request] => {
            Command::Provide { request: read_value(request)?, provided: provided(stage, request, tail)? }
        }
        ["refuses", request] => Command::Refuse { request: read_value(request)?, reason: said()? },
        ["approves", "phase", phase] => Command::ApproveGate { phase: read_value(phase)?, note: words() },
        ["rejects", "phase", phase] => {
            Command::RejectGate { phase: read_value(phase)?, reason: said()?, tasks: Vec::new() }
        }
        ["rejects", "phase", phase, "because", "of", tasks @ ..] => {
            Command::RejectGate { phase: read_value(phase)?, reason: said()?, tasks: read_list(tasks)? }
        }
        ["resolves", escalation] => {
            Command::Resolve { escalation: read_value(escalation)?, action: action(&said()?)?, note: None }
        }
        _ => return Ok(None),
    }))
}

/// Reads a whole line, whose first word is the person.
pub fn read(stage: &Stage, words: &[&str], tail: Option<&str>) -> Result<Option<Command>, String> {
    match words.split_first() {
        Some((_, act)) => read_wish(stage, act, tail),
        None => Ok(None),
    }
}

fn answer(of: &str, keep: &[&str], answer: String) -> Result<Command, String> {
    let keep = match keep {
        [] => PermissionScope::Once,
        ["for", "the", "task"] => PermissionScope::Task,
        ["for", "the", "run"] => PermissionScope::Run,
        ["for", "the", "project"] => PermissionScope::Project,
        _ => return Err(format!("'{}' is no time", keep.join(" "))),
    };
    let (question, task) =
        if of.starts_with("q_") { (Some(read_value(of)?), None) } else { (None, Some(read_value(of)?)) };
    Ok(Command::Answer { question, task, answer, scope: keep })
}

/// Reads how a request is met; what its kind makes plain need not be said.
fn provided(stage: &Stage, request: &str, how: Option<&str>) -> Result<ProvidedResource, String> {
    let asked = stage.facts.requests.get(request).cloned().unwrap_or_default();
    let name = asked.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
    let kind = asked.get("type").cloned().and_then(|kind| serde_json::from_value(kind).ok());
    let how: Vec<&str> = how.unwrap_or_default().split_whitespace().collect();
    Ok(match (how.as_slice(), kind) {
        (["variables", names @ ..], _) => ProvidedResource::Environment { names: read_list(names)? },
        (["file", path], _) => ProvidedResource::File { path: (*path).to_owned() },
        (["granted"], _) => ProvidedResource::Permission { granted: true },
        (["denied"], _) => ProvidedResource::Permission { granted: false },
        (["version", version], _) => ProvidedResource::Package { name, version: Some((*version).to_owned()) },
        ([], Some(DependencyType::File)) => ProvidedResource::File { path: name },
        ([], Some(DependencyType::Permission)) => ProvidedResource::Permission { granted: true },
        ([], Some(DependencyType::Package)) => ProvidedResource::Package { name, version: None },
        ([], _) => ProvidedResource::Environment { names: vec![name] },
        _ => return Err(format!("'{}' is no way to provide it", how.join(" "))),
    })
}

fn action(text: &str) -> Result<EscalationAction, String> {
    Ok(match text.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["retry"] => EscalationAction::Retry { hint: None },
        ["retry", "with", ..] => {
            EscalationAction::Retry { hint: Some(unquoted(&text["retry with".len()..])) }
        }
        ["reassign", "to", agent] => EscalationAction::Reassign { agent: read_value(agent)? },
        ["skip"] => EscalationAction::Skip,
        ["waive"] => EscalationAction::Waive,
        ["raise", "the", "budget", "to", budget] => {
            EscalationAction::RaiseBudget { budget: read_value(budget)? }
        }
        ["give", "up"] => EscalationAction::MarkFailed,
        ["dismiss"] => EscalationAction::Dismiss,
        _ => return Err(format!("'{text}' is no action")),
    })
}
