//! Those who listen over loopback and are told together, each at its own pace.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use domain::{Command, PlannedTask};

use crate::site::Site;

/// How much is said, so that it does not all fit into what the system keeps for one who does not read.
const N_WORDS: usize = 400;
const WORD_BYTES: usize = 20 << 10;

/// One who listens over loopback.
struct Ear {
    stream: BufReader<TcpStream>,
}

impl Ear {
    /// Begins to listen, and returns when the stream has begun.
    fn open(site: &Site, path: &str) -> Self {
        let link = site.client.link(None).unwrap().unwrap();
        let (address, token) = link.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n")
            .unwrap();
        let mut ear = Self { stream: BufReader::new(stream) };
        assert!(ear.head_line().contains(" 200 "));
        while !ear.head_line().is_empty() {}
        ear
    }

    fn head_line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Returns the next piece; nothing where the stream has ended in order.
    fn piece(&mut self) -> Option<String> {
        let length = usize::from_str_radix(&self.head_line(), 16).unwrap();
        let mut piece = vec![0; length + 2];
        self.stream.read_exact(&mut piece).unwrap();
        assert!(piece.ends_with(b"\r\n"));
        piece.truncate(length);
        (length > 0).then(|| String::from_utf8(piece).unwrap())
    }

    /// Returns the ids of the entries up to a place, and of those that were told together with it.
    fn ids_to(&mut self, end: u64) -> Vec<u64> {
        let (mut ids, mut text) = (Vec::new(), String::new());
        while ids.last().is_none_or(|last| *last < end) {
            text.push_str(&self.piece().unwrap_or_else(|| panic!("it ends at {:?} of {end}", ids.last())));
            while let Some((line, rest)) = text.split_once('\n') {
                ids.extend(line.strip_prefix("id: ").map(|id| id.parse::<u64>().unwrap()));
                text = rest.to_owned();
            }
        }
        ids
    }
}

#[test]
fn one_who_does_not_read_for_a_while_holds_up_nobody_and_misses_nothing() {
    let site = Site::open();
    let run = site.start_asking(2);
    let mut slow = [Ear::open(&site, "/api/live"), Ear::open(&site, &format!("/api/live?run={run}"))];
    let mut quick = Ear::open(&site, "/api/live");
    for number in 1..=N_WORDS {
        let mut task = PlannedTask::new(format!("T1.9{number}").parse().unwrap(), 1, "Later".to_owned());
        (task.text, task.depends_on) = ("x".repeat(WORD_BYTES), vec!["T1.1".parse().unwrap()]);
        site.client.wish(&run, "ana", &Command::AddTask(Box::new(task))).unwrap();
    }
    let end = site.client.rows(&run, &[]).unwrap().position().0;
    // Whoever reads is not held up by those who do not.
    assert!(quick.ids_to(end).len() > N_WORDS);
    for ear in &mut slow {
        let ids = ear.ids_to(end);
        assert!(ids.len() > N_WORDS && ids.windows(2).all(|pair| pair[1] == pair[0] + 1), "{ids:?}");
    }
}

#[test]
fn a_crowd_is_told_what_each_wants_and_the_end_in_order() {
    let mut site = Site::open();
    let run = site.start_asking(1);
    let other = site.start_asking(1);
    let all = "/api/live".to_owned();
    let paths = [all.clone(), all, format!("/api/live?run={run}"), "/api/live?kind=question".to_owned()];
    let mut ears = paths.map(|path| Ear::open(&site, &path));
    // One that goes leaves the others where they are.
    drop(Ear::open(&site, "/api/live"));
    for run in [&other, &run] {
        let question = site.client.rows(run, &[]).unwrap().of::<views::QuestionRow>().unwrap().remove(0).id;
        let answer = Command::Answer {
            question: Some(question),
            task: None,
            answer: "red".to_owned(),
            scope: domain::PermissionScope::default(),
        };
        site.client.wish(run, "ana", &answer).unwrap();
        site.wait_for(run, |row| row.status == views::RunState::Done);
    }
    if let Some(server) = site.server.take() {
        server.stop(runtime::AfterStop::EndSessions);
    }
    let heard = ears.each_mut().map(|ear| std::iter::from_fn(|| ear.piece()).collect::<String>());
    // What is only seen comes beside the rest.
    let kept = |text: &str| -> Vec<String> {
        text.split("\n\n")
            .filter(|event| !event.starts_with("event: session.seen\n"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(kept(&heard[0]), kept(&heard[1]));
    let runs = |text: &str| [&run, &other].map(|run| text.contains(&format!("\"run\":\"{run}\"")));
    assert_eq!(
        [runs(&heard[0]), runs(&heard[2]), runs(&heard[3])],
        [[true, true], [true, false], [true, true]]
    );
    let kinds = |text: &str| ["question", "task"].map(|kind| text.contains(&format!("\"kind\":\"{kind}\"")));
    assert_eq!([kinds(&heard[0]), kinds(&heard[3])], [[true, true], [true, false]]);
}
