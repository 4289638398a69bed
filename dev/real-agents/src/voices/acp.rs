//! The Agent Client Protocol of four agents: a permission granted and one refused, a question, a cancelled turn.

use std::time::Duration;

use anyhow::{Context, Result};
use model_server::{ReplyPart, ScriptedReply, ScriptedTurn};
use serde_json::{Value, json};

use super::VoiceComparison;
use crate::dialogue::JsonLinesDialogue;

/// The adapter of Claude Code, the only one that asks questions.
pub(super) const CLAUDE: VoiceComparison = VoiceComparison {
    name: "acp, like claude",
    agent: "claude",
    program: Some("claude-agent-acp"),
    environment: &[],
    arguments: &[],
    model: || {
        let option = |label: &str| json!({ "label": label, "description": label });
        let question = json!({ "question": "Which?", "header": "DB", "options": [option("a"), option("b")], "multiSelect": false });
        let mut turns =
            command_turns("Bash", |command| json!({ "command": command, "description": "makes a file" }));
        turns.extend([
            ScriptedTurn::text_reply("not done"),
            ScriptedTurn::tool_call("AskUserQuestion", json!({ "questions": [question] })),
        ]);
        turns.extend([ScriptedTurn::text_reply("chosen"), slow_reply()]);
        turns
    },
    script: r#"
        voice = "acp"
        steps = [
            { wait = "" }, { say = "first" }, { tool = { name = "Bash", input = { command = "touch a" }, output = "hi", asks = true } },
            { say = "done" }, { usage = {} },
            { wait = "" }, { tool = { name = "Bash", input = { command = "touch b" }, asks = true } }, { say = "not done" },
            { wait = "" }, { question = { text = "Which?", header = "DB", options = ["a", "b"] } }, { say = "chosen" },
            { wait = "" }, { say = "slow" }, { sleep = "30s" },
        ]"#,
    talk: |dialogue, folder| {
        let session = allow_and_refuse_commands(dialogue, folder)?;
        answer_question(dialogue, &session)?;
        cancel(dialogue, &session)
    },
    kind: line_kind,
};

/// The adapter of Codex, whose turn ends with a refusal.
pub(super) const CODEX: VoiceComparison = VoiceComparison {
    name: "acp, like codex",
    agent: "codex",
    program: Some("codex-acp"),
    model: || {
        let input = |command: &str| json!({ "cmd": command, "sandbox_permissions": "require_escalated", "justification": "May I make a file?" });
        let mut turns = command_turns("exec_command", input);
        turns.push(slow_reply());
        turns
    },
    script: r#"
        voice = "acp"
        like = "codex"
        steps = [
            { wait = "" }, { say = "first" }, { tool = { name = "Bash", input = { command = "touch a" }, output = "hi", asks = true } },
            { say = "done" }, { usage = {} },
            { wait = "" }, { tool = { name = "Bash", input = { command = "touch b" }, asks = true } },
            { wait = "" }, { say = "slow" }, { sleep = "30s" },
        ]"#,
    talk: |dialogue, folder| {
        let session = allow_and_refuse_commands(dialogue, folder)?;
        cancel(dialogue, &session)
    },
    ..CLAUDE
};

