//! The Claude Code protocol: turns, permissions, questions, interrupts, errors, sessions.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::ScriptedAgent;

const ASKS: [&str; 2] = ["--permission-prompt-tool", "stdio"];

fn start_agent(steps: &str, arguments: &[&str]) -> ScriptedAgent {
    start_agent_in(TempDir::new().expect("create a folder"), steps, arguments)
}

fn start_agent_in(folder: TempDir, steps: &str, arguments: &[&str]) -> ScriptedAgent {
    ScriptedAgent::start_in(folder, &format!("voice = 'claude'\nmemory = 'sessions'\n{steps}"), arguments)
}

fn send_prompt(agent: &mut ScriptedAgent, text: &str) {
    agent.write_line(&json!({ "type": "user", "message": { "role": "user", "content": text } }).to_string());
}

fn send_control_response(agent: &mut ScriptedAgent, asked: &Value, response: Value) {
    let response = json!({ "subtype": "success", "request_id": asked["request_id"], "response": response });
    agent.write_line(&json!({ "type": "control_response", "response": response }).to_string());
}

#[test]
fn turns_start_with_init_and_end_with_a_result() {
    let steps = "steps = [{ wait = 'one' }, { say = 'first' }, { usage = { input = 5, output = 2, cost = 0.25 } }, { wait = '' }, { say = 'second' }, { usage = { input = 1, output = 1, cost = 0.25 } }]";
    let mut agent = start_agent(steps, &["--session-id", "11111111-1111-4111-8111-111111111111"]);
    // The second prompt is sent during the first turn, and gets its own result.
    send_prompt(&mut agent, "one");
    send_prompt(&mut agent, "two");
    for (words, input, cost) in [("first", 5, 0.25), ("second", 1, 0.5)] {
        let init = agent.next_json();
        assert_eq!((&init["type"], &init["subtype"]), (&json!("system"), &json!("init")));
        assert_eq!(init["session_id"], "11111111-1111-4111-8111-111111111111");
        assert_eq!(agent.next_json()["message"]["content"], json!([{ "type": "text", "text": words }]));
        let result = agent.next_json();
        assert_eq!(
            (&result["type"], &result["subtype"], &result["is_error"]),
            (&json!("result"), &json!("success"), &json!(false))
        );
        assert_eq!((&result["result"], &result["usage"]["input_tokens"]), (&json!(words), &json!(input)));
        assert_eq!(result["total_cost_usd"], cost);
    }
    assert_eq!(agent.close_input_and_wait().0, Some(0));
}

#[test]
fn the_permission_answer_decides_the_tool_outcome() {
    let steps = "steps = [{ wait = '' }, { tool = { name = 'Bash', input = { command = 'ls' }, output = 'a.txt', asks = true } }, { say = 'on' }]";
    let mut agent = start_agent(steps, &ASKS);
    send_prompt(&mut agent, "go");
    let tool = agent.skip_until("/type", "assistant")["message"]["content"][0].clone();
    assert_eq!((&tool["type"], &tool["name"]), (&json!("tool_use"), &json!("Bash")));
    let asked = agent.next_json();
    assert_eq!(asked["request"]["subtype"], "can_use_tool");
    assert_eq!(asked["request"]["tool_use_id"], tool["id"]);
    send_control_response(
        &mut agent,
        &asked,
        json!({ "behavior": "allow", "updatedInput": { "command": "ls" } }),
    );
    assert_eq!(agent.next_json()["message"]["content"][0]["content"], "a.txt");
    assert_eq!(agent.skip_until("/type", "result")["permission_denials"], json!([]));

    let mut agent = start_agent(steps, &ASKS);
    send_prompt(&mut agent, "go");
    let asked = agent.skip_until("/type", "control_request");
    send_control_response(
        &mut agent,
        &asked,
        json!({ "behavior": "deny", "message": "human says no", "interrupt": false }),
    );
    let refused = agent.next_json()["message"]["content"][0].clone();
    assert_eq!((&refused["content"], &refused["is_error"]), (&json!("human says no"), &json!(true)));
    let result = agent.skip_until("/type", "result");
    assert_eq!(
        (&result["subtype"], result["permission_denials"].as_array().map(Vec::len)),
        (&json!("success"), Some(1))
    );

    let mut agent = start_agent(steps, &ASKS);
    send_prompt(&mut agent, "go");
    let asked = agent.skip_until("/type", "control_request");
    send_control_response(
        &mut agent,
        &asked,
        json!({ "behavior": "deny", "message": "stop", "interrupt": true }),
    );
    let result = agent.skip_until("/type", "result");
    assert_eq!(
        (&result["subtype"], &result["terminal_reason"]),
        (&json!("error_during_execution"), &json!("aborted_tools"))
    );

    // Without the prompt tool the permission is denied without asking.
    let mut agent = start_agent(steps, &[]);
    send_prompt(&mut agent, "go");
    let result = agent.skip_until("/type", "result");
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
}

