//! Lines of more than 64 KiB and bodies of more than 1 MiB: what is still heard, what is INVALID, what is text.

use protocol::{Decoder, Item, Keys, Options};

const LINE_MAX: usize = 64 * 1024;
const BODY_MAX: usize = 1024 * 1024;
/// Longer than a line outside of a body may be.
const LONG: usize = 70_000;

/// Returns what is heard, and where, in the order of the output.
fn heard(output: &str) -> Vec<String> {
    heard_by(Options::worker(), output)
}

fn heard_by(options: Options, output: &str) -> Vec<String> {
    let read = |chunk: usize| -> Vec<Item> {
        let mut decoder = Decoder::new(options.clone());
        let mut items: Vec<Item> =
            output.as_bytes().chunks(chunk).flat_map(|piece| decoder.push(piece)).collect();
        items.extend(decoder.end_turn());
        items
    };
    let whole = read(usize::MAX);
    for chunk in [1000, LINE_MAX] {
        assert!(read(chunk) == whole, "another result in chunks of {chunk}");
    }
    whole.iter().map(describe).collect()
}

fn describe(item: &Item) -> String {
    let span = item.span();
    assert!(span.raw.len() <= 4096 + '…'.len_utf8(), "the text of a message is cut at 4 KiB");
    let name = match item {
        Item::Message(message) => message.said.name().to_owned(),
        Item::Invalid(invalid) => format!("INVALID {}", invalid.protocol),
        Item::Near(near) => format!("NEAR {}", near.near),
    };
    format!("{name} {}..{}", span.start, span.end)
}

fn x(length: usize) -> String {
    "x".repeat(length)
}

/// Returns so many bytes of lines, newlines included.
fn lines(length: usize) -> String {
    let mut text = "words in a line\n".repeat((length - 1) / 16);
    text.push_str(&x(length - text.len() - 1));
    text.push('\n');
    text
}

// Lines outside of a body.

#[test]
fn a_long_line_of_text_hides_nothing_behind_it() {
    assert_eq!(heard(&format!("{}\nDONE:T1.3\n", x(LONG))), ["DONE 70001..70011"]);
}

#[test]
fn a_line_may_have_64_kib() {
    assert_eq!(heard(&format!("CUSTOM:NOTE:{}\n", x(LINE_MAX - 12))), ["CUSTOM 0..65537"]);
    assert_eq!(heard(&format!("CUSTOM:NOTE:{}\n", x(LINE_MAX - 11))), ["INVALID CUSTOM 0..65538"]);
}

#[test]
fn the_64_kib_are_those_of_the_decoded_text() {
    let colours = "\x1b[31m\x1b[0m".repeat(LONG / 9);
    assert_eq!(heard(&format!("{colours}DONE:T1.3\n")).len(), 1);
    let spinner = "\r⠋ Working…\x1b[K".repeat(LONG / 14);
    assert_eq!(heard(&format!("{spinner}\r\x1b[KDONE:T1.3\n")).len(), 1);
    // Each of these bytes becomes three.
    let replaced = [b"DONE:T1.3 ".as_slice(), &[0xff; 30_000], b"\nDONE:T1.4\n"].concat();
    let mut decoder = Decoder::new(Options::worker());
    let items: Vec<String> = decoder.push(&replaced).iter().map(describe).collect();
    assert_eq!(items, ["INVALID DONE 0..30011", "DONE 30011..30021"]);
}

#[test]
fn a_long_thin_line_is_invalid() {
    for (name, line) in [
        ("DONE", format!("DONE:T1{}", ":a=b".repeat(LONG / 4))),
        ("READY", format!("READY:T1{}", ",T1".repeat(LONG / 3))),
        ("FAIL", format!("FAIL:T1:{}", x(LONG))),
        ("RESOLVE_ERROR", format!("ERROR:PARSE_FAIL:{}", x(LONG))),
        ("CUSTOM", format!("CUSTOM:NOTE:{}", x(LONG))),
    ] {
        let end = line.len() + 1;
        let expected = [format!("INVALID {name} 0..{end}"), format!("DONE {end}..{}", end + 10)];
        assert_eq!(heard(&format!("{line}\nDONE:T1.3\n")), expected);
    }
}

