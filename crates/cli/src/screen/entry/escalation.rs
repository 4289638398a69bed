//! A problem that reached the person, and what can be done about it.

use domain::{EscalationAction, Locale};
use views::{EscalationRow, InboxItem};

use super::{Act, Choice, Entry, Free, Words, heading};
use crate::screen::words::{phase, pick, severity};

pub fn entry(locale: Locale, row: &EscalationRow) -> Entry {
    let about = row.task.as_ref().map(ToString::to_string);
    let about = about.or_else(|| row.phase.map(|number| phase(locale, number, "")));
    let problem = pick(locale, "problem", "문제");
    let context = [&row.description, &row.context].into_iter().filter(|text| !text.trim().is_empty());
    Entry {
        item: InboxItem::Escalation(row.id),
        heading: heading(&[
            Some(row.id.to_string()),
            about,
            row.agent.as_ref().map(ToString::to_string),
            Some(format!("{problem} ({})", severity(locale, row.severity))),
        ]),
        text: row.title.clone(),
        context: context.cloned().collect(),
        choices: row.suggested.iter().map(|action| choice(locale, row, action)).collect(),
        free: Free::Nothing,
        is_yes_or_no: false,
    }
}

fn choice(locale: Locale, row: &EscalationRow, action: &EscalationAction) -> Choice {
    let (label, words) = match action {
        EscalationAction::Retry { hint: Some(hint) } => {
            (format!("{}: {hint}", pick(locale, "try again", "다시 시도")), Words::Optional)
        }
        EscalationAction::Retry { hint: None } => {
            let label = pick(locale, "try again (a hint may follow)", "다시 시도 (조언을 덧붙여도 됨)");
            (label.to_owned(), Words::Optional)
        }
        EscalationAction::Reassign { agent } => {
            (format!("{} {agent}", pick(locale, "give it to", "다른 에이전트에게:")), Words::Optional)
        }
        EscalationAction::Skip => (pick(locale, "skip it", "건너뛰기").to_owned(), Words::Optional),
        EscalationAction::Waive => {
            (pick(locale, "let it pass as it is", "그대로 통과").to_owned(), Words::Optional)
        }
        EscalationAction::RaiseBudget { budget } => {
            (format!("{} {budget}", pick(locale, "raise the budget to", "예산 늘리기:")), Words::Optional)
        }
        EscalationAction::MarkFailed => (pick(locale, "give it up", "포기").to_owned(), Words::Optional),
        EscalationAction::Dismiss => {
            (pick(locale, "dismiss: nothing is to be done", "넘기기: 할 일 없음").to_owned(), Words::Optional)
        }
    };
    Choice { label, act: Act::Resolve(row.id, action.clone()), words }
}
