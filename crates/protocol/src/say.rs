//! What Jangdan says to an agent, in two forms: a JSON object on a line, and a short text in the run's language.
//!
//! The JSON is for agents that read their standard input, the text for agents that take a prompt. Neither decodes to a
//! message, whatever agents and people have put into it, for any role and key. There is no field for a secret's value.

mod correction;
mod dependency;
mod exchange;
mod feedback;
mod form;
pub(crate) mod json;
mod notice;
mod preamble;
mod task;
mod template;
mod words;

use domain::Locale;
use serde::Serialize;

pub use correction::{Finish, Invalid, Near};
pub use dependency::{DependencyProvided, DependencyRefused, Provided};
pub use exchange::{Delivery, DirectMessage, QuestionAnswer};
pub use feedback::{Feedback, Metrics, TestFailure};
pub use form::of as form;
pub use notice::Notice;
pub use preamble::{Preamble, preamble};
pub use task::{DependencyResult, Task, task_prompt, task_template};

use words::Words;

/// One thing that Jangdan says to an agent.
///
/// ```
/// use domain::Locale;
/// use protocol::say::{QuestionAnswer, Say};
///
/// let answer = Say::QuestionAnswer(QuestionAnswer { question_id: "q_7".into(), answer: "Subscription".into() });
/// assert_eq!(answer.json(), r#"{"type":"question_answer","questionId":"q_7","answer":"Subscription"}"#);
/// assert_eq!(answer.text(Locale::En), "[ANSWER q_7]\nSubscription");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Say {
    /// The answer to a question of the agent.
    QuestionAnswer(QuestionAnswer),
    /// What the agent asked for is there.
    DependencyProvided(DependencyProvided),
    /// What the agent asked for will not come.
    DependencyRefused(DependencyRefused),
    /// Work to do: a task of the plan, or another agent's call.
    Task(Box<Task>),
    /// A result that another agent delivers.
    Result(Delivery),
    /// What the tests say about the agent's work.
    Feedback(Feedback),
    /// A direct message of another session.
    Direct(DirectMessage),
    /// A message of the agent broke a rule.
    Invalid(Invalid),
    /// Something that the agent may have taken for a message was none.
    Near(Near),
    /// The turn ended without a word: how is it?
    Finish(Finish),
    /// Anything else.
    Notice(Notice),
}

impl Say {
    /// Returns the JSON object, on one line and without a newline at its end.
    pub fn json(&self) -> String {
        json::line(self)
    }

    /// Returns the text, whose first line names it, without a newline at its end.
    pub fn text(&self, locale: Locale) -> String {
        let mut words = Words::default();
        match self {
            Self::QuestionAnswer(answer) => answer.say(&mut words),
            Self::DependencyProvided(provided) => provided.say(locale, &mut words),
            Self::DependencyRefused(refused) => refused.say(locale, &mut words),
            Self::Task(task) => task.say(task_template(locale), locale, &mut words),
            Self::Result(delivery) => delivery.say(locale, &mut words),
            Self::Feedback(feedback) => feedback.say(locale, &mut words),
            Self::Direct(message) => message.say(locale, &mut words),
            Self::Invalid(invalid) => invalid.say(locale, &mut words),
            Self::Near(near) => near.say(locale, &mut words),
            Self::Finish(finish) => finish.say(locale, &mut words),
            Self::Notice(notice) => notice.say(&mut words),
        }
        words.finish()
    }
}

/// Chooses the words of a language.
fn by<T>(locale: Locale, english: T, korean: T) -> T {
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
}
