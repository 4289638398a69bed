//! Child processes with a time limit: one that exceeds it is killed by its process id, and the error names it.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::fd::{AsFd, BorrowedFd},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{CWD, FileType, Mode, mknodat},
    process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open},
};

/// Limit for everything that usually takes less than a few seconds: far more, as the machine may be busy.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(60);

/// A child process that is killed when it is dropped.
pub(crate) struct KillOnDropChild {
    pub child: Child,
    name: String,
}

impl KillOnDropChild {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.spawn().with_context(|| format!("start {name}"))?;
        Ok(Self { child, name })
    }

    /// Waits until the process has ended; kills it and returns an error if that takes longer than `limit`.
    pub(crate) fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        wait(&mut self.child, &self.name, limit)
    }
}

impl Drop for KillOnDropChild {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to its end without input, and returns its status.
pub(crate) fn run_for_status(command: &mut Command, limit: Duration) -> Result<ExitStatus> {
    KillOnDropChild::spawn(command.stdin(Stdio::null()))?.wait(limit)
}

/// Runs a command to its end; any status but 0 is an error.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<()> {
    let status = run_for_status(command, limit)?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}

/// Tells whether a program is installed: it is, if it ends with status 0 for this argument.
pub(crate) fn is_installed(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null());
    run_for_status(&mut command, WAIT_MAX).is_ok_and(|status| status.success())
}

/// Waits until a child process has ended; kills it and returns an error if that takes longer than `limit`.
pub(crate) fn wait(child: &mut Child, name: &str, limit: Duration) -> Result<ExitStatus> {
    let pid = child.id();
    if !ends_within(Pid::from_child(child), limit)? {
        child.kill()?;
        child.wait()?;
        bail!("{name} (process {pid}) did not end within {limit:?} and was killed");
    }
    Ok(child.wait()?)
}

/// Tells whether a child process ends within `limit`. It still has to be waited for.
pub(crate) fn ends_within(pid: Pid, limit: Duration) -> Result<bool> {
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    Ok(first_readable_descriptor(&[process.as_fd()], limit)?.is_some())
}

/// Returns the index of the first descriptor that is readable or closed, or `None` once `limit` has passed.
pub(crate) fn first_readable_descriptor(
    descriptors: &[BorrowedFd<'_>],
    limit: Duration,
) -> Result<Option<usize>> {
    let timeout = Timespec { tv_sec: limit.as_secs().cast_signed(), tv_nsec: limit.subsec_nanos().into() };
    let mut polled: Vec<PollFd<'_>> =
        descriptors.iter().map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN)).collect();
    rustix::io::retry_on_intr(|| poll(&mut polled, Some(&timeout)))?;
    Ok(polled.iter().position(|one| !one.revents().is_empty()))
}

/// Kills the process group of a child once a limit has passed, for reads that cannot be bounded themselves.
pub(crate) struct ProcessGroupTimeLimit {
    limit: Duration,
    stop: mpsc::Sender<()>,
    thread: thread::JoinHandle<bool>,
}

impl ProcessGroupTimeLimit {
    /// Starts the limit of a child that leads a process group of its own.
    pub(crate) fn new(child: &Child, limit: Duration) -> Self {
        let (stop, stopped) = mpsc::channel::<()>();
        let group = Pid::from_child(child);
        let thread = thread::spawn(move || {
            let is_over = stopped.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
            if is_over {
                let _ = kill_process_group(group, Signal::KILL);
            }
            is_over
        });
        Self { limit, stop, thread }
    }

    /// Ends the limit; returns an error if it had passed.
    pub(crate) fn stop_and_check(self) -> Result<()> {
        drop(self.stop);
        let is_over = self.thread.join().unwrap_or(true);
        ensure!(!is_over, "the processes did not end within {:?} and were killed", self.limit);
        Ok(())
    }
}

/// Reads lines from a pipe, each within a time limit.
pub(crate) struct LineReader<T> {
    source: T,
    read: Vec<u8>,
}

impl<T: Read + AsFd> LineReader<T> {
    pub(crate) fn new(source: T) -> Self {
        Self { source, read: Vec::new() }
    }

    /// Returns the next line without its end; an error if it is not complete within `limit`.
    pub(crate) fn next_line(&mut self, limit: Duration) -> Result<String> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.read) {
                let rest = self.read.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.read, rest);
                line.truncate(end);
                return Ok(String::from_utf8(line)?);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let is_ready = first_readable_descriptor(&[self.source.as_fd()], left)?.is_some();
            ensure!(is_ready, "no line within {limit:?}");
            let mut piece = [0; 4096];
            let length = self.source.read(&mut piece)?;
            ensure!(length > 0, "the output ended before a whole line");
            self.read.extend_from_slice(piece.get(..length).unwrap_or_default());
        }
    }
}

/// A named pipe by which a script signals that it runs: one line each time.
pub(crate) struct SignalPipe {
    pub path: PathBuf,
    file: File,
}

