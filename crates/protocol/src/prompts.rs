//! Prompts: the texts that Jangdan sends to agents, as a JSON object on one line or as text in the run's language.
//!
//! JSON is for agents that read their standard input, text for agents that take a prompt. Neither form decodes to a
//! message, whatever agents and users have written into it, for any role and key. No field holds a secret's value.

mod correction;
mod dependency;
mod examples;
mod feedback;
mod forwarded;
pub(crate) mod json;
mod notice;
mod preamble;
mod prompt_text;
mod task;
mod template;

use domain::Locale;
use serde::Serialize;

pub use correction::{InvalidMessageNotice, NearMissNotice, OutcomeRequest};
pub use dependency::{DependencyAccess, DependencyProvided, DependencyRefused};
pub use examples::message_example;
pub use feedback::{TestCounts, TestFailure, TestFeedbackPrompt};
pub use forwarded::{DirectMessage, QuestionAnswer, ResultDelivery};
pub use notice::Notice;
pub use preamble::{PreambleOptions, preamble};
pub use task::{DependencyResult, TaskPrompt, render_task_prompt, task_template};

use prompt_text::PromptText;

/// One prompt for an agent.
///
/// ```
/// use domain::Locale;
/// use protocol::prompts::{AgentPrompt, QuestionAnswer};
///
/// let answer = QuestionAnswer { question_id: "q_7".into(), answer: "Subscription".into() };
/// let prompt = AgentPrompt::QuestionAnswer(answer);
/// assert_eq!(prompt.json(), r#"{"type":"question_answer","questionId":"q_7","answer":"Subscription"}"#);
/// assert_eq!(prompt.text(Locale::En), "[ANSWER q_7]\nSubscription");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AgentPrompt {
    /// The answer to a question of this agent.
    QuestionAnswer(QuestionAnswer),
    /// A requested dependency is available.
    DependencyProvided(DependencyProvided),
    /// A requested dependency will not be provided.
    DependencyRefused(DependencyRefused),
    /// A task of the plan, or a call by another agent.
    Task(Box<TaskPrompt>),
    /// A result that another agent delivers.
    Result(ResultDelivery),
    /// Test results of the agent's work.
    Feedback(TestFeedbackPrompt),
    /// A direct message of another session.
    Direct(DirectMessage),
    /// A message of this agent was invalid.
    Invalid(InvalidMessageNotice),
    /// A line of this agent resembles a message but was read as text.
    #[serde(rename = "near")]
    NearMiss(NearMissNotice),
    /// The turn ended without an outcome of the task.
    #[serde(rename = "finish")]
    OutcomeRequest(OutcomeRequest),
    /// Free text under a heading.
    Notice(Notice),
}

impl AgentPrompt {
    /// Returns the JSON object on one line, without a newline at its end.
    pub fn json(&self) -> String {
        json::to_line(self)
    }

    /// Returns the text without a newline at its end. The first line is its heading.
    pub fn text(&self, locale: Locale) -> String {
        let mut text = PromptText::default();
        match self {
            Self::QuestionAnswer(answer) => answer.write(&mut text),
            Self::DependencyProvided(provided) => provided.write(locale, &mut text),
            Self::DependencyRefused(refused) => refused.write(locale, &mut text),
            Self::Task(task) => task.write(task_template(locale), locale, &mut text),
            Self::Result(delivery) => delivery.write(locale, &mut text),
            Self::Feedback(feedback) => feedback.write(locale, &mut text),
            Self::Direct(message) => message.write(locale, &mut text),
            Self::Invalid(notice) => notice.write(locale, &mut text),
            Self::NearMiss(notice) => notice.write(locale, &mut text),
            Self::OutcomeRequest(request) => request.write(locale, &mut text),
            Self::Notice(notice) => notice.write(&mut text),
        }
        text.finish()
    }
}

fn localized<T>(locale: Locale, english: T, korean: T) -> T {
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
}
