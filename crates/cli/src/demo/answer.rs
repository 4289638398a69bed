//! A person who answers everything at once: takes what agents would take, allows, approves.
//!
//! Pure: from what waits to what is wished.

use domain::{Action, Command, DependencyType, Keep, Provided, QuestionKind};
use views::{EscalationRow, InboxItem, InboxRow, QuestionRow, RequestRow};

/// What is said where nothing is offered.
const AS_YOU_LIKE: &str = "as you think best";

/// What waits for the person.
#[derive(Debug, Default)]
pub struct Waiting {
    /// What waits, the most urgent first.
    pub inbox: Vec<InboxRow>,
    /// The questions.
    pub questions: Vec<QuestionRow>,
    /// The requests.
    pub requests: Vec<RequestRow>,
    /// The escalations.
    pub escalations: Vec<EscalationRow>,
}

/// Returns what the person wishes about each thing that waits.
pub fn answer(waiting: &Waiting) -> Vec<Command> {
    let answered = |row: &InboxRow| match row.item {
        InboxItem::Question(id) => waiting.questions.iter().find(|row| row.id == id).map(to_question),
        InboxItem::Request(id) => waiting.requests.iter().find(|row| row.id == id).map(to_request),
        InboxItem::Gate(phase) => Some(Command::ApproveGate { phase, note: None }),
        InboxItem::Escalation(id) => waiting.escalations.iter().find(|row| row.id == id).map(to_escalation),
        InboxItem::Invocation(_) => None,
    };
    waiting.inbox.iter().filter_map(answered).collect()
}

fn to_question(row: &QuestionRow) -> Command {
    let offered = row.default.as_ref().or(row.options.first()).cloned();
    let answer = match row.kind {
        QuestionKind::Permission => "allow".to_owned(),
        QuestionKind::Confirmation => offered.unwrap_or_else(|| "yes".to_owned()),
        QuestionKind::Text | QuestionKind::Selection => offered.unwrap_or_else(|| AS_YOU_LIKE.to_owned()),
    };
    Command::Answer { question: Some(row.id), task: None, answer, keep: Keep::Once }
}

/// A permission can be given; nothing else is here to be given away.
fn to_request(row: &RequestRow) -> Command {
    match row.r#type {
        DependencyType::Permission => {
            Command::Provide { request: row.id, provided: Provided::Permission { granted: true } }
        }
        DependencyType::ApiKey
        | DependencyType::EnvVariable
        | DependencyType::Service
        | DependencyType::File
        | DependencyType::Package
            if row.required =>
        {
            Command::Refuse { request: row.id, reason: "nobody is here who has it".to_owned() }
        }
        DependencyType::ApiKey
        | DependencyType::EnvVariable
        | DependencyType::Service
        | DependencyType::File
        | DependencyType::Package => Command::SkipRequest(row.id),
    }
}

fn to_escalation(row: &EscalationRow) -> Command {
    let action = row.suggested.first().cloned().unwrap_or(Action::Dismiss);
    Command::Resolve { escalation: row.id, action, note: None }
}
