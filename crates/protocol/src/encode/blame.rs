//! Which field of a message is to blame that it can't be written: each is tried alone, among plain values.

use std::collections::BTreeMap;

use domain::{
    AgentError, AskUser, AskUserType, Custom, DeliverResult, DependencyRequest, Direct, Done, Fail, Invoke,
    NeedHuman, PhaseComplete, Progress, QuestionCategory, Ready, Recovery, ResolveError, Said, SessionKey,
    StepComplete, TaskRequest, UserQuestion,
};

use super::{Misread, Unencodable, judge, write};
use crate::tag::cut;

/// Finds the field that is to blame.
pub(super) fn find(said: &Said, key: Option<&SessionKey>) -> Unencodable {
    let message = said.name();
    let trials = trials(said);
    for (field, trial) in &trials {
        if let Err(reason) = judge(&write(trial, key), trial, key) {
            return Unencodable { message, field, reason };
        }
    }
    let longest = trials.iter().max_by_key(|(_, trial)| write(trial, key).len());
    Unencodable { message, field: longest.map_or("key", |(field, _)| field), reason: Misread::TooLong }
}

/// Returns the value that a reader would have instead, for a person.
pub(super) fn difference(said: &Said, read: &Said) -> String {
    let (Ok(said), Ok(read)) = (serde_json::to_value(said), serde_json::to_value(read)) else {
        return String::new();
    };
    let (said, read) = (said.get("payload"), read.get("payload"));
    let objects = [said, read].into_iter().flatten().filter_map(serde_json::Value::as_object);
    let field_of = |value: Option<&serde_json::Value>, field: &String| value?.get(field).cloned();
    let mut fields = objects.flat_map(serde_json::Map::keys);
    let field = fields.find(|field| field_of(said, field) != field_of(read, field));
    let value = field.and_then(|field| field_of(read, field));
    match value {
        Some(serde_json::Value::String(text)) => cut(&text),
        Some(other) => cut(&other.to_string()),
        None => String::new(),
    }
}

/// Returns the message with plain values only, under the name of the key, then with each of its own values in turn.
fn trials(said: &Said) -> Vec<(&'static str, Said)> {
    match said.clone() {
        Said::AskUser(ask) => ask_user(ask),
        Said::Invoke(Invoke { target, task, context }) => {
            let plain = Invoke { target, task: word(), context: None };
            vec![
                ("key", Said::Invoke(plain.clone())),
                ("task", Said::Invoke(Invoke { task, ..plain.clone() })),
                ("context", Said::Invoke(Invoke { context, ..plain })),
            ]
        }
        Said::DeliverResult(result) => {
            let plain = DeliverResult { content: "1".to_owned(), ..result.clone() };
            vec![("key", Said::DeliverResult(plain)), ("content", Said::DeliverResult(result))]
        }
        Said::StepComplete(step) => {
            vec![
                ("key", Said::StepComplete(StepComplete { summary: None })),
                ("summary", Said::StepComplete(step)),
            ]
        }
        Said::Progress(Progress { progress, task }) => {
            let plain = Progress { progress: Some(0.0), task: None };
            let own = Progress { progress: progress.or_else(|| task.is_some().then_some(0.0)), task: None };
            vec![
                ("key", Said::Progress(plain)),
                ("progress", Said::Progress(own)),
                ("task", Said::Progress(Progress { progress: None, task })),
            ]
        }
        Said::Direct(direct) => {
            let plain = Direct { content: word(), ..direct.clone() };
            vec![("key", Said::Direct(plain)), ("content", Said::Direct(direct))]
        }
        Said::DependencyRequest(request) => dependency_request(request),
        Said::UserQuestion(question) => user_question(question),
        Said::Error(error) => agent_error(error),
        Said::PhaseComplete(PhaseComplete { phase, name, documents }) => {
            let plain = PhaseComplete { phase, name: None, documents: Vec::new() };
            vec![
                ("key", Said::PhaseComplete(plain.clone())),
                ("name", Said::PhaseComplete(PhaseComplete { name, ..plain.clone() })),
                ("documents", Said::PhaseComplete(PhaseComplete { documents, ..plain })),
            ]
        }
        Said::NeedHuman(human) => {
            vec![
                ("key", Said::NeedHuman(NeedHuman { question: word() })),
                ("question", Said::NeedHuman(human)),
            ]
        }
        said @ (Said::ResolveNext(_) | Said::PhaseDone(_) | Said::AllDone) => vec![("key", said)],
        Said::Ready(ready) => {
            vec![("key", Said::AllDone), ("groups", Said::Ready(Ready { groups: ready.groups }))]
        }
        Said::Task(TaskRequest { task_id, phase, worktree, meta }) => {
            let plain = TaskRequest { task_id, phase, worktree: None, meta: None };
            vec![
                ("key", Said::Task(plain.clone())),
                ("worktree", Said::Task(TaskRequest { worktree, ..plain.clone() })),
                ("meta", Said::Task(TaskRequest { meta, ..plain })),
            ]
        }
        Said::Done(done) => {
            let plain = Done { fields: BTreeMap::new(), ..done.clone() };
            vec![("key", Said::Done(plain)), ("fields", Said::Done(done))]
        }
        Said::Fail(Fail { task_id, phase, reason, fields }) => {
            let plain = Fail { task_id, phase, reason: None, fields: BTreeMap::new() };
            vec![
                ("key", Said::Fail(plain.clone())),
                ("fields", Said::Fail(Fail { fields, ..plain.clone() })),
                ("reason", Said::Fail(Fail { reason, ..plain })),
            ]
        }
        Said::ResolveError(error) => {
            let plain = ResolveError { detail: None, ..error.clone() };
            vec![("key", Said::ResolveError(plain)), ("detail", Said::ResolveError(error))]
        }
        Said::Custom(Custom { kind, value }) => {
            // Some kinds take a task's id, and none refuses one.
            let plain = Custom { kind: "SKIP".to_owned(), value: "T1".to_owned() };
            vec![
                ("key", Said::Custom(plain.clone())),
                ("kind", Said::Custom(Custom { kind: kind.clone(), ..plain })),
                ("value", Said::Custom(Custom { kind, value })),
            ]
        }
    }
}

