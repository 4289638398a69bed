//! `cargo xtask chaos`: plays the demo, and kills whoever works for it at random moments.
//!
//! However often the server, a holder or an agent is killed, the run ends as it would have: the same files on its branch,
//! every question answered once, nobody left behind.

mod disturb;
mod judge;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::shell::{self, step};
use disturb::{Luck, Place};

/// A run that has not ended by then never will.
const ROUND_MAX: Duration = Duration::from_secs(180);
/// How often it is looked whether the run has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);
const SPEED: &str = "40";

/// How often, and with which luck.
#[derive(Args)]
pub struct Options {
    /// How many runs are disturbed.
    #[arg(long, default_value_t = 10)]
    pub rounds: u64,
    /// The first round's luck: what a round that failed has said.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Leave the disk as it is.
    #[arg(long)]
    pub spare_disk: bool,
}

/// Plays all rounds; the first that goes wrong ends it, and its folder stays.
pub fn run(options: &Options) -> Result<()> {
    let jangdan = shell::programs(&["jangdan"])?.join("jangdan");
    let place = shell::target_directory()?.join("chaos");
    // The same for all rounds: its name stands in the files that the demo writes.
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    let disk = if options.spare_disk { None } else { SmallDisk::mount(&place) };
    if disk.is_none() && !options.spare_disk {
        eprintln!("   no small disk can be had here, so none is filled: that needs root");
    }
    let round =
        |seed| Round { jangdan: &jangdan, folder: place.join("round"), seed, is_small: disk.is_some() };
    let played = play_all(options, round);
    if played.is_err() {
        // What is to be looked at stays.
        std::mem::forget(disk);
    }
    played
}

fn play_all<'a>(options: &Options, round: impl Fn(u64) -> Round<'a>) -> Result<()> {
    let quiet = round(0);
    let expected = quiet.play(0)?;
    fs::remove_dir_all(&quiet.folder)?;
    for seed in (options.seed..).take(usize::try_from(options.rounds)?) {
        let round = round(seed);
        let hint = format!("play it again with `cargo xtask chaos --rounds 1 --seed {seed}`");
        step(&format!("round with seed {seed}"), &hint, || {
            let outcome = round.play(1 + (seed % 6) as usize)?;
            ensure!(
                outcome == expected,
                "it ended otherwise than undisturbed:\n{outcome:#?}\ninstead of\n{expected:#?}"
            );
            Ok(())
        })?;
        fs::remove_dir_all(&round.folder)?;
    }
    Ok(())
}

/// A disk in memory that is soon full, as long as it lives.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(place: &'a Path) -> Option<Self> {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=256m", "tmpfs"]).arg(place);
        command.stderr(Stdio::null()).status().ok()?.success().then_some(Self(place))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        // What is still in use goes when nobody uses it any more.
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
    /// Plays it to its end with so many disturbances, and returns what came of it.
    fn play(&self, n_disturbances: usize) -> Result<judge::Outcome> {
        fs::create_dir_all(&self.folder)?;
        let mut luck = Luck::new(self.seed);
        let deadline = Instant::now() + ROUND_MAX;
        let mut server = self.begin()?;
        for _ in 0..n_disturbances {
            let until = Instant::now() + Duration::from_millis(luck.below(2500));
            while Instant::now() < until && server.try_wait()?.is_none() {
                std::thread::sleep(LOOK_EVERY);
            }
            if server.try_wait()?.is_some_and(|status| status.success()) {
                break;
            }
            let place = Place { jangdan: self.jangdan, data: &self.data(), is_small: self.is_small };
            eprintln!("   {}", disturb::disturb(&mut luck, &mut server, &place)?);
            if server.try_wait()?.is_some() {
                server = self.resume()?;
            }
        }
        self.finish(server, deadline)?;
        judge::judge(self.jangdan, &self.folder)
    }

    /// Waits for the end; a server that was cut off is started again.
    fn finish(&self, mut server: Child, deadline: Instant) -> Result<()> {
        loop {
            match server.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) if status.code().is_some() => {
                    bail!("it ended with {status}; see {}", self.folder.join("said").display());
                }
                Some(_) => server = self.resume()?,
                None if Instant::now() >= deadline => {
                    server.kill()?;
                    server.wait()?;
                    bail!("it does not end; see {}", self.folder.display());
                }
                None => std::thread::sleep(LOOK_EVERY),
            }
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.join("demo/data")
    }

    fn begin(&self) -> Result<Child> {
        let demo = self.folder.join("demo");
        let mut command = Command::new(self.jangdan);
        command.args(["demo", "--auto", "--lang", "en", "--speed", SPEED, "--keep"]).arg(demo);
        let server = self.start(&mut command)?;
        // Before there is a run there is nothing to go on with.
        let deadline = Instant::now() + ROUND_MAX;
        while fs::read_dir(self.data().join("sessions")).map_or(0, Iterator::count) == 0 {
            ensure!(Instant::now() < deadline, "the demo does not begin");
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(server)
    }

    fn resume(&self) -> Result<Child> {
        let mut command = Command::new(self.jangdan);
        let run = judge::run_of(&self.data())?;
        command.args(["resume", &run, "--auto", "--data"]).arg(self.data());
        self.start(&mut command)
    }

    fn start(&self, command: &mut Command) -> Result<Child> {
        let said = fs::OpenOptions::new().create(true).append(true).open(self.folder.join("said"))?;
        command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said);
        command.current_dir(&self.folder).spawn().context("start jangdan")
    }
}
