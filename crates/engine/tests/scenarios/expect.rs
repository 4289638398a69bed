//! What a scenario expects: a line is compared with what happened in this round, and with how things stand.

use domain::{BlockReason, Event, TaskId};
use engine::TaskState;
use serde_json::Value;

use crate::{clock, hands, pattern::Pattern, script::Line, stage::Stage};

/// Compares, and says what is there instead.
pub fn take(stage: &mut Stage, line: &Line) -> Result<(), String> {
    let text = line.text.as_str();
    let words: Vec<&str> = text.split_whitespace().collect();
    if let Some(part) = text.strip_prefix("it is refused: ") {
        return refused(stage, part);
    }
    match words.as_slice() {
        ["nothing", "happens"] => empty(&happened(stage, true)),
        ["in", "order:", ..] => in_order(stage, &happened(stage, true), &text["in order: ".len()..]),
        ["the", "world", "must", "in", "order:", ..] => {
            in_order(stage, &told(stage), &text["the world must in order: ".len()..])
        }
        ["the", "world", "must", ..] => some(stage, &told(stage), &text["the world must ".len()..]),
        ["the", "world", "need", "not", ..] => {
            none(stage, &told(stage), &text["the world need not ".len()..])
        }
        ["the", "clock", "rings", "at", time] => rings_at(stage, Some(time)),
        ["the", "clock", "does", "not", "ring"] => rings_at(stage, None),
        ["no", name, ..] if is_event(name) => none(stage, &happened(stage, true), &text["no ".len()..]),
        ["never", name, ..] if is_event(name) => {
            none(stage, &happened(stage, false), &text["never ".len()..])
        }
        ["once", name, ..] if is_event(name) => times(stage, 1, &text["once ".len()..]),
        ["twice", name, ..] if is_event(name) => times(stage, 2, &text["twice ".len()..]),
        [name, ..] if is_event(name) => some(stage, &happened(stage, true), text),
        _ => told_or_state(stage, text),
    }
}

fn told_or_state(stage: &Stage, text: &str) -> Result<(), String> {
    if let Some((who, what)) = text.split_once(" is told, in order: ") {
        return in_order(stage, &inputs(stage, who)?, what);
    }
    if let Some((who, what)) = text.split_once(" is told ") {
        return some(stage, &inputs(stage, who)?, what);
    }
    if let Some((who, what)) = text.split_once(" is not told ") {
        return none(stage, &inputs(stage, who)?, what);
    }
    let (names, state) = text
        .split_once(" is ")
        .or_else(|| text.split_once(" are "))
        .ok_or("is nothing that can be expected")?;
    for name in names.replace(" and ", ", ").split(", ") {
        let is = state_of(stage, name, state)?;
        if is != state {
            return Err(format!("{name} is {is}"));
        }
    }
    Ok(())
}

/// Something with a name: an event, an input, an effect.
type Named = (String, Value);

fn is_event(name: &str) -> bool {
    Event::NAMES.contains(&name)
}

fn happened(stage: &Stage, this_round: bool) -> Vec<Named> {
    let from = if this_round { stage.round_start } else { 0 };
    let events = stage.log.get(from..).unwrap_or_default();
    events.iter().map(|recorded| (recorded.event.name().to_owned(), json(&recorded.event))).collect()
}

fn told(stage: &Stage) -> Vec<Named> {
    let fields = |effect| json(effect).as_object().and_then(|fields| fields.values().next().cloned());
    stage
        .told
        .iter()
        .map(|effect| (hands::name(effect).to_owned(), fields(effect).unwrap_or_default()))
        .collect()
}

