//! `jangdan agents` on a machine that is a temporary folder with fake programs.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use assert_cmd::Command;

fn program(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn agents(folder: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = Command::cargo_bin("jangdan").unwrap();
    command.env_clear().env("PATH", folder).env("HOME", folder.join("home")).env("GEMINI_API_KEY", "x");
    let output = command.arg("agents").args(arguments).assert().success().get_output().clone();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(folder.to_str().unwrap(), "FOLDER");
    (text(output.stdout), text(output.stderr))
}

#[test]
fn what_is_here_and_what_is_missing_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), "claude", "echo '2.1.197 (Claude Code)'");
    program(folder.path(), "gemini", "printf '0.61.0\\033[2J\\n'");
    program(folder.path(), "sh", "");
    let (table, hint) = agents(folder.path(), &[]);
    insta::assert_snapshot!(format!("{table}\n{hint}"));
    let (json, _) = agents(folder.path(), &["--json"]);
    insta::assert_snapshot!("json", json);
}

#[test]
fn nothing_is_here() {
    let folder = tempfile::tempdir().unwrap();
    let (_, hint) = agents(folder.path(), &[]);
    assert_eq!(hint, "hint: no agent works yet: install one, or log in, as the last column says\n");
}
