//! What was typed into a session and comes back as its echo: no words of the agent.

use protocol::{Decoder, Item, Options};

/// How long after it was typed a line can be an echo.
const WINDOW: usize = 64 * 1024;

/// Types something when the output has come so far, and returns the names of what is heard and where.
fn heard_behind(before: &str, typed: &str, output: &str) -> Vec<String> {
    let whole = read(Decoder::new(Options::worker()), before, typed, output, usize::MAX);
    for chunk in [1, 2, 3, 7, 4096] {
        let cut = read(Decoder::new(Options::worker()), before, typed, output, chunk);
        assert_eq!(cut, whole, "in chunks of {chunk}");
    }
    whole.iter().map(describe).collect()
}

fn heard(typed: &str, output: &str) -> Vec<String> {
    heard_behind("", typed, output)
}

fn read(mut decoder: Decoder, before: &str, typed: &str, output: &str, chunk: usize) -> Vec<Item> {
    let mut items = decoder.push(before.as_bytes());
    decoder.expect_echo(typed);
    items.extend(output.as_bytes().chunks(chunk).flat_map(|piece| decoder.push(piece)));
    items.extend(decoder.end_turn());
    items
}

fn describe(item: &Item) -> String {
    let span = item.span();
    let name = match item {
        Item::Message(message) => message.said.name().to_owned(),
        Item::Invalid(invalid) => format!("INVALID {}", invalid.protocol),
        Item::Near(near) => format!("NEAR {}", near.near),
    };
    format!("{name} {}..{} {:?}", span.start, span.end, span.raw)
}

/// Returns so many bytes of lines that mean nothing.
fn chatter(length: usize) -> String {
    let mut text = "some chatter\n".repeat(length / 13);
    let rest = length - text.len();
    if rest > 0 {
        text.push_str(&"x".repeat(rest - 1));
        text.push('\n');
    }
    text
}

#[test]
fn an_equal_line_is_an_echo_once() {
    assert_eq!(heard("DONE:T1.3\n", "DONE:T1.3\r\n"), [""; 0]);
    assert_eq!(heard("DONE:T1.3\n", "DONE:T1.3\r\nDONE:T1.3\r\n"), ["DONE 11..22 \"DONE:T1.3\""]);
}

#[test]
fn what_was_typed_twice_is_an_echo_twice() {
    let output = "DONE:T1.3\nDONE:T1.3\nDONE:T1.3\n";
    assert_eq!(heard("DONE:T1.3\nDONE:T1.3\n", output), ["DONE 20..30 \"DONE:T1.3\""]);
}

#[test]
fn a_line_that_is_not_equal_is_no_echo() {
    assert_eq!(heard("DONE:T1.3", "DONE:T1.4\n"), ["DONE 0..10 \"DONE:T1.4\""]);
    assert_eq!(heard("it is DONE:T1.3", "DONE:T1.3\n"), ["DONE 0..10 \"DONE:T1.3\""]);
}

#[test]
fn an_echo_is_equal_as_it_is_seen() {
    assert_eq!(heard("DONE:T1.3", "\x1b[2mDONE:T\x1b[0m1.3\x1b[K\r\n"), [""; 0]);
    assert_eq!(heard("DONE:T1.3", "DONE:T1.4\x083\r\n"), [""; 0]);
}

#[test]
fn an_echo_begins_within_64_kib() {
    assert_eq!(heard("DONE:T1.3", &(chatter(WINDOW - 1) + "DONE:T1.3\n")), [""; 0]);
    assert_eq!(heard("DONE:T1.3", &(chatter(WINDOW) + "DONE:T1.3\n")), ["DONE 65536..65546 \"DONE:T1.3\""]);
}

#[test]
fn the_64_kib_count_from_where_it_was_typed() {
    let before = chatter(2 * WINDOW);
    assert_eq!(heard_behind(&before, "DONE:T1.3", &(chatter(1000) + "DONE:T1.3\n")), [""; 0]);
    let late = chatter(WINDOW) + "DONE:T1.3\n";
    assert_eq!(heard_behind(&before, "DONE:T1.3", &late), ["DONE 196608..196618 \"DONE:T1.3\""]);
}

