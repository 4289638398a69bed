//! Lines over 64 KiB and bodies over 1 MiB: decoded, INVALID, or text.

use protocol::{DecodedItem, Decoder, DecoderOptions, KeyRequirement};

const LINE_MAX: usize = 64 * 1024;
const BODY_MAX: usize = 1024 * 1024;
/// Longer than the limit of a line outside a body.
const LONG: usize = 70_000;

/// Describes the items of an output and their positions.
fn decode_as_worker(output: &str) -> Vec<String> {
    decode_with_options(DecoderOptions::worker(), output)
}

fn decode_with_options(options: DecoderOptions, output: &str) -> Vec<String> {
    let read = |chunk: usize| -> Vec<DecodedItem> {
        let mut decoder = Decoder::new(options.clone());
        let mut items: Vec<DecodedItem> =
            output.as_bytes().chunks(chunk).flat_map(|piece| decoder.push(piece)).collect();
        items.extend(decoder.end_turn());
        items
    };
    let whole = read(usize::MAX);
    for chunk in [1000, LINE_MAX] {
        assert!(read(chunk) == whole, "another result in chunks of {chunk}");
    }
    whole.iter().map(describe_item).collect()
}

fn describe_item(item: &DecodedItem) -> String {
    let span = item.span();
    assert!(span.raw.len() <= 4096 + '…'.len_utf8(), "raw text is truncated at 4 KiB");
    let name = match item {
        DecodedItem::Message(decoded) => decoded.message.name().to_owned(),
        DecodedItem::Invalid(invalid) => format!("INVALID {}", invalid.message_name),
        DecodedItem::NearMiss(near_miss) => format!("NEAR {}", near_miss.message_name),
    };
    format!("{name} {}..{}", span.start, span.end)
}

fn text_of_length(length: usize) -> String {
    "x".repeat(length)
}

/// Returns `length` bytes of lines, newlines included.
fn lines_of_total_length(length: usize) -> String {
    let mut text = "words in a line\n".repeat((length - 1) / 16);
    text.push_str(&text_of_length(length - text.len() - 1));
    text.push('\n');
    text
}

// Lines outside a body.

#[test]
fn long_text_line_hides_no_message_after_it() {
    assert_eq!(decode_as_worker(&format!("{}\nDONE:T1.3\n", text_of_length(LONG))), ["DONE 70001..70011"]);
}

#[test]
fn line_may_have_64_kib() {
    assert_eq!(
        decode_as_worker(&format!("CUSTOM:NOTE:{}\n", text_of_length(LINE_MAX - 12))),
        ["CUSTOM 0..65537"]
    );
    assert_eq!(
        decode_as_worker(&format!("CUSTOM:NOTE:{}\n", text_of_length(LINE_MAX - 11))),
        ["INVALID CUSTOM 0..65538"]
    );
}

#[test]
fn line_limit_applies_to_the_rendered_text() {
    let colours = "\x1b[31m\x1b[0m".repeat(LONG / 9);
    assert_eq!(decode_as_worker(&format!("{colours}DONE:T1.3\n")).len(), 1);
    let spinner = "\r⠋ Working…\x1b[K".repeat(LONG / 14);
    assert_eq!(decode_as_worker(&format!("{spinner}\r\x1b[KDONE:T1.3\n")).len(), 1);
    // Each of these bytes is replaced by three.
    let replaced = [b"DONE:T1.3 ".as_slice(), &[0xff; 30_000], b"\nDONE:T1.4\n"].concat();
    let mut decoder = Decoder::new(DecoderOptions::worker());
    let items: Vec<String> = decoder.push(&replaced).iter().map(describe_item).collect();
    assert_eq!(items, ["INVALID DONE 0..30011", "DONE 30011..30021"]);
}

#[test]
fn long_keyword_line_is_invalid() {
    for (name, line) in [
        ("DONE", format!("DONE:T1{}", ":a=b".repeat(LONG / 4))),
        ("READY", format!("READY:T1{}", ",T1".repeat(LONG / 3))),
        ("FAIL", format!("FAIL:T1:{}", text_of_length(LONG))),
        ("RESOLVE_ERROR", format!("ERROR:PARSE_FAIL:{}", text_of_length(LONG))),
        ("CUSTOM", format!("CUSTOM:NOTE:{}", text_of_length(LONG))),
    ] {
        let end = line.len() + 1;
        let expected = [format!("INVALID {name} 0..{end}"), format!("DONE {end}..{}", end + 10)];
        assert_eq!(decode_as_worker(&format!("{line}\nDONE:T1.3\n")), expected);
    }
}

