//! `cargo xtask chaos`: runs the demo and kills its processes at random moments.
//!
//! However often the server, a holder or an agent is killed, the run ends with the same result: the same files on its
//! branch, every question answered once, no process left behind.

mod disturb;
mod outcome;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::{
    left_processes,
    shell::{self, step},
};
use disturb::{DisturbedRun, RandomSource};

/// Time limit for a run.
const ROUND_MAX: Duration = Duration::from_secs(180);
/// Interval at which the state of the run is checked.
const CHECK_EVERY: Duration = Duration::from_millis(20);
const SPEED: &str = "40";

/// Number of rounds and the first seed.
#[derive(Args)]
pub(crate) struct Options {
    /// Number of runs that are disturbed.
    #[arg(long, default_value_t = 10)]
    pub rounds: u64,
    /// Seed of the first round: the one that a failed round printed.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Do not fill the disk.
    #[arg(long)]
    pub spare_disk: bool,
}

/// Runs all rounds; the first failure ends it, and its folder stays.
pub(crate) fn run(options: &Options) -> Result<()> {
    let jangdan = shell::build_programs(&["jangdan"])?.join("jangdan");
    let folder = shell::target_directory()?.join("chaos");
    // The same for all rounds: its name is in the files that the demo writes.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let disk = if options.spare_disk { None } else { SmallDisk::mount(&folder) };
    if disk.is_none() && !options.spare_disk {
        eprintln!("   mounting a small disk needs root, so the disk is not filled");
    }
    let round =
        |seed| Round { jangdan: &jangdan, folder: folder.join("round"), seed, is_small: disk.is_some() };
    let outcome = run_all(options, round);
    if outcome.is_err() {
        // The files of the failed round stay for inspection.
        std::mem::forget(disk);
    }
    outcome?;
    left_processes::ensure_none_left()
}

fn run_all<'a>(options: &Options, round: impl Fn(u64) -> Round<'a>) -> Result<()> {
    let quiet = round(0);
    let expected = quiet.run(0)?;
    fs::remove_dir_all(&quiet.folder)?;
    for seed in (options.seed..).take(usize::try_from(options.rounds)?) {
        let round = round(seed);
        let hint = format!("repeat it with `cargo xtask chaos --rounds 1 --seed {seed}`");
        step(&format!("round with seed {seed}"), &hint, || {
            let outcome = round.run(1 + (seed % 6) as usize)?;
            ensure!(
                outcome == expected,
                "the result differs from that of an undisturbed run:\n{outcome:#?}\ninstead of\n{expected:#?}"
            );
            Ok(())
        })?;
        fs::remove_dir_all(&round.folder)?;
    }
    Ok(())
}

/// A small disk in memory, unmounted when dropped.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(folder: &'a Path) -> Option<Self> {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=256m", "tmpfs"]).arg(folder);
        command.stderr(Stdio::null()).status().ok()?.success().then_some(Self(folder))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        // Lazy: the kernel removes it once no process uses it.
        drop(Command::new("umount").arg("--lazy").arg(self.0).status());
    }
}

/// One run of the demo.
struct Round<'a> {
    jangdan: &'a Path,
    folder: PathBuf,
    seed: u64,
    is_small: bool,
}

impl Round<'_> {
    /// Runs it to its end with this number of disturbances, and returns the result.
    fn run(&self, n_disturbances: usize) -> Result<outcome::Outcome> {
        fs::create_dir_all(&self.folder)?;
        let mut random = RandomSource::new(self.seed);
        let deadline = Instant::now() + ROUND_MAX;
        let mut server = self.start_demo()?;
        for _ in 0..n_disturbances {
            let until = Instant::now() + Duration::from_millis(random.below(2500));
            while Instant::now() < until && server.try_wait()?.is_none() {
                std::thread::sleep(CHECK_EVERY);
            }
            if server.try_wait()?.is_some_and(|status| status.success()) {
                break;
            }
            let run =
                DisturbedRun { jangdan: self.jangdan, data: &self.data_directory(), is_small: self.is_small };
            eprintln!("   {}", disturb::disturb(&mut random, &mut server, &run)?);
            if server.try_wait()?.is_some() {
                server = self.resume()?;
            }
        }
        self.wait_for_end(server, deadline)?;
        outcome::check(self.jangdan, &self.folder)
    }

    /// Waits for the end; a server that was killed is started again.
    fn wait_for_end(&self, mut server: Child, deadline: Instant) -> Result<()> {
        loop {
            match server.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) if status.code().is_some() => {
                    bail!("jangdan ended with {status}; see {}", self.folder.join("output").display());
                }
                Some(_) => server = self.resume()?,
                None if Instant::now() >= deadline => {
                    server.kill()?;
                    server.wait()?;
                    bail!("the run did not end within {ROUND_MAX:?}; see {}", self.folder.display());
                }
                None => std::thread::sleep(CHECK_EVERY),
            }
        }
    }

    fn data_directory(&self) -> PathBuf {
        self.folder.join("demo/data")
    }

    fn start_demo(&self) -> Result<Child> {
        let demo = self.folder.join("demo");
        let mut command = Command::new(self.jangdan);
        command.args(["demo", "--auto", "--lang", "en", "--speed", SPEED, "--keep"]).arg(demo);
        let server = self.spawn_jangdan(&mut command)?;
        // A run can be resumed only after it has started.
        let deadline = Instant::now() + ROUND_MAX;
        while fs::read_dir(self.data_directory().join("sessions")).map_or(0, Iterator::count) == 0 {
            ensure!(Instant::now() < deadline, "the demo did not start within {ROUND_MAX:?}");
            std::thread::sleep(CHECK_EVERY);
        }
        Ok(server)
    }

    fn resume(&self) -> Result<Child> {
        let mut command = Command::new(self.jangdan);
        let run = outcome::only_run_id(&self.data_directory())?;
        command.args(["resume", &run, "--auto", "--data"]).arg(self.data_directory());
        self.spawn_jangdan(&mut command)
    }

    fn spawn_jangdan(&self, command: &mut Command) -> Result<Child> {
        let output = fs::OpenOptions::new().create(true).append(true).open(self.folder.join("output"))?;
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        left_processes::mark(command).current_dir(&self.folder).spawn().context("start jangdan")
    }
}
