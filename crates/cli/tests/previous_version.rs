//! A data directory of the previous version, with a run in progress and live sessions, is opened, and the run continues.
//!
//! `tests/golden/schema-3` was written by the last version with schema 3. Its server was killed after it had started two
//! agents and before it could send them their tasks. Tasks have no time limit, since the recorded times do not
//! change. Paths and the boot id are placeholders. The holders are started here, under the names of the recorded sessions.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue must fail")]

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

const RUN: &str = "rtvue3";
/// The sessions with their tasks.
const SESSIONS: [(&str, &str); 2] = [("rtvue3-s_3-1", "T1"), ("rtvue3-s_4-1", "T2")];
/// Far more than anything takes; a machine can be very busy.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// Writes its process id, works on the task that it is sent, and reports it as done.
const AGENT: &str = r#"
echo "$$" >> "$FOLDER/pids"
read -r task
echo work > "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
read -r end
"#;

struct PreviousVersionFixture {
    folder: tempfile::TempDir,
    server: Option<Child>,
}

impl PreviousVersionFixture {
    fn restore() -> Self {
        let directory = Self { folder: tempfile::tempdir().unwrap(), server: None };
        fs::create_dir_all(directory.project()).unwrap();
        fs::write(directory.project().join("agent.sh"), AGENT).unwrap();
        let run = directory.data().join("runs").join(RUN);
        fs::create_dir_all(&run).unwrap();
        fs::copy(golden("log.sqlite3"), directory.data().join("log.sqlite3")).unwrap();
        for name in ["outfit.json", "s_3-1.json", "s_4-1.json"] {
            fs::write(run.join(name), directory.fill_placeholders(name)).unwrap();
        }
        for (name, task) in SESSIONS {
            directory.start_session(name, task);
        }
        directory
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn fill_placeholders(&self, name: &str) -> String {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let text = fs::read_to_string(golden(name)).unwrap();
        text.replace("@project@", self.project().to_str().unwrap())
            .replace("@folder@", self.folder.path().to_str().unwrap())
            .replace("@boot@", boot.trim())
    }

    /// Starts a session, and describes it as the previous version did.
    fn start_session(&self, name: &str, task: &str) {
        let script = self.project().join("agent.sh");
        let arguments = ["session", "start", "--name", name, "--", "sh", script.to_str().unwrap()];
        let mut start = self.command(&arguments);
        let output = start.env("FOLDER", self.folder.path()).env("JANGDAN_TASK", task).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let about = self.data().join("sessions").join(name).join("about.json");
        assert!(about.exists());
        fs::write(about, self.fill_placeholders(&format!("sessions/{name}.json"))).unwrap();
    }

    fn start_server(&mut self) {
        let mut server = self.command(&["serve"]).stderr(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(server.stderr.take().unwrap());
        let mut printed = String::new();
        while output.read_line(&mut printed).unwrap() > 0 && !printed.contains("Serving") {}
        assert!(printed.contains("Serving"), "{printed}");
        self.server = Some(server);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jangdan"));
        command.env("JANGDAN_DATA", self.data()).env("HOME", self.folder.path()).env("LC_ALL", "C");
        command.current_dir(self.project()).args(arguments).stdin(Stdio::null());
        command
    }

    fn run_state(&self) -> String {
        let output = self.command(&["status", RUN, "--json"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
        status["run"][0]["status"].as_str().unwrap_or_else(|| panic!("{status}")).to_owned()
    }

    fn pids(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("pids")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn wait_until(&self, expected: &str, is_reached: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + WAIT_MAX;
        while !is_reached(self) {
            let log = || self.command(&["log", RUN]).output().unwrap().stdout;
            assert!(Instant::now() < deadline, "waited for {expected}:\n{}", String::from_utf8_lossy(&log()));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for PreviousVersionFixture {
    fn drop(&mut self) {
        for (name, _) in SESSIONS {
            let _ = self.command(&["session", "stop", name]).output();
        }
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/schema-3").join(name)
}

#[test]
fn a_run_in_progress_of_the_previous_version_continues_with_its_living_sessions() {
    let mut directory = PreviousVersionFixture::restore();
    directory.wait_until("both agents", |directory| directory.pids().len() == 2);
    directory.start_server();
    directory.wait_until("the end of the run", |directory| directory.run_state() == "done");
    assert_eq!(directory.pids().len(), 2, "the sessions were not started again");
    for (_, task) in SESSIONS {
        assert!(directory.project().join(format!("{task}.txt")).exists(), "{task}");
    }
}
