//! Invalid requests get problem documents, and the server continues.

use domain::{PermissionScope, TaskId, UserCommand};
use server::ClientError;

use crate::fixture::Fixture;

#[test]
fn problems_are_in_the_language_of_the_request() {
    let fixture = Fixture::open();
    let detail = |language: &str| {
        let request = format!(
            "GET /api/runs/unknown/rows HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nconnection: close\r\naccept-language: {language}\r\n\r\n",
            fixture.token()
        );
        let (status, answer) = fixture.send_raw(request.as_bytes());
        let problem: server::Problem = serde_json::from_str(&answer).unwrap();
        assert_eq!((status, problem.code.as_str()), (404, "unknown-run"));
        problem.detail
    };
    assert_eq!(detail("ko-KR,en;q=0.5"), "없는 실행입니다: 'unknown'");
    assert_eq!(detail("en"), "There is no run 'unknown'.");
}

#[test]
fn invalid_requests_get_a_problem_with_the_matching_status() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(2);
    let commands = format!("/api/runs/{run}/commands");
    let body = |command: &str| format!(r#"{{"person":"ana","command":{command}}}"#);
    let long_name = format!("/api/runs/{}", "r".repeat(5000));
    let check = |method: &str, path: &str, body: &str, status: u16| {
        let (actual, problem) = fixture.request_problem(method, path, body);
        assert_eq!(actual, status, "{method} {path} {body}: {problem}");
        assert!(problem.to_string().len() < 1000, "long input is not repeated: {problem}");
    };
    // Unknown path, method, run, task, kind or position.
    check("GET", "/", "", 404);
    check("GET", "/api", "", 404);
    check("GET", "/api/runs/", "", 404);
    check("GET", "/api/../etc/passwd", "", 404);
    check("GET", &format!("/{}", "x".repeat(9000)), "", 404);
    check("DELETE", "/api/runs", "", 405);
    check("POST", "/api/status", "", 405);
    check("BREW", "/api/live", "", 405);
    check("GET", "/api/runs/unknown", "", 404);
    check("GET", "/api/runs/..%2F..", "", 404);
    check("GET", "/api/runs/%ff%fe", "", 404);
    check("GET", &long_name, "", 404);
    check("GET", "/api/runs/unknown/rows", "", 404);
    check("GET", "/api/runs/unknown/tasks/T1/diff", "", 404);
    check("GET", "/api/runs/unknown/phases/1/diff", "", 404);
    check("GET", &format!("/api/runs/{run}/phases/9/diff"), "", 404);
    check("GET", &format!("/api/runs/{run}/phases/one/diff"), "", 404);
    check("GET", &format!("/api/runs/{run}/phases/1/diff"), "", 409);
    check("GET", &format!("/api/runs/{run}/phases/1/diff?sinceRejection=maybe"), "", 400);
    check("GET", &format!("/api/runs/{run}/phases/1/diff?since=1"), "", 400);
    check("POST", "/api/runs/unknown/land", "", 404);
    check("POST", "/api/runs/unknown/clean", "", 404);
    check("POST", "/api/runs/unknown/commands", &body(r#""pauseRun""#), 404);
    check("GET", &format!("/api/runs/{run}/tasks/T9/diff"), "", 404);
    check("GET", &format!("/api/runs/{run}/tasks/T1.1/diff"), "", 409);
    check("POST", &format!("/api/runs/{run}/land"), "", 409);
    check("GET", &format!("/api/runs/{run}/rows?kind=tusk"), "", 400);
    check("GET", &format!("/api/runs/{run}/rows?kind=task&limit=1"), "", 400);
    check("GET", &format!("/api/runs/{run}/rows?kind=task&task=T1.1"), "", 400);
    check("GET", &format!("/api/runs/{run}/rows?task=T1.1"), "", 400);
    check("GET", "/api/live?run=unknown", "", 404);
    check("GET", "/api/live?run=../x", "", 404);
    check("GET", "/api/live?after=-1", "", 400);
    check("GET", "/api/live?after=99999999999999999999", "", 400);
    check("GET", "/api/live?after=1000000", "", 409);
    check("GET", "/api/live?since=1", "", 400);
    check("GET", "/api/live?kind=tusk", "", 400);
    check("GET", "/api/live?session=1", "", 400);
    check("GET", "/api/runs?limit=0", "", 400);
    check("GET", "/api/runs?limit=1001", "", 400);
    check("GET", "/api/runs?before=unknown", "", 404);
    check("GET", "/api/runs?page=2", "", 400);
    check("GET", &format!("/api/runs/{run}/tasks/T9"), "", 404);
    check("GET", &format!("/api/runs/{run}/tasks/T9/conversation"), "", 404);
    check("GET", &format!("/api/runs/{run}/events?after=x"), "", 400);
    check("GET", &format!("/api/runs/{run}/sessions/..%2f1/output"), "", 404);
    check("POST", &format!("/api/runs/{run}/sessions/s_99/input"), r#"{"text":"x"}"#, 404);
    check("POST", &format!("/api/runs/{run}/sessions/s_99/stop"), "", 404);
    check("POST", "/api/plans/check", r#"{"name":"x"}"#, 400);
    check("GET", "/api/plans", "", 400);
    check("GET", "/api/plans?project=/", "", 404);
    check("GET", &format!("/api/plans?project=/{}", "x".repeat(5000)), "", 404);
    check("GET", "/api/plans/text?project=/", "", 400);
    check("GET", "/api/plans/text?project=/etc&path=passwd", "", 404);
    check("POST", "/api/plans/start", "{}", 400);
    check("POST", "/api/plans/preview", "{}", 400);
    // Invalid bodies.
    check("POST", &commands, "", 400);
    check("POST", &commands, "{", 400);
    check("POST", &commands, "null", 400);
    check("POST", &commands, r#"{"person":"ana"}"#, 400);
    check("POST", &commands, &body(r#""fly""#), 400);
    check("POST", &commands, &body(r#"{"pauseTask":"T1, T2"}"#), 400);
    check("POST", &commands, &body(&"[".repeat(100_000)), 400);
    check("POST", &commands, r#"{"person":" ","command":"pauseRun"}"#, 400);
    check("POST", &commands, &format!(r#"{{"person":"{}","command":"pauseRun"}}"#, "a".repeat(300)), 400);
    check("POST", &commands, &body(&format!(r#"{{"chat":{{"text":"{}"}}}}"#, "a".repeat(2 << 20))), 413);
    check("POST", "/api/runs", "{}", 400);
    check("POST", "/api/stop", r#"{"agents":"kill"}"#, 400);
    // Commands that are reserved for the runtime.
    check("POST", &commands, &body(r#""tick""#), 400);
    check("POST", &commands, &body(r#"{"reportEnded":{"session":"s_1","exitStatus":0}}"#), 400);
    // Commands that the rules reject.
    check("POST", &commands, &body(r#"{"pauseTask":"T9"}"#), 404);
    check("POST", &commands, &body(r#"{"answer":{"question":"q_9","answer":"red"}}"#), 404);
    check("POST", &commands, &body(r#"{"answer":{"question":"q_1","answer":" "}}"#), 422);
    check("POST", &commands, &body(r#""continueRun""#), 409);
    let (_, problem) = fixture.request_problem("POST", &commands, &body(r#"{"chat":{"text":"red"}}"#));
    assert_eq!(problem["pending"], serde_json::json!(["q_1", "q_2"]));

    assert_eq!(fixture.client.run_row(&run).unwrap().waits_for.person, 2, "no command was executed");
}

#[test]
fn malformed_http_is_refused() {
    let fixture = Fixture::open();
    let check = |bytes: &[u8], status: u16| {
        let (actual, body) = fixture.send_raw(bytes);
        assert_eq!(actual, status, "{:?}: {body}", String::from_utf8_lossy(&bytes[..bytes.len().min(80)]));
    };
    let token = fixture.token();
    let head = format!(
        "POST /api/runs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\n"
    );
    let with = |rest: &str| format!("{head}{rest}").into_bytes();
    check(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400);
    check(b"GET /api/status\r\n\r\n", 400);
    check(&vec![b'x'; 100_000], 431);
    check(&[b"GET /".as_slice(), &vec![b'x'; 100_000], b" HTTP/1.1\r\n\r\n"].concat(), 431);
    check(&with(&format!("x: {}\r\n\r\n", "x".repeat(100_000))), 431);
    check(&with(&"x: y\r\n".repeat(100)), 431);
    check(&with("content-length: -1\r\n\r\n"), 400);
    check(&with("content-length: 1\r\ncontent-length: 2\r\n\r\n{}"), 400);
    check(&with("content-type: text/plain\r\ncontent-length: 2\r\n\r\n{}"), 415);
    check(&with("content-length: 2\r\n\r\n{}"), 415);
    check(&with("content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"), 400);
    let huge = "content-type: application/json\r\ncontent-length: 99999999999\r\n\r\n";
    check(&[with(huge), vec![b' '; 33 << 20]].concat(), 413);
    assert_eq!(fixture.client.status().unwrap().pid, std::process::id());
}

#[test]
fn client_errors_have_the_detail_of_the_problem() {
    let fixture = Fixture::open();
    let run = fixture.start_run_with_questions(1);
    let unknown: TaskId = "T9".parse().unwrap();
    let check = |result: Result<_, ClientError>, status: u16, detail: &str| match result.unwrap_err() {
        ClientError::Refused { status: actual, problem } => {
            assert_eq!((actual, problem.detail.as_str()), (status, detail));
        }
        error => panic!("{error}"),
    };
    let send = |command: &UserCommand| fixture.client.send_command(&run, "ana", command).map(drop);
    check(send(&UserCommand::PauseTask(unknown)), 404, "There is no task T9.");
    let answer = UserCommand::Answer {
        question: None,
        task: None,
        answer: String::new(),
        scope: PermissionScope::Once,
        pattern: None,
        reason: None,
    };
    check(send(&answer), 422, "The text is empty.");
    let unknown_run = "unknown".parse().unwrap();
    check(fixture.client.run_row(&unknown_run).map(drop), 404, "There is no run 'unknown'.");
    check(
        fixture.client.task_diff(&run, &"T1.1".parse().unwrap()).map(drop),
        409,
        &format!("Run {run} has no worktrees."),
    );
}
