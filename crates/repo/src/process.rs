//! Runs a program with limits on time and output.
//!
//! A single poll loop serves all pipes. On timeout the whole process group is killed, because a leftover grandchild
//! could keep a pipe open forever.

use std::{
    io::{self, Read, Write},
    os::{fd::AsFd, unix::process::CommandExt},
    path::PathBuf,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, kill_process_group},
};

/// Only the end of standard error is kept.
const STDERR_BYTES_MAX: usize = 64 * 1024;

/// Time after which an obstacle is searched, then each time that it has doubled. Few calls of git take as long.
const OBSTACLE_AFTER: Duration = Duration::from_secs(2);

pub(crate) struct ProcessLimits<'a> {
    /// Time limit of the program.
    pub time_max: Duration,
    /// Limit for standard output.
    pub output_bytes_max: usize,
    /// Returns what the program would wait for forever. Called when it takes long.
    pub find_obstacle: &'a dyn Fn() -> Option<PathBuf>,
}

pub(crate) struct ProcessOutput {
    /// Exit status of the program.
    pub status: ExitStatus,
    /// Complete standard output.
    pub stdout: Vec<u8>,
    /// End of standard error.
    pub stderr: Vec<u8>,
}

/// The program did not run to completion.
pub(crate) enum ProcessError {
    /// It could not be started.
    Start(io::Error),
    /// Reading or writing a pipe failed.
    Pipe(io::Error),
    /// The time limit was exceeded.
    Timeout,
    /// The program waits for this file, which is not one.
    Obstacle(PathBuf),
    /// The output limit was exceeded.
    OutputLimit,
}

/// Runs a program to completion.
pub(crate) fn run(
    command: &mut Command,
    input: &[u8],
    limits: &ProcessLimits<'_>,
) -> Result<ProcessOutput, ProcessError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(ProcessError::Start)?;
    let exchanged = pump_pipes(&mut child, input, limits);
    if exchanged.is_err()
        && let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    {
        // It may already have exited, which is fine.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let status = child.wait().map_err(ProcessError::Pipe)?;
    let (output, stderr_tail) = exchanged?;
    Ok(ProcessOutput { status, stdout: output, stderr: stderr_tail })
}

/// Writes the input and reads both outputs until they are closed.
fn pump_pipes(
    child: &mut Child,
    input: &[u8],
    limits: &ProcessLimits<'_>,
) -> Result<(Vec<u8>, Vec<u8>), ProcessError> {
    let start = Instant::now();
    let deadline = start + limits.time_max;
    let mut look_after = OBSTACLE_AFTER;
    let (mut output, mut stderr_tail) = (Vec::new(), Vec::new());
    let mut stdin = child.stdin.take();
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let mut rest = input;
    if let Some(pipe) = &stdin {
        rustix::io::ioctl_fionbio(pipe, true).map_err(|error| ProcessError::Pipe(error.into()))?;
    }
    if rest.is_empty() {
        stdin = None;
    }
    while stdout.is_some() || stderr.is_some() {
        let now = Instant::now();
        if now >= deadline {
            return Err(ProcessError::Timeout);
        }
        if now >= start + look_after {
            look_after *= 2;
            if let Some(path) = (limits.find_obstacle)() {
                return Err(ProcessError::Obstacle(path));
            }
        }
        let left = deadline.min(start + look_after).saturating_duration_since(now);
        let ready = wait_for_pipes(
            [
                stdin.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::OUT)),
                stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
                stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            ],
            left,
        )?;
        if ready[0] {
            write_input(&mut stdin, &mut rest).map_err(ProcessError::Pipe)?;
        }
        if ready[1] {
            read_available(&mut stdout, &mut output).map_err(ProcessError::Pipe)?;
        }
        if ready[2] {
            read_available(&mut stderr, &mut stderr_tail).map_err(ProcessError::Pipe)?;
            let excess = stderr_tail.len().saturating_sub(STDERR_BYTES_MAX);
            stderr_tail.drain(..excess);
        }
        if output.len() > limits.output_bytes_max {
            return Err(ProcessError::OutputLimit);
        }
    }
    Ok((output, stderr_tail))
}

/// Waits until a pipe is ready; closed pipes are reported as not ready.
fn wait_for_pipes(pipes: [Option<PollFd<'_>>; 3], left: Duration) -> Result<[bool; 3], ProcessError> {
    let there = pipes.each_ref().map(Option::is_some);
    let mut fds: Vec<PollFd<'_>> = pipes.into_iter().flatten().collect();
    let timeout = Timespec {
        tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    };
    match poll(&mut fds, Some(&timeout)) {
        Ok(0) => return Ok([false; 3]),
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return Ok([false; 3]),
        Err(error) => return Err(ProcessError::Pipe(error.into())),
    }
    let mut answers = fds.iter().map(|fd| !fd.revents().is_empty());
    Ok(there.map(|is_there| is_there && answers.next().unwrap_or(false)))
}

/// Writes as much as the pipe accepts; closes it when all is written or the reader is gone.
fn write_input(stdin: &mut Option<ChildStdin>, rest: &mut &[u8]) -> io::Result<()> {
    let Some(pipe) = stdin else { return Ok(()) };
    match pipe.write(rest) {
        Ok(n) => *rest = rest.get(n..).unwrap_or_default(),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
        // The exit status explains why it stopped reading.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => *rest = &[],
        Err(error) => return Err(error),
    }
    if rest.is_empty() {
        *stdin = None;
    }
    Ok(())
}

/// Reads available bytes; drops the pipe at its end.
fn read_available<P: Read + AsFd>(pipe: &mut Option<P>, into: &mut Vec<u8>) -> io::Result<()> {
    let Some(open) = pipe else { return Ok(()) };
    let mut buffer = [0; 64 * 1024];
    match open.read(&mut buffer) {
        Ok(0) => *pipe = None,
        Ok(n) => into.extend_from_slice(buffer.get(..n).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}
