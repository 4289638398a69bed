//! A plan file that changed while it is run.

use domain::Locale;
use views::{InboxItem, PlanOfferRow, summary};

use super::{Act, Choice, Entry, Free, Words, heading};
use crate::screen::{board::Board, plan_diff::plan_diff, words::pick};

pub fn entry(locale: Locale, board: &Board, row: &PlanOfferRow) -> Entry {
    let changed = pick(locale, "the plan file changed", "계획 파일이 바뀌었습니다");
    let problem = row.problem.as_ref().map(|problem| {
        format!("{} {problem}", pick(locale, "It can't be taken as it is:", "그대로는 받아들일 수 없습니다:"))
    });
    let lines = plan_diff(board, &row.changes).into_iter().map(|line| line.text);
    Entry {
        item: InboxItem::Plan(row.id),
        heading: heading(&[Some(row.id.to_string()), Some(changed.to_owned())]),
        text: summary(&row.changes),
        context: problem.into_iter().chain([lines.collect::<Vec<_>>().join("\n")]).collect(),
        choices: vec![
            Choice {
                label: pick(locale, "take it", "받아들이기").to_owned(),
                act: Act::TakePlan(row.id),
                words: Words::None,
            },
            Choice {
                label: pick(locale, "leave it", "그대로 두기").to_owned(),
                act: Act::LeavePlan(row.id),
                words: Words::None,
            },
        ],
        free: Free::Nothing,
        is_yes_or_no: true,
    }
}
