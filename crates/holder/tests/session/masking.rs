//! Secrets do not reach any file of a real session.

use holder::{
    mask::Secret,
    protocol::{INPUT_BYTES_MAX, Refusal, Reply, Request},
    spool::{OutputSource, RecordBody},
};

use crate::test_session::{TestSession, pipe_attachment, script_launch, terminal_attachment, wait_for};

const VALUE: &str = "sk-live-51H8xQ2eZvKYlo2C";

fn secrets() -> Vec<Secret> {
    vec![Secret::new(VALUE.into())]
}

/// Tells whether any file of a session's folder contains the value.
fn has_leaked(session: &TestSession) -> bool {
    std::fs::read_dir(&session.directory).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        path.is_file()
            && std::fs::read(path).unwrap().windows(VALUE.len()).any(|window| window == VALUE.as_bytes())
    })
}

#[test]
fn a_value_is_masked_from_the_beginning_in_every_encoding() {
    let print =
        format!("printf '%s\\n' 'key={VALUE}.'; printf %s 'x{VALUE}' | base64; echo ready; exec sleep 1000");
    let mut launch = script_launch(&print, terminal_attachment());
    launch.secrets = secrets();
    let session = TestSession::start(&launch);
    let text = session.wait_text("ready");
    assert!(text.contains(&format!("key={}.", "*".repeat(VALUE.len()))), "{text}");
    assert!(text.contains("eH****"), "{text}");
    assert!(!has_leaked(&session));
}

#[test]
fn a_value_written_in_pieces_is_masked() {
    let (first, second) = VALUE.split_at(15);
    let print =
        format!("printf %s '{first}'; read -r go; printf '%s\\n' '{second}.'; echo ready; exec sleep 1000");
    let mut launch = script_launch(&print, pipe_attachment());
    launch.secrets = secrets();
    let mut session = TestSession::start(&launch);
    // More than half of it is held back longer than allowed, and released masked.
    wait_for("the start is given up", || (session.output() == b"***************").then_some(()));
    session.send_input(1, "go\n");
    assert_eq!(session.wait_text("ready"), format!("{}.\nready\n", "*".repeat(VALUE.len())));
    assert!(!has_leaked(&session));
}

#[test]
fn the_beginning_of_a_value_is_released_if_nothing_follows() {
    let mut launch = script_launch("printf 'password: sk-'; exec sleep 1000", terminal_attachment());
    launch.secrets = secrets();
    let session = TestSession::start(&launch);
    session.wait_text("password: sk-");
}

#[test]
fn a_value_set_later_is_masked_in_output_and_input() {
    let mut session = TestSession::start_script("while read -r line; do echo \"got $line.\"; done");
    assert_eq!(session.request(&Request::SetSecrets(secrets())), Reply::Done);
    session.send_input(1, &format!("{VALUE}\n"));
    session.wait_text(&format!("got {}.", "*".repeat(VALUE.len())));
    assert!(!has_leaked(&session));
}

#[test]
fn an_added_value_is_masked_beside_the_earlier_ones() {
    let mut launch = script_launch("while read -r line; do echo \"got $line.\"; done", pipe_attachment());
    launch.secrets = secrets();
    let mut session = TestSession::start(&launch);
    let added = "another-key-9f3b";
    let add = |value: &str| Request::AddSecrets(vec![Secret::new(value.into())]);
    assert_eq!(session.request(&add(added)), Reply::Done);
    assert_eq!(session.request(&add(added)), Reply::Done);
    // Too much together: the earlier values stay masked.
    for _ in 0..2 {
        let large: String = "x".repeat(8 << 10);
        session.request(&add(&large));
    }
    let refused = session.request(&add(&"y".repeat(8 << 10)));
    assert!(matches!(refused, Reply::Refused(Refusal::InvalidValue { .. })), "{refused:?}");
    session.send_input(1, &format!("{VALUE} and {added}\n"));
    session.wait_text(&format!("got {} and {}.", "*".repeat(VALUE.len()), "*".repeat(added.len())));
    assert!(!has_leaked(&session));
}

#[test]
fn a_value_that_is_too_short_is_refused() {
    let mut session = TestSession::start_script("exec sleep 1000");
    let refused = session.request(&Request::SetSecrets(vec![Secret::new(b"abc".to_vec())]));
    assert!(matches!(refused, Reply::Refused(Refusal::InvalidValue { .. })), "{refused:?}");
}

#[test]
fn descendants_cannot_inspect_the_holder() {
    // Root may inspect any process; others must not, even as the same user.
    let session = TestSession::start_script("echo ready; exec sleep 1000");
    session.wait_text("ready");
    let environ = format!("/proc/{}/environ", session.launched.holder.id());
    let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(environ).unwrap());
    assert_eq!(owner, 0);
}

#[test]
fn messages_of_a_helper_are_recorded_in_order_and_masked() {
    let mut launch =
        script_launch("printf first; read -r go; printf last; exec sleep 1000", pipe_attachment());
    launch.secrets = secrets();
    let mut session = TestSession::start(&launch);
    session.wait_text("first");
    let aside = Request::WriteSideChannel { bytes: format!("DONE:T1 {VALUE}\n").into() };
    assert_eq!(session.request(&aside), Reply::Done);
    session.send_input(1, "go\n");
    session.wait_text("last");
    let outputs: Vec<_> = session
        .records()
        .into_iter()
        .filter_map(|record| match record.body {
            RecordBody::Output { stream, bytes } => Some((record.offset, stream, bytes)),
            _ => None,
        })
        .collect();
    let masked = format!("DONE:T1 {}\n", "*".repeat(VALUE.len())).into_bytes();
    let end = 5 + masked.len() as u64;
    let expected = [
        (0, OutputSource::Output, b"first".to_vec()),
        (5, OutputSource::SideChannel, masked),
        (end, OutputSource::Output, b"last".to_vec()),
    ];
    assert_eq!(outputs, expected);
    let long = Request::WriteSideChannel { bytes: vec![b'x'; INPUT_BYTES_MAX + 1] };
    assert!(matches!(session.request(&long), Reply::Refused(Refusal::TooLong { .. })));
}