#[test]
fn the_answer_to_a_question_is_in_the_tool_input() {
    let steps = "steps = [{ wait = '' }, { question = { text = 'Which database?', header = 'DB', options = ['sqlite', 'postgres'] } }, { say = 'took {line}' }]";
    let mut agent = start_agent(steps, &ASKS);
    send_prompt(&mut agent, "go");
    let asked = agent.skip_until("/type", "control_request");
    assert_eq!(asked["request"]["tool_name"], "AskUserQuestion");
    assert_eq!(asked["request"]["input"]["questions"][0]["options"][1]["label"], "postgres");
    let mut input = asked["request"]["input"].clone();
    input["answers"] = json!({ "Which database?": "postgres" });
    send_control_response(&mut agent, &asked, json!({ "behavior": "allow", "updatedInput": input }));
    assert_eq!(agent.skip_until("/type", "result")["result"], "took postgres");
}

#[test]
fn an_interrupt_ends_the_turn_but_not_the_process() {
    let mut agent = start_agent(
        "steps = [{ wait = '' }, { say = 'a' }, { sleep = '1m' }, { wait = '' }, { say = 'b' }]",
        &[],
    );
    send_prompt(&mut agent, "one");
    agent.skip_until("/type", "assistant");
    agent.write_line(
        &json!({ "type": "control_request", "request_id": "c1", "request": { "subtype": "interrupt" } })
            .to_string(),
    );
    assert_eq!(agent.next_json()["response"], json!({ "subtype": "success", "request_id": "c1" }));
    let result = agent.skip_until("/type", "result");
    assert_eq!(
        (&result["subtype"], &result["terminal_reason"]),
        (&json!("error_during_execution"), &json!("aborted_streaming"))
    );
    send_prompt(&mut agent, "two");
    assert_eq!(agent.skip_until("/type", "result")["result"], "b");
    assert_eq!(agent.close_input_and_wait().0, Some(0));
}

#[test]
fn a_service_error_is_a_success_result_with_an_error_flag() {
    let mut agent = start_agent(
        "steps = [{ wait = '' }, { fail = { status = 429, message = 'slow down', retries = 2, resets_at = 1794746664 } }]",
        &[],
    );
    send_prompt(&mut agent, "one");
    assert_eq!(agent.skip_until("/type", "rate_limit_event")["rate_limit_info"]["resetsAt"], 1_794_746_664);
    assert_eq!(agent.next_json()["attempt"], 1);
    assert_eq!(agent.next_json()["error"], "rate_limit");
    assert_eq!(agent.next_json()["message"]["model"], "<synthetic>");
    let result = agent.next_json();
    assert_eq!(
        (&result["subtype"], &result["is_error"], &result["api_error_status"]),
        (&json!("success"), &json!(true), &json!(429))
    );
    assert_eq!(agent.close_input_and_wait().0, Some(1));
}

#[test]
fn a_known_session_is_resumed_by_its_id() {
    let steps = "steps = [{ wait = '' }, { say = 'first' }, { wait = '' }]\nresumed = [{ wait = '' }, { say = 'again' }]";
    let mut agent = start_agent(steps, &["--session-id", "s-1"]);
    send_prompt(&mut agent, "one");
    agent.skip_until("/type", "result");
    let mut agent = start_agent_in(agent.kill(), steps, &["--resume", "s-1"]);
    send_prompt(&mut agent, "two");
    let result = agent.skip_until("/type", "result");
    assert_eq!((&result["result"], &result["session_id"]), (&json!("again"), &json!("s-1")));

    let agent = start_agent(steps, &["--resume", "s-2"]);
    assert_eq!(agent.next_json()["errors"], json!(["No conversation found with session ID: s-2"]));
    assert_eq!(agent.close_input_and_wait().0, Some(1));
}
