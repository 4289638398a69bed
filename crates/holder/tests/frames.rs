//! Frames, requests and replies: decoded as encoded, in any chunks, with bounded memory.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use std::time::Duration;

use holder::{
    mask::Secret,
    protocol::{
        FRAME_BYTES_MAX, Frame, FrameReader, FrameTooLarge, Greeting, MemoryLimit, Refusal, Reply, Request,
        SessionPhase, SessionStatus, StartedAgent, WindowSize,
    },
    spool::{EndReason, Exit, Record, RecordBody},
};
use proptest::{collection::vec, prelude::*};

fn requests() -> Vec<Request> {
    vec![
        Request::Hello { version_min: 1, version_max: 2, token: None },
        Request::Hello { version_min: 2, version_max: 2, token: Some(Secret::new(b"a token".to_vec())) },
        Request::Input { number: 7, bytes: b"text".to_vec() },
        Request::CloseInput,
        Request::Resize(WindowSize { columns: 80, rows: 24 }),
        Request::Stop,
        Request::Continue,
        Request::End { grace: Duration::from_millis(1500) },
        Request::Interrupt,
        Request::Status,
        Request::Subscribe { from: 1 << 40 },
        Request::SetSecrets(vec![Secret::new(b"value".to_vec())]),
        Request::AddSecrets(vec![Secret::new(b"value".to_vec())]),
        Request::MarkTurnEnd { offset: 5 },
        Request::DeleteBefore { offset: 6 },
    ]
}

fn replies() -> Vec<Reply> {
    let exit = Exit { code: Some(-1), signal: None, reason: EndReason::Request };
    let refusals = [
        Refusal::Version { version_min: 1, version_max: 3 },
        Refusal::HelloRequired,
        Refusal::Malformed,
        Refusal::OutOfOrder { expected: 4 },
        Refusal::Busy,
        Refusal::TooLong { bytes_max: 4095 },
        Refusal::WrongPhase,
        Refusal::NoSuchOffset { first: 1, end: 2 },
        Refusal::Failed { what: "start".into(), errno: 2 },
        Refusal::InvalidValue { what: "a value".into() },
    ];
    let status = SessionStatus {
        phase: SessionPhase::Ending,
        agent_pid: Some(12),
        offset: 1,
        inputs_accepted: 2,
        inputs_written: 3,
        is_disk_full: true,
        exit: Some(exit),
    };
    let mut replies = vec![
        Reply::Hello(Greeting { version: 1, holder_pid: 99 }),
        Reply::Accepted,
        Reply::Started(StartedAgent { agent_pid: 5, memory: MemoryLimit::EachProcess, has_cgroup: true }),
        Reply::Done,
        Reply::InputWritten { number: 8 },
        Reply::Status(status),
        Reply::Record(Record { offset: 3, at_ms: 4, body: RecordBody::Exit(exit) }),
    ];
    replies.extend(refusals.map(Reply::Refused));
    replies
}

/// Feeds bytes in pieces and returns all frames.
fn decode_frames(bytes: &[u8], piece: usize) -> Vec<Frame> {
    let mut reader = FrameReader::default();
    let mut frames = Vec::new();
    for piece in bytes.chunks(piece) {
        reader.push(piece);
        frames.extend(std::iter::from_fn(|| reader.next_frame().unwrap()));
    }
    frames
}

#[test]
fn requests_and_replies_decode_to_themselves() {
    for piece in [1, 2, 7, 1000] {
        let bytes: Vec<u8> = requests().iter().flat_map(|request| request.encode(9).to_vec()).collect();
        let read: Vec<_> =
            decode_frames(&bytes, piece).iter().map(|frame| Request::decode(frame).unwrap()).collect();
        assert_eq!(read, requests());
        let bytes: Vec<u8> = replies().iter().flat_map(|reply| reply.encode(9)).collect();
        let read: Vec<_> =
            decode_frames(&bytes, piece).iter().map(|frame| Reply::decode(frame).unwrap()).collect();
        assert_eq!(read, replies());
    }
}

#[test]
fn a_truncated_request_is_rejected() {
    for request in requests() {
        // Inputs have any length, and a hello need not have a token.
        let whole_at = match request {
            Request::Input { .. } => 8..usize::MAX,
            Request::Hello { .. } => 18..19,
            _ => 0..0,
        };
        let whole = request.encode(1);
        let payload = &whole[9..];
        for length in 0..payload.len() {
            let frame = decode_frames(&Frame::encode(whole[4], 1, &payload[..length]), 1000).pop().unwrap();
            let read = Request::decode(&frame);
            assert!(read.is_none() || whole_at.contains(&length), "{request:?} cut at {length}");
        }
    }
}

#[test]
fn an_impossible_frame_length_is_rejected_at_once() {
    let mut reader = FrameReader::default();
    let bytes = FRAME_BYTES_MAX + 1;
    reader.push(&u32::try_from(bytes).unwrap().to_le_bytes());
    reader.push(&[0; 5]);
    assert_eq!(reader.next_frame(), Err(FrameTooLarge { bytes }));
}

#[test]
fn debug_output_does_not_show_secrets() {
    let request = Request::SetSecrets(vec![Secret::new(b"hidden".to_vec())]);
    let frame = decode_frames(&request.encode(1), 1000).pop().unwrap();
    let input = Request::Input { number: 1, bytes: b"hidden".to_vec() };
    let shown = format!("{request:?} {frame:?} {input:?}");
    assert!(!shown.contains("hidden") && !shown.contains("104, 105"), "{shown}");
}

proptest! {
    #[test]
    fn decoding_any_payload_does_not_panic(kind: u8, payload in vec(any::<u8>(), 0..400)) {
        let frame = decode_frames(&Frame::encode(kind, 1, &payload), 1000).pop().unwrap();
        let _ = (Request::decode(&frame), Reply::decode(&frame));
    }

    #[test]
    fn any_bytes_are_frames_or_rejected(bytes in vec(any::<u8>(), 0..400), piece in 1_usize..50) {
        let mut reader = FrameReader::default();
        for piece in bytes.chunks(piece) {
            reader.push(piece);
            while let Ok(Some(_)) = reader.next_frame() {}
        }
    }
}
