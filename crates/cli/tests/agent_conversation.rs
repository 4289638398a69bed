//! `jangdan session` with agents: start, send, answer, kill and resume.

#![expect(clippy::unwrap_used, reason = "a failing setup fails the test")]

use std::{
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// Much longer than any step takes, also on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

const SCRIPT: &str = r#"
memory = "memory"
steps = [
  { wait = "Begin" },
  { say = "I begin.\n[ASK_USER]\nquestion: Which database?\ntype: selection\noptions: ['sqlite', 'postgres']\n[/ASK_USER]\n" },
  { wait = "postgres" },
  { tool = { name = "Bash", kind = "execute", input = { command = "ls" }, output = "README.md\n", asks = true } },
  { say = "It has a README.\n" },
  { usage = { input = 1200, output = 30 } },
  { wait = "Sleep" },
  { say = "I sleep.\n" },
  { sleep = "600s" },
  { wait = "Go on" },
  { say = "Here I am.\n" },
  { wait = "never" },
]
resumed = [{ wait = "Again" }, { say = "I remember.\n" }, { wait = "never" }]
"#;

/// A folder with scripted agents that have the names of real ones.
struct AgentFixture {
    folder: TempDir,
}

impl AgentFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, voice) in [("claude", "claude"), ("codex", "codex"), ("gemini", "acp")] {
            let script = folder.path().join(format!("{name}.toml"));
            fs::write(&script, format!("voice = '{voice}'\n{SCRIPT}")).unwrap();
            let program = folder.path().join(name);
            let jangdan = env!("CARGO_BIN_EXE_jangdan");
            fs::write(&program, format!("#!/bin/sh\nexec {jangdan} play {} \"$@\"\n", script.display()))
                .unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        }
        Self { folder }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let path = format!("{}:{}", self.folder.path().display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_jangdan"));
        command.env("PATH", path).env("JANGDAN_DATA", self.data()).current_dir(self.folder.path());
        command.arg("session").args(arguments);
        command
    }

    fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    fn run_session_command(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, and returns its output.
    fn run_successfully(&self, arguments: &[&str]) -> String {
        let output = self.run_session_command(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn activity(&self, name: &str) -> (String, String) {
        let listed = self.run_successfully(&["list", "--json"]);
        let rows = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let row = rows.into_iter().find(|row| row["name"] == name).unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&row["activity"]["state"]), text(&row["activity"]["source"]))
    }

    fn wait_until(&self, what: &str, mut condition: impl FnMut(&Self) -> bool) {
        let deadline = Instant::now() + TIMEOUT;
        while !condition(self) {
            assert!(Instant::now() < deadline, "{what}: not within {TIMEOUT:?}");
            std::thread::yield_now();
        }
    }

    fn stop(&self, name: &str) {
        self.run_successfully(&["stop", name]);
    }
}

