//! Starts an agent in a home of its own and with a clean environment, and sees to it that it ends.

use std::{
    env, fs,
    io::{Read, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};

use super::agents::Agent;

/// An agent that takes longer than this hangs; the slowest needs 8 s at its first start.
const PATIENCE: Duration = Duration::from_secs(90);

/// An agent's place: its home, and the folder that it works in.
pub struct Place {
    home: PathBuf,
    /// The folder that it works in.
    pub work: PathBuf,
    programs: PathBuf,
}

/// What an agent wrote, and how it ended.
pub struct Run {
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub complaints: String,
    /// Its exit status; none where a signal ended it.
    pub status: Option<i32>,
}

impl Place {
    /// Makes a fresh place for an agent.
    pub fn new(agent: &Agent, cache: &Path, model: &str) -> Result<Self> {
        let place = Self {
            home: cache.join("homes").join(agent.name),
            work: cache.join("work").join(agent.name),
            programs: cache.join("node_modules/.bin"),
        };
        for folder in [&place.home, &place.work] {
            if folder.exists() {
                fs::remove_dir_all(folder).with_context(|| format!("clear {}", folder.display()))?;
            }
            fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        for (name, text) in agent.files {
            let path = place.home.join(name);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, text.replace("$MODEL", model))?;
        }
        Ok(place)
    }

    /// Returns the command that starts the agent, or another program of it, there.
    pub fn command(&self, program: &str, agent: &Agent, model: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(&self.work).env_clear();
        command.env("HOME", &self.home).env("LANG", "C.UTF-8").env("TERM", "xterm-256color");
        // Node must be found; nothing else of this machine's environment is.
        command.env("PATH", env::var_os("PATH").unwrap_or_default());
        for (name, value) in agent.environment {
            command.env(name, value.replace("$MODEL", model));
        }
        command
    }
}

/// Runs a command to its end with an input, and ends its whole group where that takes too long.
pub fn run(command: &mut Command, input: &str) -> Result<Run> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().with_context(|| format!("start {}", command.get_program().display()))?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw).context("a process without an id")?;
    let (output, complaints) = (reader(child.stdout.take()), reader(child.stderr.take()));
    if let Some(mut stdin) = child.stdin.take() {
        // An agent that reads nothing has closed it already.
        let _ = stdin.write_all(input.as_bytes());
    }
    let status = wait(&mut child)?;
    // Some leave helpers behind, which would hold the pipes open.
    let _ = kill_process_group(group, Signal::KILL);
    let text = |reader: thread::JoinHandle<String>| reader.join().unwrap_or_default();
    Ok(Run { output: text(output), complaints: text(complaints), status })
}

fn wait(child: &mut Child) -> Result<Option<i32>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            eprintln!("   it did not end within {} s", PATIENCE.as_secs());
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn reader(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before the stream broke is shown all the same.
        let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
