//! An entry of the inbox: its text and the choices of the user.
//!
//! The terminal, `jangdan inbox` and `jangdan answer` share it, so the numbers of choices are the same everywhere.

mod escalation;
mod gate;
mod plan;
mod question;
mod request;

pub(crate) use escalation::entry as escalation_entry;
pub(crate) use gate::change_totals;

use domain::{
    EscalationAction, EscalationId, InboxAction, Locale, OfferId, PermissionScope, PhaseNumber,
    ProvidedResource, QuestionId, RequestId, Timestamp, UserCommand,
};
use views::{InboxItem, InboxRow};

use super::{
    amounts::{elapsed_ms, format_duration},
    board::Board,
    phrases::{blocked_work, pick_by_locale},
};

/// An entry of the inbox.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InboxEntry {
    pub item: InboxItem,
    /// Id, task, agent, what it blocks, and its age.
    pub heading: String,
    /// Question, request or problem.
    pub text: String,
    /// Background, one paragraph each.
    pub context: Vec<String>,
    /// Choices, selected by number from 1.
    pub choices: Vec<EntryChoice>,
    /// Meaning of input that is not a choice.
    pub free: FreeInput,
    /// Whether `y` and `n` select the first and the second choice.
    pub is_yes_or_no: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EntryChoice {
    pub label: String,
    pub action: EntryAction,
    /// Whether text belongs to it.
    pub text: ChoiceTextRule,
}

/// The effect of a choice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EntryAction {
    Answer(QuestionId, String, PermissionScope),
    /// Allows requests of a pattern, for the run.
    AllowSimilar(QuestionId, String),
    /// The text is the reason.
    DenyPermission(QuestionId),
    Provide(RequestId, ProvidedResource),
    /// The text is the reason.
    Refuse(RequestId),
    SkipRequest(RequestId),
    /// The text is a note.
    Approve(PhaseNumber),
    /// The text is the reason.
    Reject(PhaseNumber),
    /// The text is a hint for a retry, else a note.
    Resolve(EscalationId, EscalationAction),
    ApplyPlan(OfferId),
    IgnorePlan(OfferId),
}

/// Whether a choice takes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChoiceTextRule {
    None,
    Optional,
    Required,
}

/// The meaning of input that is not a choice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FreeInput {
    Answer(QuestionId),
    /// Path of the requested file.
    Path(RequestId),
    Nothing,
}

/// The meaning of a line of input.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ParsedInput {
    UserCommand(UserCommand),
    /// A choice (by index) that requires text, which is missing.
    NeedsText(usize),
    /// Not understood; explains what can be typed.
    Invalid(String),
}

/// Returns an entry of the inbox; `None` if the row of its item is missing.
pub(crate) fn entry(board: &Board, locale: Locale, now: Timestamp, row: &InboxRow) -> Option<InboxEntry> {
    let mut entry = match row.item {
        InboxItem::Question(id) => question::entry(locale, board.questions.get(&id)?, &row.equal_tasks),
        InboxItem::Request(id) => request::entry(locale, board.requests.get(&id)?),
        InboxItem::Gate(phase) => gate::entry(locale, board, board.gates.get(&phase)?),
        InboxItem::Escalation(id) => escalation::entry(locale, board.escalations.get(&id)?),
        InboxItem::Plan(id) => plan::entry(locale, board, board.plan_offers.get(&id)?),
        InboxItem::Invocation(_) => return None,
    };
    entry.keep_allowed(&row.actions);
    let mut parts = vec![entry.heading];
    parts.extend(blocked_work(locale, row.blocks));
    let age = format_duration(locale, elapsed_ms(row.since_at, now));
    let is_asked = matches!(row.item, InboxItem::Question(_) | InboxItem::Request(_));
    parts.push(match (locale, is_asked) {
        (Locale::En, true) => format!("asked {age} ago"),
        (Locale::En, false) => format!("{age} ago"),
        (Locale::Ko, _) => format!("{age} 전"),
    });
    entry.heading = parts.join(" · ");
    Some(entry)
}

