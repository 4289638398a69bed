//! What a session is told, in its language and form.
//!
//! All that holds words of agents and people goes through `protocol::say`, so nothing that is said here counts as a
//! message when it comes back. Knows no plan: whoever has it gives the task's brief along.

mod notices;

use domain::{
    AgentName, DependencyType, InvocationOutcome, Locale, ProvidedResource, SessionInput, SessionKey, TaskId,
    TestFeedback, TestMetrics,
};
use protocol::say::{self, Say};

use crate::{driver::Told, preset::Form};

/// Whom something is told to.
#[derive(Debug, Clone, Copy)]
pub struct Listener<'a> {
    /// The run's language.
    pub locale: Locale,
    /// In which form it is told things.
    pub form: Form,
    /// The session's key, for the examples of right forms.
    pub key: Option<&'a SessionKey>,
    /// The task that it works on, where it has one.
    pub task: Option<&'a TaskId>,
    /// What there is to do, where it is told to begin.
    pub brief: Option<&'a say::Task>,
    /// The project's own template of a task's prompt.
    pub template: Option<&'a str>,
}

/// Puts an input into words.
///
/// ```
/// use drivers::{Told, preset::Form, words::{Listener, told}};
/// use domain::{Locale, QuestionId, SessionInput};
///
/// let listener =
///     Listener { locale: Locale::Ko, form: Form::Text, key: None, task: None, brief: None, template: None };
/// let input = SessionInput::Answer { question: QuestionId(7), answer: "구독".into(), prompt: None };
/// assert_eq!(told(&input, listener), Told::Prompt { text: "[ANSWER q_7]\n구독".into() });
/// ```
pub fn told(input: &SessionInput, listener: Listener<'_>) -> Told {
    match input {
        SessionInput::Permission { prompt, allowed, question: _ } => {
            Told::Permission { prompt: prompt.clone(), allowed: *allowed }
        }
        SessionInput::Answer { prompt: Some(prompt), answer, question: _ } => {
            Told::Answer { prompt: prompt.clone(), answer: answer.clone() }
        }
        _ => Told::Prompt { text: text(input, listener) },
    }
}

/// Says in words what was to be the answer to a prompt that is gone.
pub fn late(input: &SessionInput, listener: Listener<'_>) -> Told {
    let text = match input {
        SessionInput::Permission { allowed, .. } => {
            spoken(&Say::Notice(notices::permission(*allowed, listener.locale)), listener)
        }
        _ => text(input, listener),
    };
    Told::Prompt { text }
}

/// Says where to read what is too long to be typed.
pub fn in_file(path: &str, listener: Listener<'_>) -> Told {
    Told::Prompt { text: spoken(&Say::Notice(notices::file(path, listener.locale)), listener) }
}

/// Returns the words of an input; one with others in it is followed by theirs.
fn text(input: &SessionInput, listener: Listener<'_>) -> String {
    let mut parts = vec![spoken(&say(input, listener), listener)];
    if let SessionInput::Task { carried, .. } = input {
        parts.extend(carried.iter().map(|input| text(input, listener)));
    }
    match listener.form {
        Form::Text => parts.join("\n\n"),
        Form::Json => parts.join("\n"),
    }
}

fn spoken(say: &Say, listener: Listener<'_>) -> String {
    match (listener.form, say, listener.template) {
        (Form::Json, _, _) => say.json(),
        (Form::Text, Say::Task(task), Some(template)) if task.from.is_none() => {
            say::task_prompt(task, template, listener.locale)
        }
        (Form::Text, _, _) => say.text(listener.locale),
    }
}

