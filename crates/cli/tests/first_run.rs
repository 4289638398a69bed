//! The first commands of a new user: `init`, `doctor`, `run`, `land`, in an empty home, with a scripted agent.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot continue must fail")]

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// Writes a file for the task.
const SCRIPT: &str = r#"
voice = 'claude'
steps = [
    { wait = 'T1' },
    { write = { path = 'made-{task}.txt', text = "made\n" } },
    { say = "DONE:{task} {key}\n" },
]
"#;

/// Asks in prose, and again when it is told to finish.
const ASKS_IN_PROSE: &str = r#"
voice = 'claude'
steps = [
    { wait = 'T1' },
    { say = "Markdown or HTML?\n" },
    { wait = '' },
    { say = "HTML?\n" },
    { wait = '' },
]
"#;

/// A user with an empty home, a repository with a make file, and a scripted agent named `claude`.
struct NewUser {
    folder: TempDir,
}

impl NewUser {
    fn new() -> Self {
        let user = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "bin", "project"] {
            fs::create_dir(user.path(folder)).unwrap();
        }
        fs::write(user.path("script.toml"), SCRIPT).unwrap();
        let agent = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 2.0; exit; fi\nexec '{}' play '{}' \"$@\"\n",
            env!("CARGO_BIN_EXE_jangdan"),
            user.path("script.toml").display()
        );
        write_program(&user.path("bin/claude"), &agent);
        fs::write(user.path("project/Makefile"), "test:\n\ttest -e Makefile\n").unwrap();
        user.git(&["init", "--quiet", "--initial-branch=main"]);
        user.git(&["add", "."]);
        user.git(&["commit", "--quiet", "-m", "begin"]);
        user
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a command in the project with this environment and nothing else.
    fn command(&self, program: &str, arguments: &[&str], language: &str) -> Command {
        let path = env::var_os("PATH").unwrap();
        let folders = [self.path("bin")].into_iter().chain(env::split_paths(&path));
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path("project")).stdin(Stdio::null()).env_clear();
        command.env("PATH", env::join_paths(folders).unwrap()).env("HOME", self.path("home"));
        command.env("LANG", language).env("USER", "ana").env("ANTHROPIC_API_KEY", "none");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Ana").env(format!("GIT_{who}_EMAIL"), "ana@localhost");
        }
        command
    }

    /// Runs `jangdan` and returns its exit status and its output, without the paths of the test.
    fn jangdan_in(&self, language: &str, arguments: &[&str]) -> (i32, String) {
        let output = self.command(env!("CARGO_BIN_EXE_jangdan"), arguments, language).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code().unwrap(), text.replace(self.folder.path().to_str().unwrap(), "FOLDER"))
    }

    fn jangdan(&self, arguments: &[&str]) -> (i32, String) {
        self.jangdan_in("C", arguments)
    }

    /// Stops the agents that are still running, and returns their number.
    fn stop_sessions(&self) -> usize {
        let (_, sessions) = self.jangdan(&["session", "list"]);
        let names = sessions.lines().filter_map(|line| line.split_whitespace().next());
        let running = names.filter(|name| name.contains("-s_"));
        running.filter(|name| self.jangdan(&["session", "stop", name]).1.starts_with("Stopped")).count()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = self.command("git", arguments, "C").output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for NewUser {
    fn drop(&mut self) {
        // A test that failed may have left an agent.
        self.stop_sessions();
    }
}

fn write_program(path: &Path, script: &str) {
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[track_caller]
fn assert_output((exit, text): (i32, String), expected: i32, parts: &[&str]) {
    assert_eq!(exit, expected, "{text}");
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in:\n{text}");
    }
}

#[test]
fn init_run_and_land_work_in_an_empty_home() {
    let user = NewUser::new();
    assert_output(
        user.jangdan(&["init"]),
        0,
        &[
            "Wrote jangdan.toml: Make project, checked with `make test`; agent Claude Code",
            "Wrote TASKS.md: an example plan with two tasks.",
            "hint: Start: jangdan run",
        ],
    );
    let (exit, text) = user.jangdan(&["run", "--no-wait", "--set", "orchestration.gate_approval=automatic"]);
    assert_eq!(exit, 0, "{text}");
    // From the first event on, and nothing that concerns only the machinery.
    for part in [
        " Run of project started: First plan, 2 tasks",
        " claude started T1.1 · Describe how to build and test the project",
        " T1.1 merged as ",
        " T1.1 done, checked · Describe how to build and test the project",
        " claude started T1.2",
        " Phase 1 approved",
        " Run done",
        "2 of 2 done",
    ] {
        assert!(text.contains(part), "'{part}' is not in:\n{text}");
    }
    for part in ["joined as", "k_1", "s_1", "is idle", "Sent to", "ended its turn", "is ready", "Merging"] {
        assert!(!text.contains(part), "'{part}' is in:\n{text}");
    }
    assert_output(user.jangdan(&["land"]), 0, &["Merged 4 commits of ", "into main"]);
    assert_eq!(user.git(&["ls-files"]), "Makefile\nmade-T1.1.txt\nmade-T1.2.txt\n");
    assert_output(user.jangdan(&["run"]), 1, &["already did all 2 open tasks of the plan", "--again"]);
}

#[test]
fn init_replaces_its_configuration_only_with_force_and_never_a_plan() {
    let user = NewUser::new();
    fs::write(user.path("project/TASKS.md"), "# Mine\n\n### T1: Do it\n").unwrap();
    assert_output(user.jangdan(&["init"]), 0, &["Kept the plan TASKS.md"]);
    let written = fs::read_to_string(user.path("project/jangdan.toml")).unwrap();
    fs::write(user.path("project/jangdan.toml"), "# mine\n").unwrap();
    assert_output(
        user.jangdan(&["init"]),
        1,
        &[
            "error: jangdan.toml already exists.",
            "hint: Check it: jangdan doctor. Replace it: jangdan init --force",
        ],
    );
    assert_eq!(fs::read_to_string(user.path("project/jangdan.toml")).unwrap(), "# mine\n");
    assert_output(user.jangdan(&["init", "--force"]), 0, &["Kept the plan TASKS.md"]);
    assert_eq!(fs::read_to_string(user.path("project/jangdan.toml")).unwrap(), written);
    assert!(fs::read_to_string(user.path("project/TASKS.md")).unwrap().starts_with("# Mine"));
    insta::assert_snapshot!("configuration", written);
}

#[test]
fn init_and_doctor_speak_korean() {
    let user = NewUser::new();
    assert_output(
        user.jangdan_in("ko_KR.UTF-8", &["init"]),
        0,
        &[
            "jangdan.toml 작성: Make 프로젝트, 검증 명령 `make test`, 에이전트 Claude Code",
            "TASKS.md 작성: 작업 2개로 된 예시 계획입니다.",
            "도움말: 시작하려면: jangdan run",
        ],
    );
    assert!(fs::read_to_string(user.path("project/TASKS.md")).unwrap().starts_with("# 첫 계획"));
    assert_output(user.jangdan(&["config", "check"]), 0, &[]);
    assert_output(
        user.jangdan_in("ko_KR.UTF-8", &["doctor"]),
        0,
        &["✓ 에이전트: claude: 2.0, 로그인됨", "- 에이전트: aider: 설치 안 됨", "실행을 시작할 수 있습니다"],
    );
    assert_output(
        user.jangdan_in("ko_KR.UTF-8", &["init"]),
        1,
        &["오류: jangdan.toml 파일이 이미 있습니다.", "도움말: "],
    );
}

#[test]
fn doctor_says_what_prevents_a_run() {
    let user = NewUser::new();
    assert_output(
        user.jangdan(&["doctor"]),
        0,
        &[
            "✓ Jangdan: ",
            "✓ Git: ",
            "✓ Data directory: FOLDER/home/.local/share/jangdan",
            "✓ Runs: none yet",
            "✓ Server: not running; a run starts one",
            "✓ Configuration: no file, all defaults",
            "✓ Agent: claude: 2.0, signed in",
            "! Plan: no plan file in FOLDER/project",
            "\nA run can start: jangdan run",
        ],
    );
    assert!(!user.path("home/.local").exists(), "it writes nothing");
    let problems: &[(&str, &[&str])] = &[
        (
            "checks.verify = 'missing-tool'",
            &["✗ Check: `missing-tool` cannot run: missing-tool is not on PATH"],
        ),
        ("team.worker = 'aider'", &["✗ Run: agent aider is not installed", "pip install aider-install"]),
        ("team.worker = 'claud'", &["✗ Configuration: ", "unknown agent 'claud'"]),
        ("team.worker = 'shell'", &["✗ Run: agent shell has no script"]),
    ];
    for (configuration, parts) in problems {
        fs::write(user.path("project/jangdan.toml"), configuration).unwrap();
        assert_output(user.jangdan(&["doctor"]), 1, parts);
        assert_output(user.jangdan(&["doctor"]), 1, &["No run can start. Problems: 1"]);
    }
    let (exit, json) = user.jangdan(&["doctor", "--json"]);
    assert_eq!(exit, 1, "{json}");
    let findings: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let states: Vec<_> = findings.iter().filter(|finding| finding["subject"] == "run").collect();
    assert!(states.iter().any(|finding| finding["state"] == "problem"), "{json}");
}

#[test]
fn before_the_first_run_nothing_is_waiting() {
    let user = NewUser::new();
    assert_output(user.jangdan(&["inbox"]), 0, &["Nothing is waiting for you"]);
    assert_eq!(user.jangdan(&["inbox", "--json"]), (0, String::new()));
    assert_output(user.jangdan(&["inbox", "r1"]), 1, &[]);
}

#[test]
fn before_the_first_run_the_list_of_runs_is_empty() {
    let user = NewUser::new();
    assert_eq!(user.jangdan(&["runs"]), (0, "No runs. Start one: jangdan run PLAN\n".to_owned()));
    assert_eq!(user.jangdan(&["runs", "--json"]), (0, String::new()));
    assert_output(user.jangdan_in("ko_KR.UTF-8", &["runs"]), 0, &["실행이 없습니다."]);
}

/// A refusal of `jangdan run`: files of the project, arguments, status, and parts of the output in English and Korean.
struct RefusalCase {
    files: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    exit: i32,
    english: &'static [&'static str],
    korean: &'static [&'static str],
}

