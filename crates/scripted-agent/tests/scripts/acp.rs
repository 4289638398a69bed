//! The ACP protocol: handshake, turns, permissions, questions, cancel, loaded sessions.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::ScriptedAgent;

/// Starts an agent and opens a session.
fn start_session_in(folder: TempDir, steps: &str, capabilities: Value) -> (ScriptedAgent, String) {
    let mut agent =
        ScriptedAgent::start_in(folder, &format!("voice = 'acp'\nmemory = 'sessions'\n{steps}"), &[]);
    let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
    send_request(&mut agent, 1, "initialize", params);
    let initialized = agent.next_json();
    assert_eq!(initialized["jsonrpc"], "2.0");
    assert_eq!(initialized["result"]["protocolVersion"], 1);
    assert_eq!(initialized["result"]["agentCapabilities"]["loadSession"], true);
    send_request(&mut agent, 2, "session/new", json!({ "cwd": "/", "mcpServers": [] }));
    let session = agent.next_json()["result"]["sessionId"].as_str().expect("a session").to_owned();
    (agent, session)
}

fn start_session(steps: &str) -> (ScriptedAgent, String) {
    start_session_in(TempDir::new().expect("create a folder"), steps, json!({}))
}

fn send_request(agent: &mut ScriptedAgent, id: u64, method: &str, params: Value) {
    agent.write_line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
}

fn send_prompt(agent: &mut ScriptedAgent, id: u64, session: &str, text: &str) {
    let blocks = json!([{ "type": "text", "text": text }]);
    send_request(agent, id, "session/prompt", json!({ "sessionId": session, "prompt": blocks }));
}

#[test]
fn a_turn_streams_messages_thoughts_plan_and_usage() {
    let (mut agent, session) = start_session(
        "steps = [
            { wait = 'hello' }, { think = 'hm' }, { say = { text = 'you said {line}', chunk = 9 } },
            { plan = [{ text = 'read', status = 'completed' }] },
            { usage = { input = 7, output = 3, cost = 0.5, window = 1000 } }]",
    );
    send_prompt(&mut agent, 3, &session, "hello there");
    let update = |value: &Value| value["params"]["update"].clone();
    let thought = agent.next_json();
    assert_eq!(thought["method"], "session/update");
    assert_eq!(thought["params"]["sessionId"], session.as_str());
    assert_eq!(
        update(&thought),
        json!({ "sessionUpdate": "agent_thought_chunk", "content": { "type": "text", "text": "hm" } })
    );
    let words: String = (0..3)
        .map(|_| update(&agent.next_json())["content"]["text"].as_str().expect("a string").to_owned())
        .collect();
    assert_eq!(words, "you said hello there"[..words.len()].to_owned());
    assert_eq!(
        update(&agent.next_json())["entries"],
        json!([{ "content": "read", "priority": "medium", "status": "completed" }])
    );
    assert_eq!(
        update(&agent.next_json()),
        json!({ "sessionUpdate": "usage_update", "used": 10, "size": 1000, "cost": { "amount": 0.5, "currency": "USD" } })
    );
    let result = agent.wait_for_response(3);
    assert_eq!(result["result"]["stopReason"], "end_turn");
    assert_eq!(result["result"]["usage"]["totalTokens"], 10);
    assert_eq!(agent.close_input_and_wait().0, Some(0));
}

#[test]
fn the_permission_answer_decides_the_tool_outcome() {
    for (outcome, status, stop, words) in [
        (json!({ "outcome": "selected", "optionId": "allow" }), "completed", "end_turn", Some("heard allow")),
        (json!({ "outcome": "selected", "optionId": "reject" }), "failed", "end_turn", Some("heard reject")),
        (json!({ "outcome": "cancelled" }), "failed", "cancelled", None),
    ] {
        let (mut agent, session) = start_session(
            "steps = [{ wait = '' }, { tool = { name = 'Bash', input = { command = 'ls' }, output = 'DONE:T1', asks = true } }, { say = 'heard {line}' }]",
        );
        send_prompt(&mut agent, 3, &session, "go");
        let call = agent.next_json()["params"]["update"].clone();
        assert_eq!(
            (&call["sessionUpdate"], &call["status"], &call["kind"]),
            (&json!("tool_call"), &json!("pending"), &json!("execute"))
        );
        let asked = agent.next_json();
        assert_eq!(asked["method"], "session/request_permission");
        assert_eq!(asked["params"]["toolCall"]["toolCallId"], call["toolCallId"]);
        assert_eq!(
            asked["params"]["options"][1],
            json!({ "optionId": "allow", "name": "Allow", "kind": "allow_once" })
        );
        agent.write_line(
            &json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "outcome": outcome } }).to_string(),
        );
        let ended = agent.next_json()["params"]["update"].clone();
        assert_eq!((&ended["sessionUpdate"], &ended["status"]), (&json!("tool_call_update"), &json!(status)));
        if let Some(words) = words {
            assert_eq!(agent.next_json()["params"]["update"]["content"]["text"], words);
        }
        assert_eq!(agent.wait_for_response(3)["result"]["stopReason"], stop);
    }
}

