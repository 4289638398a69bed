//! The browser: a script in Node that is told what to do, a line each.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// A browser that looks at a run.
pub struct Browser {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Browser {
    pub fn open(link: &str, run: &str) -> Result<Self> {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        ensure!(
            web.join("node_modules/playwright-core").exists(),
            "the page's packages are not installed: `cargo xtask bench web` does that"
        );
        let mut node = Command::new("node");
        node.arg("bench/measure.mjs").args([link, run]).current_dir(web);
        let mut child = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("start node")?;
        let said = BufReader::new(child.stdout.take().context("its output")?);
        Ok(Self { child, said })
    }

    /// Has something done, and returns what it says.
    pub fn ask(&mut self, command: &str) -> Result<Value> {
        let input = self.child.stdin.as_mut().context("its input")?;
        writeln!(input, "{command}")?;
        let mut line = String::new();
        self.said.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the browser ended at '{command}'"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Without more to do it closes the browser and ends.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
