//! Tests of the screens and of the lines above them.

use domain::{Actor, BlockReason, Locale};
use serde_json::json;
use unicode_width::UnicodeWidthStr;
use views::{ResponsibleParty, TaskBlocker, TaskState};

use super::{
    END, ESCALATION, GATE, PERMISSION, QUESTION, board_after, context_for, refreshed_prompt,
    row_changes_of_events,
};
use crate::screen::{
    board::Board,
    draw::{draw, full_entry_lines, help},
    history::{history_line, plain_line},
    prompt::Key,
};

/// Draws the screen after a number of events, with a border that shows its size.
fn drawn_screen(locale: Locale, n_events: usize, width: usize, height: usize) -> String {
    let (board, now) = board_after(locale, n_events);
    let frame = draw(context_for(locale, width, height, now), &board, &refreshed_prompt(&board, locale));
    let mut lines = vec![format!("{width}x{height}, cursor {:?}", frame.cursor)];
    assert!(frame.lines.len() < height, "{} lines in {height}", frame.lines.len());
    for line in &frame.lines {
        assert!(line.width() <= width, "{} in {width}: {}", line.width(), line.text());
        let blanks = width.saturating_sub(line.text().width());
        lines.push(format!("{}{}|", line.text(), " ".repeat(blanks)));
    }
    lines.join("\n")
}

#[test]
fn a_question_is_shown_at_all_sizes() {
    for (locale, name) in [(Locale::En, "en"), (Locale::Ko, "ko")] {
        let sizes = [(80, 24), (120, 40), (40, 24), (40, 12)];
        let screens = sizes.map(|(width, height)| drawn_screen(locale, QUESTION, width, height));
        insta::assert_snapshot!(format!("question_{name}"), screens.join("\n\n"));
    }
}

#[test]
fn permission_escalation_and_gate_entries_are_shown() {
    for (locale, name) in [(Locale::En, "en"), (Locale::Ko, "ko")] {
        let screens = [PERMISSION, ESCALATION, GATE, END].map(|n| drawn_screen(locale, n, 80, 24));
        insta::assert_snapshot!(format!("inbox_{name}"), screens.join("\n\n"));
    }
}

#[test]
fn overlaps_are_shown_until_they_are_resolved() {
    let mut screens = Vec::new();
    for (locale, width, height) in [(Locale::En, 80, 24), (Locale::Ko, 40, 24), (Locale::En, 80, 12)] {
        let (mut board, now) = board_after(locale, QUESTION);
        let pairs = [("T1.2", "T1.3", 1), ("T1.2", "T1.4", 12), ("T1.3", "T1.4", 1), ("T1.4", "T1.5", 1)];
        for (first, second, n_files) in pairs {
            let files: Vec<String> = (1..=n_files.min(5)).map(|n| format!("src/file-{n}.rs")).collect();
            let row = json!({ "tasks": [first, second], "files": files, "nFiles": n_files, "sinceAt": 1, "changedAt": 1 });
            board.apply_change("overlap", &format!("{first}/{second}"), Some(&row));
        }
        board.apply_change("overlap", "T1.3/T1.4", None);
        let frame = draw(context_for(locale, width, height, now), &board, &refreshed_prompt(&board, locale));
        assert!(frame.lines.len() < height);
        let texts: Vec<_> = frame.lines.iter().map(|line| line.text()).collect();
        screens.push(texts.join("\n"));
    }
    insta::assert_snapshot!("overlaps", screens.join("\n\n"));
}

#[test]
fn leaving_asks_whether_agents_keep_working() {
    let mut screens = Vec::new();
    for (locale, width) in [(Locale::En, 80), (Locale::Ko, 40)] {
        let (board, now) = board_after(locale, QUESTION);
        let mut prompt = refreshed_prompt(&board, locale);
        prompt.press(Key::Interrupt, &board, locale, now);
        let frame = draw(context_for(locale, width, 24, now), &board, &prompt);
        let texts: Vec<_> = frame.lines.iter().rev().take(4).rev().map(|line| line.text()).collect();
        screens.push(format!("{}\ncursor {:?}", texts.join("\n"), frame.cursor));
    }
    insta::assert_snapshot!("leave", screens.join("\n\n"));
}

