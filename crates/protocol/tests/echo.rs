//! Echoes of typed input are not output of the agent.

use protocol::{DecodedItem, Decoder, DecoderOptions};

/// The number of bytes after typed input in which a line can be its echo.
const WINDOW: usize = 64 * 1024;

/// Decodes `before`, registers typed input, and describes the items of the whole output.
fn decode_around_input(before: &str, typed: &str, output: &str) -> Vec<String> {
    let whole = decode_in_chunks(Decoder::new(DecoderOptions::worker()), before, typed, output, usize::MAX);
    for chunk in [1, 2, 3, 7, 4096] {
        let cut = decode_in_chunks(Decoder::new(DecoderOptions::worker()), before, typed, output, chunk);
        assert_eq!(cut, whole, "in chunks of {chunk}");
    }
    whole.iter().map(describe_item).collect()
}

fn decode_after_input(typed: &str, output: &str) -> Vec<String> {
    decode_around_input("", typed, output)
}

fn decode_in_chunks(
    mut decoder: Decoder,
    before: &str,
    typed: &str,
    output: &str,
    chunk: usize,
) -> Vec<DecodedItem> {
    let mut items = decoder.push(before.as_bytes());
    decoder.expect_echo(typed);
    items.extend(output.as_bytes().chunks(chunk).flat_map(|piece| decoder.push(piece)));
    items.extend(decoder.end_turn());
    items
}

fn describe_item(item: &DecodedItem) -> String {
    let span = item.span();
    let name = match item {
        DecodedItem::Message(decoded) => decoded.message.name().to_owned(),
        DecodedItem::Invalid(invalid) => format!("INVALID {}", invalid.message_name),
        DecodedItem::NearMiss(near_miss) => format!("NEAR {}", near_miss.message_name),
    };
    format!("{name} {}..{} {:?}", span.start, span.end, span.raw)
}

/// Returns `length` bytes of text lines.
fn filler(length: usize) -> String {
    let mut text = "some chatter\n".repeat(length / 13);
    let rest = length - text.len();
    if rest > 0 {
        text.push_str(&"x".repeat(rest - 1));
        text.push('\n');
    }
    text
}

#[test]
fn equal_line_is_an_echo_once() {
    assert_eq!(decode_after_input("DONE:T1.3\n", "DONE:T1.3\r\n"), [""; 0]);
    assert_eq!(
        decode_after_input("DONE:T1.3\n", "DONE:T1.3\r\nDONE:T1.3\r\n"),
        ["DONE 11..22 \"DONE:T1.3\""]
    );
}

#[test]
fn input_typed_twice_is_an_echo_twice() {
    let output = "DONE:T1.3\nDONE:T1.3\nDONE:T1.3\n";
    assert_eq!(decode_after_input("DONE:T1.3\nDONE:T1.3\n", output), ["DONE 20..30 \"DONE:T1.3\""]);
}

#[test]
fn different_line_is_not_an_echo() {
    assert_eq!(decode_after_input("DONE:T1.3", "DONE:T1.4\n"), ["DONE 0..10 \"DONE:T1.4\""]);
    assert_eq!(decode_after_input("it is DONE:T1.3", "DONE:T1.3\n"), ["DONE 0..10 \"DONE:T1.3\""]);
}

#[test]
fn echo_is_compared_as_rendered_text() {
    assert_eq!(decode_after_input("DONE:T1.3", "\x1b[2mDONE:T\x1b[0m1.3\x1b[K\r\n"), [""; 0]);
    assert_eq!(decode_after_input("DONE:T1.3", "DONE:T1.4\x083\r\n"), [""; 0]);
}

#[test]
fn echo_begins_within_64_kib() {
    assert_eq!(decode_after_input("DONE:T1.3", &(filler(WINDOW - 1) + "DONE:T1.3\n")), [""; 0]);
    assert_eq!(
        decode_after_input("DONE:T1.3", &(filler(WINDOW) + "DONE:T1.3\n")),
        ["DONE 65536..65546 \"DONE:T1.3\""]
    );
}

#[test]
fn echo_window_starts_where_the_input_was_typed() {
    let before = filler(2 * WINDOW);
    assert_eq!(decode_around_input(&before, "DONE:T1.3", &(filler(1000) + "DONE:T1.3\n")), [""; 0]);
    let late = filler(WINDOW) + "DONE:T1.3\n";
    assert_eq!(decode_around_input(&before, "DONE:T1.3", &late), ["DONE 196608..196618 \"DONE:T1.3\""]);
}

