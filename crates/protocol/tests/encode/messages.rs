//! Strategies for messages of all kinds.

use std::collections::BTreeMap;

use domain::{
    AgentError, AgentMessage, AgentName, AskUser, AskUserType, CustomMessage, DeliverResult,
    DependencyRequest, DependencyType, DirectMessage, DirectType, DoneMessage, ErrorType, FailMessage,
    InvokeMessage, NeedHuman, PhaseComplete, PhaseTasksDone, ProgressMessage, QuestionCategory,
    ReadyTasksMessage, Recovery, ResolveNextError, ResolveNextErrorCode, ResolveNextRequest, ResultType,
    StartTaskMessage, StepComplete, TaskId, UserQuestion,
};
use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::{
    agent_name, task_id,
    values::{ordinary_line, ordinary_paragraph, ordinary_text},
};

/// Strategies for the fields of a message, by the form that can be encoded there.
#[derive(Clone)]
struct FieldStrategies {
    /// On one line; also the last part of a keyword line.
    line: BoxedStrategy<String>,
    paragraph: BoxedStrategy<String>,
    text: BoxedStrategy<String>,
    /// A name or a value without white space.
    word: BoxedStrategy<String>,
    field: BoxedStrategy<String>,
}

pub(crate) fn any_message(value: BoxedStrategy<String>) -> impl Strategy<Value = AgentMessage> {
    let values = FieldStrategies {
        line: value.clone(),
        paragraph: value.clone(),
        text: value.clone(),
        word: value.clone(),
        field: prop_oneof![value, "[a-z_]{1,5}"].boxed(),
    };
    message_from_fields(values)
}

pub(crate) fn ordinary_message() -> impl Strategy<Value = AgentMessage> {
    let values = FieldStrategies {
        line: ordinary_line(),
        paragraph: ordinary_paragraph(),
        text: ordinary_text(),
        word: select(&["dist/app.js", "12", "C#x", "가나", "a=b", "x-1.0"][..])
            .prop_map(str::to_owned)
            .boxed(),
        field: "[a-z_]{1,8}".boxed(),
    };
    message_from_fields(values).prop_filter_map("follows the rules between fields", apply_field_rules)
}

/// Changes a message so that it follows the rules between its fields.
fn apply_field_rules(mut message: AgentMessage) -> Option<AgentMessage> {
    match &mut message {
        AgentMessage::AskUser(ask) => {
            if ask.r#type == AskUserType::Selection && ask.options.is_empty() {
                ask.options.push("x".to_owned());
            }
            if let Some(option) = ask.options.first() {
                ask.default = ask.default.as_ref().map(|_| option.clone());
            }
        }
        AgentMessage::UserQuestion(question) => {
            if question.category == QuestionCategory::Choice && question.options.is_empty() {
                question.options.push("x".to_owned());
            }
            if let Some(option) = question.options.first() {
                question.default = question.default.as_ref().map(|_| option.clone());
            }
        }
        AgentMessage::DeliverResult(result) if result.result_type == ResultType::Json => {
            result.content = serde_json::to_string_pretty(&[&result.content]).unwrap();
        }
        AgentMessage::Error(error) => {
            error.resets_at = error.resets_at.as_ref().map(|_| "2026-01-21T10:00:00Z".to_owned());
            if error.r#type == ErrorType::Fatal && error.recovery == Recovery::PauseAndRetry {
                return None;
            }
        }
        AgentMessage::Progress(progress) => {
            let is_fraction = progress.progress.is_none_or(|progress| (0.0..=1.0).contains(&progress));
            let has_value = progress.progress.is_some() || progress.task.is_some();
            if !is_fraction || !has_value {
                return None;
            }
        }
        AgentMessage::Ready(ready) => {
            ready.groups.retain(|group| !group.is_empty());
            if ready.groups.is_empty() {
                return None;
            }
        }
        AgentMessage::Fail(fail) => {
            // A reason is at most 100 characters long.
            fail.reason =
                fail.reason.as_ref().map(|reason| reason.chars().take(30).collect::<String>() + "x");
        }
        AgentMessage::Custom(custom) if matches!(custom.kind.as_str(), "PRIORITY" | "SKIP" | "RETRY") => {
            custom.value = "T1".to_owned();
        }
        _ => {}
    }
    Some(message)
}

