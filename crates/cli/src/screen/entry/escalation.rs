//! A problem that the user decides about.

use domain::{EscalationAction, Locale};
use views::{EscalationRow, InboxItem};

use super::{EntryAction, EntryChoice, FreeInput, InboxEntry, TextRule, heading};
use crate::screen::phrases::{phase, pick, severity};

pub fn entry(locale: Locale, row: &EscalationRow) -> InboxEntry {
    let subject = row.task.as_ref().map(ToString::to_string);
    let subject = subject.or_else(|| row.phase.map(|number| phase(locale, number, "")));
    let problem = pick(locale, "problem", "문제");
    let context = [&row.description, &row.context].into_iter().filter(|text| !text.trim().is_empty());
    InboxEntry {
        item: InboxItem::Escalation(row.id),
        heading: heading(&[
            Some(row.id.to_string()),
            subject,
            row.agent.as_ref().map(ToString::to_string),
            Some(format!("{problem} ({})", severity(locale, row.severity))),
        ]),
        text: row.title.clone(),
        context: context.cloned().collect(),
        choices: row.suggested.iter().map(|action| choice(locale, row, action)).collect(),
        free: FreeInput::Nothing,
        is_yes_or_no: false,
    }
}

fn choice(locale: Locale, row: &EscalationRow, action: &EscalationAction) -> EntryChoice {
    let (label, text) = match action {
        EscalationAction::Retry { hint: Some(hint) } => {
            (format!("{}: {hint}", pick(locale, "retry", "재시도")), TextRule::Optional)
        }
        EscalationAction::Retry { hint: None } => {
            let label = pick(locale, "retry (hint optional)", "재시도 (힌트 추가 가능)");
            (label.to_owned(), TextRule::Optional)
        }
        EscalationAction::Reassign { agent } => {
            (format!("{} {agent}", pick(locale, "reassign to", "다른 에이전트에 할당:")), TextRule::Optional)
        }
        EscalationAction::Skip => (pick(locale, "skip task", "작업 건너뛰기").to_owned(), TextRule::Optional),
        EscalationAction::Waive => {
            (pick(locale, "accept despite failed check", "검사 실패에도 승인").to_owned(), TextRule::Optional)
        }
        EscalationAction::RaiseBudget { budget } => {
            (format!("{} {budget}", pick(locale, "raise the budget to", "예산 증액:")), TextRule::Optional)
        }
        EscalationAction::MarkFailed => {
            (pick(locale, "mark as failed", "실패로 표시").to_owned(), TextRule::Optional)
        }
        EscalationAction::Dismiss => (pick(locale, "dismiss", "무시").to_owned(), TextRule::Optional),
    };
    EntryChoice { label, action: EntryAction::Resolve(row.id, action.clone()), text }
}
