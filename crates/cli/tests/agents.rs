//! `jangdan agents` with fake programs in a temporary folder.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot continue must fail")]

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use assert_cmd::Command;

fn write_program(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn run_agents_command(folder: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = Command::cargo_bin("jangdan").unwrap();
    command.env_clear().env("PATH", folder).env("HOME", folder.join("home")).env("GEMINI_API_KEY", "x");
    command.current_dir(folder);
    let output = command.arg("agents").args(arguments).assert().success().get_output().clone();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(folder.to_str().unwrap(), "FOLDER");
    (text(output.stdout), text(output.stderr))
}

#[test]
fn installed_and_missing_agents_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    write_program(folder.path(), "claude", "echo '2.1.197 (Claude Code)'");
    write_program(folder.path(), "gemini", "printf '0.61.0\\033[2J\\n'");
    write_program(folder.path(), "sh", "");
    let (table, hint) = run_agents_command(folder.path(), &[]);
    insta::assert_snapshot!(format!("{table}\n{hint}"));
    let (json, _) = run_agents_command(folder.path(), &["--json"]);
    insta::assert_snapshot!("json", json);
}

#[test]
fn without_agents_a_hint_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, hint) = run_agents_command(folder.path(), &[]);
    assert_eq!(hint, "hint: No agent is ready. Install one or sign in, as shown in the last column.\n");
}

#[test]
fn configured_agents_are_listed_and_those_of_a_project_are_not_executed() {
    let folder = tempfile::tempdir().unwrap();
    let ran = folder.path().join("ran");
    let script = |name: &str| format!("echo {name} >> {}; echo 1.0", ran.display());
    fs::create_dir_all(folder.path().join("home/.config/jangdan")).unwrap();
    for name in ["claude", "mine", "theirs"] {
        write_program(folder.path(), name, &script(name));
    }
    let user = "[agents.mine]\ndriver = 'acp'\ncommand = 'mine'\n";
    fs::write(folder.path().join("home/.config/jangdan/config.toml"), user).unwrap();
    let project = "team.worker = 'mine'\n[agents.theirs]\nextends = 'mine'\ncommand = './theirs'\n[agents.claude]\ncommand = './theirs'\n";
    fs::write(folder.path().join("jangdan.toml"), project).unwrap();
    let (table, hint) = run_agents_command(folder.path(), &[]);
    insta::assert_snapshot!("configured", format!("{table}\n{hint}"));
    assert_eq!(fs::read_to_string(ran).unwrap(), "mine\n");
}
