//! Tests of the screens, at common terminal sizes.

mod screens;
mod typing;

use std::collections::BTreeMap;

use domain::{Locale, RecordedEvent, SessionId, Timestamp};
use runtime::ReplayedRun;
use serde_json::Value;
use views::RowKind;

use super::{
    DrawContext,
    board::{Board, SessionActivity},
    prompt::Prompt,
};

/// Number of events after which each kind of entry has just reached the user.
pub(super) const QUESTION: usize = 32;
pub(super) const PERMISSION: usize = 35;
pub(super) const ESCALATION: usize = 38;
pub(super) const GATE: usize = 41;
pub(super) const END: usize = 42;

fn recorded_events(locale: Locale) -> Vec<RecordedEvent> {
    let text = match locale {
        Locale::En => include_str!("tests/shop-en.jsonl"),
        Locale::Ko => include_str!("tests/shop-ko.jsonl"),
    };
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn time_after_log(log: &[RecordedEvent]) -> Timestamp {
    Timestamp(log.last().unwrap().at.0 + 75_000)
}

/// Returns the board after a number of events, built from the rows of a server.
pub(super) fn board_after(locale: Locale, n_events: usize) -> (Board, Timestamp) {
    let log = &recorded_events(locale)[..n_events];
    let mut replayed = ReplayedRun::new("r7k2m9".parse().unwrap());
    log.iter().for_each(|recorded| drop(replayed.apply(recorded)));
    let views = replayed.views();
    let rows = |kind: &RowKind| {
        views.rows().of_kind(*kind).iter().map(|row| serde_json::to_value(row).unwrap()).collect()
    };
    let rows: BTreeMap<String, Vec<Value>> =
        RowKind::ALL.iter().map(|kind| (kind.name().to_owned(), rows(kind))).collect();
    let mut board = Board::default();
    board.put_rows(&rows);
    board.record_activity(
        SessionId(4),
        SessionActivity::Message("I look at the\nold handlers and".to_owned()),
    );
    board.record_activity(SessionId(4), SessionActivity::Message(" rewrite \u{1b}[31mthem".to_owned()));
    board.record_activity(SessionId(5), SessionActivity::Tool("cargo test --doc".to_owned()));
    (board, time_after_log(log))
}

pub(super) fn context_for(locale: Locale, width: usize, height: usize, now: Timestamp) -> DrawContext {
    DrawContext { locale, width, height, now }
}

pub(super) fn refreshed_prompt(board: &Board, locale: Locale) -> Prompt {
    let mut prompt = Prompt::default();
    prompt.refresh(board, locale);
    prompt
}

/// Returns the changes that a server sends for a number of events.
pub(super) fn row_changes_of_events(
    locale: Locale,
    n_events: usize,
) -> Vec<(&'static str, String, Option<Value>)> {
    let mut replayed = ReplayedRun::new("r7k2m9".parse().unwrap());
    let mut changes = Vec::new();
    for recorded in &recorded_events(locale)[..n_events] {
        for change in replayed.apply(recorded) {
            let row = change.row.map(|row| serde_json::to_value(row).unwrap());
            changes.push((change.kind.name(), change.key, row));
        }
    }
    changes
}
