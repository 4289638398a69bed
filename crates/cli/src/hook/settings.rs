//! `jangdan hook settings`: the settings with which Claude Code calls the hooks.

use std::collections::BTreeMap;

use serde::Serialize;

/// Events of Claude Code.
const EVENTS: &[&str] = &["Notification", "PermissionRequest", "PostToolUse", "Stop"];
/// After this time Claude Code continues without an answer.
const TIMEOUT_SECONDS: u32 = 10;

#[derive(Serialize)]
struct HookSettings {
    hooks: BTreeMap<&'static str, [HookMatcher; 1]>,
}

#[derive(Serialize)]
struct HookMatcher {
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
pub(super) fn settings_json() -> String {
    let matcher = |event: &str| {
        // Resolved by the PATH of the session.
        let command = format!("jangdan hook {event}");
        HookMatcher { matcher: "", hooks: [Hook { r#type: "command", command, timeout: TIMEOUT_SECONDS }] }
    };
    let hooks = EVENTS.iter().map(|event| (*event, [matcher(event)])).collect();
    // Strings and numbers only: serialization cannot fail.
    serde_json::to_string_pretty(&HookSettings { hooks }).unwrap_or_default()
}
