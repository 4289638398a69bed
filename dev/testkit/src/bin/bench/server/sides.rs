//! The two servers that are compared: ours, and a plain one in Node. Both take events over HTTP.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::line::{Address, Line, free_port};

const PEER: &str = include_str!("peer.mjs");
/// A server that answers, and nothing else.
const BARE: &str =
    "require('http').createServer((_, answer) => answer.end('here')).listen(+process.argv[1], '127.0.0.1')";
/// How long a server may take to answer for the first time.
const START_MAX: Duration = Duration::from_secs(60);
/// Time for a server to end after SIGTERM, and how often that is checked. One that takes longer is killed.
const END_MAX: Duration = Duration::from_secs(30);
const END_LOOK: Duration = Duration::from_millis(5);
/// How often it is looked whether somebody listens.
const LOOK: Duration = Duration::from_micros(200);

/// A server that runs. It ends with this.
pub struct Side {
    pub address: Address,
    child: Child,
}

impl Side {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    fn start(mut command: Command, address: Address, path: &str) -> Result<(Self, Duration)> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let request = address.request("GET", path, "");
        let since = Instant::now();
        let mut side =
            Self { child: command.spawn().with_context(|| format!("start {command:?}"))?, address };
        let mut line = loop {
            match Line::open(&side.address) {
                Ok(line) => break line,
                Err(error) => {
                    let status = side.child.try_wait()?;
                    ensure!(status.is_none(), "{command:?} ended with {status:?}");
                    ensure!(since.elapsed() < START_MAX, "{command:?} does not listen: {error}");
                    thread::sleep(LOOK);
                }
            }
        };
        line.ask(&request)?;
        Ok((side, since.elapsed()))
    }

    /// Ends it as a person would, so that the next start finds all in order.
    pub fn end(mut self) -> Result<()> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        let deadline = Instant::now() + END_MAX;
        while self.child.try_wait()?.is_none() {
            ensure!(Instant::now() < deadline, "process {} does not end", self.pid());
            thread::sleep(END_LOOK);
        }
        Ok(())
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // One that has ended already is no mistake.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a plain server of events in Node.
pub fn start_peer(folder: &Path) -> Result<Side> {
    let script = folder.join("peer.mjs");
    fs::write(&script, PEER)?;
    let address = Address { port: free_port()?, headers: String::new() };
    let mut node = Command::new("node");
    node.arg(script).arg(address.port.to_string());
    Ok(Side::start(node, address, "/")?.0)
}

/// Starts a bare server in Node, and returns how long it took to answer.
pub fn start_bare() -> Result<Duration> {
    let address = Address { port: free_port()?, headers: String::new() };
    let mut node = Command::new("node");
    node.args(["-e", BARE]).arg(address.port.to_string());
    Ok(Side::start(node, address, "/")?.1)
}

/// Where our server keeps its data.
pub struct Home {
    program: PathBuf,
    folder: PathBuf,
}

impl Home {
    pub fn make(program: &Path, folder: &Path, name: &str) -> Result<Self> {
        let folder = folder.join(name);
        fs::create_dir_all(folder.join("project"))?;
        let home = Self { program: program.to_owned(), folder };
        // The first start makes a token and takes a port, and both stay.
        let port = free_port()?;
        fs::create_dir_all(home.data())?;
        fs::write(home.data().join("port"), port.to_string())?;
        let mut first = home.command();
        let mut first = first.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let since = Instant::now();
        while home.token().is_none() {
            ensure!(since.elapsed() < START_MAX && first.try_wait()?.is_none(), "jangdan makes no token");
            thread::sleep(LOOK);
        }
        Side { address: home.address()?, child: first }.end()?;
        Ok(home)
    }

    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Starts the server, and returns how long it took until this was answered.
    pub fn start(&self, path: &str) -> Result<(Side, Duration)> {
        Side::start(self.command(), self.address()?, path)
    }

    /// Begins a run. Where its tasks wait for something outside of the plan nobody works at them.
    pub fn begin(&self, side: &Side, phases: &[Value], tasks: &[Value]) -> Result<String> {
        let new = json!({
            "project": "bench", "person": "ana",
            "work": {"title": "A plan", "phases": phases, "tasks": tasks},
            "settings": {"slots": 4, "gateApproval": "automatic"},
            "team": [{"name": "dev", "role": "worker"}],
            "environment": {"project": self.folder.join("project"), "isolation": {"type": "inPlace"},
                       "agents": {"dev": "shell"}},
        });
        let mut line = Line::open(&side.address)?;
        let answer = line.ask(&side.address.request("POST", "/api/runs", &new.to_string()))?;
        let answer: Value = serde_json::from_slice(&answer)?;
        answer.get("run").and_then(Value::as_str).map(str::to_owned).context("the answer has no run")
    }

    /// Returns the link that opens the page.
    pub fn link(&self) -> Result<String> {
        Ok(format!("http://127.0.0.1:{}/?token={}", self.address()?.port, self.token().context("a token")?))
    }

    fn address(&self) -> Result<Address> {
        let port = fs::read_to_string(self.data().join("port"))?.trim().parse()?;
        let token = self.token().context("a token")?;
        Ok(Address { port, headers: format!("authorization: Bearer {token}\r\n") })
    }

    fn token(&self) -> Option<String> {
        fs::read_to_string(self.data().join("token")).ok().filter(|token| !token.is_empty())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("serve").env("JANGDAN_DATA", self.data()).env("HOME", &self.folder);
        command.current_dir(self.folder.join("project"));
        command
    }
}

/// Returns a phase that has all tasks.
pub fn only_phase() -> Value {
    json!({"number": 1, "name": "All", "after": []})
}

/// Returns a task that waits for something outside of the plan.
pub fn waiting_task(number: usize, phase: usize) -> Value {
    json!({
        "id": format!("T{number}"), "phase": phase, "dependsOn": [], "title": format!("Task {number} of the plan"),
        "text": "What is to be done, in a few words of which a task usually has some more.",
        "external": ["go"],
    })
}