/// OpenCode, which requests permissions only if it is configured to.
pub(super) const OPENCODE: VoiceComparison = VoiceComparison {
    name: "acp, like opencode",
    agent: "opencode",
    program: None,
    environment: &[("OPENCODE_PERMISSION", r#"{"bash":"ask"}"#)],
    arguments: &["acp"],
    model: || {
        let mut turns =
            command_turns("bash", |command| json!({ "command": command, "description": "makes a file" }));
        turns.push(slow_reply());
        turns
    },
    script: r#"
        voice = "acp"
        like = "opencode"
        steps = [
            { wait = "" }, { say = "first" }, { tool = { name = "Bash", input = { command = "touch a" }, output = "hi", asks = true } },
            { say = "done" }, { usage = {} },
            { wait = "" }, { tool = { name = "Bash", input = { command = "touch b" }, asks = true } },
            { wait = "" }, { say = "slow" }, { sleep = "30s" },
        ]"#,
    ..CODEX
};

/// Gemini CLI, whose turn continues after a refusal.
pub(super) const GEMINI: VoiceComparison = VoiceComparison {
    name: "acp, like gemini",
    agent: "gemini",
    program: None,
    environment: &[],
    arguments: &["--acp"],
    model: || {
        let mut turns = command_turns(
            "run_shell_command",
            |command| json!({ "command": command, "description": "makes a file" }),
        );
        turns.extend([ScriptedTurn::text_reply("not done"), slow_reply()]);
        turns
    },
    script: r#"
        voice = "acp"
        like = "gemini"
        steps = [
            { wait = "" }, { say = "first" }, { tool = { name = "Bash", input = { command = "touch a" }, output = "hi", asks = true } },
            { say = "done" }, { usage = {} },
            { wait = "" }, { tool = { name = "Bash", input = { command = "touch b" }, asks = true } }, { say = "not done" },
            { wait = "" }, { say = "slow" }, { sleep = "30s" },
        ]"#,
    ..CODEX
};

/// Returns three turns: a text and a command, a text, another command.
fn command_turns(tool: &str, input: fn(&str) -> Value) -> Vec<ScriptedTurn> {
    let call = |command: &str| ReplyPart::Tool { name: tool.to_owned(), input: input(command) };
    let parts = vec![ReplyPart::Text("first".to_owned()), call("touch a; echo hi")];
    vec![
        ScriptedTurn::Reply(ScriptedReply { parts, ..ScriptedReply::default() }),
        ScriptedTurn::text_reply("done"),
        ScriptedTurn::Reply(ScriptedReply { parts: vec![call("touch b")], ..ScriptedReply::default() }),
    ]
}

/// Returns a reply that takes long enough to be cancelled.
fn slow_reply() -> ScriptedTurn {
    let parts = vec![ReplyPart::Text("slow ".repeat(200))];
    ScriptedTurn::Reply(ScriptedReply { parts, pace: Duration::from_millis(100), ..ScriptedReply::default() })
}

/// Opens a session, allows one command and refuses another, and returns the session.
fn allow_and_refuse_commands(dialogue: &mut JsonLinesDialogue, folder: &str) -> Result<Value> {
    let capabilities = json!({
        "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false,
        "elicitation": { "form": {}, "url": {} },
    });
    send_request(
        dialogue,
        1,
        "initialize",
        &json!({ "protocolVersion": 1, "clientCapabilities": capabilities }),
    )?;
    dialogue.wait_for_request_result(1)?;
    send_request(dialogue, 2, "session/new", &json!({ "cwd": folder, "mcpServers": [] }))?;
    let session =
        dialogue.wait_for_request_result(2)?.get("sessionId").cloned().context("the session has no id")?;
    for (id, kind) in [(3, "allow_once"), (4, "reject_once")] {
        send_prompt(dialogue, id, &session)?;
        let asked = dialogue.wait_for_text("/method", "session/request_permission")?;
        let options = asked
            .pointer("/params/options")
            .and_then(Value::as_array)
            .context("the request has no options")?;
        let option = options
            .iter()
            .find(|option| option.get("kind") == Some(&json!(kind)))
            .context("the option is missing")?;
        let outcome = json!({ "outcome": "selected", "optionId": option.get("optionId") });
        dialogue
            .send(&json!({ "jsonrpc": "2.0", "id": asked.get("id"), "result": { "outcome": outcome } }))?;
        dialogue.wait_for_request_result(id)?;
    }
    Ok(session)
}

fn answer_question(dialogue: &mut JsonLinesDialogue, session: &Value) -> Result<()> {
    send_prompt(dialogue, 5, session)?;
    let asked = dialogue.wait_for_text("/method", "elicitation/create")?;
    let accepted = json!({ "action": "accept", "content": { "question_0": "a" } });
    dialogue.send(&json!({ "jsonrpc": "2.0", "id": asked.get("id"), "result": accepted }))?;
    dialogue.wait_for_request_result(5)?;
    Ok(())
}

fn cancel(dialogue: &mut JsonLinesDialogue, session: &Value) -> Result<()> {
    send_prompt(dialogue, 6, session)?;
    dialogue.wait_for_text("/params/update/sessionUpdate", "agent_message_chunk")?;
    dialogue
        .send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } }))?;
    dialogue.wait_for_request_result(6)?;
    Ok(())
}

fn send_request(dialogue: &mut JsonLinesDialogue, id: u64, method: &str, params: &Value) -> Result<()> {
    dialogue.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

fn send_prompt(dialogue: &mut JsonLinesDialogue, id: u64, session: &Value) -> Result<()> {
    let blocks = json!([{ "type": "text", "text": "go" }]);
    send_request(dialogue, id, "session/prompt", &json!({ "sessionId": session, "prompt": blocks }))
}

/// Returns the method of a message and its kind of update; for a response, the request.
fn line_kind(line: &Value) -> String {
    let text = |pointer: &str| line.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    match line.get("method") {
        Some(_) => [text("/method"), text("/params/update/sessionUpdate")].join(" ").trim().to_owned(),
        // The responses to all prompts have the same form.
        None => {
            format!("the response to {}", line.get("id").and_then(Value::as_u64).unwrap_or_default().min(3))
        }
    }
}
