//! Processes started by `fork` steps, of the four kinds that agents leave behind.
//!
//! Nothing is forked directly: the agent starts its own program again, and an environment variable tells the new
//! process which steps to run. The new process calls `setsid` itself.

use std::{
    env, io,
    process::{Command, Stdio},
};

use std::os::unix::process::CommandExt;

use rustix::process::setsid;
use toml::Spanned;

use crate::{
    run_script::AgentInvocation,
    script::{ForkStep, ProcessKind, Script, Step, Steps},
};

/// Number of the `fork` step to run, and the stage of detaching from the parent.
const ROLE_VARIABLE: &str = "JANGDAN_PLAY_FORK";

pub(crate) fn start_fork_process(
    script: &Script,
    fork: &ForkStep,
    invocation: &AgentInvocation,
) -> io::Result<()> {
    let number = list_fork_steps(script).position(|forks| std::ptr::eq(forks, fork)).unwrap_or(usize::MAX);
    let stage = match fork.kind {
        ProcessKind::SameGroup | ProcessKind::OwnGroup => "child",
        ProcessKind::OwnSession => "leader",
        ProcessKind::Daemon => "middle",
    };
    let mut command = respawn_command(invocation, number, stage);
    if fork.kind == ProcessKind::OwnGroup {
        command.process_group(0);
    }
    if fork.detached {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let mut child = command.spawn()?;
    if fork.kind == ProcessKind::Daemon {
        child.wait()?;
    }
    Ok(())
}

/// What this process has to do.
pub(crate) enum ProcessRole<'a> {
    /// Run the whole script.
    Agent,
    /// Run the steps of a `fork`.
    Forked(&'a ForkStep),
    /// Only start the daemon process, which is done.
    Intermediate,
}

/// Determines the role of this process, and detaches it from its parent if necessary.
pub(crate) fn process_role<'a>(
    script: &'a Script,
    invocation: &AgentInvocation,
) -> io::Result<ProcessRole<'a>> {
    let Ok(role) = env::var(ROLE_VARIABLE) else { return Ok(ProcessRole::Agent) };
    let (number, stage) = role.split_once(' ').unwrap_or((&role, "child"));
    let number: usize = number.parse().unwrap_or(usize::MAX);
    match stage {
        "leader" => {
            setsid()?;
        }
        "middle" => {
            setsid()?;
            respawn_command(invocation, number, "child").stdin(Stdio::null()).spawn()?;
            return Ok(ProcessRole::Intermediate);
        }
        _ => {}
    }
    list_fork_steps(script)
        .nth(number)
        .map(ProcessRole::Forked)
        .ok_or_else(|| io::Error::other("the script was changed after the agent started"))
}

fn respawn_command(invocation: &AgentInvocation, number: usize, stage: &str) -> Command {
    let mut command = Command::new(&invocation.program);
    command.args(&invocation.arguments).env(ROLE_VARIABLE, format!("{number} {stage}")).stdin(Stdio::null());
    command
}

/// Returns all `fork` steps of a script, in file order.
fn list_fork_steps(script: &Script) -> impl Iterator<Item = &ForkStep> {
    let mut forks = Vec::new();
    script.top_level_steps().for_each(|steps| collect_fork_steps(steps, &mut forks));
    forks.into_iter()
}

fn collect_fork_steps<'a>(steps: &'a Steps, forks: &mut Vec<&'a ForkStep>) {
    for step in steps.iter().map(Spanned::get_ref) {
        match step {
            Step::Fork(fork) => {
                forks.push(fork);
                collect_fork_steps(&fork.steps, forks);
            }
            Step::Repeat(repeat) => collect_fork_steps(&repeat.steps, forks),
            Step::Choose(cases) => cases.iter().for_each(|case| collect_fork_steps(&case.steps, forks)),
            // Only these three steps contain other steps.
            Step::Say(_)
            | Step::Bytes(_)
            | Step::Raw(_)
            | Step::Think(_)
            | Step::Ask(_)
            | Step::Question(_)
            | Step::Wait(_)
            | Step::Tool(_)
            | Step::Plan(_)
            | Step::Usage(_)
            | Step::Limits(_)
            | Step::EndTurn(_)
            | Step::Fail(_)
            | Step::Sleep(_)
            | Step::Exit(_)
            | Step::Signal(_)
            | Step::Hang(_)
            | Step::Flood(_)
            | Step::Ignore(_)
            | Step::Noise(_)
            | Step::Spinner(_)
            | Step::Terminal(_)
            | Step::Write(_)
            | Step::Play(_) => {}
        }
    }
}
