//! Callers of the Unix socket: the user, agents in sessions of this server, and processes that hide.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    os::unix::net::UnixStream,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use domain::{EscalationLevel, Severity};
use server::{Client, LiveEvent};
use store::Position;
use views::EscalationRow;

use crate::fixture::Fixture;

/// Sends the bytes in a file over the socket and prints the response.
const SEND: &str = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); \
     s.sendall(open(sys.argv[2], 'rb').read()); print(s.makefile('rb').read().decode())";

/// Prepares the request of an answer, and the shell command that sends it and writes the response to a file.
fn answering_command(fixture: &Fixture, run: &str) -> String {
    let body = r#"{"person":"ana","command":{"answer":{"question":"q_1","answer":"red"}}}"#;
    let request = fixture.format_request("POST", &format!("/api/runs/{run}/commands"), body);
    let folder = fixture.project();
    fs::write(folder.join("request"), request).unwrap();
    fs::write(folder.join("send.py"), SEND).unwrap();
    let socket = fixture.data_directory().join("server.sock");
    format!("python3 send.py {} request > response.new; mv response.new response", socket.display())
}

/// An agent that asks, then runs a command when the file `go` exists.
fn agent_that_runs(command: &str) -> String {
    format!(
        r#"read task
printf '[ASK_USER %s]\nquestion: Which colour?\ntype: selection\noptions: ["red", "blue"]\n[/ASK_USER %s]\n' "$JANGDAN_KEY" "$JANGDAN_KEY"
while ! [ -e go ]; do sleep 0.02; done
{command}
read answer
"#
    )
}

fn read_once_it_exists(path: &Path) -> String {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if let Ok(text) = fs::read_to_string(path) {
            return text;
        }
        assert!(Instant::now() < deadline, "{} is missing", path.display());
        thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a run whose agent calls the server in this way; returns the response.
fn response_to_agent(fixture: &Fixture, wrap: impl FnOnce(&str) -> String) -> (String, domain::RunId) {
    let new = fixture.new_run(1);
    fs::write(fixture.project().join("asks.sh"), agent_that_runs("sh act.sh")).unwrap();
    let run = fixture.client.start_run(&new).unwrap();
    fixture.wait_for(&run, |row| row.waits_for.person == 1);
    let command = answering_command(fixture, run.as_str());
    fs::write(fixture.project().join("act.sh"), wrap(&command)).unwrap();
    fs::write(fixture.project().join("go"), "").unwrap();
    (read_once_it_exists(&fixture.project().join("response")), run)
}

fn wait_for_escalation(fixture: &Fixture, run: &domain::RunId) -> EscalationRow {
    for event in fixture.client.open_live_stream(Some(Position(0)), Some(run.clone())).unwrap() {
        let LiveEvent::Changed(change) = event else { continue };
        if let Some(row) = change.row::<EscalationRow>().filter(|row| row.level == EscalationLevel::Person) {
            return row;
        }
    }
    panic!("the stream ended");
}

fn assert_refused(fixture: &Fixture, response: &str, run: &domain::RunId) {
    assert!(response.starts_with("HTTP/1.1 403 ") && response.contains("caller-in-session"), "{response}");
    let row = wait_for_escalation(fixture, run);
    assert_eq!(row.severity, Severity::Critical, "{row:?}");
    assert!(row.title.contains("tried to act as the user"), "{row:?}");
    assert!(row.description.contains("POST /api/runs/"), "{row:?}");
    let inbox = fixture.client.inbox().unwrap();
    assert_eq!(inbox.len(), 2, "the question is open, and the attempt is in the inbox: {inbox:?}");
}

#[test]
fn an_agent_with_the_token_cannot_answer_for_the_user() {
    let fixture = Fixture::open();
    let (response, run) = response_to_agent(&fixture, str::to_owned);
    assert_refused(&fixture, &response, &run);
}

#[test]
fn a_daemon_of_an_agent_without_its_environment_cannot_answer_either() {
    let fixture = Fixture::open();
    let (response, run) =
        response_to_agent(&fixture, |command| format!("setsid env -i PATH=\"$PATH\" sh -c '{command}' &\n"));
    assert_refused(&fixture, &response, &run);
}

#[test]
fn many_callers_are_looked_up_by_few_threads() {
    const N_CALLERS: usize = 64;
    let fixture = Fixture::open();
    let address = fixture.client.status().unwrap().address.unwrap();
    let (host, token) = (address.strip_prefix("http://").unwrap(), fixture.token());
    let request =
        format!("GET /api/status HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\r\n");
    let mut callers: Vec<_> = (0..N_CALLERS).map(|_| TcpStream::connect(host).unwrap()).collect();
    for caller in &mut callers {
        caller.write_all(request.as_bytes()).unwrap();
    }
    for caller in &mut callers {
        let mut response = [0; 15];
        caller.read_exact(&mut response).unwrap();
        assert_eq!(&response, b"HTTP/1.1 200 OK");
    }
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    let n_threads = names.filter(|name| name == "server\n").count();
    assert!(n_threads < N_CALLERS / 4, "{n_threads} threads");
}

#[test]
fn the_socket_requires_the_token_and_the_user_has_it() {
    let fixture = Fixture::open();
    let with_token = fixture.format_request("GET", "/api/runs", "");
    let token = fixture.token();
    let without = with_token.replace(&format!("authorization: Bearer {token}\r\n"), "");
    assert_eq!(fixture.send_raw(without.as_bytes()).0, 401);
    assert_eq!(fixture.send_raw(with_token.replace(&token, "wrong").as_bytes()).0, 401);
    assert_eq!(fixture.send_raw(with_token.as_bytes()).0, 200);
    // Another process of the user.
    let run = fixture.start_run_with_questions(1);
    let command = answering_command(&fixture, run.as_str());
    let user = Command::new("sh")
        .args(["-c", &command])
        .current_dir(fixture.project())
        .stdin(Stdio::null())
        .status();
    assert!(user.unwrap().success());
    let response = fs::read_to_string(fixture.project().join("response")).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
}

#[test]
fn a_server_accepts_callers_of_sessions_of_another_server() {
    let (outer, inner) = (Fixture::open(), Fixture::open());
    let inner_run = inner.start_run_with_questions(1);
    // An agent of the outer server calls the inner one.
    let command = answering_command(&inner, inner_run.as_str());
    let folder = inner.project();
    fs::write(
        outer.project().join("asks.sh"),
        agent_that_runs(&format!("cd {} && {command}", folder.display())),
    )
    .unwrap();
    let run = outer.client.start_run(&outer.new_run(1)).unwrap();
    outer.wait_for(&run, |row| row.waits_for.person == 1);
    fs::write(outer.project().join("go"), "").unwrap();
    let response = read_once_it_exists(&folder.join("response"));
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    drop(UnixStream::connect(outer.data_directory().join("server.sock")).unwrap());
    assert!(Client::connect(&outer.data_directory()).unwrap().is_some());
}
