//! `jangdan hook settings`: the settings that make Claude Code call the hooks.

use std::collections::BTreeMap;

use serde::Serialize;

/// What Claude Code tells us about.
const EVENTS: &[&str] = &["Notification", "PermissionRequest", "PostToolUse", "Stop"];
/// Far more than a hook takes; after it Claude Code goes on without an answer.
const TIMEOUT_SECONDS: u32 = 10;

#[derive(Serialize)]
struct Settings {
    hooks: BTreeMap<&'static str, [Matched; 1]>,
}

#[derive(Serialize)]
struct Matched {
    matcher: &'static str,
    hooks: [Hook; 1],
}

#[derive(Serialize)]
struct Hook {
    r#type: &'static str,
    command: String,
    timeout: u32,
}

/// Returns the settings, for `claude --settings`.
pub(super) fn text() -> String {
    let matched = |event: &str| {
        // Found on the session's PATH, wherever that is.
        let command = format!("jangdan hook {event}");
        Matched { matcher: "", hooks: [Hook { r#type: "command", command, timeout: TIMEOUT_SECONDS }] }
    };
    let hooks = EVENTS.iter().map(|event| (*event, [matched(event)])).collect();
    // It has strings and numbers only, so it can be written.
    serde_json::to_string_pretty(&Settings { hooks }).unwrap_or_default()
}
