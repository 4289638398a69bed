//! Commands of users in a scenario: `ana answers q_1: Postgres`.

use domain::{DependencyType, EscalationAction, PermissionScope, ProvidedResource, UserCommand};

use crate::{
    runner::ScenarioRunner,
    setup::{parse_value, read_list, read_task, strip_quotes},
};

/// Parses a command without the name of the user; `None` if the line is not a command.
fn read_command(
    runner: &ScenarioRunner,
    action: &[&str],
    tail: Option<&str>,
) -> Result<Option<UserCommand>, String> {
    let text = || tail.map(str::to_owned);
    let required_text = || text().ok_or_else(|| "has no text after the colon".to_owned());
    Ok(Some(match action {
        ["pauses", "the", "run"] => UserCommand::PauseRun,
        ["continues", "the", "run"] => UserCommand::ContinueRun,
        ["cancels", "the", "run"] => UserCommand::CancelRun,
        ["lands", "the", "run"] => UserCommand::LandRun { all: false, into: text(), squash: false },
        ["lands", "all", "of", "the", "run"] => {
            UserCommand::LandRun { all: true, into: text(), squash: false }
        }
        ["cleans", "up"] => UserCommand::CleanRun { refs: false },
        ["cleans", "up", "with", "refs"] => UserCommand::CleanRun { refs: true },
        ["stops", session] => UserCommand::StopSession(runner.facts.session(session)?.id),
        ["pauses", "phase", phase] => UserCommand::PausePhase(parse_value(phase)?),
        ["continues", "phase", phase] => UserCommand::ContinuePhase(parse_value(phase)?),
        ["cancels", "phase", phase] => UserCommand::CancelPhase(parse_value(phase)?),
        ["pauses", task] => UserCommand::PauseTask(parse_value(task)?),
        ["continues", task] => UserCommand::ContinueTask(parse_value(task)?),
        ["cancels", task] => UserCommand::CancelTask(parse_value(task)?),
        ["retries", task] => UserCommand::RetryTask { task: parse_value(task)?, hint: text() },
        ["skips", request] if request.starts_with("d_") => UserCommand::SkipRequest(parse_value(request)?),
        ["skips", task] => UserCommand::SkipTask(parse_value(task)?),
        ["prioritizes", task, priority] => {
            UserCommand::PrioritizeTask { task: parse_value(task)?, priority: parse_value(priority)? }
        }
        ["reassigns", task, "to", agent] => {
            UserCommand::ReassignTask { task: parse_value(task)?, agent: parse_value(agent)? }
        }
        ["rewinds", task, "to", "its", "start"] => {
            UserCommand::RewindTask { task: parse_value(task)?, checkpoint: None }
        }
        ["rewinds", task, "to", checkpoint] => {
            UserCommand::RewindTask { task: parse_value(task)?, checkpoint: Some(parse_value(checkpoint)?) }
        }
        ["creates", "a", "checkpoint", "of", task] => UserCommand::CreateCheckpoint(parse_value(task)?),
        ["adds", "a", "task"] => UserCommand::AddTask(Box::new(read_task(&required_text()?)?)),
        ["makes", later, "depend", "on", earlier] => {
            UserCommand::AddDependency { earlier: parse_value(earlier)?, later: parse_value(later)? }
        }
        ["makes", later, "independent", "of", earlier] => {
            UserCommand::RemoveDependency { earlier: parse_value(earlier)?, later: parse_value(later)? }
        }
        ["marks", "as", "met"] => UserCommand::MarkExternalMet { name: required_text()? },
        ["applies", offer] => UserCommand::ApplyPlanChange { offer: parse_value(offer)? },
        ["ignores", offer] => UserCommand::IgnorePlanChange { offer: parse_value(offer)? },
        ["answers", target, rest @ ..] => parse_answer(target, rest, text().unwrap_or_default())?,
        ["requests", "clarification", "of", question] => {
            UserCommand::RequestClarification { question: parse_value(question)?, text: required_text()? }
        }
        ["messages", task] => UserCommand::SendMessage { task: parse_value(task)?, text: required_text()? },
        ["chats"] => UserCommand::Chat { text: required_text()?, talk_only: false },
        ["chats", "without", "answering"] => UserCommand::Chat { text: required_text()?, talk_only: true },
        ["provides", request] => UserCommand::Provide {
            request: parse_value(request)?,
            provided: parse_provided_resource(runner, request, tail)?,
        },
        ["refuses", request] => {
            UserCommand::Refuse { request: parse_value(request)?, reason: required_text()? }
        }
        ["approves", "phase", phase] => UserCommand::ApproveGate { phase: parse_value(phase)?, note: text() },
        ["rejects", "phase", phase] => UserCommand::RejectGate {
            phase: parse_value(phase)?,
            reason: required_text()?,
            tasks: Vec::new(),
        },
        ["rejects", "phase", phase, "because", "of", tasks @ ..] => UserCommand::RejectGate {
            phase: parse_value(phase)?,
            reason: required_text()?,
            tasks: read_list(tasks)?,
        },
        ["resolves", escalation] => UserCommand::Resolve {
            escalation: parse_value(escalation)?,
            action: parse_escalation_action(&required_text()?)?,
            note: None,
        },
        _ => return Ok(None),
    }))
}

