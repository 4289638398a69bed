//! `jangdan hook test-feedback`: what the tests found, as a notification for people and a message for the worker.

use domain::{AgentMessage, AgentName, DirectMessage, DirectType, TestFeedback};
use serde::Serialize;
use serde_json::Value;

use super::Outcome;
use crate::printable::json;

/// What Claude Code is answered.
#[derive(Serialize)]
struct Answer<'a> {
    decision: &'a str,
    notifications: [Notification<'a>; 1],
}

#[derive(Serialize)]
struct Notification<'a> {
    level: &'a str,
    title: &'a str,
    message: &'a str,
}

/// Hears `{sessionId, payload}`. Whoever wired the hook decides who gets it, else the payload does.
pub(super) fn hear(event: &Value, to: Option<AgentName>) -> Outcome {
    let payload = event.get("payload").filter(|payload| payload.is_object());
    let feedback: Option<TestFeedback> =
        payload.and_then(|payload| serde_json::from_value(payload.clone()).ok());
    let Some(feedback) = feedback else {
        return Outcome { answer: answer("The feedback can't be read."), said: None };
    };
    let answer = answer(&message(&feedback));
    let said = to.or_else(|| payload.and_then(target)).map(|target| direct(target, feedback));
    Outcome { answer, said }
}

/// Returns the message for the worker; one that is too long goes without its traces rather than not at all.
fn direct(target: AgentName, mut feedback: TestFeedback) -> AgentMessage {
    let say = |feedback: &TestFeedback| {
        // On one line, so that it can't be taken for anything else.
        let content = serde_json::to_string(feedback).unwrap_or_default();
        AgentMessage::Direct(DirectMessage {
            target: target.clone(),
            r#type: Some(DirectType::Feedback),
            content,
        })
    };
    let whole = say(&feedback);
    if protocol::encode(&whole, None).is_ok() {
        return whole;
    }
    feedback.failures.iter_mut().for_each(|failure| failure.trace = None);
    say(&feedback)
}

fn target(payload: &Value) -> Option<AgentName> {
    let names = ["target", "to", "agent"];
    names.iter().find_map(|name| payload.get(name)?.as_str()?.parse().ok())
}

fn message(feedback: &TestFeedback) -> String {
    if feedback.success {
        return "All tests passed.".to_owned();
    }
    if feedback.failures.is_empty() {
        return "The tests failed.".to_owned();
    }
    let failures = feedback.failures.iter().map(|failure| {
        let name = one_line(&failure.name);
        match failure.suggested_fix.as_deref().map(one_line) {
            Some(fix) if !fix.is_empty() => format!("- {name}: {fix}"),
            Some(_) | None => format!("- {name}"),
        }
    });
    failures.collect::<Vec<_>>().join("\n")
}

/// Returns a text on one line, as every failure has one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn answer(message: &str) -> String {
    let notifications = [Notification { level: "info", title: "Test Feedback", message }];
    // It has strings only, so it can be written.
    json(&Answer { decision: "approve", notifications }).unwrap_or_default()
}