impl SignalPipe {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        // Opened for writing too: opening does not wait for a writer, and reading has no end when a writer closes it.
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Waits for the next signal, and returns when it came.
    pub(crate) fn wait(&mut self, limit: Duration) -> Result<Instant> {
        let is_ready = first_readable_descriptor(&[self.file.as_fd()], limit)?.is_some();
        ensure!(is_ready, "the script did not start within {limit:?}");
        self.read_signal()
    }

    /// Like [`Self::wait`], but returns early with an error if `child` ends before the signal.
    pub(crate) fn wait_while_runs(&mut self, child: &KillOnDropChild, limit: Duration) -> Result<Instant> {
        let process = pidfd_open(Pid::from_child(&child.child), PidfdFlags::empty())?;
        match first_readable_descriptor(&[self.file.as_fd(), process.as_fd()], limit)? {
            Some(0) => self.read_signal(),
            Some(_) => bail!("{} ended before its first task started", child.name),
            None => bail!("{} started no task within {limit:?}", child.name),
        }
    }

    fn read_signal(&mut self) -> Result<Instant> {
        let at = Instant::now();
        let mut byte = [0];
        loop {
            self.file.read_exact(&mut byte)?;
            if byte == *b"\n" {
                return Ok(at);
            }
        }
    }
}

/// Reads what a child wrote to a file, for an error message; at most the last `BYTES_MAX` bytes.
pub(crate) fn read_file_tail(path: &Path) -> io::Result<String> {
    const BYTES_MAX: usize = 2000;
    let bytes = std::fs::read(path)?;
    let start = bytes.len().saturating_sub(BYTES_MAX);
    Ok(String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;

    use super::*;

    const SHORT: Duration = Duration::from_millis(50);

    fn spawn_sleep() -> KillOnDropChild {
        KillOnDropChild::spawn(Command::new("sleep").arg("60")).unwrap()
    }

    #[test]
    fn a_process_that_does_not_end_is_killed_and_named() {
        let mut child = spawn_sleep();
        let pid = child.child.id();
        let error = child.wait(SHORT).unwrap_err().to_string();
        assert_eq!(error, format!("sleep (process {pid}) did not end within 50ms and was killed"));
        // It was reaped too: the kernel has no process with its id.
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }

    #[test]
    fn a_process_that_ends_returns_its_status() {
        let mut command = Command::new("sh");
        let status = run_for_status(command.args(["-c", "exit 3"]), WAIT_MAX).unwrap();
        assert_eq!(status.code(), Some(3));
        assert!(run(&mut command, WAIT_MAX).unwrap_err().to_string().contains("exit status: 3"));
    }

    #[test]
    fn a_group_that_exceeds_its_limit_is_killed() {
        let start = |script: &str| Command::new("sh").args(["-c", script]).process_group(0).spawn().unwrap();
        let mut child = start("sleep 60; :");
        let limit = ProcessGroupTimeLimit::new(&child, SHORT);
        assert!(!child.wait().unwrap().success());
        assert!(limit.stop_and_check().unwrap_err().to_string().contains("50ms"));
        let mut child = start("exit 0");
        let limit = ProcessGroupTimeLimit::new(&child, WAIT_MAX);
        assert!(child.wait().unwrap().success());
        limit.stop_and_check().unwrap();
    }

    #[test]
    fn a_dropped_child_is_killed() {
        let pid = spawn_sleep().child.id();
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }

    #[test]
    fn lines_are_read_one_by_one_until_the_limit() {
        let mut command = Command::new("sh");
        command.args(["-c", "printf 'one\ntwo\npart'; exec sleep 60"]).stdout(Stdio::piped());
        let mut child = KillOnDropChild::spawn(&mut command).unwrap();
        let mut lines = LineReader::new(child.child.stdout.take().unwrap());
        assert_eq!(lines.next_line(WAIT_MAX).unwrap(), "one");
        assert_eq!(lines.next_line(WAIT_MAX).unwrap(), "two");
        assert_eq!(lines.next_line(SHORT).unwrap_err().to_string(), "no line within 50ms");
    }

    #[test]
    fn a_signal_is_awaited_only_while_the_process_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mut pipe = SignalPipe::create(&folder.path().join("pipe")).unwrap();
        let script = format!("echo here > '{}'; exec sleep 60", pipe.path.display());
        let mut command = Command::new("sh");
        let child = KillOnDropChild::spawn(command.args(["-c", &script])).unwrap();
        pipe.wait_while_runs(&child, WAIT_MAX).unwrap();
        assert_eq!(pipe.wait(SHORT).unwrap_err().to_string(), "the script did not start within 50ms");
        let ended = KillOnDropChild::spawn(&mut Command::new("true")).unwrap();
        let error = pipe.wait_while_runs(&ended, WAIT_MAX).unwrap_err().to_string();
        assert_eq!(error, "true ended before its first task started");
    }
}