const PLAN: (&str, &str) = ("TASKS.md", "# Plan\n\n### T1: Do it\n");

#[test]
fn a_run_that_cannot_succeed_is_refused_before_it_starts() {
    let cases = [
        RefusalCase {
            files: &[],
            arguments: &[],
            exit: 1,
            english: &["error: No plan file in ", "hint: Write one: jangdan init."],
            korean: &["오류: 계획 파일이 없습니다", "도움말: 새로 만들려면: jangdan init."],
        },
        RefusalCase {
            files: &[PLAN],
            arguments: &["--agent", "aider"],
            exit: 1,
            english: &["gent aider is not installed", "pip install aider-install"],
            korean: &["aider 에이전트가 설치되어 있지 않습니다.", "설치: pip install aider-install"],
        },
        RefusalCase {
            files: &[PLAN],
            arguments: &["--agent", "claud"],
            exit: 2,
            english: &["nknown agent 'claud'", "Did you mean claude?"],
            korean: &["알 수 없는 에이전트: 'claud'", "혹시 claude?"],
        },
        RefusalCase {
            files: &[PLAN],
            arguments: &["--agent", "shell"],
            exit: 1,
            english: &["gent shell has no script", "extends = \"shell\""],
            korean: &["shell 에이전트에 스크립트가 없습니다."],
        },
        RefusalCase {
            files: &[("TASKS.md", "# Plan\n\n### T1: Do it\n- **Agent**: calude\n")],
            arguments: &[],
            exit: 1,
            english: &["nknown agent 'calude' of task T1", "Did you mean claude?"],
            korean: &["T1 작업의 에이전트 'calude'", "혹시 claude?"],
        },
        RefusalCase {
            files: &[PLAN, ("jangdan.toml", "team.worker = 'claud'\n")],
            arguments: &[],
            exit: 1,
            english: &["unknown agent 'claud'", "did you mean \"claude\"?"],
            korean: &["설정에 오류가 1개 있습니다."],
        },
        RefusalCase {
            files: &[("TASKS.md", "# Plan\n\n### T1: Do it\n- **Verify**: missing-tool -q\n")],
            arguments: &[],
            exit: 1,
            english: &[
                "he check `missing-tool -q` cannot run: missing-tool is not on PATH",
                "worktree.setup",
            ],
            korean: &["PATH에 없는 프로그램: missing-tool"],
        },
        RefusalCase {
            files: &[PLAN, (".gitignore", "x\n")],
            arguments: &["--open", "--again"],
            exit: 2,
            english: &["cannot be used with"],
            korean: &[],
        },
    ];
    let user = NewUser::new();
    for case in cases {
        for (name, text) in case.files {
            fs::write(user.path("project").join(name), text).unwrap();
        }
        let arguments = [&["run"], case.arguments].concat();
        assert_output(user.jangdan(&arguments), case.exit, case.english);
        assert_output(user.jangdan_in("ko_KR.UTF-8", &arguments), case.exit, case.korean);
        for (name, _) in case.files {
            fs::remove_file(user.path("project").join(name)).unwrap();
        }
    }
    assert_output(user.jangdan(&["runs"]), 0, &["No runs."]);
}