/// Parses a line whose first word is the user.
pub(crate) fn read_user_line(
    runner: &ScenarioRunner,
    words: &[&str],
    tail: Option<&str>,
) -> Result<Option<UserCommand>, String> {
    match words.split_first() {
        Some((_, action)) => read_command(runner, action, tail),
        None => Ok(None),
    }
}

/// Parses `q_1 for the run as "run:make *": allow` and `q_1 because "it is late": deny`.
fn parse_answer(target: &str, words: &[&str], answer: String) -> Result<UserCommand, String> {
    let quoted_after = |word: &str| {
        let at = words.iter().position(|other| *other == word)?;
        words.get(at + 1..).map(|words| strip_quotes(&words.join(" ")))
    };
    let n_scope = words.iter().position(|word| matches!(*word, "as" | "because")).unwrap_or(words.len());
    let scope = &words[..n_scope];
    let scope = match scope {
        [] => PermissionScope::Once,
        ["for", "the", "task"] => PermissionScope::Task,
        ["for", "the", "run"] => PermissionScope::Run,
        ["for", "the", "project"] => PermissionScope::Project,
        _ => return Err(format!("'{}' is not a scope", scope.join(" "))),
    };
    let (question, task) = if target.starts_with("q_") {
        (Some(parse_value(target)?), None)
    } else {
        (None, Some(parse_value(target)?))
    };
    Ok(UserCommand::Answer {
        question,
        task,
        answer,
        scope,
        pattern: quoted_after("as"),
        reason: quoted_after("because"),
    })
}

/// Parses the provided resource; without a text it follows from the kind of the request.
fn parse_provided_resource(
    runner: &ScenarioRunner,
    request: &str,
    how: Option<&str>,
) -> Result<ProvidedResource, String> {
    let dependency = runner.facts.requests.get(request).cloned().unwrap_or_default();
    let name = dependency.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
    let kind = dependency.get("type").cloned().and_then(|kind| serde_json::from_value(kind).ok());
    let how: Vec<&str> = how.unwrap_or_default().split_whitespace().collect();
    Ok(match (how.as_slice(), kind) {
        (["variables", names @ ..], _) => ProvidedResource::Environment { names: read_list(names)? },
        (["file", path], _) => ProvidedResource::file(*path),
        (["granted"], _) => ProvidedResource::Permission { granted: true },
        (["denied"], _) => ProvidedResource::Permission { granted: false },
        (["version", version], _) => ProvidedResource::Package { name, version: Some((*version).to_owned()) },
        ([], Some(DependencyType::File)) => ProvidedResource::file(name),
        ([], Some(DependencyType::Permission)) => ProvidedResource::Permission { granted: true },
        ([], Some(DependencyType::Package)) => ProvidedResource::Package { name, version: None },
        ([], _) => ProvidedResource::Environment { names: vec![name] },
        _ => return Err(format!("'{}' is not a resource", how.join(" "))),
    })
}

fn parse_escalation_action(text: &str) -> Result<EscalationAction, String> {
    Ok(match text.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["retry"] => EscalationAction::Retry { hint: None },
        ["retry", "with", ..] => {
            EscalationAction::Retry { hint: Some(strip_quotes(&text["retry with".len()..])) }
        }
        ["reassign", "to", agent] => EscalationAction::Reassign { agent: parse_value(agent)? },
        ["skip"] => EscalationAction::Skip,
        ["waive"] => EscalationAction::Waive,
        ["raise", "the", "budget", "to", budget] => {
            EscalationAction::RaiseBudget { budget: parse_value(budget)? }
        }
        ["mark", "as", "failed"] => EscalationAction::MarkFailed,
        ["dismiss"] => EscalationAction::Dismiss,
        _ => return Err(format!("'{text}' is not an action")),
    })
}
