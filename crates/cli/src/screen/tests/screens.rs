//! The screens themselves, and what scrolls up above them.

use domain::Locale;
use serde_json::json;
use unicode_width::UnicodeWidthStr;
use views::{RunState, TaskState};

use super::{END, ESCALATION, GATE, PERMISSION, QUESTION, board, changes, look, prompt};
use crate::screen::{
    board::Board,
    draw::{draw, help, whole},
    history::{history, plain},
    prompt::Key,
};

/// Draws the screen after so many events, framed so that its size can be seen.
fn screen(locale: Locale, n_events: usize, width: usize, height: usize) -> String {
    let (board, now) = board(locale, n_events);
    let picture = draw(look(locale, width, height, now), &board, &prompt(&board, locale));
    let mut lines = vec![format!("{width}x{height}, cursor {:?}", picture.cursor)];
    assert!(picture.lines.len() < height, "{} lines in {height}", picture.lines.len());
    for line in &picture.lines {
        assert!(line.width() <= width, "{} in {width}: {}", line.width(), line.text());
        let blanks = width.saturating_sub(line.text().width());
        lines.push(format!("{}{}|", line.text(), " ".repeat(blanks)));
    }
    lines.join("\n")
}

#[test]
fn a_run_that_waits_for_an_answer() {
    for (locale, name) in [(Locale::En, "en"), (Locale::Ko, "ko")] {
        let sizes = [(80, 24), (120, 40), (40, 24), (40, 12)];
        let screens = sizes.map(|(width, height)| screen(locale, QUESTION, width, height));
        insta::assert_snapshot!(format!("question_{name}"), screens.join("\n\n"));
    }
}

#[test]
fn everything_else_that_waits_for_a_person() {
    for (locale, name) in [(Locale::En, "en"), (Locale::Ko, "ko")] {
        let screens = [PERMISSION, ESCALATION, GATE, END].map(|n| screen(locale, n, 80, 24));
        insta::assert_snapshot!(format!("inbox_{name}"), screens.join("\n\n"));
    }
}

#[test]
fn files_that_two_tasks_change_are_shown_and_go_away() {
    let mut screens = Vec::new();
    for (locale, width, height) in [(Locale::En, 80, 24), (Locale::Ko, 40, 24), (Locale::En, 80, 12)] {
        let (mut board, now) = board(locale, QUESTION);
        let pairs = [("T1.2", "T1.3", 1), ("T1.2", "T1.4", 12), ("T1.3", "T1.4", 1), ("T1.4", "T1.5", 1)];
        for (first, second, n_files) in pairs {
            let files: Vec<String> = (1..=n_files.min(5)).map(|n| format!("src/file-{n}.rs")).collect();
            let row = json!({ "tasks": [first, second], "files": files, "nFiles": n_files, "sinceAt": 1, "changedAt": 1 });
            board.take("overlap", &format!("{first}/{second}"), Some(&row));
        }
        board.take("overlap", "T1.3/T1.4", None);
        let picture = draw(look(locale, width, height, now), &board, &prompt(&board, locale));
        assert!(picture.lines.len() < height);
        let texts: Vec<_> = picture.lines.iter().map(|line| line.text()).collect();
        screens.push(texts.join("\n"));
    }
    insta::assert_snapshot!("overlaps", screens.join("\n\n"));
}

#[test]
fn leaving_asks_what_becomes_of_the_agents() {
    let mut screens = Vec::new();
    for (locale, width) in [(Locale::En, 80), (Locale::Ko, 40)] {
        let (board, now) = board(locale, QUESTION);
        let mut prompt = prompt(&board, locale);
        prompt.press(Key::Interrupt, &board, locale, now);
        let picture = draw(look(locale, width, 24, now), &board, &prompt);
        let texts: Vec<_> = picture.lines.iter().rev().take(4).rev().map(|line| line.text()).collect();
        screens.push(format!("{}\ncursor {:?}", texts.join("\n"), picture.cursor));
    }
    insta::assert_snapshot!("leave", screens.join("\n\n"));
}

#[test]
fn no_size_breaks_the_screen() {
    for locale in [Locale::En, Locale::Ko] {
        for n_events in [1, 10, QUESTION, PERMISSION, ESCALATION, GATE, END] {
            let (board, now) = board(locale, n_events);
            let prompt = prompt(&board, locale);
            for width in (1..50).chain([79, 200]) {
                for height in [1, 2, 3, 5, 8, 13, 24, 60] {
                    let picture = draw(look(locale, width, height, now), &board, &prompt);
                    let is_fit = picture.lines.len() < height.max(2) || n_events == END;
                    assert!(is_fit, "{width}x{height}: {}", picture.lines.len());
                    assert!(picture.lines.iter().all(|line| line.width() <= width), "{width}x{height}");
                    assert!(picture.cursor.0 < picture.lines.len() && picture.cursor.1 < width);
                }
            }
        }
    }
}

#[test]
fn what_scrolls_up_and_what_is_printed_without_a_terminal() {
    let mut texts = Vec::new();
    for locale in [Locale::En, Locale::Ko] {
        let mut board = Board::default();
        let look = look(locale, 80, 24, board_now());
        for (kind, key, row) in changes(locale, END) {
            if let Some(row) = board.take(kind, &key, row.as_ref()) {
                let above = history(look, &board, &row).map(|line| line.text());
                texts.push(format!("{:<60} | {}", above.unwrap_or_default(), plain(&row).text()));
            }
        }
        let (whole_board, _) = super::board(locale, END);
        assert_eq!(board.inbox().len(), whole_board.inbox().len(), "changes make the same board");
        assert_eq!((board.tasks, board.run), (whole_board.tasks, whole_board.run));
        texts.push(String::new());
    }
    insta::assert_snapshot!("history", texts.join("\n"));
}

fn board_now() -> domain::Timestamp {
    board(Locale::En, END).1
}

#[test]
fn all_of_an_entry_and_the_help_can_be_read() {
    let mut texts = Vec::new();
    for locale in [Locale::En, Locale::Ko] {
        let (board, now) = board(locale, QUESTION);
        let look = look(locale, 60, 10, now);
        let entry = prompt(&board, locale).entry(&board, locale, now).unwrap();
        texts.extend(whole(look, &entry).into_iter().chain(help(look)).map(|line| line.text()));
    }
    insta::assert_snapshot!("whole", texts.join("\n"));
}

#[test]
fn a_board_knows_when_only_a_person_can_go_on() {
    let waits = |n_events| board(Locale::En, n_events).0.waits_only_for_person();
    assert!(!waits(QUESTION), "backend still works");
    assert!(!waits(PERMISSION), "the check of T1.3 runs");
    assert!(waits(ESCALATION));
    assert!(waits(GATE));
    assert!(!waits(END), "it is over");
    let (whole, _) = board(Locale::En, END);
    let mut ending = Board::default();
    (ending.run, ending.tasks) = (whole.run, whole.tasks);
    ending.tasks.values_mut().for_each(|task| task.state = TaskState::Done);
    ending.run.as_mut().unwrap().status = RunState::Running;
    assert!(!ending.waits_only_for_person(), "all is done, and it ends by itself");
    ending.run.as_mut().unwrap().status = RunState::Paused;
    assert!(ending.waits_only_for_person());
}
