//! What agents print, and what is heard in it: each file of `transcripts/` against its snapshot.
//!
//! The folder says how the file is read; the snapshot is what `jangdan decode --near` prints.
//! In the folders whose name ends with `turns`, a record separator (0x1E) ends a turn.

#![expect(clippy::disallowed_methods, reason = "a test may read its own files")]
#![expect(clippy::panic, reason = "a test may fail")]

use std::{fmt::Write, fs, path::Path};

use domain::Role;
use protocol::{Decoder, Item, Keys, Options};

#[test]
fn what_agents_print_is_heard_as_its_snapshot_says() {
    insta::glob!("transcripts/*/*.txt", |path| {
        let bytes = fs::read(path).expect("the transcript is readable");
        let whole = decode(path, &bytes, bytes.len().max(1));
        for chunk in [1, 2, 3, 7, 64] {
            assert_eq!(decode(path, &bytes, chunk), whole, "{} in chunks of {chunk}", path.display());
        }
        let printed = whole.iter().fold(String::new(), |mut printed, item| {
            writeln!(printed, "{}", serde_json::to_string(item).expect("items are JSON")).expect("memory");
            printed
        });
        insta::assert_snapshot!(printed);
    });
}

fn decode(path: &Path, bytes: &[u8], chunk: usize) -> Vec<Item> {
    let mut decoder = decoder_for(path);
    let mut items = Vec::new();
    for turn in turns(path, bytes) {
        items.extend(turn.chunks(chunk).flat_map(|bytes| decoder.push(bytes)));
        items.extend(decoder.end_turn());
    }
    items
}

fn turns<'a>(path: &Path, bytes: &'a [u8]) -> Vec<&'a [u8]> {
    if folder(path).ends_with("turns") {
        bytes.split_inclusive(|byte| *byte == 0x1E).collect()
    } else {
        vec![bytes]
    }
}

fn decoder_for(path: &Path) -> Decoder {
    let worker = Options::worker();
    let with_key = |keys| Options { key: "k3f9".parse().ok(), keys, ..Options::worker() };
    match folder(path) {
        "worker" | "turns" => Decoder::new(worker),
        "numeric" => Decoder::new(Options { numeric_ids: true, ..worker }),
        "orchestrator" => Decoder::new(Options::orchestrator()),
        "keyed" => Decoder::new(with_key(Keys::Required)),
        "keyed-orchestrator" => {
            Decoder::new(Options { role: Role::Orchestrator, ..with_key(Keys::Required) })
        }
        "optional-key" => Decoder::new(with_key(Keys::Optional)),
        "screen" | "screen-turns" => Decoder::screen(worker),
        other => panic!("no options for folder {other:?}"),
    }
}

fn folder(path: &Path) -> &str {
    path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default()
}
