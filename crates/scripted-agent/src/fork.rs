//! Processes beside the player, of the four kinds that an agent leaves behind.
//!
//! Nothing is forked by hand: the player starts itself again with a mark in the environment that says which steps are
//! to be played. A session of its own is made by the new process itself.

use std::{
    env, io,
    process::{Command, Stdio},
};

use std::os::unix::process::CommandExt;

use rustix::process::setsid;
use toml::Spanned;

use crate::{
    play::Invocation,
    script::{Fork, Kind, Script, Step, Steps},
};

/// Says which `fork` step a process plays, and whether it has yet to let go of its parent.
const MARK: &str = "JANGDAN_PLAY_FORK";

/// Starts a process for a `fork` step.
pub fn start(script: &Script, fork: &Fork, invocation: &Invocation) -> io::Result<()> {
    let number = forks(script).position(|found| std::ptr::eq(found, fork)).unwrap_or(usize::MAX);
    let stage = match fork.kind {
        Kind::SameGroup | Kind::OwnGroup => "child",
        Kind::OwnSession => "leader",
        Kind::Daemon => "middle",
    };
    let mut command = again(invocation, number, stage);
    if fork.kind == Kind::OwnGroup {
        command.process_group(0);
    }
    if fork.detached {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let mut child = command.spawn()?;
    if fork.kind == Kind::Daemon {
        child.wait()?;
    }
    Ok(())
}

/// Which part this process has.
pub enum Part<'a> {
    /// It is the player that was asked for.
    Player,
    /// It plays the steps of a `fork`.
    Beside(&'a Fork),
    /// It only had to start another.
    Done,
}

/// Finds out which part this process has, and lets go of its parent where it must.
pub fn part<'a>(script: &'a Script, invocation: &Invocation) -> io::Result<Part<'a>> {
    let Ok(mark) = env::var(MARK) else { return Ok(Part::Player) };
    let (number, stage) = mark.split_once(' ').unwrap_or((&mark, "child"));
    let number: usize = number.parse().unwrap_or(usize::MAX);
    match stage {
        "leader" => {
            setsid()?;
        }
        "middle" => {
            setsid()?;
            again(invocation, number, "child").stdin(Stdio::null()).spawn()?;
            return Ok(Part::Done);
        }
        _ => {}
    }
    forks(script)
        .nth(number)
        .map(Part::Beside)
        .ok_or_else(|| io::Error::other("the script has changed since"))
}

fn again(invocation: &Invocation, number: usize, stage: &str) -> Command {
    let mut command = Command::new(&invocation.program);
    command.args(&invocation.arguments).env(MARK, format!("{number} {stage}")).stdin(Stdio::null());
    command
}

/// Returns all `fork` steps of a script, in the order of the text.
fn forks(script: &Script) -> impl Iterator<Item = &Fork> {
    let mut found = Vec::new();
    script.roots().for_each(|steps| gather(steps, &mut found));
    found.into_iter()
}

fn gather<'a>(steps: &'a Steps, found: &mut Vec<&'a Fork>) {
    for step in steps.iter().map(Spanned::get_ref) {
        match step {
            Step::Fork(fork) => {
                found.push(fork);
                gather(&fork.steps, found);
            }
            Step::Repeat(repeat) => gather(&repeat.steps, found),
            Step::Choose(cases) => cases.iter().for_each(|case| gather(&case.steps, found)),
            // No `_` over our own steps elsewhere; here only these three hold steps of their own.
            _ => {}
        }
    }
}
