//! As many subscribers as a server allows disconnect and reconnect while the server is killed and started again: all of
//! them end with the same rows, no event is missing, and none comes twice.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use domain::RunSettings;
use serde_json::Value;
use views::{RunRow, RunState};

use crate::test_project::{TestProject, one_phase_plan};

/// Far more than anything takes; a machine can be very busy.
const PATIENCE: Duration = Duration::from_secs(240);
/// The stack of a subscriber's thread.
const STACK_BYTES: usize = 256 << 10;

const WORKS: &str = r#"
read -r task
for step in 1 2 3; do printf '[PROGRESS]\nprogress: 0.%s\nstep: step %s\n[/PROGRESS]\n' $step $step; done
echo "DONE:$JANGDAN_TASK:it is there"
read -r end
"#;

/// Rows by run, kind and key.
type RowsByKey = BTreeMap<(String, String, String), Value>;

/// The server's address, and the last event to read; 0 while that is unknown.
struct SubscriptionTarget {
    address: Mutex<(String, String)>,
    end: AtomicU64,
}

/// The number of subscribers, and how often the server is killed.
fn number_from_environment(name: &str, usual: u64) -> u64 {
    env::var(name).ok().map_or(usual, |number| number.parse().unwrap())
}

#[test]
fn reconnecting_subscribers_end_with_the_same_rows_although_the_server_is_killed() {
    let (n_subscribers, n_kills) =
        (number_from_environment("JANGDAN_SUBSCRIBERS", 256), number_from_environment("JANGDAN_KILLS", 3));
    let mut project = TestProject::create_with_server(WORKS);
    let server = SubscriptionTarget { address: Mutex::new(server_address(&project)), end: AtomicU64::new(0) };
    let server = &server;
    let heard = thread::scope(|scope| {
        let subscribers: Vec<_> = (0..n_subscribers)
            .map(|luck| {
                let listen = move || Subscriber::new(luck).follow_to_end(server);
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, listen).unwrap()
            })
            .collect();
        let mut runs = Vec::new();
        for round in 0..=n_kills {
            if round > 0 {
                project.kill_server();
                project.start_server();
                *server.address.lock().unwrap() = server_address(&project);
            }
            let work = one_phase_plan(&["T1", "T2", "T3:T1", "T4:T1,T2"]);
            runs.push(project.start_run(
                work,
                RunSettings { gate_approval: domain::GateApproval::Automatic, ..RunSettings::default() },
            ));
            // Some of it happens, then the next blow comes.
            wait_until_runs(&project, |rows| {
                rows.iter()
                    .any(|row| row.id == runs[runs.len() - 1] && row.tasks.running > 0 || has_ended(row))
            });
        }
        wait_until_runs(&project, |rows| rows.iter().all(has_ended));
        let client = project.client();
        let end = runs.iter().map(|run| client.rows(run, &[]).unwrap().position().0).max().unwrap();
        server.end.store(end, Ordering::SeqCst);
        subscribers.into_iter().map(|subscriber| subscriber.join().unwrap()).collect::<Vec<_>>()
    });
    let mut expected = RowsByKey::new();
    for run in project.client().runs().unwrap() {
        let rows: Value = project.client().get(&format!("/api/runs/{}/rows", run.id)).unwrap();
        for (kind, rows) in rows["rows"].as_object().unwrap() {
            for row in rows.as_array().unwrap() {
                expected.insert((run.id.to_string(), kind.clone(), row.to_string()), Value::Null);
            }
        }
    }
    for rows in heard {
        // Keys are not in every row, so that the rows themselves are compared.
        let rows: RowsByKey = rows
            .into_iter()
            .map(|((run, kind, _), row)| ((run, kind, row.to_string()), Value::Null))
            .collect();
        assert!(rows == expected, "{} rows instead of {}", rows.len(), expected.len());
    }
}

fn has_ended(row: &RunRow) -> bool {
    !matches!(row.status, RunState::Running | RunState::Paused)
}

/// Looks at the runs until they are so. The server may be gone for a moment.
fn wait_until_runs(project: &TestProject, is_so: impl Fn(&[RunRow]) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !project.client().runs().is_ok_and(|rows| is_so(&rows)) {
        assert!(Instant::now() < deadline, "the runs do not come to it: {:?}", project.client().runs());
        thread::sleep(Duration::from_millis(50));
    }
}

fn server_address(project: &TestProject) -> (String, String) {
    let address = project.client().status().unwrap().address.unwrap();
    let token = fs::read_to_string(project.data().join("token")).unwrap();
    (address.strip_prefix("http://").unwrap().to_owned(), token)
}

/// Reads a line of a head.
fn read_trimmed_line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// A body that comes in pieces, each with its length before it.
struct ChunkedBody<R> {
    stream: R,
    n_left: usize,
}