#[test]
fn an_echo_is_no_part_of_an_open_body() {
    let before = "[INVOKE:PO]\nPlan it.\n";
    assert_eq!(
        heard_behind(before, "yes, please\n", "yes, please\r\nAnd soon.\n"),
        ["INVOKE 0..44 \"[INVOKE:PO]\\nPlan it.\\nAnd soon.\""]
    );
}

#[test]
fn an_echo_ends_no_open_body() {
    let before = "[INVOKE:PO]\nPlan it.\n";
    assert_eq!(
        heard_behind(before, "[ASK_USER]\nDONE:T1.3\n", "[ASK_USER]\r\nDONE:T1.3\r\nAnd soon.\n"),
        ["INVOKE 0..54 \"[INVOKE:PO]\\nPlan it.\\nAnd soon.\""]
    );
}

#[test]
fn an_echo_breaks_no_open_block() {
    let before = "[ERROR]\ntype: fatal\nmessage: x\n";
    assert_eq!(
        heard_behind(before, "go on\n", "go on\r\nrecovery: notify_user\n[/ERROR]\n"),
        ["ERROR 0..69 \"[ERROR]\\ntype: fatal\\nmessage: x\\nrecovery: notify_user\\n[/ERROR]\""]
    );
}

#[test]
fn an_echo_makes_no_quotation_of_a_fence() {
    assert_eq!(heard_behind("```\nDONE:T1.3\n", "go on\n", "go on\r\n```\n"), ["DONE 4..14 \"DONE:T1.3\""]);
}

#[test]
fn every_line_of_what_was_typed_is_an_echo() {
    let typed = "[ASK_USER]\nquestion: Which?\n\nDONE:T1.3\n";
    assert_eq!(heard(typed, "[ASK_USER]\r\nquestion: Which?\r\n\r\nDONE:T1.3\r\n"), [""; 0]);
}

#[test]
fn what_stands_between_the_lines_of_an_echo_is_heard() {
    assert_eq!(
        heard("DONE:T1.3\nDONE:T1.4\n", "DONE:T1.3\nDONE:T1.5\nDONE:T1.4\n"),
        ["DONE 10..20 \"DONE:T1.5\""]
    );
}

#[test]
fn a_return_ends_a_typed_line_too() {
    assert_eq!(heard("DONE:T1.3\rDONE:T1.4\r", "DONE:T1.3\r\nDONE:T1.4\r\n"), [""; 0]);
}

#[test]
fn an_echo_in_korean_is_one() {
    let typed = "[ASK_USER] 로그인 방식은 뛰어난가요?\n";
    assert_eq!(heard(typed, "[ASK_USER] 로그인 방식은 뛰어난가요?\r\n"), [""; 0]);
    let other = "[ASK_USER] 로그인 방식은 무엇인가요?\r\n";
    assert_eq!(heard(typed, other).len(), 1);
}

#[test]
fn the_rest_of_a_line_that_was_begun_can_be_an_echo() {
    assert_eq!(heard_behind("DO", "DONE:T1.3\n", "NE:T1.3\r\n"), [""; 0]);
}

#[test]
fn blank_lines_that_were_typed_hide_nothing() {
    assert_eq!(heard("\n \r\n\n", "\n\nDONE:T1.3\n\n"), ["DONE 2..12 \"DONE:T1.3\""]);
}

#[test]
fn an_echo_that_does_not_come_hides_nothing() {
    assert_eq!(heard("never said", "DONE:T1.3\nnever\n"), ["DONE 0..10 \"DONE:T1.3\""]);
}

#[test]
fn an_echo_on_a_screen_is_one() {
    let output = "DONE:T1.3\r\nDONE:T1.4\r\n";
    for chunk in [1, 3, usize::MAX] {
        let items = read(Decoder::screen(Options::worker()), "", "DONE:T1.3\n", output, chunk);
        let raws: Vec<&str> = items.iter().map(|item| item.span().raw.as_str()).collect();
        assert_eq!(raws, ["DONE:T1.4"], "in chunks of {chunk}");
    }
}
