//! Real runs over the socket: begun, followed by several, answered, ended.

use std::{
    io::Read,
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
};

use domain::{Command, PermissionScope};
use server::{Changed, Client, LiveEvent};
use store::Position;
use tempfile::TempDir;
use views::{QuestionRow, RowKind, RunState, TaskRow, TaskState};

use crate::site::Site;

#[test]
fn a_run_is_begun_asked_for_answered_and_done() {
    let site = Site::open();
    let run = site.start_asking(2);
    let inbox = site.client.inbox().unwrap();
    assert_eq!(
        inbox.iter().map(|item| (item.run == run, item.row.text.as_str())).collect::<Vec<_>>(),
        [(true, "Which colour?"), (true, "Which colour?")]
    );

    let rows = site.client.rows(&run, &[RowKind::Question, RowKind::Task]).unwrap();
    let questions = rows.of::<QuestionRow>().unwrap();
    assert_eq!(questions.len(), 2);
    assert_eq!(rows.of::<TaskRow>().unwrap().len(), 2);
    assert!(rows.of::<views::PhaseRow>().unwrap().is_empty(), "nobody asked for them");
    for question in &questions {
        assert!(site.client.send_command(&run, "ana", &answer(question, "red")).unwrap() > rows.sequence);
    }
    site.wait_for(&run, |row| row.status == RunState::Done);
    let tasks = site.client.rows(&run, &[RowKind::Task]).unwrap().of::<TaskRow>().unwrap();
    assert!(tasks.iter().all(|task| task.state == TaskState::Done), "{tasks:?}");
    assert_eq!(site.client.run(&run).unwrap().status, RunState::Done);
    assert_eq!(site.client.runs().unwrap().len(), 1);
    assert!(site.client.inbox().unwrap().is_empty());
}

#[test]
fn one_who_comes_late_or_in_pieces_hears_what_one_heard_who_was_there() {
    let mut site = Site::open();
    let there = follow(&site);
    let (run, other) = (site.start_asking(2), site.start_asking(1));
    for run in [&run, &other] {
        let rows = site.client.rows(run, &[RowKind::Question]).unwrap();
        for question in rows.of::<QuestionRow>().unwrap() {
            site.client.send_command(run, "ana", &answer(&question, "red")).unwrap();
        }
        site.wait_for(run, |row| row.status == RunState::Done);
    }
    site.restart();
    let there = there.join().unwrap();
    assert!(there.len() > 100, "{}", there.len());

    let late = follow(&site);
    let cut_off = through_a_bad_line(&site, there.len());
    let pieces = in_pieces(&site, None);
    let one = in_pieces(&site, Some(run.as_str()));
    site.restart();
    assert_eq!(late.join().unwrap(), there);
    assert_eq!(cut_off, there);
    assert_eq!(pieces, there);
    let its: Vec<_> = there.into_iter().filter(|changed| changed.run == run).collect();
    assert_eq!(one, its);
}

/// Listens from the first entry until the server ends.
fn follow(site: &Site) -> std::thread::JoinHandle<Vec<Changed>> {
    let mut live = site.client.live(Some(Position(0)), None).unwrap();
    std::thread::spawn(move || {
        let mut heard = Vec::new();
        loop {
            match live.next().unwrap() {
                LiveEvent::Changed(changed) => heard.push(changed),
                LiveEvent::Seen(_) => {}
                LiveEvent::Lost { .. } => return heard,
                LiveEvent::Refused(problem) => panic!("{problem:?}"),
            }
        }
    })
}

/// Listens with a client that comes back by itself, over a line that is cut again and again.
fn through_a_bad_line(site: &Site, n_changes: usize) -> Vec<Changed> {
    let folder = TempDir::new().unwrap();
    let line = UnixListener::bind(folder.path().join("server.sock")).unwrap();
    let real = site.data().join("server.sock");
    std::thread::spawn(move || {
        for (round, ours) in line.incoming().enumerate() {
            let (mut ours, mut theirs) = (ours.unwrap(), UnixStream::connect(&real).unwrap());
            let (mut asked, mut told) = (ours.try_clone().unwrap(), theirs.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = (std::io::copy(&mut asked, &mut told), told.shutdown(Shutdown::Write));
            });
            // Whoever went away needs nothing more.
            let _ = std::io::copy(&mut theirs.by_ref().take(400 + round as u64 * 997), &mut ours);
            let _ = (ours.shutdown(Shutdown::Both), theirs.shutdown(Shutdown::Both));
        }
    });
    let client = Client::connect(folder.path()).unwrap().unwrap();
    let (mut heard, mut n_lost) = (Vec::new(), 0);
    for event in client.live(Some(Position(0)), None).unwrap() {
        match event {
            LiveEvent::Changed(changed) => heard.push(changed),
            LiveEvent::Seen(_) => {}
            LiveEvent::Lost { .. } => n_lost += 1,
            LiveEvent::Refused(problem) => panic!("{problem:?}"),
        }
        if heard.len() >= n_changes {
            break;
        }
    }
    assert!(n_lost > 5, "{n_lost}");
    heard
}

/// Listens over many connections, each cut off after some bytes, until nothing more comes.
fn in_pieces(site: &Site, run: Option<&str>) -> Vec<Changed> {
    let runs = site.client.runs().unwrap().into_iter().map(|row| row.id);
    let runs = runs.filter(|id| run.is_none_or(|run| id.as_str() == run));
    let end =
        runs.map(|id| site.client.rows(&id, &[RowKind::Run]).unwrap().position()).max().unwrap().to_string();
    let run = run.map(|run| format!("?run={run}")).unwrap_or_default();
    let (mut heard, mut last, mut n_connections) = (Vec::new(), "0".to_owned(), 0);
    for bytes in (1..).map(|round: usize| 40 + round * 7919 % 9000) {
        let mut half = Vec::new();
        n_connections += 1;
        for event in site.listen(&format!("/api/live{run}"), &last, bytes, &end) {
            half.extend(
                event.data.map(|data| Changed { name: event.name, ..serde_json::from_str(&data).unwrap() }),
            );
            if let Some(id) = event.id {
                last = id;
                heard.append(&mut half);
            }
        }
        if last == end {
            assert!(n_connections > 3, "{n_connections}");
            return heard;
        }
    }
    panic!("it has no end");
}

fn answer(question: &QuestionRow, answer: &str) -> Command {
    let (question, answer) = (Some(question.id), answer.to_owned());
    Command::Answer { question, task: None, answer, scope: PermissionScope::Once }
}
