//! `jangdan config` with a temporary project and home.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue must fail")]

use std::{fs, path::Path};

use assert_cmd::Command;
use tempfile::TempDir;

/// Creates a home with the user's file, and a repository with the project's.
fn folder_with_config_files(user: &str, project: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("own/.config/jangdan")).unwrap();
    fs::create_dir_all(folder.path().join("project/.git")).unwrap();
    fs::create_dir_all(folder.path().join("project/deep/down")).unwrap();
    fs::write(folder.path().join("own/.config/jangdan/config.toml"), user).unwrap();
    fs::write(folder.path().join("project/jangdan.toml"), project).unwrap();
    folder
}

/// Runs a command in a subfolder, and returns its exit status and output.
fn run_config_command(folder: &Path, below: &str, arguments: &[&str], input: &str) -> String {
    let mut command = Command::cargo_bin("jangdan").unwrap();
    command.env_clear().env("HOME", folder.join("own")).current_dir(folder.join(below));
    command.env("JANGDAN_PARK__COLD_AFTER", "1h").env("JANGDAN_DATA", "/nowhere");
    let output = command.arg("config").args(arguments).write_stdin(input).assert().get_output().clone();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let all = format!("{}\n{}\n{}", output.status, text(output.stdout), text(output.stderr));
    all.replace(fs::canonicalize(folder).unwrap().to_str().unwrap(), "FOLDER")
        .replace(folder.to_str().unwrap(), "FOLDER")
}

const USER: &str = "locale = 'ko'\n[permissions]\ndeny = ['run:rm*']\n";
const PROJECT: &str = "[orchestration]\ntimeout_per_port = '1h'\n[permissions]\ndeny = ['run:git push*']\n";

#[test]
fn show_prints_values_with_their_origins() {
    let folder = folder_with_config_files(USER, PROJECT);
    let set = ["--set", "checks.verify=cargo test"];
    let show = |more: &[&str]| {
        run_config_command(folder.path(), "project/deep/down", &[&["show"], &set[..], more].concat(), "")
    };
    insta::assert_snapshot!("show", show(&["--origin"]));
    insta::assert_snapshot!("show_json", show(&["--json"]));
    assert!(!show(&[]).contains("config.toml:1"));
}

#[test]
fn kept_permissions_are_shown_with_their_file() {
    let folder = folder_with_config_files(USER, PROJECT);
    let data = folder.path().join("data");
    let named =
        run_config_command(folder.path(), "project/deep", &["path", "--data", data.to_str().unwrap()], "");
    let kept = named.lines().find_map(|line| line.strip_prefix("saved     FOLDER/")).unwrap();
    let kept = folder.path().join(kept.strip_suffix("  (does not exist)").unwrap());
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    fs::write(&kept, "# Kept\n[permissions]\nallow = ['=run:make']\n").unwrap();
    let show = |below: &str| {
        run_config_command(folder.path(), below, &["show", "--origin", "--data", data.to_str().unwrap()], "")
    };
    for below in ["project", "project/deep/down"] {
        let line = format!("allow = [\"=run:make\"]  # {}:3", kept.display());
        let line = line.replace(folder.path().to_str().unwrap(), "FOLDER");
        assert!(show(below).contains(&line), "{}", show(below));
    }
    assert!(!show("own").contains("run:make"), "another project");
    fs::write(&kept, "permissions.allow = ['rnu:make']\n").unwrap();
    let check =
        run_config_command(folder.path(), "project", &["check", "--data", data.to_str().unwrap()], "");
    assert!(check.contains("did you mean") && check.contains("permissions/project-"), "{check}");
}

#[test]
fn check_prints_every_problem_with_its_line() {
    let folder = folder_with_config_files(
        "locale = 'kr' # 한국어\n",
        include_str!("../../config/tests/config/cases/bad/unknown_keys.toml"),
    );
    insta::assert_snapshot!(
        "check",
        run_config_command(folder.path(), "project", &["check", "--set", "park.cold_after=1"], "")
    );
    // An invalid configuration is not shown.
    assert!(
        run_config_command(folder.path(), "project", &["show"], "").starts_with("exit status: 1\n\nerror")
    );
}

#[test]
fn check_accepts_a_file_instead_of_the_projects() {
    let folder = folder_with_config_files("[agents.mine]\nextends = 'shell'\n", "broken");
    fs::write(folder.path().join("project/other.toml"), "team.worker = 'mine'\n").unwrap();
    let check =
        |file: &str, input: &str| run_config_command(folder.path(), "project", &["check", file], input);
    insta::assert_snapshot!("check_file", check("other.toml", ""));
    assert!(check("-", "locale = 1").contains("--> <stdin>:1:10"));
    assert!(
        check("../own/.config/jangdan/config.toml", "")
            .starts_with("exit status: 0\nValid configuration: ../own")
    );
    assert!(check("none.toml", "").contains("error: none.toml: no such file"));
    let large = " ".repeat(256 * 1024 + 1);
    assert!(check("-", &large).contains("the file is larger than 256 KiB"));
}

#[test]
fn control_characters_are_not_printed() {
    let folder =
        folder_with_config_files("", "'\u{1b}[2J' = 1\nchecks.verify = \"\\u001b]0;x\\u0007 \u{202e}\"\n");
    for arguments in [&["check"][..], &["show"], &["show", "--json"]] {
        let output = run_config_command(folder.path(), "project", arguments, "");
        assert!(!output.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{output:?}");
    }
    let folder = folder_with_config_files("", "checks.verify = \"\\u001b]0;x\\u0007 \u{202e}\"\n");
    for arguments in [&["check"][..], &["show", "--origin"], &["show", "--json"]] {
        let output = run_config_command(folder.path(), "project", arguments, "");
        assert!(output.starts_with("exit status: 0"), "{output}");
        assert!(!output.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{output:?}");
    }
}

#[test]
fn path_prints_the_files() {
    let folder = folder_with_config_files("", "");
    fs::remove_file(folder.path().join("project/jangdan.toml")).unwrap();
    let named = run_config_command(folder.path(), "project/deep", &["path"], "");
    // The last name contains a hash of the temporary path.
    let (named, hash) = named.split_once("/nowhere/permissions/project-").unwrap();
    insta::assert_snapshot!("path", format!("{named}HASH{}", &hash["0123456789ab".len()..]));
    // Outside of a repository only the current directory is searched.
    assert!(run_config_command(folder.path(), "own", &["path"], "").contains("FOLDER/own/jangdan.toml"));
}
