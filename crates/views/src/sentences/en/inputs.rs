//! Describes an input to a session in English, for users. The prompt that the agent receives is made by `protocol`.

use domain::{AgentInvocationOutcome, ProvidedResource, SessionInput, TestFeedback};

use crate::{sentence::join_leading_names, sentences::test_report::failure_title};

pub(crate) fn describe_input(input: &SessionInput) -> String {
    match input {
        SessionInput::Task { task, attempt, hint, carried, earlier: _ } => {
            let mut text = format!("Do task {task}.");
            if *attempt > 1 {
                text.push_str(&format!(" This is attempt {attempt}."));
            }
            for line in hint.iter().cloned().chain(carried.iter().map(describe_input)) {
                text.push('\n');
                text.push_str(&line);
            }
            text
        }
        SessionInput::Answer { question, answer, .. } => format!("Answer to {question}: {answer}"),
        SessionInput::ClarificationRequest { question, text } => format!("About {question}: {text}"),
        SessionInput::Permission { allowed: true, .. } => "Allowed.".to_owned(),
        SessionInput::Permission { allowed: false, reason: Some(reason), .. } => {
            format!("Not allowed: {reason}")
        }
        SessionInput::Permission { allowed: false, .. } => "Not allowed.".to_owned(),
        SessionInput::Provided { name, provided, default, .. } => {
            let default = if *default { " (your default)" } else { "" };
            format!("{name} is available{default}: {}", resource_location(provided))
        }
        SessionInput::Refused { name, reason, .. } => format!("{name} will not be provided: {reason}"),
        SessionInput::Invocation { from, task, context, .. } => {
            let context = context.as_ref().map(|context| format!("\n{context}")).unwrap_or_default();
            format!("Call from {from}: {task}{context}")
        }
        SessionInput::InvocationEnded {
            from,
            outcome: AgentInvocationOutcome::Completed { content, .. },
            ..
        } => {
            format!("{from} finished: {content}")
        }
        SessionInput::InvocationEnded {
            from, outcome: AgentInvocationOutcome::Failed { reason }, ..
        } => {
            format!("{from} failed: {reason}")
        }
        SessionInput::Result { from, content, .. } => format!("Result from {from}: {content}"),
        SessionInput::Direct { from, content, .. } => format!("Message from {from}: {content}"),
        SessionInput::Feedback { round, feedback, .. } => describe_test_feedback(*round, feedback),
        SessionInput::InvalidMessage { protocol, error } => format!("{protocol} is invalid: {error}"),
        SessionInput::NearMiss { near, raw } => format!("Did you mean {near}? {raw}"),
        SessionInput::Reminder => "Is the task done, did it fail, or do you have a question?".to_owned(),
        SessionInput::EvidenceRequest { missing, .. } => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            format!("The task is not done yet: {}", missing.join(" "))
        }
        SessionInput::Conflict { files } => {
            format!("Your changes conflict with those of other tasks: {}", join_leading_names(files))
        }
        SessionInput::Rework { phase, reason } => format!("Phase {phase} needs changes: {reason}"),
        SessionInput::Test { task, .. } => format!("Test task {task}."),
        SessionInput::Verify { phase, .. } => format!("Verify phase {phase}."),
        SessionInput::Question { question, from, text, options, .. } => {
            let options =
                if options.is_empty() { String::new() } else { format!(" ({})", options.join(" / ")) };
            format!("{from} asks {question}: {text}{options}")
        }
        SessionInput::Escalation { escalation, title, description, .. } => {
            format!("Problem {escalation}: {title}\n{description}")
        }
        SessionInput::ThinLine { line } => line.clone(),
        SessionInput::Chat { text } => text.clone(),
        SessionInput::UserMessage { text } => format!("Message from the user: {text}"),
        SessionInput::TaskChanged { title, text, acceptance, .. } => {
            let criteria = acceptance.iter().map(|criterion| format!("\n- {criterion}"));
            format!("The plan changed this task: {title}\n{text}{}", criteria.collect::<String>())
        }
        SessionInput::Resume { reason } => format!("Continue: {reason}"),
    }
}

/// Returns where the agent finds a provided resource.
fn resource_location(provided: &ProvidedResource) -> String {
    match provided {
        ProvidedResource::Environment { names } => {
            format!("environment variables {}", join_leading_names(names))
        }
        ProvidedResource::File { path, .. } => format!("file {path}"),
        ProvidedResource::Permission { granted: true } => "granted".to_owned(),
        ProvidedResource::Permission { granted: false } => "not granted".to_owned(),
        ProvidedResource::Package { name, version } => {
            let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            format!("package {name}{version}")
        }
    }
}

fn describe_test_feedback(round: u32, feedback: &TestFeedback) -> String {
    let mut text = format!("Test round {round} ");
    text.push_str(if feedback.success { "passed." } else { "failed." });
    for failure in &feedback.failures {
        text.push_str(&format!("\n- {}", failure_title(failure)));
        if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual) {
            text.push_str(&format!(": expected {expected}, got {actual}"));
        }
        if let Some(fix) = &failure.suggested_fix {
            text.push_str(&format!(" ({fix})"));
        }
    }
    if feedback.n_unlisted > 0 {
        text.push_str(&format!("\n- {} more", feedback.n_unlisted));
    }
    if let Some(prose) = &feedback.text {
        text.push_str(&format!("\n{prose}"));
    }
    for suggestion in &feedback.suggestions {
        text.push_str(&format!("\n- {suggestion}"));
    }
    text
}