#[test]
fn long_line_makes_a_task_invalid() {
    let meta = format!("TASK_ID:T1.3\nMETA:{{\"a\":\"{}\"}}\n", text_of_length(LONG));
    assert_eq!(
        decode_as_worker(&format!("{meta}DONE:T1.3\n")),
        ["INVALID TASK 0..70027", "DONE 70027..70037"]
    );
    let worktree = format!("TASK_ID:T1.3\nWORKTREE:{}\n", text_of_length(LONG));
    assert_eq!(
        decode_as_worker(&format!("{worktree}DONE:T1.3\n")),
        ["INVALID TASK 0..70023", "DONE 70023..70033"]
    );
}

#[test]
fn long_line_makes_a_phase_marker_invalid() {
    let marker = format!("=== PHASE 1 COMPLETE ===\nPhase: {}\n", text_of_length(LONG));
    assert_eq!(
        decode_as_worker(&format!("{marker}DONE:T1.3\n")),
        ["INVALID PHASE_COMPLETE 0..70033", "DONE 70033..70043"]
    );
}

#[test]
fn long_line_with_a_tag_makes_its_message_invalid() {
    let tag = format!("[ASK_USER] {}\n", text_of_length(LONG));
    assert_eq!(
        decode_as_worker(&format!("{tag}DONE:T1.3\n")),
        ["INVALID ASK_USER 0..70012", "DONE 70012..70022"]
    );
    let edited = format!("abc\r[ASK_USER] {}\n", text_of_length(LONG));
    assert_eq!(
        decode_as_worker(&format!("{edited}DONE:T1.3\n")),
        ["INVALID ASK_USER 4..70016", "DONE 70016..70026"]
    );
}

#[test]
fn body_after_a_long_line_with_a_tag_belongs_to_it() {
    let message = format!("[STEP_COMPLETE] {}\nmore\n[/STEP_COMPLETE]\n", text_of_length(LONG));
    assert_eq!(
        decode_as_worker(&format!("{message}DONE:T1.3\n")),
        ["INVALID STEP_COMPLETE 0..70039", "DONE 70039..70049"]
    );
}

#[test]
fn text_beyond_64_kib_of_a_line_is_not_parsed() {
    let question = format!("{} [NEED_HUMAN: Which?]\nDONE:T1.3\n", text_of_length(LONG));
    assert_eq!(decode_with_options(DecoderOptions::orchestrator(), &question), ["DONE 70022..70032"]);
    assert_eq!(
        decode_as_worker(&format!("{}DONE:T1.4\nDONE:T1.3\n", " ".repeat(LONG))),
        ["DONE 70010..70020"]
    );
}

#[test]
fn question_on_a_long_line_is_invalid() {
    let question = format!("[NEED_HUMAN: {}]\nDONE:T1.3\n", text_of_length(LONG));
    assert_eq!(
        decode_with_options(DecoderOptions::orchestrator(), &format!("{question}\n")),
        ["INVALID NEED_HUMAN 0..70015", "DONE 70015..70025"]
    );
}

#[test]
fn long_line_makes_a_fence_a_quotation() {
    let fence = format!("```\nDONE:T1.3\n{}\n```\n", text_of_length(LONG));
    assert_eq!(decode_as_worker(&format!("{fence}DONE:T1.4\n")), ["DONE 70019..70029"]);
}

#[test]
fn key_beyond_64_kib_is_ignored() {
    let options = DecoderOptions {
        key: "k3f9".parse().ok(),
        key_requirement: KeyRequirement::Required,
        ..DecoderOptions::worker()
    };
    let output = format!("FAIL:T1.3:{} k3f9\nDONE:T1.3 k3f9\n", text_of_length(LONG));
    assert_eq!(decode_with_options(options, &output), ["NEAR FAIL 0..70016", "DONE 70016..70031"]);
}

// Lines and bodies of messages.

#[test]
fn line_in_a_body_may_exceed_64_kib() {
    let body = format!("[STEP_COMPLETE]\n{}\n", text_of_length(LONG));
    assert_eq!(
        decode_as_worker(&format!("{body}DONE:T1.3\n")),
        ["STEP_COMPLETE 0..70017", "DONE 70017..70027"]
    );
    let block =
        format!("[ERROR]\ntype: fatal\nmessage: {}\nrecovery: notify_user\n[/ERROR]\n", text_of_length(LONG));
    assert_eq!(decode_as_worker(&format!("{block}DONE:T1.3\n")), ["ERROR 0..70061", "DONE 70061..70071"]);
}

