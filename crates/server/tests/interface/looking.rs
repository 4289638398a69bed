//! What can be asked about a run beside its rows: tasks, conversations, events, output, and the machine around it.

use std::{
    io::{Read, Write},
    os::unix::net::UnixStream,
};

use serde_json::{Value, json};

use crate::site::Site;

impl Site {
    fn json(&self, path: &str) -> Value {
        self.client.get(path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

/// Returns some fields of each object of a list.
fn fields(list: &Value, names: &[&str]) -> Vec<Value> {
    let object = |object: &Value| names.iter().map(|name| object[*name].clone()).collect();
    list.as_array().unwrap().iter().map(object).collect()
}

#[test]
fn a_conversation_has_both_sides_in_order_and_says_who_answered() {
    let site = Site::open();
    let run = site.start_asking(1);
    site.ask(
        "POST",
        &format!("/api/runs/{run}/commands"),
        r#"{"person":"ana","command":{"answer":{"question":"q_1","answer":"blue"}}}"#,
    );
    site.wait_for(&run, |row| row.status == views::RunState::Done);
    let said = site.json(&format!("/api/runs/{run}/tasks/T1.1/conversation"));
    // What an agent printed in its turn is there too.
    let turns = fields(&said, &["by", "kind", "name", "question"]);
    let turns: Vec<_> = turns.into_iter().filter(|turn| turn[1] != "text").collect();
    assert_eq!(
        turns,
        [
            json!(["orchestrator", "prompt", null, null]),
            json!(["agent", "question", "dev", "q_1"]),
            json!(["person", "answer", "ana", "q_1"]),
        ],
        "{said:#}"
    );
    assert!(said[1]["text"].as_str().unwrap().starts_with("Which colour?"));
    assert!(said.as_array().unwrap().iter().any(|said| said["text"] == "Answer to q_1: blue"), "{said:#}");

    let task = site.json(&format!("/api/runs/{run}/tasks/T1.1"));
    assert_eq!(task["task"]["state"], "done");
    assert_eq!(task["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(task["questions"][0]["answer"], "blue");
    assert_eq!(task["detail"]["title"].as_str().or(task["task"]["title"].as_str()), Some("Paint it"));
}

#[test]
fn events_come_in_pages_and_by_task() {
    let site = Site::open();
    let run = site.start_asking(2);
    let path = format!("/api/runs/{run}/events");
    let all = site.json(&path);
    let sequences: Vec<_> = fields(&all, &["sequence"]);
    assert_eq!(sequences.first(), Some(&json!([1])));
    let mut paged = Vec::new();
    loop {
        let after = paged.last().map_or(0, |event: &Value| event["sequence"].as_u64().unwrap());
        let page = site.json(&format!("{path}?limit=7&after={after}"));
        let page = page.as_array().unwrap().clone();
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 7);
        paged.extend(page);
    }
    assert!(paged.len() >= sequences.len());
    assert_eq!(paged[..sequences.len()], all.as_array().unwrap()[..]);
    let its = site.json(&format!("{path}?task=T1.2"));
    let its = its.as_array().unwrap();
    assert!(!its.is_empty() && its.len() < paged.len());
    assert!(its.iter().any(|event| event["event"] == "QuestionAsked" && event["actor"] != ""), "{its:?}");
    assert!(its.iter().all(|event| event["task"] == "T1.2" || event["task"].is_null()), "{its:?}");
}

#[test]
fn what_a_session_wrote_can_be_read_typed_to_and_ended() {
    let site = Site::open();
    let run = site.start_asking(1);
    let path = format!("/api/runs/{run}/sessions/{}", worker(&site, &run));
    let whole = site.json(&format!("{path}/output"));
    let text = whole["text"].as_str().unwrap();
    assert!(text.contains("question: Which colour?"), "{whole}");
    assert_eq!((whole["process"].clone(), whole["isOver"].clone()), (json!(1), json!(false)));
    // In pieces it is the same.
    let (mut pieces, mut at) = (String::new(), 0);
    while at < whole["next"].as_u64().unwrap() {
        let piece = site.json(&format!("{path}/output?after={at}&limit=10"));
        pieces.push_str(piece["text"].as_str().unwrap());
        at = piece["next"].as_u64().unwrap();
    }
    assert!(pieces.starts_with(text), "{pieces}");
    assert_eq!(site.problem("GET", &format!("{path}/output?after=99999999"), "").0, 409);
    assert_eq!(site.problem("GET", &format!("{path}/output?process=7"), "").0, 409);
    assert_eq!(site.problem("GET", &format!("/api/runs/{run}/sessions/s_99/output"), "").0, 404);

    // Both sides have their times, and can be read from the end on.
    let last = site.json(&format!("{path}/records?limit=20"));
    assert_eq!((&last["hasTerminal"], &last["next"]), (&json!(true), &whole["next"]), "{last}");
    let before = site.json(&format!("{path}/records?before={}", last["offset"]));
    assert_eq!((&before["offset"], &before["next"]), (&json!(0), &last["offset"]));
    let mut records = before["records"].as_array().unwrap().clone();
    records.extend(last["records"].as_array().unwrap().clone());
    let written: String = records
        .iter()
        .filter(|record| record["way"] == "output")
        .map(|record| record["text"].as_str().unwrap())
        .collect();
    assert_eq!(written, text);
    assert!(records.iter().all(|record| record["at"].as_i64().unwrap() > 0));
    assert_eq!(site.problem("GET", &format!("{path}/records?after=1&before=2"), "").0, 400);
    assert_eq!(site.problem("GET", &format!("{path}/records?before=99999999"), "").0, 409);

    let (status, _) = site.ask("POST", &format!("{path}/stop"), "");
    assert_eq!(status, 204);
    // Its run hears of it.
    let mut live = site.client.live(Some(store::Position(0)), Some(run)).unwrap();
    let is_over = |event| match event {
        server::LiveEvent::Changed(changed) => changed.row::<views::SessionRow>().is_some_and(|row| {
            row.agent.is_some() && matches!(row.state, views::SessionState::Ended | views::SessionState::Lost)
        }),
        _ => false,
    };
    assert!(live.any(is_over));
}

#[test]
fn the_turns_of_one_task_are_fetched_alone() {
    let site = Site::open();
    let run = site.start_asking(2);
    let turns = |query: &str| -> Vec<serde_json::Value> {
        let rows = site.json(&format!("/api/runs/{run}/rows?kind=turn{query}"));
        assert_eq!(rows["rows"].as_object().unwrap().len(), 1, "{rows}");
        rows["rows"]["turn"].as_array().unwrap().clone()
    };
    let (all, of_one, of_nobody) = (turns(""), turns("&task=T1.1"), turns("&task=T1.9"));
    let expected: Vec<_> = all.iter().filter(|turn| turn["task"] == "T1.1").cloned().collect();
    assert_eq!(of_one, expected);
    assert!(!of_one.is_empty() && of_one.len() < all.len() && of_nobody.is_empty());
}

/// Returns the session that works at the run's task.
pub fn worker(site: &Site, run: &domain::RunId) -> String {
    let rows = site.json(&format!("/api/runs/{run}/rows?kind=session"));
    let sessions = rows["rows"]["session"].as_array().unwrap();
    let worker = sessions.iter().find(|row| row["role"] == "worker" && !row["agent"].is_null()).unwrap();
    worker["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_terminal_shows_the_screen_then_what_comes_and_takes_keys() {
    let site = Site::open();
    let run = site.start_asking(1);
    let path = format!("/api/runs/{run}/sessions/{}/terminal", worker(&site, &run));
    assert_eq!(site.problem("GET", &path, "").0, 400, "it is no WebSocket");
    let mut socket = Socket::open(&site, &path);
    let first = socket.next();
    assert_eq!(first["type"], "snapshot", "{first}");
    assert!(first["text"].as_str().unwrap().contains("Which colour?"), "{first}");
    socket.send(&json!({"type": "nonsense"}));
    assert_eq!(socket.next()["type"], "problem");
    socket.send(&json!({"type": "resize", "columns": 100, "rows": 30}));
    let resized = socket.next();
    assert_eq!((&resized["type"], &resized["columns"]), (&json!("resized"), &json!(100)), "{resized}");
    // The shell reads it as its answer, echoes it, and is done.
    socket.send(&json!({"type": "input", "text": "blue\r"}));
    let mut written = String::new();
    while !written.contains("DONE:T1.1") {
        let told = socket.next();
        assert_eq!(told["type"], "output", "{told}");
        written.push_str(told["text"].as_str().unwrap());
    }
    assert!(written.contains("blue"), "{written}");
}

/// One end of a WebSocket: short texts, masked as a client must.
struct Socket(UnixStream);

impl Socket {
    fn open(site: &Site, path: &str) -> Self {
        let mut stream = UnixStream::connect(site.data().join("server.sock")).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&head));
        Self(stream)
    }

    fn send(&mut self, value: &Value) {
        let text = value.to_string();
        // A mask of zeros leaves the text as it is.
        let head = [0x81, 0x80 | u8::try_from(text.len()).unwrap(), 0, 0, 0, 0];
        self.0.write_all(&[&head[..], text.as_bytes()].concat()).unwrap();
    }

    fn next(&mut self) -> Value {
        let mut read = |length: usize| {
            let mut bytes = vec![0; length];
            self.0.read_exact(&mut bytes).unwrap();
            bytes
        };
        let head = read(2);
        assert_eq!(head[0], 0x81, "a whole text");
        let length = match head[1] {
            126 => read(2).iter().fold(0, |length, byte| length << 8 | usize::from(*byte)),
            127 => read(8).iter().fold(0, |length, byte| length << 8 | usize::from(*byte)),
            short => short.into(),
        };
        serde_json::from_slice(&read(length)).unwrap()
    }
}

#[test]
fn a_command_with_an_idempotency_key_is_executed_once() {
    let site = Site::open();
    let send = |path: &str, key: &str, body: &str| {
        let head =
            format!("POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json");
        let length = body.len();
        site.send(
            format!("{head}\r\nidempotency-key: {key}\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes(),
        )
    };
    let new = serde_json::to_string(&site.new_run(1)).unwrap();
    let (status, first) = send("/api/runs", "one", &new);
    assert_eq!(status, 201, "{first}");
    assert_eq!(send("/api/runs", "one", &new), (201, first.clone()));
    assert_eq!(site.client.runs().unwrap().len(), 1);
    assert_ne!(send("/api/runs", "two", &new).1, first);
    assert_eq!(site.client.runs().unwrap().len(), 2);
    // The same key for something else.
    assert_eq!(send("/api/runs", "one", "{}").0, 422);
    assert_eq!(send("/api/stop", "one", &new).0, 422);
    // What was refused is refused again, and a key must be one.
    assert_eq!(send("/api/runs", "three", "{}"), send("/api/runs", "three", "{}"));
    assert_eq!(send("/api/runs", &"k".repeat(201), &new).0, 400);
    assert_eq!(site.client.runs().unwrap().len(), 2);
}

#[test]
fn runs_come_in_pages_the_newest_first() {
    let site = Site::open();
    let mut runs: Vec<_> = (0..5).map(|_| site.client.start(&site.new_run(1)).unwrap().to_string()).collect();
    assert_eq!(
        fields(&site.json("/api/runs"), &["id"]),
        runs.iter().map(|run| json!([run])).collect::<Vec<_>>()
    );
    runs.reverse();
    let (mut path, mut paged) = ("/api/runs?limit=2".to_owned(), Vec::new());
    loop {
        let answer = site.answer("GET", &path, "");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let page: Value = serde_json::from_str(body).unwrap();
        paged.extend(fields(&page, &["id"]));
        let next = head.lines().find_map(|line| line.strip_prefix("link: <")?.split_once('>'));
        match next {
            Some((next, _)) => path = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(paged, runs.iter().map(|run| json!([run])).collect::<Vec<_>>());
}

#[test]
fn what_is_around_runs_is_told() {
    let site = Site::open();
    let run = site.start_asking(1);
    let projects = site.json("/api/projects");
    // The folder of the test itself is known too.
    assert_eq!(fields(&projects, &["name", "nRuns", "lastRun"])[..1], [json!(["walls", 1, run])]);
    assert_eq!(projects[0]["folder"], json!(site.project()));
    let questions = site.json(&format!("/api/questions?run={run}&agent=dev"));
    assert_eq!(fields(&questions, &["run", "id", "text"]), [json!([run, "q_1", "Which colour?"])]);
    assert_eq!(site.json("/api/questions?agent=nobody"), json!([]));
    assert!(site.json(&format!("/api/runs/{run}/usage")).is_array());
    let agents = site.json("/api/agents");
    assert!(agents.as_array().unwrap().iter().any(|agent| agent["name"] == "shell"), "{agents}");
    let config = site.json("/api/config");
    assert!(config.as_array().unwrap().iter().any(|row| row["key"] == "server.port"), "{config}");
}

#[test]
fn a_plan_is_read_and_its_mistakes_are_in_place() {
    let site = Site::open();
    let text = "# Shop\n\n## Phase 1: Build\n\n### T1.1: Cart\n\n### T1.2: Till\n- Depends: T1.9\n";
    let (status, body) =
        site.ask("POST", "/api/plans/check", &json!({"name": "TASKS.md", "text": text}).to_string());
    let report: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &report["title"]), (200, &json!("Shop")), "{report:#}");
    assert_eq!(report["tasks"].as_array().unwrap().len(), 2);
    assert!(
        report["diagnostics"].as_array().unwrap().iter().all(|found| found["line"].is_u64()),
        "{report:#}"
    );
    assert!(site.client.runs().unwrap().is_empty());
}
