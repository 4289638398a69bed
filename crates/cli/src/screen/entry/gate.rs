//! The gate of a phase that waits for approval.

use domain::Locale;
use views::{GateRow, InboxItem};

use super::{Act, Choice, Entry, Free, Words, heading};
use crate::screen::{
    board::Board,
    words::{phase, pick},
};

pub fn entry(locale: Locale, board: &Board, row: &GateRow) -> Entry {
    let name = board.phases.get(&row.phase).map(|phase| phase.name.as_str()).unwrap_or_default();
    let report = row.rounds.last().and_then(|round| round.report.as_ref());
    let mut context = Vec::new();
    for receipt in report.iter().flat_map(|report| &report.receipts) {
        let how = match receipt.exit_status {
            Some(0) => pick(locale, "passed", "통과").to_owned(),
            Some(status) => format!("{} {status}", pick(locale, "failed with", "실패:")),
            None => pick(locale, "was ended by a signal", "신호로 끝남").to_owned(),
        };
        context.push(format!("$ {}: {how}", receipt.command));
    }
    let list =
        |title: &str, items: &[String]| (!items.is_empty()).then(|| format!("{title} {}", items.join(", ")));
    context.extend(list(pick(locale, "Artefacts:", "산출물:"), &row.artefacts));
    context.extend(list(pick(locale, "Documents:", "문서:"), &row.documents));
    let missing = report.map(|report| report.missing.as_slice()).unwrap_or_default();
    context.extend(list(pick(locale, "Missing:", "빠진 것:"), missing));
    let summary = report.map(|report| report.summary.trim().to_owned()).unwrap_or_default();
    let waits = pick(locale, "waits for your approval", "승인을 기다립니다");
    Entry {
        item: InboxItem::Gate(row.phase),
        heading: heading(&[Some(format!("gate/{}", row.phase)), Some(phase(locale, row.phase, name))]),
        text: if summary.is_empty() { waits.to_owned() } else { format!("{waits}: {summary}") },
        context,
        choices: vec![
            Choice {
                label: pick(locale, "approve", "승인").to_owned(),
                act: Act::Approve(row.phase),
                words: Words::Optional,
            },
            Choice {
                label: pick(locale, "reject (say why)", "반려 (이유를 쓰세요)").to_owned(),
                act: Act::Reject(row.phase),
                words: Words::Needed,
            },
        ],
        free: Free::Nothing,
        is_yes_or_no: true,
    }
}
