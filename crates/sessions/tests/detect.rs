//! Detection of agents in a temporary folder with fake programs.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    time::{Duration, Instant},
};

use drivers::preset;
use sessions::detect::{AgentDetector, DetectedAgent, LoginState, choose_default};

fn write_program(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn detector(folder: &Path) -> AgentDetector {
    let home = folder.join("home");
    fs::create_dir_all(&home).unwrap();
    // The last folder has `sh` and `sleep` for the fake programs.
    let path = std::env::join_paths([folder, Path::new("relative"), Path::new("/bin")]).unwrap();
    AgentDetector { path, home: Some(home), variables: Vec::new(), version_timeout: Duration::from_secs(20) }
}

fn detect(detector: &AgentDetector, names: &[&str]) -> Vec<DetectedAgent> {
    let none = toml::Table::new();
    let presets = names.iter().map(|name| ((*name).to_owned(), preset::resolve_preset(name, &none).unwrap()));
    detector.detect(presets.collect())
}

#[test]
fn installed_programs_are_found_with_their_version() {
    let folder = tempfile::tempdir().unwrap();
    write_program(folder.path(), "claude", "echo; echo \"2.1.197 (Claude Code) $1\"; exit 0");
    write_program(folder.path(), "codex", "exit 1");
    fs::write(folder.path().join("gemini"), "no program").unwrap();
    let agents = detect(&detector(folder.path()), &["claude", "codex", "gemini", "shell"]);
    let results: Vec<_> =
        agents.iter().map(|agent| (agent.program.is_some(), agent.version.as_deref())).collect();
    let claude = Some("2.1.197 (Claude Code) --version");
    assert_eq!(results, [(true, claude), (true, None), (false, None), (true, None)]);
}

#[test]
fn existing_credentials_file_or_variable_counts_as_login() {
    let folder = tempfile::tempdir().unwrap();
    let mut detector = detector(folder.path());
    let login = |detector: &AgentDetector| detect(detector, &["claude"])[0].login;
    assert_eq!(login(&detector), LoginState::Out);
    let config = folder.path().join("config");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join(".credentials.json"), "").unwrap();
    detector.variables.push(("CLAUDE_CONFIG_DIR".to_owned(), config.into()));
    assert_eq!(login(&detector), LoginState::In);
    detector.variables = vec![("ANTHROPIC_API_KEY".to_owned(), "x".into())];
    assert_eq!(login(&detector), LoginState::In);
    assert_eq!(detect(&detector, &["shell"])[0].login, LoginState::NotNeeded);
}

#[test]
fn login_is_looked_up_in_the_environment_that_the_agent_gets() {
    let folder = tempfile::tempdir().unwrap();
    let mut detector = detector(folder.path());
    let login = |detector: &AgentDetector, name: &str, value: &str| {
        let mut preset = preset::resolve_preset("claude", &toml::Table::new()).unwrap();
        preset.environment = [(name.to_owned(), value.to_owned())].into();
        detector.detect(vec![("claude".to_owned(), preset)])[0].login
    };
    assert_eq!(login(&detector, "ANTHROPIC_API_KEY", "x"), LoginState::In);
    assert_eq!(login(&detector, "ANTHROPIC_API_KEY", ""), LoginState::Out);
    let home = folder.path().join("other");
    fs::create_dir_all(home.join(".claude")).unwrap();
    fs::write(home.join(".claude/.credentials.json"), "").unwrap();
    assert_eq!(login(&detector, "HOME", home.to_str().unwrap()), LoginState::In);
    detector.variables = vec![("ANTHROPIC_API_KEY".to_owned(), "x".into())];
    assert_eq!(login(&detector, "ANTHROPIC_API_KEY", ""), LoginState::Out);
}

#[test]
fn default_agent_is_the_first_usable_one_that_is_not_a_script() {
    let folder = tempfile::tempdir().unwrap();
    let mut detector = detector(folder.path());
    let names = ["claude", "codex", "gemini", "shell"];
    assert_eq!(choose_default(&detect(&detector, &names), &[]), None);
    write_program(folder.path(), "claude", "echo 1");
    write_program(folder.path(), "gemini", "echo 1");
    detector.variables.push(("GEMINI_API_KEY".to_owned(), "x".into()));
    let agents = detect(&detector, &names);
    assert_eq!(
        choose_default(&agents, &[]).map(|agent| agent.name.as_str()),
        Some("gemini"),
        "claude is not logged in"
    );
}

#[test]
fn default_agent_may_be_a_configured_script_without_a_role() {
    let folder = tempfile::tempdir().unwrap();
    let detector = detector(folder.path());
    let table = "[empty]\nextends = 'shell'\ncommand = 'sh'\n[mine]\nextends = 'shell'\ncommand = 'sh'\narguments = ['agent.sh']";
    let table: toml::Table = table.parse().unwrap();
    let resolve = |name: &str| (name.to_owned(), preset::resolve_preset(name, &table).unwrap());
    let agents = detector.detect(["claude", "shell", "empty", "mine"].map(resolve).to_vec());
    let chosen = |own: &[&str]| choose_default(&agents, own).map(|agent| agent.name.clone());
    assert_eq!(
        chosen(&["empty", "mine"]).as_deref(),
        Some("mine"),
        "an interpreter without a script would execute the plan"
    );
    assert_eq!(chosen(&[]), None, "an agent with another role");
}

#[test]
fn version_of_a_program_that_does_not_answer_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    // Its child keeps the output open.
    write_program(folder.path(), "claude", "sleep 3 & exec sleep 3");
    let detector = AgentDetector { version_timeout: Duration::from_millis(200), ..detector(folder.path()) };
    let start = Instant::now();
    let agents = detect(&detector, &["claude"]);
    assert!(start.elapsed() < Duration::from_secs(2));
    assert_eq!((agents[0].program.is_some(), agents[0].version.as_deref()), (true, None));
}
