//! Precedence of layers, origins of values, and the syntax of variables and flags.

use crate::load::load_layers;
use config::{entries, to_toml};

/// Loads two files, variables and flags, and compares the value and origins of one key.
fn assert_value_and_origins(
    [user, project]: [&str; 2],
    environment: &[(&str, &str)],
    flags: &[&str],
    key: &str,
    expected: (&str, &str),
) {
    let files = [("config.toml", user.as_bytes()), ("jangdan.toml", project.as_bytes())];
    let loaded = load_layers(&files, environment, flags).unwrap();
    let entries = entries(&loaded);
    let entry = entries.iter().find(|entry| entry.name() == key).unwrap();
    let origins: Vec<_> = entry.origins.iter().map(ToString::to_string).collect();
    let value = entry.value.as_ref().map(config::Value::to_toml).unwrap_or_default();
    assert_eq!((value.as_str(), origins.join(", ").as_str()), expected, "{key}");
}

#[test]
fn later_layers_override_earlier_ones() {
    let key = "park.cold_after";
    let (user, project) = ("[park]\ncold_after = '1m'", "\n\n[park]\ncold_after = '2m'");
    let (variable, flag) = ([("JANGDAN_PARK__COLD_AFTER", "3m")], ["park.cold_after=4m"]);
    assert_value_and_origins(["", ""], &[], &[], key, ("\"10m\"", "default"));
    assert_value_and_origins([user, ""], &[], &[], key, ("\"1m\"", "config.toml:2"));
    assert_value_and_origins([user, project], &[], &[], key, ("\"2m\"", "jangdan.toml:4"));
    assert_value_and_origins([user, project], &variable, &[], key, ("\"3m\"", "JANGDAN_PARK__COLD_AFTER"));
    assert_value_and_origins([user, project], &variable, &flag, key, ("\"4m\"", "--set park.cold_after"));
    assert_value_and_origins(
        ["", ""],
        &[],
        &["park.cold_after=4m", "park.cold_after=5m"],
        key,
        ("\"5m\"", "--set park.cold_after"),
    );
}

#[test]
fn a_project_cannot_remove_patterns_that_the_user_denies() {
    let (user, project) = ("permissions.deny = ['run:rm*']", "permissions.deny = ['run:dd*']");
    let deny = ("[\"run:rm*\", \"run:dd*\"]", "config.toml:1, jangdan.toml:1");
    assert_value_and_origins([user, project], &[], &[], "permissions.deny", deny);
    assert_value_and_origins(
        [user, "permissions.deny = []"],
        &[],
        &[],
        "permissions.deny",
        ("[\"run:rm*\"]", "config.toml:1, jangdan.toml:1"),
    );
    // Other lists are replaced.
    let (user, project) = ("worktree.setup = ['a']", "worktree.setup = ['b']");
    assert_value_and_origins([user, project], &[], &[], "worktree.setup", ("[\"b\"]", "jangdan.toml:1"));
}

#[test]
fn tables_of_an_agent_are_merged_key_by_key() {
    let user = "[agents.claude]\ncommand = '/opt/claude'\nenvironment = { A = '1' }";
    let project = "[agents.claude.environment]\nB = '2'";
    let files = [("config.toml", user.as_bytes()), ("jangdan.toml", project.as_bytes())];
    let loaded = load_layers(&files, &[("JANGDAN_AGENTS__CLAUDE__ENVIRONMENT__C_d", "3")], &[]).unwrap();
    let expected = "command = '/opt/claude'\nenvironment = { A = '1', B = '2', C_d = '3' }";
    assert_eq!(loaded.config.agents["claude"].as_table().unwrap(), &expected.parse::<toml::Table>().unwrap());
}

#[test]
fn flags_are_parsed_by_the_kind_of_their_key() {
    let check = |flag: &str, expected: &str| {
        let key = flag.split_once('=').unwrap().0;
        assert_value_and_origins(["", ""], &[], &[flag], key, (expected, &format!("--set {key}")));
    };
    check("orchestration.max_concurrency=8", "8");
    check("orchestration.parallel_enabled=false", "false");
    check("checks.verify=true", "\"true\"");
    check("checks.verify=cargo test", "\"cargo test\"");
    check("checks.verify='cargo test'", "\"cargo test\"");
    check("checks.verify=\"a b\" --flag=\"c\"", "'\"a b\" --flag=\"c\"'");
    check("worktree.setup=npm ci", "[\"npm ci\"]");
    check("worktree.setup=[\"npm ci\", 'make']", "[\"npm ci\", \"make\"]");
    check("worktree.setup=", "[]");
    check("budgets.run.money=2.5", "\"$2.50\"");
    check("budgets.run.tokens=5k", "\"5k\"");
    check("prompt.template=task.md", "\"/here/task.md\"");
    check("prompt.template=~/task.md", "\"/home/user/task.md\"");
    check("agents.shell.typing.submit=\"\\r\"", "\"\\r\"");
}

#[test]
fn variables_that_are_not_settings_are_ignored() {
    let others = [("JANGDAN_DATA", "/x"), ("JANGDAN_KEY", "k"), ("PATH", "/bin"), ("X__Y", "")];
    let loaded = load_layers(&[], &others, &[]).unwrap();
    assert_eq!(to_toml(&loaded, true), to_toml(&load_layers(&[], &[], &[]).unwrap(), true));
    assert_value_and_origins(
        ["", ""],
        &[("JANGDAN_LOCALE", "ko")],
        &[],
        "locale",
        ("\"ko\"", "JANGDAN_LOCALE"),
    );
    assert_value_and_origins(
        ["", ""],
        &[("JANGDAN_SANDBOX", "required")],
        &[],
        "sandbox.mode",
        ("\"required\"", "JANGDAN_SANDBOX"),
    );
}

#[test]
fn problems_of_all_layers_are_reported_together() {
    let files = [("config.toml", "locale = 'de'".as_bytes()), ("jangdan.toml", b"[prak]\nlocale = 1")];
    let environment = [
        ("JANGDAN_ORCHESTRATION__MAX_CONCURENCY", "8"),
        ("JANGDAN_ORCHESTRATION__MAX_RETRIES", "many"),
        ("JANGDAN_ORCHESTRATION_MAX_CONCURRENCY", "8"),
        ("JANGDAN_PARK__", "8"),
    ];
    let flags = [
        "orchestration.max_concurrency",
        "park=1",
        "=",
        "park..x=1",
        "worktree.setup=[1",
        "agents.a b.driver=pty",
    ];
    let problems = load_layers(&files, &environment, &flags).unwrap_err();
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