#[test]
fn echo_is_not_part_of_an_open_body() {
    let before = "[INVOKE:PO]\nPlan it.\n";
    assert_eq!(
        decode_around_input(before, "yes, please\n", "yes, please\r\nAnd soon.\n"),
        ["INVOKE 0..44 \"[INVOKE:PO]\\nPlan it.\\nAnd soon.\""]
    );
}

#[test]
fn echo_does_not_end_an_open_body() {
    let before = "[INVOKE:PO]\nPlan it.\n";
    assert_eq!(
        decode_around_input(before, "[ASK_USER]\nDONE:T1.3\n", "[ASK_USER]\r\nDONE:T1.3\r\nAnd soon.\n"),
        ["INVOKE 0..54 \"[INVOKE:PO]\\nPlan it.\\nAnd soon.\""]
    );
}

#[test]
fn echo_does_not_break_an_open_block() {
    let before = "[ERROR]\ntype: fatal\nmessage: x\n";
    assert_eq!(
        decode_around_input(before, "go on\n", "go on\r\nrecovery: notify_user\n[/ERROR]\n"),
        ["ERROR 0..69 \"[ERROR]\\ntype: fatal\\nmessage: x\\nrecovery: notify_user\\n[/ERROR]\""]
    );
}

#[test]
fn echo_does_not_make_a_fence_a_quotation() {
    assert_eq!(
        decode_around_input("```\nDONE:T1.3\n", "go on\n", "go on\r\n```\n"),
        ["DONE 4..14 \"DONE:T1.3\""]
    );
}

#[test]
fn every_typed_line_is_an_echo() {
    let typed = "[ASK_USER]\nquestion: Which?\n\nDONE:T1.3\n";
    assert_eq!(decode_after_input(typed, "[ASK_USER]\r\nquestion: Which?\r\n\r\nDONE:T1.3\r\n"), [""; 0]);
}

#[test]
fn message_between_echo_lines_is_decoded() {
    assert_eq!(
        decode_after_input("DONE:T1.3\nDONE:T1.4\n", "DONE:T1.3\nDONE:T1.5\nDONE:T1.4\n"),
        ["DONE 10..20 \"DONE:T1.5\""]
    );
}

#[test]
fn carriage_return_ends_a_typed_line() {
    assert_eq!(decode_after_input("DONE:T1.3\rDONE:T1.4\r", "DONE:T1.3\r\nDONE:T1.4\r\n"), [""; 0]);
}

#[test]
fn korean_echo_is_recognized() {
    let typed = "[ASK_USER] 로그인 방식은 뛰어난가요?\n";
    assert_eq!(decode_after_input(typed, "[ASK_USER] 로그인 방식은 뛰어난가요?\r\n"), [""; 0]);
    let other = "[ASK_USER] 로그인 방식은 무엇인가요?\r\n";
    assert_eq!(decode_after_input(typed, other).len(), 1);
}

#[test]
fn line_begun_before_the_input_can_be_an_echo() {
    assert_eq!(decode_around_input("DO", "DONE:T1.3\n", "NE:T1.3\r\n"), [""; 0]);
}

#[test]
fn typed_blank_lines_hide_no_message() {
    assert_eq!(decode_after_input("\n \r\n\n", "\n\nDONE:T1.3\n\n"), ["DONE 2..12 \"DONE:T1.3\""]);
}

#[test]
fn missing_echo_hides_no_message() {
    assert_eq!(decode_after_input("never said", "DONE:T1.3\nnever\n"), ["DONE 0..10 \"DONE:T1.3\""]);
}

#[test]
fn echo_on_a_screen_is_recognized() {
    let output = "DONE:T1.3\r\nDONE:T1.4\r\n";
    for chunk in [1, 3, usize::MAX] {
        let items =
            decode_in_chunks(Decoder::for_screen(DecoderOptions::worker()), "", "DONE:T1.3\n", output, chunk);
        let raws: Vec<&str> = items.iter().map(|item| item.span().raw.as_str()).collect();
        assert_eq!(raws, ["DONE:T1.4"], "in chunks of {chunk}");
    }
}
