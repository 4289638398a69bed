//! Unauthorized clients, other versions and garbage.

use std::{
    io::{Read, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream, process::CommandExt},
    process::{Command, Stdio},
    time::Duration,
};

use holder::{
    ClientError, HolderConnection, SOCKET_NAME,
    protocol::{CONNECTIONS_MAX, FRAME_BYTES_MAX, Frame, FrameReader, Refusal, Reply, Request, SessionPhase},
};
use proptest::{
    collection::vec,
    prelude::{ProptestConfig, any, proptest},
};

use crate::test_session::{PATIENCE, TestSession, wait_for};

/// Sends bytes, and returns the replies until the holder closes the connection.
fn exchange_raw_bytes(session: &TestSession, bytes: &[u8]) -> Vec<Reply> {
    let mut stream = UnixStream::connect(session.directory.join(SOCKET_NAME)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // The holder may close the connection while we write.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut frames = FrameReader::default();
    let mut piece = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut piece) {
        frames.push(&piece[..length]);
    }
    std::iter::from_fn(|| frames.next_frame().unwrap()).filter_map(|frame| Reply::decode(&frame)).collect()
}

#[test]
fn another_version_is_refused_with_the_supported_one() {
    let mut session = TestSession::start_script("exec sleep 1000");
    let token = session.token();
    for (version_min, version_max) in [(3, 9), (0, 0), (1, 1), (9, 0)] {
        let hello = Request::Hello { version_min, version_max, token: Some(token.clone()) }.encode(7);
        let refusal = Refusal::Version { version_min: 2, version_max: 2 };
        assert_eq!(exchange_raw_bytes(&session, &hello), [Reply::Refused(refusal)]);
    }
    // A newer client that still supports our version is accepted.
    let hello = Request::Hello { version_min: 0, version_max: 40_000, token: Some(token) }.encode(7);
    assert!(matches!(exchange_raw_bytes(&session, &hello)[..], [Reply::Hello(_)]));
    assert_eq!(session.status_phase(), SessionPhase::Running);
}

#[test]
fn a_client_without_hello_is_refused() {
    let session = TestSession::start_script("exec sleep 1000");
    let end = Request::End { grace: Duration::ZERO }.encode(1);
    assert_eq!(exchange_raw_bytes(&session, &end), [Reply::Refused(Refusal::HelloRequired)]);
}

#[test]
fn a_frame_that_is_too_large_ends_only_the_connection() {
    let mut session = TestSession::start_script("exec sleep 1000");
    let mut bytes = session.encoded_hello();
    bytes.extend(u32::MAX.to_le_bytes());
    bytes.extend([3; 100]);
    assert!(matches!(
        exchange_raw_bytes(&session, &bytes)[..],
        [Reply::Hello(_), Reply::Refused(Refusal::Malformed)]
    ));
    assert_eq!(session.status_phase(), SessionPhase::Running);
}

#[test]
fn an_unknown_request_is_refused_and_the_connection_stays_open() {
    let mut session = TestSession::start_script("exec sleep 1000");
    let mut bytes = session.encoded_hello();
    bytes.extend(Frame::encode(99, 2, b"what"));
    bytes.extend(Frame::encode(5, 3, b"\x01"));
    bytes.extend(Request::Status.encode(4).iter());
    let replies = exchange_raw_bytes(&session, &bytes);
    let malformed = Reply::Refused(Refusal::Malformed);
    assert!(
        matches!(&replies[..], [Reply::Hello(_), a, b, Reply::Status(_)] if *a == malformed && *b == malformed),
        "{replies:?}"
    );
    assert_eq!(session.status_phase(), SessionPhase::Running);
}