#[test]
fn conditions_that_a_user_may_not_expect_are_mentioned() {
    let user = NewUser::new();
    let plan = "# Plan\n\n### T1.1: Do it\n- **Agent**: backend\n- **Verfy**: make test\n";
    fs::write(user.path("project/TASKS.md"), plan).unwrap();
    fs::write(user.path("project/Makefile"), "test:\n\ttrue\n").unwrap();
    fs::write(user.path("project/new.txt"), "new\n").unwrap();
    let english = [
        "unknown key 'Verfy' is ignored; it resembles 'verify'",
        "do not see your uncommitted changes in 2 files: Makefile, new.txt.",
        "backend is not a configured agent: claude works under this name.",
    ];
    // The gate waits for the user, so that this run stays active.
    assert_output(user.jangdan(&["run", "--no-wait"]), 3, &english);
    let korean = [
        "커밋하지 않은 변경(파일 2개)을 볼 수 없습니다: Makefile, new.txt.",
        "이 프로젝트에서 다른 실행이 진행 중입니다: ",
        "backend 에이전트는 설정에 없어 claude 에이전트가 이 이름으로 작업합니다.",
        "backend 에이전트가 T1.1 작업을 시작했습니다 · Do it",
        "T1.1 작업 완료",
    ];
    assert_output(user.jangdan_in("ko_KR.UTF-8", &["run", "--no-wait", "--again"]), 3, &korean);
}