#[test]
fn the_screen_fits_every_size() {
    for locale in [Locale::En, Locale::Ko] {
        for n_events in [1, 10, QUESTION, PERMISSION, ESCALATION, GATE, END] {
            let (board, now) = board_after(locale, n_events);
            let prompt = refreshed_prompt(&board, locale);
            for width in (1..50).chain([79, 200]) {
                for height in [1, 2, 3, 5, 8, 13, 24, 60] {
                    let frame = draw(context_for(locale, width, height, now), &board, &prompt);
                    let is_fit = frame.lines.len() < height.max(2) || n_events == END;
                    assert!(is_fit, "{width}x{height}: {}", frame.lines.len());
                    assert!(frame.lines.iter().all(|line| line.width() <= width), "{width}x{height}");
                    assert!(frame.cursor.0 < frame.lines.len() && frame.cursor.1 < width);
                }
            }
        }
    }
}

#[test]
fn events_are_shown_above_the_screen_and_as_plain_lines() {
    let mut texts = Vec::new();
    for locale in [Locale::En, Locale::Ko] {
        let mut board = Board::default();
        let context = context_for(locale, 80, 24, time_after_full_log());
        for (kind, key, row) in row_changes_of_events(locale, END) {
            if let Some(row) = board.apply_change(kind, &key, row.as_ref()) {
                let above = history_line(context, &board, &row).map(|line| line.text()).unwrap_or_default();
                let plain = plain_line(locale, &board, &row).map(|line| line.text()).unwrap_or_default();
                if !(above.is_empty() && plain.is_empty()) {
                    texts.push(format!("{above:<60} | {plain}"));
                }
            }
        }
        let (loaded, _) = super::board_after(locale, END);
        assert_eq!(board.inbox().len(), loaded.inbox().len(), "changes build the same board");
        assert_eq!((board.tasks, board.run), (loaded.tasks, loaded.run));
        texts.push(String::new());
    }
    insta::assert_snapshot!("history", texts.join("\n"));
}

fn time_after_full_log() -> domain::Timestamp {
    board_after(Locale::En, END).1
}

#[test]
fn full_entry_and_help_are_shown() {
    let mut texts = Vec::new();
    for locale in [Locale::En, Locale::Ko] {
        let (board, now) = board_after(locale, QUESTION);
        let context = context_for(locale, 60, 10, now);
        let entry = refreshed_prompt(&board, locale).entry(&board, locale, now).unwrap();
        texts.extend(
            full_entry_lines(context, &entry).into_iter().chain(help(context)).map(|line| line.text()),
        );
    }
    insta::assert_snapshot!("full_entry", texts.join("\n"));
}

#[test]
fn a_task_that_the_user_paused_does_not_wait_for_the_user() {
    for (locale, paused, waiting) in
        [(Locale::En, "paused", "waiting for you"), (Locale::Ko, "일시 정지", "내 확인 대기")]
    {
        let (mut board, now) = board_after(locale, QUESTION);
        let (id, task) = board.tasks.iter_mut().find(|(_, task)| task.state == TaskState::Running).unwrap();
        let id = id.clone();
        task.state = TaskState::Blocked;
        let reason = BlockReason::Paused { by: Actor::Person("ana".to_owned()) };
        task.blocked = vec![TaskBlocker { reason, on: ResponsibleParty::Person, since_at: now }];
        let frame = draw(context_for(locale, 100, 40, now), &board, &refreshed_prompt(&board, locale));
        let line = frame.lines.iter().map(|line| line.text()).find(|line| line.contains(&id.to_string()));
        let line = line.unwrap();
        assert!(line.contains(paused) && !line.contains(waiting), "{line}");
    }
}
