//! A valid example of each message, shown to an agent whose message was invalid.

use domain::{
    AgentError, AgentMessage, AgentName, AskUser, AskUserType, CustomMessage, DeliverResult,
    DependencyRequest, DependencyType, DirectMessage, DirectType, DoneMessage, ErrorType, FailMessage,
    InvokeMessage, Locale, MissingEvidence, NeedHuman, PhaseComplete, PhaseTasksDone, ProgressMessage,
    QuestionCategory, ReadyTasksMessage, Recovery, ResolveNextError, ResolveNextErrorCode,
    ResolveNextRequest, ResultType, SessionKey, StartTaskMessage, StepComplete, TaskId, UserQuestion,
};

use crate::encode::encode;

/// The task in examples for an agent without one: a plan hardly has it, and it decodes as a task id.
pub(super) const EXAMPLE_TASK: &str = "T0";

/// Returns an example of a message by its name, with the session's task and key; `None` for an unknown name.
pub fn message_example(
    name: &str,
    task: Option<&TaskId>,
    key: Option<&SessionKey>,
    locale: Locale,
) -> Option<String> {
    let task = task.cloned().or_else(|| EXAMPLE_TASK.parse().ok())?;
    encode_example(&build_example(name, &task, locale)?, key)
}

pub(super) fn encode_example(message: &AgentMessage, key: Option<&SessionKey>) -> Option<String> {
    encode(message, key).ok().map(|text| text.trim_end().to_owned())
}

/// Returns the message that reports a task as done.
pub fn done_example(task: &TaskId, key: Option<&SessionKey>) -> Option<String> {
    encode_example(&done_message(task, None), key)
}

/// Returns the messages that report a task's outcome: done, failed, a question.
pub(super) fn outcome_examples(task: &TaskId, key: Option<&SessionKey>, locale: Locale) -> Vec<String> {
    encode_outcomes(vec![done_message(task, None)], task, key, locale)
}

/// Returns the messages that report a task's outcome, and the evidence that is missing.
pub(super) fn evidence_examples(
    task: &TaskId,
    missing: &[MissingEvidence],
    key: Option<&SessionKey>,
    locale: Locale,
) -> Vec<String> {
    let done_because = |english, korean| done_message(task, Some(localized(locale, english, korean)));
    let with_reason = || done_because("why nothing has to change", "바꿀 것이 없는 이유");
    let mut done = vec![done_message(task, None)];
    for missing in missing {
        match missing {
            MissingEvidence::NoMessage => {}
            MissingEvidence::ChangesUnknown => done = vec![done_because("what you did", "한 일")],
            MissingEvidence::NoChange
            | MissingEvidence::OnlyLargeFiles
            | MissingEvidence::UnchangedSinceDenial
            | MissingEvidence::UnchangedSinceRejection
            | MissingEvidence::UnchangedSinceFailedCheck
            | MissingEvidence::UnchangedSinceConflict => done.push(with_reason()),
        }
    }
    encode_outcomes(done, task, key, locale)
}

fn localized(locale: Locale, english: &'static str, korean: &'static str) -> &'static str {
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
}

fn done_message(task: &TaskId, reason: Option<&str>) -> AgentMessage {
    let reason = reason.map(str::to_owned);
    AgentMessage::Done(DoneMessage { task_id: task.clone(), phase: None, reason, fields: [].into() })
}

fn encode_outcomes(
    done: Vec<AgentMessage>,
    task: &TaskId,
    key: Option<&SessionKey>,
    locale: Locale,
) -> Vec<String> {
    let others = ["FAIL", "ASK_USER"].into_iter().filter_map(|name| build_example(name, task, locale));
    done.into_iter().chain(others).filter_map(|message| encode_example(&message, key)).collect()
}

fn build_example(name: &str, task: &TaskId, locale: Locale) -> Option<AgentMessage> {
    let text = |value: &str| value.to_owned();
    let say = |english, korean| localized(locale, english, korean).to_owned();
    let (task_id, target) = (task.clone(), "PO".parse::<AgentName>().ok()?);
    let message = match name {
        "ASK_USER" => AgentMessage::AskUser(AskUser {
            question: say("Which database?", "어떤 데이터베이스를 쓸까요?"),
            r#type: AskUserType::Text,
            options: vec![text("PostgreSQL"), text("SQLite")],
            context: None,
            default: None,
            required: true,
        }),
        "INVOKE" => AgentMessage::Invoke(InvokeMessage {
            target,
            task: say("what it should do", "할 일"),
            context: Some(say("what it should know", "알아야 할 내용")),
        }),
        "DELIVER_RESULT" => {
            let result_type = ResultType::Markdown;
            AgentMessage::DeliverResult(DeliverResult {
                target,
                result_type,
                content: say("the result", "결과"),
            })
        }
        "STEP_COMPLETE" => {
            AgentMessage::StepComplete(StepComplete { summary: Some(say("what was done", "한 일")) })
        }
        "PROGRESS" => AgentMessage::Progress(ProgressMessage {
            progress: Some(0.4),
            task: Some(say("what is being done", "하고 있는 일")),
        }),
        "DIRECT" => AgentMessage::Direct(DirectMessage {
            target,
            r#type: Some(DirectType::Query),
            content: say("your message", "메시지"),
        }),
        "DEPENDENCY_REQUEST" => AgentMessage::DependencyRequest(DependencyRequest {
            r#type: DependencyType::ApiKey,
            name: text("OPENAI_API_KEY"),
            description: say("what it is for", "용도"),
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
        "NEED_HUMAN" => AgentMessage::NeedHuman(NeedHuman {
            question: say("your question to the user", "사용자에게 할 질문"),
        }),
        "RESOLVE_NEXT" => AgentMessage::ResolveNext(ResolveNextRequest { phase: None, force: false }),
        "READY" => AgentMessage::Ready(ReadyTasksMessage { groups: vec![vec![task_id]] }),
        "PHASE_DONE" => AgentMessage::PhaseDone(PhaseTasksDone { phase: 1 }),
        "ALL_DONE" => AgentMessage::AllDone,
        "TASK" => AgentMessage::Task(StartTaskMessage { task_id, phase: None, worktree: None, meta: None }),
        "DONE" => AgentMessage::Done(DoneMessage { task_id, phase: None, reason: None, fields: [].into() }),
        "FAIL" => AgentMessage::Fail(FailMessage {
            task_id,
            phase: None,
            reason: Some(say("why it failed", "실패한 이유")),
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
