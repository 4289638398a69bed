//! A conversation with a living program that speaks JSON, a line each way.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

/// What does not come within this time does not come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A conversation; what it is held with ends with it.
pub struct Dialogue {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Value>,
    /// All that was heard so far.
    pub heard: Vec<Value>,
}

impl Dialogue {
    /// Starts a program and listens to it.
    pub fn start(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child =
            command.spawn().with_context(|| format!("start {}", command.get_program().display()))?;
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let (sender, lines) = channel();
        thread::spawn(move || {
            let value = |line: String| serde_json::from_str::<Value>(&line).ok();
            output.lines().map_while(Result::ok).filter_map(value).try_for_each(|value| sender.send(value))
        });
        Ok(Self { child, input, lines, heard: Vec::new() })
    }

    /// Says a line.
    pub fn say(&mut self, value: &Value) -> Result<()> {
        self.input.write_all(format!("{value}\n").as_bytes()).context("say something")
    }

    /// Listens until a line has this text at this place, and returns it.
    pub fn until(&mut self, pointer: &str, text: &str) -> Result<Value> {
        let place = |value: &Value| value.pointer(pointer).and_then(Value::as_str) == Some(text);
        self.listen(place).with_context(|| format!("wait for {text:?} at {pointer}"))
    }

    /// Listens until a request is answered, and returns its result.
    pub fn response(&mut self, id: u64) -> Result<Value> {
        let answers =
            |value: &Value| value.get("id") == Some(&Value::from(id)) && value.get("method").is_none();
        let response = self.listen(answers).with_context(|| format!("wait for the answer to {id}"))?;
        match response.get("result") {
            Some(result) => Ok(result.clone()),
            None => bail!("an error came: {response}"),
        }
    }

    fn listen(&mut self, is_it: impl Fn(&Value) -> bool) -> Result<Value> {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(value) = self.lines.recv_timeout(left) else {
                let last = self.heard.iter().rev().take(3).map(Value::to_string).collect::<Vec<_>>();
                bail!("it did not come; the last were {last:#?}");
            };
            self.heard.push(value.clone());
            if is_it(&value) {
                return Ok(value);
            }
        }
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        // The whole group: some of them are a wrapper around the program that does the work.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