fn ask_user(ask: AskUser) -> Vec<(&'static str, Said)> {
    let AskUser { question, r#type, options, context, default, required: _ } = ask;
    let plain = AskUser {
        question: word(),
        r#type: AskUserType::Text,
        options: Vec::new(),
        context: None,
        default: None,
        required: true,
    };
    // A default is judged by the options, and they by the type.
    let with_options = AskUser { r#type, options, ..plain.clone() };
    vec![
        ("key", Said::AskUser(plain.clone())),
        ("question", Said::AskUser(AskUser { question, ..plain.clone() })),
        ("options", Said::AskUser(with_options.clone())),
        ("default", Said::AskUser(AskUser { default, ..with_options })),
        ("context", Said::AskUser(AskUser { context, ..plain })),
    ]
}

fn dependency_request(request: DependencyRequest) -> Vec<(&'static str, Said)> {
    let DependencyRequest { r#type, name, description, required, default, extra } = request;
    let plain = DependencyRequest {
        r#type,
        name: word(),
        description: word(),
        required,
        default: None,
        extra: BTreeMap::new(),
    };
    vec![
        ("key", Said::DependencyRequest(plain.clone())),
        ("name", Said::DependencyRequest(DependencyRequest { name, ..plain.clone() })),
        ("description", Said::DependencyRequest(DependencyRequest { description, ..plain.clone() })),
        ("default", Said::DependencyRequest(DependencyRequest { default, ..plain.clone() })),
        ("extra", Said::DependencyRequest(DependencyRequest { extra, ..plain })),
    ]
}

fn user_question(asked: UserQuestion) -> Vec<(&'static str, Said)> {
    let UserQuestion { category, question, options, default, required, extra } = asked;
    let plain = UserQuestion {
        category: QuestionCategory::Business,
        question: word(),
        options: Vec::new(),
        default: None,
        required,
        extra: BTreeMap::new(),
    };
    let with_options = UserQuestion { category, options, ..plain.clone() };
    vec![
        ("key", Said::UserQuestion(plain.clone())),
        ("question", Said::UserQuestion(UserQuestion { question, ..plain.clone() })),
        ("options", Said::UserQuestion(with_options.clone())),
        ("default", Said::UserQuestion(UserQuestion { default, ..with_options })),
        ("extra", Said::UserQuestion(UserQuestion { extra, ..plain })),
    ]
}

fn agent_error(error: AgentError) -> Vec<(&'static str, Said)> {
    let AgentError { r#type, message, details, recovery, resets_at, extra } = error;
    let plain = AgentError {
        r#type,
        message: word(),
        details: None,
        recovery: Recovery::NotifyUser,
        resets_at: None,
        extra: BTreeMap::new(),
    };
    vec![
        ("key", Said::Error(plain.clone())),
        ("message", Said::Error(AgentError { message, ..plain.clone() })),
        ("details", Said::Error(AgentError { details, ..plain.clone() })),
        ("recovery", Said::Error(AgentError { recovery, ..plain.clone() })),
        ("resetsAt", Said::Error(AgentError { resets_at, ..plain.clone() })),
        ("extra", Said::Error(AgentError { extra, ..plain })),
    ]
}

/// Returns a value that every field can carry.
fn word() -> String {
    "x".to_owned()
}
