//! The decoder's state for drivers: the safe offset, whether the turn may end, whether the output repaints.

use protocol::{DecodedItem, Decoder, DecoderOptions};

const BLOCK: &str = "[ERROR]\ntype: fatal\n";

fn orchestrator_decoder() -> Decoder {
    Decoder::new(DecoderOptions::orchestrator())
}

/// Returns a property of the decoder after an output, and checks that it does not depend on how the output is cut.
fn property_after<A: PartialEq + std::fmt::Debug>(output: &str, property: impl Fn(&Decoder) -> A) -> A {
    let read = |chunk: usize| {
        let mut decoder = orchestrator_decoder();
        output.as_bytes().chunks(chunk).for_each(|piece| drop(decoder.push(piece)));
        property(&decoder)
    };
    let answer = read(usize::MAX);
    for chunk in [1, 2, 3, 4096] {
        assert_eq!(read(chunk), answer, "{output:?} in chunks of {chunk}");
    }
    answer
}

fn safe_offset_after(output: &str) -> u64 {
    property_after(output, Decoder::safe_offset)
}

fn prevents_turn_end_after(output: &str) -> bool {
    property_after(output, Decoder::prevents_turn_end)
}

fn repaints_screen_after(output: &str) -> bool {
    property_after(output, Decoder::repaints_screen)
}

// The safe offset.

#[test]
fn safe_offset_moves_past_text_lines() {
    assert_eq!(safe_offset_after(""), 0);
    assert_eq!(safe_offset_after("one\ntwo\n"), 8);
    assert_eq!(safe_offset_after("one\n\x1b[1mtwo\x1b[0m\r\n"), 17);
}

#[test]
fn safe_offset_stays_at_an_unfinished_line() {
    assert_eq!(safe_offset_after("one\ntwo"), 4);
    assert_eq!(safe_offset_after("one\n\x1b[1"), 4);
    assert_eq!(safe_offset_after(&format!("one\n{}", "x".repeat(100_000))), 4);
}

#[test]
fn safe_offset_stays_at_the_first_line_of_an_open_message() {
    for open in [
        "  [INVOKE:PO]\nPlan it.\n",
        "[STEP_COMPLETE]\n",
        "- [ERROR]\n  type: fatal\n",
        "**=== PHASE 1 COMPLETE ===**\nPhase: Planning\n",
        "TASK_ID:T1.3\nWORKTREE:a\n",
        "Well, [NEED_HUMAN: which\nregion\n",
    ] {
        assert_eq!(safe_offset_after(&format!("one\n{open}")), 4, "{open:?}");
        assert_eq!(safe_offset_after(&format!("one\n{open}and half a li")), 4, "{open:?}");
    }
}

#[test]
fn safe_offset_stays_at_a_tentative_block_tag() {
    assert_eq!(safe_offset_after("one\n[ERROR]\n\n\n"), 4);
    assert_eq!(safe_offset_after("one\n[ERROR]\n\nBuild failed\n"), 26);
}

#[test]
fn safe_offset_stays_at_the_first_line_of_an_open_fence() {
    assert_eq!(safe_offset_after("one\n```\nDONE:T1.3\n"), 4);
    assert_eq!(safe_offset_after("one\n```\nDONE:T1.3\ntext\n"), 4);
    assert_eq!(safe_offset_after("one\n```\nDONE:T1.3\n```\n"), 22);
}

#[test]
fn safe_offset_moves_past_a_complete_message() {
    assert_eq!(safe_offset_after("DONE:T1.3\n"), 10);
    assert_eq!(safe_offset_after("[ASK_USER]\nquestion: x?\n[/ASK_USER]\n"), 36);
    assert_eq!(safe_offset_after("[ASK_USER]\nquestion: x?\n[INVOKE:PO]\n"), 24);
    assert_eq!(safe_offset_after("[NEED_HUMAN: x?] and more\n"), 26);
}

#[test]
fn safe_offset_moves_past_an_ended_turn() {
    for open in [BLOCK, "```\n", "[INVOKE:PO]\nPlan", "[NEED_HUMAN: x", "[ERROR]\n"] {
        let mut decoder = orchestrator_decoder();
        decoder.push(open.as_bytes());
        decoder.end_turn();
        assert_eq!(decoder.safe_offset(), open.len() as u64, "{open:?}");
    }
}

#[test]
fn safe_offset_of_a_screen_is_zero() {
    let mut decoder = Decoder::for_screen(DecoderOptions::worker());
    decoder.push(b"DONE:T1.3\r\n");
    assert!(decoder.end_turn().iter().any(|item| matches!(item, DecodedItem::Message(_))));
    assert_eq!(decoder.safe_offset(), 0);
}

// Whether the turn may end.

