//! A gate: the approval of a phase.

use domain::Locale;
use views::{GateRound, GateRow, InboxItem, describe_check, translate_engine_text};

use super::{ChoiceTextRule, EntryAction, EntryChoice, FreeInput, InboxEntry, join_heading};
use crate::screen::{
    board::Board,
    phrases::{phase, pick_by_locale},
};

pub(super) fn entry(locale: Locale, board: &Board, row: &GateRow) -> InboxEntry {
    let name = board.phases.get(&row.phase).map(|phase| phase.name.as_str()).unwrap_or_default();
    let report = row.rounds.last().and_then(|round| round.report.as_ref());
    let mut context = Vec::new();
    if let Some(round) = row.rounds.last().filter(|round| round.round > 1) {
        context.push(describe_round(locale, round));
    }
    for receipt in report.iter().flat_map(|report| &report.receipts) {
        context.push(format!("$ {}: {}", receipt.command, describe_check(locale, receipt)));
    }
    let list =
        |title: &str, items: &[String]| (!items.is_empty()).then(|| format!("{title} {}", items.join(", ")));
    context.extend(list(pick_by_locale(locale, "Artefacts:", "산출물:"), &row.artefacts));
    context.extend(list(pick_by_locale(locale, "Documents:", "문서:"), &row.documents));
    let missing = report.map(|report| report.missing.as_slice()).unwrap_or_default();
    context.extend(list(pick_by_locale(locale, "Missing:", "누락:"), missing));
    let summary = report.map(|report| report.summary.trim().to_owned()).unwrap_or_default();
    let summary = match locale {
        Locale::En => summary,
        Locale::Ko => translate_engine_text(&summary),
    };
    let waiting = pick_by_locale(locale, "Waiting for your approval", "승인이 필요합니다");
    InboxEntry {
        item: InboxItem::Gate(row.phase),
        heading: join_heading(&[Some(format!("gate/{}", row.phase)), Some(phase(locale, row.phase, name))]),
        text: if summary.is_empty() { waiting.to_owned() } else { format!("{waiting}: {summary}") },
        context,
        choices: vec![
            EntryChoice {
                label: pick_by_locale(locale, "approve", "승인").to_owned(),
                action: EntryAction::Approve(row.phase),
                text: ChoiceTextRule::Optional,
            },
            EntryChoice {
                label: pick_by_locale(locale, "request changes (say what)", "수정 요청 (내용을 입력하세요)")
                    .to_owned(),
                action: EntryAction::Reject(row.phase),
                text: ChoiceTextRule::Required,
            },
        ],
        free: FreeInput::Nothing,
        is_yes_or_no: true,
    }
}

/// Describes a round after the first, and whether the rejected work has changed since.
fn describe_round(locale: Locale, round: &GateRound) -> String {
    let number = round.round;
    match (locale, round.is_unchanged) {
        (Locale::En, false) => format!("Round {number}"),
        (Locale::En, true) => format!("Round {number}: nothing has changed since the last round"),
        (Locale::Ko, false) => format!("{number}회차"),
        (Locale::Ko, true) => format!("{number}회차: 지난 회차 이후 변경 없음"),
    }
}
