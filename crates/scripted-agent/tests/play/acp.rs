//! The voice of ACP: handshake, turns, permissions, questions, cancel, sessions that are loaded.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::stage::Stage;

/// Starts a player, and opens a session.
fn open(folder: TempDir, steps: &str, capabilities: Value) -> (Stage, String) {
    let mut stage = Stage::start_in(folder, &format!("voice = 'acp'\nmemory = 'sessions'\n{steps}"), &[]);
    let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
    request(&mut stage, 1, "initialize", params);
    let initialized = stage.json();
    assert_eq!(initialized["jsonrpc"], "2.0");
    assert_eq!(initialized["result"]["protocolVersion"], 1);
    assert_eq!(initialized["result"]["agentCapabilities"]["loadSession"], true);
    request(&mut stage, 2, "session/new", json!({ "cwd": "/", "mcpServers": [] }));
    let session = stage.json()["result"]["sessionId"].as_str().expect("a session").to_owned();
    (stage, session)
}

fn opened(steps: &str) -> (Stage, String) {
    open(TempDir::new().expect("a folder"), steps, json!({}))
}

fn request(stage: &mut Stage, id: u64, method: &str, params: Value) {
    stage.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
}

fn prompt(stage: &mut Stage, id: u64, session: &str, text: &str) {
    let blocks = json!([{ "type": "text", "text": text }]);
    request(stage, id, "session/prompt", json!({ "sessionId": session, "prompt": blocks }));
}

#[test]
fn a_turn_streams_words_thoughts_plan_and_figures_and_ends() {
    let (mut stage, session) = opened(
        "steps = [
            { wait = 'hello' }, { think = 'hm' }, { say = { text = 'you said {line}', chunk = 9 } },
            { plan = [{ text = 'read', status = 'completed' }] },
            { usage = { input = 7, output = 3, cost = 0.5, window = 1000 } }]",
    );
    prompt(&mut stage, 3, &session, "hello there");
    let update = |value: &Value| value["params"]["update"].clone();
    let thought = stage.json();
    assert_eq!(thought["method"], "session/update");
    assert_eq!(thought["params"]["sessionId"], session.as_str());
    assert_eq!(
        update(&thought),
        json!({ "sessionUpdate": "agent_thought_chunk", "content": { "type": "text", "text": "hm" } })
    );
    let words: String =
        (0..3).map(|_| update(&stage.json())["content"]["text"].as_str().expect("text").to_owned()).collect();
    assert_eq!(words, "you said hello there"[..words.len()].to_owned());
    assert_eq!(
        update(&stage.json())["entries"],
        json!([{ "content": "read", "priority": "medium", "status": "completed" }])
    );
    assert_eq!(
        update(&stage.json()),
        json!({ "sessionUpdate": "usage_update", "used": 10, "size": 1000, "cost": { "amount": 0.5, "currency": "USD" } })
    );
    let result = stage.response(3);
    assert_eq!(result["result"]["stopReason"], "end_turn");
    assert_eq!(result["result"]["usage"]["totalTokens"], 10);
    assert_eq!(stage.end().0, Some(0));
}

#[test]
fn a_permission_is_asked_and_the_answer_decides() {
    for (outcome, status, stop, words) in [
        (json!({ "outcome": "selected", "optionId": "allow" }), "completed", "end_turn", Some("heard allow")),
        (json!({ "outcome": "selected", "optionId": "reject" }), "failed", "end_turn", Some("heard reject")),
        (json!({ "outcome": "cancelled" }), "failed", "cancelled", None),
    ] {
        let (mut stage, session) = opened(
            "steps = [{ wait = '' }, { tool = { name = 'Bash', input = { command = 'ls' }, output = 'DONE:T1', asks = true } }, { say = 'heard {line}' }]",
        );
        prompt(&mut stage, 3, &session, "go");
        let call = stage.json()["params"]["update"].clone();
        assert_eq!(
            (&call["sessionUpdate"], &call["status"], &call["kind"]),
            (&json!("tool_call"), &json!("pending"), &json!("execute"))
        );
        let asked = stage.json();
        assert_eq!(asked["method"], "session/request_permission");
        assert_eq!(asked["params"]["toolCall"]["toolCallId"], call["toolCallId"]);
        assert_eq!(
            asked["params"]["options"][1],
            json!({ "optionId": "allow", "name": "Allow", "kind": "allow_once" })
        );
        stage.say(
            &json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "outcome": outcome } }).to_string(),
        );
        let ended = stage.json()["params"]["update"].clone();
        assert_eq!((&ended["sessionUpdate"], &ended["status"]), (&json!("tool_call_update"), &json!(status)));
        if let Some(words) = words {
            assert_eq!(stage.json()["params"]["update"]["content"]["text"], words);
        }
        assert_eq!(stage.response(3)["result"]["stopReason"], stop);
    }
}

#[test]
fn a_question_goes_to_clients_that_can_be_asked() {
    let steps = "steps = [{ wait = '' }, { question = { text = 'Which database?', options = ['sqlite', 'postgres'] } }, { say = 'took {line}' }]";
    let folder = TempDir::new().expect("a folder");
    let (mut stage, session) = open(folder, steps, json!({ "elicitation": { "form": {} } }));
    prompt(&mut stage, 3, &session, "go");
    let asked = stage.json();
    assert_eq!((&asked["method"], &asked["params"]["mode"]), (&json!("elicitation/create"), &json!("form")));
    assert_eq!(
        asked["params"]["requestedSchema"]["properties"]["question_0"]["oneOf"][1]["const"],
        "postgres"
    );
    let accepted = json!({ "action": "accept", "content": { "question_0": "postgres" } });
    stage.say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": accepted }).to_string());
    assert_eq!(stage.json()["params"]["update"]["content"]["text"], "took postgres");

    let (mut stage, session) = opened(steps);
    prompt(&mut stage, 3, &session, "go");
    assert_eq!(stage.json()["params"]["update"]["content"]["text"], "took ");
}

