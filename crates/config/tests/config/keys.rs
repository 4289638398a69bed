//! The table of keys: each key has an effect and is documented.

use crate::load::{load_file, load_layers};
use config::{KEYS, Key, ValueKind};
use domain::RunSettings;

/// Returns a value that is not the default.
fn non_default_value(key: &Key) -> &'static str {
    match key.kind {
        ValueKind::Boolean if key.default == "true" => "false",
        ValueKind::Boolean => "true",
        ValueKind::Number { .. } => "7",
        ValueKind::Choice(names) => names.iter().find(|name| **name != key.default).unwrap(),
        ValueKind::Choices(_) => "[]",
        ValueKind::Text | ValueKind::Path => "words",
        ValueKind::Texts | ValueKind::Paths | ValueKind::InnerPaths | ValueKind::Names => "['words']",
        ValueKind::Patterns => "['run:words']",
        ValueKind::Pair => "['a', 'b']",
        ValueKind::Time { .. } => "77m",
        ValueKind::Size { .. } => "77 GiB",
        ValueKind::Tokens => "77k",
        ValueKind::Money => "$77",
        ValueKind::Agent => "codex",
        ValueKind::Identity => "Ada <ada@example.org>",
        ValueKind::CommitMessage => "{title}",
        ValueKind::Ports => "7000-7999",
        ValueKind::Price => "1.25",
    }
}

#[test]
fn every_key_changes_the_configuration() {
    // A built-in agent, so that no required key is missing.
    let base = ["agents.shell.title=x"];
    let before = load_layers(&[], &[], &base).unwrap().config;
    for key in KEYS {
        let value = if key.name.ends_with("extends") { "codex" } else { non_default_value(key) };
        let flag = format!("{}={value}", key.name.replace("agents.*", "agents.shell").replace('*', "NAME"));
        let after = load_layers(&[], &[], &[base[0], &flag]).unwrap().config;
        assert_ne!(after, before, "{flag}");
    }
}

#[test]
fn defaults_equal_the_default_settings_of_a_run() {
    assert_eq!(load_layers(&[], &[], &[]).unwrap().config.settings, RunSettings::default());
}

#[test]
fn without_parallel_tasks_there_is_one_slot() {
    let flags = ["orchestration.parallel_enabled=false", "orchestration.max_concurrency=8"];
    assert_eq!(load_layers(&[], &[], &flags).unwrap().config.settings.slots.get(), 1);
}

#[test]
fn never_means_more_than_ten_years() {
    const YEAR_MS: u64 = 365 * 24 * 3_600_000;
    for key in ["orchestration.timeout_per_task", "park.frozen_after", "park.cold_after"] {
        let settings = load_layers(&[], &[], &[&format!("{key}=never")]).unwrap().config.settings;
        let times = [settings.timeout_ms, settings.park_frozen_after_ms, settings.park_cold_after_ms];
        assert!(times.iter().any(|time| *time > 10 * YEAR_MS), "{key}");
    }
}

#[test]
fn documentation_lists_every_key() {
    let document = include_str!("../../../../docs/configuration.md");
    let mut whole = String::new();
    let mut table = "";
    for key in KEYS.iter().filter(|key| !key.name.starts_with("agents.")) {
        let (parent, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if parent != std::mem::replace(&mut table, parent) {
            whole.push_str(&format!("\n[{parent}]\n"));
        }
        let default =
            if key.default.is_empty() { String::new() } else { format!("`{}`", default_as_toml(key)) };
        whole.push_str(&format!("| `{name}` | {} | {default} | {} |\n", key.kind.description(), key.about));
    }
    let mut rest = document;
    for row in whole.lines().filter(|row| row.starts_with('|')) {
        let Some((_, after)) = rest.split_once(row) else {
            panic!("docs/configuration.md should have these rows, in this order:\n{whole}");
        };
        rest = after;
    }
    // Keys of agents are on their own page.
    let agents = include_str!("../../../../docs/agents.md");
    for key in KEYS.iter().filter_map(|key| key.name.strip_prefix("agents.*.")) {
        let key = key.strip_suffix(".*").unwrap_or(key);
        assert!(agents.contains(&format!("`{key}`")), "docs/agents.md should explain `{key}`");
    }
}

#[test]
fn examples_of_the_documentation_are_valid() {
    let documents =
        [include_str!("../../../../docs/configuration.md"), include_str!("../../../../docs/agents.md")];
    let examples: Vec<_> = documents
        .iter()
        .flat_map(|document| document.split("```toml\n").skip(1))
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert!(examples.len() >= 2);
    for example in examples {
        let loaded = load_file(example.as_bytes());
        assert!(
            loaded.as_ref().is_ok_and(|loaded| loaded.warnings.is_empty()),
            "{example}\n{:?}",
            loaded.err()
        );
    }
}

/// Returns a default as TOML.
fn default_as_toml(key: &Key) -> String {
    match key.kind {
        ValueKind::Boolean | ValueKind::Number { .. } => key.default.to_owned(),
        _ if key.default.starts_with('[') => key.default.to_owned(),
        _ => format!("\"{}\"", key.default),
    }
}
