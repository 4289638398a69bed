//! Prompts: the texts that Jangdan sends to agents, as a JSON object on one line or as text in the run's language.
//!
//! Every text is a file in `prompts/templates/`; `docs/prompts.md` shows each as an agent receives it. JSON is for agents that read their standard input, text for agents that take a prompt. Neither form decodes to a
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
mod review;
mod task;
mod template;
mod templates;

use domain::Locale;
use serde::Serialize;

pub use correction::{InvalidMessageNotice, NearMissNotice, OutcomeRequest};
pub use dependency::{DependencyAccess, DependencyProvided, DependencyRefused};
pub use examples::{done_example, message_example};
pub use feedback::{
    TestCounts, TestFailure, TestFeedbackPrompt, describe_earlier_failure, render_earlier_failures,
};
pub use forwarded::{DirectMessage, QuestionAnswer, ResultDelivery};
pub use notice::Notice;
pub use preamble::{PreambleOptions, preamble};
pub use review::{PhaseTask, TestPrompt, VerifyPrompt, WorkChanges};
pub use task::{
    AttemptReason, TaskPrompt, TaskSummary, WorkDirectory, render_call, render_task_prompt, task_template,
};
pub use templates::{PromptTemplate, TemplateValues, render_template};

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
    /// A task whose work the agent tests.
    Test(Box<TestPrompt>),
    /// A phase that the agent judges.
    Verify(Box<VerifyPrompt>),
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
        match self {
            Self::QuestionAnswer(answer) => answer.render(locale),
            Self::DependencyProvided(provided) => provided.render(locale),
            Self::DependencyRefused(refused) => refused.render(locale),
            Self::Task(task) => task.render(locale),
            Self::Test(test) => test.render(locale),
            Self::Verify(verify) => verify.render(locale),
            Self::Result(delivery) => delivery.render(locale),
            Self::Feedback(feedback) => feedback.render(locale),
            Self::Direct(message) => message.render(locale),
            Self::Invalid(notice) => notice.render(locale),
            Self::NearMiss(notice) => notice.render(locale),
            Self::OutcomeRequest(request) => request.render(locale),
            Self::Notice(notice) => notice.render(),
        }
    }
}
