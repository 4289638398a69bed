//! Screens of a run, at the sizes that people have.

mod screens;
mod typing;

use std::collections::BTreeMap;

use domain::{Locale, RecordedEvent, SessionId, Timestamp};
use serde_json::Value;
use views::{Kind, Views};

use super::{
    Look,
    board::{Board, Seen},
    prompt::Prompt,
};

/// How many events there are when each thing has just reached the person.
pub const QUESTION: usize = 32;
pub const PERMISSION: usize = 35;
pub const ESCALATION: usize = 38;
pub const GATE: usize = 41;
pub const END: usize = 42;

fn log(locale: Locale) -> Vec<RecordedEvent> {
    let text = match locale {
        Locale::En => include_str!("tests/shop-en.jsonl"),
        Locale::Ko => include_str!("tests/shop-ko.jsonl"),
    };
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn now(log: &[RecordedEvent]) -> Timestamp {
    Timestamp(log.last().unwrap().at.0 + 75_000)
}

/// Returns the board after so many events, as the rows of a server make it.
pub fn board(locale: Locale, n_events: usize) -> (Board, Timestamp) {
    let log = &log(locale)[..n_events];
    let mut views = Views::new("r7k2m9".parse().unwrap());
    log.iter().for_each(|recorded| drop(views.apply(recorded)));
    let rows =
        |kind: &Kind| views.rows().of(*kind).iter().map(|row| serde_json::to_value(row).unwrap()).collect();
    let rows: BTreeMap<String, Vec<Value>> =
        Kind::ALL.iter().map(|kind| (kind.name().to_owned(), rows(kind))).collect();
    let mut board = Board::default();
    board.fill(&rows);
    board.see(SessionId(4), Seen::Words("I look at the\nold handlers and".to_owned()));
    board.see(SessionId(4), Seen::Words(" rewrite \u{1b}[31mthem".to_owned()));
    board.see(SessionId(5), Seen::Tool("cargo test --doc".to_owned()));
    (board, now(log))
}

pub fn look(locale: Locale, width: usize, height: usize, now: Timestamp) -> Look {
    Look { locale, width, height, now }
}

pub fn prompt(board: &Board, locale: Locale) -> Prompt {
    let mut prompt = Prompt::default();
    prompt.look(board, locale);
    prompt
}

/// Returns the changes that a server sends for so many events.
pub fn changes(locale: Locale, n_events: usize) -> Vec<(&'static str, String, Option<Value>)> {
    let mut views = Views::new("r7k2m9".parse().unwrap());
    let mut changes = Vec::new();
    for recorded in &log(locale)[..n_events] {
        for change in views.apply(recorded) {
            let row = change.row.map(|row| serde_json::to_value(row).unwrap());
            changes.push((change.kind.name(), change.key, row));
        }
    }
    changes
}