#[test]
fn a_long_line_of_a_task_makes_it_invalid() {
    let meta = format!("TASK_ID:T1.3\nMETA:{{\"a\":\"{}\"}}\n", x(LONG));
    assert_eq!(heard(&format!("{meta}DONE:T1.3\n")), ["INVALID TASK 0..70027", "DONE 70027..70037"]);
    let worktree = format!("TASK_ID:T1.3\nWORKTREE:{}\n", x(LONG));
    assert_eq!(heard(&format!("{worktree}DONE:T1.3\n")), ["INVALID TASK 0..70023", "DONE 70023..70033"]);
}

#[test]
fn a_long_line_of_a_phase_marker_makes_it_invalid() {
    let marker = format!("=== PHASE 1 COMPLETE ===\nPhase: {}\n", x(LONG));
    assert_eq!(
        heard(&format!("{marker}DONE:T1.3\n")),
        ["INVALID PHASE_COMPLETE 0..70033", "DONE 70033..70043"]
    );
}

#[test]
fn a_long_line_with_a_tag_makes_its_message_invalid() {
    let tag = format!("[ASK_USER] {}\n", x(LONG));
    assert_eq!(heard(&format!("{tag}DONE:T1.3\n")), ["INVALID ASK_USER 0..70012", "DONE 70012..70022"]);
    let edited = format!("abc\r[ASK_USER] {}\n", x(LONG));
    assert_eq!(heard(&format!("{edited}DONE:T1.3\n")), ["INVALID ASK_USER 4..70016", "DONE 70016..70026"]);
}

#[test]
fn the_body_behind_a_long_line_with_a_tag_belongs_to_it() {
    let message = format!("[STEP_COMPLETE] {}\nmore\n[/STEP_COMPLETE]\n", x(LONG));
    assert_eq!(
        heard(&format!("{message}DONE:T1.3\n")),
        ["INVALID STEP_COMPLETE 0..70039", "DONE 70039..70049"]
    );
}

#[test]
fn what_stands_behind_64_kib_of_a_line_is_not_parsed() {
    let question = format!("{} [NEED_HUMAN: Which?]\nDONE:T1.3\n", x(LONG));
    assert_eq!(heard_by(Options::orchestrator(), &question), ["DONE 70022..70032"]);
    assert_eq!(heard(&format!("{}DONE:T1.4\nDONE:T1.3\n", " ".repeat(LONG))), ["DONE 70010..70020"]);
}

#[test]
fn a_question_on_a_long_line_is_invalid() {
    let question = format!("[NEED_HUMAN: {}]\nDONE:T1.3\n", x(LONG));
    assert_eq!(
        heard_by(Options::orchestrator(), &format!("{question}\n")),
        ["INVALID NEED_HUMAN 0..70015", "DONE 70015..70025"]
    );
}

#[test]
fn a_long_line_makes_a_quotation_of_a_fence() {
    let fence = format!("```\nDONE:T1.3\n{}\n```\n", x(LONG));
    assert_eq!(heard(&format!("{fence}DONE:T1.4\n")), ["DONE 70019..70029"]);
}

#[test]
fn a_key_behind_64_kib_is_not_seen() {
    let options = Options { key: "k3f9".parse().ok(), keys: Keys::Required, ..Options::worker() };
    let output = format!("FAIL:T1.3:{} k3f9\nDONE:T1.3 k3f9\n", x(LONG));
    assert_eq!(heard_by(options, &output), ["NEAR FAIL 0..70016", "DONE 70016..70031"]);
}

// Lines and bodies of messages.

#[test]
fn a_line_inside_a_body_may_be_longer_than_64_kib() {
    let body = format!("[STEP_COMPLETE]\n{}\n", x(LONG));
    assert_eq!(heard(&format!("{body}DONE:T1.3\n")), ["STEP_COMPLETE 0..70017", "DONE 70017..70027"]);
    let block = format!("[ERROR]\ntype: fatal\nmessage: {}\nrecovery: notify_user\n[/ERROR]\n", x(LONG));
    assert_eq!(heard(&format!("{block}DONE:T1.3\n")), ["ERROR 0..70061", "DONE 70061..70071"]);
}

