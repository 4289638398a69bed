//! Inputs are typed once, in order and completely.

use std::time::Instant;

use holder::protocol::{INPUT_QUEUE_BYTES_MAX, Refusal, Reply, Request};
use holder::spool::Body;

use crate::stage::{PATIENCE, Stage, pipes, rounds, script, terminal, wait_for};

#[test]
fn repeated_inputs_are_typed_once_and_in_order() {
    for _ in 0..rounds(2) {
        check_typed_once();
    }
}

fn check_typed_once() {
    let mut stage = Stage::script("stty -echo; echo ready; while read -r line; do echo \"got $line.\"; done");
    stage.wait_text("ready");
    for _ in 0..3 {
        for number in 1..=20 {
            let input = Request::Input { number, bytes: format!("line {number}\n").into() };
            stage.launched.connection.send(&input).unwrap();
        }
    }
    // Three clients send the same inputs, each on its own connection.
    for _ in 0..3 {
        let mut connection = stage.connect();
        for number in 1..=20 {
            let input = Request::Input { number, bytes: format!("line {number}\n").into() };
            assert!(matches!(connection.ask(&input, PATIENCE), Ok(Reply::Typed { .. })));
        }
    }
    stage.wait_text("got line 20.");
    let text = stage.text();
    let got: Vec<&str> = text.lines().filter(|line| line.starts_with("got ")).collect();
    let expected: Vec<String> = (1..=20).map(|number| format!("got line {number}.")).collect();
    assert_eq!(got, expected);
    let typed: Vec<u64> = stage
        .records()
        .iter()
        .filter_map(|record| if let Body::Input { number, .. } = record.body { Some(number) } else { None })
        .collect();
    assert_eq!(typed, (1..=20).collect::<Vec<_>>());
    assert_eq!(stage.status().input_typed, 20);
}

#[test]
fn an_input_out_of_order_is_refused_with_the_expected_number() {
    let mut stage = Stage::script("cat");
    let early = Request::Input { number: 2, bytes: b"x".to_vec() };
    assert_eq!(stage.ask(&early), Reply::Refused(Refusal::OutOfOrder { expected: 1 }));
    stage.type_in(1, "a\n");
    stage.type_in(2, "b\n");
    wait_for("both lines, echoed and answered", || {
        let text = stage.text();
        (text.matches("a\r\n").count() == 2 && text.matches("b\r\n").count() == 2).then_some(())
    });
}

#[test]
fn a_long_input_reaches_a_slow_reader_completely() {
    let read = "stty raw -echo; echo ready; sleep 0.05; dd bs=777 count=200000 iflag=fullblock 2>/dev/null \
                | head -c 102400 | sha256sum";
    let mut stage = Stage::script(read);
    stage.wait_text("ready");
    let bytes: Vec<u8> = (0..102_400_u32).map(|n| b'!' + (n % 89 + n / 1000) as u8 % 90).collect();
    let expected = sum_of(&bytes);
    assert_eq!(stage.ask(&Request::Input { number: 1, bytes }), Reply::Typed { number: 1 });
    // The following bytes let `dd` fill its last block.
    let filler = Request::Input { number: 2, bytes: vec![b'.'; 4096] };
    stage.launched.connection.send(&filler).unwrap();
    stage.wait_text(&expected);
}

#[test]
fn an_agent_that_does_not_read_does_not_block_the_holder() {
    let mut stage = Stage::script("stty raw -echo; echo ready; exec sleep 1000");
    stage.wait_text("ready");
    let mut sent = 0;
    let refused = (1..).find_map(|number| {
        let tag =
            stage.launched.connection.send(&Request::Input { number, bytes: vec![b'x'; 30_000] }).unwrap();
        sent += 30_000;
        // The holder answers while inputs are queued.
        let status = stage.status();
        assert!(sent < INPUT_QUEUE_BYTES_MAX * 2, "the input queue is not bounded");
        (status.input_taken < number).then_some(tag)
    });
    let deadline = Instant::now() + PATIENCE;
    let busy = std::iter::from_fn(|| stage.launched.connection.receive(deadline).unwrap())
        .find(|(tag, reply)| Some(*tag) == refused && matches!(reply, Reply::Refused(_)));
    assert_eq!(busy.map(|(_, reply)| reply), Some(Reply::Refused(Refusal::Busy)));
    // It waits without polling the terminal.
    stage.wait_quiet();
}

#[test]
fn a_line_too_long_for_the_terminal_is_refused() {
    let mut stage = Stage::script("echo ready; cat");
    stage.wait_text("ready");
    let long = Request::Input { number: 1, bytes: vec![b'x'; 5000] };
    assert_eq!(stage.ask(&long), Reply::Refused(Refusal::TooLong { bytes_max: 4095 }));
    // The number was not consumed.
    stage.type_in(1, "short\n");
    stage.wait_text("short\r\nshort");
}

#[test]
fn pipes_carry_input_end_of_input_and_two_streams() {
    let mut stage = Stage::start(&script("cat; echo problem >&2; exit 7", pipes()));
    stage.type_in(1, "through a pipe\n");
    assert_eq!(stage.ask(&Request::CloseInput), Reply::Done);
    assert_eq!(stage.wait_end().code, Some(7));
    let streams: Vec<(String, String)> = stage
        .records()
        .into_iter()
        .filter_map(|record| match record.body {
            Body::Output { stream, bytes } => {
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
    let mut stage = Stage::start(&script("exec <&-; echo closed; exec sleep 1000", pipes()));
    stage.wait_text("closed");
    let refused = stage.ask(&Request::Input { number: 1, bytes: b"x".to_vec() });
    assert_eq!(refused, Reply::Refused(Refusal::WrongPhase));
}

#[test]
fn a_session_continues_without_clients() {
    let mut stage = Stage::start(&script("while read -r line; do echo \"got $line\"; done", terminal()));
    stage.type_in(1, "one\n");
    stage.launched.connection = stage.connect();
    stage.type_in(2, "two\n");
    wait_for("both answers", || stage.text().contains("got two").then_some(()));
    assert!(stage.text().contains("got one"));
}

fn sum_of(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bytes");
    std::fs::write(&path, bytes).unwrap();
    let output = std::process::Command::new("sha256sum").arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}
