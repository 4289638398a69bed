//! Runs one program with a bound on its time and its output.
//!
//! One loop over its pipes, no threads: who waits for a pipe that a forgotten grandchild holds would wait for ever, so the
//! whole process group is killed when the time is over.

use std::{
    io::{self, Read, Write},
    os::{fd::AsFd, unix::process::CommandExt},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, kill_process_group},
};

/// The most that is kept of what a program complains; the end of it matters.
const COMPLAINT_BYTES_MAX: usize = 64 * 1024;

/// What bounds a program.
pub struct Bounds {
    /// The longest that it may take.
    pub time_max: Duration,
    /// The most that it may write.
    pub output_bytes_max: usize,
}

/// What came of it.
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote.
    pub output: Vec<u8>,
    /// The end of what it complained.
    pub complaint: Vec<u8>,
}

/// Why it did not end by itself.
pub enum Problem {
    /// It can't be started.
    Start(io::Error),
    /// A pipe broke.
    Pipe(io::Error),
    /// It took too long.
    Time,
    /// It wrote too much.
    Output,
}

/// Runs a program to its end.
pub fn run(command: &mut Command, input: &[u8], bounds: &Bounds) -> Result<Ended, Problem> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(Problem::Start)?;
    let talked = talk(&mut child, input, bounds);
    if talked.is_err()
        && let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    {
        // It may just have ended by itself, which is as good.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let status = child.wait().map_err(Problem::Pipe)?;
    let (output, complaint) = talked?;
    Ok(Ended { status, output, complaint })
}

/// Writes the input and reads both outputs until they are closed.
fn talk(child: &mut Child, input: &[u8], bounds: &Bounds) -> Result<(Vec<u8>, Vec<u8>), Problem> {
    let deadline = Instant::now() + bounds.time_max;
    let (mut output, mut complaint) = (Vec::new(), Vec::new());
    let mut stdin = child.stdin.take();
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let mut rest = input;
    if let Some(pipe) = &stdin {
        rustix::io::ioctl_fionbio(pipe, true).map_err(|error| Problem::Pipe(error.into()))?;
    }
    if rest.is_empty() {
        stdin = None;
    }
    while stdout.is_some() || stderr.is_some() {
        let left = deadline.checked_duration_since(Instant::now()).ok_or(Problem::Time)?;
        let ready = wait(
            [
                stdin.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::OUT)),
                stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
                stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            ],
            left,
        )?;
        if ready[0] {
            feed(&mut stdin, &mut rest).map_err(Problem::Pipe)?;
        }
        if ready[1] {
            drain(&mut stdout, &mut output).map_err(Problem::Pipe)?;
        }
        if ready[2] {
            drain(&mut stderr, &mut complaint).map_err(Problem::Pipe)?;
            let excess = complaint.len().saturating_sub(COMPLAINT_BYTES_MAX);
            complaint.drain(..excess);
        }
        if output.len() > bounds.output_bytes_max {
            return Err(Problem::Output);
        }
    }
    Ok((output, complaint))
}

/// Waits until a pipe is ready; those that are closed already never are.
fn wait(pipes: [Option<PollFd<'_>>; 3], left: Duration) -> Result<[bool; 3], Problem> {
    let there = pipes.each_ref().map(Option::is_some);
    let mut fds: Vec<PollFd<'_>> = pipes.into_iter().flatten().collect();
    let timeout = Timespec {
        tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    };
    match poll(&mut fds, Some(&timeout)) {
        Ok(0) => return Err(Problem::Time),
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return Ok([false; 3]),
        Err(error) => return Err(Problem::Pipe(error.into())),
    }
    let mut answers = fds.iter().map(|fd| !fd.revents().is_empty());
    Ok(there.map(|is_there| is_there && answers.next().unwrap_or(false)))
}

/// Writes what the pipe takes; closes it when all is written or nobody reads.
fn feed(stdin: &mut Option<ChildStdin>, rest: &mut &[u8]) -> io::Result<()> {
    let Some(pipe) = stdin else { return Ok(()) };
    match pipe.write(rest) {
        Ok(n) => *rest = rest.get(n..).unwrap_or_default(),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
        // Its exit status says why it did not read on.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => *rest = &[],
        Err(error) => return Err(error),
    }
    if rest.is_empty() {
        *stdin = None;
    }
    Ok(())
}

/// Reads what is there; forgets the pipe at its end.
fn drain<P: Read + AsFd>(pipe: &mut Option<P>, into: &mut Vec<u8>) -> io::Result<()> {
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
