//! Corrections of an agent's own output: an invalid message, a near miss, a missing outcome.

use domain::{Locale, MissingEvidence, SessionKey, TaskId};
use serde::Serialize;

use super::{
    examples::{evidence_examples, message_example, outcome_examples},
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

/// Asks once for what is missing before a task counts as done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeRequest {
    pub task_id: TaskId,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingEvidence>,
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
    /// Creates the request for a turn that ended without a message, with examples that carry the session's key.
    pub fn new(task_id: TaskId, key: Option<&SessionKey>) -> Self {
        let examples = outcome_examples(&task_id, key);
        Self { task_id, missing: Vec::new(), examples }
    }

    /// Creates the request for work without evidence, with examples that carry the session's key.
    pub fn for_evidence(task_id: TaskId, missing: Vec<MissingEvidence>, key: Option<&SessionKey>) -> Self {
        let examples = evidence_examples(&task_id, &missing, key);
        Self { task_id, missing, examples }
    }

    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { task_id, missing, examples } = self;
        let is_silent = missing.is_empty() || missing.contains(&MissingEvidence::NoMessage);
        text.push_line(&format!("[{} {task_id}]", localized(locale, "FINISH", "마무리 요청")));
        for missing in missing.iter().filter(|missing| **missing != MissingEvidence::NoMessage) {
            text.push_line(missing_sentence(locale, *missing));
        }
        let is_changed = missing.iter().all(|missing| *missing == MissingEvidence::NoMessage);
        if !is_changed {
            text.push_line(localized(
                locale,
                "The task is not done yet: do what is left and report it, or, if nothing has to change, give the reason \
                 on the DONE line.",
                "작업이 아직 완료되지 않았습니다. 남은 일을 하고 보고하거나, 변경할 것이 없다면 DONE 줄에 이유를 적으세요.",
            ));
        }
        text.push_line(match is_silent {
            true => localized(
                locale,
                "Your turn ended without reporting the outcome of the task. Send one of these, each line at the start \
                 of a line and without the backticks:",
                "차례가 끝났지만 작업 결과가 보고되지 않았습니다. 다음 중 하나를 백틱 없이 줄 맨 앞에 쓰세요:",
            ),
            false => localized(
                locale,
                "Then send one of these, each line at the start of a line and without the backticks:",
                "그런 다음 다음 중 하나를 백틱 없이 줄 맨 앞에 쓰세요:",
            ),
        });
        examples.iter().for_each(|example| write_code(example, text));
    }
}

fn missing_sentence(locale: Locale, missing: MissingEvidence) -> &'static str {
    let (english, korean) = match missing {
        MissingEvidence::NoMessage => ("You sent no message.", "메시지를 보내지 않았습니다."),
        MissingEvidence::NoChange => {
            ("No file has changed since you got the task.", "작업을 받은 뒤로 변경된 파일이 없습니다.")
        }
        MissingEvidence::UnchangedSinceDenial => (
            "No file has changed since a permission was denied.",
            "권한이 거부된 뒤로 변경된 파일이 없습니다.",
        ),
        MissingEvidence::UnchangedSinceRejection => (
            "No file has changed since the phase was rejected.",
            "단계가 반려된 뒤로 변경된 파일이 없습니다.",
        ),
        MissingEvidence::UnchangedSinceFailedCheck => {
            ("No file has changed since the check failed.", "검증이 실패한 뒤로 변경된 파일이 없습니다.")
        }
        MissingEvidence::UnchangedSinceConflict => {
            ("No file has changed since the conflict.", "충돌이 발생한 뒤로 변경된 파일이 없습니다.")
        }
        MissingEvidence::ChangesUnknown => (
            "Jangdan does not see which files you changed, so the DONE line needs a reason: what you did.",
            "어떤 파일을 변경했는지 확인할 수 없으므로, 무엇을 했는지 DONE 줄에 이유로 적어야 합니다.",
        ),
    };
    localized(locale, english, korean)
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
