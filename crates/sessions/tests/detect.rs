//! Looking for agents on a machine that is a temporary folder with fake programs.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    time::{Duration, Instant},
};

use drivers::preset;
use sessions::detect::{AgentDetector, DetectedAgent, LoginState, choose};

fn program(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn machine(folder: &Path) -> AgentDetector {
    let home = folder.join("home");
    fs::create_dir_all(&home).unwrap();
    // The second is where `sh` and `sleep` of the fake programs are.
    let path = std::env::join_paths([folder, Path::new("relative"), Path::new("/bin")]).unwrap();
    AgentDetector { path, home: Some(home), variables: Vec::new(), version_wait: Duration::from_secs(20) }
}

fn find(machine: &AgentDetector, names: &[&str]) -> Vec<DetectedAgent> {
    let none = toml::Table::new();
    let presets = names.iter().map(|name| ((*name).to_owned(), preset::pick(name, &none).unwrap()));
    machine.find(presets.collect())
}

#[test]
fn what_is_installed_is_found_with_its_version() {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), "claude", "echo; echo \"2.1.197 (Claude Code) $1\"; exit 0");
    program(folder.path(), "codex", "exit 1");
    fs::write(folder.path().join("gemini"), "no program").unwrap();
    let found = find(&machine(folder.path()), &["claude", "codex", "gemini", "shell"]);
    let seen: Vec<_> =
        found.iter().map(|found| (found.program.is_some(), found.version.as_deref())).collect();
    let claude = Some("2.1.197 (Claude Code) --version");
    assert_eq!(seen, [(true, claude), (true, None), (false, None), (true, None)]);
}

#[test]
fn a_login_is_a_file_or_a_variable_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut machine = machine(folder.path());
    let login = |machine: &AgentDetector| find(machine, &["claude"])[0].login;
    assert_eq!(login(&machine), LoginState::Out);
    let config = folder.path().join("config");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join(".credentials.json"), "").unwrap();
    machine.variables.push(("CLAUDE_CONFIG_DIR".to_owned(), config.into()));
    assert_eq!(login(&machine), LoginState::In);
    machine.variables = vec![("ANTHROPIC_API_KEY".to_owned(), "x".into())];
    assert_eq!(login(&machine), LoginState::In);
    assert_eq!(find(&machine, &["shell"])[0].login, LoginState::NotNeeded);
}

#[test]
fn a_run_takes_the_first_that_works_and_no_script() {
    let folder = tempfile::tempdir().unwrap();
    let mut machine = machine(folder.path());
    let names = ["claude", "codex", "gemini", "shell"];
    assert_eq!(choose(&find(&machine, &names)), None);
    program(folder.path(), "claude", "echo 1");
    program(folder.path(), "gemini", "echo 1");
    machine.variables.push(("GEMINI_API_KEY".to_owned(), "x".into()));
    let found = find(&machine, &names);
    assert_eq!(choose(&found).map(|found| found.name.as_str()), Some("gemini"), "claude is not logged in");
}

#[test]
fn a_program_that_does_not_answer_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    // What it leaves behind holds the output open.
    program(folder.path(), "claude", "sleep 3 & exec sleep 3");
    let machine = AgentDetector { version_wait: Duration::from_millis(200), ..machine(folder.path()) };
    let begin = Instant::now();
    let found = find(&machine, &["claude"]);
    assert!(begin.elapsed() < Duration::from_secs(2));
    assert_eq!((found[0].program.is_some(), found[0].version.as_deref()), (true, None));
}
