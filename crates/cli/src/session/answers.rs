//! What an agent waits for, and what a person's line means to it.

use std::collections::VecDeque;

use domain::{AgentMessage, AskUser};
use drivers::{AgentInput, DriverEvent, PromptOption};
use sessions::SessionReport;

/// What an agent waits for.
#[derive(Debug, Default)]
pub struct Waits {
    open: VecDeque<Open>,
    /// What it asked in the protocol's words; the answer is the next prompt.
    asked: Option<Box<AskUser>>,
}

#[derive(Debug)]
struct Open {
    prompt: String,
    what: What,
}

#[derive(Debug)]
enum What {
    Permission(Vec<PromptOption>),
    Question(Box<AskUser>),
}

impl Waits {
    /// Takes what was seen.
    pub fn take(&mut self, seen: &SessionReport) {
        let SessionReport::Event(event) = seen else { return };
        match event {
            DriverEvent::Permission { request, options } => {
                self.open(&request.prompt, What::Permission(options.clone()));
            }
            DriverEvent::Question { prompt, question } => self.open(prompt, What::Question(question.clone())),
            DriverEvent::PromptWithdrawn { prompt } => self.open.retain(|open| open.prompt != *prompt),
            DriverEvent::Message { item: protocol::DecodedItem::Message(message), .. } => {
                if let AgentMessage::AskUser(asked) = &message.message {
                    self.asked = Some(Box::new(asked.clone()));
                }
            }
            DriverEvent::TurnEnded { .. } => self.open.clear(),
            _ => {}
        }
    }

    /// Tells whether the agent waits in the middle of its turn.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns the question that the turn ended with, to be shown with its answers.
    pub fn asked(&self) -> Option<&AskUser> {
        self.asked.as_deref().filter(|asked| !asked.options.is_empty())
    }

    /// Returns what a line means, or what would be understood.
    pub fn meant(&mut self, line: &str) -> Result<AgentInput, String> {
        let Some(open) = self.open.front() else {
            let asked = self.asked.take();
            let text =
                asked.and_then(|asked| chosen(line, &asked.options)).unwrap_or_else(|| line.to_owned());
            return Ok(AgentInput::Prompt { text });
        };
        let prompt = open.prompt.clone();
        let told = match &open.what {
            What::Permission(options) => AgentInput::Permission { prompt, allowed: allowed(line, options)? },
            What::Question(asked) => {
                let answer = chosen(line, &asked.options).unwrap_or_else(|| line.to_owned());
                AgentInput::Answer { prompt, answer }
            }
        };
        self.open.pop_front();
        Ok(told)
    }

    fn open(&mut self, prompt: &str, what: What) {
        self.open.retain(|open| open.prompt != prompt);
        self.open.push_back(Open { prompt: prompt.to_owned(), what });
    }
}

/// Returns the option that a number or a label names.
fn chosen(line: &str, options: &[String]) -> Option<String> {
    let line = line.trim();
    let by_number = line.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
    by_number.or(options.iter().find(|option| option.eq_ignore_ascii_case(line))).cloned()
}

fn allowed(line: &str, options: &[PromptOption]) -> Result<bool, String> {
    let line = line.trim();
    let labels: Vec<String> = options.iter().map(|option| option.label.clone()).collect();
    if let Some(label) = chosen(line, &labels) {
        let option = options.iter().find(|option| option.label == label);
        return Ok(option.is_some_and(|option| option.allows));
    }
    match line.to_lowercase().as_str() {
        "y" | "yes" | "예" | "네" => Ok(true),
        "n" | "no" | "아니오" | "아니요" => Ok(false),
        _ => {
            let numbered: Vec<_> =
                (1..).zip(&labels).map(|(number, label)| format!("{number} ({label})")).collect();
            Err(format!("answer {}, yes or no", numbered.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Waits, What, chosen};
    use drivers::{AgentInput, PromptOption};

    fn option(label: &str, allows: bool) -> PromptOption {
        PromptOption { id: label.to_owned(), label: label.to_owned(), allows, is_permanent: false }
    }

    #[test]
    fn a_line_answers_what_waits_and_is_a_prompt_where_nothing_does() {
        let cases =
            [("1", Ok(true)), ("2", Ok(false)), ("yes", Ok(true)), ("Never", Ok(false)), ("3", Err(()))];
        for (line, expected) in cases {
            let mut waits = Waits::default();
            waits.open("p", What::Permission(vec![option("Always", true), option("Never", false)]));
            let told = waits.meant(line).map_err(|_| ());
            assert_eq!(
                told,
                expected.map(|allowed| AgentInput::Permission { prompt: "p".to_owned(), allowed }),
                "{line}"
            );
            assert_eq!(waits.is_open(), expected.is_err(), "what is not understood answers nothing");
        }
        assert_eq!(Waits::default().meant("1"), Ok(AgentInput::Prompt { text: "1".to_owned() }));
    }

    #[test]
    fn an_option_is_named_by_its_number_or_its_words() {
        let options = ["sqlite".to_owned(), "postgres".to_owned()];
        let check = |line: &str| chosen(line, &options);
        assert_eq!(
            [check("2"), check(" SQLite "), check("0"), check("mysql")],
            [Some("postgres".to_owned()), Some("sqlite".to_owned()), None, None]
        );
    }
}
