//! What others say to an agent: an answer, a result, a direct message.

use domain::{AgentName, DirectType, Locale, ResultType};
use serde::Serialize;

use super::{by, words::Words};

/// The answer to a question of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionAnswer {
    /// The question's id, e.g. `q_7`.
    pub question_id: String,
    /// The answer.
    pub answer: String,
}

/// A result that another agent delivers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Who delivers it.
    pub from: AgentName,
    /// What kind of result it is.
    pub result_type: ResultType,
    /// The result.
    pub content: String,
}

/// A direct message of another session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectMessage {
    /// Who sends it.
    pub from: AgentName,
    /// What it is, where the sender says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<DirectType>,
    /// The message.
    pub content: String,
}

impl QuestionAnswer {
    pub(super) fn say(&self, words: &mut Words) {
        words.line(&format!("[ANSWER {}]", self.question_id));
        words.lines(&self.answer);
    }
}

impl Delivery {
    pub(super) fn say(&self, locale: Locale, words: &mut Words) {
        let Self { from, result_type, content } = self;
        words.line(&format!("[{} from {from}]", by(locale, "RESULT", "결과 수신")));
        let label = match result_type {
            ResultType::GithubIssue => "GitHub issue",
            ResultType::FilePath => by(locale, "file", "파일"),
            ResultType::Markdown | ResultType::Json | ResultType::Message => {
                words.lines(content);
                return;
            }
        };
        words.field(label, content);
    }
}

impl DirectMessage {
    pub(super) fn say(&self, locale: Locale, words: &mut Words) {
        let Self { from, kind, content } = self;
        let kind = match kind {
            None => "",
            Some(DirectType::Result) => by(locale, " result", " 결과"),
            Some(DirectType::Feedback) => by(locale, " feedback", " 피드백"),
            Some(DirectType::Query) => by(locale, " query", " 질의"),
        };
        words.line(&format!("[{} from {from}]{kind}", by(locale, "MESSAGE", "메시지 수신")));
        words.lines(content);
    }
}
