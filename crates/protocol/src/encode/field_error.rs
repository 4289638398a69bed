//! Finds the field that prevents a message from being encoded: each field is tried alone, among plain values.

use std::collections::BTreeMap;

use domain::{
    AgentError, AgentMessage, AskUser, AskUserType, CustomMessage, DeliverResult, DependencyRequest,
    DirectMessage, DoneMessage, FailMessage, InvokeMessage, NeedHuman, PhaseComplete, ProgressMessage,
    QuestionCategory, ReadyTasksMessage, Recovery, ResolveNextError, SessionKey, StartTaskMessage,
    StepComplete, UserQuestion,
};

use super::{EncodeError, EncodeErrorReason, verify_round_trip, write_message};
use crate::tag::truncate_value;

pub(super) fn find_unencodable_field(message: &AgentMessage, key: Option<&SessionKey>) -> EncodeError {
    let message_name = message.name();
    let trials = field_trials(message);
    for (field, trial) in &trials {
        if let Err(reason) = verify_round_trip(&write_message(trial, key), trial, key) {
            return EncodeError { message_name, field, reason };
        }
    }
    let longest = trials.iter().max_by_key(|(_, trial)| write_message(trial, key).len());
    EncodeError {
        message_name,
        field: longest.map_or("key", |(field, _)| field),
        reason: EncodeErrorReason::TooLong,
    }
}

/// Returns the first value that would be decoded differently, for an error message.
pub(super) fn first_differing_value(message: &AgentMessage, read: &AgentMessage) -> String {
    let (Ok(message), Ok(read)) = (serde_json::to_value(message), serde_json::to_value(read)) else {
        return String::new();
    };
    let (message, read) = (message.get("payload"), read.get("payload"));
    let objects = [message, read].into_iter().flatten().filter_map(serde_json::Value::as_object);
    let field_of = |value: Option<&serde_json::Value>, field: &String| value?.get(field).cloned();
    let mut fields = objects.flat_map(serde_json::Map::keys);
    let field = fields.find(|field| field_of(message, field) != field_of(read, field));
    let value = field.and_then(|field| field_of(read, field));
    match value {
        Some(serde_json::Value::String(text)) => truncate_value(&text),
        Some(other) => truncate_value(&other.to_string()),
        None => String::new(),
    }
}

/// Returns the message with plain values, under the name `key`, then with each of its own values in turn.
fn field_trials(message: &AgentMessage) -> Vec<(&'static str, AgentMessage)> {
    match message.clone() {
        AgentMessage::AskUser(ask) => ask_user_trials(ask),
        AgentMessage::Invoke(InvokeMessage { target, task, context }) => {
            let plain = InvokeMessage { target, task: plain_value(), context: None };
            vec![
                ("key", AgentMessage::Invoke(plain.clone())),
                ("task", AgentMessage::Invoke(InvokeMessage { task, ..plain.clone() })),
                ("context", AgentMessage::Invoke(InvokeMessage { context, ..plain })),
            ]
        }
        AgentMessage::DeliverResult(result) => {
            let plain = DeliverResult { content: "1".to_owned(), ..result.clone() };
            vec![
                ("key", AgentMessage::DeliverResult(plain)),
                ("content", AgentMessage::DeliverResult(result)),
            ]
        }
        AgentMessage::StepComplete(step) => {
            vec![
                ("key", AgentMessage::StepComplete(StepComplete { summary: None })),
                ("summary", AgentMessage::StepComplete(step)),
            ]
        }
        AgentMessage::Progress(ProgressMessage { progress, task }) => {
            let plain = ProgressMessage { progress: Some(0.0), task: None };
            let own =
                ProgressMessage { progress: progress.or_else(|| task.is_some().then_some(0.0)), task: None };
            vec![
                ("key", AgentMessage::Progress(plain)),
                ("progress", AgentMessage::Progress(own)),
                ("task", AgentMessage::Progress(ProgressMessage { progress: None, task })),
            ]
        }
        AgentMessage::Direct(direct) => {
            let plain = DirectMessage { content: plain_value(), ..direct.clone() };
            vec![("key", AgentMessage::Direct(plain)), ("content", AgentMessage::Direct(direct))]
        }
        AgentMessage::DependencyRequest(request) => dependency_request_trials(request),
        AgentMessage::UserQuestion(question) => user_question_trials(question),
        AgentMessage::Error(error) => agent_error_trials(error),
        AgentMessage::PhaseComplete(PhaseComplete { phase, name, documents }) => {
            let plain = PhaseComplete { phase, name: None, documents: Vec::new() };
            vec![
                ("key", AgentMessage::PhaseComplete(plain.clone())),
                ("name", AgentMessage::PhaseComplete(PhaseComplete { name, ..plain.clone() })),
                ("documents", AgentMessage::PhaseComplete(PhaseComplete { documents, ..plain })),
            ]
        }
        AgentMessage::NeedHuman(need_human) => {
            vec![
                ("key", AgentMessage::NeedHuman(NeedHuman { question: plain_value() })),
                ("question", AgentMessage::NeedHuman(need_human)),
            ]
        }
        message @ (AgentMessage::ResolveNext(_) | AgentMessage::PhaseDone(_) | AgentMessage::AllDone) => {
            vec![("key", message)]
        }
        AgentMessage::Ready(ready) => {
            vec![
                ("key", AgentMessage::AllDone),
                ("groups", AgentMessage::Ready(ReadyTasksMessage { groups: ready.groups })),
            ]
        }
        AgentMessage::Task(StartTaskMessage { task_id, phase, worktree, meta }) => {
            let plain = StartTaskMessage { task_id, phase, worktree: None, meta: None };
            vec![
                ("key", AgentMessage::Task(plain.clone())),
                ("worktree", AgentMessage::Task(StartTaskMessage { worktree, ..plain.clone() })),
                ("meta", AgentMessage::Task(StartTaskMessage { meta, ..plain })),
            ]
        }
        AgentMessage::Done(done) => {
            let DoneMessage { task_id, phase, reason, fields } = done;
            let plain = DoneMessage { task_id, phase, reason: None, fields: BTreeMap::new() };
            vec![
                ("key", AgentMessage::Done(plain.clone())),
                ("fields", AgentMessage::Done(DoneMessage { fields, ..plain.clone() })),
                ("reason", AgentMessage::Done(DoneMessage { reason, ..plain })),
            ]
        }
        AgentMessage::Fail(FailMessage { task_id, phase, reason, fields }) => {
            let plain = FailMessage { task_id, phase, reason: None, fields: BTreeMap::new() };
            vec![
                ("key", AgentMessage::Fail(plain.clone())),
                ("fields", AgentMessage::Fail(FailMessage { fields, ..plain.clone() })),
                ("reason", AgentMessage::Fail(FailMessage { reason, ..plain })),
            ]
        }
        AgentMessage::ResolveError(error) => {
            let plain = ResolveNextError { detail: None, ..error.clone() };
            vec![("key", AgentMessage::ResolveError(plain)), ("detail", AgentMessage::ResolveError(error))]
        }
        AgentMessage::Custom(CustomMessage { kind, value }) => {
            // Some kinds require a task id, and every kind accepts one.
            let plain = CustomMessage { kind: "SKIP".to_owned(), value: "T1".to_owned() };
            vec![
                ("key", AgentMessage::Custom(plain.clone())),
                ("kind", AgentMessage::Custom(CustomMessage { kind: kind.clone(), ..plain })),
                ("value", AgentMessage::Custom(CustomMessage { kind, value })),
            ]
        }
    }
}

