//! The server's own life: its socket, its beginning, its end, and who is there first.

use std::{
    fs,
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    sync::Barrier,
};

use domain::{Command, Sequence};
use runtime::{Host, ShutdownMode};
use server::{Client, EnsureError, LiveEvent, Loopback, Server, ServerError, ensure};
use store::{Position, SqliteReader};
use tempfile::TempDir;
use views::{RunRow, RunState};

use crate::site::Site;

#[test]
fn the_socket_is_for_its_owner_and_goes_with_the_server() {
    let mut site = Site::open();
    let socket = site.data().join("server.sock");
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let status = site.client.status().unwrap();
    assert_eq!(status.data, site.data().canonicalize().unwrap());
    site.server.take().unwrap().stop(ShutdownMode::EndSessions);
    assert!(!socket.exists());
    assert!(Client::connect(&site.data()).unwrap().is_none());
    assert!(site.client.status().unwrap_err().to_string().starts_with("reach the server at"));
}

#[test]
fn a_socket_on_which_nobody_listens_is_replaced_and_nothing_else_is() {
    let folder = TempDir::new().unwrap();
    let data = folder.path();
    let socket = data.join("server.sock");
    let host = Host::open(data).unwrap();

    drop(UnixListener::bind(&socket).unwrap());
    let server = Server::start(host.clone(), data, Loopback::Off).unwrap();
    assert!(matches!(Server::start(host.clone(), data, Loopback::Off), Err(ServerError::Taken { .. })));
    assert!(UnixStream::connect(&socket).is_ok(), "the one that was there still listens");
    server.stop(ShutdownMode::EndSessions);

    fs::write(&socket, "precious").unwrap();
    assert!(matches!(Server::start(host.clone(), data, Loopback::Off), Err(ServerError::NoSocket { .. })));
    assert_eq!(fs::read_to_string(&socket).unwrap(), "precious");
}

#[test]
fn a_path_that_is_too_long_for_a_socket_is_refused_in_words() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("d".repeat(120));
    let Err(EnsureError::Server(error)) = ensure(&data, Loopback::Off) else { panic!("it must be refused") };
    let text = error.to_string();
    assert!(
        text.contains("/server.sock has ") && text.ends_with("the name of a socket has 107 at most"),
        "{text}"
    );
    assert!(error.hint().contains("shorter"));
    assert!(!data.exists(), "nothing was opened");
}

#[test]
fn whoever_is_second_talks_to_the_server_of_the_first() {
    let folder = TempDir::new().unwrap();
    let n_processes = 4;
    let together = Barrier::new(n_processes);
    let running: Vec<_> = std::thread::scope(|scope| {
        let start = || {
            together.wait();
            ensure(folder.path(), Loopback::Off).unwrap()
        };
        let threads: Vec<_> = (0..n_processes).map(|_| scope.spawn(start)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(running.iter().filter(|running| running.inside.is_some()).count(), 1);
    for one in &running {
        assert!(one.client.runs().unwrap().is_empty());
    }
    let inside = running.into_iter().find_map(|running| running.inside).unwrap();
    inside.stop(ShutdownMode::EndSessions);
    // The lock went with it.
    ensure(folder.path(), Loopback::Off).unwrap().inside.unwrap().stop(ShutdownMode::EndSessions);
}

#[test]
fn a_socket_of_somebody_who_was_killed_is_no_server() {
    let folder = TempDir::new().unwrap();
    let listener = UnixListener::bind(folder.path().join("server.sock")).unwrap();
    // What a process has that a killed server was just starting: it listens, never answers, and is gone in a moment.
    let orphan = std::thread::spawn(move || {
        for _ in 0..4 {
            drop(listener.accept().unwrap());
        }
    });
    let running = ensure(folder.path(), Loopback::Off).unwrap();
    orphan.join().unwrap();
    assert!(running.client.runs().unwrap().is_empty());
    running.inside.unwrap().stop(ShutdownMode::EndSessions);
}

#[test]
fn a_data_directory_that_is_none_is_refused_in_words() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let Err(error) = ensure(&file, Loopback::Off) else { panic!("it must be refused") };
    assert!(error.to_string().contains("file"), "{error}");
    assert!(error.hint().contains("data directory"), "{}", error.hint());
}

#[test]
fn a_server_that_is_told_to_stop_tells_the_last_and_ends() {
    let mut site = Site::open();
    let mut live = site.client.live(None, None).unwrap();
    let run = site.start_asking(1);
    let hang_up = live.hang_up();
    let listening = std::thread::spawn(move || {
        let lost = live.find(|event| matches!(event, LiveEvent::Lost { .. }));
        (lost.is_some(), live)
    });
    site.client.stop(ShutdownMode::EndSessions).unwrap();
    site.server.take().unwrap().wait();
    let (is_lost, mut live) = listening.join().unwrap();
    assert!(is_lost);
    assert!(!site.data().join("server.sock").exists());

    let log = SqliteReader::open(&site.data()).unwrap();
    let end = log.read(&run, Sequence(0), 1000).unwrap().last().map(|entry| entry.position);
    assert_eq!(live.position(), end, "it was told all that is in the log");

    // The one who listened goes on where it was, by itself.
    let host = Host::open(&site.data()).unwrap();
    site.server = Some(Server::start(host, &site.data(), Loopback::Off).unwrap());
    site.client.send_command(&run, "ana", &Command::PauseRun).unwrap();
    let is_paused = |event: LiveEvent| match event {
        LiveEvent::Changed(changed) => {
            changed.row::<RunRow>().is_some_and(|row| row.status == RunState::Paused)
        }
        LiveEvent::Seen(_) | LiveEvent::Lost { .. } => false,
        LiveEvent::Refused(problem) => panic!("{problem:?}"),
    };
    assert!(live.any(is_paused));
    hang_up.hang_up();
    assert_eq!(live.next(), None);
}

#[test]
fn one_who_may_not_listen_is_told_at_once() {
    let site = Site::open();
    let check = |after, run: Option<&str>, what: &str| {
        let run = run.map(|run| run.parse().unwrap());
        let Err(error) = site.client.live(after, run) else { panic!("it must be refused") };
        assert_eq!(error.to_string(), what);
    };
    check(None, Some("nobody"), "there is no run 'nobody'");
    check(Some(Position(7)), None, "the log has not come to 7");
}
