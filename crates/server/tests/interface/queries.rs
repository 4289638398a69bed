//! Queries beside rows: tasks, conversations, events, output, terminals, agents, configuration.

use std::{
    io::{Read, Write},
    os::unix::net::UnixStream,
};

use serde_json::{Value, json};

use crate::fixture::Fixture;

impl Fixture {
    fn get_json(&self, path: &str) -> Value {
        self.client.get(path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

/// Returns some fields of each object of a list.
fn select_fields(list: &Value, names: &[&str]) -> Vec<Value> {
    let object = |object: &Value| names.iter().map(|name| object[*name].clone()).collect();
    list.as_array().unwrap().iter().map(object).collect()
}

#[test]
fn an_id_with_a_slash_is_percent_encoded_in_paths() {
    let fixture = Fixture::open();
    let mut new = fixture.new_run(1);
    new.work.tasks[0].id = "FE/T1".parse().unwrap();
    let run = fixture.client.start_run(&new).unwrap();
    fixture.wait_for(&run, |row| row.waits_for.person == 1);
    let task = fixture.get_json(&format!("/api/runs/{run}/tasks/FE%2FT1"));
    assert_eq!(task["task"]["id"], "FE/T1");
    assert_eq!(task["attempts"].as_array().unwrap().len(), 1);
    let conversation = fixture.get_json(&format!("/api/runs/{run}/tasks/FE%2FT1/conversation"));
    assert!(!conversation.as_array().unwrap().is_empty());
    // The client encodes the id; without a repository there are no changes to show.
    let (status, problem) =
        fixture.request_problem("GET", &format!("/api/runs/{run}/tasks/FE%2FT1/diff"), "");
    assert_eq!(status, 409, "{problem}");
    let error = fixture.client.task_diff(&run, &"FE/T1".parse().unwrap()).unwrap_err();
    assert!(error.to_string().contains(problem["detail"].as_str().unwrap()), "{error}: {problem}");
}

#[test]
fn conversation_has_all_turns_in_order_with_their_authors() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    fixture.request(
        "POST",
        &format!("/api/runs/{run}/commands"),
        r#"{"person":"ana","command":{"answer":{"question":"q_1","answer":"blue"}}}"#,
    );
    fixture.wait_for(&run, |row| row.status == views::RunState::Done);
    let conversation = fixture.get_json(&format!("/api/runs/{run}/tasks/T1.1/conversation"));
    // Text that the agent printed is included too.
    let turns = select_fields(&conversation, &["author", "kind", "name", "question"]);
    let turns: Vec<_> = turns.into_iter().filter(|turn| turn[1] != "text").collect();
    assert_eq!(
        turns,
        [
            json!(["orchestrator", "prompt", null, null]),
            json!(["agent", "question", "dev", "q_1"]),
            json!(["person", "answer", "ana", "q_1"]),
        ],
        "{conversation:#}"
    );
    assert!(conversation[1]["text"].as_str().unwrap().starts_with("Which colour?"));
    assert!(
        conversation.as_array().unwrap().iter().any(|turn| turn["text"] == "Answer to q_1: blue"),
        "{conversation:#}"
    );

    let task = fixture.get_json(&format!("/api/runs/{run}/tasks/T1.1"));
    assert_eq!(task["task"]["state"], "done");
    assert_eq!(task["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(task["questions"][0]["answer"], "blue");
    assert_eq!(task["detail"]["title"].as_str().or(task["task"]["title"].as_str()), Some("Paint it"));
}

#[test]
fn events_are_paged_and_selected_by_task() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(2);
    let path = format!("/api/runs/{run}/events");
    let all = fixture.get_json(&path);
    let sequences: Vec<_> = select_fields(&all, &["sequence"]);
    assert_eq!(sequences.first(), Some(&json!([1])));
    let mut paged = Vec::new();
    loop {
        let after = paged.last().map_or(0, |event: &Value| event["sequence"].as_u64().unwrap());
        let page = fixture.get_json(&format!("{path}?limit=7&after={after}"));
        let page = page.as_array().unwrap().clone();
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 7);
        paged.extend(page);
    }
    assert!(paged.len() >= sequences.len());
    assert_eq!(paged[..sequences.len()], all.as_array().unwrap()[..]);
    let of_task = fixture.get_json(&format!("{path}?task=T1.2"));
    let of_task = of_task.as_array().unwrap();
    assert!(!of_task.is_empty() && of_task.len() < paged.len());
    assert!(
        of_task.iter().any(|event| event["event"] == "QuestionAsked" && event["actor"] != ""),
        "{of_task:?}"
    );
    assert!(of_task.iter().all(|event| event["task"] == "T1.2" || event["task"].is_null()), "{of_task:?}");
}

#[test]
fn session_output_and_records_are_readable_and_its_process_can_be_stopped() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    let path = format!("/api/runs/{run}/sessions/{}", worker_session(&fixture, &run));
    let whole = fixture.get_json(&format!("{path}/output"));
    let text = whole["text"].as_str().unwrap();
    assert!(text.contains("question: Which colour?"), "{whole}");
    assert_eq!((whole["process"].clone(), whole["hasEnded"].clone()), (json!(1), json!(false)));
    // In chunks it is the same.
    let (mut chunks, mut at) = (String::new(), 0);
    while at < whole["next"].as_u64().unwrap() {
        let chunk = fixture.get_json(&format!("{path}/output?after={at}&limit=10"));
        chunks.push_str(chunk["text"].as_str().unwrap());
        at = chunk["next"].as_u64().unwrap();
    }
    assert!(chunks.starts_with(text), "{chunks}");
    assert_eq!(fixture.request_problem("GET", &format!("{path}/output?after=99999999"), "").0, 409);
    assert_eq!(fixture.request_problem("GET", &format!("{path}/output?process=7"), "").0, 409);
    assert_eq!(fixture.request_problem("GET", &format!("/api/runs/{run}/sessions/s_99/output"), "").0, 404);

    // Input and output have times, and can be read backwards.
    let last = fixture.get_json(&format!("{path}/records?limit=20"));
    assert_eq!((&last["hasTerminal"], &last["next"]), (&json!(true), &whole["next"]), "{last}");
    let before = fixture.get_json(&format!("{path}/records?before={}", last["offset"]));
    assert_eq!((&before["offset"], &before["next"]), (&json!(0), &last["offset"]));
    let mut records = before["records"].as_array().unwrap().clone();
    records.extend(last["records"].as_array().unwrap().clone());
    let output: String = records
        .iter()
        .filter(|record| record["direction"] == "output")
        .map(|record| record["text"].as_str().unwrap())
        .collect();
    assert_eq!(output, text);
    assert!(records.iter().all(|record| record["at"].as_i64().unwrap() > 0));
    assert_eq!(fixture.request_problem("GET", &format!("{path}/records?after=1&before=2"), "").0, 400);
    assert_eq!(fixture.request_problem("GET", &format!("{path}/records?before=99999999"), "").0, 409);

    let (status, _) = fixture.request("POST", &format!("{path}/stop"), "");
    assert_eq!(status, 204);
    // The run records it.
    let mut live = fixture.client.open_live_stream(Some(store::Position(0)), Some(run)).unwrap();
    let has_ended = |event| match event {
        server::LiveEvent::Changed(changed) => changed.row::<views::SessionRow>().is_some_and(|row| {
            row.agent.is_some() && matches!(row.state, views::SessionState::Ended | views::SessionState::Lost)
        }),
        _ => false,
    };
    assert!(live.any(has_ended));
}

#[test]
fn turns_are_selected_by_task() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(2);
    let turns = |query: &str| -> Vec<serde_json::Value> {
        let rows = fixture.get_json(&format!("/api/runs/{run}/rows?kind=turn{query}"));
        assert_eq!(rows["rows"].as_object().unwrap().len(), 1, "{rows}");
        rows["rows"]["turn"].as_array().unwrap().clone()
    };
    let (all, of_task, of_unknown) = (turns(""), turns("&task=T1.1"), turns("&task=T1.9"));
    let expected: Vec<_> = all.iter().filter(|turn| turn["task"] == "T1.1").cloned().collect();
    assert_eq!(of_task, expected);
    assert!(!of_task.is_empty() && of_task.len() < all.len() && of_unknown.is_empty());
    let session = of_task[0]["session"].as_str().unwrap();
    let of_session = turns(&format!("&session={session}"));
    let expected: Vec<_> = all.iter().filter(|turn| turn["session"] == session).cloned().collect();
    assert!(!expected.is_empty() && of_session == expected, "{of_session:?}");
    assert_eq!(turns(&format!("&task=T1.9&session={session}")).len(), 0);
    let conversation = fixture.get_json(&format!("/api/runs/{run}/sessions/{session}/conversation"));
    let prompt = conversation[0]["text"].as_str().unwrap();
    assert!(prompt.contains("Paint it") && !prompt.starts_with("Do task"), "{conversation}");
}

