//! The browser: a script in Node that takes one command per line and replies with one line of JSON.

use std::{
    io::Write,
    path::Path,
    process::{ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::child::{KillOnDropChild, LineReader, WAIT_MAX};

/// Limit for one command; the slowest takes some seconds.
const COMMAND_MAX: Duration = Duration::from_secs(180);

/// A browser that shows a run.
pub(super) struct Browser {
    child: KillOnDropChild,
    replies: LineReader<ChildStdout>,
}

impl Browser {
    pub(super) fn open(link: &str, run: &str) -> Result<Self> {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        ensure!(
            web.join("node_modules/playwright-core").exists(),
            "the page's packages are not installed: `cargo xtask bench web` does that"
        );
        let mut node = Command::new("node");
        node.arg("bench/measure.mjs").args([link, run]).current_dir(web);
        let mut child = KillOnDropChild::spawn(node.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let replies = LineReader::new(child.child.stdout.take().context("node has no output")?);
        Ok(Self { child, replies })
    }

    /// Sends a command and returns its reply.
    pub(super) fn ask(&mut self, command: &str) -> Result<Value> {
        let input = self.child.child.stdin.as_mut().context("node has no input")?;
        writeln!(input, "{command}").with_context(|| format!("send '{command}' to the browser"))?;
        let reply = self.replies.next_line(COMMAND_MAX);
        let reply = reply.with_context(|| format!("the browser did not answer '{command}'"))?;
        serde_json::from_str(&reply).with_context(|| format!("the browser's answer to '{command}'"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // At the end of its input the script closes the browser and ends.
        drop(self.child.child.stdin.take());
        let _ = self.child.wait(WAIT_MAX);
    }
}
