//! Claude Code's `stream-json`: a permission allowed and one denied, an interrupt, an error.

use std::time::Duration;

use anyhow::Result;
use model_server::{Says, Speech, Turn};
use serde_json::{Value, json};

use super::Voice;
use crate::dialogue::Dialogue;

/// The conversation.
pub const VOICE: Voice = Voice {
    name: "claude",
    agent: "claude",
    program: None,
    environment: &[],
    arguments: &[
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-prompt-tool",
        "stdio",
    ],
    model,
    script: r#"
        voice = "claude"
        steps = [
            { wait = "" }, { say = "first" }, { tool = { name = "Bash", input = { command = "touch a" }, output = "hi", asks = true } }, { say = "done" },
            { wait = "" }, { tool = { name = "Bash", input = { command = "touch b" }, asks = true } }, { say = "not done" },
            { wait = "" }, { question = { text = "Which?", header = "DB", options = ["a", "b"] } }, { say = "chosen" },
            { wait = "" }, { say = "slow" }, { sleep = "30s" },
            { wait = "" }, { fail = { status = 400, message = "no" } },
        ]"#,
    talk,
    kind,
};

fn model() -> Vec<Turn> {
    let bash = |command: &str| Says::Tool {
        name: "Bash".to_owned(),
        input: json!({ "command": command, "description": "makes a file" }),
    };
    let says = vec![Says::Text("first".to_owned()), bash("touch a")];
    let slow = Speech {
        says: vec![Says::Text("slow ".repeat(200))],
        pace: Duration::from_millis(100),
        ..Speech::default()
    };
    let option = |label: &str| json!({ "label": label, "description": label });
    let question = json!({ "questions": [{ "question": "Which?", "header": "DB", "options": [option("a"), option("b")], "multiSelect": false }] });
    vec![
        Turn::Says(Speech { says, ..Speech::default() }),
        Turn::text("done"),
        Turn::Says(Speech { says: vec![bash("touch b")], ..Speech::default() }),
        Turn::text("not done"),
        Turn::tool("AskUserQuestion", question),
        Turn::text("chosen"),
        Turn::Says(slow),
        Turn::refusal(400, None),
    ]
}

fn talk(dialogue: &mut Dialogue, _folder: &str) -> Result<()> {
    for response in [
        json!({ "behavior": "allow", "updatedInput": { "command": "touch a" } }),
        json!({ "behavior": "deny", "message": "no", "interrupt": false }),
        json!({ "behavior": "allow", "updatedInput": {
            "questions": [{ "question": "Which?", "header": "DB", "options": [{ "label": "a", "description": "a" }, { "label": "b", "description": "b" }], "multiSelect": false }],
            "answers": { "Which?": "a" } } }),
    ] {
        prompt(dialogue)?;
        let asked = dialogue.until("/type", "control_request")?;
        let response =
            json!({ "subtype": "success", "request_id": asked.get("request_id"), "response": response });
        dialogue.say(&json!({ "type": "control_response", "response": response }))?;
        dialogue.until("/type", "result")?;
    }
    prompt(dialogue)?;
    dialogue.until("/subtype", "init")?;
    std::thread::sleep(Duration::from_millis(1500));
    dialogue.say(
        &json!({ "type": "control_request", "request_id": "c1", "request": { "subtype": "interrupt" } }),
    )?;
    dialogue.until("/type", "control_response")?;
    dialogue.until("/type", "result")?;
    prompt(dialogue)?;
    dialogue.until("/type", "result")?;
    Ok(())
}

fn prompt(dialogue: &mut Dialogue) -> Result<()> {
    dialogue.say(&json!({ "type": "user", "message": { "role": "user", "content": "go" } }))
}

/// A line's type and subtype, and that of the block in it.
fn kind(line: &Value) -> String {
    let text = |pointer: &str| line.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let reason = if line.pointer("/is_error") == Some(&Value::Bool(true)) { "error" } else { "" };
    [
        text("/type"),
        text("/subtype"),
        text("/request/subtype"),
        text("/message/content/0/type"),
        reason.to_owned(),
    ]
    .join(" ")
    .trim()
    .to_owned()
}