fn kill(child: &std::process::Child) {
    assert!(Command::new("kill").args(["-9", &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn agent_receives_messages_asks_is_answered_and_resumes() {
    for (agent, source) in [("claude", "its JSON stream"), ("codex", "its app server"), ("gemini", "its ACP")]
    {
        let fixture = AgentFixture::new();
        let name = fixture.run_successfully(&["start", "--agent", agent, "Begin"]);
        let name = name.trim();
        fixture.wait_until("the end of the turn", |fixture| fixture.activity(name).0 == "idle");
        // Its question has numbered answers and is only in the spool so far.
        let answered = fixture.run_successfully(&["say", "--wait", name, "2"]);
        assert!(answered.contains("? Allow to run: ls") && answered.contains("  1  "), "{agent}: {answered}");
        assert_eq!(fixture.activity(name), ("needs permission".to_owned(), source.to_owned()), "{agent}");
        let refused = fixture.run_session_command(&["say", name, "perhaps"]);
        assert!(String::from_utf8_lossy(&refused.stderr).contains("yes or no"), "{agent}: {refused:?}");
        let allowed = fixture.run_successfully(&["say", "--wait", name, "yes"]);
        assert!(
            allowed.contains("It has a README.") && allowed.contains("1200 tokens in, 30 out"),
            "{agent}: {allowed}"
        );

        let log = fixture.run_successfully(&["log", name]);
        let positions: Vec<_> = [
            "> Begin",
            "I begin.",
            "> postgres",
            "Allow to run: ls",
            "> yes",
            "README.md",
            "It has a README.",
        ]
        .map(|text| log.find(text).unwrap_or_else(|| panic!("{agent}: no {text:?} in {log}")))
        .to_vec();
        assert!(positions.is_sorted(), "{agent}: {log}");
        assert!(!log.contains("{\""), "{agent}: text instead of JSON: {log}");
        assert!(fixture.run_successfully(&["log", "--raw", name]).contains("{\""), "{agent}");

        fixture.stop(name);
        let ended = fixture.run_session_command(&["say", name, "more"]);
        let hint = String::from_utf8_lossy(&ended.stderr).into_owned();
        let id = hint.split("--resume ").nth(1).unwrap_or_else(|| panic!("{agent}: {hint}")).trim();
        let resumed = fixture.run_successfully(&["start", "--agent", agent, "--resume", id]);
        let output_text = fixture.run_successfully(&["say", "--wait", resumed.trim(), "Again"]);
        assert!(output_text.contains("I remember."), "{agent}: {output_text}");
        fixture.stop(resumed.trim());
    }
}

#[test]
fn piped_lines_are_sent_one_turn_at_a_time() {
    let fixture = AgentFixture::new();
    let name = fixture.run_successfully(&["start", "--agent", "claude", "--name", "it"]);
    assert_eq!(name, "it\n");
    let mut attached =
        fixture.command(&["attach", "it"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    attached.stdin.take().unwrap().write_all(b"Begin\npostgres\n").unwrap();
    // The second line is sent after the first turn. Then the agent asks for permission, and the pipe has ended.
    let output = attached.wait_with_output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("I begin.") && shown.contains("? Allow to run: ls"), "{shown}");
    assert!(shown.contains("? Which database?") && shown.contains("  2  postgres"), "{shown}");
    assert_eq!(fixture.activity("it").0, "needs permission");
    assert!(fixture.run_successfully(&["say", "--wait", "it", "no"]).contains("It has a README."));
    fixture.stop("it");
}

#[test]
fn killed_client_loses_no_input() {
    for agent in ["claude", "codex", "gemini"] {
        let fixture = AgentFixture::new();
        let name = fixture.run_successfully(&["start", "--agent", agent]);
        let name = name.trim();
        let attach = |lines: &str| {
            let mut attached = fixture.command(&["attach", name]);
            let mut attached = attached.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            let mut stdin = attached.stdin.take().unwrap();
            stdin.write_all(lines.as_bytes()).unwrap();
            (attached, stdin)
        };
        // Two prompts at once: the second must wait for the end of the first one's turn.
        let (mut attached, _stdin) = attach("Begin\npostgres\n");
        fixture.wait_until("the permission prompt", |fixture| fixture.activity(name).0 == "needs permission");
        kill(&attached);
        attached.wait().unwrap();
        assert!(
            fixture.run_successfully(&["say", "--wait", name, "1"]).contains("It has a README."),
            "{agent}"
        );
        // Killed as soon as the input is recorded, whether it was sent or not.
        let (mut attached, _stdin) = attach("Sleep\n");
        fixture.wait_until("the recorded input", |fixture| recorded_inputs(fixture, name).contains("Sleep"));
        kill(&attached);
        attached.wait().unwrap();
        let (mut attached, stdin) = attach("");
        fixture.wait_until("the sleeping agent", |fixture| {
            fixture.run_successfully(&["log", name]).contains("I sleep.")
        });
        let refused = fixture.run_session_command(&["say", name, "Hello"]);
        assert!(
            String::from_utf8_lossy(&refused.stderr).contains("Another process sends inputs"),
            "{agent}: {refused:?}"
        );
        // As Ctrl-C does.
        assert!(Command::new("kill").args(["-INT", &attached.id().to_string()]).status().unwrap().success());
        drop(stdin);
        assert!(attached.wait().unwrap().success(), "{agent}");
        let output_text = fixture.run_successfully(&["say", "--wait", name, "Go on"]);
        assert!(output_text.contains("Here I am."), "{agent}: {output_text}");
        let log = fixture.run_successfully(&["log", name]);
        for once in
            ["> Begin", "> postgres", "> Sleep", "> Go on", "I begin.", "It has a README.", "I sleep."]
        {
            assert_eq!(log.matches(once).count(), 1, "{agent}: {once} in {log}");
        }
        fixture.stop(name);
    }
}

#[test]
fn sessions_of_runs_refuse_say_and_attach() {
    let fixture = AgentFixture::new();
    fixture.run_successfully(&["start", "--agent", "claude", "--name", "it", "Begin"]);
    let path = fixture.data().join("sessions/it/about.json");
    let about = fs::read_to_string(&path).unwrap();
    assert!(about.contains("\"is_of_run\":false"), "{about}");
    fs::write(&path, about.replace("\"is_of_run\":false", "\"is_of_run\":true")).unwrap();
    for arguments in [&["say", "it", "postgres"][..], &["attach", "it"]] {
        let refused = fixture.run_session_command(arguments);
        let output_text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            output_text.contains("belongs to a run") && output_text.contains("log --follow it"),
            "{output_text}"
        );
    }
    fixture.wait_until("its output", |fixture| fixture.run_successfully(&["log", "it"]).contains("I begin."));
    fixture.stop("it");
}

fn recorded_inputs(fixture: &AgentFixture, name: &str) -> String {
    fs::read_to_string(fixture.data().join("sessions").join(name).join("told.jsonl")).unwrap_or_default()
}

#[test]
fn errors_have_hints() {
    let fixture = AgentFixture::new();
    let cases: &[(&[&str], &[&str])] = &[
        (&["start", "--agent", "unknown"], &["Unknown agent 'unknown'", "jangdan agents"]),
        (&["start", "--agent", "shell", "Begin"], &["terminal", "session say"]),
        (&["start", "--agent", "aider", "--resume", "x"], &["cannot resume a session"]),
        (&["start", "Begin"], &["--agent"]),
    ];
    for (arguments, expected) in cases {
        let output = fixture.run_session_command(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let output_text = String::from_utf8_lossy(&output.stderr).into_owned();
        for text in *expected {
            assert!(output_text.contains(text), "{arguments:?}: {output_text}");
        }
    }
    assert!(!Path::new(&fixture.data()).join("sessions/claude-1").exists());
}
