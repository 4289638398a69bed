//! A change of the plan file during the run.

use domain::Locale;
use views::{InboxItem, PlanOfferRow, summarize_plan_changes};

use super::{EntryAction, EntryChoice, FreeInput, InboxEntry, TextRule, heading};
use crate::screen::{board::Board, phrases::pick, plan_diff::plan_diff};

pub fn entry(locale: Locale, board: &Board, row: &PlanOfferRow) -> InboxEntry {
    let changed = pick(locale, "plan file changed", "계획 파일이 변경되었습니다");
    let problem = row
        .problem
        .as_ref()
        .map(|problem| format!("{} {problem}", pick(locale, "It cannot be applied:", "적용할 수 없습니다:")));
    let lines = plan_diff(board, &row.changes).into_iter().map(|line| line.text);
    InboxEntry {
        item: InboxItem::Plan(row.id),
        heading: heading(&[Some(row.id.to_string()), Some(changed.to_owned())]),
        text: summarize_plan_changes(&row.changes),
        context: problem.into_iter().chain([lines.collect::<Vec<_>>().join("\n")]).collect(),
        choices: vec![
            EntryChoice {
                label: pick(locale, "apply changes", "변경 적용").to_owned(),
                action: EntryAction::TakePlan(row.id),
                text: TextRule::None,
            },
            EntryChoice {
                label: pick(locale, "ignore", "무시").to_owned(),
                action: EntryAction::LeavePlan(row.id),
                text: TextRule::None,
            },
        ],
        free: FreeInput::Nothing,
        is_yes_or_no: true,
    }
}
