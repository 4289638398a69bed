//! Decodes each file of `transcripts/` and compares the result with its snapshot.
//!
//! The folder determines the decoder's options; a snapshot is the output of `jangdan decode --near`.
//! In the folders whose name ends with `turns`, a record separator (0x1E) ends a turn.

#![expect(clippy::disallowed_methods, reason = "a test may read its own files")]
#![expect(clippy::panic, reason = "a test may fail")]

use std::{fmt::Write, fs, path::Path};

use domain::{Role, TaskId};
use protocol::{AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement};

#[test]
fn transcript_decodes_to_its_snapshot() {
    insta::glob!("transcripts/*/*.txt", |path| {
        let bytes = fs::read(path).expect("the transcript is readable");
        let whole = decode_transcript(path, &bytes, bytes.len().max(1));
        for chunk in [1, 2, 3, 7, 64] {
            assert_eq!(
                decode_transcript(path, &bytes, chunk),
                whole,
                "{} in chunks of {chunk}",
                path.display()
            );
        }
        let printed = whole.iter().fold(String::new(), |mut printed, item| {
            writeln!(printed, "{}", serde_json::to_string(item).expect("items are JSON")).expect("memory");
            printed
        });
        insta::assert_snapshot!(printed);
    });
}

fn decode_transcript(path: &Path, bytes: &[u8], chunk: usize) -> Vec<DecodedItem> {
    let mut decoder = decoder_for(path);
    let mut items = Vec::new();
    for turn in split_turns(path, bytes) {
        items.extend(turn.chunks(chunk).flat_map(|bytes| decoder.push(bytes)));
        items.extend(decoder.end_turn());
    }
    items
}

fn split_turns<'a>(path: &Path, bytes: &'a [u8]) -> Vec<&'a [u8]> {
    if folder_name(path).ends_with("turns") {
        bytes.split_inclusive(|byte| *byte == 0x1E).collect()
    } else {
        vec![bytes]
    }
}

fn decoder_for(path: &Path) -> Decoder {
    let worker = DecoderOptions::worker();
    let with_key = |key_requirement| DecoderOptions {
        key: "k3f9".parse().ok(),
        key_requirement,
        ..DecoderOptions::worker()
    };
    match folder_name(path) {
        "worker" | "turns" => Decoder::new(worker),
        "numeric" => Decoder::new(DecoderOptions { task_ids: plan_ids(&["1"]), ..worker }),
        "plan-ids" => Decoder::new(DecoderOptions {
            task_ids: plan_ids(&["1.4a", "ST-001", "P1-R1-T1", "P2-T1.3"]),
            ..worker
        }),
        "orchestrator" => Decoder::new(DecoderOptions::orchestrator()),
        "keyed" => Decoder::new(with_key(KeyRequirement::Required)),
        "keyed-orchestrator" => {
            Decoder::new(DecoderOptions { role: Role::Orchestrator, ..with_key(KeyRequirement::Required) })
        }
        "optional-key" => Decoder::new(with_key(KeyRequirement::Optional)),
        "screen" | "screen-turns" => Decoder::for_screen(worker),
        other => panic!("no options for folder {other:?}"),
    }
}

fn plan_ids(ids: &[&str]) -> AcceptedTaskIds {
    let ids: Vec<TaskId> = ids.iter().flat_map(|id| id.parse()).collect();
    AcceptedTaskIds::OfPlan(ids.iter().collect())
}

fn folder_name(path: &Path) -> &str {
    path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default()
}
