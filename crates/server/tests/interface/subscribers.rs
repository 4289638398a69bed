//! Subscribers over loopback: each receives what it asked for, at its own pace.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use domain::{PlannedTask, UserCommand};

use crate::fixture::Fixture;

/// Tasks to add; their texts are larger than the socket buffers of a client that does not read.
const N_TASKS: usize = 400;
const TEXT_BYTES: usize = 20 << 10;

/// A client that reads the chunks of an event stream.
struct Subscriber {
    stream: BufReader<TcpStream>,
}

impl Subscriber {
    /// Opens a stream; returns when the head of the response is read.
    fn open(fixture: &Fixture, path: &str) -> Self {
        let address = fixture.client.status().unwrap().address.unwrap();
        let (address, token) = (address.strip_prefix("http://").unwrap(), fixture.token());
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n")
            .unwrap();
        let mut subscriber = Self { stream: BufReader::new(stream) };
        assert!(subscriber.head_line().contains(" 200 "));
        while !subscriber.head_line().is_empty() {}
        subscriber
    }

    fn head_line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Returns the next chunk; `None` after the last one.
    fn read_chunk(&mut self) -> Option<String> {
        let length = usize::from_str_radix(&self.head_line(), 16).unwrap();
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).unwrap();
        assert!(chunk.ends_with(b"\r\n"));
        chunk.truncate(length);
        (length > 0).then(|| String::from_utf8(chunk).unwrap())
    }

    /// Reads up to a position, and returns the ids of all entries read.
    fn read_ids_to(&mut self, end: u64) -> Vec<u64> {
        let (mut ids, mut text) = (Vec::new(), String::new());
        while ids.last().is_none_or(|last| *last < end) {
            text.push_str(
                &self.read_chunk().unwrap_or_else(|| panic!("the stream ends at {:?} of {end}", ids.last())),
            );
            while let Some((line, rest)) = text.split_once('\n') {
                ids.extend(line.strip_prefix("id: ").map(|id| id.parse::<u64>().unwrap()));
                text = rest.to_owned();
            }
        }
        ids
    }
}

#[test]
fn slow_subscriber_misses_nothing_and_delays_no_other() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(2);
    let mut slow = [
        Subscriber::open(&fixture, "/api/live"),
        Subscriber::open(&fixture, &format!("/api/live?run={run}")),
    ];
    let mut quick = Subscriber::open(&fixture, "/api/live");
    for number in 1..=N_TASKS {
        let mut task = PlannedTask::new(format!("T1.9{number}").parse().unwrap(), 1, "Later".to_owned());
        (task.text, task.depends_on) = ("x".repeat(TEXT_BYTES), vec!["T1.1".parse().unwrap()]);
        fixture.client.send_command(&run, "ana", &UserCommand::AddTask(Box::new(task))).unwrap();
    }
    let end = fixture.client.rows(&run, &[]).unwrap().position().0;
    // The others have not read anything yet.
    assert!(quick.read_ids_to(end).len() > N_TASKS);
    for subscriber in &mut slow {
        let ids = subscriber.read_ids_to(end);
        assert!(ids.len() > N_TASKS && ids.windows(2).all(|pair| pair[1] == pair[0] + 1), "{ids:?}");
    }
}

#[test]
fn each_subscriber_receives_what_it_asked_for_and_an_orderly_end() {
    let mut fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    let other = fixture.start_run_with_questions(1);
    let all = "/api/live".to_owned();
    let paths = [all.clone(), all, format!("/api/live?run={run}"), "/api/live?kind=question".to_owned()];
    let mut subscribers = paths.map(|path| Subscriber::open(&fixture, &path));
    // One that disconnects does not affect the others.
    drop(Subscriber::open(&fixture, "/api/live"));
    for run in [&other, &run] {
        let question =
            fixture.client.rows(run, &[]).unwrap().rows_of_kind::<views::QuestionRow>().unwrap().remove(0).id;
        let answer = UserCommand::Answer {
            question: Some(question),
            task: None,
            answer: "red".to_owned(),
            scope: domain::PermissionScope::default(),
            pattern: None,
            reason: None,
        };
        fixture.client.send_command(run, "ana", &answer).unwrap();
        fixture.wait_for(run, |row| row.status == views::RunState::Done);
    }
    if let Some(server) = fixture.server.take() {
        server.stop(runtime::ShutdownMode::EndSessions);
    }
    let received = subscribers
        .each_mut()
        .map(|subscriber| std::iter::from_fn(|| subscriber.read_chunk()).collect::<String>());
    // `session.activity` is not part of the log, and may differ.
    let recorded = |text: &str| -> Vec<String> {
        text.split("\n\n")
            .filter(|event| !event.starts_with("event: session.activity\n"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(recorded(&received[0]), recorded(&received[1]));
    let runs = |text: &str| [&run, &other].map(|run| text.contains(&format!("\"run\":\"{run}\"")));
    assert_eq!(
        [runs(&received[0]), runs(&received[2]), runs(&received[3])],
        [[true, true], [true, false], [true, true]]
    );
    let kinds = |text: &str| ["question", "task"].map(|kind| text.contains(&format!("\"kind\":\"{kind}\"")));
    assert_eq!([kinds(&received[0]), kinds(&received[3])], [[true, true], [true, false]]);
}