/// What was said in this round to the sessions that go by a name.
fn inputs(stage: &Stage, who: &str) -> Result<Vec<Named>, String> {
    let name = who.strip_prefix("the ").unwrap_or(who);
    stage.facts.session(name)?;
    let mut inputs = Vec::new();
    for recorded in stage.log.get(stage.round_start..).unwrap_or_default() {
        if let Event::InputQueued { session, content, .. } = &recorded.event
            && stage.facts.is_called(&session.to_string(), name)
        {
            let content = json(content);
            let kind = content.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
            inputs.push((kind, content));
        }
    }
    Ok(inputs)
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn count(stage: &Stage, named: &[Named], text: &str) -> Result<usize, String> {
    let pattern = Pattern::read(text)?;
    let is_called = |id: &str, name: &str| stage.facts.is_called(id, name);
    Ok(named.iter().filter(|(name, value)| pattern.matches(name, value, &is_called)).count())
}

fn some(stage: &Stage, named: &[Named], text: &str) -> Result<(), String> {
    if count(stage, named, text)? > 0 { Ok(()) } else { Err(format!("there is only:\n{}", list(named))) }
}

fn none(stage: &Stage, named: &[Named], text: &str) -> Result<(), String> {
    if count(stage, named, text)? == 0 { Ok(()) } else { Err(format!("it is among:\n{}", list(named))) }
}

fn times(stage: &Stage, expected: usize, text: &str) -> Result<(), String> {
    let named = happened(stage, false);
    let n = count(stage, &named, text)?;
    if n == expected { Ok(()) } else { Err(format!("it happened {n} times:\n{}", list(&named))) }
}

fn in_order(stage: &Stage, named: &[Named], text: &str) -> Result<(), String> {
    let is_called = |id: &str, name: &str| stage.facts.is_called(id, name);
    let mut rest = named.iter();
    for part in text.split("; ") {
        let pattern = Pattern::read(part)?;
        if !rest.any(|(name, value)| pattern.matches(name, value, &is_called)) {
            return Err(format!("'{part}' does not come in its place:\n{}", list(named)));
        }
    }
    Ok(())
}

fn empty(named: &[Named]) -> Result<(), String> {
    if named.is_empty() { Ok(()) } else { Err(format!("this happened:\n{}", list(named))) }
}

fn refused(stage: &mut Stage, part: &str) -> Result<(), String> {
    if stage.refusals.is_empty() {
        return Err(format!("nothing was refused; there is:\n{}", list(&happened(stage, true))));
    }
    let refusal = stage.refusals.remove(0);
    if refusal.contains(part) { Ok(()) } else { Err(format!("it was refused with: {refusal}")) }
}

fn rings_at(stage: &Stage, time: Option<&str>) -> Result<(), String> {
    let expected = time.map(clock::read_time).transpose()?;
    let is = stage.run.next_deadline();
    let words = is.map_or("does not ring".to_owned(), |is| format!("rings at {}", clock::write_time(is)));
    if is == expected { Ok(()) } else { Err(format!("the clock {words}")) }
}

/// Says how something stands, as exactly as the expectation does.
fn state_of(stage: &Stage, name: &str, expected: &str) -> Result<String, String> {
    if let Some(who) = name.strip_suffix("'s session") {
        return Ok(stage.facts.session(who)?.status.to_owned());
    }
    let Ok(task) = name.parse::<TaskId>() else {
        let status = stage.facts.status.get(name);
        return Ok(status.cloned().unwrap_or_else(|| "not there".to_owned()));
    };
    let state = stage.run.task_state(&task).ok_or_else(|| format!("there is no task {task}"))?;
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
            let mut words: Vec<String> = reasons.iter().map(|reason| in_words(reason, expected)).collect();
            words.sort();
            format!("blocked by {}", words.join(" and "))
        }
    })
}

fn in_words(reason: &BlockReason, expected: &str) -> String {
    match reason {
        BlockReason::Question { question } => question.to_string(),
        BlockReason::Request { request } => request.to_string(),
        BlockReason::Invocation { invocation } => invocation.to_string(),
        BlockReason::Approval { phase } => format!("the gate of phase {phase}"),
        BlockReason::RateLimited { until } if expected.contains(" until ") => {
            format!("a limit until {}", clock::write_time(*until))
        }
        BlockReason::RateLimited { .. } => "a limit".to_owned(),
        BlockReason::Escalated { escalation } => escalation.to_string(),
        BlockReason::Paused { by } => by.to_string().trim_start_matches("person:").to_owned(),
    }
}

/// Returns things as people read them, a line each.
pub fn list(named: &[Named]) -> String {
    let lines: Vec<String> =
        named.iter().map(|(name, value)| format!("    {name} {}", brief(value))).collect();
    if lines.is_empty() { "    nothing".to_owned() } else { lines.join("\n") }
}

fn brief(value: &Value) -> String {
    let mut text = value.to_string();
    if text.chars().count() > 220 {
        text = text.chars().take(220).chain("…".chars()).collect();
    }
    text
}
