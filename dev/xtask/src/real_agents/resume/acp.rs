//! The Agent Client Protocol: a session is loaded by its id. Four agents speak it.

use anyhow::{Result, ensure};
use serde_json::json;

use super::{Rest, Way, text_at};
use crate::real_agents::dialogue::Dialogue;

/// Claude Code's adapter.
pub const CLAUDE: Way = Way {
    name: "claude over ACP",
    agent: "claude",
    fresh: &["claude-agent-acp"],
    again: &["claude-agent-acp"],
    rest: Rest::None,
    open,
    ask,
};

/// Codex's adapter.
pub const CODEX: Way =
    Way { name: "codex over ACP", agent: "codex", fresh: &["codex-acp"], again: &["codex-acp"], ..CLAUDE };

/// OpenCode itself.
pub const OPENCODE: Way = Way {
    name: "opencode over ACP",
    agent: "opencode",
    fresh: &["opencode", "acp"],
    again: &["opencode", "acp"],
    ..CLAUDE
};

/// Gemini CLI itself. It names a session's file after the minute in which the process began, and begins that file anew
/// before it looks for what to load: a session that is loaded in the minute of its beginning is lost, killed or not.
pub const GEMINI: Way = Way {
    name: "gemini over ACP",
    agent: "gemini",
    fresh: &["gemini", "--acp"],
    again: &["gemini", "--acp"],
    rest: Rest::NextMinute,
    ..CLAUDE
};

fn open(dialogue: &mut Dialogue, folder: &str, session: Option<&str>) -> Result<String> {
    let capabilities = json!({ "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false });
    let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
    dialogue.say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }))?;
    dialogue.response(1)?;
    let (method, params) = match session {
        None => ("session/new", json!({ "cwd": folder, "mcpServers": [] })),
        Some(session) => ("session/load", json!({ "sessionId": session, "cwd": folder, "mcpServers": [] })),
    };
    dialogue.say(&json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params }))?;
    let opened = dialogue.response(2)?;
    session.map_or_else(|| text_at(&opened, "/sessionId"), |session| Ok(session.to_owned()))
}

fn ask(dialogue: &mut Dialogue, session: &str, text: &str) -> Result<()> {
    let params = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] });
    dialogue.say(&json!({ "jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": params }))?;
    let reason = text_at(&dialogue.response(3)?, "/stopReason")?;
    ensure!(reason == "end_turn", "the turn ended with {reason}");
    Ok(())
}