/// Returns the session that works on the run's task.
pub(crate) fn worker_session(fixture: &Fixture, run: &domain::RunId) -> String {
    let rows = fixture.get_json(&format!("/api/runs/{run}/rows?kind=session"));
    let sessions = rows["rows"]["session"].as_array().unwrap();
    let worker = sessions.iter().find(|row| row["role"] == "worker" && !row["agent"].is_null()).unwrap();
    worker["id"].as_str().unwrap().to_owned()
}

#[test]
fn terminal_sends_the_screen_then_output_and_accepts_input() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    let path = format!("/api/runs/{run}/sessions/{}/terminal", worker_session(&fixture, &run));
    assert_eq!(fixture.request_problem("GET", &path, "").0, 400, "it is not a WebSocket upgrade");
    let mut socket = WebSocket::open(&fixture, &path);
    let first = socket.next();
    assert_eq!(first["type"], "snapshot", "{first}");
    assert!(first["text"].as_str().unwrap().contains("Which colour?"), "{first}");
    socket.send(&json!({"type": "nonsense"}));
    assert_eq!(socket.next()["type"], "problem");
    socket.send(&json!({"type": "resize", "columns": 100, "rows": 30}));
    let resized = socket.next();
    assert_eq!((&resized["type"], &resized["columns"]), (&json!("resized"), &json!(100)), "{resized}");
    // The shell reads the answer, echoes it and reports done.
    socket.send(&json!({"type": "input", "text": "blue\r"}));
    let mut output = String::new();
    while !output.contains("DONE:T1.1") {
        let message = socket.next();
        assert_eq!(message["type"], "output", "{message}");
        output.push_str(message["text"].as_str().unwrap());
    }
    assert!(output.contains("blue"), "{output}");
}

