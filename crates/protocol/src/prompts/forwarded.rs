//! Answers, results and direct messages that are forwarded to an agent.

use domain::{AgentName, DirectType, Locale, ResultType};
use serde::Serialize;

use super::{localized, prompt_text::PromptText};

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
}

impl QuestionAnswer {
    pub(super) fn write(&self, text: &mut PromptText) {
        text.push_line(&format!("[ANSWER {}]", self.question_id));
        text.push_lines(&self.answer);
    }
}

impl ResultDelivery {
    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { from, result_type, content } = self;
        text.push_line(&format!("[{} from {from}]", localized(locale, "RESULT", "결과 수신")));
        let label = match result_type {
            ResultType::GithubIssue => "GitHub issue",
            ResultType::FilePath => localized(locale, "file", "파일"),
            ResultType::Markdown | ResultType::Json | ResultType::Message => {
                text.push_lines(content);
                return;
            }
        };
        text.push_field(label, content);
    }
}

impl DirectMessage {
    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { from, kind, content } = self;
        let kind = match kind {
            None => "",
            Some(DirectType::Result) => localized(locale, " result", " 결과"),
            Some(DirectType::Feedback) => localized(locale, " feedback", " 피드백"),
            Some(DirectType::Query) => localized(locale, " query", " 질의"),
        };
        text.push_line(&format!("[{} from {from}]{kind}", localized(locale, "MESSAGE", "메시지 수신")));
        text.push_lines(content);
    }
}
