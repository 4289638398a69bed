//! The Codex app-server protocol: threads, turns, approvals, interrupts, limits.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::ScriptedAgent;

fn open_thread_in(folder: TempDir, steps: &str, method: &str, params: Value) -> (ScriptedAgent, Value) {
    let mut agent = ScriptedAgent::start_in(
        folder,
        &format!("voice = 'codex'\nmemory = 'sessions'\n{steps}"),
        &["app-server"],
    );
    agent.write_line(
        &json!({ "id": 1, "method": "initialize", "params": { "clientInfo": { "name": "p" } } }).to_string(),
    );
    assert!(agent.next_json().get("jsonrpc").is_none());
    agent.write_line(&json!({ "method": "initialized" }).to_string());
    agent.write_line(&json!({ "id": 2, "method": method, "params": params }).to_string());
    let response = agent.wait_for_response(2);
    (agent, response)
}

fn start_thread(steps: &str) -> (ScriptedAgent, String) {
    let (agent, response) = open_thread_in(
        TempDir::new().expect("create a folder"),
        steps,
        "thread/start",
        json!({ "cwd": "/" }),
    );
    (agent, response["result"]["thread"]["id"].as_str().expect("a thread").to_owned())
}

/// Returns the next item that is not the echoed prompt.
fn next_completed_item(agent: &ScriptedAgent) -> Value {
    loop {
        let item = agent.skip_until("/method", "item/completed")["params"]["item"].clone();
        if item["type"] != "userMessage" {
            return item;
        }
    }
}

fn send_turn_start(agent: &mut ScriptedAgent, id: u64, thread: &str, text: &str) {
    let input = json!([{ "type": "text", "text": text }]);
    agent.write_line(
        &json!({ "id": id, "method": "turn/start", "params": { "threadId": thread, "input": input } })
            .to_string(),
    );
}

#[test]
fn a_turn_request_is_answered_before_the_turn_completes() {
    let (mut agent, thread) =
        start_thread("steps = [{ wait = '' }, { say = 'hello' }, { usage = { input = 7, output = 3 } }]");
    send_turn_start(&mut agent, 3, &thread, "go");
    assert_eq!(agent.wait_for_response(3)["result"]["turn"]["status"], "inProgress");
    assert_eq!(agent.skip_until("/method", "item/agentMessage/delta")["params"]["delta"], "hello");
    assert_eq!(agent.next_json()["params"]["item"]["text"], "hello");
    assert_eq!(agent.next_json()["params"]["tokenUsage"]["last"]["totalTokens"], 10);
    assert_eq!(agent.skip_until("/method", "turn/completed")["params"]["turn"]["status"], "completed");
    assert_eq!(agent.close_input_and_wait().0, Some(0));
}

#[test]
fn approval_decisions_determine_the_turn_status() {
    for (kind, method, decision, item_status, turn_status) in [
        ("execute", "item/commandExecution/requestApproval", json!("accept"), Some("completed"), "completed"),
        ("execute", "item/commandExecution/requestApproval", json!("decline"), Some("declined"), "completed"),
        ("edit", "item/fileChange/requestApproval", json!("accept"), Some("completed"), "completed"),
        ("execute", "item/commandExecution/requestApproval", json!("cancel"), None, "interrupted"),
    ] {
        let (mut agent, thread) = start_thread(&format!(
            "steps = [{{ wait = '' }}, {{ tool = {{ name = 'shell', kind = '{kind}', input = {{ command = 'ls' }}, asks = true }} }}]"
        ));
        send_turn_start(&mut agent, 3, &thread, "go");
        let asked = agent.skip_until("/method", method);
        agent.write_line(&json!({ "id": asked["id"], "result": { "decision": decision } }).to_string());
        if let Some(status) = item_status {
            assert_eq!(next_completed_item(&agent)["status"], status);
        }
        assert_eq!(agent.skip_until("/method", "turn/completed")["params"]["turn"]["status"], turn_status);
    }
}

#[test]
fn answers_to_a_question_are_matched_by_id() {
    let (mut agent, thread) =
        start_thread("steps = [{ wait = '' }, { question = 'Which?' }, { say = 'took {line}' }]");
    send_turn_start(&mut agent, 3, &thread, "go");
    let asked = agent.skip_until("/method", "item/tool/requestUserInput");
    let id = asked["params"]["questions"][0]["id"].as_str().expect("an id").to_owned();
    agent.write_line(
        &json!({ "id": asked["id"], "result": { "answers": { id: { "answers": ["postgres"] } } } })
            .to_string(),
    );
    assert_eq!(agent.skip_until("/method", "item/agentMessage/delta")["params"]["delta"], "took postgres");
}

#[test]
fn an_interrupt_and_a_limit_end_the_turn() {
    let (mut agent, thread) = start_thread(
        "steps = [{ wait = '' }, { sleep = '1m' }, { wait = '' }, { fail = { status = 429, message = 'limit', retries = 1, resets_at = 5 } }]",
    );
    send_turn_start(&mut agent, 3, &thread, "go");
    agent.skip_until("/method", "turn/started");
    agent.write_line(
        &json!({ "id": 4, "method": "turn/interrupt", "params": { "threadId": thread, "turnId": "turn-1" } })
            .to_string(),
    );
    assert_eq!(agent.skip_until("/method", "turn/completed")["params"]["turn"]["status"], "interrupted");
    send_turn_start(&mut agent, 5, &thread, "go");
    assert_eq!(agent.skip_until("/method", "error")["params"]["willRetry"], true);
    assert_eq!(agent.next_json()["params"]["error"]["codexErrorInfo"], "usageLimitExceeded");
    assert_eq!(agent.skip_until("/method", "turn/completed")["params"]["turn"]["status"], "failed");
}

#[test]
fn a_thread_is_resumed_after_a_kill() {
    let steps = "steps = [{ wait = '' }, { say = 'first' }]\nresumed = [{ wait = '' }, { say = 'again' }]";
    let (mut agent, thread) = start_thread(steps);
    send_turn_start(&mut agent, 3, &thread, "go");
    agent.skip_until("/method", "turn/completed");
    let (mut agent, response) =
        open_thread_in(agent.kill(), steps, "thread/resume", json!({ "threadId": thread }));
    assert_eq!(response["result"]["thread"]["id"], thread.as_str());
    send_turn_start(&mut agent, 3, &thread, "go");
    assert_eq!(agent.skip_until("/method", "item/agentMessage/delta")["params"]["delta"], "again");
    let (_, refused) = open_thread_in(
        TempDir::new().expect("create a folder"),
        steps,
        "thread/resume",
        json!({ "threadId": "unknown" }),
    );
    assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("no rollout found")));
}
