//! Answers, results and direct messages that are forwarded to an agent.

use domain::{AgentName, DirectType, Locale, ResultType, SessionKey};
use serde::Serialize;

use super::templates::{PromptTemplate, TemplateValues, render_template};

/// The answer to a question of this agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionAnswer {
    /// For example `q_7`.
    pub question_id: String,
    pub answer: String,
}

/// A result that another agent delivers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultDelivery {
    pub from: AgentName,
    pub result_type: ResultType,
    pub content: String,
}

/// A direct message of another session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectMessage {
    pub from: AgentName,
    /// As given by the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<DirectType>,
    pub content: String,
    /// The key of the receiving session, for the reply to a query.
    #[serde(skip)]
    pub key: Option<SessionKey>,
}

impl QuestionAnswer {
    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { question_id, answer } = self;
        let values = TemplateValues::new().text("question", question_id).text("answer", answer);
        render_template(PromptTemplate::Answer, locale, &values)
    }
}

impl ResultDelivery {
    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { from, result_type, content } = self;
        let template = match result_type {
            ResultType::GithubIssue => PromptTemplate::ResultIssue,
            ResultType::FilePath => PromptTemplate::ResultFile,
            ResultType::Markdown | ResultType::Json | ResultType::Message => PromptTemplate::Result,
        };
        render_template(template, locale, &TemplateValues::new().text("from", from).text("content", content))
    }
}

impl DirectMessage {
    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { from, kind, content, key } = self;
        let template = match kind {
            None => PromptTemplate::Direct,
            Some(DirectType::Result) => PromptTemplate::DirectResult,
            Some(DirectType::Feedback) => PromptTemplate::DirectFeedback,
            Some(DirectType::Query) => PromptTemplate::DirectQuery,
        };
        let values =
            TemplateValues::new().text("from", from).text("content", content).optional("key", key.as_ref());
        render_template(template, locale, &values)
    }
}
