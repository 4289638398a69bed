//! The examples of the repository decode to the messages that the README promises.

use std::{fs, path::Path};

use protocol::{DecodedItem, Decoder, DecoderOptions};

#[test]
fn the_transcript_has_six_messages() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/transcript.txt");
    let mut decoder = Decoder::new(DecoderOptions::worker());
    let mut items = decoder.push(&fs::read(path).unwrap());
    items.extend(decoder.end_turn());
    let messages: Vec<String> = items
        .iter()
        .map(|item| match item {
            DecodedItem::Message(message) => message.message.name().to_owned(),
            DecodedItem::Invalid(invalid) => format!("{}: {}", invalid.message_name, invalid.error),
            DecodedItem::NearMiss(near) => format!("nearly {}", near.message_name),
        })
        .collect();
    let expected = [
        "PROGRESS",
        "ASK_USER",
        "DEPENDENCY_REQUEST: missing required field 'required'",
        "DEPENDENCY_REQUEST",
        "INVOKE",
        "DONE",
    ];
    assert_eq!(messages, expected);
}
