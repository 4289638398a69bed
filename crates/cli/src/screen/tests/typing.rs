//! Tests of the input line.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]

use domain::{InboxAction, Locale};

use super::{END, ESCALATION, GATE, PERMISSION, QUESTION, board_after, refreshed_prompt};
use crate::screen::{
    entry::{FreeInput, entry},
    prompt::{Key, KeyReader, PromptAction, PromptMode},
};

/// Types lines, and describes the effect of each.
fn effects_of_typed_lines(n_events: usize, lines: &[&str]) -> Vec<String> {
    let (board, now) = board_after(Locale::En, n_events);
    let mut prompt = refreshed_prompt(&board, Locale::En);
    let mut effects = Vec::new();
    for line in lines {
        let mut keys = KeyReader::default().push(line.as_bytes());
        keys.push(Key::Enter);
        let mut action = PromptAction::Nothing;
        for key in keys {
            action = prompt.press(key, &board, Locale::En, now);
        }
        let effect = match action {
            PromptAction::Send(command, _) => serde_json::to_string(&command).unwrap(),
            PromptAction::Nothing => {
                match (&prompt.notice, prompt.mode, prompt.entry(&board, Locale::En, now)) {
                    (Some(notice), ..) => format!("! {notice}"),
                    (None, PromptMode::Open, Some(entry)) => format!("at {}", entry.item),
                    (None, mode, _) => format!("{mode:?}"),
                }
            }
            other => format!("{other:?}"),
        };
        effects.push(format!("{line:<16} {effect}"));
    }
    effects
}

#[test]
fn input_selects_what_the_screen_offers() {
    let all = [
        (
            "a question",
            QUESTION,
            &["2", "Toss", "4", "", "2 weeks", "=2", "none of these", "/ask why?", "/chat hello", "v", "?"][..],
        ),
        ("the next entry", QUESTION, &["n", "n", "1", "no key here", "n", "q"]),
        ("a permission", PERMISSION, &["1", "2", "3", "4", "5", "6", "yes"]),
        ("an escalation", ESCALATION, &["1", "1 look at the docs", "3 fine", "5", "fine"]),
        ("a gate", GATE, &["1", "1 well done", "y", "2", "the tests are missing", "2 no tests", "n because"]),
        ("an ended run", END, &["n"]),
        ("nothing", 5, &["how is it going?", "", "1", "/chat 1", "q"]),
    ];
    let texts = all.map(|(name, n_events, lines)| {
        format!("{name}\n{}", effects_of_typed_lines(n_events, lines).join("\n"))
    });
    insta::assert_snapshot!("typed", texts.join("\n\n"));
}

#[test]
fn the_entry_does_not_change_while_the_user_types() {
    let (before, now) = board_after(Locale::En, QUESTION);
    let (after, _) = board_after(Locale::En, GATE);
    let mut prompt = refreshed_prompt(&before, Locale::En);
    let shown = prompt.entry(&before, Locale::En, now).unwrap().item;
    prompt.refresh(&after, Locale::En);
    assert_ne!(after.inbox()[0].item, shown, "a more urgent entry arrived");
    assert_eq!(prompt.entry(&after, Locale::En, now).unwrap().item, shown);
}

#[test]
fn the_line_is_cleared_when_its_entry_is_settled() {
    let (before, now) = board_after(Locale::En, QUESTION);
    let (without, _) = board_after(Locale::En, 5);
    let mut prompt = refreshed_prompt(&before, Locale::En);
    for key in KeyReader::default().push(b"Str") {
        prompt.press(key, &before, Locale::En, now);
    }
    prompt.refresh(&without, Locale::En);
    assert!(prompt.line.is_empty());
    assert_eq!(prompt.notice.as_deref(), Some("q_1 was settled in the meantime"));
}

#[test]
fn leaving_can_be_cancelled() {
    let (board, now) = board_after(Locale::En, QUESTION);
    let check = |bytes: &[u8], expected: PromptAction| {
        let mut prompt = refreshed_prompt(&board, Locale::En);
        let mut action = PromptAction::Nothing;
        for key in KeyReader::default().push(bytes) {
            action = prompt.press(key, &board, Locale::En, now);
        }
        assert_eq!(action, expected, "{bytes:?}");
    };
    check(b"\x03\x03", PromptAction::KeepSessions);
    check(b"\x031", PromptAction::KeepSessions);
    check(b"q\r2", PromptAction::StopAgents);
    check(b"\x042", PromptAction::StopAgents);
    check(b"\x033", PromptAction::Nothing);
    check(b"\x03x", PromptAction::Nothing);
}

#[test]
fn a_refused_line_is_restored() {
    let (board, _) = board_after(Locale::En, QUESTION);
    let mut prompt = refreshed_prompt(&board, Locale::En);
    prompt.restore_refused("Strip", "q_1 is already answered".to_owned());
    assert_eq!(prompt.line.window(40).0, "Strip");
    assert!(prompt.notice.is_some());
}

#[test]
fn an_entry_offers_only_what_its_row_allows() {
    let offered = |n_events: usize, is_allowed: fn(&InboxAction) -> bool| {
        let (board, now) = board_after(Locale::En, n_events);
        let mut row = board.inbox()[0].clone();
        row.actions.retain(is_allowed);
        let entry = entry(&board, Locale::En, now, &row).unwrap();
        let labels: Vec<String> = entry.choices.into_iter().map(|choice| choice.label).collect();
        (labels.join(", "), entry.free != FreeInput::Nothing, entry.is_yes_or_no)
    };
    let (all, has_free_input, _) = offered(QUESTION, |_| true);
    assert!(!all.is_empty() && has_free_input, "{all}");
    assert_eq!(offered(QUESTION, |action| *action != InboxAction::Answer), (String::new(), false, false));
    let approve_only = offered(GATE, |action| *action == InboxAction::Approve);
    // Without the second choice, `n` must not select anything.
    assert_eq!(approve_only, ("approve".to_owned(), false, false));
    assert!(offered(GATE, |_| true).2);
}
