//! The voice of Claude Code: turns, permissions, questions, interrupts, errors, sessions.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::stage::Stage;

const ASKS: [&str; 2] = ["--permission-prompt-tool", "stdio"];

fn start(steps: &str, arguments: &[&str]) -> Stage {
    start_in(TempDir::new().expect("a folder"), steps, arguments)
}

fn start_in(folder: TempDir, steps: &str, arguments: &[&str]) -> Stage {
    Stage::start_in(folder, &format!("voice = 'claude'\nmemory = 'sessions'\n{steps}"), arguments)
}

fn prompt(stage: &mut Stage, text: &str) {
    stage.say(&json!({ "type": "user", "message": { "role": "user", "content": text } }).to_string());
}

fn respond(stage: &mut Stage, asked: &Value, response: Value) {
    let response = json!({ "subtype": "success", "request_id": asked["request_id"], "response": response });
    stage.say(&json!({ "type": "control_response", "response": response }).to_string());
}

#[test]
fn turns_begin_with_init_and_end_with_a_result() {
    let steps = "steps = [{ wait = 'one' }, { say = 'first' }, { usage = { input = 5, output = 2, cost = 0.25 } }, { wait = '' }, { say = 'second' }, { usage = { input = 1, output = 1, cost = 0.25 } }]";
    let mut stage = start(steps, &["--session-id", "11111111-1111-4111-8111-111111111111"]);
    // The second is sent while the first is busy, and gets a result of its own.
    prompt(&mut stage, "one");
    prompt(&mut stage, "two");
    for (words, input, cost) in [("first", 5, 0.25), ("second", 1, 0.5)] {
        let init = stage.json();
        assert_eq!((&init["type"], &init["subtype"]), (&json!("system"), &json!("init")));
        assert_eq!(init["session_id"], "11111111-1111-4111-8111-111111111111");
        assert_eq!(stage.json()["message"]["content"], json!([{ "type": "text", "text": words }]));
        let result = stage.json();
        assert_eq!(
            (&result["type"], &result["subtype"], &result["is_error"]),
            (&json!("result"), &json!("success"), &json!(false))
        );
        assert_eq!((&result["result"], &result["usage"]["input_tokens"]), (&json!(words), &json!(input)));
        assert_eq!(result["total_cost_usd"], cost);
    }
    assert_eq!(stage.end().0, Some(0));
}

#[test]
fn a_permission_is_asked_and_the_answer_decides() {
    let steps = "steps = [{ wait = '' }, { tool = { name = 'Bash', input = { command = 'ls' }, output = 'a.txt', asks = true } }, { say = 'on' }]";
    let mut stage = start(steps, &ASKS);
    prompt(&mut stage, "go");
    let tool = stage.until("/type", "assistant")["message"]["content"][0].clone();
    assert_eq!((&tool["type"], &tool["name"]), (&json!("tool_use"), &json!("Bash")));
    let asked = stage.json();
    assert_eq!(asked["request"]["subtype"], "can_use_tool");
    assert_eq!(asked["request"]["tool_use_id"], tool["id"]);
    respond(&mut stage, &asked, json!({ "behavior": "allow", "updatedInput": { "command": "ls" } }));
    assert_eq!(stage.json()["message"]["content"][0]["content"], "a.txt");
    assert_eq!(stage.until("/type", "result")["permission_denials"], json!([]));

    let mut stage = start(steps, &ASKS);
    prompt(&mut stage, "go");
    let asked = stage.until("/type", "control_request");
    respond(
        &mut stage,
        &asked,
        json!({ "behavior": "deny", "message": "human says no", "interrupt": false }),
    );
    let refused = stage.json()["message"]["content"][0].clone();
    assert_eq!((&refused["content"], &refused["is_error"]), (&json!("human says no"), &json!(true)));
    let result = stage.until("/type", "result");
    assert_eq!(
        (&result["subtype"], result["permission_denials"].as_array().map(Vec::len)),
        (&json!("success"), Some(1))
    );

    let mut stage = start(steps, &ASKS);
    prompt(&mut stage, "go");
    let asked = stage.until("/type", "control_request");
    respond(&mut stage, &asked, json!({ "behavior": "deny", "message": "stop", "interrupt": true }));
    let result = stage.until("/type", "result");
    assert_eq!(
        (&result["subtype"], &result["terminal_reason"]),
        (&json!("error_during_execution"), &json!("aborted_tools"))
    );

    // Without the prompt tool nobody is asked, and it is denied.
    let mut stage = start(steps, &[]);
    prompt(&mut stage, "go");
    let result = stage.until("/type", "result");
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
}

