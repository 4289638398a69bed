//! `jangdan hook test-feedback`: test results as a notification for the user and a message to the worker.

use domain::{AgentMessage, AgentName, DirectMessage, DirectType, TestFeedback};
use serde::Serialize;
use serde_json::Value;

use super::HookOutcome;
use crate::printable::printable_json;

/// The answer for Claude Code.
#[derive(Serialize)]
struct HookAnswer<'a> {
    decision: &'a str,
    notifications: [UserNotification<'a>; 1],
}

#[derive(Serialize)]
struct UserNotification<'a> {
    level: &'a str,
    title: &'a str,
    message: &'a str,
}

/// Handles `{sessionId, payload}`. `to` overrides the receiver that the payload names.
pub(super) fn handle_test_feedback(event: &Value, to: Option<AgentName>) -> HookOutcome {
    let payload = event.get("payload").filter(|payload| payload.is_object());
    let feedback: Option<TestFeedback> =
        payload.and_then(|payload| serde_json::from_value(payload.clone()).ok());
    let Some(feedback) = feedback else {
        return HookOutcome { answer: hook_answer_json("The feedback cannot be read."), message: None };
    };
    let answer = hook_answer_json(&notification_text(&feedback));
    let message =
        to.or_else(|| payload.and_then(target_agent)).map(|target| direct_message(target, feedback));
    HookOutcome { answer, message }
}

/// Returns the message for the worker, without traces if it would be too long.
fn direct_message(target: AgentName, mut feedback: TestFeedback) -> AgentMessage {
    let message = |feedback: &TestFeedback| {
        // On one line, so that it cannot contain a message of its own.
        let content = serde_json::to_string(feedback).unwrap_or_default();
        AgentMessage::Direct(DirectMessage {
            target: target.clone(),
            r#type: Some(DirectType::Feedback),
            content,
        })
    };
    let full = message(&feedback);
    if protocol::encode(&full, None).is_ok() {
        return full;
    }
    feedback.failures.iter_mut().for_each(|failure| failure.trace = None);
    message(&feedback)
}

fn target_agent(payload: &Value) -> Option<AgentName> {
    let names = ["target", "to", "agent"];
    names.iter().find_map(|name| payload.get(name)?.as_str()?.parse().ok())
}

fn notification_text(feedback: &TestFeedback) -> String {
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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hook_answer_json(message: &str) -> String {
    let notifications = [UserNotification { level: "info", title: "Test Feedback", message }];
    // Strings only: serialization cannot fail.
    printable_json(&HookAnswer { decision: "approve", notifications }).unwrap_or_default()
}
