//! The processes of the two servers: ours, and a plain one in Node. Both accept events over HTTP.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::connection::{Address, Connection, free_port};

const NODE_SERVER: &str = include_str!("node_server.mjs");
/// A server that only responds.
const BARE_SERVER: &str =
    "require('http').createServer((_, answer) => answer.end('here')).listen(+process.argv[1], '127.0.0.1')";
/// Time for a server to respond for the first time.
const START_MAX: Duration = Duration::from_secs(60);
/// Time for a server to end after SIGTERM, and how often that is checked. One that takes longer is killed.
const END_MAX: Duration = Duration::from_secs(30);
const END_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How often a starting server is polled.
const POLL_INTERVAL: Duration = Duration::from_micros(200);

/// A running server. Killed when dropped.
pub(crate) struct ServerProcess {
    pub address: Address,
    child: Child,
}

impl ServerProcess {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn start(mut command: Command, address: Address, path: &str) -> Result<(Self, Duration)> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let request = address.request_bytes("GET", path, "");
        let since = Instant::now();
        let mut process =
            Self { child: command.spawn().with_context(|| format!("start {command:?}"))?, address };
        let mut connection = loop {
            match Connection::open(&process.address) {
                Ok(connection) => break connection,
                Err(error) => {
                    let status = process.child.try_wait()?;
                    ensure!(status.is_none(), "{command:?} ended with {status:?}");
                    ensure!(since.elapsed() < START_MAX, "{command:?} does not listen: {error}");
                    thread::sleep(POLL_INTERVAL);
                }
            }
        };
        connection.exchange(&request)?;
        Ok((process, since.elapsed()))
    }

    /// Ends the process with SIGTERM, so that it shuts down properly.
    pub(crate) fn end(mut self) -> Result<()> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        let deadline = Instant::now() + END_MAX;
        while self.child.try_wait()?.is_none() {
            ensure!(Instant::now() < deadline, "process {} does not end", self.pid());
            thread::sleep(END_POLL_INTERVAL);
        }
        Ok(())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Fails if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the plain event server in Node.
pub(crate) fn start_node(folder: &Path) -> Result<ServerProcess> {
    let script = folder.join("node_server.mjs");
    fs::write(&script, NODE_SERVER)?;
    let address = Address { port: free_port()?, headers: String::new() };
    let mut node = Command::new("node");
    node.arg(script).arg(address.port.to_string());
    Ok(ServerProcess::start(node, address, "/")?.0)
}

/// Starts a bare server in Node; returns the time to its first response.
pub(crate) fn time_bare_node() -> Result<Duration> {
    let address = Address { port: free_port()?, headers: String::new() };
    let mut node = Command::new("node");
    node.args(["-e", BARE_SERVER]).arg(address.port.to_string());
    Ok(ServerProcess::start(node, address, "/")?.1)
}

/// Program and folders of our server.
pub(crate) struct ServerSetup {
    program: PathBuf,
    folder: PathBuf,
}

impl ServerSetup {
    pub(crate) fn create(program: &Path, folder: &Path, name: &str) -> Result<Self> {
        let folder = folder.join(name);
        fs::create_dir_all(folder.join("project"))?;
        let setup = Self { program: program.to_owned(), folder };
        // The first start creates the token.
        let port = free_port()?;
        fs::create_dir_all(setup.data_directory())?;
        fs::write(setup.data_directory().join("port"), port.to_string())?;
        let mut first = setup.command();
        let first = first.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let address = Address { port, headers: String::new() };
        let mut first = ServerProcess { address, child: first };
        let since = Instant::now();
        while setup.token().is_none() {
            ensure!(
                since.elapsed() < START_MAX && first.child.try_wait()?.is_none(),
                "jangdan did not create a token"
            );
            thread::sleep(POLL_INTERVAL);
        }
        first.end()?;
        Ok(setup)
    }

    pub(crate) fn data_directory(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Starts the server; returns the time to the response for this path.
    pub(crate) fn start(&self, path: &str) -> Result<(ServerProcess, Duration)> {
        ServerProcess::start(self.command(), self.address()?, path)
    }

    /// Starts a run. No agent works on tasks with an external dependency.
    pub(crate) fn start_run(
        &self,
        process: &ServerProcess,
        phases: &[Value],
        tasks: &[Value],
    ) -> Result<String> {
        let new = json!({
            "project": "bench", "person": "ana",
            "work": {"title": "A plan", "phases": phases, "tasks": tasks},
            "settings": {"slots": 4, "gateApproval": "automatic"},
            "team": [{"name": "dev", "role": "worker"}],
            "environment": {"project": self.folder.join("project"), "isolation": {"type": "inPlace"},
                       "agents": {"dev": "shell"}},
        });
        let mut connection = Connection::open(&process.address)?;
        let response =
            connection.exchange(&process.address.request_bytes("POST", "/api/runs", &new.to_string()))?;
        let response: Value = serde_json::from_slice(&response)?;
        response.get("run").and_then(Value::as_str).map(str::to_owned).context("the response has no run")
    }

    /// Returns a link that opens the page of a running server once.
    pub(crate) fn page_url(&self) -> Result<String> {
        let address = self.address()?;
        let request = address.request_bytes("POST", "/api/links", "{}");
        let response: Value = serde_json::from_slice(&Connection::open(&address)?.exchange(&request)?)?;
        response.get("link").and_then(Value::as_str).map(str::to_owned).context("the response has no link")
    }

    fn address(&self) -> Result<Address> {
        let port = fs::read_to_string(self.data_directory().join("port"))?.trim().parse()?;
        let token = self.token().context("a token")?;
        Ok(Address { port, headers: format!("authorization: Bearer {token}\r\n") })
    }

    fn token(&self) -> Option<String> {
        fs::read_to_string(self.data_directory().join("token")).ok().filter(|token| !token.is_empty())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("serve").env("JANGDAN_DATA", self.data_directory()).env("HOME", &self.folder);
        command.current_dir(self.folder.join("project"));
        command
    }
}

/// Returns the phase of all tasks.
pub(crate) fn only_phase() -> Value {
    json!({"number": 1, "name": "All", "after": []})
}

/// Returns a task with an external dependency.
pub(crate) fn waiting_task(number: usize, phase: usize) -> Value {
    json!({
        "id": format!("T{number}"), "phase": phase, "dependsOn": [], "title": format!("Task {number} of the plan"),
        "text": "Describes the work in a few words; a real task usually has more of them.",
        "external": ["go"],
    })
}
