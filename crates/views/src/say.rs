//! What a session is told, in words for people. What it is told exactly is `wire`'s to say.

use domain::{CallOutcome, Feedback, Input, Provided};

use crate::line::list;

/// Puts an input into words.
pub fn say(input: &Input) -> String {
    match input {
        Input::Task { task, attempt, hint, carried } => {
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
        Input::Answer { question, answer, .. } => format!("Answer to {question}: {answer}"),
        Input::AskBack { question, text } => format!("About {question}: {text}"),
        Input::Permission { allowed: true, .. } => "You may.".to_owned(),
        Input::Permission { allowed: false, .. } => "You may not.".to_owned(),
        Input::Provided { name, provided, default, .. } => {
            let own = if *default { ", your own default" } else { "" };
            format!("{name} is there{own}: {}", found(provided))
        }
        Input::Refused { name, reason, .. } => format!("{name} will not come: {reason}"),
        Input::Call { from, task, context, .. } => {
            let context = context.as_ref().map(|context| format!("\n{context}")).unwrap_or_default();
            format!("{from} calls: {task}{context}")
        }
        Input::CallEnded { from, outcome: CallOutcome::Completed { content, .. }, .. } => {
            format!("{from} is done: {content}")
        }
        Input::CallEnded { from, outcome: CallOutcome::Failed { reason }, .. } => {
            format!("{from} could not do it: {reason}")
        }
        Input::Result { from, content, .. } => format!("A result of {from}: {content}"),
        Input::Direct { from, content, .. } => format!("{from} says: {content}"),
        Input::Feedback { round, feedback, .. } => feedback_words(*round, feedback),
        Input::Invalid { protocol, error } => format!("{protocol} can't be taken: {error}"),
        Input::Near { near, raw } => format!("Did you mean {near}? {raw}"),
        Input::Nudge => "Is it done, did it fail, or do you have a question?".to_owned(),
        Input::Conflict { files } => {
            format!("Your work does not go together with what others did: {}", list(files))
        }
        Input::Rework { phase, reason } => format!("Phase {phase} did not pass: {reason}"),
        Input::Test { task, .. } => format!("Test task {task}."),
        Input::Verify { phase, .. } => format!("Judge phase {phase}."),
        Input::Question { question, from, text, options, .. } => {
            let options =
                if options.is_empty() { String::new() } else { format!(" ({})", options.join(" / ")) };
            format!("{from} asks ({question}): {text}{options}")
        }
        Input::Escalation { escalation, title, description, .. } => {
            format!("{escalation}: {title}\n{description}")
        }
        Input::Thin { line } => line.clone(),
        Input::Chat { text } => text.clone(),
        Input::Told { text } => format!("The person says: {text}"),
        Input::Changed { title, text, acceptance, .. } => {
            let criteria = acceptance.iter().map(|criterion| format!("\n- {criterion}"));
            format!(
                "The plan says something else about this task now: {title}\n{text}{}",
                criteria.collect::<String>()
            )
        }
        Input::GoOn { reason } => format!("Go on: {reason}"),
    }
}

fn found(provided: &Provided) -> String {
    match provided {
        Provided::Environment { names } => format!("in the environment as {}", list(names)),
        Provided::File { path } => format!("in the file {path}"),
        Provided::Permission { granted: true } => "granted".to_owned(),
        Provided::Permission { granted: false } => "not granted".to_owned(),
        Provided::Package { name, version } => {
            let version = version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            format!("the package {name}{version}")
        }
    }
}

fn feedback_words(round: u32, feedback: &Feedback) -> String {
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
