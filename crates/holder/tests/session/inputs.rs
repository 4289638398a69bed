//! Inputs are written once, in order and completely.

use std::time::Instant;

use holder::protocol::{INPUT_QUEUE_BYTES_MAX, Refusal, Reply, Request};
use holder::spool::RecordBody;

use crate::test_session::{
    PATIENCE, TestSession, pipe_attachment, repetition_count, script_launch, terminal_attachment, wait_for,
};

#[test]
fn repeated_inputs_are_written_once_and_in_order() {
    for _ in 0..repetition_count(2) {
        assert_repeated_inputs_written_once();
    }
}

fn assert_repeated_inputs_written_once() {
    let mut session =
        TestSession::start_script("stty -echo; echo ready; while read -r line; do echo \"got $line.\"; done");
    session.wait_text("ready");
    for _ in 0..3 {
        for number in 1..=20 {
            let input = Request::Input { number, bytes: format!("line {number}\n").into() };
            session.launched.connection.send(&input).unwrap();
        }
    }
    // Three clients send the same inputs, each on its own connection.
    for _ in 0..3 {
        let mut connection = session.connect();
        for number in 1..=20 {
            let input = Request::Input { number, bytes: format!("line {number}\n").into() };
            assert!(matches!(connection.request(&input, PATIENCE), Ok(Reply::InputWritten { .. })));
        }
    }
    session.wait_text("got line 20.");
    let text = session.output_text();
    let got: Vec<&str> = text.lines().filter(|line| line.starts_with("got ")).collect();
    let expected: Vec<String> = (1..=20).map(|number| format!("got line {number}.")).collect();
    assert_eq!(got, expected);
    let written: Vec<u64> = session
        .records()
        .iter()
        .filter_map(
            |record| if let RecordBody::Input { number, .. } = record.body { Some(number) } else { None },
        )
        .collect();
    assert_eq!(written, (1..=20).collect::<Vec<_>>());
    assert_eq!(session.status().inputs_written, 20);
}

#[test]
fn an_input_out_of_order_is_refused_with_the_expected_number() {
    let mut session = TestSession::start_script("cat");
    let early = Request::Input { number: 2, bytes: b"x".to_vec() };
    assert_eq!(session.request(&early), Reply::Refused(Refusal::OutOfOrder { expected: 1 }));
    session.send_input(1, "a\n");
    session.send_input(2, "b\n");
    wait_for("both lines, echoed and answered", || {
        let text = session.output_text();
        (text.matches("a\r\n").count() == 2 && text.matches("b\r\n").count() == 2).then_some(())
    });
}

#[test]
fn a_long_input_reaches_a_slow_reader_completely() {
    let read = "stty raw -echo; echo ready; sleep 0.05; dd bs=777 count=200000 iflag=fullblock 2>/dev/null \
                | head -c 102400 | sha256sum";
    let mut session = TestSession::start_script(read);
    session.wait_text("ready");
    let bytes: Vec<u8> = (0..102_400_u32).map(|n| b'!' + (n % 89 + n / 1000) as u8 % 90).collect();
    let expected = sha256_of(&bytes);
    assert_eq!(session.request(&Request::Input { number: 1, bytes }), Reply::InputWritten { number: 1 });
    // The following bytes let `dd` fill its last block.
    let filler = Request::Input { number: 2, bytes: vec![b'.'; 4096] };
    session.launched.connection.send(&filler).unwrap();
    session.wait_text(&expected);
}

#[test]
fn an_agent_that_does_not_read_does_not_block_the_holder() {
    let mut session = TestSession::start_script("stty raw -echo; echo ready; exec sleep 1000");
    session.wait_text("ready");
    let mut sent = 0;
    let refused = (1..).find_map(|number| {
        let tag =
            session.launched.connection.send(&Request::Input { number, bytes: vec![b'x'; 30_000] }).unwrap();
        sent += 30_000;
        // The holder answers while inputs are queued.
        let status = session.status();
        assert!(sent < INPUT_QUEUE_BYTES_MAX * 2, "the input queue is not bounded");
        (status.inputs_accepted < number).then_some(tag)
    });
    let deadline = Instant::now() + PATIENCE;
    let busy = std::iter::from_fn(|| session.launched.connection.receive(deadline).unwrap())
        .find(|(tag, reply)| Some(*tag) == refused && matches!(reply, Reply::Refused(_)));
    assert_eq!(busy.map(|(_, reply)| reply), Some(Reply::Refused(Refusal::Busy)));
    // It waits without polling the terminal.
    session.wait_until_idle();
}

#[test]
fn a_line_too_long_for_the_terminal_is_refused() {
    let mut session = TestSession::start_script("echo ready; cat");
    session.wait_text("ready");
    let long = Request::Input { number: 1, bytes: vec![b'x'; 5000] };
    assert_eq!(session.request(&long), Reply::Refused(Refusal::TooLong { bytes_max: 4095 }));
    // The number was not consumed.
    session.send_input(1, "short\n");
    session.wait_text("short\r\nshort");
}

#[test]
fn pipes_carry_input_end_of_input_and_two_streams() {
    let mut session = TestSession::start(&script_launch("cat; echo problem >&2; exit 7", pipe_attachment()));
    session.send_input(1, "through a pipe\n");
    assert_eq!(session.request(&Request::CloseInput), Reply::Done);
    assert_eq!(session.wait_end().code, Some(7));
    let streams: Vec<(String, String)> = session
        .records()
        .into_iter()
        .filter_map(|record| match record.body {
            RecordBody::Output { stream, bytes } => {
                Some((format!("{stream:?}"), String::from_utf8(bytes).unwrap()))
            }
            _ => None,
        })
        .collect();
    let expected = [("Output", "through a pipe\n"), ("Error", "problem\n")]
        .map(|(stream, text)| (stream.to_owned(), text.to_owned()));
    assert_eq!(streams, expected);
}

#[test]
fn inputs_are_refused_after_the_agent_closed_its_input() {
    let mut session =
        TestSession::start(&script_launch("exec <&-; echo closed; exec sleep 1000", pipe_attachment()));
    session.wait_text("closed");
    let refused = session.request(&Request::Input { number: 1, bytes: b"x".to_vec() });
    assert_eq!(refused, Reply::Refused(Refusal::WrongPhase));
}

#[test]
fn a_session_continues_without_clients() {
    let mut session = TestSession::start(&script_launch(
        "while read -r line; do echo \"got $line\"; done",
        terminal_attachment(),
    ));
    session.send_input(1, "one\n");
    session.launched.connection = session.connect();
    session.send_input(2, "two\n");
    wait_for("both answers", || session.output_text().contains("got two").then_some(()));
    assert!(session.output_text().contains("got one"));
}

fn sha256_of(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bytes");
    std::fs::write(&path, bytes).unwrap();
    let output = std::process::Command::new("sha256sum").arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}
