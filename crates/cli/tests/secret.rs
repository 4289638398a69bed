//! `jangdan secret`: stores, lists and removes secrets, and runs commands with them.

#![expect(clippy::unwrap_used, reason = "a test that cannot run its program has failed")]

use std::{fs, path::Path, process::Output};

use assert_cmd::Command;
use tempfile::TempDir;

const CANARY: &str = "sk-canary-51d0c7";

struct SecretUser {
    folder: TempDir,
}

impl SecretUser {
    fn new() -> Self {
        let user = Self { folder: tempfile::tempdir().unwrap() };
        for project in ["shop", "blog"] {
            fs::create_dir_all(user.path().join(project).join(".git")).unwrap();
        }
        user
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `jangdan secret` in a project, with this standard input.
    fn run(&self, project: &str, arguments: &[&str], input: &str) -> Output {
        self.command(project, arguments).write_stdin(input).output().unwrap()
    }

    fn command(&self, project: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jangdan"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("LANG", "C.UTF-8");
        command.env("JANGDAN_DATA", self.path().join("data")).current_dir(self.path().join(project));
        command.arg("secret").args(arguments);
        command
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn stored_secret_reaches_only_the_command_that_runs_with_it() {
    let user = SecretUser::new();
    let set = user.run("shop", &["set", "SHOP_API_KEY"], &format!("{CANARY}\n"));
    assert!(set.status.success(), "{set:?}");
    assert!(!format!("{set:?}").contains(CANARY), "the value was printed: {set:?}");
    let list = user.run("shop", &["list"], "");
    let listed = text(&list.stdout);
    assert!(
        listed.contains("SHOP_API_KEY") && listed.contains("shop") && !listed.contains(CANARY),
        "{listed}"
    );
    let json = text(&user.run("shop", &["list", "--json"], "").stdout);
    assert!(json.contains(r#""name":"SHOP_API_KEY""#) && json.contains(r#""secret":true"#), "{json}");
    // One trailing newline is dropped, not more.
    let exec = ["exec", "SHOP_API_KEY", "--", "sh", "-c", "printf '[%s]' \"$SHOP_API_KEY\""];
    assert_eq!(text(&user.run("shop", &exec, "").stdout), format!("[{CANARY}]"));
    let exec_status = user.run("shop", &["exec", "SHOP_API_KEY", "--", "sh", "-c", "exit 7"], "");
    assert_eq!(exec_status.status.code(), Some(7));
    // Another project does not have it.
    let other = user.run("blog", &exec, "");
    assert!(
        other.status.code() == Some(1) && text(&other.stderr).contains("No secret SHOP_API_KEY"),
        "{other:?}"
    );
    for file in fs::read_dir(user.path().join("data")).unwrap() {
        let content = fs::read(file.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&content).contains(CANARY));
    }
    let removed = user.run("shop", &["remove", "SHOP_API_KEY"], "");
    assert!(removed.status.success(), "{removed:?}");
    let again = user.run("shop", &["remove", "SHOP_API_KEY"], "");
    assert!(again.status.code() == Some(1), "{again:?}");
}

#[test]
fn secret_of_the_user_is_for_all_projects_and_rotation_keeps_it() {
    let user = SecretUser::new();
    assert!(user.run("shop", &["set", "--user", "KEY"], "line one\nline two\n\n").status.success());
    let exec = ["exec", "KEY", "--", "sh", "-c", "printf %s \"$KEY\""];
    assert_eq!(text(&user.run("blog", &exec, "").stdout), "line one\nline two\n");
    let rotated = user.run("shop", &["rotate"], "");
    assert!(text(&rotated.stdout).contains("1 secret"), "{rotated:?}");
    assert_eq!(text(&user.run("blog", &exec, "").stdout), "line one\nline two\n");
}

#[test]
fn unusable_names_and_values_are_refused_with_what_to_do() {
    let user = SecretUser::new();
    let check = |arguments: &[&str], input: &str, exit: i32, expected: &str| {
        let output = user.run("shop", arguments, input);
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(exit) && errors.contains(expected), "{arguments:?}: {output:?}");
    };
    check(&["set", "KEY"], "", 1, "is empty");
    check(&["set", "KEY"], "\n", 1, "is empty");
    check(&["set", "KEY"], &"x".repeat(9000), 1, "longer than 8 KiB");
    check(&["set", "KEY"], "a\0b", 1, "zero byte");
    check(&["set", "A-B"], "x", 2, "OPENAI_API_KEY");
    check(&["set", "KEY", CANARY], "x", 2, "nexpected argument");
    check(&["exec", "KEY", "--", "true"], "", 1, "No secret KEY");
    let short = user.run("shop", &["set", "PORT"], "3000");
    assert!(text(&short.stdout).contains("fewer than 8 bytes are not masked"), "{short:?}");
    check(&["exec", "PORT", "--", "no-such-program-here"], "", 127, "Cannot start no-such-program-here");
}

#[test]
fn agents_in_a_session_have_no_access_to_the_vault() {
    let user = SecretUser::new();
    assert!(user.run("shop", &["set", "KEY"], CANARY).status.success());
    for arguments in [
        vec!["list"],
        vec!["set", "KEY"],
        vec!["remove", "KEY"],
        vec!["rotate"],
        vec!["exec", "KEY", "--", "env"],
    ] {
        let mut command = user.command("shop", &arguments);
        let output = command.env("JANGDAN_SESSION", "/x/s-1").write_stdin("other").output().unwrap();
        assert!(output.status.code() == Some(1) && !format!("{output:?}").contains(CANARY), "{output:?}");
    }
    let exec = ["exec", "KEY", "--", "sh", "-c", "printf %s \"$KEY\""];
    assert_eq!(text(&user.run("shop", &exec, "").stdout), CANARY);
}
