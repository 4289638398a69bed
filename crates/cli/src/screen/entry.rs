//! One thing that waits for the person: what it says, and what can be done about it.
//!
//! The terminal, `jangdan inbox` and `jangdan answer` all take it from here, so a number means the same everywhere.

mod escalation;
mod gate;
mod plan;
mod question;
mod request;

pub use request::no_vault;

use domain::{
    Command, EscalationAction, EscalationId, Locale, OfferId, PermissionScope, PhaseNumber, ProvidedResource,
    QuestionId, RequestId, Timestamp,
};
use views::{InboxItem, InboxRow};

use super::{
    amount::{since, span},
    board::Board,
    words::{holds_up, pick},
};

/// One entry of the inbox.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What it is.
    pub item: InboxItem,
    /// Who wants what, what it holds up, and since when.
    pub heading: String,
    /// What is wanted.
    pub text: String,
    /// What one should know, a paragraph each.
    pub context: Vec<String>,
    /// What can be done, by number.
    pub choices: Vec<Choice>,
    /// What else may be written.
    pub free: Free,
    /// Whether `y` and `n` mean the first and the second choice.
    pub is_yes_or_no: bool,
}

/// One thing that can be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What a person reads.
    pub label: String,
    /// What it does.
    pub act: Act,
    /// Whether words belong to it.
    pub words: Words,
}

/// What a choice does.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Answers a question.
    Answer(QuestionId, String, PermissionScope),
    /// Provides what a request asks for.
    Provide(RequestId, ProvidedResource),
    /// Refuses a request; the words say why.
    Refuse(RequestId),
    /// Leaves a request out.
    SkipRequest(RequestId),
    /// Lets a phase pass; the words are a note.
    Approve(PhaseNumber),
    /// Does not let a phase pass; the words say why.
    Reject(PhaseNumber),
    /// Does something about an escalation; the words are a hint or a note.
    Resolve(EscalationId, EscalationAction),
    /// Lets a change of the plan file hold for the run.
    TakePlan(OfferId),
    /// Lets the plan stay as the run has it.
    LeavePlan(OfferId),
}

/// Whether a choice takes words with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// It takes none.
    None,
    /// It may have some.
    Optional,
    /// It needs some.
    Needed,
}

/// What a text means that is no choice.
#[derive(Debug, Clone, PartialEq)]
pub enum Free {
    /// It is the answer.
    Answer(QuestionId),
    /// It is the path of the file that a request asks for.
    Path(RequestId),
    /// It means nothing.
    Nothing,
}

/// What somebody wants who wrote something about an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// This.
    Wish(Command),
    /// A choice that needs words, and they did not come with it.
    NeedsWords(usize),
    /// Nobody knows; this is what could be written.
    Unclear(String),
}

/// Returns an entry of the inbox; none where its own row is not there (yet).
pub fn entry(board: &Board, locale: Locale, now: Timestamp, row: &InboxRow) -> Option<Entry> {
    let mut entry = match row.item {
        InboxItem::Question(id) => question::entry(locale, board.questions.get(&id)?),
        InboxItem::Request(id) => request::entry(locale, board.requests.get(&id)?),
        InboxItem::Gate(phase) => gate::entry(locale, board, board.gates.get(&phase)?),
        InboxItem::Escalation(id) => escalation::entry(locale, board.escalations.get(&id)?),
        InboxItem::Plan(id) => plan::entry(locale, board, board.plan_offers.get(&id)?),
        InboxItem::Invocation(_) => return None,
    };
    let mut about = vec![entry.heading];
    about.extend(holds_up(locale, row.holds_up));
    let waited = span(locale, since(row.since_at, now));
    about.push(match locale {
        Locale::En => format!("for {waited}"),
        Locale::Ko => format!("{waited}째"),
    });
    entry.heading = about.join(" · ");
    Some(entry)
}

impl Entry {
    /// Returns by what a choice is called: a number, or a letter where numbers are among the answers themselves.
    pub fn mark(&self, index: usize) -> String {
        let is_number =
            |choice: &Choice| matches!(&choice.act, Act::Answer(_, text, _) if text.parse::<i64>().is_ok());
        let has_numbers = self.choices.iter().any(is_number);
        let letter = u32::try_from(index).ok().and_then(|index| char::from_u32(u32::from('a') + index));
        match letter.filter(|letter| has_numbers && letter.is_ascii_lowercase()) {
            Some(letter) => letter.to_string(),
            None => (index + 1).to_string(),
        }
    }