#[test]
fn line_over_1_mib_makes_its_body_invalid() {
    let body = format!("[STEP_COMPLETE]\n{}\nmore\n", text_of_length(BODY_MAX + 1));
    let end = body.len();
    assert_eq!(
        decode_as_worker(&format!("{body}DONE:T1.3\n")),
        [format!("INVALID STEP_COMPLETE 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
    let edited = format!("[STEP_COMPLETE]\nab\r{}\n", text_of_length(BODY_MAX + 1));
    let end = edited.len();
    assert_eq!(
        decode_as_worker(&format!("{edited}DONE:T1.3\n")),
        [format!("INVALID STEP_COMPLETE 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
}

#[test]
fn body_may_have_1_mib() {
    let body = |length: usize| format!("[STEP_COMPLETE]\n{}", lines_of_total_length(length));
    assert_eq!(decode_as_worker(&body(BODY_MAX)), ["STEP_COMPLETE 0..1048592"]);
    assert_eq!(decode_as_worker(&body(BODY_MAX + 2)), ["INVALID STEP_COMPLETE 0..1048594"]);
}

#[test]
fn tag_with_a_body_over_1_mib_is_invalid_up_to_its_end() {
    for tag in ["ASK_USER", "INVOKE:PO", "DELIVER_RESULT:PO", "PROGRESS", "DIRECT:PO"] {
        let message = format!("[{tag}]\n{}", lines_of_total_length(BODY_MAX + 2));
        let (name, end) = (tag.split(':').next().unwrap_or(tag), message.len());
        let expected = [format!("INVALID {name} 0..{end}"), format!("DONE {end}..{}", end + 10)];
        assert_eq!(decode_as_worker(&format!("{message}DONE:T1.3\n")), expected);
    }
}

#[test]
fn body_over_1_mib_ends_at_its_closing_tag() {
    let message = format!("[ASK_USER]\n{}[/ASK_USER]\n", lines_of_total_length(BODY_MAX + 2));
    let end = message.len();
    assert_eq!(decode_as_worker(&format!("{message}DONE :T1.3\n")), [format!("INVALID ASK_USER 0..{end}")]);
}

#[test]
fn fence_in_a_body_over_1_mib_is_closed() {
    let message = format!("[INVOKE:PO]\n```\n{}DONE:T1.3\n```\n", lines_of_total_length(BODY_MAX + 2));
    let end = message.len();
    assert_eq!(
        decode_as_worker(&format!("{message}DONE:T1.4\n")),
        [format!("INVALID INVOKE 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
}

#[test]
fn block_over_1_mib_is_invalid_up_to_its_closing_tag() {
    let value = "  words in a line\n".repeat(BODY_MAX / 18 + 1);
    let block = format!("[ERROR]\ntype: fatal\ndetails:\n{value}[/ERROR]\n");
    let end = block.len();
    assert_eq!(
        decode_as_worker(&format!("{block}DONE:T1.3\n")),
        [format!("INVALID ERROR 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
}

#[test]
fn question_over_1_mib_is_invalid_up_to_its_bracket() {
    let question = format!("[NEED_HUMAN: {}?]", lines_of_total_length(BODY_MAX + 2));
    let end = question.len();
    assert_eq!(
        decode_with_options(DecoderOptions::orchestrator(), &format!("{question}\nDONE:T1.3\n")),
        [format!("INVALID NEED_HUMAN 0..{end}"), format!("DONE {}..{}", end + 1, end + 11)]
    );
}

#[test]
fn phase_with_over_1_mib_of_documents_is_invalid() {
    let documents = "- docs/planning/01_idea.md\n".repeat(BODY_MAX / 26 + 1);
    let marker = format!("=== PHASE 1 COMPLETE ===\nDocuments created:\n{documents}");
    let end = marker.len();
    assert_eq!(
        decode_as_worker(&format!("{marker}DONE:T1.3\n")),
        [format!("INVALID PHASE_COMPLETE 0..{end}"), format!("DONE {end}..{}", end + 10)]
    );
}

// Fences.

#[test]
fn fence_with_over_1_mib_of_messages_is_one_invalid_message() {
    let fence = format!("```\n{}```\n", "DONE:T1.3\n".repeat(BODY_MAX / 10 + 1));
    let end = fence.len();
    assert_eq!(
        decode_as_worker(&format!("{fence}DONE:T1.4\n")),
        ["INVALID DONE 4..14".to_owned(), format!("DONE {end}..{}", end + 10)]
    );
    let bodies = format!("[STEP_COMPLETE]\n{}\n", text_of_length(600_000)).repeat(2);
    assert_eq!(decode_as_worker(&format!("```\n{bodies}```\n")), ["INVALID STEP_COMPLETE 4..600021"]);
}

#[test]
fn fence_of_many_messages_decodes_to_all() {
    let fence = format!("```\n{}```\n", "DONE:T1.3\n".repeat(3000));
    let items = decode_as_worker(&fence);
    assert_eq!((items.len(), items.last().map(String::as_str)), (3000, Some("DONE 29994..30004")));
}
