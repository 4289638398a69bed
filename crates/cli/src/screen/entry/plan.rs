//! A change of the plan file during the run.

use domain::Locale;
use views::{InboxItem, PlanOfferRow, summarize_plan_changes, summarize_plan_changes_in_korean};

use super::{ChoiceTextRule, EntryAction, EntryChoice, FreeInput, InboxEntry, join_heading};
use crate::screen::{board::Board, phrases::pick_by_locale, plan_diff::plan_diff};

pub(super) fn entry(locale: Locale, board: &Board, row: &PlanOfferRow) -> InboxEntry {
    let changed = pick_by_locale(locale, "plan file changed", "계획 파일이 변경되었습니다");
    let problem = row.problem.as_ref().map(|problem| {
        format!("{} {problem}", pick_by_locale(locale, "It cannot be applied:", "적용할 수 없습니다:"))
    });
    let lines = plan_diff(locale, board, &row.changes).into_iter().map(|line| line.text);
    InboxEntry {
        item: InboxItem::Plan(row.id),
        heading: join_heading(&[Some(row.id.to_string()), Some(changed.to_owned())]),
        text: match locale {
            Locale::En => summarize_plan_changes(&row.changes),
            Locale::Ko => summarize_plan_changes_in_korean(&row.changes),
        },
        context: problem.into_iter().chain([lines.collect::<Vec<_>>().join("\n")]).collect(),
        choices: vec![
            EntryChoice {
                label: pick_by_locale(locale, "apply changes", "변경 적용").to_owned(),
                action: EntryAction::ApplyPlan(row.id),
                text: ChoiceTextRule::None,
            },
            EntryChoice {
                label: pick_by_locale(locale, "ignore", "무시").to_owned(),
                action: EntryAction::IgnorePlan(row.id),
                text: ChoiceTextRule::None,
            },
        ],
        free: FreeInput::Nothing,
        is_yes_or_no: true,
    }
}
