//! Shell completions and manual pages.

use assert_cmd::Command;

#[test]
fn each_shell_gets_a_script_with_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let output = Command::cargo_bin("jangdan").unwrap().args(["completions", shell]).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{shell}");
        assert!(script.contains("approve"), "{shell}");
        // The name of a case in bash, the description in the others.
        for hidden in ["jangdan,sandboxed", "Restrict this process"] {
            assert!(!script.contains(hidden), "{shell} completes a hidden command");
        }
    }
}

#[test]
fn each_visible_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    Command::cargo_bin("jangdan").unwrap().arg("man").arg(folder.path()).assert().success();
    for page in ["jangdan.1", "jangdan-run.1", "jangdan-plan-check.1", "jangdan-land.1"] {
        let text = std::fs::read_to_string(folder.path().join(page)).unwrap();
        assert!(text.contains(".TH jangdan"), "{page}");
    }
    assert!(!folder.path().join("jangdan-sandboxed.1").exists());
}
