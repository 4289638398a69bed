//! Plays attacks on Jangdan: what an agent, a check or hostile files may try, with the built program, as root and as an
//! ordinary user.
//!
//! Every attack is one function, in a list per subject. It must fail where its guard is, and must succeed where the guard is
//! off: an attack that always fails proves nothing.

mod attack;
mod git_attacks;
mod sandbox_attacks;
mod server_attacks;
mod stage;

use std::{
    fs,
    path::PathBuf,
    process::ExitCode,
    thread::{self, ScopedJoinHandle},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use clap::Parser;

use attack::{Attack, Guard, Outcome};
use stage::{Confinement, Programs, Stage};

/// User id of the ordinary user, if the attacks are played by root.
const ORDINARY_USER: u32 = 65_534;

#[derive(Parser)]
struct Options {
    /// The program `jangdan`.
    #[arg(long)]
    jangdan: PathBuf,
    /// Only attacks whose names contain this.
    #[arg(long)]
    only: Option<String>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("jangdan-attack-").tempdir()?;
    let is_root = rustix::process::getuid().is_root();
    let users: &[Option<u32>] = if is_root { &[None, Some(ORDINARY_USER)] } else { &[None] };
    let programs = Programs::copy(&options.jangdan, folder.path())?;
    let lists = [sandbox_attacks::ATTACKS, git_attacks::ATTACKS, server_attacks::ATTACKS];
    let is_chosen = |attack: &&Attack| options.only.as_deref().is_none_or(|part| attack.name.contains(part));
    let attacks: Vec<&Attack> = lists.into_iter().flatten().filter(is_chosen).collect();
    ensure!(!attacks.is_empty(), "no attack has such a name");
    let mut failures = Vec::new();
    for attack in &attacks {
        let start = Instant::now();
        let outcomes = thread::scope(|scope| {
            let players = users.iter().map(|user| {
                let (programs, folder) = (&programs, folder.path());
                scope.spawn(move || play(attack, programs, folder, *user))
            });
            // All play at the same time.
            let players: Vec<_> = players.collect();
            players.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>()
        });
        for (user, outcome) in users.iter().zip(outcomes) {
            let name = if is_root && user.is_none() { "root" } else { "ordinary user" };
            let outcome = outcome.unwrap_or_else(|_| Err(anyhow::anyhow!("its player panicked")));
            if let Err(error) = outcome {
                failures.push(format!("{} ({name}): {error:#}", attack.name));
                eprintln!("   FAILED {} ({name}): {error:#}", attack.name);
            }
        }
        println!("   {:5.1} s  {}", start.elapsed().as_secs_f64(), attack.name);
    }
    fs::remove_dir_all(folder.path()).context("remove the files of the attacks")?;
    ensure!(
        failures.is_empty(),
        "{} attacks did not end as they must:\n{}",
        failures.len(),
        failures.join("\n")
    );
    println!("{} attacks: none succeeded where its guard is, each where it is off", attacks.len());
    Ok(())
}

/// Plays an attack with its guard, and without it.
fn play(attack: &Attack, programs: &Programs, folder: &std::path::Path, user: Option<u32>) -> Result<()> {
    let play_on = |confinement, play: fn(&Stage) -> Result<Outcome>| {
        let stage = Stage::create(programs, folder, user, confinement)?;
        let outcome = play(&stage);
        stage.end_processes()?;
        outcome
    };
    let refused = |confinement| {
        let outcome = play_on(confinement, attack.play)?;
        ensure!(outcome != Outcome::Succeeded, "it succeeded {confinement}");
        Ok(())
    };
    let control = |confinement, play| match play_on(confinement, play)? {
        Outcome::Succeeded => Ok(()),
        Outcome::Prevented => anyhow::bail!("it also fails without its guard, so it proves nothing"),
        Outcome::NotPossible => {
            eprintln!("   {} has no control here: this machine prevents it", attack.name);
            Ok(())
        }
    };
    refused(Confinement::Sandbox)?;
    match attack.guard {
        Guard::Sandbox => control(Confinement::Off, attack.play),
        Guard::Always { control: play } => {
            refused(Confinement::Off)?;
            play.map_or(Ok(()), |play| control(Confinement::Off, play))
        }
    }
}