fn ask_user_trials(ask: AskUser) -> Vec<(&'static str, AgentMessage)> {
    let AskUser { question, r#type, options, context, default, required: _ } = ask;
    let plain = AskUser {
        question: plain_value(),
        r#type: AskUserType::Text,
        options: Vec::new(),
        context: None,
        default: None,
        required: true,
    };
    // The default depends on the options, and they depend on the type.
    let with_options = AskUser { r#type, options, ..plain.clone() };
    vec![
        ("key", AgentMessage::AskUser(plain.clone())),
        ("question", AgentMessage::AskUser(AskUser { question, ..plain.clone() })),
        ("options", AgentMessage::AskUser(with_options.clone())),
        ("default", AgentMessage::AskUser(AskUser { default, ..with_options })),
        ("context", AgentMessage::AskUser(AskUser { context, ..plain })),
    ]
}

fn dependency_request_trials(request: DependencyRequest) -> Vec<(&'static str, AgentMessage)> {
    let DependencyRequest { r#type, name, description, required, default, extra } = request;
    let plain = DependencyRequest {
        r#type,
        name: plain_value(),
        description: plain_value(),
        required,
        default: None,
        extra: BTreeMap::new(),
    };
    vec![
        ("key", AgentMessage::DependencyRequest(plain.clone())),
        ("name", AgentMessage::DependencyRequest(DependencyRequest { name, ..plain.clone() })),
        ("description", AgentMessage::DependencyRequest(DependencyRequest { description, ..plain.clone() })),
        ("default", AgentMessage::DependencyRequest(DependencyRequest { default, ..plain.clone() })),
        ("extra", AgentMessage::DependencyRequest(DependencyRequest { extra, ..plain })),
    ]
}

fn user_question_trials(asked: UserQuestion) -> Vec<(&'static str, AgentMessage)> {
    let UserQuestion { category, question, options, default, required, extra } = asked;
    let plain = UserQuestion {
        category: QuestionCategory::Business,
        question: plain_value(),
        options: Vec::new(),
        default: None,
        required,
        extra: BTreeMap::new(),
    };
    let with_options = UserQuestion { category, options, ..plain.clone() };
    vec![
        ("key", AgentMessage::UserQuestion(plain.clone())),
        ("question", AgentMessage::UserQuestion(UserQuestion { question, ..plain.clone() })),
        ("options", AgentMessage::UserQuestion(with_options.clone())),
        ("default", AgentMessage::UserQuestion(UserQuestion { default, ..with_options })),
        ("extra", AgentMessage::UserQuestion(UserQuestion { extra, ..plain })),
    ]
}

fn agent_error_trials(error: AgentError) -> Vec<(&'static str, AgentMessage)> {
    let AgentError { r#type, message, details, recovery, resets_at, extra } = error;
    let plain = AgentError {
        r#type,
        message: plain_value(),
        details: None,
        recovery: Recovery::NotifyUser,
        resets_at: None,
        extra: BTreeMap::new(),
    };
    vec![
        ("key", AgentMessage::Error(plain.clone())),
        ("message", AgentMessage::Error(AgentError { message, ..plain.clone() })),
        ("details", AgentMessage::Error(AgentError { details, ..plain.clone() })),
        ("recovery", AgentMessage::Error(AgentError { recovery, ..plain.clone() })),
        ("resetsAt", AgentMessage::Error(AgentError { resets_at, ..plain.clone() })),
        ("extra", AgentMessage::Error(AgentError { extra, ..plain })),
    ]
}

/// Returns a value that is valid in every field.
fn plain_value() -> String {
    "x".to_owned()
}