/// Returns the entry of a question without regard to what the engine allows.
#[cfg(test)]
pub(crate) fn question_entry(locale: Locale, row: &views::QuestionRow) -> InboxEntry {
    question::entry(locale, row, &[])
}

impl InboxEntry {
    /// Removes what the engine would reject now.
    fn keep_allowed(&mut self, actions: &[InboxAction]) {
        let n_choices = self.choices.len();
        self.choices.retain(|choice| actions.contains(&choice.action.to_inbox_action()));
        self.is_yes_or_no &= self.choices.len() == n_choices;
        let free_action = match &self.free {
            FreeInput::Answer(_) => InboxAction::Answer,
            FreeInput::Path(_) => InboxAction::Provide,
            FreeInput::Nothing => return,
        };
        if !actions.contains(&free_action) {
            self.free = FreeInput::Nothing;
        }
    }

    /// Returns the mark of a choice: a number, or a letter if answers themselves are numbers.
    pub(crate) fn choice_mark(&self, index: usize) -> String {
        let is_number = |choice: &EntryChoice| matches!(&choice.action, EntryAction::Answer(_, text, _) if text.parse::<i64>().is_ok());
        let has_numbers = self.choices.iter().any(is_number);
        let letter = u32::try_from(index).ok().and_then(|index| char::from_u32(u32::from('a') + index));
        match letter.filter(|letter| has_numbers && letter.is_ascii_lowercase()) {
            Some(letter) => letter.to_string(),
            None => (index + 1).to_string(),
        }
    }

    /// Parses a line of input.
    pub(crate) fn parse_input(&self, locale: Locale, typed: &str) -> ParsedInput {
        let typed = typed.trim();
        let (head, text) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        if let Some(index) = self.choice_by_mark(head) {
            let takes_text =
                self.choices.get(index).is_some_and(|choice| choice.text != ChoiceTextRule::None);
            // `2 weeks` is an answer, not the second choice.
            if text.is_empty() || takes_text {
                return self.select_choice(locale, index, text);
            }
        }
        if let Some(index) = self.choices.iter().position(|choice| choice.label == typed) {
            return self.select_choice(locale, index, "");
        }
        match &self.free {
            _ if typed.is_empty() => ParsedInput::Invalid(self.input_help(locale)),
            _ if self.is_unknown_number(typed) => ParsedInput::Invalid(self.input_help(locale)),
            FreeInput::Answer(question) => {
                ParsedInput::UserCommand(answer_command(*question, typed, PermissionScope::Once))
            }
            FreeInput::Path(request) => ParsedInput::UserCommand(UserCommand::Provide {
                request: *request,
                provided: ProvidedResource::file(typed),
            }),
            FreeInput::Nothing => ParsedInput::Invalid(self.input_help(locale)),
        }
    }

    /// Returns the command of a choice with a text.
    pub(crate) fn select_choice(&self, locale: Locale, index: usize, text: &str) -> ParsedInput {
        let Some(choice) = self.choices.get(index) else {
            return ParsedInput::Invalid(self.input_help(locale));
        };
        let text = text.trim();
        if choice.text == ChoiceTextRule::Required && text.is_empty() {
            return ParsedInput::NeedsText(index);
        }
        ParsedInput::UserCommand(choice.action.to_command(text))
    }

    /// Returns the choice of a mark, or of `y` and `n` if those are answers.
    pub(crate) fn choice_by_mark(&self, head: &str) -> Option<usize> {
        let by_mark = (0..self.choices.len()).find(|index| self.choice_mark(*index) == head);
        by_mark.or(match head {
            "y" | "Y" if self.is_yes_or_no => Some(0),
            "n" | "N" if self.is_yes_or_no => Some(1),
            _ => None,
        })
    }

    /// Tells whether the input is the number of a choice that does not exist.
    pub(crate) fn is_unknown_number(&self, typed: &str) -> bool {
        let is_number =
            !typed.is_empty() && typed.len() <= 2 && typed.bytes().all(|byte| byte.is_ascii_digit());
        is_number && !self.choices.is_empty() && self.choice_mark(0) == "1"
    }

