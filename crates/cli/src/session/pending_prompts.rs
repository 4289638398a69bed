//! Prompts of an agent that are waiting for an answer, and the answers that a user's line means.

use std::collections::VecDeque;

use domain::{AgentMessage, AskUser};
use drivers::{AgentInput, DriverEvent, PromptOption};
use sessions::SessionReport;

#[derive(Debug, Default)]
pub(super) struct PendingPrompts {
    open: VecDeque<OpenPrompt>,
    /// The last ASK_USER message; its answer is the next prompt.
    question: Option<Box<AskUser>>,
}

#[derive(Debug)]
struct OpenPrompt {
    prompt: String,
    kind: PromptKind,
}

#[derive(Debug)]
enum PromptKind {
    Permission(Vec<PromptOption>),
    Question(Box<AskUser>),
}

impl PendingPrompts {
    pub(super) fn apply(&mut self, report: &SessionReport) {
        let SessionReport::Event(event) = report else { return };
        match event {
            DriverEvent::Permission { request, options } => {
                self.add_prompt(&request.prompt, PromptKind::Permission(options.clone()));
            }
            DriverEvent::Question { prompt, question } => {
                self.add_prompt(prompt, PromptKind::Question(question.clone()))
            }
            DriverEvent::PromptWithdrawn { prompt } => self.open.retain(|open| open.prompt != *prompt),
            DriverEvent::Message { item: protocol::DecodedItem::Message(message), .. } => {
                if let AgentMessage::AskUser(question) = &message.message {
                    self.question = Some(Box::new(question.clone()));
                }
            }
            DriverEvent::TurnEnded { .. } => self.open.clear(),
            DriverEvent::Ready { .. }
            | DriverEvent::Model { .. }
            | DriverEvent::Text { .. }
            | DriverEvent::Message { .. }
            | DriverEvent::ToolCall(_)
            | DriverEvent::Plan { .. }
            | DriverEvent::Mode { .. }
            | DriverEvent::Usage(_)
            | DriverEvent::Warning(_) => {}
        }
    }

    /// Returns whether the agent is waiting in the middle of its turn.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns the question with options that ended the turn.
    pub(super) fn turn_end_question(&self) -> Option<&AskUser> {
        self.question.as_deref().filter(|question| !question.options.is_empty())
    }

    /// Returns the input that a line means, or the accepted answers if it means none.
    pub(super) fn parse_reply(&mut self, line: &str) -> Result<AgentInput, String> {
        let Some(open) = self.open.front() else {
            let question = self.question.take();
            let text = question
                .and_then(|question| find_option(line, &question.options))
                .unwrap_or_else(|| line.to_owned());
            return Ok(AgentInput::Prompt { text });
        };
        let prompt = open.prompt.clone();
        let input = match &open.kind {
            PromptKind::Permission(options) => {
                AgentInput::Permission { prompt, allowed: parse_permission(line, options)?, reason: None }
            }
            PromptKind::Question(question) => {
                let answer = find_option(line, &question.options).unwrap_or_else(|| line.to_owned());
                AgentInput::Answer { prompt, answer }
            }
        };
        self.open.pop_front();
        Ok(input)
    }

    fn add_prompt(&mut self, prompt: &str, kind: PromptKind) {
        self.open.retain(|open| open.prompt != prompt);
        self.open.push_back(OpenPrompt { prompt: prompt.to_owned(), kind });
    }
}

/// Finds an option by its number or label.
fn find_option(line: &str, options: &[String]) -> Option<String> {
    let line = line.trim();
    let by_number = line.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
    by_number.or(options.iter().find(|option| option.eq_ignore_ascii_case(line))).cloned()
}

fn parse_permission(line: &str, options: &[PromptOption]) -> Result<bool, String> {
    let line = line.trim();
    let labels: Vec<String> = options.iter().map(|option| option.label.clone()).collect();
    if let Some(label) = find_option(line, &labels) {
        let option = options.iter().find(|option| option.label == label);
        return Ok(option.is_some_and(|option| option.allows));
    }
    match line.to_lowercase().as_str() {
        "y" | "yes" | "예" | "네" => Ok(true),
        "n" | "no" | "아니오" | "아니요" => Ok(false),
        _ => {
            let numbered: Vec<_> =
                (1..).zip(&labels).map(|(number, label)| format!("{number} ({label})")).collect();
            Err(format!("Answer {}, yes or no.", numbered.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PendingPrompts, PromptKind, find_option};
    use drivers::{AgentInput, PromptOption};

    fn option(label: &str, allows: bool) -> PromptOption {
        PromptOption { id: label.to_owned(), label: label.to_owned(), allows, is_permanent: false }
    }

    #[test]
    fn line_answers_the_open_prompt_or_is_a_new_prompt() {
        let cases =
            [("1", Ok(true)), ("2", Ok(false)), ("yes", Ok(true)), ("Never", Ok(false)), ("3", Err(()))];
        for (line, expected) in cases {
            let mut pending = PendingPrompts::default();
            pending.add_prompt(
                "p",
                PromptKind::Permission(vec![option("Always", true), option("Never", false)]),
            );
            let input = pending.parse_reply(line).map_err(|_| ());
            assert_eq!(
                input,
                expected.map(|allowed| AgentInput::Permission {
                    prompt: "p".to_owned(),
                    allowed,
                    reason: None
                }),
                "{line}"
            );
            assert_eq!(pending.is_open(), expected.is_err(), "an invalid answer leaves the prompt open");
        }
        assert_eq!(
            PendingPrompts::default().parse_reply("1"),
            Ok(AgentInput::Prompt { text: "1".to_owned() })
        );
    }

    #[test]
    fn option_is_found_by_number_or_label() {
        let options = ["sqlite".to_owned(), "postgres".to_owned()];
        let check = |line: &str| find_option(line, &options);
        assert_eq!(
            [check("2"), check(" SQLite "), check("0"), check("mysql")],
            [Some("postgres".to_owned()), Some("sqlite".to_owned()), None, None]
        );
    }
}