#[test]
fn turn_may_end_after_text_and_inside_an_open_tag() {
    for output in [
        "",
        "text\n",
        "half a line",
        "DONE:T1.3\n",
        "[INVOKE:PO]\nPlan it.\n",
        "=== PHASE 1 COMPLETE ===\n",
        "TASK_ID:T1.3\n",
        "[ERROR] Failed to execute goal\n",
    ] {
        assert!(!prevents_turn_end_after(output), "{output:?}");
    }
}

#[test]
fn turn_does_not_end_inside_a_block() {
    assert!(prevents_turn_end_after(BLOCK));
    assert!(prevents_turn_end_after(&format!("{BLOCK}message: x\n\n")));
    assert!(!prevents_turn_end_after(&format!("{BLOCK}[/ERROR]\n")));
}

#[test]
fn turn_does_not_end_inside_a_fence() {
    assert!(prevents_turn_end_after("```\n"));
    assert!(prevents_turn_end_after("~~~text\nDONE:T1.3\n"));
    assert!(prevents_turn_end_after("```\nsome text\n"));
    assert!(!prevents_turn_end_after("```\nDONE:T1.3\n```\n"));
}

#[test]
fn turn_does_not_end_inside_a_fence_of_a_body() {
    assert!(prevents_turn_end_after("[INVOKE:PO]\nWrite\n```\ncode\n"));
    assert!(!prevents_turn_end_after("[INVOKE:PO]\nWrite\n```\ncode\n```\n"));
}

#[test]
fn turn_does_not_end_inside_an_open_bracket() {
    assert!(prevents_turn_end_after("Well, [NEED_HUMAN: which\n"));
    assert!(prevents_turn_end_after("[NEED_HUMAN: which [of\nthem]\n"));
    assert!(!prevents_turn_end_after("[NEED_HUMAN: which\nregion?]\n"));
    assert!(!prevents_turn_end_after("[NEED_HUMAN: which\n\n"));
}

#[test]
fn question_bracket_is_text_for_a_worker() {
    let mut decoder = Decoder::new(DecoderOptions::worker());
    decoder.push(b"[NEED_HUMAN: which\n");
    assert!(!decoder.prevents_turn_end());
}

// Whether the output repaints.

#[test]
fn moving_up_repaints() {
    for sequence in ["\x1b[A", "\x1b[3A", "\x1b[2F", "\x1bM", "\x1b[H", "\x1b[1;1H", "\x1b[2;5f", "\u{9b}2A"]
    {
        assert!(repaints_screen_after(&format!("{sequence}text\n")), "{sequence:?}");
    }
}

#[test]
fn switching_screens_repaints() {
    for sequence in ["\x1b[?1049h", "\x1b[?1049l", "\x1b[?1047h", "\x1b[?47h"] {
        assert!(repaints_screen_after(&format!("{sequence}text\n")), "{sequence:?}");
    }
}

#[test]
fn editing_a_line_does_not_repaint() {
    for output in [
        "text\n",
        "\x1b[1;31mred\x1b[0m\n",
        "\r⠋ 12%\x1b[K\r\x1b[2Kdone\n",
        "a\x1b[5Gb\x1b[2Cc\x1b[Dd\x1b[P\x1b[@\x1b[X\x1b[J\n",
        "\x1b[?25l\x1b[?2004h\x1b]0;title\x07text\x1b[?25h\n",
        "a [A bracket and ?1049h\n",
    ] {
        assert!(!repaints_screen_after(output), "{output:?}");
    }
}

#[test]
fn repaint_is_detected_anywhere() {
    for (before, after) in [
        ("", "text\n"),
        ("text ", "\n"),
        ("\x1b[32mtext ", " text\x1b[0m\n"),
        ("spinner\r", "\rspinner\n"),
        ("DONE:T1.3", "\n"),
        ("[INVOKE:PO]\nPlan", "\n"),
        ("```\ncode\n", "more code\n"),
        ("```\nDONE:T1.3\n", "DONE:T1.4\n"),
    ] {
        assert!(repaints_screen_after(&format!("{before}\x1b[A{after}")), "{before:?}");
        assert!(!repaints_screen_after(&format!("{before}{after}")), "{before:?}");
    }
    let long = "x".repeat(100_000);
    assert!(repaints_screen_after(&format!("{long}\x1b[A{long}\n")));
}

#[test]
fn detected_repaint_survives_the_end_of_a_turn() {
    let mut decoder = orchestrator_decoder();
    decoder.push(b"\x1b[A\ntext\n");
    decoder.end_turn();
    decoder.push(b"text\n");
    assert!(decoder.repaints_screen());
}

#[test]
fn screen_mode_does_not_report_repaints() {
    let mut decoder = Decoder::for_screen(DecoderOptions::worker());
    decoder.push(b"\x1b[?1049h\x1b[2Jtext\r\n");
    assert!(!decoder.repaints_screen());
}
