//! The decoder's state for drivers: the safe offset, whether the turn may end, whether the output repaints.

use protocol::{DecodedItem, Decoder, DecoderOptions};

const BLOCK: &str = "[ERROR]\ntype: fatal\n";

fn orchestrator() -> Decoder {
    Decoder::new(DecoderOptions::orchestrator())
}

/// Returns a property of the decoder after an output, and checks that it does not depend on how the output is cut.
fn after<A: PartialEq + std::fmt::Debug>(output: &str, property: impl Fn(&Decoder) -> A) -> A {
    let read = |chunk: usize| {
        let mut decoder = orchestrator();
        output.as_bytes().chunks(chunk).for_each(|piece| drop(decoder.push(piece)));
        property(&decoder)
    };
    let answer = read(usize::MAX);
    for chunk in [1, 2, 3, 4096] {
        assert_eq!(read(chunk), answer, "{output:?} in chunks of {chunk}");
    }
    answer
}

fn safe_offset(output: &str) -> u64 {
    after(output, Decoder::safe_offset)
}

fn prevents_turn_end(output: &str) -> bool {
    after(output, Decoder::prevents_turn_end)
}

fn repaints(output: &str) -> bool {
    after(output, Decoder::repaints)
}

// The safe offset.

#[test]
fn text_lines_are_not_needed_again() {
    assert_eq!(safe_offset(""), 0);
    assert_eq!(safe_offset("one\ntwo\n"), 8);
    assert_eq!(safe_offset("one\n\x1b[1mtwo\x1b[0m\r\n"), 17);
}

#[test]
fn unfinished_line_is_needed_from_its_first_byte() {
    assert_eq!(safe_offset("one\ntwo"), 4);
    assert_eq!(safe_offset("one\n\x1b[1"), 4);
    assert_eq!(safe_offset(&format!("one\n{}", "x".repeat(100_000))), 4);
}

#[test]
fn open_message_is_needed_from_its_first_line() {
    for open in [
        "  [INVOKE:PO]\nPlan it.\n",
        "[STEP_COMPLETE]\n",
        "- [ERROR]\n  type: fatal\n",
        "**=== PHASE 1 COMPLETE ===**\nPhase: Planning\n",
        "TASK_ID:T1.3\nWORKTREE:a\n",
        "Well, [NEED_HUMAN: which\nregion\n",
    ] {
        assert_eq!(safe_offset(&format!("one\n{open}")), 4, "{open:?}");
        assert_eq!(safe_offset(&format!("one\n{open}and half a li")), 4, "{open:?}");
    }
}

#[test]
fn tentative_block_tag_is_needed() {
    assert_eq!(safe_offset("one\n[ERROR]\n\n\n"), 4);
    assert_eq!(safe_offset("one\n[ERROR]\n\nBuild failed\n"), 26);
}

#[test]
fn fence_is_needed_from_its_first_line() {
    assert_eq!(safe_offset("one\n```\nDONE:T1.3\n"), 4);
    assert_eq!(safe_offset("one\n```\nDONE:T1.3\ntext\n"), 4);
    assert_eq!(safe_offset("one\n```\nDONE:T1.3\n```\n"), 22);
}

#[test]
fn complete_message_is_not_needed_again() {
    assert_eq!(safe_offset("DONE:T1.3\n"), 10);
    assert_eq!(safe_offset("[ASK_USER]\nquestion: x?\n[/ASK_USER]\n"), 36);
    assert_eq!(safe_offset("[ASK_USER]\nquestion: x?\n[INVOKE:PO]\n"), 24);
    assert_eq!(safe_offset("[NEED_HUMAN: x?] and more\n"), 26);
}

#[test]
fn ended_turn_is_not_needed_again() {
    for open in [BLOCK, "```\n", "[INVOKE:PO]\nPlan", "[NEED_HUMAN: x", "[ERROR]\n"] {
        let mut decoder = orchestrator();
        decoder.push(open.as_bytes());
        decoder.end_turn();
        assert_eq!(decoder.safe_offset(), open.len() as u64, "{open:?}");
    }
}

#[test]
fn screen_needs_all_output() {
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
        assert!(!prevents_turn_end(output), "{output:?}");
    }
}

#[test]
fn turn_does_not_end_inside_a_block() {
    assert!(prevents_turn_end(BLOCK));
    assert!(prevents_turn_end(&format!("{BLOCK}message: x\n\n")));
    assert!(!prevents_turn_end(&format!("{BLOCK}[/ERROR]\n")));
}

#[test]
fn turn_does_not_end_inside_a_fence() {
    assert!(prevents_turn_end("```\n"));
    assert!(prevents_turn_end("~~~text\nDONE:T1.3\n"));
    assert!(prevents_turn_end("```\nsome text\n"));
    assert!(!prevents_turn_end("```\nDONE:T1.3\n```\n"));
}

#[test]
fn turn_does_not_end_inside_a_fence_of_a_body() {
    assert!(prevents_turn_end("[INVOKE:PO]\nWrite\n```\ncode\n"));
    assert!(!prevents_turn_end("[INVOKE:PO]\nWrite\n```\ncode\n```\n"));
}

#[test]
fn turn_does_not_end_inside_an_open_bracket() {
    assert!(prevents_turn_end("Well, [NEED_HUMAN: which\n"));
    assert!(prevents_turn_end("[NEED_HUMAN: which [of\nthem]\n"));
    assert!(!prevents_turn_end("[NEED_HUMAN: which\nregion?]\n"));
    assert!(!prevents_turn_end("[NEED_HUMAN: which\n\n"));
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
        assert!(repaints(&format!("{sequence}text\n")), "{sequence:?}");
    }
}

#[test]
fn switching_screens_repaints() {
    for sequence in ["\x1b[?1049h", "\x1b[?1049l", "\x1b[?1047h", "\x1b[?47h"] {
        assert!(repaints(&format!("{sequence}text\n")), "{sequence:?}");
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
        assert!(!repaints(output), "{output:?}");
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
        assert!(repaints(&format!("{before}\x1b[A{after}")), "{before:?}");
        assert!(!repaints(&format!("{before}{after}")), "{before:?}");
    }
    let long = "x".repeat(100_000);
    assert!(repaints(&format!("{long}\x1b[A{long}\n")));
}

#[test]
fn repaints_stays_set() {
    let mut decoder = orchestrator();
    decoder.push(b"\x1b[A\ntext\n");
    decoder.end_turn();
    decoder.push(b"text\n");
    assert!(decoder.repaints());
}

#[test]
fn screen_mode_does_not_report_repaints() {
    let mut decoder = Decoder::for_screen(DecoderOptions::worker());
    decoder.push(b"\x1b[?1049h\x1b[2Jtext\r\n");
    assert!(!decoder.repaints());
}