#[test]
fn a_cancelled_turn_ends_and_the_next_wait_goes_on() {
    for step in ["sleep = '1m'", "hang = 'listening'", "tool = { name = 'Bash', asks = true }"] {
        let (mut stage, session) = opened(&format!(
            "steps = [{{ wait = '' }}, {{ say = 'a' }}, {{ {step} }}, {{ say = 'never' }}, {{ wait = '' }}, {{ say = 'b' }}]"
        ));
        prompt(&mut stage, 3, &session, "one");
        stage.until("/params/update/content/text", "a");
        prompt(&mut stage, 4, &session, "two");
        stage.say(
            &json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } })
                .to_string(),
        );
        assert_eq!(stage.response(3)["result"]["stopReason"], "cancelled", "{step}");
        assert_eq!(stage.json()["params"]["update"]["content"]["text"], "b", "{step}");
        assert_eq!(stage.response(4)["result"]["stopReason"], "end_turn", "{step}");
    }
}

#[test]
fn a_session_is_loaded_with_all_that_was_said_after_a_kill() {
    let steps = "steps = [{ wait = '' }, { say = 'first' }, { wait = '' }]\nresumed = [{ wait = '' }, { say = 'second' }]";
    let (mut stage, session) = opened(steps);
    prompt(&mut stage, 3, &session, "one");
    stage.response(3);
    for (method, replayed) in [("session/load", 2), ("session/resume", 0)] {
        stage = Stage::start_in(stage.kill(), &format!("voice = 'acp'\nmemory = 'sessions'\n{steps}"), &[]);
        request(&mut stage, 1, "session/load", json!({ "sessionId": "unknown" }));
        assert_eq!(stage.json()["error"]["code"], -32002);
        request(&mut stage, 2, method, json!({ "sessionId": session, "cwd": "/", "mcpServers": [] }));
        let updates: Vec<Value> = (0..replayed).map(|_| stage.json()["params"]["update"].clone()).collect();
        let kinds: Vec<&Value> = updates.iter().map(|update| &update["sessionUpdate"]).collect();
        assert_eq!(kinds, ["user_message_chunk", "agent_message_chunk"][..replayed]);
        assert!(stage.json()["result"].is_object());
        prompt(&mut stage, 3, &session, "two");
        assert_eq!(stage.json()["params"]["update"]["content"]["text"], "second");
    }
}

#[test]
fn errors_are_those_of_the_protocol() {
    let script = "
        voice = 'acp'
        steps = [{ wait = '' }, { fail = { status = 429, message = 'slow down' } }, { wait = '' }, { fail = { status = 401 } }]
        [[refusals]]
        method = 'session/load'
        code = -32000
        message = 'Authentication required'";
    let mut stage = Stage::start(script);
    request(&mut stage, 1, "session/load", json!({}));
    assert_eq!(stage.json()["error"], json!({ "code": -32000, "message": "Authentication required" }));
    request(&mut stage, 2, "session/dance", json!({}));
    assert_eq!(stage.json()["error"]["code"], -32601);
    request(&mut stage, 3, "session/new", json!({}));
    let session = stage.json()["result"]["sessionId"].as_str().expect("a session").to_owned();
    prompt(&mut stage, 4, &session, "one");
    let error = stage.response(4)["error"].clone();
    assert_eq!((&error["code"], &error["data"]["errorKind"]), (&json!(-32603), &json!("rate_limit")));
    prompt(&mut stage, 5, &session, "two");
    assert_eq!(stage.response(5)["error"]["code"], -32000);
    stage.say("no json");
    assert_eq!(stage.json()["error"]["code"], -32700);
}

#[test]
fn each_agent_has_its_own_habits() {
    for (like, refusal, shown_first, stop) in [
        ("claude", "reject", true, "end_turn"),
        ("codex", "abort", false, "cancelled"),
        ("opencode", "reject", true, "end_turn"),
        ("gemini", "cancel", false, "end_turn"),
    ] {
        let steps = "steps = [{ wait = '' }, { usage = {} }, { tool = { name = 'Bash', input = { command = 'ls' }, asks = true } }, { say = 'on' }]";
        let (mut stage, session) = opened(&format!("like = '{like}'\n{steps}"));
        prompt(&mut stage, 3, &session, "go");
        let mut seen = Vec::new();
        let asked = loop {
            let value = stage.json();
            if value["method"] == "session/request_permission" {
                break value;
            }
            seen.push(value["params"]["update"]["sessionUpdate"].as_str().unwrap_or_default().to_owned());
        };
        assert_eq!(seen.contains(&"tool_call".to_owned()), shown_first, "{like}: {seen:?}");
        let options = asked["params"]["options"].as_array().expect("options");
        let found = options.iter().find(|option| option["kind"] == "reject_once").expect("a refusal");
        assert_eq!(found["optionId"], refusal, "{like}");
        let outcome = json!({ "outcome": { "outcome": "selected", "optionId": refusal } });
        stage.say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": outcome }).to_string());
        assert_eq!(stage.response(3)["result"]["stopReason"], stop, "{like}");
        request(&mut stage, 4, "session/resume", json!({ "sessionId": session }));
        assert_eq!(stage.response(4)["error"]["code"] == -32601, like == "gemini", "{like}");
    }
}
