//! A running scripted agent: its input, output and files.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// Upper bound for every wait of a test; only reached on failure.
const WAIT_MAX: Duration = Duration::from_secs(10);

pub(crate) struct ScriptedAgent {
    pub folder: TempDir,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// Returns the command that runs a script in a folder.
pub(crate) fn agent_command(folder: &TempDir, script: &str, arguments: &[&str]) -> Command {
    let path = folder.path().join("script.toml");
    fs::write(&path, script).expect("write the script");
    let mut command = Command::new(env!("CARGO_BIN_EXE_scripted-agent"));
    command.arg(path).args(arguments).current_dir(folder.path()).env_clear().env("JANGDAN_KEY", "k3f9");
    command
}

/// Runs a script to its end, and returns its output and exit status.
pub(crate) fn run_to_end(script: &str, input: &str) -> (Vec<u8>, ExitStatus) {
    let folder = TempDir::new().expect("create a folder");
    let mut child = agent_command(&folder, script, &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("start the agent");
    child.stdin.take().expect("piped input").write_all(input.as_bytes()).expect("write to the agent");
    let mut output = Vec::new();
    child.stdout.take().expect("piped output").read_to_end(&mut output).expect("read from the agent");
    (output, child.wait().expect("wait for the process"))
}

impl ScriptedAgent {
    /// Starts an agent in a temporary folder.
    pub(crate) fn start(script: &str) -> Self {
        Self::start_in(TempDir::new().expect("create a folder"), script, &[])
    }

    /// Starts an agent in the given folder, with the arguments of a real agent.
    pub(crate) fn start_in(folder: TempDir, script: &str, arguments: &[&str]) -> Self {
        let mut child = agent_command(&folder, script, arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("start the agent");
        let output = BufReader::new(child.stdout.take().expect("piped output"));
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { folder, input: child.stdin.take(), child, lines }
    }

    /// Writes a line to its input.
    pub(crate) fn write_line(&mut self, line: &str) {
        self.input
            .as_mut()
            .expect("input is open")
            .write_all(format!("{line}\n").as_bytes())
            .expect("write to the agent");
    }

    /// Returns the next line of its output.
    pub(crate) fn next_line(&self) -> String {
        self.lines.recv_timeout(WAIT_MAX).expect("receive a line")
    }

    /// Returns the next line of its output as JSON.
    pub(crate) fn next_json(&self) -> Value {
        let line = self.next_line();
        let value = serde_json::from_str(&line);
        assert!(value.is_ok(), "not JSON: {line}");
        value.expect("checked above")
    }

    /// Skips lines until one has this text at this JSON pointer.
    pub(crate) fn skip_until(&self, pointer: &str, text: &str) -> Value {
        loop {
            let value = self.next_json();
            if value.pointer(pointer).and_then(Value::as_str) == Some(text) {
                return value;
            }
        }
    }

    /// Skips lines until the answer to a request.
    pub(crate) fn wait_for_response(&self, id: u64) -> Value {
        loop {
            let value = self.next_json();
            if value.get("id").and_then(Value::as_u64) == Some(id) && value.get("method").is_none() {
                return value;
            }
        }
    }

    /// Closes its input, and returns its exit status and folder.
    pub(crate) fn close_input_and_wait(mut self) -> (Option<i32>, TempDir) {
        drop(self.input.take());
        let status = self.wait_for_exit();
        (status.code(), self.folder)
    }

    /// Kills it, and returns its folder.
    pub(crate) fn kill(mut self) -> TempDir {
        self.child.kill().expect("kill the agent");
        self.child.wait().expect("wait for the process");
        self.folder
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it exits.
    pub(crate) fn wait_for_exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            if let Some(status) = self.child.try_wait().expect("get its status") {
                return status;
            }
            assert!(Instant::now() < deadline, "the agent did not exit");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Tells whether it is running.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("get its status").is_none()
    }

    /// Waits until a file in its folder ends with a newline, and returns its content.
    pub(crate) fn wait_for_file(&self, name: &str) -> String {
        wait_for_file(self.folder.path().join(name))
    }
}

/// Waits until a file ends with a newline, and returns its content.
pub(crate) fn wait_for_file(path: PathBuf) -> String {
    let deadline = Instant::now() + WAIT_MAX;
    loop {
        match fs::read_to_string(&path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => assert!(Instant::now() < deadline, "{} was not written", path.display()),
        }
        thread::sleep(Duration::from_millis(5));
    }
}
