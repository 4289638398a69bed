//! Conversations with agents from outside: started, told, asked back, answered, killed in the middle, gone on with.

#![expect(clippy::unwrap_used, reason = "a test that can't run its program has failed")]

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

/// Far more than anything takes; a machine can be very busy.
const PATIENCE: Duration = Duration::from_secs(60);

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

/// A folder with agents that play a script under the names of real ones.
struct Stage {
    folder: TempDir,
}

impl Stage {
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

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, and returns what it printed.
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn standing(&self, name: &str) -> (String, String) {
        let listed = self.ok(&["list", "--json"]);
        let rows = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let row = rows.into_iter().find(|row| row["name"] == name).unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&row["standing"]["state"]), text(&row["standing"]["source"]))
    }

    fn wait_until(&self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self) {
            assert!(Instant::now() < deadline, "{what}: not within {PATIENCE:?}");
            std::thread::yield_now();
        }
    }

    fn stop(&self, name: &str) {
        self.ok(&["stop", name]);
    }
}

fn kill(child: &std::process::Child) {
    assert!(Command::new("kill").args(["-9", &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn an_agent_is_told_asks_is_answered_and_comes_back() {
    for (agent, source) in [("claude", "its JSON stream"), ("codex", "its app server"), ("gemini", "its ACP")]
    {
        let stage = Stage::new();
        let name = stage.ok(&["start", "--agent", agent, "Begin"]);
        let name = name.trim();
        stage.wait_until("its turn is over", |stage| stage.standing(name).0 == "waits to be told something");
        // Its question has numbered answers; nobody has heard the question yet but the spool.
        let answered = stage.ok(&["say", "--wait", name, "2"]);
        assert!(
            answered.contains("? It wants to run: ls") && answered.contains("  1  "),
            "{agent}: {answered}"
        );
        assert_eq!(stage.standing(name), ("asks for permission".to_owned(), source.to_owned()), "{agent}");
        let refused = stage.run(&["say", name, "perhaps"]);
        assert!(String::from_utf8_lossy(&refused.stderr).contains("yes or no"), "{agent}: {refused:?}");
        let allowed = stage.ok(&["say", "--wait", name, "yes"]);
        assert!(
            allowed.contains("It has a README.") && allowed.contains("1200 tokens in, 30 out"),
            "{agent}: {allowed}"
        );

        let log = stage.ok(&["log", name]);
        let places: Vec<_> = [
            "> Begin",
            "I begin.",
            "> postgres",
            "It wants to run: ls",
            "> yes",
            "README.md",
            "It has a README.",
        ]
        .map(|words| log.find(words).unwrap_or_else(|| panic!("{agent}: no {words:?} in {log}")))
        .to_vec();
        assert!(places.is_sorted(), "{agent}: {log}");
        assert!(!log.contains("{\""), "{agent}: words, and no JSON: {log}");
        assert!(stage.ok(&["log", "--raw", name]).contains("{\""), "{agent}");

        stage.stop(name);
        let over = stage.run(&["say", name, "more"]);
        let hint = String::from_utf8_lossy(&over.stderr).into_owned();
        let id = hint.split("--resume ").nth(1).unwrap_or_else(|| panic!("{agent}: {hint}")).trim();
        let again = stage.ok(&["start", "--agent", agent, "--resume", id]);
        let said = stage.ok(&["say", "--wait", again.trim(), "Again"]);
        assert!(said.contains("I remember."), "{agent}: {said}");
        stage.stop(again.trim());
    }
}

#[test]
fn lines_from_a_pipe_are_a_conversation() {
    let stage = Stage::new();
    let name = stage.ok(&["start", "--agent", "claude", "--name", "it"]);
    assert_eq!(name, "it\n");
    let mut attached =
        stage.command(&["attach", "it"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    attached.stdin.take().unwrap().write_all(b"Begin\npostgres\n").unwrap();
    // The second line waits for the end of the first turn, then for nobody: a permission is asked, and the pipe is at its end.
    let output = attached.wait_with_output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("I begin.") && shown.contains("? It wants to run: ls"), "{shown}");
    assert!(shown.contains("? Which database?") && shown.contains("  2  postgres"), "{shown}");
    assert_eq!(stage.standing("it").0, "asks for permission");
    assert!(stage.ok(&["say", "--wait", "it", "no"]).contains("It has a README."));
    stage.stop("it");
}

#[test]
fn whoever_is_killed_in_the_middle_loses_nothing() {
    for agent in ["claude", "codex", "gemini"] {
        let stage = Stage::new();
        let name = stage.ok(&["start", "--agent", agent]);
        let name = name.trim();
        let attach = |lines: &str| {
            let mut attached = stage.command(&["attach", name]);
            let mut attached = attached.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            let mut stdin = attached.stdin.take().unwrap();
            stdin.write_all(lines.as_bytes()).unwrap();
            (attached, stdin)
        };
        // Two prompts at once: the second must wait for the end of the first one's turn.
        let (mut attached, _stdin) = attach("Begin\npostgres\n");
        stage.wait_until("it asks", |stage| stage.standing(name).0 == "asks for permission");
        kill(&attached);
        attached.wait().unwrap();
        assert!(stage.ok(&["say", "--wait", name, "1"]).contains("It has a README."), "{agent}");
        // Killed as soon as it was written down, told or not.
        let (mut attached, _stdin) = attach("Sleep\n");
        stage.wait_until("it is written down", |stage| written_down(stage, name).contains("Sleep"));
        kill(&attached);
        attached.wait().unwrap();
        let (mut attached, stdin) = attach("");
        stage.wait_until("it sleeps", |stage| stage.ok(&["log", name]).contains("I sleep."));
        let taken = stage.run(&["say", name, "Hello"]);
        assert!(
            String::from_utf8_lossy(&taken.stderr).contains("Another process speaks"),
            "{agent}: {taken:?}"
        );
        // As Ctrl-C does.
        assert!(Command::new("kill").args(["-INT", &attached.id().to_string()]).status().unwrap().success());
        drop(stdin);
        assert!(attached.wait().unwrap().success(), "{agent}");
        let said = stage.ok(&["say", "--wait", name, "Go on"]);
        assert!(said.contains("Here I am."), "{agent}: {said}");
        let log = stage.ok(&["log", name]);
        for once in
            ["> Begin", "> postgres", "> Sleep", "> Go on", "I begin.", "It has a README.", "I sleep."]
        {
            assert_eq!(log.matches(once).count(), 1, "{agent}: {once} in {log}");
        }
        stage.stop(name);
    }
}

#[test]
fn with_an_agent_of_a_run_nobody_else_speaks() {
    let stage = Stage::new();
    stage.ok(&["start", "--agent", "claude", "--name", "it", "Begin"]);
    let path = stage.data().join("sessions/it/about.json");
    let about = fs::read_to_string(&path).unwrap();
    assert!(about.contains("\"is_of_run\":false"), "{about}");
    fs::write(&path, about.replace("\"is_of_run\":false", "\"is_of_run\":true")).unwrap();
    for arguments in [&["say", "it", "postgres"][..], &["attach", "it"]] {
        let refused = stage.run(arguments);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains("belongs to a run") && said.contains("log --follow it"), "{said}");
    }
    stage.wait_until("it can be read", |stage| stage.ok(&["log", "it"]).contains("I begin."));
    stage.stop("it");
}

fn written_down(stage: &Stage, name: &str) -> String {
    fs::read_to_string(stage.data().join("sessions").join(name).join("told.jsonl")).unwrap_or_default()
}

#[test]
fn mistakes_are_answered_with_what_to_do() {
    let stage = Stage::new();
    let cases: &[(&[&str], &[&str])] = &[
        (&["start", "--agent", "nobody"], &["no agent preset 'nobody'", "jangdan agents"]),
        (&["start", "--agent", "shell", "Begin"], &["terminal", "session say"]),
        (&["start", "--agent", "aider", "--resume", "x"], &["can't go on with a session"]),
        (&["start", "Begin"], &["--agent"]),
    ];
    for (arguments, words) in cases {
        let output = stage.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        for word in *words {
            assert!(said.contains(word), "{arguments:?}: {said}");
        }
    }
    assert!(!Path::new(&stage.data()).join("sessions/claude-1").exists());
}
