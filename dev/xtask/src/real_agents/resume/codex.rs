//! Codex's `app-server`: a thread is started, and resumed by its id.

use anyhow::{Result, ensure};
use serde_json::json;

use super::{Rest, Way, text_at};
use crate::real_agents::dialogue::Dialogue;

/// The way.
pub const WAY: Way = Way {
    name: "codex over app-server",
    agent: "codex",
    fresh: &["codex", "app-server"],
    again: &["codex", "app-server"],
    rest: Rest::None,
    open,
    ask,
};

fn open(dialogue: &mut Dialogue, folder: &str, session: Option<&str>) -> Result<String> {
    let params = json!({ "clientInfo": { "name": "p", "title": "P", "version": "0.1" } });
    dialogue.say(&json!({ "id": 1, "method": "initialize", "params": params }))?;
    dialogue.response(1)?;
    dialogue.say(&json!({ "method": "initialized" }))?;
    match session {
        None => dialogue.say(&json!({ "id": 2, "method": "thread/start", "params": { "cwd": folder } }))?,
        Some(thread) => {
            dialogue.say(&json!({ "id": 2, "method": "thread/resume", "params": { "threadId": thread } }))?;
        }
    }
    text_at(&dialogue.response(2)?, "/thread/id")
}

fn ask(dialogue: &mut Dialogue, session: &str, text: &str) -> Result<()> {
    let params = json!({ "threadId": session, "input": [{ "type": "text", "text": text }] });
    dialogue.say(&json!({ "id": 3, "method": "turn/start", "params": params }))?;
    let completed = dialogue.until("/method", "turn/completed")?;
    let status = text_at(&completed, "/params/turn/status")?;
    ensure!(status == "completed", "the turn failed: {completed}");
    Ok(())
}
