//! Renders the inputs of a session to the text that its agent reads, in the run's language.
//!
//! Text of agents and people goes through `protocol::prompts`, which escapes it: an echo of it never counts as a message.
//! Does not know the plan: the caller passes the task's brief.

mod notices;

use domain::{
    AgentInvocationOutcome, AgentName, AttemptNumber, DependencyType, EarlierFailure, Locale, PhaseNumber,
    ProvidedResource, Role, SessionInput, SessionKey, TaskId, TestFeedback, TestMetrics,
};
use protocol::prompts::{self, AgentPrompt};

use crate::{driver::AgentInput, preset::InputEncoding};

/// Names of tests that a prompt lists as still failing.
const STILL_FAILING_MAX: usize = 12;

/// The session that inputs are rendered for.
#[derive(Debug, Clone, Copy)]
pub struct InputContext<'a> {
    pub role: Role,
    pub locale: Locale,
    pub format: InputEncoding,
    /// The session's key, for examples of correct messages.
    pub key: Option<&'a SessionKey>,
    /// The task that the session works on.
    pub task: Option<&'a TaskId>,
    /// The description of the work, for inputs that start it.
    pub brief: Option<&'a InputBrief>,
    /// The project's own template for the prompt of a task.
    pub template: Option<&'a str>,
}

/// The description of the work that an input starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputBrief {
    Task(Box<prompts::TaskPrompt>),
    Test(Box<prompts::TestPrompt>),
    Verify(Box<prompts::VerifyPrompt>),
    /// The tasks whose merged work conflicts with the session's.
    Conflict(Vec<prompts::TaskSummary>),
}

