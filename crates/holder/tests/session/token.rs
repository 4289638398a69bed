//! Only clients that can read the session's folder are accepted: access to the socket is not enough.

use std::{
    io::{Read, Write},
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    time::Duration,
};

use holder::{
    HolderConnection, SOCKET_NAME, TOKEN_NAME,
    mask::Secret,
    protocol::{CONNECTIONS_MAX, Frame, FrameReader, Refusal, Reply, Request, SessionPhase},
};

use crate::test_session::{PATIENCE, TestSession, wait_for};

/// Connects without sending anything.
fn connect_without_hello(session: &TestSession) -> UnixStream {
    let stream = UnixStream::connect(session.directory.join(SOCKET_NAME)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends this hello and an end request, and returns all replies.
fn send_end_with_token(session: &TestSession, token: Option<Secret>) -> Vec<Reply> {
    let mut stream = connect_without_hello(session);
    let mut bytes = Request::Hello { version_min: 1, version_max: 9, token }.encode(1).to_vec();
    bytes.extend(Request::End { grace: Duration::ZERO }.encode(2).iter());
    stream.write_all(&bytes).unwrap();
    let mut frames = FrameReader::default();
    let mut answer = Vec::new();
    // A holder that closes the connection with unread data resets it.
    let _ = stream.read_to_end(&mut answer);
    frames.push(&answer);
    std::iter::from_fn(|| frames.next_frame().unwrap()).filter_map(|frame| Reply::decode(&frame)).collect()
}

#[test]
fn a_client_without_the_token_is_refused_without_effect() {
    let mut session = TestSession::start_script("exec sleep 1000");
    let right = std::fs::read(session.directory.join(TOKEN_NAME)).unwrap();
    let mut wrong = right.clone();
    wrong[31] ^= 1;
    let short = right[..31].to_vec();
    let long = [right.as_slice(), b"x"].concat();
    for token in [None, Some(vec![]), Some(wrong), Some(short), Some(long)] {
        let replies = send_end_with_token(&session, token.map(Secret::new));
        assert_eq!(replies, [Reply::Refused(Refusal::InvalidToken)]);
    }
    assert_eq!(session.status_phase(), SessionPhase::Running);
    // With the right token it is accepted.
    let replies = send_end_with_token(&session, Some(Secret::new(right)));
    assert!(matches!(replies[..], [Reply::Hello(_), Reply::Done]), "{replies:?}");
}

#[test]
fn every_session_has_its_own_private_token() {
    let (one, other) =
        (TestSession::start_script("exec sleep 1000"), TestSession::start_script("exec sleep 1000"));
    assert_ne!(one.token(), other.token());
    let mode = std::fs::metadata(one.directory.join(TOKEN_NAME)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn clients_without_hello_neither_block_others_nor_grow_memory() {
    let mut session = TestSession::start_script("exec sleep 1000");
    let mut other_users: Vec<UnixStream> =
        (0..CONNECTIONS_MAX * 2).map(|_| connect_without_hello(&session)).collect();
    // A frame size that is allowed after the hello ends the connection before it.
    let first = other_users.last_mut().unwrap();
    first.write_all(&Frame::encode(1, 1, &[0; 1000])).unwrap();
    let mut answer = Vec::new();
    let _ = first.read_to_end(&mut answer);
    wait_for("a friend is heard", || HolderConnection::connect(&session.directory).ok());
    assert_eq!(session.status_phase(), SessionPhase::Running);
}

#[test]
fn a_holder_of_protocol_version_1_is_supported() {
    // Such a holder knows no token and ignores everything after the versions.
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o700)).unwrap();
    let listener = UnixListener::bind(folder.path().join(SOCKET_NAME)).unwrap();
    let older = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 9];
        stream.read_exact(&mut head).unwrap();
        let mut payload = vec![0; usize::from(head[0])];
        stream.read_exact(&mut payload).unwrap();
        assert_eq!((head[4], payload.get(..16).unwrap()), (1, b"JANGDAN-HOLDER\x01\x00".as_slice()));
        // Version 1, process id 7.
        let greeting = Frame::encode(128, u32::from(head[5]), &[1, 0, 7, 0, 0, 0]);
        stream.write_all(&greeting).unwrap();
    });
    let connection = HolderConnection::connect(folder.path()).unwrap();
    assert_eq!(connection.greeting().unwrap().version, 1);
    older.join().unwrap();
    // Also in a folder where a newer holder was running before.
    assert!(!folder.path().join(TOKEN_NAME).exists());
}
