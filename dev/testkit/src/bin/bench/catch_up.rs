//! The time from the end of a long output to the decision about the DONE behind it: what a server does after it was stopped
//! or replaced while an agent wrote.
//!
//! It is `jangdan run` itself, suspended while the agent writes, until the run has ended.

use std::{
    fmt::Write as _,
    fs, thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::tempdir_in;
use testkit::{
    bench::{Goal, Report},
    progress,
    random::Random,
};

use crate::{child::KillOnDropChild, run::program::Project};

/// Size of the file that the agent writes, and how often.
const FILE_BYTES: usize = 50_000_000;
const REPEATS: usize = 20;
/// Limit for each part, also if catching up is ten times slower than its goal.
const PART_MAX: Duration = Duration::from_secs(200);
/// Writes once the file `go` exists, and says when all is written.
const SCRIPT: &str = "read -r task; echo here > $STARTED; until [ -e $GO ]; do sleep 0.05; done; stty -opost
i=0; while [ $i -lt $REPEATS ]; do cat $OUTPUT; i=$((i + 1)); done
echo DONE:$JANGDAN_TASK:all is written; echo here > $WRITTEN";

/// Runs the bench.
pub(crate) fn run() -> Result<Report> {
    let program = std::env::current_exe()?;
    let beside = program.parent().context("find the directory of this program")?;
    let jangdan = beside.join("jangdan");
    ensure!(jangdan.exists(), "build the program first: cargo build --profile dist --package cli");
    let folder = tempdir_in(beside)?;
    let path = |name: &str| folder.path().join(name);
    fs::write(path("output"), output())?;
    let project = Project::create(folder.path(), "# A plan\n\n### T1: Write\n", SCRIPT)?;
    let mut command = project.command(&jangdan, false)?;
    command.args(["--set", "sandbox.mode=off", "--set", "agents.script.output_mib=4096"]);
    command.env("STARTED", path("started")).env("GO", path("go")).env("WRITTEN", path("written"));
    command.env("OUTPUT", path("output")).env("REPEATS", REPEATS.to_string());
    let mut measure = || -> Result<Duration> {
        let mut server = KillOnDropChild::spawn(&mut command)?;
        let pid = Pid::from_child(&server.child);
        wait_for(&path("started"))?;
        kill_process(pid, Signal::STOP)?;
        progress::begin("an agent writes 1 GB while the server is suspended");
        fs::write(path("go"), "")?;
        wait_for(&path("written"))?;
        progress::begin("the server catches up");
        let start = Instant::now();
        kill_process(pid, Signal::CONT)?;
        let status = server.wait(PART_MAX)?;
        ensure!(status.success(), "jangdan ended with {status}");
        Ok(start.elapsed())
    };
    let time = measure().with_context(|| project.end_sessions_and_read_errors())?;
    let megabytes = (FILE_BYTES * REPEATS) as f64 / 1e6;
    let mut report = Report::new("catch-up", 1);
    report.add_ratio(
        "MB/s from the end of 1 GB to the decided DONE",
        megabytes / time.as_secs_f64(),
        Goal::AtLeast(100.0),
    );
    Ok(report)
}

/// Returns lines as tools write them, some with colours and some with other scripts.
fn output() -> String {
    let mut random = Random::new(1);
    let mut text = String::with_capacity(FILE_BYTES + 200);
    while text.len() < FILE_BYTES {
        let number = random.below(1_000_000);
        // Writing to a string cannot fail.
        let _ = match number % 16 {
            0 => writeln!(text, "\x1b[32m   Compiling\x1b[0m part-{number} v0.{}.1", number % 97),
            1 => writeln!(text, "검증 {number}번 통과"),
            2 => {
                writeln!(text, "{{\"level\":\"info\",\"request\":{number},\"path\":\"/api/items/{number}\"}}")
            }
            _ => writeln!(
                text,
                "test module_{}::case_{number} ... ok, after {} ms of work",
                number % 131,
                number % 7919
            ),
        };
    }
    text
}

fn wait_for(path: &std::path::Path) -> Result<()> {
    let deadline = Instant::now() + PART_MAX;
    while !path.exists() {
        ensure!(Instant::now() < deadline, "{} is not written", path.display());
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
