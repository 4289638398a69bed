//! What a session costs: a holder against a bare read of a terminal, and against tmux.
//!
//! Times are compared in turns. Memory, silence and the long flood are states, so they are looked at once. Whatever is
//! started is ended by its process number, also where a step fails; agents that are left by a killed bench end by
//! themselves.

mod flood;
mod footprint;
mod process;
mod session;
mod silence;
mod start;
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

/// How much flows through a terminal where speed and memory are measured.
const FLOOD_BYTES: usize = 64 << 20;

/// What all parts of the bench need: a place on disk, the holder's program, an agent's output and, it may be, tmux.
struct Ground {
    root: TempDir,
    program: PathBuf,
    sessions: Sessions,
    flood: Corpus,
    flood_file: PathBuf,
    has_tmux: bool,
}

impl Ground {
    fn make() -> Result<Self> {
        // Beside this program: a temporary directory may be in memory, and spools are not.
        let own = std::env::current_exe()?;
        let root = tempdir_in(own.parent().context("a program has a directory")?)?;
        let program = sessions::holder_program(root.path()).context("write the holder's program")?;
        let sessions = Sessions::open(root.path())?;
        let flood = corpus::generate(FLOOD_BYTES, 1);
        let flood_file = root.path().join("flood");
        std::fs::write(&flood_file, &flood.bytes)?;
        Ok(Self { root, program, sessions, flood, flood_file, has_tmux: Tmux::is_installed() })
    }

    fn path(&self) -> &Path {
        self.root.path()
    }

    /// Returns a script that writes the flood, and then does what follows.
    fn flood_script(&self, first: &str, then: &str) -> String {
        format!("{first}cat '{}'; {then}", self.flood_file.display())
    }
}

/// Runs the bench.
pub fn run() -> Result<Report> {
    progress::begin("64 MB of output are generated");
    let ground = Ground::make()?;
    if !ground.has_tmux {
        eprintln!("warning: tmux is not installed, so the goals that compare with it can't hold");
        eprintln!("hint: install tmux with the package manager of the system, e.g. `apt-get install tmux`");
    }
    let floods = flood::measure_all(&ground)?;
    let starts = start::measure_all(&ground)?;
    progress::begin("memory of a holder and of tmux after 64 MB of output");
    let footprint = footprint::measure_all(&ground)?;
    progress::begin("memory of a holder while 1 GB of output flows");
    let flatness = footprint::measure_long(&ground)?;
    progress::begin("50 silent sessions");
    let silence = silence::measure_all(&ground)?;

    let mut report = Report::new("agents", floods.rounds);
    let speed = |name| floods.times_longer("bare PTY read", name);
    report.ratio("holder/bare PTY read", speed("holder"), Goal::AtLeast(0.6));
    report.ratio("reader/bare PTY read", speed("reader"), Goal::AtLeast(2.0));
    // The real path of a session, with nothing kept ready, against a tmux whose server runs already.
    let start = starts.returned.times_longer("session", "tmux");
    report.ratio("session start/tmux new-session -d", start, Goal::AtMost(0.25));
    report.ratio("memory/tmux memory", footprint.holder / footprint.tmux, Goal::AtMost(0.2));
    report.ratio("memory KB", footprint.holder, Goal::AtMost(512.0));
    report.ratio("memory KB, most in a flood of 1 GB", flatness.most, Goal::AtMost(512.0));
    report.ratio("memory at 1 GB/at 100 MB", flatness.ratio(), Goal::AtMost(1.05));
    report.ratio("50 silent sessions, switches", silence.switches, Goal::AtMost(0.0));
    report.ratio("50 silent sessions, CPU ticks", silence.ticks, Goal::AtMost(0.0));

    let megabytes = ground.flood.bytes.len() as f64 / 1e6;
    for name in ["bare PTY read", "holder", "reader"] {
        report.figure(&format!("{name} MB/s"), megabytes / floods.seconds(name));
    }
    starts.add_figures(&mut report);
    report.figure("tmux memory KB", footprint.tmux);
    report.figure("tmux memory KB, silent", footprint.tmux_silent);
    report.figure("memory KB at 100 MB", flatness.early);
    report.figure("memory KB at 1 GB", flatness.late);
    report.figure("memory KB of each of 50 silent sessions", silence.private_kib);
    report.note("holder", sessions::HOLDER_TARGET);
    Ok(report)
}
