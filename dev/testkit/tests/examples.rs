//! The examples of the repository decode to the messages that the README promises.

use std::{fs, path::Path};

use protocol::{Decoder, Item, Options};

#[test]
fn the_transcript_has_six_messages() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/transcript.txt");
    let mut decoder = Decoder::new(Options::worker());
    let mut items = decoder.push(&fs::read(path).unwrap());
    items.extend(decoder.end_turn());
    let messages: Vec<String> = items
        .iter()
        .map(|item| match item {
            Item::Message(message) => message.said.name().to_owned(),
            Item::Invalid(invalid) => format!("{}: {}", invalid.protocol, invalid.error),
            Item::Near(near) => format!("nearly {}", near.near),
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
