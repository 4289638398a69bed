//! The `then` section of a scenario: compares a line with the events of this round and the current state.

use domain::{BlockReason, Event, TaskId, events};
use engine::TaskState;
use serde_json::Value;

use crate::{clock, fake_executor, pattern::Pattern, runner::ScenarioRunner, scenario_file::Line};

/// Checks one expectation; the error describes the actual result.
pub(crate) fn check_expectation(runner: &mut ScenarioRunner, line: &Line) -> Result<(), String> {
    let text = line.text.as_str();
    let words: Vec<&str> = text.split_whitespace().collect();
    if let Some(part) = text.strip_prefix("it is rejected: ") {
        return expect_rejection(runner, part);
    }
    match words.as_slice() {
        ["nothing", "happens"] => expect_no_events(&recorded_events(runner, true)),
        ["in", "order:", ..] => {
            expect_in_order(runner, &recorded_events(runner, true), &text["in order: ".len()..])
        }
        ["effects", "in", "order:", ..] => {
            expect_in_order(runner, &effects_of_round(runner), &text["effects in order: ".len()..])
        }
        ["effect", ..] => expect_match(runner, &effects_of_round(runner), &text["effect ".len()..]),
        ["no", "effect", ..] => {
            expect_no_match(runner, &effects_of_round(runner), &text["no effect ".len()..])
        }
        ["the", "run", "needs", "the", "user"] => expect_user_need(runner, true),
        ["the", "run", "continues", "without", "the", "user"] => expect_user_need(runner, false),
        ["the", "clock", "rings", "at", time] => expect_next_deadline(runner, Some(time)),
        ["the", "clock", "does", "not", "ring"] => expect_next_deadline(runner, None),
        ["no", name, ..] if is_event(name) => {
            expect_no_match(runner, &recorded_events(runner, true), &text["no ".len()..])
        }
        ["never", name, ..] if is_event(name) => {
            expect_no_match(runner, &recorded_events(runner, false), &text["never ".len()..])
        }
        ["once", name, ..] if is_event(name) => expect_event_count(runner, 1, &text["once ".len()..]),
        ["twice", name, ..] if is_event(name) => expect_event_count(runner, 2, &text["twice ".len()..]),
        [name, ..] if is_event(name) => expect_match(runner, &recorded_events(runner, true), text),
        _ => check_inputs_or_state(runner, text),
    }
}

fn check_inputs_or_state(runner: &ScenarioRunner, text: &str) -> Result<(), String> {
    if let Some((receiver, pattern)) = text.split_once(" receives, in order: ") {
        return expect_in_order(runner, &inputs_of_receiver(runner, receiver)?, pattern);
    }
    if let Some((receiver, pattern)) = text.split_once(" receives ") {
        return expect_match(runner, &inputs_of_receiver(runner, receiver)?, pattern);
    }
    if let Some((receiver, pattern)) = text.split_once(" does not receive ") {
        return expect_no_match(runner, &inputs_of_receiver(runner, receiver)?, pattern);
    }
    let (names, state) =
        text.split_once(" is ").or_else(|| text.split_once(" are ")).ok_or("is not an expectation")?;
    for name in names.replace(" and ", ", ").split(", ") {
        let actual = describe_state(runner, name, state)?;
        if actual != state {
            return Err(format!("{name} is {actual}"));
        }
    }
    Ok(())
}

/// The name and fields of an event, an input or an effect.
type NamedValue = (String, Value);

fn is_event(name: &str) -> bool {
    Event::NAMES.contains(&name)
}

fn recorded_events(runner: &ScenarioRunner, this_round: bool) -> Vec<NamedValue> {
    let from = if this_round { runner.round_start } else { 0 };
    let events = runner.log.get(from..).unwrap_or_default();
    events.iter().map(|recorded| (recorded.event.name().to_owned(), to_json(&recorded.event))).collect()
}

fn effects_of_round(runner: &ScenarioRunner) -> Vec<NamedValue> {
    let fields = |effect| to_json(effect).as_object().and_then(|fields| fields.values().next().cloned());
    runner
        .effects
        .iter()
        .map(|effect| (fake_executor::effect_name(effect).to_owned(), fields(effect).unwrap_or_default()))
        .collect()
}

/// Returns the inputs of this round to the sessions with this name.
fn inputs_of_receiver(runner: &ScenarioRunner, receiver: &str) -> Result<Vec<NamedValue>, String> {
    let name = receiver.strip_prefix("the ").unwrap_or(receiver);
    runner.facts.session(name)?;
    let mut inputs = Vec::new();
    for recorded in runner.log.get(runner.round_start..).unwrap_or_default() {
        if let Event::InputQueued(events::InputQueued { session, content, .. }) = &recorded.event
            && runner.facts.session_has_name(&session.to_string(), name)
        {
            let content = to_json(content);
            let kind = content.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
            inputs.push((kind, content));
        }
    }
    Ok(inputs)
}

fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn count_matches(runner: &ScenarioRunner, named: &[NamedValue], text: &str) -> Result<usize, String> {
    let pattern = Pattern::parse(text)?;
    let is_called = |id: &str, name: &str| runner.facts.session_has_name(id, name);
    Ok(named.iter().filter(|(name, value)| pattern.matches(name, value, &is_called)).count())
}

