//! Start and stop of a server, its socket, and several processes that start one at once.

use std::{
    fs,
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    sync::Barrier,
};

use domain::{Sequence, UserCommand};
use runtime::{Host, ShutdownMode};
use server::{Client, ConnectOrStartError, LiveEvent, LoopbackMode, Server, ServerError, connect_or_start};
use store::{Position, SqliteReader};
use tempfile::TempDir;
use views::{RunRow, RunState};

use crate::fixture::Fixture;

#[test]
fn socket_is_private_and_removed_with_the_server() {
    let mut fixture = Fixture::open();
    let socket = fixture.data_directory().join("server.sock");
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let status = fixture.client.status().unwrap();
    assert_eq!(status.data, fixture.data_directory().canonicalize().unwrap());
    fixture.server.take().unwrap().stop(ShutdownMode::EndSessions);
    assert!(!socket.exists());
    assert!(Client::connect(&fixture.data_directory()).unwrap().is_none());
    assert!(fixture.client.status().unwrap_err().to_string().starts_with("cannot connect to the server at"));
}

#[test]
fn only_a_stale_socket_is_replaced() {
    let folder = TempDir::new().unwrap();
    let data = folder.path();
    let socket = data.join("server.sock");
    let host = Host::open(data).unwrap();

    drop(UnixListener::bind(&socket).unwrap());
    let server = Server::start(host.clone(), data, LoopbackMode::Off).unwrap();
    assert!(matches!(
        Server::start(host.clone(), data, LoopbackMode::Off),
        Err(ServerError::AlreadyListening { .. })
    ));
    assert!(UnixStream::connect(&socket).is_ok(), "the first server still listens");
    server.stop(ShutdownMode::EndSessions);

    fs::write(&socket, "precious").unwrap();
    assert!(matches!(
        Server::start(host.clone(), data, LoopbackMode::Off),
        Err(ServerError::NotASocket { .. })
    ));
    assert_eq!(fs::read_to_string(&socket).unwrap(), "precious");
}

#[test]
fn too_long_socket_path_is_refused() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("d".repeat(120));
    let Err(ConnectOrStartError::Server(error)) = connect_or_start(&data, LoopbackMode::Off) else {
        panic!("the call must fail")
    };
    let text = error.to_string();
    assert!(text.contains("/server.sock has ") && text.ends_with("the system allows 107"), "{text}");
    assert!(error.hint().contains("shorter"));
    assert!(!data.exists(), "nothing was opened");
}

#[test]
fn concurrent_starts_share_one_server() {
    let folder = TempDir::new().unwrap();
    let n_processes = 4;
    let barrier = Barrier::new(n_processes);
    let running: Vec<_> = std::thread::scope(|scope| {
        let start = || {
            barrier.wait();
            connect_or_start(folder.path(), LoopbackMode::Off).unwrap()
        };
        let threads: Vec<_> = (0..n_processes).map(|_| scope.spawn(start)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(running.iter().filter(|running| running.embedded.is_some()).count(), 1);
    for server in &running {
        assert!(server.client.runs().unwrap().is_empty());
    }
    let embedded = running.into_iter().find_map(|running| running.embedded).unwrap();
    embedded.stop(ShutdownMode::EndSessions);
    // The lock was released.
    connect_or_start(folder.path(), LoopbackMode::Off)
        .unwrap()
        .embedded
        .unwrap()
        .stop(ShutdownMode::EndSessions);
}

#[test]
fn socket_of_a_killed_server_does_not_block_a_start() {
    let folder = TempDir::new().unwrap();
    let listener = UnixListener::bind(folder.path().join("server.sock")).unwrap();
    // A child process that a killed server was starting: it holds the socket, never responds, and closes it soon.
    let orphan = std::thread::spawn(move || {
        for _ in 0..4 {
            drop(listener.accept().unwrap());
        }
    });
    let running = connect_or_start(folder.path(), LoopbackMode::Off).unwrap();
    orphan.join().unwrap();
    assert!(running.client.runs().unwrap().is_empty());
    running.embedded.unwrap().stop(ShutdownMode::EndSessions);
}

#[test]
fn file_as_data_directory_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let Err(error) = connect_or_start(&file, LoopbackMode::Off) else { panic!("the call must fail") };
    assert!(error.to_string().contains("file"), "{error}");
    assert!(error.hint().contains("data directory"), "{}", error.hint());
}

#[test]
fn stopped_server_publishes_the_last_events_and_clients_reconnect() {
    let mut fixture = Fixture::open();
    let mut live = fixture.client.open_live_stream(None, None).unwrap();
    let run = fixture.start_run_with_questions(1);
    let handle = live.handle();
    let reader = std::thread::spawn(move || {
        let disconnected = live.find(|event| matches!(event, LiveEvent::Disconnected { .. }));
        (disconnected.is_some(), live)
    });
    fixture.client.stop_server(ShutdownMode::EndSessions).unwrap();
    fixture.server.take().unwrap().wait_until_stopped();
    let (is_disconnected, mut live) = reader.join().unwrap();
    assert!(is_disconnected);
    assert!(!fixture.data_directory().join("server.sock").exists());

    let log = SqliteReader::open(&fixture.data_directory()).unwrap();
    let end = log.read(&run, Sequence(0), 1000).unwrap().last().map(|entry| entry.position);
    assert_eq!(live.position(), end, "the stream received the whole log");

    // The stream reconnects and continues at its position.
    let host = Host::open(&fixture.data_directory()).unwrap();
    fixture.server = Some(Server::start(host, &fixture.data_directory(), LoopbackMode::Off).unwrap());
    fixture.client.send_command(&run, "ana", &UserCommand::PauseRun).unwrap();
    let is_paused = |event: LiveEvent| match event {
        LiveEvent::Changed(changed) => {
            changed.row::<RunRow>().is_some_and(|row| row.status == RunState::Paused)
        }
        LiveEvent::Activity(_) | LiveEvent::Disconnected { .. } => false,
        LiveEvent::Refused(problem) => panic!("{problem:?}"),
    };
    assert!(live.any(is_paused));
    handle.close();
    assert_eq!(live.next(), None);
}

#[test]
fn refused_live_stream_fails_at_once() {
    let fixture = Fixture::open();
    let check = |after, run: Option<&str>, message: &str| {
        let run = run.map(|run| run.parse().unwrap());
        let Err(error) = fixture.client.open_live_stream(after, run) else { panic!("the call must fail") };
        assert_eq!(error.to_string(), message);
    };
    check(None, Some("unknown"), "There is no run 'unknown'.");
    check(Some(Position(7)), None, "The log does not have position 7.");
}
