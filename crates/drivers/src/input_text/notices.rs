//! Notices: inputs that are rendered as a heading and a text.

use domain::{AgentInvocationOutcome, AgentName, Locale, Role, SessionInput, TestFeedback};
use protocol::prompts::{Notice, PromptTemplate, TaskSummary, TemplateValues, done_example, render_template};

use super::{InputBrief, InputContext};

/// Renders an input that has no message type of its own in the protocol.
pub(super) fn input_notice(input: &SessionInput, recipient: InputContext<'_>) -> Notice {
    let values = TemplateValues::new();
    let (kind, template, values) = match input {
        SessionInput::InvocationEnded { from, outcome, invocation: _ } => {
            let reason = match outcome {
                AgentInvocationOutcome::Failed { reason } => reason,
                AgentInvocationOutcome::Completed { content, .. } => content,
            };
            ("CALL_FAILED", PromptTemplate::CallFailed, values.text("from", from).text("reason", reason))
        }
        SessionInput::ClarificationRequest { question, text } => {
            ("ASK_BACK", PromptTemplate::Clarification, values.text("question", question).text("text", text))
        }
        SessionInput::Conflict { files } => {
            let others = match recipient.brief {
                Some(InputBrief::Conflict(others)) => others.as_slice(),
                Some(InputBrief::Task(_) | InputBrief::Test(_) | InputBrief::Verify(_)) | None => &[],
            };
            let values = values
                .items("files", files)
                .items("others", others.iter().map(TaskSummary::line))
                .optional("form", recipient.task.and_then(|task| done_example(task, recipient.key)));
            ("CONFLICT", PromptTemplate::Conflict, values)
        }
        SessionInput::Rework { phase, reason } => {
            let values = values
                .text("phase", phase)
                .text("reason", reason)
                .optional("task", recipient.task)
                .optional("key", recipient.key);
            ("REWORK", PromptTemplate::Rework, values)
        }
        SessionInput::TaskChanged { task, title, text, acceptance } => {
            let values = values
                .text("task", task)
                .text("title", title)
                .text("text", text)
                .items("criteria", acceptance);
            ("CHANGED", PromptTemplate::TaskChanged, values)
        }
        SessionInput::Question { question, task, from, text, options, default, context } => {
            let task = task.as_ref().map(|task| format!(" ({task})")).unwrap_or_default();
            let values = values
                .text("question", question)
                .text("from", format!("{from}{task}"))
                .text("text", text)
                .items("options", options)
                .optional("default", default.as_ref())
                .optional("context", context.as_ref())
                .optional("key", recipient.key);
            ("QUESTION", PromptTemplate::Question, values)
        }
        SessionInput::Escalation { escalation, task, agent, title, description } => {
            let template = match recipient.role {
                Role::Orchestrator => PromptTemplate::EscalationOrchestrator,
                Role::Operator | Role::Worker | Role::Tester | Role::Verifier | Role::Specialist => {
                    PromptTemplate::EscalationOperator
                }
            };
            let values = values
                .text("escalation", escalation)
                .text("title", title)
                .text("description", description)
                .optional("task", task.as_ref())
                .optional("agent", agent.as_ref())
                // The examples are about the task.
                .optional("key", task.as_ref().and(recipient.key));
            ("ESCALATION", template, values)
        }
        SessionInput::ThinLine { line } => ("REPLY", PromptTemplate::Reply, values.text("line", line)),
        SessionInput::Chat { text } | SessionInput::UserMessage { text } => {
            ("CHAT", PromptTemplate::Chat, values.text("text", text))
        }
        SessionInput::Resume { reason } => ("GO_ON", PromptTemplate::Resume, values.text("reason", reason)),
        // These have message types of their own.
        SessionInput::Task { .. }
        | SessionInput::Answer { .. }
        | SessionInput::Permission { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::Invocation { .. }
        | SessionInput::Result { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::InvalidMessage { .. }
        | SessionInput::NearMiss { .. }
        | SessionInput::Test { .. }
        | SessionInput::Verify { .. }
        | SessionInput::Reminder
        | SessionInput::EvidenceRequest { .. } => ("GO_ON", PromptTemplate::Resume, values),
    };
    Notice::new(kind, template, recipient.locale, &values)
}

/// Renders the answer to a permission request of a process that has ended since.
pub(super) fn late_permission_notice(is_allowed: bool, reason: Option<&str>, locale: Locale) -> Notice {
    if is_allowed {
        return Notice::new("PERMISSION", PromptTemplate::PermissionGranted, locale, &TemplateValues::new());
    }
    let values = TemplateValues::new().optional("reason", reason);
    Notice::new("PERMISSION", PromptTemplate::PermissionDenied, locale, &values)
}

/// Renders why the user denied a permission.
pub(super) fn denial_text(reason: &str, locale: Locale) -> String {
    let values = TemplateValues::new().text("reason", reason);
    render_template(PromptTemplate::Denial, locale, &values).trim_end().to_owned()
}

pub(super) fn file_reference_notice(path: &str, locale: Locale) -> Notice {
    Notice::new("FILE", PromptTemplate::InputFile, locale, &TemplateValues::new().text("path", path))
}

/// Asks a session without a task whether it is done, has failed or has a question.
pub(super) fn status_request(locale: Locale) -> Notice {
    Notice::new("FINISH", PromptTemplate::ReminderWithoutTask, locale, &TemplateValues::new())
}

/// Renders the request of another agent, for a session without a task.
pub(super) fn invocation_notice(
    from: &AgentName,
    request: &str,
    context: Option<&str>,
    locale: Locale,
) -> Notice {
    let values = TemplateValues::new().text("from", from).text("text", request).optional("context", context);
    Notice::new("TASK", PromptTemplate::Call, locale, &values)
}

/// Renders test results, for a session without a task.
pub(super) fn feedback_notice(feedback: &TestFeedback, locale: Locale) -> Notice {
    let failures = feedback.failures.iter().map(|failure| {
        let fix = failure.suggested_fix.as_ref().map(|fix| format!(": {fix}")).unwrap_or_default();
        format!("- {}{fix}", failure.name)
    });
    let values = TemplateValues::new()
        .text("failures", failures.collect::<Vec<_>>().join("\n"))
        .optional("text", feedback.text.as_ref())
        .items("suggestions", &feedback.suggestions);
    Notice::new("FEEDBACK", PromptTemplate::Feedback, locale, &values)
}
