//! The cost of a session: a holder against a bare read of a terminal, and against tmux.
//!
//! Times are compared in turns. Memory, idle sessions and the long output are measured once. Every process that is
//! started is ended by its id, also if a step fails; agents of a killed bench end by themselves.

mod holder_memory;
mod idle;
mod process;
mod session;
mod start;
mod throughput;
mod tmux;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sessions::Sessions;
use tempfile::{TempDir, tempdir_in};
use testkit::{
    bench::{Goal, Report},
    corpus::{self, Corpus},
    progress,
};

use tmux::Tmux;

/// Size of the output for measuring speed and memory.
const OUTPUT_BYTES: usize = 64 << 20;

/// Shared by all parts of the bench: a folder, the holder's program, the output of an agent.
struct Fixture {
    root: TempDir,
    program: PathBuf,
    sessions: Sessions,
    output: Corpus,
    output_file: PathBuf,
    has_tmux: bool,
}

impl Fixture {
    fn create() -> Result<Self> {
        // Beside this program: the temporary directory may be in memory, which would make spools faster.
        let own = std::env::current_exe()?;
        let root = tempdir_in(own.parent().context("find the directory of this program")?)?;
        let program = sessions::holder_program(root.path()).context("write the holder's program")?;
        let sessions = Sessions::open(root.path())?;
        let output = corpus::generate(OUTPUT_BYTES, 1);
        let output_file = root.path().join("output");
        std::fs::write(&output_file, &output.bytes)?;
        Ok(Self { root, program, sessions, output, output_file, has_tmux: Tmux::is_installed() })
    }

    fn root_path(&self) -> &Path {
        self.root.path()
    }

    /// Returns a script that writes the output between two other commands.
    fn shell_script_with_output(&self, first: &str, last: &str) -> String {
        format!("{first}cat '{}'; {last}", self.output_file.display())
    }
}

/// Runs the bench.
pub(crate) fn run() -> Result<Report> {
    progress::begin("64 MB of output are generated");
    let fixture = Fixture::create()?;
    if !fixture.has_tmux {
        eprintln!("warning: tmux is not installed, so the goals that compare with it are missed");
        eprintln!("hint: install tmux with the package manager of the system, e.g. `apt-get install tmux`");
    }
    let throughput = throughput::measure(&fixture)?;
    let starts = start::measure(&fixture)?;
    progress::begin("memory of a holder and of tmux after 64 MB of output");
    let memory = holder_memory::measure(&fixture)?;
    progress::begin("memory of a holder during 1 GB of output");
    let growth = holder_memory::measure_growth(&fixture)?;
    progress::begin("50 idle sessions");
    let idle = idle::measure(&fixture)?;

    let mut report = Report::new("agents", throughput.rounds);
    let speed = |name| throughput.times_longer("bare PTY read", name);
    report.add_ratio("holder/bare PTY read", speed("holder"), Goal::AtLeast(0.6));
    report.add_ratio("reader/bare PTY read", speed("reader"), Goal::AtLeast(2.0));
    // The usual start of a session, without a prepared holder, against a tmux whose server runs already.
    let start = starts.returned.times_longer("session", "tmux");
    report.add_ratio("session start/tmux new-session -d", start, Goal::AtMost(0.25));
    report.add_ratio("memory/tmux memory", memory.holder / memory.tmux, Goal::AtMost(0.2));
    report.add_ratio("memory KB", memory.holder, Goal::AtMost(512.0));
    report.add_ratio("memory KB, peak during 1 GB of output", growth.peak, Goal::AtMost(512.0));
    report.add_ratio("memory at 1 GB/at 100 MB", growth.ratio(), Goal::AtMost(1.05));
    report.add_ratio("50 idle sessions, switches", idle.switches, Goal::AtMost(0.0));
    report.add_ratio("50 idle sessions, CPU ticks", idle.ticks, Goal::AtMost(0.0));

    let megabytes = fixture.output.bytes.len() as f64 / 1e6;
    for name in ["bare PTY read", "holder", "reader"] {
        report.add_figure(&format!("{name} MB/s"), megabytes / throughput.median_seconds(name));
    }
    starts.add_figures(&mut report);
    report.add_figure("tmux memory KB", memory.tmux);
    report.add_figure("tmux memory KB, idle", memory.tmux_idle);
    report.add_figure("memory KB at 100 MB", growth.early);
    report.add_figure("memory KB at 1 GB", growth.late);
    report.add_figure("memory KB of each of 50 idle sessions", idle.private_kib);
    report.add_note("holder", sessions::HOLDER_TARGET);
    Ok(report)
}