/// A WebSocket client for short text messages, with the mask that clients must send.
struct WebSocket(UnixStream);

impl WebSocket {
    fn open(fixture: &Fixture, path: &str) -> Self {
        let mut stream = UnixStream::connect(fixture.data_directory().join("server.sock")).unwrap();
        let token = fixture.token();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").unwrap();
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
        // A mask of zeros does not change the text.
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
        assert_eq!(head[0], 0x81, "an unfragmented text message");
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
    let fixture = Fixture::open();
    let send = |path: &str, key: &str, body: &str| {
        let token = fixture.token();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\ncontent-type: application/json"
        );
        let length = body.len();
        fixture.send_raw(
            format!("{head}\r\nidempotency-key: {key}\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes(),
        )
    };
    let new = serde_json::to_string(&fixture.new_run(1)).unwrap();
    let (status, first) = send("/api/runs", "one", &new);
    assert_eq!(status, 201, "{first}");
    assert_eq!(send("/api/runs", "one", &new), (201, first.clone()));
    assert_eq!(fixture.client.runs().unwrap().len(), 1);
    assert_ne!(send("/api/runs", "two", &new).1, first);
    assert_eq!(fixture.client.runs().unwrap().len(), 2);
    // The same key for another request.
    assert_eq!(send("/api/runs", "one", "{}").0, 422);
    assert_eq!(send("/api/stop", "one", &new).0, 422);
    // An error is repeated too, and a malformed key is refused.
    assert_eq!(send("/api/runs", "three", "{}"), send("/api/runs", "three", "{}"));
    assert_eq!(send("/api/runs", &"k".repeat(201), &new).0, 400);
    assert_eq!(fixture.client.runs().unwrap().len(), 2);
}

#[test]
fn runs_are_paged_newest_first() {
    let fixture = Fixture::open();
    let mut runs: Vec<_> =
        (0..5).map(|_| fixture.client.start_run(&fixture.new_run(1)).unwrap().to_string()).collect();
    assert_eq!(
        select_fields(&fixture.get_json("/api/runs"), &["id"]),
        runs.iter().map(|run| json!([run])).collect::<Vec<_>>()
    );
    runs.reverse();
    let (mut path, mut paged) = ("/api/runs?limit=2".to_owned(), Vec::new());
    loop {
        let response = fixture.request_whole_response("GET", &path, "");
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        let page: Value = serde_json::from_str(body).unwrap();
        paged.extend(select_fields(&page, &["id"]));
        let next = head.lines().find_map(|line| line.strip_prefix("link: <")?.split_once('>'));
        match next {
            Some((next, _)) => path = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(paged, runs.iter().map(|run| json!([run])).collect::<Vec<_>>());
}

#[test]
fn projects_questions_agents_and_configuration_are_listed() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    let projects = fixture.get_json("/api/projects");
    // The folder of the test itself is listed too.
    assert_eq!(select_fields(&projects, &["name", "nRuns", "lastRun"])[..1], [json!(["walls", 1, run])]);
    assert_eq!(projects[0]["folder"], json!(fixture.project()));
    let questions = fixture.get_json(&format!("/api/questions?run={run}&agent=dev"));
    assert_eq!(select_fields(&questions, &["run", "id", "text"]), [json!([run, "q_1", "Which colour?"])]);
    assert_eq!(fixture.get_json("/api/questions?agent=unknown"), json!([]));
    assert!(fixture.get_json(&format!("/api/runs/{run}/usage")).is_array());
    let agents = fixture.get_json("/api/agents");
    assert!(agents.as_array().unwrap().iter().any(|agent| agent["name"] == "shell"), "{agents}");
    let config = fixture.get_json("/api/config");
    assert!(config.as_array().unwrap().iter().any(|row| row["key"] == "server.port"), "{config}");
}

#[test]
fn plan_check_returns_tasks_and_diagnostics_with_locations() {
    let fixture = Fixture::open();
    let text = "# Shop\n\n## Phase 1: Build\n\n### T1.1: Cart\n\n### T1.2: Till\n- Depends: T1.9\n";
    let (status, body) =
        fixture.request("POST", "/api/plans/check", &json!({"name": "TASKS.md", "text": text}).to_string());
    let report: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &report["title"]), (200, &json!("Shop")), "{report:#}");
    assert_eq!(report["tasks"].as_array().unwrap().len(), 2);
    assert!(
        report["diagnostics"].as_array().unwrap().iter().all(|diagnostic| diagnostic["line"].is_u64()),
        "{report:#}"
    );
    assert!(fixture.client.runs().unwrap().is_empty());
}
