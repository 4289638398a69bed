//! Starts the agent: terminal or pipes, process group, limits.
//!
//! The agent leads the foreground group of the holder's session before its program runs, so it never sees a foreign
//! terminal. SIGTSTP works because the parent of its group, the holder, is in the same session.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{Mode, OFlags},
    process::{Pid, Resource, Rlimit, getpid, ioctl_tiocsctty, setrlimit},
    pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{Winsize, tcsetpgrp, tcsetwinsize},
};

use super::{program_lookup, requests::io_refusal};
use crate::{
    SESSION_VARIABLE,
    cgroup::Cgroup,
    protocol::{LaunchSpec, Refusal, StderrMode, StdioAttachment, WindowSize},
    spool::OutputSource,
    system::{self, SpawnOptions},
};

/// A running agent and the holder's ends of its input and terminal.
pub(super) struct Agent {
    pub(super) pid: Pid,
    pub(super) input: Option<OwnedFd>,
    /// The agent's end of the terminal. Kept open, so that the terminal does not close while no process has it open.
    pub(super) terminal: Option<OwnedFd>,
}

/// Both ends of an agent's terminal or pipes, before it is started.
pub(super) struct AgentStreams {
    pub(super) input: OwnedFd,
    pub(super) outputs: Vec<(OutputSource, OwnedFd)>,
    agent_ends: AgentStreamEnds,
}

/// The ends that the agent gets.
enum AgentStreamEnds {
    Terminal(OwnedFd),
    /// Standard input, output and error.
    Pipes([OwnedFd; 3]),
}

/// An agent that is ready to start: its program, folder and streams exist.
pub(super) struct PreparedAgent {
    path: OsString,
    folder: OwnedFd,
    streams: AgentStreams,
}

impl PreparedAgent {
    /// Finds and creates what the launch requires, likeliest failures first.
    pub(super) fn new(launch: &LaunchSpec) -> Result<Self, Refusal> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(&launch.directory, flags, Mode::empty());
        let folder = folder.map_err(|error| io_refusal("enter the agent's folder")(error.into()))?;
        let path = program_lookup::find(&launch.command, &launch.environment, folder.as_fd());
        let path = path.map_err(io_refusal("start the agent"))?;
        let streams = AgentStreams::new(launch.attachment).map_err(io_refusal("connect the agent"))?;
        Ok(Self { path, folder, streams })
    }

    /// Starts the agent in the holder's session, in a cgroup if there is one.
    pub(super) fn spawn(
        &self,
        launch: &LaunchSpec,
        cgroup: Option<&Cgroup>,
        limit_each: bool,
    ) -> io::Result<Pid> {
        if let AgentStreamEnds::Terminal(terminal) = &self.streams.agent_ends {
            ioctl_tiocsctty(terminal)?;
        }
        let cgroup = cgroup.map(Cgroup::open_folder).transpose()?;
        let memory_bytes_max = launch.limits.memory_bytes_max.filter(|_| limit_each);
        let oom_score = oom_score_for_agent(launch.limits.oom_score);
        let mut environment: BTreeMap<&OsStr, &OsStr> =
            launch.environment.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())).collect();
        environment.insert(SESSION_VARIABLE.as_ref(), launch.session.as_ref());
        let (standard, has_terminal) = match &self.streams.agent_ends {
            AgentStreamEnds::Terminal(terminal) => ([terminal, terminal, terminal].map(AsFd::as_fd), true),
            AgentStreamEnds::Pipes(pipes) => (pipes.each_ref().map(AsFd::as_fd), false),
        };
        let program = SpawnOptions {
            path: &self.path,
            command: &launch.command,
            arguments: &launch.arguments,
            environment,
            folder: self.folder.as_fd(),
            standard,
            cgroup: cgroup.as_ref().map(AsFd::as_fd),
        };
        system::spawn(&program, || {
            if let Some(bytes_max) = memory_bytes_max {
                // Not the address space: programs reserve far more than they use.
                let limit = Rlimit { current: Some(bytes_max), maximum: Some(bytes_max) };
                setrlimit(Resource::Data, limit)?;
            }
            raise_oom_score(&oom_score);
            if has_terminal {
                tcsetpgrp(rustix::stdio::stdin(), getpid())?;
            }
            Ok(())
        })
    }

    /// Returns the holder's ends, after the agent got its own.
    pub(super) fn into_agent(self, pid: Pid) -> (Agent, Vec<(OutputSource, OwnedFd)>) {
        let AgentStreams { input, outputs, agent_ends } = self.streams;
        let terminal =
            if let AgentStreamEnds::Terminal(terminal) = agent_ends { Some(terminal) } else { None };
        (Agent { pid, input: Some(input), terminal }, outputs)
    }
}

impl AgentStreams {
    fn new(attachment: StdioAttachment) -> io::Result<Self> {
        match attachment {
            StdioAttachment::Terminal(size) => Self::terminal(size),
            StdioAttachment::Pipes { stderr } => Self::pipes(stderr),
        }
    }

    fn terminal(size: WindowSize) -> io::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags)?;
        unlockpt(&master)?;
        resize_terminal(&master, size)?;
        let terminal = ioctl_tiocgptpeer(&master, flags)?;
        rustix::io::ioctl_fionbio(&master, true)?;
        let input = master.try_clone()?;
        Ok(Self {
            input,
            outputs: vec![(OutputSource::Terminal, master)],
            agent_ends: AgentStreamEnds::Terminal(terminal),
        })
    }

    fn pipes(stderr: StderrMode) -> io::Result<Self> {
        let (their_input, input) = pipe()?;
        let (output, their_output) = pipe()?;
        rustix::io::ioctl_fionbio(&input, true)?;
        rustix::io::ioctl_fionbio(&output, true)?;
        let mut outputs = vec![(OutputSource::Output, output)];
        let their_error = match stderr {
            StderrMode::Merged => their_output.try_clone()?,
            StderrMode::Apart => {
                let (error, their_error) = pipe()?;
                rustix::io::ioctl_fionbio(&error, true)?;
                outputs.push((OutputSource::Error, error));
                their_error
            }
        };
        Ok(Self {
            input,
            outputs,
            agent_ends: AgentStreamEnds::Pipes([their_input, their_output, their_error]),
        })
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// Sets the size of a terminal; the kernel notifies the foreground group.
pub(super) fn resize_terminal(terminal: impl AsFd, size: WindowSize) -> io::Result<()> {
    let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    Ok(tcsetwinsize(terminal, size)?)
}

/// Returns the score to write: at least the holder's own, which cannot be lowered.
fn oom_score_for_agent(wanted: u16) -> String {
    let own = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap_or_default();
    let own: i32 = own.trim().parse().unwrap_or(0);
    own.max(i32::from(wanted).min(1000)).to_string()
}

/// Best effort: the agent also works without the score.
fn raise_oom_score(score: &str) {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    if let Ok(file) = rustix::fs::open(c"/proc/self/oom_score_adj", flags, Mode::empty()) {
        // See above.
        let _ = rustix::io::write(file, score.as_bytes());
    }
}