#[test]
fn garbage_neither_ends_the_holder_nor_grows_its_memory() {
    let session = std::cell::RefCell::new(TestSession::start_script("exec sleep 1000"));
    proptest!(ProptestConfig::with_cases(64), |(kind in any::<u8>(), payload in vec(any::<u8>(), 0..300), raw in vec(any::<u8>(), 0..300))| {
        let mut bytes = session.borrow().encoded_hello();
        // These would take effect.
        if ![8, 6].contains(&kind) {
            bytes.extend(Frame::encode(kind, 2, &payload));
        }
        bytes.extend(&raw);
        exchange_raw_bytes(&session.borrow(), &bytes);
    });
    let mut session = session.into_inner();
    // Sixteen clients that announce the largest frame and send most of it.
    let mut clients: Vec<UnixStream> = Vec::new();
    for _ in 0..CONNECTIONS_MAX - 1 {
        let mut client = UnixStream::connect(session.directory.join(SOCKET_NAME)).unwrap();
        client.write_all(&session.encoded_hello()).unwrap();
        client.write_all(&u32::try_from(FRAME_BYTES_MAX).unwrap().to_le_bytes()).unwrap();
        client.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
        client.write_all(&vec![1; FRAME_BYTES_MAX - 100]).unwrap();
        clients.push(client);
    }
    assert_eq!(session.status_phase(), SessionPhase::Running);
    let limit_kib = (CONNECTIONS_MAX * FRAME_BYTES_MAX * 3) as u64 / 1024;
    let used = resident_kib(session.launched.holder.id());
    assert!(used < limit_kib, "{used} KiB");
    // Another client is refused.
    let mut late = UnixStream::connect(session.directory.join(SOCKET_NAME)).unwrap();
    let mut answer = Vec::new();
    late.read_to_end(&mut answer).unwrap();
    let mut frames = FrameReader::default();
    frames.push(&answer);
    let reply = frames.next_frame().unwrap().and_then(|frame| Reply::decode(&frame));
    assert_eq!(reply, Some(Reply::Refused(Refusal::Busy)));
    drop(clients);
    wait_for("there is room again", || HolderConnection::connect(&session.directory).ok());
}

#[test]
fn a_folder_accessible_to_others_is_refused() {
    let session = TestSession::start_script("exec sleep 1000");
    std::fs::set_permissions(&session.directory, PermissionsExt::from_mode(0o755)).unwrap();
    assert!(matches!(
        HolderConnection::connect(&session.directory),
        Err(ClientError::InsecureDirectory { .. })
    ));
    let launch = crate::test_session::script_launch("", crate::test_session::terminal_attachment());
    let error = holder::launch_session(crate::test_session::holder_program(), &session.directory, &launch)
        .unwrap_err();
    assert!(matches!(error, ClientError::InsecureDirectory { .. }), "{error:?}");
}

#[test]
fn a_second_holder_in_the_same_folder_is_refused() {
    let mut session = TestSession::start_script("exec sleep 1000");
    let launch =
        crate::test_session::script_launch("exec sleep 1000", crate::test_session::terminal_attachment());
    let error = holder::launch_session(crate::test_session::holder_program(), &session.directory, &launch)
        .unwrap_err();
    assert!(matches!(error, ClientError::Refused(Refusal::Failed { .. })), "{error:?}");
    assert_eq!(session.status_phase(), SessionPhase::Running);
    session.connect();
}

const OTHER_USER: &str = "HOLDER_TEST_OTHER_USER";

#[test]
fn another_user_is_refused_even_with_an_open_socket() {
    if !is_root() {
        eprintln!("skipped: only root can change the user id");
        return;
    }
    let session = TestSession::start_script("exec sleep 1000");
    let socket = session.directory.join(SOCKET_NAME);
    // Opened to everyone on purpose: the user id alone must be checked.
    for (path, mode) in
        [(session.directory.parent().unwrap(), 0o755), (&session.directory, 0o755), (&socket, 0o666)]
    {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "protocol::other_user_process"])
        .env(OTHER_USER, &socket)
        .uid(65534)
        .stdout(Stdio::null())
        .status();
    match status {
        Ok(status) => assert!(status.success(), "another user was accepted"),
        Err(error) => eprintln!("skipped: user 65534 cannot run the tests: {error}"),
    }
}

/// Not a test: the other user.
#[test]
fn other_user_process() {
    let Some(socket) = std::env::var_os(OTHER_USER) else { return };
    let mut stream = UnixStream::connect(socket).unwrap();
    let _ = stream.write_all(&Request::Hello { version_min: 2, version_max: 2, token: None }.encode(1));
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert_eq!(answer, b"");
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0
}

fn resident_kib(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().split(' ').next().unwrap().parse().unwrap()
}