fn expect_match(runner: &ScenarioRunner, named: &[NamedValue], text: &str) -> Result<(), String> {
    if count_matches(runner, named, text)? > 0 {
        Ok(())
    } else {
        Err(format!("found only:\n{}", format_values(named)))
    }
}

fn expect_no_match(runner: &ScenarioRunner, named: &[NamedValue], text: &str) -> Result<(), String> {
    if count_matches(runner, named, text)? == 0 {
        Ok(())
    } else {
        Err(format!("found among:\n{}", format_values(named)))
    }
}

fn expect_event_count(runner: &ScenarioRunner, expected: usize, text: &str) -> Result<(), String> {
    let named = recorded_events(runner, false);
    let n = count_matches(runner, &named, text)?;
    if n == expected { Ok(()) } else { Err(format!("it happened {n} times:\n{}", format_values(&named))) }
}

fn expect_in_order(runner: &ScenarioRunner, named: &[NamedValue], text: &str) -> Result<(), String> {
    let is_called = |id: &str, name: &str| runner.facts.session_has_name(id, name);
    let mut rest = named.iter();
    for part in text.split("; ") {
        let pattern = Pattern::parse(part)?;
        if !rest.any(|(name, value)| pattern.matches(name, value, &is_called)) {
            return Err(format!("'{part}' is missing or out of order:\n{}", format_values(named)));
        }
    }
    Ok(())
}

fn expect_user_need(runner: &ScenarioRunner, expected: bool) -> Result<(), String> {
    match runner.run.needs_user() {
        needs_user if needs_user == expected => Ok(()),
        true => Err("it needs the user".to_owned()),
        false => Err("it does not need the user".to_owned()),
    }
}

fn expect_no_events(named: &[NamedValue]) -> Result<(), String> {
    if named.is_empty() { Ok(()) } else { Err(format!("this happened:\n{}", format_values(named))) }
}

fn expect_rejection(runner: &mut ScenarioRunner, part: &str) -> Result<(), String> {
    if runner.rejections.is_empty() {
        return Err(format!(
            "nothing was rejected; events:\n{}",
            format_values(&recorded_events(runner, true))
        ));
    }
    let rejection = runner.rejections.remove(0);
    if rejection.contains(part) { Ok(()) } else { Err(format!("it was rejected with: {rejection}")) }
}

fn expect_next_deadline(runner: &ScenarioRunner, time: Option<&str>) -> Result<(), String> {
    let expected = time.map(clock::parse_time).transpose()?;
    let actual = runner.run.next_deadline();
    let description = actual
        .map_or("does not ring".to_owned(), |actual| format!("rings at {}", clock::format_time(actual)));
    if actual == expected { Ok(()) } else { Err(format!("the clock {description}")) }
}

/// Describes a state in the same detail as the expectation.
fn describe_state(runner: &ScenarioRunner, name: &str, expected: &str) -> Result<String, String> {
    if let Some(owner) = name.strip_suffix("'s session") {
        return Ok(runner.facts.session(owner)?.status.to_owned());
    }
    let Ok(task) = name.parse::<TaskId>() else {
        let status = runner.facts.status.get(name);
        return Ok(status.cloned().unwrap_or_else(|| "unknown".to_owned()));
    };
    let state = runner.run.task_state(&task).ok_or_else(|| format!("there is no task {task}"))?;
    Ok(match state {
        TaskState::Waiting => "waiting".to_owned(),
        TaskState::Ready => "ready".to_owned(),
        TaskState::Running => "running".to_owned(),
        TaskState::Checking => "checking".to_owned(),
        TaskState::Merging => "merging".to_owned(),
        TaskState::Done => "done".to_owned(),
        TaskState::Failed => "failed".to_owned(),
        TaskState::Skipped => "skipped".to_owned(),
        TaskState::Cancelled => "cancelled".to_owned(),
        TaskState::Blocked(_) if expected == "blocked" => "blocked".to_owned(),
        TaskState::Blocked(reasons) => {
            let mut causes: Vec<String> = reasons.iter().map(|reason| block_text(reason, expected)).collect();
            causes.sort();
            format!("blocked by {}", causes.join(" and "))
        }
    })
}

fn block_text(reason: &BlockReason, expected: &str) -> String {
    match reason {
        BlockReason::Question { question } => question.to_string(),
        BlockReason::Request { request } => request.to_string(),
        BlockReason::Invocation { invocation } => invocation.to_string(),
        BlockReason::Approval { phase } => format!("the gate of phase {phase}"),
        BlockReason::RateLimited { until } if expected.contains(" until ") => {
            format!("a limit until {}", clock::format_time(*until))
        }
        BlockReason::RateLimited { .. } => "a limit".to_owned(),
        BlockReason::Escalated { escalation } => escalation.to_string(),
        BlockReason::Paused { by } => by.to_string().trim_start_matches("person:").to_owned(),
    }
}

/// Formats values, one per line.
pub(crate) fn format_values(named: &[NamedValue]) -> String {
    let lines: Vec<String> =
        named.iter().map(|(name, value)| format!("    {name} {}", truncated_json(value))).collect();
    if lines.is_empty() { "    nothing".to_owned() } else { lines.join("\n") }
}

fn truncated_json(value: &Value) -> String {
    let mut text = value.to_string();
    if text.chars().count() > 220 {
        text = text.chars().take(220).chain("…".chars()).collect();
    }
    text
}
