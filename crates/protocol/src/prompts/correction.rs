//! Corrections of an agent's own output: an invalid message, a near miss, a missing outcome.

use domain::{Locale, SessionKey, TaskId};
use serde::Serialize;

use super::{
    examples::{message_example, outcome_examples},
    localized,
    prompt_text::PromptText,
};
use crate::item::{InvalidMessage, NearMiss};

/// Reports a message that broke a rule and was ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InvalidMessageNotice {
    /// The name of the intended message.
    #[serde(rename = "protocol")]
    pub message_name: String,
    /// The first broken rule, with field and value.
    pub error: String,
    /// A valid message of this name.
    #[serde(rename = "form", skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

/// Reports a line that resembles a message but was read as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NearMissNotice {
    /// The name of the message that the line resembles.
    #[serde(rename = "near")]
    pub message_name: String,
    /// The line as the agent wrote it.
    pub raw: String,
    /// A valid message of this name.
    #[serde(rename = "form", skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

/// Asks once for the outcome of a task whose turn ended without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeRequest {
    pub task_id: TaskId,
    /// The possible replies: done, failed, a question.
    #[serde(rename = "forms")]
    pub examples: Vec<String>,
}

impl InvalidMessageNotice {
    /// Creates the notice for a decoded message, with an example that carries the session's task and key.
    pub fn new(invalid: &InvalidMessage, task: Option<&TaskId>, key: Option<&SessionKey>) -> Self {
        let InvalidMessage { message_name, error, span: _ } = invalid;
        Self {
            message_name: (*message_name).to_owned(),
            error: error.clone(),
            example: message_example(message_name, task, key),
        }
    }

    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { message_name, error, example } = self;
        text.push_line(&format!("[{}]", localized(locale, "INVALID", "잘못된 메시지")));
        text.push_line(&format!("{message_name}: {error}"));
        text.push_line(localized(
            locale,
            "The message was ignored. Send it again.",
            "메시지를 처리하지 않았습니다. 다시 보내 주세요.",
        ));
        write_example(example.as_deref(), locale, text);
    }
}

impl NearMissNotice {
    /// Creates the notice for a decoded near miss, with an example that carries the session's task and key.
    pub fn new(near_miss: &NearMiss, task: Option<&TaskId>, key: Option<&SessionKey>) -> Self {
        let NearMiss { message_name, span } = near_miss;
        Self {
            message_name: (*message_name).to_owned(),
            raw: span.raw.clone(),
            example: message_example(message_name, task, key),
        }
    }

    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { message_name, raw, example } = self;
        text.push_line(&format!("[{}]", localized(locale, "NOT RECOGNIZED", "인식되지 않음")));
        let raw = crate::tag::truncate_value(raw);
        match locale {
            Locale::En => text.push_line(&format!("This was not recognized as {message_name}: {raw}")),
            Locale::Ko => text.push_line(&format!("{message_name} 메시지로 인식되지 않았습니다: {raw}")),
        }
        write_example(example.as_deref(), locale, text);
    }
}

impl OutcomeRequest {
    /// Creates the request, with examples that carry the session's key.
    pub fn new(task_id: TaskId, key: Option<&SessionKey>) -> Self {
        let examples = outcome_examples(&task_id, key);
        Self { task_id, examples }
    }

    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { task_id, examples } = self;
        text.push_line(&format!("[{} {task_id}]", localized(locale, "FINISH", "마무리 요청")));
        text.push_line(localized(
            locale,
            "Your turn ended without reporting the outcome of the task. Send one of these, each line at the start of \
             a line and without the backticks:",
            "차례가 끝났지만 작업 결과가 보고되지 않았습니다. 다음 중 하나를 백틱 없이 줄 맨 앞에 쓰세요:",
        ));
        examples.iter().for_each(|example| write_code(example, text));
    }
}

fn write_example(example: Option<&str>, locale: Locale, text: &mut PromptText) {
    let Some(example) = example else { return };
    text.push_line(localized(
        locale,
        "The correct form, each line at the start of a line and without the backticks:",
        "올바른 형식입니다. 각 줄을 백틱 없이 줄 맨 앞에 씁니다:",
    ));
    write_code(example, text);
}

/// Writes each line of an example as inline code.
fn write_code(example: &str, text: &mut PromptText) {
    for line in example.split('\n').filter(|line| !line.trim().is_empty()) {
        text.push_line(&format!("`{line}`"));
    }
}
