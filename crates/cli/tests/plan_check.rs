//! Output of `jangdan plan check`.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue must fail")]

use std::{fs, path::PathBuf, time::Instant};

use assert_cmd::Command;

fn jangdan() -> Command {
    let mut command = Command::cargo_bin("jangdan").unwrap();
    command.current_dir(examples_folder()).env("NO_COLOR", "1");
    command
}

fn examples_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Runs `plan check`, and returns its exit status and output.
fn output_of(arguments: &[&str], stdin: &[u8]) -> String {
    let output = jangdan().args(["plan", "check"]).args(arguments).write_stdin(stdin).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    format!(
        "exit {}\n--- stdout\n{}--- stderr\n{}",
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr)
    )
}

#[test]
fn every_example_is_shown_as_a_table() {
    for file in [
        "tasks-md/TASKS.md",
        "tasks-md-ko/TASKS.md",
        "spec-kit/tasks.md",
        "kiro/tasks.md",
        "task-master/tasks.json",
    ] {
        insta::assert_snapshot!(file.replace(['/', '.'], "_"), output_of(&[file], b""));
    }
}

#[test]
fn the_last_line_tells_whether_the_plan_can_start() {
    let last_line = |source: &str| {
        let output = jangdan().args(["plan", "check", "-"]).write_stdin(source).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().next_back().unwrap().to_owned()
    };
    let waiting = "### T1: a\n- **Dependencies**: T2\n### T2: b\n- **Dependencies**: T1\n";
    assert_eq!(last_line(waiting), "No task can start: the tasks depend on each other.");
    assert_eq!(last_line("### [x] T1: a\n"), "All tasks are done.");
}

#[test]
fn every_example_is_valid_as_json() {
    for file in [
        "tasks-md/TASKS.md",
        "tasks-md-ko/TASKS.md",
        "spec-kit/tasks.md",
        "kiro/tasks.md",
        "task-master/tasks.json",
    ] {
        let output = jangdan().args(["plan", "check", "--json", file]).output().unwrap();
        assert!(output.status.success(), "{file}");
        assert!(output.stderr.is_empty(), "{file}");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let diagnostics = object["diagnostics"].as_array().unwrap();
        assert!(diagnostics.iter().all(|found| found["severity"] == "note"), "{file}: {diagnostics:?}");
    }
}

#[test]
fn json_fields_and_their_order_are_stable() {
    let source = "# 제목\n\n## 1단계: 준비\n\n### T1.1: 첫째\n- **Complexity**: M\n\n### T1.3: 둘째\n- **Dependencies**: T1.1, Epic 3\n\
                  - **Agent**: a\n- **Tester**: b\n- **Status**: done\n- **Description**: text\n- **Acceptance Criteria**:\n  - [ ] c\n\
                  - **Touches**: `x`\n- **Verify**: `y`\n- **Timeout**: 30m\n- **Priority**: high\n- **Layer**: z\n- **Budget**: 200k\n\
                  - **Worktree**: w\n- **References**: `1.1`\n- **Optional**: yes\n";
    insta::assert_snapshot!(output_of(&["--json", "-"], source.as_bytes()));
}

#[test]
fn errors_show_the_line_and_a_hint() {
    let source = "| ID | 작업 | 의존성 |\n|---|---|---|\n| T1.1 | 첫째 | 한글 이름, T9 |\n| T1.2 | 둘째 | T2.1 |\n| T2.1 | 셋째 |\n";
    insta::assert_snapshot!(output_of(&["-"], source.as_bytes()));
}

#[test]
fn json_contains_errors() {
    insta::assert_snapshot!(output_of(
        &["--json", "-"],
        "### T1: a\n- **Dependencies**: 가, T2\n".as_bytes()
    ));
}

#[test]
fn unreadable_files_are_reported() {
    let folder = test_folder("unreadable");
    let large = folder.join("large.md");
    fs::File::create(&large).unwrap().set_len(17 * 1024 * 1024).unwrap();
    let mut all = String::new();
    for (name, arguments, stdin) in [
        ("missing", vec!["no/such/file.md"], &b""[..]),
        ("missing, as json", vec!["--json", "no/such/file.md"], b""),
        ("a directory", vec!["spec-kit"], b""),
        ("empty", vec!["-"], b""),
        ("binary", vec!["-"], b"\x7FELF\x02\x01\xFF\xFE\0"),
        ("not UTF-8, as json", vec!["--json", "-"], b"### T1: \xFF\n"),
        ("no task", vec!["-"], b"# Notes\n"),
    ] {
        all.push_str(&format!("=== {name}\n{}\n", output_of(&arguments, stdin)));
    }
    let too_large = output_of(&[large.to_str().unwrap()], b"").replace(large.to_str().unwrap(), "large.md");
    all.push_str(&format!("=== too large\n{too_large}"));
    insta::assert_snapshot!(all);
}

