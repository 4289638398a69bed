//! What a person types, and what it means.

use domain::Locale;

use super::{END, ESCALATION, GATE, PERMISSION, QUESTION, board, prompt};
use crate::screen::prompt::{Deed, Key, Keys, Mode};

/// Types lines, and says what each of them means.
fn typed(n_events: usize, lines: &[&str]) -> Vec<String> {
    let (board, now) = board(Locale::En, n_events);
    let mut prompt = prompt(&board, Locale::En);
    let mut meant = Vec::new();
    for line in lines {
        let mut keys = Keys::default().push(line.as_bytes());
        keys.push(Key::Enter);
        let mut deed = Deed::Nothing;
        for key in keys {
            deed = prompt.press(key, &board, Locale::En, now);
        }
        let said = match deed {
            Deed::Wish(command, _) => serde_json::to_string(&command).unwrap(),
            Deed::Nothing => match (&prompt.notice, prompt.mode, prompt.entry(&board, Locale::En, now)) {
                (Some(notice), ..) => format!("! {notice}"),
                (None, Mode::Open, Some(entry)) => format!("at {}", entry.item),
                (None, mode, _) => format!("{mode:?}"),
            },
            other => format!("{other:?}"),
        };
        meant.push(format!("{line:<16} {said}"));
    }
    meant
}

#[test]
fn what_is_typed_means_what_the_screen_offers() {
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
        ("a run that is over", END, &["n"]),
        ("nothing", 5, &["how is it going?", "", "1", "/chat 1", "q"]),
    ];
    let texts = all.map(|(name, n_events, lines)| format!("{name}\n{}", typed(n_events, lines).join("\n")));
    insta::assert_snapshot!("typed", texts.join("\n\n"));
}

#[test]
fn an_entry_never_changes_under_the_fingers() {
    let (before, now) = board(Locale::En, QUESTION);
    let (after, _) = board(Locale::En, GATE);
    let mut prompt = prompt(&before, Locale::En);
    let shown = prompt.entry(&before, Locale::En, now).unwrap().item;
    prompt.look(&after, Locale::En);
    assert_ne!(after.inbox()[0].item, shown, "something more urgent is there");
    assert_eq!(prompt.entry(&after, Locale::En, now).unwrap().item, shown);
}

#[test]
fn a_line_goes_with_the_entry_that_it_was_about() {
    let (before, now) = board(Locale::En, QUESTION);
    let (without, _) = board(Locale::En, 5);
    let mut prompt = prompt(&before, Locale::En);
    for key in Keys::default().push(b"Str") {
        prompt.press(key, &before, Locale::En, now);
    }
    prompt.look(&without, Locale::En);
    assert!(prompt.typed.is_empty());
    assert_eq!(prompt.notice.as_deref(), Some("q_1 is settled meanwhile"));
}

#[test]
fn leaving_can_be_taken_back() {
    let (board, now) = board(Locale::En, QUESTION);
    let check = |bytes: &[u8], expected: Deed| {
        let mut prompt = prompt(&board, Locale::En);
        let mut deed = Deed::Nothing;
        for key in Keys::default().push(bytes) {
            deed = prompt.press(key, &board, Locale::En, now);
        }
        assert_eq!(deed, expected, "{bytes:?}");
    };
    check(b"\x03\x03", Deed::LeaveWorking);
    check(b"\x031", Deed::LeaveWorking);
    check(b"q\r2", Deed::StopAgents);
    check(b"\x042", Deed::StopAgents);
    check(b"\x033", Deed::Nothing);
    check(b"\x03x", Deed::Nothing);
}

#[test]
fn a_refused_line_comes_back() {
    let (board, _) = board(Locale::En, QUESTION);
    let mut prompt = prompt(&board, Locale::En);
    prompt.refused("Strip", "q_1 is answered already".to_owned());
    assert_eq!(prompt.typed.window(40).0, "Strip");
    assert!(prompt.notice.is_some());
}
