//! A conversation with a running program in lines of JSON.

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

/// Time limit for each line.
const LINE_MAX: Duration = Duration::from_secs(30);

/// A conversation with a program that is killed when dropped.
pub(crate) struct JsonLinesDialogue {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Value>,
    /// All lines that were received so far.
    pub received: Vec<Value>,
}

impl JsonLinesDialogue {
    /// Starts a program and reads its output.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child =
            command.spawn().with_context(|| format!("start {}", command.get_program().display()))?;
        let input = child.stdin.take().context("the program has no input")?;
        let output = BufReader::new(child.stdout.take().context("the program has no output")?);
        let (sender, lines) = channel();
        thread::spawn(move || {
            let value = |line: String| serde_json::from_str::<Value>(&line).ok();
            output.lines().map_while(Result::ok).filter_map(value).try_for_each(|value| sender.send(value))
        });
        Ok(Self { child, input, lines, received: Vec::new() })
    }

    /// Sends one line.
    pub(crate) fn send(&mut self, value: &Value) -> Result<()> {
        self.input.write_all(format!("{value}\n").as_bytes()).context("send a line")
    }

    /// Waits for a line with this text at a JSON pointer, and returns it.
    pub(crate) fn wait_for_text(&mut self, pointer: &str, text: &str) -> Result<Value> {
        let matches = |value: &Value| value.pointer(pointer).and_then(Value::as_str) == Some(text);
        self.receive_matching(matches).with_context(|| format!("wait for {text:?} at {pointer}"))
    }

    /// Waits for the response to a request, and returns its result.
    pub(crate) fn wait_for_request_result(&mut self, id: u64) -> Result<Value> {
        let is_response =
            |value: &Value| value.get("id") == Some(&Value::from(id)) && value.get("method").is_none();
        let response =
            self.receive_matching(is_response).with_context(|| format!("wait for the response to {id}"))?;
        match response.get("result") {
            Some(result) => Ok(result.clone()),
            None => bail!("the response is an error: {response}"),
        }
    }

    fn receive_matching(&mut self, matches: impl Fn(&Value) -> bool) -> Result<Value> {
        let deadline = Instant::now() + LINE_MAX;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(value) = self.lines.recv_timeout(left) else {
                let last = self.received.iter().rev().take(3).map(Value::to_string).collect::<Vec<_>>();
                bail!("no such line within {LINE_MAX:?}; the last lines were {last:#?}");
            };
            self.received.push(value.clone());
            if matches(&value) {
                return Ok(value);
            }
        }
    }
}

impl Drop for JsonLinesDialogue {
    fn drop(&mut self) {
        // The whole group: some programs are wrappers around another one.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