impl<R: BufRead> Read for ChunkedBody<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.n_left == 0 {
            let length = read_trimmed_line(&mut self.stream)?;
            if length.is_empty() {
                return Ok(0);
            }
            self.n_left = usize::from_str_radix(&length, 16).unwrap();
        }
        let n_wanted = buffer.len().min(self.n_left);
        let n_read = self.stream.read(&mut buffer[..n_wanted])?;
        self.n_left -= n_read;
        if n_read > 0 && self.n_left == 0 {
            assert_eq!(read_trimmed_line(&mut self.stream)?, "", "a piece ends with its line");
        }
        Ok(n_read)
    }
}

/// A client that disconnects and reconnects at random, and keeps the rows that it received.
struct Subscriber {
    luck: u64,
    last: u64,
    rows: RowsByKey,
}

impl Subscriber {
    fn new(luck: u64) -> Self {
        Self { luck: luck.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, last: 0, rows: RowsByKey::new() }
    }

    /// Subscribes until the last event has arrived, and returns the rows.
    fn follow_to_end(mut self, server: &SubscriptionTarget) -> RowsByKey {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let (host, token) = server.address.lock().unwrap().clone();
            let n_entries = self.random_up_to(60);
            // A closed or refused connection is opened again.
            let _ = self.read_entries(&host, &token, n_entries, server);
            let end = server.end.load(Ordering::SeqCst);
            if end > 0 && self.last >= end {
                return self.rows;
            }
            assert!(Instant::now() < deadline, "it has come to {} of {end}", self.last);
            let pause = self.random_up_to(50);
            thread::sleep(Duration::from_millis(pause));
        }
    }

    /// Reads this many entries over one connection.
    fn read_entries(
        &mut self,
        host: &str,
        token: &str,
        n_entries: u64,
        server: &SubscriptionTarget,
    ) -> io::Result<()> {
        let mut stream = TcpStream::connect(host)?;
        // So that the end is noticed in time.
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        // HTTP/1.0 answers end with the connection, those of HTTP/1.1 are chunked.
        let (last, version) = (self.last, self.random_up_to(2) - 1);
        write!(
            stream,
            "GET /api/live HTTP/1.{version}\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nlast-event-id: {last}\r\n\r\n"
        )?;
        let mut stream = BufReader::new(stream);
        let status = read_trimmed_line(&mut stream)?;
        if !status.contains(" 200 ") {
            assert!(status.contains(" 503 ") || status.is_empty(), "{status}");
            return Ok(());
        }
        while !read_trimmed_line(&mut stream)?.is_empty() {}
        let body: Box<dyn BufRead> = match version {
            0 => Box::new(stream),
            _ => Box::new(BufReader::new(ChunkedBody { stream, n_left: 0 })),
        };
        self.read_events(body, n_entries, server)
    }

    fn read_events(
        &mut self,
        body: Box<dyn BufRead>,
        mut n_entries: u64,
        server: &SubscriptionTarget,
    ) -> io::Result<()> {
        let lines = body.lines();
        let (mut id, mut data, mut held, mut is_first) = (None, None, Vec::new(), true);
        for line in lines {
            let line = line?;
            if let Some(text) = line.strip_prefix("id: ") {
                id = Some(text.parse::<u64>().unwrap());
            } else if let Some(text) = line.strip_prefix("data: ") {
                data = Some(serde_json::from_str::<Value>(text).unwrap());
            } else if line.is_empty() {
                held.extend(data.take().filter(|data| data["kind"].is_string()));
                let Some(id) = id.take() else { continue };
                if is_first {
                    assert_eq!(id, self.last, "it begins where it was left");
                } else {
                    assert_eq!(id, self.last + 1, "nothing is missing, and nothing comes twice");
                }
                (self.last, is_first) = (id, false);
                held.drain(..).for_each(|change| self.apply_change(&change));
                n_entries = n_entries.saturating_sub(1);
                let end = server.end.load(Ordering::SeqCst);
                if n_entries == 0 || end > 0 && id >= end {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn apply_change(&mut self, change: &Value) {
        let word = |name: &str| change[name].as_str().unwrap().to_owned();
        let key = (word("run"), word("kind"), word("key"));
        match &change["row"] {
            Value::Null => drop(self.rows.remove(&key)),
            row => drop(self.rows.insert(key, row.clone())),
        }
    }

    /// Returns a number below another, and never 0.
    fn random_up_to(&mut self, below: u64) -> u64 {
        self.luck ^= self.luck << 13;
        self.luck ^= self.luck >> 7;
        self.luck ^= self.luck << 17;
        1 + self.luck % below
    }
}