/// Renders an input. Answers to prompts of the agent stay answers; everything else becomes a prompt.
///
/// ```
/// use drivers::{AgentInput, input_text::{InputContext, render_input}, preset::InputEncoding};
/// use domain::{Locale, QuestionId, Role, SessionInput};
///
/// let (role, locale, format) = (Role::Worker, Locale::Ko, InputEncoding::Text);
/// let context = InputContext { role, locale, format, key: None, task: None, brief: None, template: None };
/// let input = SessionInput::Answer { question: QuestionId(7), answer: "구독".into(), prompt: None };
/// assert_eq!(render_input(&input, context), AgentInput::Prompt { text: "[ANSWER q_7]\n구독".into() });
/// ```
pub fn render_input(input: &SessionInput, recipient: InputContext<'_>) -> AgentInput {
    match input {
        SessionInput::Permission { prompt, allowed, reason, question: _ } => AgentInput::Permission {
            prompt: prompt.clone(),
            allowed: *allowed,
            reason: reason.as_ref().map(|reason| notices::denial_text(reason, recipient.locale)),
        },
        SessionInput::Answer { prompt: Some(prompt), answer, question: _ } => {
            AgentInput::Answer { prompt: prompt.clone(), answer: answer.clone() }
        }
        SessionInput::Task { .. }
        | SessionInput::Answer { .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::Invocation { .. }
        | SessionInput::InvocationEnded { .. }
        | SessionInput::Result { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::InvalidMessage { .. }
        | SessionInput::NearMiss { .. }
        | SessionInput::Reminder
        | SessionInput::EvidenceRequest { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::Test { .. }
        | SessionInput::Verify { .. }
        | SessionInput::Question { .. }
        | SessionInput::Escalation { .. }
        | SessionInput::ThinLine { .. }
        | SessionInput::Chat { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. }
        | SessionInput::Resume { .. } => AgentInput::Prompt { text: render_input_text(input, recipient) },
    }
}

/// Renders the answer to a prompt that no longer exists, as a prompt of its own.
pub fn render_late_answer(input: &SessionInput, recipient: InputContext<'_>) -> AgentInput {
    let text = match input {
        SessionInput::Permission { allowed, reason, .. } => render_agent_prompt(
            &AgentPrompt::Notice(notices::late_permission_notice(
                *allowed,
                reason.as_deref(),
                recipient.locale,
            )),
            recipient,
        ),
        SessionInput::Task { .. }
        | SessionInput::Answer { .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::Invocation { .. }
        | SessionInput::InvocationEnded { .. }
        | SessionInput::Result { .. }
        | SessionInput::Direct { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::InvalidMessage { .. }
        | SessionInput::NearMiss { .. }
        | SessionInput::Reminder
        | SessionInput::EvidenceRequest { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::Test { .. }
        | SessionInput::Verify { .. }
        | SessionInput::Question { .. }
        | SessionInput::Escalation { .. }
        | SessionInput::ThinLine { .. }
        | SessionInput::Chat { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. }
        | SessionInput::Resume { .. } => render_input_text(input, recipient),
    };
    AgentInput::Prompt { text }
}

/// Renders a reference to the file that holds an input which is too long to be typed.
pub fn render_file_reference(path: &str, recipient: InputContext<'_>) -> AgentInput {
    AgentInput::Prompt {
        text: render_agent_prompt(
            &AgentPrompt::Notice(notices::file_reference_notice(path, recipient.locale)),
            recipient,
        ),
    }
}

/// Adds the description of the protocol to the first input of a session, or of a process that does not remember it.
pub fn with_preamble(preamble: &str, text: &str, format: InputEncoding) -> String {
    match format {
        InputEncoding::Text => format!("{preamble}\n\n{text}"),
        InputEncoding::Json => format!("{preamble}\n{text}"),
    }
}

/// Renders an input and the inputs that it carries. In a text, the reasons to do a task again come before the task.
fn render_input_text(input: &SessionInput, recipient: InputContext<'_>) -> String {
    let own = render_agent_prompt(&to_agent_prompt(input, recipient), recipient);
    let SessionInput::Task { carried, .. } = input else { return own };
    let is_first = |input: &&SessionInput| recipient.format == InputEncoding::Text && is_reason(input);
    let (first, last): (Vec<_>, Vec<_>) = carried.iter().partition(is_first);
    let render = |input: &SessionInput| render_input_text(input, recipient);
    let parts: Vec<String> =
        first.into_iter().map(render).chain([own]).chain(last.into_iter().map(render)).collect();
    match recipient.format {
        InputEncoding::Text => parts.join("\n\n"),
        InputEncoding::Json => parts.join("\n"),
    }
}

/// Returns whether an input is a reason to do a task again.
fn is_reason(input: &SessionInput) -> bool {
    match input {
        SessionInput::Conflict { .. }
        | SessionInput::Feedback { .. }
        | SessionInput::Rework { .. }
        | SessionInput::TaskChanged { .. }
        | SessionInput::UserMessage { .. } => true,
        SessionInput::Task { .. }
        | SessionInput::Answer { .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Permission { .. }
        | SessionInput::Provided { .. }
        | SessionInput::Refused { .. }
        | SessionInput::Invocation { .. }
        | SessionInput::InvocationEnded { .. }
        | SessionInput::Result { .. }
        | SessionInput::Direct { .. }
        | SessionInput::InvalidMessage { .. }
        | SessionInput::NearMiss { .. }
        | SessionInput::Reminder
        | SessionInput::EvidenceRequest { .. }
        | SessionInput::Test { .. }
        | SessionInput::Verify { .. }
        | SessionInput::Question { .. }
        | SessionInput::Escalation { .. }
        | SessionInput::ThinLine { .. }
        | SessionInput::Chat { .. }
        | SessionInput::Resume { .. } => false,
    }
}

fn render_agent_prompt(message: &AgentPrompt, recipient: InputContext<'_>) -> String {
    match (recipient.format, message, recipient.template) {
        (InputEncoding::Json, _, _) => message.json(),
        (InputEncoding::Text, AgentPrompt::Task(task), Some(template)) if task.from.is_none() => {
            prompts::render_task_prompt(task, template, recipient.locale)
        }
        (InputEncoding::Text, _, _) => message.text(recipient.locale),
    }
}

fn to_agent_prompt(input: &SessionInput, recipient: InputContext<'_>) -> AgentPrompt {
    match input {
        SessionInput::Task { task, attempt, hint, earlier, carried: _ } => {
            AgentPrompt::Task(Box::new(task_prompt(task, *attempt, hint.as_deref(), earlier, recipient)))
        }
        SessionInput::Test { task, attempt } => {
            AgentPrompt::Test(Box::new(test_prompt(task, *attempt, recipient)))
        }
        SessionInput::Verify { phase, round } => {
            AgentPrompt::Verify(Box::new(verify_prompt(*phase, *round, recipient)))
        }
        SessionInput::Answer { question, answer, prompt: _ } => {
            AgentPrompt::QuestionAnswer(prompts::QuestionAnswer {
                question_id: question.to_string(),
                answer: answer.clone(),
            })
        }
        SessionInput::Provided { request, name, kind, provided, default } => {
            AgentPrompt::DependencyProvided(prompts::DependencyProvided {
                request_id: request.to_string(),
                name: name.clone(),
                access: resource_access(*kind, name, provided),
                is_default: *default,
            })
        }
        SessionInput::Refused { request, name, reason } => {
            AgentPrompt::DependencyRefused(prompts::DependencyRefused {
                request_id: request.to_string(),
                name: name.clone(),
                reason: reason.clone(),
            })
        }
        SessionInput::Invocation { invocation: _, from, task, context } => {
            invocation_prompt(from, task, context.as_deref(), recipient)
        }
        SessionInput::InvocationEnded {
            outcome: AgentInvocationOutcome::Completed { result_type, content },
            from,
            invocation: _,
        }
        | SessionInput::Result { result_type, content, from, result: _ } => {
            AgentPrompt::Result(prompts::ResultDelivery {
                from: from.clone(),
                result_type: *result_type,
                content: content.clone(),
            })
        }
        SessionInput::Direct { message: _, from, direct_type, content } => {
            AgentPrompt::Direct(prompts::DirectMessage {
                from: from.clone(),
                kind: Some(*direct_type),
                content: content.clone(),
                key: recipient.key.cloned(),
            })
        }
        SessionInput::Feedback { message: _, round: _, feedback, earlier } => match recipient.task {
            Some(task) => AgentPrompt::Feedback(test_feedback(task, feedback, earlier, recipient)),
            None => AgentPrompt::Notice(notices::feedback_notice(feedback, recipient.locale)),
        },
        SessionInput::InvalidMessage { protocol, error } => {
            AgentPrompt::Invalid(prompts::InvalidMessageNotice {
                message_name: protocol.clone(),
                error: error.clone(),
                example: prompts::message_example(protocol, recipient.task, recipient.key, recipient.locale),
            })
        }
        SessionInput::NearMiss { near, raw } => AgentPrompt::NearMiss(prompts::NearMissNotice {
            message_name: near.clone(),
            raw: raw.clone(),
            example: prompts::message_example(near, recipient.task, recipient.key, recipient.locale),
        }),
        SessionInput::Reminder => match recipient.task {
            Some(task) => AgentPrompt::OutcomeRequest(prompts::OutcomeRequest::new(
                task.clone(),
                recipient.key,
                recipient.locale,
            )),
            None => AgentPrompt::Notice(notices::status_request(recipient.locale)),
        },
        SessionInput::EvidenceRequest { task, missing } => {
            AgentPrompt::OutcomeRequest(prompts::OutcomeRequest::for_evidence(
                task.clone(),
                missing.clone(),
                recipient.key,
                recipient.locale,
            ))
        }
        SessionInput::InvocationEnded { outcome: AgentInvocationOutcome::Failed { .. }, .. }
        | SessionInput::Permission { .. }
        | SessionInput::ClarificationRequest { .. }
        | SessionInput::Conflict { .. }
        | SessionInput::Rework { .. }
        | SessionInput::UserMessage { .. }
        | SessionInput::TaskChanged { .. }
        | SessionInput::Question { .. }
        | SessionInput::Escalation { .. }
        | SessionInput::ThinLine { .. }
        | SessionInput::Chat { .. }
        | SessionInput::Resume { .. } => AgentPrompt::Notice(notices::input_notice(input, recipient)),
    }
}

/// Returns the prompt of a task, with the hint for this attempt and what failed before.
fn task_prompt(
    task: &TaskId,
    attempt: AttemptNumber,
    hint: Option<&str>,
    earlier: &[EarlierFailure],
    recipient: InputContext<'_>,
) -> prompts::TaskPrompt {
    let mut prompt = match recipient.brief {
        Some(InputBrief::Task(brief)) => (**brief).clone(),
        Some(InputBrief::Test(_) | InputBrief::Verify(_) | InputBrief::Conflict(_)) | None => {
            prompts::TaskPrompt::new(task.clone())
        }
    };
    prompt.task_id = task.clone();
    let history =
        prompts::render_earlier_failures(&earlier_lines(earlier, recipient.locale), &[], recipient.locale);
    let reason: Vec<String> = hint.map(str::to_owned).into_iter().chain(history).collect();
    prompt.reason =
        (!reason.is_empty()).then(|| prompts::AttemptReason { attempt, text: reason.join("\n\n") });
    prompt
}

fn test_prompt(task: &TaskId, attempt: AttemptNumber, recipient: InputContext<'_>) -> prompts::TestPrompt {
    let key = recipient.key.cloned();
    match recipient.brief {
        Some(InputBrief::Test(brief)) => {
            prompts::TestPrompt { task_id: task.clone(), attempt, key, ..(**brief).clone() }
        }
        Some(InputBrief::Task(_) | InputBrief::Verify(_) | InputBrief::Conflict(_)) | None => {
            prompts::TestPrompt {
                task_id: task.clone(),
                attempt,
                title: None,
                text: String::new(),
                criteria: Vec::new(),
                worker: None,
                check: None,
                changes: prompts::WorkChanges::default(),
                key,
            }
        }
    }
}

fn verify_prompt(phase: PhaseNumber, round: u32, recipient: InputContext<'_>) -> prompts::VerifyPrompt {
    let key = recipient.key.cloned();
    match recipient.brief {
        Some(InputBrief::Verify(brief)) => prompts::VerifyPrompt { phase, round, key, ..(**brief).clone() },
        Some(InputBrief::Task(_) | InputBrief::Test(_) | InputBrief::Conflict(_)) | None => {
            prompts::VerifyPrompt {
                phase,
                round,
                title: None,
                tasks: Vec::new(),
                artefacts: Vec::new(),
                documents: Vec::new(),
                files: Vec::new(),
                checks: Vec::new(),
                changed: None,
                changes: prompts::WorkChanges::default(),
                key,
            }
        }
    }
}

fn invocation_prompt(
    from: &AgentName,
    request: &str,
    context: Option<&str>,
    recipient: InputContext<'_>,
) -> AgentPrompt {
    let Some(task) = recipient.task else {
        return AgentPrompt::Notice(notices::invocation_notice(from, request, context, recipient.locale));
    };
    AgentPrompt::Task(Box::new(prompts::TaskPrompt {
        from: Some(from.clone()),
        text: request.to_owned(),
        context: context.map(str::to_owned),
        ..prompts::TaskPrompt::new(task.clone())
    }))
}

/// Describes where a provided resource is. The requested kind decides how variables are described.
fn resource_access(
    kind: DependencyType,
    name: &str,
    provided: &ProvidedResource,
) -> prompts::DependencyAccess {
    match provided {
        ProvidedResource::Environment { names } => {
            let first = || names.first().cloned().unwrap_or_else(|| name.to_owned());
            match kind {
                DependencyType::ApiKey => prompts::DependencyAccess::ApiKey { env: first() },
                DependencyType::EnvVariable => prompts::DependencyAccess::EnvVariable { env: first() },
                DependencyType::Service
                | DependencyType::File
                | DependencyType::Permission
                | DependencyType::Package => prompts::DependencyAccess::Service { envs: names.clone() },
            }
        }
        ProvidedResource::File { path, .. } => prompts::DependencyAccess::File { path: path.clone() },
        ProvidedResource::Permission { granted } => {
            prompts::DependencyAccess::Permission { granted: *granted }
        }
        ProvidedResource::Package { name, version } => {
            prompts::DependencyAccess::Package { package: name.clone(), version: version.clone() }
        }
    }
}

fn test_feedback(
    task: &TaskId,
    feedback: &TestFeedback,
    earlier: &[EarlierFailure],
    recipient: InputContext<'_>,
) -> prompts::TestFeedbackPrompt {
    let failure = |failure: &domain::TestFailure| prompts::TestFailure {
        name: failure.name.clone(),
        location: failure.location(),
        message: failure.message.clone(),
        expected: failure.expected.clone(),
        actual: failure.actual.clone(),
        trace: failure.trace.clone(),
        suggested_fix: failure.suggested_fix.clone(),
    };
    prompts::TestFeedbackPrompt {
        task_id: task.clone(),
        from: None,
        failures: feedback.failures.iter().map(failure).collect(),
        n_unlisted: feedback.n_unlisted,
        text: feedback.text.clone(),
        suggestions: feedback.suggestions.clone(),
        earlier: earlier_lines(earlier, recipient.locale),
        still_failing: still_failing(feedback, earlier),
        metrics: feedback.metrics.as_ref().map(test_counts),
        form: prompts::done_example(task, recipient.key)
            .filter(|_| !feedback.failures.is_empty() || feedback.text.is_some()),
    }
}

fn earlier_lines(earlier: &[EarlierFailure], locale: Locale) -> Vec<String> {
    earlier.iter().map(|failure| prompts::describe_earlier_failure(failure, locale)).collect()
}

/// Returns the names of failed tests that failed before. Names of earlier failures may be shortened.
fn still_failing(feedback: &TestFeedback, earlier: &[EarlierFailure]) -> Vec<String> {
    let has_failed = |name: &str| {
        let mut known = earlier.iter().flat_map(|failure| &failure.failed);
        known.any(|known| !known.is_empty() && name.starts_with(known.as_str()))
    };
    let names = feedback.failures.iter().map(|failure| &failure.name);
    names.filter(|name| has_failed(name)).take(STILL_FAILING_MAX).cloned().collect()
}

fn test_counts(metrics: &TestMetrics) -> prompts::TestCounts {
    let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    prompts::TestCounts {
        total: number(metrics.total),
        passed: number(metrics.passed),
        failed: number(metrics.failed),
        skipped: number(metrics.skipped),
        seconds: metrics.seconds,
    }
}
