//! The table of keys: each arrives, each is documented, nothing is settled twice.

use crate::load::{load_all, load_file};
use config::{Form, KEYS, Key};
use domain::RunSettings;

/// Returns a value that is not the default.
fn another(key: &Key) -> &'static str {
    match key.form {
        Form::Flag if key.default == "true" => "false",
        Form::Flag => "true",
        Form::Number { .. } => "7",
        Form::Choice(words) => words.iter().find(|word| **word != key.default).unwrap(),
        Form::Text | Form::Path => "words",
        Form::Texts | Form::Paths | Form::InnerPaths => "['words']",
        Form::Patterns => "['run:words']",
        Form::Pair => "['a', 'b']",
        Form::Time { .. } => "77m",
        Form::Size { .. } => "77 GiB",
        Form::Tokens => "77k",
        Form::Money => "$77",
        Form::Agent => "codex",
        Form::Ports => "7000-7999",
    }
}

#[test]
fn every_key_changes_the_configuration() {
    // An agent whose name is known, so that nothing is missing.
    let base = ["agents.shell.title=x"];
    let before = load_all(&[], &[], &base).unwrap().config;
    for key in KEYS {
        let value = if key.name.ends_with("extends") { "codex" } else { another(key) };
        let flag = format!("{}={value}", key.name.replace("agents.*", "agents.shell").replace('*', "NAME"));
        let after = load_all(&[], &[], &[base[0], &flag]).unwrap().config;
        assert_ne!(after, before, "{flag}");
    }
}

#[test]
fn nothing_said_is_what_a_run_does_by_itself() {
    assert_eq!(load_all(&[], &[], &[]).unwrap().config.settings, RunSettings::default());
}

#[test]
fn what_is_not_parallel_has_one_slot() {
    let flags = ["orchestration.parallel_enabled=false", "orchestration.max_concurrency=8"];
    assert_eq!(load_all(&[], &[], &flags).unwrap().config.settings.slots.get(), 1);
}

#[test]
fn never_is_longer_than_any_run() {
    const YEAR_MS: u64 = 365 * 24 * 3_600_000;
    for key in ["orchestration.timeout_per_task", "park.frozen_after", "park.cold_after"] {
        let settings = load_all(&[], &[], &[&format!("{key}=never")]).unwrap().config.settings;
        let times = [settings.timeout_ms, settings.park_frozen_after_ms, settings.park_cold_after_ms];
        assert!(times.iter().any(|time| *time > 10 * YEAR_MS), "{key}");
    }
}

#[test]
fn the_document_has_every_key_as_it_is() {
    let document = include_str!("../../../../docs/configuration.md");
    let mut whole = String::new();
    let mut table = "";
    for key in KEYS.iter().filter(|key| !key.name.starts_with("agents.")) {
        let (parent, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if parent != std::mem::replace(&mut table, parent) {
            whole.push_str(&format!("\n[{parent}]\n"));
        }
        let default = if key.default.is_empty() { String::new() } else { format!("`{}`", shown(key)) };
        whole.push_str(&format!("| `{name}` | {} | {default} | {} |\n", key.form.words(), key.about));
    }
    let mut rest = document;
    for row in whole.lines().filter(|row| row.starts_with('|')) {
        let Some((_, behind)) = rest.split_once(row) else {
            panic!("docs/configuration.md should have these rows, in this order:\n{whole}");
        };
        rest = behind;
    }
    // What is said of agents has a page of its own.
    let agents = include_str!("../../../../docs/agents.md");
    for key in KEYS.iter().filter_map(|key| key.name.strip_prefix("agents.*.")) {
        let key = key.strip_suffix(".*").unwrap_or(key);
        assert!(agents.contains(&format!("`{key}`")), "docs/agents.md should explain `{key}`");
    }
}

#[test]
fn every_example_of_the_documents_is_taken() {
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

/// Returns a default as a file would have it.
fn shown(key: &Key) -> String {
    match key.form {
        Form::Flag | Form::Number { .. } => key.default.to_owned(),
        _ if key.default == "[]" => key.default.to_owned(),
        _ => format!("\"{}\"", key.default),
    }
}
