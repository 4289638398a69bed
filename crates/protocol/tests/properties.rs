//! Properties that hold for every output and every way to cut it.

#![expect(clippy::expect_used, reason = "the test data is valid")]

use domain::Role;
use proptest::prelude::*;
use protocol::{AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement};

/// Pieces of which output is composed: all parts of messages, and noise.
const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\r\r\n",
    " ",
    "  ",
    "\t",
    "│ ",
    "> ",
    "- ",
    "+",
    "* ",
    "**",
    "#",
    "⏺ ",
    "╰──╯",
    "`",
    "```",
    "```text",
    "~~~",
    "[ASK_USER]",
    "[ASK_USER k3f9]",
    "[ASK_USER zz99]",
    "[ ASK_USER ]",
    "[/ASK_USER]",
    "[/ASK_USER k3f9]",
    "[INVOKE:PO]",
    "[INVOKE: 기획자 k3f9]",
    "[INVOKE:Product Owner]",
    "[INVOKE]",
    "[DELIVER_RESULT:PO]",
    "[STEP_COMPLETE]",
    "[PROGRESS]",
    "[DIRECT:qa]",
    "[DEPENDENCY_REQUEST]",
    "[/DEPENDENCY_REQUEST]",
    "[USER_QUESTION]",
    "[/USER_QUESTION]",
    "[ERROR]",
    "[ERROR k3f9]",
    "[/ERROR]",
    "[/ERROR k3f9]",
    "[NEED_HUMAN: ",
    "[NEED_HUMAN k3f9: ",
    "[ NEED_HUMAN",
    ": ",
    "why [not]?",
    "]",
    "[",
    "NEED_HUMAN: x",
    "[NEED",
    "_HUMAN: ",
    "[ASK",
    "_USER]",
    "DO",
    "NE:T1.3",
    "type: api_key",
    "type: json",
    "name: KEY",
    "description: d",
    "required: true",
    "required: maybe",
    "category: choice",
    "question: Which?",
    "질문: 무엇?",
    "**질문**: 뛰어",
    "타입: selection",
    "options: ['a', 'don't', \"c\"]",
    "옵션: [a, b",
    "options:",
    "- one",
    "  - two",
    "default: a",
    "context: c",
    "컨텍스트:",
    "내용: {\"a\":1}",
    "content: x",
    "progress: 0.4",
    "progress: 7",
    "message: m",
    "recovery: pause_and_retry",
    "resets_at: soon",
    "details:",
    "    deeper",
    "=== PHASE 1 COMPLETE ===",
    "=== PHASE 2 COMPLETE k3f9 ===",
    "== PHASE 1 COMPLETE ==",
    "Phase: Planning",
    "Documents created:",
    "RESOLVE_NEXT",
    "RESOLVE_NEXT:PHASE:2:FORCE",
    "READY:T1.3,T1.4|T2",
    "READY: T1 and T2",
    "PHASE_DONE:1",
    "ALL_DONE",
    "ALL_DONE k3f9",
    "TASK_ID:T1.3",
    "WORKTREE:w/x",
    "META:{\"a\":1}",
    "META:[1]",
    "DONE:T1.3",
    "DONE:P1-T1.3:tests=3 k3f9",
    "FAIL:T1.3:a=b:no luck",
    "ERROR:PARSE_FAIL:x",
    "ERROR:root:x",
    "CUSTOM:SKIP:T1",
    "CUSTOM:SKIP:",
    "CUSTOM:A:b",
    "done:T1.3",
    "\x1b[1m",
    "\x1b[0m",
    "\x1b[38;5;12m",
    "\x1b[K",
    "\x1b[1K",
    "\x1b[2K",
    "\x1b[J",
    "\x1b[2J",
    "\x1b[A",
    "\x1b[3G",
    "\x1b[2C",
    "\x1b[4D",
    "\x1b[2P",
    "\x1b[3@",
    "\x1b[2X",
    "\x1b]0;title\x07",
    "\x1b]8;;u\x1b\\",
    "\x1b]0;open",
    "\x1b[12",
    "\x1b(B",
    "\x1b7",
    "\x1b",
    "\u{9b}1m",
    "\u{9d}x\u{9c}",
    "\u{85}",
    "\u{8}",
    "\u{8}\u{8}",
    "\0",
    "\u{7}",
    "\u{18}",
    "\u{7f}",
    "뛰어",
    "한",
    "e\u{301}",
    "\u{301}",
    "👩\u{200d}💻",
    "✔\u{fe0f}",
    "…",
    "x",
    "word ",
    "a sentence with a [link] in it",
    "words that fill a whole frame of a spinner",
    "'",
    "\"",
    ",",
];

/// Output with a readable `Debug` form.
#[derive(Clone)]
struct GeneratedOutput(Vec<u8>);

impl std::fmt::Debug for GeneratedOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

fn any_output() -> impl Strategy<Value = GeneratedOutput> {
    let piece = prop_oneof![
        12 => prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
        1 => prop::sample::select(vec![vec![0xeb], vec![0x9b, 0xb0], vec![0xc2], vec![0xff], vec![0xe2, 0x94]]),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| GeneratedOutput(pieces.concat()))
}

