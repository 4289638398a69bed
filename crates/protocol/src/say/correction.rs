//! What an agent is told about its own words: that a message was broken, that one was none, that one is missing.

use domain::{Locale, SessionKey, TaskId};
use serde::Serialize;

use super::{by, form, words::Words};
use crate::item;

/// A message of the agent broke a rule; nothing of it was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invalid {
    /// The name of the message that it means to be.
    pub protocol: String,
    /// The first rule that it breaks, with field and value.
    pub error: String,
    /// The right form, as an example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

/// Something that the agent may have taken for a message was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Near {
    /// The name of the message that it resembles.
    pub near: String,
    /// What the agent wrote.
    pub raw: String,
    /// The right form, as an example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

/// A turn ended without a word of the protocol: the agent is asked once how it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finish {
    /// The task.
    pub task_id: TaskId,
    /// What the agent can say now: done, failed, a question.
    pub forms: Vec<String>,
}

impl Invalid {
    /// Makes the complaint about a message that was decoded, with the right form for this session.
    pub fn new(invalid: &item::Invalid, key: Option<&SessionKey>) -> Self {
        let item::Invalid { protocol, error, span: _ } = invalid;
        Self { protocol: (*protocol).to_owned(), error: error.clone(), form: form::of(protocol, key) }
    }

    pub(super) fn say(&self, locale: Locale, words: &mut Words) {
        let Self { protocol, error, form } = self;
        words.line(&format!("[{}]", by(locale, "INVALID", "잘못된 메시지")));
        words.line(&format!("{protocol} {error}"));
        words.line(by(
            locale,
            "Nothing of it was done. Say it again.",
            "처리되지 않았습니다. 다시 말해 주세요.",
        ));
        say_form(form.as_deref(), locale, words);
    }
}

impl Near {
    /// Makes the correction of a near miss that was decoded, with the right form for this session.
    pub fn new(near: &item::Near, key: Option<&SessionKey>) -> Self {
        let item::Near { near, span } = near;
        Self { near: (*near).to_owned(), raw: span.raw.clone(), form: form::of(near, key) }
    }

    pub(super) fn say(&self, locale: Locale, words: &mut Words) {
        let Self { near, raw, form } = self;
        words.line(&format!("[{}]", by(locale, "NOT HEARD", "인식되지 않음")));
        let raw = crate::tag::cut(raw);
        match locale {
            Locale::En => words.line(&format!("This was not taken for {near}: {raw}")),
            Locale::Ko => words.line(&format!("{near} 메시지로 인식되지 않았습니다: {raw}")),
        }
        say_form(form.as_deref(), locale, words);
    }
}

impl Finish {
    /// Makes the request to end the work on a task in words, with the forms for this session.
    pub fn new(task_id: TaskId, key: Option<&SessionKey>) -> Self {
        let forms = form::endings(&task_id, key);
        Self { task_id, forms }
    }

    pub(super) fn say(&self, locale: Locale, words: &mut Words) {
        let Self { task_id, forms } = self;
        words.line(&format!("[{} {task_id}]", by(locale, "FINISH", "마무리 요청")));
        words.line(by(
            locale,
            "Your turn ended without a word on how the task stands. Say one of these, each line at the beginning of a \
             line and without its backticks:",
            "차례가 끝났지만 작업이 어떻게 되었는지 알 수 없습니다. 다음 중 하나를 백틱 없이 줄 맨 앞에 쓰세요:",
        ));
        forms.iter().for_each(|form| say_code(form, words));
    }
}

fn say_form(form: Option<&str>, locale: Locale, words: &mut Words) {
    let Some(form) = form else { return };
    words.line(by(
        locale,
        "The right form, each line at the beginning of a line and without its backticks:",
        "올바른 형식입니다. 각 줄을 백틱 없이 줄 맨 앞에 씁니다:",
    ));
    say_code(form, words);
}

/// Says each line of a form as inline code.
fn say_code(form: &str, words: &mut Words) {
    for line in form.split('\n').filter(|line| !line.trim().is_empty()) {
        words.line(&format!("`{line}`"));
    }
}
