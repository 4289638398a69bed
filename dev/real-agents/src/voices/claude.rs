//! `stream-json` of Claude Code: a permission granted and one refused, a question, an interrupt, an error.

use std::time::Duration;

use anyhow::Result;
use model_server::{ReplyPart, ScriptedReply, ScriptedTurn};
use serde_json::{Value, json};

use super::VoiceComparison;
use crate::dialogue::JsonLinesDialogue;

pub(super) const VOICE: VoiceComparison = VoiceComparison {
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
    model: model_turns,
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
    kind: line_kind,
};

fn model_turns() -> Vec<ScriptedTurn> {
    let bash = |command: &str| ReplyPart::Tool {
        name: "Bash".to_owned(),
        input: json!({ "command": command, "description": "makes a file" }),
    };
    let parts = vec![ReplyPart::Text("first".to_owned()), bash("touch a")];
    let slow = ScriptedReply {
        parts: vec![ReplyPart::Text("slow ".repeat(200))],
        pace: Duration::from_millis(100),
        ..ScriptedReply::default()
    };
    let option = |label: &str| json!({ "label": label, "description": label });
    let question = json!({ "questions": [{ "question": "Which?", "header": "DB", "options": [option("a"), option("b")], "multiSelect": false }] });
    vec![
        ScriptedTurn::Reply(ScriptedReply { parts, ..ScriptedReply::default() }),
        ScriptedTurn::text_reply("done"),
        ScriptedTurn::Reply(ScriptedReply { parts: vec![bash("touch b")], ..ScriptedReply::default() }),
        ScriptedTurn::text_reply("not done"),
        ScriptedTurn::tool_call("AskUserQuestion", question),
        ScriptedTurn::text_reply("chosen"),
        ScriptedTurn::Reply(slow),
        ScriptedTurn::error_response(400, None),
    ]
}

fn talk(dialogue: &mut JsonLinesDialogue, _folder: &str) -> Result<()> {
    for response in [
        json!({ "behavior": "allow", "updatedInput": { "command": "touch a" } }),
        json!({ "behavior": "deny", "message": "no", "interrupt": false }),
        json!({ "behavior": "allow", "updatedInput": {
            "questions": [{ "question": "Which?", "header": "DB", "options": [{ "label": "a", "description": "a" }, { "label": "b", "description": "b" }], "multiSelect": false }],
            "answers": { "Which?": "a" } } }),
    ] {
        send_prompt(dialogue)?;
        let asked = dialogue.wait_for_text("/type", "control_request")?;
        let response =
            json!({ "subtype": "success", "request_id": asked.get("request_id"), "response": response });
        dialogue.send(&json!({ "type": "control_response", "response": response }))?;
        dialogue.wait_for_text("/type", "result")?;
    }
    send_prompt(dialogue)?;
    dialogue.wait_for_text("/subtype", "init")?;
    std::thread::sleep(Duration::from_millis(1500));
    dialogue.send(
        &json!({ "type": "control_request", "request_id": "c1", "request": { "subtype": "interrupt" } }),
    )?;
    dialogue.wait_for_text("/type", "control_response")?;
    dialogue.wait_for_text("/type", "result")?;
    send_prompt(dialogue)?;
    dialogue.wait_for_text("/type", "result")?;
    Ok(())
}

fn send_prompt(dialogue: &mut JsonLinesDialogue) -> Result<()> {
    dialogue.send(&json!({ "type": "user", "message": { "role": "user", "content": "go" } }))
}

/// Returns the type and subtype of a line, and the type of its first block.
fn line_kind(line: &Value) -> String {
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