#[test]
fn a_question_is_asked_only_if_the_client_supports_it() {
    let steps = "steps = [{ wait = '' }, { question = { text = 'Which database?', options = ['sqlite', 'postgres'] } }, { say = 'took {line}' }]";
    let folder = TempDir::new().expect("create a folder");
    let (mut agent, session) = start_session_in(folder, steps, json!({ "elicitation": { "form": {} } }));
    send_prompt(&mut agent, 3, &session, "go");
    let asked = agent.next_json();
    assert_eq!((&asked["method"], &asked["params"]["mode"]), (&json!("elicitation/create"), &json!("form")));
    assert_eq!(
        asked["params"]["requestedSchema"]["properties"]["question_0"]["oneOf"][1]["const"],
        "postgres"
    );
    let accepted = json!({ "action": "accept", "content": { "question_0": "postgres" } });
    agent.write_line(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": accepted }).to_string());
    assert_eq!(agent.next_json()["params"]["update"]["content"]["text"], "took postgres");

    let (mut agent, session) = start_session(steps);
    send_prompt(&mut agent, 3, &session, "go");
    assert_eq!(agent.next_json()["params"]["update"]["content"]["text"], "took ");
}

#[test]
fn after_a_cancelled_turn_the_script_continues_at_the_next_wait() {
    for step in ["sleep = '1m'", "hang = 'listening'", "tool = { name = 'Bash', asks = true }"] {
        let (mut agent, session) = start_session(&format!(
            "steps = [{{ wait = '' }}, {{ say = 'a' }}, {{ {step} }}, {{ say = 'never' }}, {{ wait = '' }}, {{ say = 'b' }}]"
        ));
        send_prompt(&mut agent, 3, &session, "one");
        agent.skip_until("/params/update/content/text", "a");
        send_prompt(&mut agent, 4, &session, "two");
        agent.write_line(
            &json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } })
                .to_string(),
        );
        assert_eq!(agent.wait_for_response(3)["result"]["stopReason"], "cancelled", "{step}");
        assert_eq!(agent.next_json()["params"]["update"]["content"]["text"], "b", "{step}");
        assert_eq!(agent.wait_for_response(4)["result"]["stopReason"], "end_turn", "{step}");
    }
}

#[test]
fn a_session_is_loaded_with_its_transcript_after_a_kill() {
    let steps = "steps = [{ wait = '' }, { say = 'first' }, { wait = '' }]\nresumed = [{ wait = '' }, { say = 'second' }]";
    let (mut agent, session) = start_session(steps);
    send_prompt(&mut agent, 3, &session, "one");
    agent.wait_for_response(3);
    for (method, replayed) in [("session/load", 2), ("session/resume", 0)] {
        agent = ScriptedAgent::start_in(
            agent.kill(),
            &format!("voice = 'acp'\nmemory = 'sessions'\n{steps}"),
            &[],
        );
        send_request(&mut agent, 1, "session/load", json!({ "sessionId": "unknown" }));
        assert_eq!(agent.next_json()["error"]["code"], -32002);
        send_request(&mut agent, 2, method, json!({ "sessionId": session, "cwd": "/", "mcpServers": [] }));
        let updates: Vec<Value> =
            (0..replayed).map(|_| agent.next_json()["params"]["update"].clone()).collect();
        let kinds: Vec<&Value> = updates.iter().map(|update| &update["sessionUpdate"]).collect();
        assert_eq!(kinds, ["user_message_chunk", "agent_message_chunk"][..replayed]);
        assert!(agent.next_json()["result"].is_object());
        send_prompt(&mut agent, 3, &session, "two");
        assert_eq!(agent.next_json()["params"]["update"]["content"]["text"], "second");
    }
}

#[test]
fn errors_follow_the_protocol() {
    let script = "
        voice = 'acp'
        steps = [{ wait = '' }, { fail = { status = 429, message = 'slow down' } }, { wait = '' }, { fail = { status = 401 } }]
        [[refusals]]
        method = 'session/load'
        code = -32000
        message = 'Authentication required'";
    let mut agent = ScriptedAgent::start(script);
    send_request(&mut agent, 1, "session/load", json!({}));
    assert_eq!(agent.next_json()["error"], json!({ "code": -32000, "message": "Authentication required" }));
    send_request(&mut agent, 2, "session/dance", json!({}));
    assert_eq!(agent.next_json()["error"]["code"], -32601);
    send_request(&mut agent, 3, "session/new", json!({}));
    let session = agent.next_json()["result"]["sessionId"].as_str().expect("a session").to_owned();
    send_prompt(&mut agent, 4, &session, "one");
    let error = agent.wait_for_response(4)["error"].clone();
    assert_eq!((&error["code"], &error["data"]["errorKind"]), (&json!(-32603), &json!("rate_limit")));
    send_prompt(&mut agent, 5, &session, "two");
    assert_eq!(agent.wait_for_response(5)["error"]["code"], -32000);
    agent.write_line("no json");
    assert_eq!(agent.next_json()["error"]["code"], -32700);
}

#[test]
fn imitated_agents_differ_as_observed() {
    for (like, refusal, shown_first, stop) in [
        ("claude", "reject", true, "end_turn"),
        ("codex", "abort", false, "cancelled"),
        ("opencode", "reject", true, "end_turn"),
        ("gemini", "cancel", false, "end_turn"),
    ] {
        let steps = "steps = [{ wait = '' }, { usage = {} }, { tool = { name = 'Bash', input = { command = 'ls' }, asks = true } }, { say = 'on' }]";
        let (mut agent, session) = start_session(&format!("like = '{like}'\n{steps}"));
        send_prompt(&mut agent, 3, &session, "go");
        let mut seen = Vec::new();
        let asked = loop {
            let value = agent.next_json();
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
        agent.write_line(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": outcome }).to_string());
        assert_eq!(agent.wait_for_response(3)["result"]["stopReason"], stop, "{like}");
        send_request(&mut agent, 4, "session/resume", json!({ "sessionId": session }));
        assert_eq!(agent.wait_for_response(4)["error"]["code"] == -32601, like == "gemini", "{like}");
    }
}
