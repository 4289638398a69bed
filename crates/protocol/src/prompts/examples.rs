//! A valid example of each message, shown to an agent whose message was invalid.

use domain::{
    AgentError, AgentMessage, AgentName, AskUser, AskUserType, CustomMessage, DeliverResult,
    DependencyRequest, DependencyType, DirectMessage, DirectType, DoneMessage, ErrorType, FailMessage,
    InvokeMessage, MissingEvidence, NeedHuman, PhaseComplete, PhaseTasksDone, ProgressMessage,
    QuestionCategory, ReadyTasksMessage, Recovery, ResolveNextError, ResolveNextErrorCode,
    ResolveNextRequest, ResultType, SessionKey, StartTaskMessage, StepComplete, TaskId, UserQuestion,
};

use crate::encode::encode;

/// The task in examples for an agent without one: a plan hardly has it, and it decodes as a task id.
pub(super) const EXAMPLE_TASK: &str = "T0";

/// Returns an example of a message by its name, with the session's task and key; `None` for an unknown name.
pub fn message_example(name: &str, task: Option<&TaskId>, key: Option<&SessionKey>) -> Option<String> {
    let task = task.cloned().or_else(|| EXAMPLE_TASK.parse().ok())?;
    encode_example(&build_example(name, &task)?, key)
}

pub(super) fn encode_example(message: &AgentMessage, key: Option<&SessionKey>) -> Option<String> {
    encode(message, key).ok().map(|text| text.trim_end().to_owned())
}

/// Returns the message that reports a task as done.
pub fn done_example(task: &TaskId, key: Option<&SessionKey>) -> Option<String> {
    encode_example(&build_example("DONE", task)?, key)
}

/// Returns the messages that report a task's outcome: done, failed, a question.
pub(super) fn outcome_examples(task: &TaskId, key: Option<&SessionKey>) -> Vec<String> {
    encode_outcomes(vec![done_message(task, None)], task, key)
}

/// Returns the messages that report a task's outcome, and the evidence that is missing.
pub(super) fn evidence_examples(
    task: &TaskId,
    missing: &[MissingEvidence],
    key: Option<&SessionKey>,
) -> Vec<String> {
    let with_reason = || done_message(task, Some("why nothing has to change"));
    let mut done = vec![done_message(task, None)];
    for missing in missing {
        match missing {
            MissingEvidence::NoMessage => {}
            MissingEvidence::ChangesUnknown => done = vec![done_message(task, Some("what you did"))],
            MissingEvidence::NoChange
            | MissingEvidence::OnlyLargeFiles
            | MissingEvidence::UnchangedSinceDenial
            | MissingEvidence::UnchangedSinceRejection
            | MissingEvidence::UnchangedSinceFailedCheck
            | MissingEvidence::UnchangedSinceConflict => done.push(with_reason()),
        }
    }
    encode_outcomes(done, task, key)
}

fn done_message(task: &TaskId, reason: Option<&str>) -> AgentMessage {
    let reason = reason.map(str::to_owned);
    AgentMessage::Done(DoneMessage { task_id: task.clone(), phase: None, reason, fields: [].into() })
}

fn encode_outcomes(done: Vec<AgentMessage>, task: &TaskId, key: Option<&SessionKey>) -> Vec<String> {
    let reason = Some("why it failed".to_owned());
    let fail =
        AgentMessage::Fail(FailMessage { task_id: task.clone(), phase: None, reason, fields: [].into() });
    let question = build_example("ASK_USER", task);
    done.into_iter()
        .chain([fail])
        .chain(question)
        .filter_map(|message| encode_example(&message, key))
        .collect()
}

fn build_example(name: &str, task: &TaskId) -> Option<AgentMessage> {
    let text = |value: &str| value.to_owned();
    let (task_id, target) = (task.clone(), "PO".parse::<AgentName>().ok()?);
    let message = match name {
        "ASK_USER" => AgentMessage::AskUser(AskUser {
            question: text("Which database?"),
            r#type: AskUserType::Selection,
            options: vec![text("PostgreSQL"), text("SQLite")],
            context: None,
            default: None,
            required: true,
        }),
        "INVOKE" => AgentMessage::Invoke(InvokeMessage {
            target,
            task: text("what it should do"),
            context: Some(text("what it should know")),
        }),
        "DELIVER_RESULT" => {
            let result_type = ResultType::Markdown;
            AgentMessage::DeliverResult(DeliverResult { target, result_type, content: text("the result") })
        }
        "STEP_COMPLETE" => AgentMessage::StepComplete(StepComplete { summary: Some(text("what was done")) }),
        "PROGRESS" => AgentMessage::Progress(ProgressMessage {
            progress: Some(0.4),
            task: Some(text("what is being done")),
        }),
        "DIRECT" => AgentMessage::Direct(DirectMessage {
            target,
            r#type: Some(DirectType::Query),
            content: text("your message"),
        }),
        "DEPENDENCY_REQUEST" => AgentMessage::DependencyRequest(DependencyRequest {
            r#type: DependencyType::ApiKey,
            name: text("OPENAI_API_KEY"),
            description: text("what it is for"),
            required: true,
            default: None,
            extra: [].into(),
        }),
        "USER_QUESTION" => AgentMessage::UserQuestion(UserQuestion {
            category: QuestionCategory::Choice,
            question: text("Which revenue model?"),
            options: vec![text("Subscription"), text("One-time")],
            default: Some(text("Subscription")),
            required: true,
            extra: [].into(),
        }),
        "ERROR" => AgentMessage::Error(AgentError {
            r#type: ErrorType::Recoverable,
            message: text("Rate limit exceeded"),
            details: None,
            recovery: Recovery::PauseAndRetry,
            resets_at: None,
            extra: [].into(),
        }),
        "PHASE_COMPLETE" => {
            let documents = vec![text("docs/planning/01_idea.md")];
            AgentMessage::PhaseComplete(PhaseComplete { phase: 1, name: Some(text("Planning")), documents })
        }
        "NEED_HUMAN" => AgentMessage::NeedHuman(NeedHuman { question: text("your question to the person") }),
        "RESOLVE_NEXT" => AgentMessage::ResolveNext(ResolveNextRequest { phase: None, force: false }),
        "READY" => AgentMessage::Ready(ReadyTasksMessage { groups: vec![vec![task_id]] }),
        "PHASE_DONE" => AgentMessage::PhaseDone(PhaseTasksDone { phase: 1 }),
        "ALL_DONE" => AgentMessage::AllDone,
        "TASK" => AgentMessage::Task(StartTaskMessage { task_id, phase: None, worktree: None, meta: None }),
        "DONE" => AgentMessage::Done(DoneMessage { task_id, phase: None, reason: None, fields: [].into() }),
        "FAIL" => AgentMessage::Fail(FailMessage {
            task_id,
            phase: None,
            reason: Some(text("why it failed")),
            fields: [].into(),
        }),
        "RESOLVE_ERROR" => AgentMessage::ResolveError(ResolveNextError {
            code: ResolveNextErrorCode::ParseFail,
            detail: None,
        }),
        "CUSTOM" => AgentMessage::Custom(CustomMessage { kind: text("SKIP"), value: task_id.to_string() }),
        _ => return None,
    };
    Some(message)
}
