//! Claude Code's `stream-json`: the session's id is ours, and stands on the command line.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::{Rest, Way};
use crate::real_agents::dialogue::Dialogue;

/// The id that we choose, so that it is known before the process is.
pub const SESSION: &str = "6f1f9f3e-0d0a-4d0e-9a65-0c1f5a3b7c11";

/// The way.
pub const WAY: Way = Way {
    name: "claude over stream-json",
    agent: "claude",
    fresh: &[
        "claude",
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--session-id",
        "$SESSION",
    ],
    again: &[
        "claude",
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--resume",
        "$SESSION",
    ],
    rest: Rest::None,
    open,
    ask,
};

fn open(_dialogue: &mut Dialogue, _folder: &str, _session: Option<&str>) -> Result<String> {
    Ok(SESSION.to_owned())
}

fn ask(dialogue: &mut Dialogue, session: &str, text: &str) -> Result<()> {
    dialogue.say(&json!({ "type": "user", "message": { "role": "user", "content": text } }))?;
    let result = dialogue.until("/type", "result")?;
    ensure!(result.get("is_error") == Some(&Value::Bool(false)), "the turn failed: {result}");
    ensure!(result.get("session_id") == Some(&json!(session)), "it is another session: {result}");
    Ok(())
}