    fn input_help(&self, locale: Locale) -> String {
        let (first, last) = (self.choice_mark(0), self.choice_mark(self.choices.len().saturating_sub(1)));
        let number = match locale {
            _ if self.choices.is_empty() => String::new(),
            Locale::En => format!("Type {first} to {last}"),
            Locale::Ko if self.free == FreeInput::Nothing => format!("{first}~{last} 중에서 고르세요"),
            Locale::Ko => format!("{first}~{last} 중에서 고르거나"),
        };
        let free = match &self.free {
            FreeInput::Answer(_) => pick_by_locale(locale, "type the answer", "답변을 입력하세요"),
            FreeInput::Path(_) => {
                pick_by_locale(locale, "type the path of the file", "파일 경로를 입력하세요")
            }
            FreeInput::Nothing => "",
        };
        let parts: Vec<&str> = [number.as_str(), free].into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(pick_by_locale(locale, ", or ", " "))
    }
}

impl EntryAction {
    fn to_inbox_action(&self) -> InboxAction {
        match self {
            Self::Answer(..) | Self::AllowSimilar(..) | Self::DenyPermission(_) => InboxAction::Answer,
            Self::Provide(..) => InboxAction::Provide,
            Self::Refuse(_) => InboxAction::Refuse,
            Self::SkipRequest(_) => InboxAction::Skip,
            Self::Approve(_) => InboxAction::Approve,
            Self::Reject(_) => InboxAction::Reject,
            Self::Resolve(_, action) => InboxAction::Resolve(action.clone()),
            Self::ApplyPlan(_) => InboxAction::ApplyPlanChange,
            Self::IgnorePlan(_) => InboxAction::IgnorePlanChange,
        }
    }

    fn to_command(&self, text: &str) -> UserCommand {
        let note = Some(text.to_owned()).filter(|text| !text.is_empty());
        match self {
            Self::Answer(question, text, keep) => answer_command(*question, text, *keep),
            Self::AllowSimilar(question, pattern) => UserCommand::Answer {
                question: Some(*question),
                task: None,
                answer: "allow".to_owned(),
                scope: PermissionScope::Run,
                pattern: Some(pattern.clone()),
                reason: None,
            },
            Self::DenyPermission(question) => UserCommand::Answer {
                question: Some(*question),
                task: None,
                answer: "deny".to_owned(),
                scope: PermissionScope::Once,
                pattern: None,
                reason: note,
            },
            Self::Provide(request, provided) => {
                UserCommand::Provide { request: *request, provided: provided.clone() }
            }
            Self::Refuse(request) => UserCommand::Refuse { request: *request, reason: text.to_owned() },
            Self::SkipRequest(request) => UserCommand::SkipRequest(*request),
            Self::Approve(phase) => UserCommand::ApproveGate { phase: *phase, note },
            Self::Reject(phase) => {
                UserCommand::RejectGate { phase: *phase, reason: text.to_owned(), tasks: Vec::new() }
            }
            Self::ApplyPlan(offer) => UserCommand::ApplyPlanChange { offer: *offer },
            Self::IgnorePlan(offer) => UserCommand::IgnorePlanChange { offer: *offer },
            Self::Resolve(escalation, EscalationAction::Retry { hint }) => UserCommand::Resolve {
                escalation: *escalation,
                action: EscalationAction::Retry { hint: note.or_else(|| hint.clone()) },
                note: None,
            },
            Self::Resolve(escalation, action) => {
                UserCommand::Resolve { escalation: *escalation, action: action.clone(), note }
            }
        }
    }
}

fn answer_command(question: QuestionId, text: &str, keep: PermissionScope) -> UserCommand {
    UserCommand::Answer {
        question: Some(question),
        task: None,
        answer: text.to_owned(),
        scope: keep,
        pattern: None,
        reason: None,
    }
}

/// Joins the parts of a heading.
fn join_heading(parts: &[Option<String>]) -> String {
    let parts: Vec<&str> = parts.iter().flatten().map(String::as_str).collect();
    parts.join(" · ")
}