fn say(input: &SessionInput, listener: Listener<'_>) -> Say {
    match input {
        SessionInput::Task { task, attempt: _, hint, carried: _ } => {
            Say::Task(Box::new(work(task, hint.as_deref(), listener)))
        }
        SessionInput::Answer { question, answer, prompt: _ } => Say::QuestionAnswer(say::QuestionAnswer {
            question_id: question.to_string(),
            answer: answer.clone(),
        }),
        SessionInput::Provided { request, name, kind, provided, default } => {
            Say::DependencyProvided(say::DependencyProvided {
                request_id: request.to_string(),
                name: name.clone(),
                provided: place(*kind, name, provided),
                is_default: *default,
            })
        }
        SessionInput::Refused { request, name, reason } => Say::DependencyRefused(say::DependencyRefused {
            request_id: request.to_string(),
            name: name.clone(),
            reason: reason.clone(),
        }),
        SessionInput::Invocation { invocation: _, from, task, context } => {
            call(from, task, context.as_deref(), listener)
        }
        SessionInput::InvocationEnded {
            outcome: InvocationOutcome::Completed { result_type, content },
            from,
            invocation: _,
        }
        | SessionInput::Result { result_type, content, from, result: _ } => Say::Result(say::Delivery {
            from: from.clone(),
            result_type: *result_type,
            content: content.clone(),
        }),
        SessionInput::Direct { message: _, from, direct_type, content } => Say::Direct(say::DirectMessage {
            from: from.clone(),
            kind: Some(*direct_type),
            content: content.clone(),
        }),
        SessionInput::Feedback { message: _, round: _, feedback } => match listener.task {
            Some(task) => Say::Feedback(tested(task, feedback)),
            None => Say::Notice(notices::feedback(feedback, listener.locale)),
        },
        SessionInput::InvalidMessage { protocol, error } => Say::Invalid(say::Invalid {
            protocol: protocol.clone(),
            error: error.clone(),
            form: say::form(protocol, listener.key),
        }),
        SessionInput::NearMiss { near, raw } => {
            Say::Near(say::Near { near: near.clone(), raw: raw.clone(), form: say::form(near, listener.key) })
        }
        SessionInput::Reminder => match listener.task {
            Some(task) => Say::Finish(say::Finish::new(task.clone(), listener.key)),
            None => Say::Notice(notices::nudge(listener.locale)),
        },
        SessionInput::InvocationEnded { outcome: InvocationOutcome::Failed { .. }, .. }
        | SessionInput::Permission { .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. }
        | SessionInput::Test { .. }
        | SessionInput::Verify { .. }
        | SessionInput::Question { .. }
        | SessionInput::Escalation { .. }
        | SessionInput::ThinLine { .. }
        | SessionInput::Chat { .. }
        | SessionInput::Resume { .. } => Say::Notice(notices::notice(input, listener)),
    }
}

/// Returns the brief of a task with the advice for this try.
fn work(task: &TaskId, hint: Option<&str>, listener: Listener<'_>) -> say::Task {
    let mut work = listener.brief.cloned().unwrap_or_else(|| empty(task));
    work.task_id = task.clone();
    let context = [work.context.take(), hint.map(str::to_owned)];
    let context: Vec<String> = context.into_iter().flatten().collect();
    work.context = (!context.is_empty()).then(|| context.join("\n\n"));
    work
}

fn call(from: &AgentName, wanted: &str, context: Option<&str>, listener: Listener<'_>) -> Say {
    let Some(task) = listener.task else {
        return Say::Notice(notices::call(from, wanted, context, listener.locale));
    };
    Say::Task(Box::new(say::Task {
        from: Some(from.clone()),
        text: wanted.to_owned(),
        context: context.map(str::to_owned),
        ..empty(task)
    }))
}

fn empty(task: &TaskId) -> say::Task {
    say::Task {
        task_id: task.clone(),
        from: None,
        phase: None,
        title: None,
        text: String::new(),
        context: None,
        criteria: Vec::new(),
        touches: Vec::new(),
        check: None,
        results: Vec::new(),
        worktree: None,
        preamble: None,
    }
}

/// Says where a provided thing is. The kind that was asked for decides how one speaks of variables.
fn place(kind: DependencyType, name: &str, provided: &ProvidedResource) -> say::Provided {
    match provided {
        ProvidedResource::Environment { names } => {
            let first = || names.first().cloned().unwrap_or_else(|| name.to_owned());
            match kind {
                DependencyType::ApiKey => say::Provided::ApiKey { env: first() },
                DependencyType::EnvVariable => say::Provided::EnvVariable { env: first() },
                DependencyType::Service
                | DependencyType::File
                | DependencyType::Permission
                | DependencyType::Package => say::Provided::Service { envs: names.clone() },
            }
        }
        ProvidedResource::File { path } => say::Provided::File { path: path.clone() },
        ProvidedResource::Permission { granted } => say::Provided::Permission { granted: *granted },
        ProvidedResource::Package { name, version } => {
            say::Provided::Package { package: name.clone(), version: version.clone() }
        }
    }
}

fn tested(task: &TaskId, feedback: &TestFeedback) -> say::Feedback {
    let failure = |failure: &domain::TestFailure| say::TestFailure {
        name: failure.name.clone(),
        expected: failure.expected.clone(),
        actual: failure.actual.clone(),
        trace: failure.trace.clone(),
        suggested_fix: failure.suggested_fix.clone(),
    };
    say::Feedback {
        task_id: task.clone(),
        from: None,
        failures: feedback.failures.iter().map(failure).collect(),
        suggestions: feedback.suggestions.clone(),
        metrics: feedback.metrics.as_ref().map(metrics),
    }
}

fn metrics(metrics: &TestMetrics) -> say::Metrics {
    let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    say::Metrics {
        total: number(metrics.total),
        passed: number(metrics.passed),
        failed: number(metrics.failed),
        skipped: number(metrics.skipped),
        seconds: metrics.seconds,
    }
}
