//! Whole runs over the socket: started, followed by several clients, answered, done.

use std::{
    io::Read,
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
};

use domain::{PermissionScope, UserCommand};
use server::{Client, LiveEvent, RowChange};
use store::Position;
use tempfile::TempDir;
use views::{QuestionRow, RowKind, RunState, TaskRow, TaskState};

use crate::fixture::Fixture;

#[test]
fn run_is_done_after_its_questions_are_answered() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(2);
    let inbox = fixture.client.inbox().unwrap();
    assert_eq!(
        inbox.iter().map(|item| (item.run == run, item.row.text.as_str())).collect::<Vec<_>>(),
        [(true, "Which colour?"), (true, "Which colour?")]
    );

    let rows = fixture.client.rows(&run, &[RowKind::Question, RowKind::Task]).unwrap();
    let questions = rows.rows_of_kind::<QuestionRow>().unwrap();
    assert_eq!(questions.len(), 2);
    assert_eq!(rows.rows_of_kind::<TaskRow>().unwrap().len(), 2);
    assert!(rows.rows_of_kind::<views::PhaseRow>().unwrap().is_empty(), "the kind was not requested");
    for question in &questions {
        assert!(
            fixture.client.send_command(&run, "ana", &answer_command(question, "red")).unwrap()
                > rows.sequence
        );
    }
    fixture.wait_for(&run, |row| row.status == RunState::Done);
    let tasks = fixture.client.rows(&run, &[RowKind::Task]).unwrap().rows_of_kind::<TaskRow>().unwrap();
    assert!(tasks.iter().all(|task| task.state == TaskState::Done), "{tasks:?}");
    assert_eq!(fixture.client.run_row(&run).unwrap().status, RunState::Done);
    assert_eq!(fixture.client.runs().unwrap().len(), 1);
    assert!(fixture.client.inbox().unwrap().is_empty());
}

#[test]
fn late_and_interrupted_subscribers_receive_the_same_changes() {
    let mut fixture = Fixture::open();
    let first = follow_changes(&fixture);
    let (run, other) = (fixture.start_run_with_questions(2), fixture.start_run_with_questions(1));
    for run in [&run, &other] {
        let rows = fixture.client.rows(run, &[RowKind::Question]).unwrap();
        for question in rows.rows_of_kind::<QuestionRow>().unwrap() {
            fixture.client.send_command(run, "ana", &answer_command(&question, "red")).unwrap();
        }
        fixture.wait_for(run, |row| row.status == RunState::Done);
    }
    fixture.restart();
    let first = first.join().unwrap();
    assert!(first.len() > 100, "{}", first.len());

    let late = follow_changes(&fixture);
    let reconnected = read_over_unstable_connection(&fixture, first.len());
    let pieces = read_in_pieces(&fixture, None);
    let pieces_of_run = read_in_pieces(&fixture, Some(run.as_str()));
    fixture.restart();
    assert_eq!(late.join().unwrap(), first);
    assert_eq!(reconnected, first);
    assert_eq!(pieces, first);
    let of_run: Vec<_> = first.into_iter().filter(|change| change.run == run).collect();
    assert_eq!(pieces_of_run, of_run);
}

/// Reads the live stream from the first entry until the server stops.
fn follow_changes(fixture: &Fixture) -> std::thread::JoinHandle<Vec<RowChange>> {
    let mut live = fixture.client.open_live_stream(Some(Position(0)), None).unwrap();
    std::thread::spawn(move || {
        let mut changes = Vec::new();
        loop {
            match live.next().unwrap() {
                LiveEvent::Changed(change) => changes.push(change),
                LiveEvent::Activity(_) => {}
                LiveEvent::Disconnected { .. } => return changes,
                LiveEvent::Refused(problem) => panic!("{problem:?}"),
            }
        }
    })
}

/// Reads the live stream through a proxy that closes every connection after some bytes.
fn read_over_unstable_connection(fixture: &Fixture, n_changes: usize) -> Vec<RowChange> {
    let folder = TempDir::new().unwrap();
    let proxy = UnixListener::bind(folder.path().join("server.sock")).unwrap();
    let real = fixture.data_directory().join("server.sock");
    std::thread::spawn(move || {
        for (round, client) in proxy.incoming().enumerate() {
            let (mut client, mut server) = (client.unwrap(), UnixStream::connect(&real).unwrap());
            let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ =
                    (std::io::copy(&mut from_client, &mut to_server), to_server.shutdown(Shutdown::Write));
            });
            // Fails if the client has disconnected.
            let _ = std::io::copy(&mut server.by_ref().take(400 + round as u64 * 997), &mut client);
            let _ = (client.shutdown(Shutdown::Both), server.shutdown(Shutdown::Both));
        }
    });
    // Keeps the permissions.
    std::fs::copy(fixture.data_directory().join("token"), folder.path().join("token")).unwrap();
    let client = Client::connect(folder.path()).unwrap().unwrap();
    let (mut changes, mut n_disconnects) = (Vec::new(), 0);
    for event in client.open_live_stream(Some(Position(0)), None).unwrap() {
        match event {
            LiveEvent::Changed(change) => changes.push(change),
            LiveEvent::Activity(_) => {}
            LiveEvent::Disconnected { .. } => n_disconnects += 1,
            LiveEvent::Refused(problem) => panic!("{problem:?}"),
        }
        if changes.len() >= n_changes {
            break;
        }
    }
    assert!(n_disconnects > 5, "{n_disconnects}");
    changes
}

/// Reads the live stream over many connections, each closed after some bytes, up to the end of the log.
fn read_in_pieces(fixture: &Fixture, run: Option<&str>) -> Vec<RowChange> {
    let runs = fixture.client.runs().unwrap().into_iter().map(|row| row.id);
    let runs = runs.filter(|id| run.is_none_or(|run| id.as_str() == run));
    let end = runs
        .map(|id| fixture.client.rows(&id, &[RowKind::Run]).unwrap().position())
        .max()
        .unwrap()
        .to_string();
    let run = run.map(|run| format!("?run={run}")).unwrap_or_default();
    let (mut changes, mut last, mut n_connections) = (Vec::new(), "0".to_owned(), 0);
    for bytes in (1..).map(|round: usize| 40 + round * 7919 % 9000) {
        let mut incomplete = Vec::new();
        n_connections += 1;
        for event in fixture.read_live_events(&format!("/api/live{run}"), &last, bytes, &end) {
            incomplete.extend(
                event.data.map(|data| RowChange { name: event.name, ..serde_json::from_str(&data).unwrap() }),
            );
            if let Some(id) = event.id {
                last = id;
                changes.append(&mut incomplete);
            }
        }
        if last == end {
            assert!(n_connections > 3, "{n_connections}");
            return changes;
        }
    }
    panic!("the stream does not reach the end of the log");
}

fn answer_command(question: &QuestionRow, answer: &str) -> UserCommand {
    let (question, answer) = (Some(question.id), answer.to_owned());
    UserCommand::Answer {
        question,
        task: None,
        answer,
        scope: PermissionScope::Once,
        pattern: None,
        reason: None,
    }
}
