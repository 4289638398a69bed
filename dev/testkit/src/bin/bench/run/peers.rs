//! The peers of a run: make and ninja on the same graph, and a bare server in Node.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use testkit::workloads::Workload;

use crate::child::{self, KillOnDropChild, LineReader, WAIT_MAX};

/// Limit for a build of the whole graph, which takes a few seconds.
const BUILD_MAX: Duration = Duration::from_secs(300);
const SERVER: &str = "require('http').createServer(() => {}).listen(0, '127.0.0.1', () => console.log('up'))";

pub(super) struct PeerBuilds {
    folder: PathBuf,
    pub has_ninja: bool,
}

impl PeerBuilds {
    /// Writes the graph as a Makefile and as a build file of ninja.
    pub(super) fn new(work: &Workload, folder: &Path) -> Result<Self> {
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
        let is_installed = |program| child::is_installed(program, "--version");
        for (program, name) in [("node", "Node 20.19 or later"), ("make", "GNU make")] {
            ensure!(
                is_installed(program),
                "{program} is not installed, and a goal is measured by it: install {name}"
            );
        }
        Ok(Self { folder: folder.to_owned(), has_ninja: is_installed("ninja") })
    }

    pub(super) fn run_make(&self) -> Result<()> {
        self.run_build_tool(Command::new("make").args(["-j4", "--silent", "all"]))
    }

    pub(super) fn run_ninja(&self) -> Result<()> {
        // With its log, ninja would do nothing the second time.
        let _ = fs::remove_file(self.folder.join(".ninja_log"));
        self.run_build_tool(Command::new("ninja").args(["-j4", "--quiet"]))
    }

    fn run_build_tool(&self, command: &mut Command) -> Result<()> {
        child::run(command.current_dir(&self.folder).stdout(Stdio::null()), BUILD_MAX)
    }

    /// Returns the time until a bare server listens.
    pub(super) fn time_node_start(&self) -> Result<Duration> {
        let start = Instant::now();
        let mut node = Command::new("node");
        let mut node = KillOnDropChild::spawn(node.args(["-e", SERVER]).stdout(Stdio::piped()))?;
        let output = node.child.stdout.take().context("node has no output")?;
        let line = LineReader::new(output).next_line(WAIT_MAX).context("start a server in node")?;
        let took = start.elapsed();
        ensure!(line == "up", "node printed {line:?}");
        Ok(took)
    }
}