    /// Returns what a typed line means.
    pub fn meaning(&self, locale: Locale, typed: &str) -> Meaning {
        let typed = typed.trim();
        let (head, words) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        if let Some(index) = self.choice_called(head) {
            let takes_words = self.choices.get(index).is_some_and(|choice| choice.words != Words::None);
            // `2 weeks` is an answer of its own, no second choice.
            if words.is_empty() || takes_words {
                return self.chosen(locale, index, words);
            }
        }
        if let Some(index) = self.choices.iter().position(|choice| choice.label == typed) {
            return self.chosen(locale, index, "");
        }
        match &self.free {
            _ if typed.is_empty() => Meaning::Unclear(self.help(locale)),
            _ if self.is_number_beyond(typed) => Meaning::Unclear(self.help(locale)),
            Free::Answer(question) => Meaning::Wish(answer(*question, typed, PermissionScope::Once)),
            Free::Path(request) => Meaning::Wish(Command::Provide {
                request: *request,
                provided: ProvidedResource::File { path: typed.to_owned() },
            }),
            Free::Nothing => Meaning::Unclear(self.help(locale)),
        }
    }

    /// Returns what a choice means with these words.
    pub fn chosen(&self, locale: Locale, index: usize, words: &str) -> Meaning {
        let Some(choice) = self.choices.get(index) else { return Meaning::Unclear(self.help(locale)) };
        let words = words.trim();
        if choice.words == Words::Needed && words.is_empty() {
            return Meaning::NeedsWords(index);
        }
        Meaning::Wish(choice.act.command(words))
    }

    fn choice_called(&self, head: &str) -> Option<usize> {
        let by_mark = (0..self.choices.len()).find(|index| self.mark(*index) == head);
        by_mark.or(match head {
            "y" | "Y" if self.is_yes_or_no => Some(0),
            "n" | "N" if self.is_yes_or_no => Some(1),
            _ => None,
        })
    }

    /// Tells whether somebody meant a choice that there is not.
    fn is_number_beyond(&self, typed: &str) -> bool {
        let is_number =
            !typed.is_empty() && typed.len() <= 2 && typed.bytes().all(|byte| byte.is_ascii_digit());
        is_number && !self.choices.is_empty() && self.mark(0) == "1"
    }

    fn help(&self, locale: Locale) -> String {
        let (first, last) = (self.mark(0), self.mark(self.choices.len().saturating_sub(1)));
        let number = match locale {
            _ if self.choices.is_empty() => String::new(),
            Locale::En => format!("type {first} to {last}"),
            Locale::Ko => format!("{first}~{last} 중에서 고르세요"),
        };
        let free = match &self.free {
            Free::Answer(_) => pick(locale, "type the answer", "답을 쓰세요"),
            Free::Path(_) => pick(locale, "type the path of the file", "파일 경로를 쓰세요"),
            Free::Nothing => "",
        };
        let parts: Vec<&str> = [number.as_str(), free].into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(pick(locale, ", or ", " 또는 "))
    }
}

impl Act {
    fn command(&self, words: &str) -> Command {
        let note = Some(words.to_owned()).filter(|words| !words.is_empty());
        match self {
            Self::Answer(question, text, keep) => answer(*question, text, *keep),
            Self::Provide(request, provided) => {
                Command::Provide { request: *request, provided: provided.clone() }
            }
            Self::Refuse(request) => Command::Refuse { request: *request, reason: words.to_owned() },
            Self::SkipRequest(request) => Command::SkipRequest(*request),
            Self::Approve(phase) => Command::ApproveGate { phase: *phase, note },
            Self::Reject(phase) => {
                Command::RejectGate { phase: *phase, reason: words.to_owned(), tasks: Vec::new() }
            }
            Self::TakePlan(offer) => Command::ApplyPlanChange { offer: *offer },
            Self::LeavePlan(offer) => Command::IgnorePlanChange { offer: *offer },
            Self::Resolve(escalation, EscalationAction::Retry { hint }) => Command::Resolve {
                escalation: *escalation,
                action: EscalationAction::Retry { hint: note.or_else(|| hint.clone()) },
                note: None,
            },
            Self::Resolve(escalation, action) => {
                Command::Resolve { escalation: *escalation, action: action.clone(), note }
            }
        }
    }
}

fn answer(question: QuestionId, text: &str, keep: PermissionScope) -> Command {
    Command::Answer { question: Some(question), task: None, answer: text.to_owned(), scope: keep }
}

/// Joins what is there of a heading.
fn heading(parts: &[Option<String>]) -> String {
    let parts: Vec<&str> = parts.iter().flatten().map(String::as_str).collect();
    parts.join(" · ")
}