fn any_decoder_options() -> impl Strategy<Value = DecoderOptions> {
    let key = prop_oneof![Just(None), Just(Some("k3f9".parse().expect("a key")))];
    (any::<bool>(), key, any::<bool>(), any::<bool>()).prop_map(|(orchestrates, key, required, all_ids)| {
        DecoderOptions {
            role: if orchestrates { Role::Orchestrator } else { Role::Worker },
            key_requirement: if required && key.is_some() {
                KeyRequirement::Required
            } else {
                KeyRequirement::Optional
            },
            key,
            task_ids: if all_ids { AcceptedTaskIds::Any } else { AcceptedTaskIds::default() },
        }
    })
}

fn decode_pieces<'b>(mut decoder: Decoder, pieces: impl IntoIterator<Item = &'b [u8]>) -> Vec<DecodedItem> {
    let mut items: Vec<DecodedItem> = pieces.into_iter().flat_map(|piece| decoder.push(piece)).collect();
    items.extend(decoder.end_turn());
    items
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn cutting_the_stream_anywhere_changes_nothing(GeneratedOutput(bytes) in any_output(), options in any_decoder_options(), cut: prop::sample::Index) {
        let whole = decode_pieces(Decoder::new(options.clone()), [bytes.as_slice()]);
        let (head, tail) = bytes.split_at(cut.index(bytes.len() + 1));
        prop_assert_eq!(&decode_pieces(Decoder::new(options.clone()), [head, tail]), &whole);
        prop_assert_eq!(&decode_pieces(Decoder::new(options), bytes.chunks(1)), &whole);
    }

    #[test]
    fn skipping_lines_without_rendering_changes_nothing(GeneratedOutput(bytes) in any_output(), options in any_decoder_options()) {
        let skipping = decode_pieces(Decoder::new(options.clone()), [bytes.as_slice()]);
        let mut decoder = Decoder::new(options);
        // A decoder that waits for an echo renders every line, to compare it with that echo.
        decoder.expect_echo("a line that is never printed");
        prop_assert_eq!(&decode_pieces(decoder, [bytes.as_slice()]), &skipping);
    }

    #[test]
    fn items_are_ordered_and_disjoint(GeneratedOutput(bytes) in any_output(), options in any_decoder_options()) {
        let items = decode_pieces(Decoder::new(options), [bytes.as_slice()]);
        let mut end = 0;
        for item in &items {
            let span = item.span();
            prop_assert!(span.start >= end && span.end >= span.start && span.end <= bytes.len() as u64, "{item:?}");
            prop_assert!(span.raw.len() <= 4096 + '…'.len_utf8());
            end = span.end;
        }
    }

    #[test]
    fn decoding_again_from_the_safe_offset_loses_no_item(GeneratedOutput(bytes) in any_output(), options in any_decoder_options(), cut: prop::sample::Index) {
        let whole = decode_pieces(Decoder::new(options.clone()), [bytes.as_slice()]);
        let mut decoder = Decoder::new(options.clone());
        let items = decoder.push(&bytes[..cut.index(bytes.len() + 1)]);
        let safe = decoder.safe_offset();
        let again = decode_pieces(Decoder::new(options), [&bytes[safe as usize..]]);
        let later: Vec<u64> = again.iter().map(|item| item.span().start + safe).collect();
        let mut all: Vec<u64> = items.iter().map(|item| item.span().start).collect();
        all.extend(later.into_iter().filter(|start| !items.iter().any(|item| item.span().start == *start)));
        prop_assert_eq!(all, whole.iter().map(|item| item.span().start).collect::<Vec<_>>());
    }

    #[test]
    fn cutting_screen_output_anywhere_changes_nothing(GeneratedOutput(bytes) in any_output(), cut: prop::sample::Index) {
        let whole = decode_pieces(Decoder::for_screen(DecoderOptions::orchestrator()), [bytes.as_slice()]);
        let (head, tail) = bytes.split_at(cut.index(bytes.len() + 1));
        prop_assert_eq!(&decode_pieces(Decoder::for_screen(DecoderOptions::orchestrator()), [head, tail]), &whole);
        prop_assert_eq!(&decode_pieces(Decoder::for_screen(DecoderOptions::orchestrator()), bytes.chunks(1)), &whole);
    }

    #[test]
    fn turn_end_closes_every_open_message(GeneratedOutput(bytes) in any_output(), options in any_decoder_options()) {
        let mut decoder = Decoder::new(options.clone());
        decoder.push(&bytes);
        decoder.end_turn();
        prop_assert!(!decoder.prevents_turn_end());
        prop_assert_eq!(decoder.safe_offset(), bytes.len() as u64);
        let next = decoder.push(b"ALL_DONE k3f9\nALL_DONE\n");
        prop_assert!(next.iter().any(|item| matches!(item, DecodedItem::Message(_))) , "{next:?}");
    }
}
