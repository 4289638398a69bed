//! An agent may print any document of this repository: none of them decodes to a message.

use std::{fs, path::Path};

use protocol::{DecodedItem, Decoder, DecoderOptions};

#[test]
fn no_document_decodes_to_a_message() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut documents = Vec::new();
    for folder in [root.clone(), root.join("docs"), root.join("docs/decisions")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                documents.push(path);
            }
        }
    }
    assert!(documents.len() > 8, "{documents:?}");
    for document in documents {
        for options in [DecoderOptions::worker(), DecoderOptions::orchestrator()] {
            let items = decode(&fs::read(&document).unwrap(), options);
            assert!(items.is_empty(), "{} decodes to a message: {items:#?}", document.display());
        }
    }
}

#[test]
fn a_document_with_a_message_would_be_found() {
    let text = b"# Guide\n\nWrite this:\n\n[ASK_USER]\nquestion: why?\n[/ASK_USER]\n";
    assert_eq!(decode(text, DecoderOptions::worker()).len(), 1);
}

fn decode(bytes: &[u8], options: DecoderOptions) -> Vec<DecodedItem> {
    let mut decoder = Decoder::new(options);
    let mut items = decoder.push(bytes);
    items.extend(decoder.end_turn());
    items
}
