//! The voice of Codex's app-server: threads, turns, approvals, interrupts, limits.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::stage::Stage;

fn start_in(folder: TempDir, steps: &str, method: &str, params: Value) -> (Stage, Value) {
    let mut stage =
        Stage::start_in(folder, &format!("voice = 'codex'\nmemory = 'sessions'\n{steps}"), &["app-server"]);
    stage.say(
        &json!({ "id": 1, "method": "initialize", "params": { "clientInfo": { "name": "p" } } }).to_string(),
    );
    assert!(stage.json().get("jsonrpc").is_none());
    stage.say(&json!({ "method": "initialized" }).to_string());
    stage.say(&json!({ "id": 2, "method": method, "params": params }).to_string());
    let response = stage.response(2);
    (stage, response)
}

fn start(steps: &str) -> (Stage, String) {
    let (stage, response) =
        start_in(TempDir::new().expect("a folder"), steps, "thread/start", json!({ "cwd": "/" }));
    (stage, response["result"]["thread"]["id"].as_str().expect("a thread").to_owned())
}

/// Returns the next item that is not our own prompt.
fn item_completed(stage: &Stage) -> Value {
    loop {
        let item = stage.until("/method", "item/completed")["params"]["item"].clone();
        if item["type"] != "userMessage" {
            return item;
        }
    }
}

fn turn(stage: &mut Stage, id: u64, thread: &str, text: &str) {
    let input = json!([{ "type": "text", "text": text }]);
    stage.say(
        &json!({ "id": id, "method": "turn/start", "params": { "threadId": thread, "input": input } })
            .to_string(),
    );
}

#[test]
fn a_turn_is_answered_at_once_and_completed_later() {
    let (mut stage, thread) =
        start("steps = [{ wait = '' }, { say = 'hello' }, { usage = { input = 7, output = 3 } }]");
    turn(&mut stage, 3, &thread, "go");
    assert_eq!(stage.response(3)["result"]["turn"]["status"], "inProgress");
    assert_eq!(stage.until("/method", "item/agentMessage/delta")["params"]["delta"], "hello");
    assert_eq!(stage.json()["params"]["item"]["text"], "hello");
    assert_eq!(stage.json()["params"]["tokenUsage"]["last"]["totalTokens"], 10);
    assert_eq!(stage.until("/method", "turn/completed")["params"]["turn"]["status"], "completed");
    assert_eq!(stage.end().0, Some(0));
}

#[test]
fn approvals_are_asked_and_decided() {
    for (kind, method, decision, item_status, turn_status) in [
        ("execute", "item/commandExecution/requestApproval", json!("accept"), Some("completed"), "completed"),
        ("execute", "item/commandExecution/requestApproval", json!("decline"), Some("declined"), "completed"),
        ("edit", "item/fileChange/requestApproval", json!("accept"), Some("completed"), "completed"),
        ("execute", "item/commandExecution/requestApproval", json!("cancel"), None, "interrupted"),
    ] {
        let (mut stage, thread) = start(&format!(
            "steps = [{{ wait = '' }}, {{ tool = {{ name = 'shell', kind = '{kind}', input = {{ command = 'ls' }}, asks = true }} }}]"
        ));
        turn(&mut stage, 3, &thread, "go");
        let asked = stage.until("/method", method);
        stage.say(&json!({ "id": asked["id"], "result": { "decision": decision } }).to_string());
        if let Some(status) = item_status {
            assert_eq!(item_completed(&stage)["status"], status);
        }
        assert_eq!(stage.until("/method", "turn/completed")["params"]["turn"]["status"], turn_status);
    }
}

#[test]
fn a_question_has_its_answers_by_id() {
    let (mut stage, thread) =
        start("steps = [{ wait = '' }, { question = 'Which?' }, { say = 'took {line}' }]");
    turn(&mut stage, 3, &thread, "go");
    let asked = stage.until("/method", "item/tool/requestUserInput");
    let id = asked["params"]["questions"][0]["id"].as_str().expect("an id").to_owned();
    stage.say(
        &json!({ "id": asked["id"], "result": { "answers": { id: { "answers": ["postgres"] } } } })
            .to_string(),
    );
    assert_eq!(stage.until("/method", "item/agentMessage/delta")["params"]["delta"], "took postgres");
}

#[test]
fn an_interrupt_and_a_limit_end_the_turn() {
    let (mut stage, thread) = start(
        "steps = [{ wait = '' }, { sleep = '1m' }, { wait = '' }, { fail = { status = 429, message = 'limit', retries = 1, resets_at = 5 } }]",
    );
    turn(&mut stage, 3, &thread, "go");
    stage.until("/method", "turn/started");
    stage.say(
        &json!({ "id": 4, "method": "turn/interrupt", "params": { "threadId": thread, "turnId": "turn-1" } })
            .to_string(),
    );
    assert_eq!(stage.until("/method", "turn/completed")["params"]["turn"]["status"], "interrupted");
    turn(&mut stage, 5, &thread, "go");
    assert_eq!(stage.until("/method", "error")["params"]["willRetry"], true);
    assert_eq!(stage.json()["params"]["error"]["codexErrorInfo"], "usageLimitExceeded");
    assert_eq!(stage.until("/method", "turn/completed")["params"]["turn"]["status"], "failed");
}

#[test]
fn a_thread_is_resumed_after_a_kill() {
    let steps = "steps = [{ wait = '' }, { say = 'first' }]\nresumed = [{ wait = '' }, { say = 'again' }]";
    let (mut stage, thread) = start(steps);
    turn(&mut stage, 3, &thread, "go");
    stage.until("/method", "turn/completed");
    let (mut stage, response) = start_in(stage.kill(), steps, "thread/resume", json!({ "threadId": thread }));
    assert_eq!(response["result"]["thread"]["id"], thread.as_str());
    turn(&mut stage, 3, &thread, "go");
    assert_eq!(stage.until("/method", "item/agentMessage/delta")["params"]["delta"], "again");
    let (_, refused) =
        start_in(TempDir::new().expect("a folder"), steps, "thread/resume", json!({ "threadId": "unknown" }));
    assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("no rollout found")));
}
