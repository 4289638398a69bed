//! What a session is told, in words for people. What it is told exactly is `wire`'s to say.

use domain::{InvocationOutcome, ProvidedResource, SessionInput, TestFeedback};

use crate::line::list;

/// Puts an input into words.
pub fn say(input: &SessionInput) -> String {
    match input {
        SessionInput::Task { task, attempt, hint, carried } => {
            let mut text = format!("Do task {task}.");
            if *attempt > 1 {
                text.push_str(&format!(" This is try {attempt}."));
            }
            for line in hint.iter().cloned().chain(carried.iter().map(say)) {
                text.push('\n');
                text.push_str(&line);
            }
            text
        }
        SessionInput::Answer { question, answer, .. } => format!("Answer to {question}: {answer}"),
        SessionInput::ClarificationRequest { question, text } => format!("About {question}: {text}"),
        SessionInput::Permission { allowed: true, .. } => "You may.".to_owned(),
        SessionInput::Permission { allowed: false, .. } => "You may not.".to_owned(),
        SessionInput::Provided { name, provided, default, .. } => {
            let own = if *default { ", your own default" } else { "" };
            format!("{name} is there{own}: {}", found(provided))
        }
        SessionInput::Refused { name, reason, .. } => format!("{name} will not come: {reason}"),
        SessionInput::Invocation { from, task, context, .. } => {
            let context = context.as_ref().map(|context| format!("\n{context}")).unwrap_or_default();
            format!("{from} calls: {task}{context}")
        }
        SessionInput::InvocationEnded {
            from, outcome: InvocationOutcome::Completed { content, .. }, ..
        } => {
            format!("{from} is done: {content}")
        }
        SessionInput::InvocationEnded { from, outcome: InvocationOutcome::Failed { reason }, .. } => {
            format!("{from} could not do it: {reason}")
        }
        SessionInput::Result { from, content, .. } => format!("A result of {from}: {content}"),
        SessionInput::Direct { from, content, .. } => format!("{from} says: {content}"),
        SessionInput::Feedback { round, feedback, .. } => feedback_words(*round, feedback),
        SessionInput::InvalidMessage { protocol, error } => format!("{protocol} can't be taken: {error}"),
        SessionInput::NearMiss { near, raw } => format!("Did you mean {near}? {raw}"),
        SessionInput::Reminder => "Is it done, did it fail, or do you have a question?".to_owned(),
        SessionInput::Conflict { files } => {
            format!("Your work does not go together with what others did: {}", list(files))
        }
        SessionInput::Rework { phase, reason } => format!("Phase {phase} did not pass: {reason}"),
        SessionInput::Test { task, .. } => format!("Test task {task}."),
        SessionInput::Verify { phase, .. } => format!("Judge phase {phase}."),
        SessionInput::Question { question, from, text, options, .. } => {
            let options =
                if options.is_empty() { String::new() } else { format!(" ({})", options.join(" / ")) };
            format!("{from} asks ({question}): {text}{options}")
        }
        SessionInput::Escalation { escalation, title, description, .. } => {
            format!("{escalation}: {title}\n{description}")
        }
        SessionInput::ThinLine { line } => line.clone(),
        SessionInput::Chat { text } => text.clone(),
        SessionInput::UserMessage { text } => format!("The person says: {text}"),
        SessionInput::TaskChanged { title, text, acceptance, .. } => {
            let criteria = acceptance.iter().map(|criterion| format!("\n- {criterion}"));
            format!(
                "The plan says something else about this task now: {title}\n{text}{}",
                criteria.collect::<String>()
            )
        }
        SessionInput::Resume { reason } => format!("Go on: {reason}"),
    }
}

fn found(provided: &ProvidedResource) -> String {
    match provided {
        ProvidedResource::Environment { names } => format!("in the environment as {}", list(names)),
        ProvidedResource::File { path } => format!("in the file {path}"),
        ProvidedResource::Permission { granted: true } => "granted".to_owned(),
        ProvidedResource::Permission { granted: false } => "not granted".to_owned(),
        ProvidedResource::Package { name, version } => {
            let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            format!("the package {name}{version}")
        }
    }
}

fn feedback_words(round: u32, feedback: &TestFeedback) -> String {
    let mut text = format!("Round {round} of testing ");
    text.push_str(if feedback.success { "passed." } else { "failed." });
    for failure in &feedback.failures {
        text.push_str(&format!("\n- {}", failure.name));
        if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual) {
            text.push_str(&format!(": expected {expected}, got {actual}"));
        }
        if let Some(fix) = &failure.suggested_fix {
            text.push_str(&format!(" ({fix})"));
        }
    }
    for suggestion in &feedback.suggestions {
        text.push_str(&format!("\n- {suggestion}"));
    }
    text
}