fn message_from_fields(values: FieldStrategies) -> impl Strategy<Value = AgentMessage> {
    let FieldStrategies { line, paragraph, text, word, field } = values;
    let some = |strategy: &BoxedStrategy<String>| option::of(strategy.clone());
    let map = |value: &BoxedStrategy<String>| {
        proptest::collection::btree_map(field.clone(), value.clone(), 0..3).boxed()
    };
    let extra = map(&text).prop_map(|extra| {
        extra.into_iter().map(|(name, value)| (format!("x-{name}"), value)).collect::<BTreeMap<_, _>>()
    });
    let question_fields = (paragraph.clone(), vec(line.clone(), 0..4), some(&line), any::<bool>());
    let phase = option::of(0_u32..20);
    let open_tags = prop_oneof![
        (
            question_fields.clone(),
            select(&[AskUserType::Text, AskUserType::Selection, AskUserType::Confirmation][..]),
            some(&text)
        )
            .prop_map(|((question, options, default, required), r#type, context)| {
                AgentMessage::AskUser(AskUser { question, r#type, options, context, default, required })
            }),
        (any_agent_name(), text.clone(), some(&text)).prop_map(|(target, task, context)| {
            AgentMessage::Invoke(InvokeMessage { target, task, context })
        }),
        (any_agent_name(), any_result_type(), text.clone()).prop_map(|(target, result_type, content)| {
            AgentMessage::DeliverResult(DeliverResult { target, result_type, content })
        }),
        some(&text).prop_map(|summary| AgentMessage::StepComplete(StepComplete { summary })),
        (option::of(prop_oneof![0.0..=1.0, any::<f64>()]), some(&paragraph))
            .prop_filter("NaN is not itself", |(progress, _)| !progress.is_some_and(f64::is_nan))
            .prop_map(|(progress, task)| AgentMessage::Progress(ProgressMessage { progress, task })),
        (
            any_agent_name(),
            option::of(select(&[DirectType::Result, DirectType::Feedback, DirectType::Query][..])),
            text.clone()
        )
            .prop_map(|(target, r#type, content)| AgentMessage::Direct(DirectMessage {
                target,
                r#type,
                content
            })),
    ];
    let blocks = prop_oneof![
        (any_dependency_type(), line.clone(), text.clone(), any::<bool>(), some(&line), extra.clone())
            .prop_map(|(r#type, name, description, required, default, extra)| {
                AgentMessage::DependencyRequest(DependencyRequest {
                    r#type,
                    name,
                    description,
                    required,
                    default,
                    extra,
                })
            }),
        (any_question_category(), question_fields, extra.clone()).prop_map(
            |(category, (question, options, default, required), extra)| {
                AgentMessage::UserQuestion(UserQuestion {
                    category,
                    question,
                    options,
                    default,
                    required,
                    extra,
                })
            }
        ),
        (
            select(&[ErrorType::Recoverable, ErrorType::Fatal][..]),
            text.clone(),
            some(&text),
            select(&[Recovery::PauseAndRetry, Recovery::CheckpointAndFail, Recovery::NotifyUser][..]),
            some(&line),
            extra
        )
            .prop_map(|(r#type, message, details, recovery, resets_at, extra)| {
                AgentMessage::Error(AgentError { r#type, message, details, recovery, resets_at, extra })
            }),
    ];
    let lines = prop_oneof![
        (0_u32..20, some(&line), vec(line.clone(), 0..4)).prop_map(|(phase, name, documents)| {
            AgentMessage::PhaseComplete(PhaseComplete { phase, name, documents })
        }),
        line.clone().prop_map(|question| AgentMessage::NeedHuman(NeedHuman { question })),
        (phase.clone(), any::<bool>())
            .prop_map(|(phase, force)| AgentMessage::ResolveNext(ResolveNextRequest { phase, force })),
        vec(vec(any_task_id(), 0..3), 0..3)
            .prop_map(|groups| AgentMessage::Ready(ReadyTasksMessage { groups })),
        any::<u32>().prop_map(|phase| AgentMessage::PhaseDone(PhaseTasksDone { phase })),
        Just(AgentMessage::AllDone),
        (any_task_id(), phase.clone(), some(&line), option::of(map(&text))).prop_map(
            |(task_id, phase, worktree, meta)| {
                let meta =
                    meta.map(|meta| meta.into_iter().map(|(name, value)| (name, value.into())).collect());
                AgentMessage::Task(StartTaskMessage { task_id, phase, worktree, meta })
            }
        ),
        (any_task_id(), phase.clone(), some(&line), map(&word)).prop_map(
            |(task_id, phase, reason, fields)| {
                AgentMessage::Done(DoneMessage { task_id, phase, reason, fields })
            }
        ),
        (any_task_id(), phase, some(&line), map(&word)).prop_map(|(task_id, phase, reason, fields)| {
            AgentMessage::Fail(FailMessage { task_id, phase, reason, fields })
        }),
        (any_resolve_error_code(), some(&line))
            .prop_map(|(code, detail)| AgentMessage::ResolveError(ResolveNextError { code, detail })),
        (prop_oneof![field.clone(), select(&["SKIP", "WAIT"][..]).prop_map(str::to_owned)], line)
            .prop_map(|(kind, value)| AgentMessage::Custom(CustomMessage { kind, value })),
    ];
    prop_oneof![6 => open_tags, 3 => blocks, 11 => lines]
}

fn any_result_type() -> impl Strategy<Value = ResultType> {
    select(
        &[
            ResultType::GithubIssue,
            ResultType::Markdown,
            ResultType::Json,
            ResultType::FilePath,
            ResultType::Message,
        ][..],
    )
}

fn any_dependency_type() -> impl Strategy<Value = DependencyType> {
    use DependencyType::{ApiKey, EnvVariable, File, Package, Permission, Service};
    select(&[ApiKey, EnvVariable, Service, File, Permission, Package][..])
}

fn any_question_category() -> impl Strategy<Value = QuestionCategory> {
    use QuestionCategory::{Business, Choice, Clarification, Confirmation};
    select(&[Business, Clarification, Choice, Confirmation][..])
}

fn any_resolve_error_code() -> impl Strategy<Value = ResolveNextErrorCode> {
    use ResolveNextErrorCode::{CircularDep, MissingDep, ParseFail, StateCorrupt, TasksNotFound};
    select(&[TasksNotFound, CircularDep, MissingDep, ParseFail, StateCorrupt][..])
}

fn any_task_id() -> impl Strategy<Value = TaskId> {
    select(&["T1", "T1.3", "T001", "1.2", "7", "T10.20.30", "1.4a", "ST-001", "P1-R1-T1", "P1-T1.3"][..])
        .prop_map(task_id)
}

fn any_agent_name() -> impl Strategy<Value = AgentName> {
    select(&["PO", "backend-specialist", "기획자", "a.b_c", "x9y8"][..]).prop_map(agent_name)
}
