//! A player on a stage: what is typed to it, and what it answers.

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

/// How long a test waits for what must come. It never takes that long; it is what makes a hang a failure.
const PATIENCE: Duration = Duration::from_secs(10);

/// A player that was started.
pub struct Stage {
    pub folder: TempDir,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// Returns the command that plays a script in a folder.
pub fn player(folder: &TempDir, script: &str, arguments: &[&str]) -> Command {
    let path = folder.path().join("script.toml");
    fs::write(&path, script).expect("write the script");
    let mut command = Command::new(env!("CARGO_BIN_EXE_scripted-agent"));
    command.arg(path).args(arguments).current_dir(folder.path()).env_clear().env("JANGDAN_KEY", "k3f9");
    command
}

/// Plays a script to its end, and returns what it wrote and its status.
pub fn played(script: &str, input: &str) -> (Vec<u8>, ExitStatus) {
    let folder = TempDir::new().expect("a folder");
    let mut child = player(&folder, script, &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the player starts");
    child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("write to it");
    let mut output = Vec::new();
    child.stdout.take().expect("its output").read_to_end(&mut output).expect("read from it");
    (output, child.wait().expect("it ends"))
}

impl Stage {
    /// Starts a player in a folder of its own.
    pub fn start(script: &str) -> Self {
        Self::start_in(TempDir::new().expect("a folder"), script, &[])
    }

    /// Starts a player in a folder, with the arguments of an agent.
    pub fn start_in(folder: TempDir, script: &str, arguments: &[&str]) -> Self {
        let mut child = player(&folder, script, arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the player starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { folder, input: child.stdin.take(), child, lines }
    }

    /// Types a line.
    pub fn say(&mut self, line: &str) {
        self.input
            .as_mut()
            .expect("it is open")
            .write_all(format!("{line}\n").as_bytes())
            .expect("write to it");
    }

    /// Returns the next line that it writes.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line comes")
    }

    /// Returns the next line as JSON.
    pub fn json(&self) -> Value {
        let line = self.line();
        let value = serde_json::from_str(&line);
        assert!(value.is_ok(), "no JSON: {line}");
        value.expect("it was looked at")
    }

    /// Reads on to the line that has this text at this place.
    pub fn until(&self, pointer: &str, text: &str) -> Value {
        loop {
            let value = self.json();
            if value.pointer(pointer).and_then(Value::as_str) == Some(text) {
                return value;
            }
        }
    }

    /// Reads on to the answer to a request.
    pub fn response(&self, id: u64) -> Value {
        loop {
            let value = self.json();
            if value.get("id").and_then(Value::as_u64) == Some(id) && value.get("method").is_none() {
                return value;
            }
        }
    }

    /// Closes its input, and returns its status and its folder.
    pub fn end(mut self) -> (Option<i32>, TempDir) {
        drop(self.input.take());
        let status = self.wait();
        (status.code(), self.folder)
    }

    /// Kills it, and returns its folder.
    pub fn kill(mut self) -> TempDir {
        self.child.kill().expect("kill it");
        self.child.wait().expect("it ends");
        self.folder
    }

    /// Returns its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("ask for its status") {
                return status;
            }
            assert!(Instant::now() < until, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Tells whether it lives.
    pub fn lives(&mut self) -> bool {
        self.child.try_wait().expect("ask for its status").is_none()
    }

    /// Waits for a file of its folder to have something in it.
    pub fn file(&self, name: &str) -> String {
        file(self.folder.path().join(name))
    }
}

/// Waits for a file to have something in it.
pub fn file(path: PathBuf) -> String {
    let until = Instant::now() + PATIENCE;
    loop {
        match fs::read_to_string(&path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => assert!(Instant::now() < until, "{} does not come", path.display()),
        }
        thread::sleep(Duration::from_millis(5));
    }
}