#[test]
fn a_question_is_a_tool_whose_answer_is_in_its_input() {
    let steps = "steps = [{ wait = '' }, { question = { text = 'Which database?', header = 'DB', options = ['sqlite', 'postgres'] } }, { say = 'took {line}' }]";
    let mut stage = start(steps, &ASKS);
    prompt(&mut stage, "go");
    let asked = stage.until("/type", "control_request");
    assert_eq!(asked["request"]["tool_name"], "AskUserQuestion");
    assert_eq!(asked["request"]["input"]["questions"][0]["options"][1]["label"], "postgres");
    let mut input = asked["request"]["input"].clone();
    input["answers"] = json!({ "Which database?": "postgres" });
    respond(&mut stage, &asked, json!({ "behavior": "allow", "updatedInput": input }));
    assert_eq!(stage.until("/type", "result")["result"], "took postgres");
}

#[test]
fn an_interrupt_ends_the_turn_and_not_the_process() {
    let mut stage =
        start("steps = [{ wait = '' }, { say = 'a' }, { sleep = '1m' }, { wait = '' }, { say = 'b' }]", &[]);
    prompt(&mut stage, "one");
    stage.until("/type", "assistant");
    stage.say(
        &json!({ "type": "control_request", "request_id": "c1", "request": { "subtype": "interrupt" } })
            .to_string(),
    );
    assert_eq!(stage.json()["response"], json!({ "subtype": "success", "request_id": "c1" }));
    let result = stage.until("/type", "result");
    assert_eq!(
        (&result["subtype"], &result["terminal_reason"]),
        (&json!("error_during_execution"), &json!("aborted_streaming"))
    );
    prompt(&mut stage, "two");
    assert_eq!(stage.until("/type", "result")["result"], "b");
    assert_eq!(stage.end().0, Some(0));
}

#[test]
fn an_error_of_the_service_is_called_a_success_with_an_error() {
    let mut stage = start(
        "steps = [{ wait = '' }, { fail = { status = 429, message = 'slow down', retries = 2, resets_at = 1794746664 } }]",
        &[],
    );
    prompt(&mut stage, "one");
    assert_eq!(stage.until("/type", "rate_limit_event")["rate_limit_info"]["resetsAt"], 1_794_746_664);
    assert_eq!(stage.json()["attempt"], 1);
    assert_eq!(stage.json()["error"], "rate_limit");
    assert_eq!(stage.json()["message"]["model"], "<synthetic>");
    let result = stage.json();
    assert_eq!(
        (&result["subtype"], &result["is_error"], &result["api_error_status"]),
        (&json!("success"), &json!(true), &json!(429))
    );
    assert_eq!(stage.end().0, Some(1));
}

#[test]
fn a_session_is_resumed_by_its_id_where_it_is_known() {
    let steps = "steps = [{ wait = '' }, { say = 'first' }, { wait = '' }]\nresumed = [{ wait = '' }, { say = 'again' }]";
    let mut stage = start(steps, &["--session-id", "s-1"]);
    prompt(&mut stage, "one");
    stage.until("/type", "result");
    let mut stage = start_in(stage.kill(), steps, &["--resume", "s-1"]);
    prompt(&mut stage, "two");
    let result = stage.until("/type", "result");
    assert_eq!((&result["result"], &result["session_id"]), (&json!("again"), &json!("s-1")));

    let stage = start(steps, &["--resume", "s-2"]);
    assert_eq!(stage.json()["errors"], json!(["No conversation found with session ID: s-2"]));
    assert_eq!(stage.end().0, Some(1));
}
