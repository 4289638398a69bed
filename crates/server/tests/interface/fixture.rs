//! A server with its own data directory and a team of shell scripts.

use std::{
    fs,
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::PathBuf,
};

use domain::RunId;
use runtime::{Host, NewRun, ShutdownMode};
use serde_json::{Value, json};
use server::{Client, LiveEvent, LoopbackMode, Server};
use store::Position;
use tempfile::TempDir;

/// An agent that asks which colour, then reports done.
const ASKS: &str = r#"read task
printf '[ASK_USER %s]\nquestion: Which colour?\ntype: selection\noptions: ["red", "blue"]\n[/ASK_USER %s]\n' "$JANGDAN_KEY" "$JANGDAN_KEY"
read answer
echo "DONE:$JANGDAN_TASK:it is there $JANGDAN_KEY"
read end
"#;

/// A server and a client of it.
pub(crate) struct Fixture {
    folder: TempDir,
    pub client: Client,
    pub server: Option<Server>,
}

/// One event of the live stream.
pub(crate) struct Event {
    pub name: String,
    pub id: Option<String>,
    pub data: Option<String>,
}

impl Fixture {
    pub(crate) fn open() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        fs::write(folder.path().join("project/asks.sh"), ASKS).unwrap();
        let data = folder.path().join("data");
        let server =
            Server::start(Host::open(&data).unwrap(), &data, LoopbackMode::Port { port: 0 }).unwrap();
        let client = Client::connect(&data).unwrap().unwrap();
        Self { folder, client, server: Some(server) }
    }

    pub(crate) fn data_directory(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn token(&self) -> String {
        fs::read_to_string(self.data_directory().join("token")).unwrap()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Returns a run whose tasks each ask a question, all in parallel.
    pub(crate) fn new_run(&self, n_tasks: usize) -> NewRun {
        let task = |number| json!({"id": format!("T1.{number}"), "phase": 1, "title": "Paint it"});
        let tasks: Vec<_> = (1..=n_tasks).map(task).collect();
        let new = json!({
            "project": "walls",
            "person": "ana",
            "work": {
                "title": "Paint the walls",
                "phases": [{"number": 1, "name": "Paint", "after": []}],
                "tasks": tasks,
            },
            "settings": {"slots": 4, "gateApproval": "automatic"},
            "team": [{"name": "dev", "role": "worker"}],
            "environment": {
                "project": self.project(),
                "isolation": {"type": "inPlace"},
                "agents": {"dev": "asks"},
                "presets": {"asks": {"extends": "shell", "arguments": ["asks.sh"]}},
            },
        });
        serde_json::from_value(new).unwrap()
    }

    /// Starts a run; returns when the question of each task is pending.
    pub(crate) fn start_run_with_questions(&self, n_tasks: usize) -> RunId {
        let run = self.client.start_run(&self.new_run(n_tasks)).unwrap();
        self.wait_for(&run, |row| row.waits_for.person as usize == n_tasks);
        run
    }

    /// Follows the live stream until the row of the run matches.
    pub(crate) fn wait_for(&self, run: &RunId, matches: impl Fn(&views::RunRow) -> bool) -> views::RunRow {
        let live = self.client.open_live_stream(Some(Position(0)), Some(run.clone())).unwrap();
        for event in live {
            match event {
                LiveEvent::Changed(changed) => {
                    if let Some(row) = changed.row::<views::RunRow>().filter(|row| matches(row)) {
                        return row;
                    }
                }
                LiveEvent::Activity(_) => {}
                LiveEvent::Disconnected { reason } => panic!("{reason}"),
                LiveEvent::Refused(problem) => panic!("{problem:?}"),
            }
        }
        panic!("the stream ended");
    }

    pub(crate) fn restart(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop(ShutdownMode::KeepSessions);
        }
        let data = self.data_directory();
        self.server =
            Some(Server::start(Host::open(&data).unwrap(), &data, LoopbackMode::Port { port: 0 }).unwrap());
    }

    /// Reads a live stream after an id until `bytes_max` bytes or the id `end` have arrived; returns the complete events.
    pub(crate) fn read_live_events(&self, path: &str, last: &str, bytes_max: usize, end: &str) -> Vec<Event> {
        let mut stream = UnixStream::connect(self.data_directory().join("server.sock")).unwrap();
        // HTTP 1.0 responses have no chunked encoding.
        let token = self.token();
        write!(
            stream,
            "GET {path} HTTP/1.0\r\nauthorization: Bearer {token}\r\nlast-event-id: {last}\r\n\r\n"
        )
        .unwrap();
        let (mut bytes, mut buffer) = (Vec::new(), [0; 512]);
        loop {
            let read = stream.read(&mut buffer).unwrap();
            bytes.extend_from_slice(&buffer[..read]);
            let events = parse_events(&bytes[..bytes.len().min(bytes_max)]);
            let is_end = events.iter().any(|event| event.id.as_deref() == Some(end));
            if read == 0 || bytes.len() >= bytes_max || is_end {
                return events;
            }
        }
    }

    /// Sends raw bytes; returns status and body of the response.
    pub(crate) fn send_raw(&self, bytes: &[u8]) -> (u16, String) {
        let response = self.exchange(bytes);
        let status = response.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, response.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }

    /// Sends raw bytes; returns the whole response.
    fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = UnixStream::connect(self.data_directory().join("server.sock")).unwrap();
        // The server may respond and close before everything is written.
        let _ = stream.write_all(bytes);
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        String::from_utf8_lossy(&response).into_owned()
    }

    /// Sends a request with a JSON body; returns status and body of the response.
    pub(crate) fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.send_raw(self.format_request(method, path, body).as_bytes())
    }

    /// Sends a request with a JSON body; returns the whole response.
    pub(crate) fn request_whole_response(&self, method: &str, path: &str, body: &str) -> String {
        self.exchange(self.format_request(method, path, body).as_bytes())
    }

    pub(crate) fn format_request(&self, method: &str, path: &str, body: &str) -> String {
        let (token, length) = (self.token(), body.len());
        format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
    }

    /// Sends a request whose response must be a problem document.
    pub(crate) fn request_problem(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let sent = body;
        let (status, body) = self.request(method, path, sent);
        let problem: Value =
            serde_json::from_str(&body).unwrap_or_else(|_| panic!("{method} {path}: {status} {body}"));
        for field in ["code", "title", "detail", "hint"] {
            assert!(problem[field].as_str().is_some_and(|text| !text.is_empty()), "{path} {sent}: {problem}");
        }
        (status, problem)
    }
}

fn parse_events(bytes: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(bytes);
    let mut body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let mut events = Vec::new();
    while let Some((event, rest)) = body.split_once("\n\n") {
        body = rest;
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let name = field("event: ").unwrap_or_default();
        events.push(Event { name, id: field("id: "), data: field("data: ") });
    }
    events
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop(ShutdownMode::EndSessions);
        }
    }
}
