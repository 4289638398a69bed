//! What a run is compared with: make and ninja on the same graph, and a bare server in Node.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use testkit::runs::Work;

const SERVER: &str = "require('http').createServer(() => {}).listen(0, '127.0.0.1', () => console.log('up'))";

pub struct Peers {
    folder: PathBuf,
    pub has_ninja: bool,
}

impl Peers {
    /// Writes the graph down in both languages.
    pub fn new(work: &Work, folder: &Path) -> Result<Self> {
        let n_tasks = work.durations.len();
        let before = |task: usize| {
            let edges = work.edges.iter().filter(move |(_, later)| *later == task);
            edges.map(|(earlier, _)| format!(" t{earlier}")).collect::<String>()
        };
        let names: String = (0..n_tasks).map(|task| format!(" t{task}")).collect();
        let mut makefile = format!("all:{names}\n.PHONY: all{names}\n");
        let mut ninja = "rule nothing\n  command = true\n".to_owned();
        for task in 0..n_tasks {
            write!(makefile, "t{task}:{}\n\t@true\n", before(task))?;
            writeln!(ninja, "build t{task}: nothing{}", before(task))?;
        }
        fs::write(folder.join("Makefile"), makefile)?;
        fs::write(folder.join("build.ninja"), ninja)?;
        let has = |program: &str| {
            let mut command = Command::new(program);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        ensure!(has("node"), "Node is not there, and a goal is measured by it: install Node 20.19 or later");
        Ok(Self { folder: folder.to_owned(), has_ninja: has("ninja") })
    }

    pub fn make(&self) -> Result<()> {
        self.build(Command::new("make").args(["-j4", "--silent", "all"]))
    }

    pub fn ninja(&self) -> Result<()> {
        // It writes down what it did, and a second time would do nothing.
        let _ = fs::remove_file(self.folder.join(".ninja_log"));
        self.build(Command::new("ninja").args(["-j4", "--quiet"]))
    }

    fn build(&self, command: &mut Command) -> Result<()> {
        let status = command.current_dir(&self.folder).stdout(Stdio::null()).status()?;
        ensure!(status.success(), "{command:?} ended with {status}");
        Ok(())
    }

    /// Returns how long a bare server takes until it listens.
    pub fn node(&self) -> Result<Duration> {
        let start = Instant::now();
        let mut node = Command::new("node").args(["-e", SERVER]).stdout(Stdio::piped()).spawn()?;
        let output = node.stdout.take().context("it has an output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let took = start.elapsed();
        node.kill()?;
        node.wait()?;
        ensure!(line == "up\n", "node said {line:?}");
        Ok(took)
    }
}