#[test]
fn a_line_of_more_than_1_mib_inside_a_body_makes_it_invalid() {
    let body = format!("[STEP_COMPLETE]\n{}\nmore\n", x(BODY_MAX + 1));
    let end = body.len();
    assert_eq!(
        heard(&format!("{body}DONE:T1.3\n")),
        [format!("INVALID STEP_COMPLETE 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
    let edited = format!("[STEP_COMPLETE]\nab\r{}\n", x(BODY_MAX + 1));
    let end = edited.len();
    assert_eq!(
        heard(&format!("{edited}DONE:T1.3\n")),
        [format!("INVALID STEP_COMPLETE 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
}

#[test]
fn a_body_may_have_1_mib() {
    let body = |length: usize| format!("[STEP_COMPLETE]\n{}", lines(length));
    assert_eq!(heard(&body(BODY_MAX)), ["STEP_COMPLETE 0..1048592"]);
    assert_eq!(heard(&body(BODY_MAX + 2)), ["INVALID STEP_COMPLETE 0..1048594"]);
}

#[test]
fn every_tag_with_a_body_over_1_mib_is_invalid_up_to_its_end() {
    for tag in ["ASK_USER", "INVOKE:PO", "DELIVER_RESULT:PO", "PROGRESS", "DIRECT:PO"] {
        let message = format!("[{tag}]\n{}", lines(BODY_MAX + 2));
        let (name, end) = (tag.split(':').next().unwrap_or(tag), message.len());
        let expected = [format!("INVALID {name} 0..{end}"), format!("DONE {end}..{}", end + 10)];
        assert_eq!(heard(&format!("{message}DONE:T1.3\n")), expected);
    }
}

#[test]
fn a_body_over_1_mib_is_still_ended_by_its_closing_tag() {
    let message = format!("[ASK_USER]\n{}[/ASK_USER]\n", lines(BODY_MAX + 2));
    let end = message.len();
    assert_eq!(heard(&format!("{message}DONE :T1.3\n")), [format!("INVALID ASK_USER 0..{end}")]);
}

#[test]
fn a_fence_in_a_body_over_1_mib_is_still_closed() {
    let message = format!("[INVOKE:PO]\n```\n{}DONE:T1.3\n```\n", lines(BODY_MAX + 2));
    let end = message.len();
    assert_eq!(
        heard(&format!("{message}DONE:T1.4\n")),
        [format!("INVALID INVOKE 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
}

#[test]
fn a_block_over_1_mib_is_invalid_up_to_its_closing_tag() {
    let value = "  words in a line\n".repeat(BODY_MAX / 18 + 1);
    let block = format!("[ERROR]\ntype: fatal\ndetails:\n{value}[/ERROR]\n");
    let end = block.len();
    assert_eq!(
        heard(&format!("{block}DONE:T1.3\n")),
        [format!("INVALID ERROR 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
}

#[test]
fn a_question_over_1_mib_is_invalid_up_to_its_bracket() {
    let question = format!("[NEED_HUMAN: {}?]", lines(BODY_MAX + 2));
    let end = question.len();
    assert_eq!(
        heard_by(Options::orchestrator(), &format!("{question}\nDONE:T1.3\n")),
        [format!("INVALID NEED_HUMAN 0..{end}"), format!("DONE {}..{}", end + 1, end + 11)]
    );
}

#[test]
fn a_phase_with_more_than_1_mib_of_documents_is_invalid() {
    let documents = "- docs/planning/01_idea.md\n".repeat(BODY_MAX / 26 + 1);
    let marker = format!("=== PHASE 1 COMPLETE ===\nDocuments created:\n{documents}");
    let end = marker.len();
    assert_eq!(
        heard(&format!("{marker}DONE:T1.3\n")),
        [format!("INVALID PHASE_COMPLETE 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
}

// Fences.

#[test]
fn a_fence_with_more_than_1_mib_of_messages_gives_one_invalid_at_the_first() {
    let fence = format!("```\n{}```\n", "DONE:T1.3\n".repeat(BODY_MAX / 10 + 1));
    let end = fence.len();
    assert_eq!(
        heard(&format!("{fence}DONE:T1.4\n")),
        ["INVALID DONE 4..14".to_owned(), format!("DONE {end}..{}", end + 10)]
    );
    let bodies = format!("[STEP_COMPLETE]\n{}\n", x(600_000)).repeat(2);
    assert_eq!(heard(&format!("```\n{bodies}```\n")), ["INVALID STEP_COMPLETE 4..600021"]);
}

#[test]
fn a_fence_of_many_messages_gives_them_all() {
    let fence = format!("```\n{}```\n", "DONE:T1.3\n".repeat(3000));
    let items = heard(&fence);
    assert_eq!((items.len(), items.last().map(String::as_str)), (3000, Some("DONE 29994..30004")));
}