#[test]
fn a_script_reads_exit_codes_states_and_quoted_words() {
    let user = NewUser::new();
    fs::write(user.path("script.toml"), ASKS_IN_PROSE).unwrap();
    fs::write(user.path("project/TASKS.md"), "# Plan\n\n### T1.1: Do it\n").unwrap();
    let (exit, text) = user.jangdan(&["run", "--no-wait"]);
    assert_eq!(exit, 3, "{text}");
    // The commands that settle an entry need a server, which ended with this command.
    assert!(text.contains("To settle it: jangdan answer q_1") && text.contains("jangdan serve"), "{text}");
    assert_output(user.jangdan(&["inbox"]), 0, &["“HTML?”"]);
    let (exit, json) = user.jangdan(&["status", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    let tasks: Vec<_> =
        rows["task"].as_array().unwrap().iter().map(|row| (&row["id"], &row["state"])).collect();
    assert_eq!((exit, tasks), (0, vec![(&"T1.1".into(), &"blocked".into())]), "{json}");
    assert_output(user.jangdan(&["answer", "q_1", "HTML"]), 1, &["No server is running", "jangdan serve"]);
    assert_output(user.jangdan(&["land"]), 1, &["No server is running, and run "]);
    assert_eq!(user.stop_sessions(), 1);
}

#[test]
fn open_leaves_out_what_an_earlier_run_did() {
    let user = NewUser::new();
    let automatic = ["--no-wait", "--set", "orchestration.gate_approval=automatic"];
    let run = |arguments: &[&str]| user.jangdan(&[&["run"], &automatic[..], arguments].concat());
    let first = "# Plan\n\n### T1.1: One\n";
    fs::write(user.path("project/TASKS.md"), first).unwrap();
    assert_output(run(&[]), 0, &["1 of 1 done"]);
    assert_output(run(&[]), 1, &["already did the only open task of the plan", "--again"]);
    assert_output(run(&["--open"]), 1, &["o task of the plan is open"]);
    fs::write(user.path("project/TASKS.md"), format!("{first}\n### T1.2: Two\n")).unwrap();
    let (exit, text) = run(&["--open"]);
    assert!(exit == 0 && text.contains("left out: 1"), "{exit}:\n{text}");
    assert!(text.contains("claude started T1.2") && !text.contains("claude started T1.1"), "{text}");
    assert_output(run(&["--again"]), 0, &["claude started T1.1", "claude started T1.2"]);
}

#[test]
fn usage_of_the_last_run_is_said_before_the_next_one() {
    let user = NewUser::new();
    let usage = "{ usage = { input = 1200, output = 300, cost = 0.25 } },\n    { say =";
    fs::write(user.path("script.toml"), SCRIPT.replace("{ say =", usage)).unwrap();
    fs::write(user.path("project/TASKS.md"), "# Plan\n\n### T1.1: Do it\n").unwrap();
    let automatic = ["run", "--no-wait", "--again", "--set", "orchestration.gate_approval=automatic"];
    let (exit, first) = user.jangdan(&automatic);
    assert!(exit == 0 && !first.contains("The last run of this plan"), "{exit}:\n{first}");
    assert_output(
        user.jangdan(&automatic),
        0,
        &["The last run of this plan (", ") used 1.5k tokens, $0.25."],
    );
}

#[test]
fn included_changes_are_seen_by_agents_and_stay_when_the_work_is_landed() {
    let user = NewUser::new();
    let append = "{ write = { path = 'new.txt', text = \"agent\\n\", append = true } },\n    { write =";
    let script = SCRIPT.replace("{ write =", append);
    fs::write(user.path("script.toml"), script).unwrap();
    fs::write(user.path("project/TASKS.md"), "# Plan\n\n### T1.1: Do it\n").unwrap();
    fs::write(user.path("project/new.txt"), "new\n").unwrap();
    fs::write(user.path("project/Makefile"), "test:\n\ttrue\n").unwrap();
    let arguments =
        ["run", "--no-wait", "--include-changes", "--set", "orchestration.gate_approval=automatic"];
    fs::write(user.path("project/core"), vec![b'x'; 20 << 20]).unwrap();
    let refused = ["untracked files above the size limit: core (20 MiB)", "worktree.max_file_mib"];
    assert_output(user.jangdan(&arguments), 1, &refused);
    fs::remove_file(user.path("project/core")).unwrap();
    let included = "Your uncommitted changes are included, in 2 files: Makefile, new.txt.";
    assert_output(user.jangdan(&arguments), 0, &[included, "1 of 1 done"]);
    assert_eq!(user.git(&["status", "--porcelain"]), " M Makefile\n?? TASKS.md\n?? new.txt\n");
    assert_output(user.jangdan(&["land"]), 0, &["into main"]);
    let read = |name: &str| fs::read_to_string(user.path("project").join(name)).unwrap();
    assert_eq!(read("new.txt"), "new\nagent\n");
    assert_eq!(read("Makefile"), "test:\n\ttrue\n");
    assert_eq!(user.git(&["status", "--porcelain"]), "?? TASKS.md\n");
}
