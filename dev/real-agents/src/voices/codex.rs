//! `app-server` of Codex: a command accepted and one declined, an interrupt, an error.

use std::time::Duration;

use anyhow::{Context, Result};
use model_server::{ReplyPart, ScriptedReply, ScriptedTurn, Usage};
use serde_json::{Value, json};

use super::VoiceComparison;
use crate::dialogue::JsonLinesDialogue;

pub(super) const VOICE: VoiceComparison = VoiceComparison {
    name: "codex",
    agent: "codex",
    program: None,
    environment: &[],
    arguments: &["app-server"],
    model: model_turns,
    script: r#"
        voice = "codex"
        steps = [
            { wait = "" }, { say = "first" }, { usage = {} }, { limits = { used = 91, resets_at = 1794746664 } },
            { tool = { name = "shell", input = { command = "touch a" }, output = "hi", asks = true } }, { say = "done" },
            { wait = "" }, { tool = { name = "shell", input = { command = "touch b" }, asks = true } }, { say = "not done" },
            { wait = "" }, { say = "slow" }, { sleep = "30s" },
            { wait = "" }, { fail = { status = 429, message = "no", retries = 2 } },
        ]"#,
    talk,
    kind: line_kind,
};

fn model_turns() -> Vec<ScriptedTurn> {
    let shell = |command: &str| {
        let input = json!({
            "cmd": command, "sandbox_permissions": "require_escalated", "justification": "May I make a file?",
        });
        ReplyPart::Tool { name: "exec_command".to_owned(), input }
    };
    let turn = |parts: Vec<ReplyPart>| {
        let header = |name: &str, value: &str| (format!("x-codex-primary-{name}"), value.to_owned());
        let headers = vec![
            header("used-percent", "91"),
            header("window-minutes", "300"),
            header("reset-at", "1794746664"),
        ];
        ScriptedTurn::Reply(ScriptedReply {
            parts,
            usage: Some(Usage { input: 100, output: 20 }),
            headers,
            ..ScriptedReply::default()
        })
    };
    let slow = ScriptedReply {
        parts: vec![ReplyPart::Text("slow ".repeat(200))],
        pace: Duration::from_millis(100),
        ..ScriptedReply::default()
    };
    let mut turns = vec![
        turn(vec![ReplyPart::Text("first".to_owned()), shell("touch a")]),
        ScriptedTurn::text_reply("done"),
        turn(vec![shell("touch b")]),
        ScriptedTurn::text_reply("not done"),
        ScriptedTurn::Reply(slow),
    ];
    turns.extend((0..10).map(|_| ScriptedTurn::error_response(429, Some(0))));
    turns
}

fn talk(dialogue: &mut JsonLinesDialogue, folder: &str) -> Result<()> {
    let client = json!({ "name": "p", "title": "P", "version": "0.1" });
    let params = json!({ "clientInfo": client, "capabilities": { "experimentalApi": true } });
    dialogue.send(&json!({ "id": 1, "method": "initialize", "params": params }))?;
    dialogue.wait_for_request_result(1)?;
    dialogue.send(&json!({ "method": "initialized" }))?;
    let params = json!({ "cwd": folder, "approvalPolicy": "on-request", "sandbox": "read-only" });
    dialogue.send(&json!({ "id": 2, "method": "thread/start", "params": params }))?;
    let thread = dialogue
        .wait_for_request_result(2)?
        .pointer("/thread/id")
        .cloned()
        .context("the thread has no id")?;
    for (id, decision) in [(3, "accept"), (4, "decline")] {
        start_turn(dialogue, id, &thread)?;
        let asked = dialogue.wait_for_text("/method", "item/commandExecution/requestApproval")?;
        dialogue.send(&json!({ "id": asked.get("id"), "result": { "decision": decision } }))?;
        dialogue.wait_for_text("/method", "turn/completed")?;
    }
    let turn = start_turn(dialogue, 5, &thread)?;
    dialogue.wait_for_text("/method", "item/agentMessage/delta")?;
    dialogue.send(
        &json!({ "id": 6, "method": "turn/interrupt", "params": { "threadId": thread, "turnId": turn } }),
    )?;
    dialogue.wait_for_text("/method", "turn/completed")?;
    start_turn(dialogue, 7, &thread)?;
    dialogue.wait_for_text("/method", "turn/completed")?;
    Ok(())
}

fn start_turn(dialogue: &mut JsonLinesDialogue, id: u64, thread: &Value) -> Result<Value> {
    let params = json!({ "threadId": thread, "input": [{ "type": "text", "text": "go" }] });
    dialogue.send(&json!({ "id": id, "method": "turn/start", "params": params }))?;
    dialogue.wait_for_request_result(id)?.pointer("/turn/id").cloned().context("the turn has no id")
}

/// Returns the method of a message and the type of its item; for a response, the request.
fn line_kind(line: &Value) -> String {
    let text = |pointer: &str| line.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    match line.get("method") {
        Some(_) => [text("/method"), text("/params/item/type"), text("/params/status/type")]
            .join(" ")
            .trim()
            .to_owned(),
        None => format!("the response to {}", line.get("id").unwrap_or_default()),
    }
}
