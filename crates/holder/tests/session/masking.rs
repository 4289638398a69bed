//! Secrets do not reach any file of a real session.

use holder::{
    mask::Secret,
    protocol::{INPUT_BYTES_MAX, Refusal, Reply, Request},
    spool::{Body, Stream},
};

use crate::stage::{Stage, pipes, script, terminal, wait_for};

const VALUE: &str = "sk-live-51H8xQ2eZvKYlo2C";

fn secrets() -> Vec<Secret> {
    vec![Secret::new(VALUE.into())]
}

/// Tells whether any file of a session's folder contains the value.
fn is_anywhere(stage: &Stage) -> bool {
    std::fs::read_dir(&stage.directory).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        path.is_file()
            && std::fs::read(path).unwrap().windows(VALUE.len()).any(|window| window == VALUE.as_bytes())
    })
}

#[test]
fn a_value_is_masked_from_the_beginning_in_every_encoding() {
    let print =
        format!("printf '%s\\n' 'key={VALUE}.'; printf %s 'x{VALUE}' | base64; echo ready; exec sleep 1000");
    let mut launch = script(&print, terminal());
    launch.secrets = secrets();
    let stage = Stage::start(&launch);
    let text = stage.wait_text("ready");
    assert!(text.contains(&format!("key={}.", "*".repeat(VALUE.len()))), "{text}");
    assert!(text.contains("eH****"), "{text}");
    assert!(!is_anywhere(&stage));
}

#[test]
fn a_value_written_in_pieces_is_masked() {
    let (first, second) = VALUE.split_at(15);
    let print =
        format!("printf %s '{first}'; read -r go; printf '%s\\n' '{second}.'; echo ready; exec sleep 1000");
    let mut launch = script(&print, pipes());
    launch.secrets = secrets();
    let mut stage = Stage::start(&launch);
    // More than half of it is held back longer than allowed, and released masked.
    wait_for("the start is given up", || (stage.output() == b"***************").then_some(()));
    stage.type_in(1, "go\n");
    assert_eq!(stage.wait_text("ready"), format!("{}.\nready\n", "*".repeat(VALUE.len())));
    assert!(!is_anywhere(&stage));
}

#[test]
fn the_beginning_of_a_value_is_released_if_nothing_follows() {
    let mut launch = script("printf 'password: sk-'; exec sleep 1000", terminal());
    launch.secrets = secrets();
    let stage = Stage::start(&launch);
    stage.wait_text("password: sk-");
}

#[test]
fn a_value_set_later_is_masked_in_output_and_input() {
    let mut stage = Stage::script("while read -r line; do echo \"got $line.\"; done");
    assert_eq!(stage.ask(&Request::SetSecrets(secrets())), Reply::Done);
    stage.type_in(1, &format!("{VALUE}\n"));
    stage.wait_text(&format!("got {}.", "*".repeat(VALUE.len())));
    assert!(!is_anywhere(&stage));
}

#[test]
fn a_value_that_is_too_short_is_refused() {
    let mut stage = Stage::script("exec sleep 1000");
    let refused = stage.ask(&Request::SetSecrets(vec![Secret::new(b"abc".to_vec())]));
    assert!(matches!(refused, Reply::Refused(Refusal::Unusable { .. })), "{refused:?}");
}

#[test]
fn descendants_cannot_inspect_the_holder() {
    // Root may inspect any process; others must not, even as the same user.
    let stage = Stage::script("echo ready; exec sleep 1000");
    stage.wait_text("ready");
    let environ = format!("/proc/{}/environ", stage.launched.holder.id());
    let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(environ).unwrap());
    assert_eq!(owner, 0);
}

#[test]
fn messages_of_a_helper_are_recorded_in_order_and_masked() {
    let mut launch = script("printf first; read -r go; printf last; exec sleep 1000", pipes());
    launch.secrets = secrets();
    let mut stage = Stage::start(&launch);
    stage.wait_text("first");
    let aside = Request::SayAside { bytes: format!("DONE:T1 {VALUE}\n").into() };
    assert_eq!(stage.ask(&aside), Reply::Done);
    stage.type_in(1, "go\n");
    stage.wait_text("last");
    let outputs: Vec<_> = stage
        .records()
        .into_iter()
        .filter_map(|record| match record.body {
            Body::Output { stream, bytes } => Some((record.offset, stream, bytes)),
            _ => None,
        })
        .collect();
    let masked = format!("DONE:T1 {}\n", "*".repeat(VALUE.len())).into_bytes();
    let end = 5 + masked.len() as u64;
    let expected = [
        (0, Stream::Output, b"first".to_vec()),
        (5, Stream::Aside, masked),
        (end, Stream::Output, b"last".to_vec()),
    ];
    assert_eq!(outputs, expected);
    let long = Request::SayAside { bytes: vec![b'x'; INPUT_BYTES_MAX + 1] };
    assert!(matches!(stage.ask(&long), Reply::Refused(Refusal::TooLong { .. })));
}