#[test]
fn an_invalid_command_line_exits_with_status_2() {
    for arguments in
        [&["plan", "check"][..], &["plan", "check", "--format", "toml", "x"], &["plan", "frobnicate"], &[]]
    {
        assert_eq!(jangdan().args(arguments).output().unwrap().status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_format_can_be_forced() {
    let output = output_of(&["--format", "tasks-md", "kiro/tasks.md"], b"");
    assert!(output.starts_with("exit 1\n"), "{output}");
    assert!(output.contains("TASKS_NOT_FOUND"), "{output}");
}

#[test]
fn control_characters_are_not_printed() {
    let output = output_of(&["-"], b"### T1: a\x1b[31mred\x07\n- **Priority**: \x1b]0;x\x07\n");
    assert!(!output.contains('\x1b') && !output.contains('\x07'), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_a_failure() {
    use std::process::{Command as Plain, Stdio};
    let mut plan = String::new();
    for number in 1..20_000 {
        plan.push_str(&format!("### T{number}: a task with a rather long title\n\n"));
    }
    let file = test_folder("pipe").join("plan.md");
    fs::write(&file, plan).unwrap();
    for arguments in [vec![], vec!["--json"]] {
        let mut child = Plain::new(assert_cmd::cargo::cargo_bin("jangdan"))
            .args(["plan", "check"])
            .arg(&file)
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn reading_time_is_linear() {
    let source = |n_tasks: usize| {
        let task = |number: usize| {
            format!(
                "### T{}.{number}: a\n- **Dependencies**: T1.1\n- **Description**: text\n\n",
                number / 100 + 1
            )
        };
        (1..=n_tasks).map(task).collect::<String>()
    };
    // The minimum of several runs, since the machine is shared.
    let time = |source: &str| {
        let one = || {
            let start = Instant::now();
            assert!(!plan::parse(source.as_bytes(), plan::ParseOptions::default()).plan.tasks.is_empty());
            start.elapsed()
        };
        (0..5).map(|_| one()).min().unwrap()
    };
    let (small, large) = (time(&source(1_000)), time(&source(10_000)));
    // A quadratic parser would need a hundred times as long.
    assert!(large < small * 40, "{small:?} for 1,000 tasks, {large:?} for 10,000");
}

fn test_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs `plan` with arguments, and returns its exit status and standard output.
fn plan_output(arguments: &[&str], stdin: &str) -> (i32, String) {
    let output = jangdan().arg("plan").args(arguments).write_stdin(stdin).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_plan_is_shown_as_a_graph() {
    let plan = "### T1: a\n### T2: b\n- **Dependencies**: T1\n";
    let (status, mermaid) = plan_output(&["show", "-", "--as", "mermaid"], plan);
    assert!(status == 0 && mermaid.contains("t0 --> t1"), "{mermaid}");
    let (status, dot) = plan_output(&["show", "-", "--as", "dot"], plan);
    assert!(status == 0 && dot.contains("t0 -> t1;"), "{dot}");
    assert_eq!(plan_output(&["show", "-", "--as", "dot"], "### T1: a\n### T1: b\n"), (1, String::new()));
}

#[test]
fn a_converted_plan_is_the_same_plan() {
    let json = |file: &str, stdin: &str| -> serde_json::Value {
        let (_, text) = plan_output(&["check", "--json", file], stdin);
        let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let tasks = report["tasks"].as_array_mut().unwrap();
        tasks.iter_mut().for_each(|task| task["line"] = serde_json::Value::Null);
        serde_json::json!([report["tasks"], report["phases"], report["criticalPath"]])
    };
    for file in ["tasks-md-ko/TASKS.md", "spec-kit/tasks.md", "kiro/tasks.md", "task-master/tasks.json"] {
        let (status, written) = plan_output(&["convert", file, "--to", "tasks-md"], "");
        assert_eq!(status, 0, "{file}");
        assert_eq!(json("-", &written), json(file, ""), "{file}");
    }
}

#[test]
fn fields_are_explained_by_their_lines() {
    let plan = "## Phase 1\n### T1: a\n### T2: b\n- **Dependencies**: T1\n- **Verify**: make\n";
    let (status, text) = plan_output(&["check", "-", "--explain", "T2"], plan);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(status, 0);
    assert_eq!(lines[0], ["id", "T2", "line", "3"]);
    assert_eq!(lines[1], ["phase", "1", "line", "1"]);
    assert!(lines.contains(&vec!["dependsOn", "T1", "line", "4"]), "{text}");
    assert!(lines.contains(&vec!["verify", "make", "line", "5"]), "{text}");
    assert_eq!(plan_output(&["check", "-", "--explain", "T9"], plan).0, 1);
}

#[test]
fn repeated_ids_are_renamed_in_the_file() {
    let file = test_folder("rename").join("tasks.md");
    fs::write(&file, "- [ ] T001 a\n- [ ] T001 b\n").unwrap();
    assert_eq!(plan_output(&["check", file.to_str().unwrap()], "").0, 1);
    assert_eq!(plan_output(&["check", "--rename", file.to_str().unwrap()], "").0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "- [ ] T001 a\n- [ ] T001b b\n");
}

#[test]
fn a_tag_of_task_master_is_chosen() {
    let plan = r#"{"master": {"tasks": []}, "later": {"tasks": [{"id": 7, "title": "x"}]}}"#;
    assert_eq!(plan_output(&["check", "--json", "-"], plan).0, 1);
    let (status, text) = plan_output(&["check", "--json", "--tag", "later", "-"], plan);
    assert!(status == 0 && text.contains("\"id\":\"7\""), "{text}");
}

#[test]
fn problems_are_korean_in_a_korean_terminal() {
    let mut command = jangdan();
    command.env("LANG", "ko_KR.UTF-8").env("LC_ALL", "ko_KR.UTF-8").args(["plan", "check", "-"]);
    let output = command.write_stdin("### T1: a\n- **Dependencies**: T9\n").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("이 계획에 T9 작업이 없습니다"), "{text}");
}
