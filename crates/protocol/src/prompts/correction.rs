//! Corrections of an agent's own output: an invalid message, a near miss, a missing outcome.

use domain::{Locale, MissingEvidence, SessionKey, TaskId};
use serde::Serialize;

use super::{
    examples::{evidence_examples, message_example, outcome_examples},
    templates::{PromptTemplate, TemplateValues, render_template},
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
    pub fn new(
        invalid: &InvalidMessage,
        task: Option<&TaskId>,
        key: Option<&SessionKey>,
        locale: Locale,
    ) -> Self {
        let InvalidMessage { message_name, error, span: _ } = invalid;
        Self {
            message_name: (*message_name).to_owned(),
            error: error.clone(),
            example: message_example(message_name, task, key, locale),
        }
    }

    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { message_name, error, example } = self;
        let values = TemplateValues::new()
            .text("name", message_name)
            .text("error", error)
            .optional("form", example.as_deref().map(quote_lines));
        render_template(PromptTemplate::Invalid, locale, &values)
    }
}

impl NearMissNotice {
    /// Creates the notice for a decoded near miss, with an example that carries the session's task and key.
    pub fn new(
        near_miss: &NearMiss,
        task: Option<&TaskId>,
        key: Option<&SessionKey>,
        locale: Locale,
    ) -> Self {
        let NearMiss { message_name, span } = near_miss;
        Self {
            message_name: (*message_name).to_owned(),
            raw: span.raw.clone(),
            example: message_example(message_name, task, key, locale),
        }
    }

    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { message_name, raw, example } = self;
        // One line: the notice is about a line.
        let raw = crate::tag::truncate_value(raw).replace('\n', " ");
        let values = TemplateValues::new()
            .text("name", message_name)
            .text("raw", raw)
            .optional("form", example.as_deref().map(quote_lines));
        render_template(PromptTemplate::NearMiss, locale, &values)
    }
}

impl OutcomeRequest {
    /// Creates the request for a turn that ended without a message, with examples that carry the session's key.
    pub fn new(task_id: TaskId, key: Option<&SessionKey>, locale: Locale) -> Self {
        let examples = outcome_examples(&task_id, key, locale);
        Self { task_id, missing: Vec::new(), examples }
    }

    /// Creates the request for work without evidence, with examples that carry the session's key.
    pub fn for_evidence(
        task_id: TaskId,
        missing: Vec<MissingEvidence>,
        key: Option<&SessionKey>,
        locale: Locale,
    ) -> Self {
        let examples = evidence_examples(&task_id, &missing, key, locale);
        Self { task_id, missing, examples }
    }

    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { task_id, missing, examples } = self;
        let sentences: Vec<String> = missing
            .iter()
            .filter_map(|missing| missing_template(*missing))
            .map(|template| render_template(template, locale, &TemplateValues::new()).trim_end().to_owned())
            .collect();
        let template = match (sentences.is_empty(), missing.contains(&MissingEvidence::NoMessage)) {
            (true, _) => PromptTemplate::Reminder,
            (false, true) => PromptTemplate::EvidenceSilent,
            (false, false) => PromptTemplate::Evidence,
        };
        let forms: Vec<String> = examples.iter().map(|example| quote_lines(example)).collect();
        let mut values = TemplateValues::new().text("task", task_id).text("forms", forms.join("\n"));
        if !sentences.is_empty() {
            values = values.text("missing", sentences.join("\n"));
        }
        render_template(template, locale, &values)
    }
}

/// Returns the sentence about missing evidence; `None` for a missing message, which has its own template.
fn missing_template(missing: MissingEvidence) -> Option<PromptTemplate> {
    match missing {
        MissingEvidence::NoMessage => None,
        MissingEvidence::NoChange => Some(PromptTemplate::EvidenceChange),
        MissingEvidence::OnlyLargeFiles => Some(PromptTemplate::EvidenceLargeFiles),
        MissingEvidence::UnchangedSinceDenial => Some(PromptTemplate::EvidenceSinceDenial),
        MissingEvidence::UnchangedSinceRejection => Some(PromptTemplate::EvidenceSinceRejection),
        MissingEvidence::UnchangedSinceFailedCheck => Some(PromptTemplate::EvidenceSinceCheck),
        MissingEvidence::UnchangedSinceConflict => Some(PromptTemplate::EvidenceSinceConflict),
        MissingEvidence::ChangesUnknown => Some(PromptTemplate::EvidenceUnknown),
    }
}

/// Returns each line of an example as inline code.
fn quote_lines(example: &str) -> String {
    let lines = example.split('\n').filter(|line| !line.trim().is_empty());
    lines.map(|line| format!("`{line}`")).collect::<Vec<_>>().join("\n")
}
