//! Starts the agent: its terminal or pipes, its group, its limits.
//!
//! The agent leads the foreground group of the holder's session before its program runs, so it never meets a terminal
//! that is not its own, and SIGTSTP works: its group has a parent, the holder, in the same session.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    io,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{Mode, OFlags},
    process::{Pid, Resource, Rlimit, getpid, setrlimit},
    pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{Winsize, tcsetpgrp, tcsetwinsize},
};

use crate::{
    SESSION_VARIABLE,
    cgroup::Cgroup,
    protocol::{Attachment, Launch, Stderr, WindowSize},
    spool::Stream,
    system::{self, Born, Spawn},
};

/// A living agent and the holder's ends of its wires.
pub(super) struct Agent {
    pub(super) pid: Pid,
    pub(super) input: Option<OwnedFd>,
    pub(super) outputs: Vec<(Stream, OwnedFd)>,
    /// The agent's end of the terminal. Kept open, so that a moment in which nobody has it open is not the end.
    pub(super) terminal: Option<OwnedFd>,
}

/// The ends that the agent gets: its standard input, output and error.
type Theirs = [OwnedFd; 3];

/// Starts the agent, in a cgroup if there is one.
pub(super) fn spawn(launch: &Launch, cgroup: Option<&Cgroup>, limit_each: bool) -> io::Result<Agent> {
    let (mut agent, theirs) = wire(launch.attachment)?;
    let has_terminal = agent.terminal.is_some();
    let (folder, members) = match cgroup {
        Some(cgroup) => (Some(cgroup.folder()?), Some(cgroup.members()?)),
        None => (None, None),
    };
    let memory_bytes_max = launch.limits.memory_bytes_max.filter(|_| limit_each);
    let oom_score = oom_score(launch.limits.oom_score);
    let mut environment: BTreeMap<&OsStr, &OsStr> =
        launch.environment.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())).collect();
    environment.insert(SESSION_VARIABLE.as_ref(), launch.session.as_ref());
    let program = Spawn {
        command: &launch.command,
        arguments: &launch.arguments,
        environment,
        directory: &launch.directory,
        standard: theirs,
    };
    agent.pid = system::spawn(&program, folder.as_ref().map(AsFd::as_fd), |born| {
        if let Some(members) = members.as_ref().filter(|_| born == Born::Elsewhere) {
            rustix::io::write(members, b"0")?;
        }
        if let Some(bytes_max) = memory_bytes_max {
            // Not the address space: programs reserve far more of it than they use.
            let limit = Rlimit { current: Some(bytes_max), maximum: Some(bytes_max) };
            setrlimit(Resource::Data, limit)?;
        }
        raise_oom_score(&oom_score);
        if has_terminal {
            tcsetpgrp(rustix::stdio::stdin(), getpid())?;
        }
        Ok(())
    })?;
    Ok(agent)
}

/// Makes the terminal or the pipes. The agent's process number is filled in when there is one.
fn wire(attachment: Attachment) -> io::Result<(Agent, Theirs)> {
    match attachment {
        Attachment::Terminal(size) => wire_terminal(size),
        Attachment::Pipes { stderr } => wire_pipes(stderr),
    }
}

fn wire_terminal(size: WindowSize) -> io::Result<(Agent, Theirs)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    unlockpt(&master)?;
    resize(&master, size)?;
    // Without NOCTTY: it becomes the controlling terminal of the session that the holder leads.
    let terminal = ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&master, true)?;
    let theirs = [terminal.try_clone()?, terminal.try_clone()?, terminal.try_clone()?];
    let input = Some(master.try_clone()?);
    let outputs = vec![(Stream::Terminal, master)];
    Ok((Agent { pid: getpid(), input, outputs, terminal: Some(terminal) }, theirs))
}

fn wire_pipes(stderr: Stderr) -> io::Result<(Agent, Theirs)> {
    let (their_input, input) = pipe()?;
    let (output, their_output) = pipe()?;
    rustix::io::ioctl_fionbio(&input, true)?;
    rustix::io::ioctl_fionbio(&output, true)?;
    let mut outputs = vec![(Stream::Output, output)];
    let their_error = match stderr {
        Stderr::Merged => their_output.try_clone()?,
        Stderr::Apart => {
            let (error, their_error) = pipe()?;
            rustix::io::ioctl_fionbio(&error, true)?;
            outputs.push((Stream::Error, error));
            their_error
        }
    };
    let theirs = [their_input, their_output, their_error];
    Ok((Agent { pid: getpid(), input: Some(input), outputs, terminal: None }, theirs))
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// Sets a terminal's size; the kernel tells the foreground group.
pub(super) fn resize(terminal: impl AsFd, size: WindowSize) -> io::Result<()> {
    let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    Ok(tcsetwinsize(terminal, size)?)
}

/// Returns the score to write: never less than the holder's own, which may not be lowered.
fn oom_score(wanted: u16) -> String {
    let own = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap_or_default();
    let own: i32 = own.trim().parse().unwrap_or(0);
    own.max(i32::from(wanted).min(1000)).to_string()
}

/// An agent that can't be marked is still an agent.
fn raise_oom_score(score: &str) {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    if let Ok(file) = rustix::fs::open(c"/proc/self/oom_score_adj", flags, Mode::empty()) {
        let _ = rustix::io::write(file, score.as_bytes());
    }
}
