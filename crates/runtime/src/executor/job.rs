//! Commands that check a tree or set up a worktree, each in its own session.
//!
//! A job survives a killed server, and the next server reads its result. So a long check is not repeated, and no two jobs
//! run in the same worktree.

use std::{
    env,
    error::Error,
    io::{self, Read},
    path::Path,
    time::{Duration, Instant, UNIX_EPOCH},
};

use domain::{CheckObstacle, LargeFile, LeftOutFiles, Receipt, TaskId, TestReport, Timestamp};
use holder::{
    ClientError,
    protocol::{Request, StderrMode, StdioAttachment},
    spool::{EndReason, Exit, RecordBody, RecordFollower},
};
use repo::ConfinedFolder;
use serde::{Deserialize, Serialize};
use sessions::{SessionEntry, SessionError, SessionState, StartRequest};
use sha2::{Digest, Sha256};
use test_reports::{INPUT_BYTES_MAX, merge_reports, parse_output, parse_report_file};
use tracing::warn;

use super::{
    effect_obstacle::{EffectObstacle, JobError},
    run_context::RunContext,
    stop_token::{StopRequest, StopToken},
};
use crate::{check_program::find_missing_program, run_loop::now};

/// Bytes of the end of the output that are reported.
const TAIL_BYTES_MAX: usize = 8 * 1024;
/// Time by which the clock of a file system may be behind.
const FILE_CLOCK_LAG: Duration = Duration::from_secs(1);
/// Time that the processes of a job have to exit after its timeout.
const GRACE: Duration = Duration::from_secs(1);
/// Time that a holder has to exit after its job has ended.
const HOLDER_EXIT_MAX: Duration = Duration::from_secs(5);
/// Time between two checks that the holder of a job without output is alive.
const ALIVE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Limit of attempts to run a job whose holder is killed.
const ATTEMPTS_MAX: u32 = 3;

/// Limit of repetitions in the configuration, `checks.retries`. Sessions of that many are looked for, since the number may be
/// that of another check.
const RETRIES_MAX: u32 = 10;

/// Signals that a program causes itself when it crashes: its check has failed.
///
/// SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV and SIGSYS on Linux; other systems exchange SIGBUS and SIGSYS with
/// signals that users rarely send.
const CRASH_SIGNALS: [i32; 7] = [4, 5, 6, 7, 8, 11, 31];

/// SIGKILL and SIGTERM, with which other programs end a process, such as the kernel when memory is short. A shell exits with
/// 128 and the number if they killed its child.
const KILL_SIGNALS: [i32; 2] = [9, 15];

/// Result of a job.
pub(super) struct JobResult {
    pub(super) exit_status: Option<i32>,
    /// Signal that ended it, if Jangdan did not send it.
    pub(super) signal: Option<i32>,
    pub(super) is_timed_out: bool,
    pub(super) output_hash: String,
    pub(super) output_tail: String,
    /// What its test tools reported, on its output or in a report file that it wrote.
    pub(super) tests: Option<TestReport>,
    pub(super) started_at: Timestamp,
    pub(super) finished_at: Timestamp,
}

/// The work that a check runs on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct CheckedWork {
    pub(super) tree: String,
    /// Absent if the work is not committed.
    pub(super) commit: Option<String>,
    /// Files above the size limit that are not part of it.
    #[serde(default)]
    pub(super) large_files: Vec<LargeFile>,
}

/// A command that runs in a directory.
pub(super) struct Job<'a> {
    pub(super) name: &'a str,
    pub(super) command: &'a str,
    pub(super) directory: &'a Path,
    pub(super) task: Option<&'a TaskId>,
    pub(super) timeout_ms: u64,
    /// How often it is repeated if it fails.
    pub(super) retries: u32,
    pub(super) stop_token: &'a StopToken,
}

/// Runs a check, and again while it fails and repetitions are left. Returns the receipt of the last one.
pub(super) fn run_check(
    context: &RunContext,
    job: &Job<'_>,
    work: &CheckedWork,
) -> Result<Receipt, EffectObstacle> {
    let retries = job.retries;
    let started = last_started_repetition(context, job.name);
    let mut number = match started.map_err(|error| JobError::new(context, &error)) {
        Ok(started) => started.unwrap_or(0),
        Err(JobError::Obstacle(obstacle)) => return Err(obstacle),
        // Another process must not run beside one that cannot be found.
        Err(JobError::Failed(reason)) => return Ok(unstarted_receipt(job.command, work, reason, now())),
    };
    loop {
        let name = repetition_name(job.name, number);
        let receipt = run_check_once(context, &Job { name: &name, ..*job }, work, number + 1)?;
        let is_failed = !receipt.passed() && receipt.obstacle.is_none();
        if !is_failed || number >= retries || job.stop_token.is_stopped() {
            return Ok(receipt);
        }
        number += 1;
    }
}

/// Runs a job, and returns a receipt of its result, also if it cannot run.
fn run_check_once(
    context: &RunContext,
    job: &Job<'_>,
    work: &CheckedWork,
    attempts: u32,
) -> Result<Receipt, EffectObstacle> {
    let started_at = now();
    match run(context, job) {
        Ok(result) => Ok(Receipt {
            command: job.command.to_owned(),
            exit_status: result.exit_status,
            obstacle: obstacle(context, job, &result),
            attempts,
            output_hash: result.output_hash,
            output_tail: result.output_tail,
            tests: result.tests.map(Box::new),
            tree: work.tree.clone(),
            commit: work.commit.clone(),
            left_out: LeftOutFiles::list(work.large_files.clone(), Vec::new()),
            started_at: result.started_at,
            finished_at: result.finished_at,
        }),
        Err(JobError::Obstacle(obstacle)) => {
            // It is executed again under another name.
            end_job(context, job.name);
            Err(obstacle)
        }
        Err(JobError::Failed(reason)) => Ok(unstarted_receipt(job.command, work, reason, started_at)),
    }
}

/// Returns why a finished job says nothing about the work.
fn obstacle(context: &RunContext, job: &Job<'_>, result: &JobResult) -> Option<CheckObstacle> {
    if let Some(signal) = result.signal.filter(|signal| !CRASH_SIGNALS.contains(signal)) {
        return Some(CheckObstacle::Signal { signal });
    }
    if let Some(exit_status) = result.exit_status
        && let Some(signal) = KILL_SIGNALS.into_iter().find(|signal| exit_status == 128 + signal)
    {
        return Some(CheckObstacle::ExitStatus { exit_status, signal });
    }
    if result.exit_status == Some(0) || result.is_timed_out {
        return None;
    }
    // The same search path as that of the job's session.
    let (bin, path) = (context.host.data.join("bin"), env::var_os("PATH"));
    let program = find_missing_program(job.command, Some(&bin), path.as_deref(), job.directory);
    program.map(|program| CheckObstacle::ProgramNotFound { program })
}

/// Returns the receipt of a check that was not started.
pub(super) fn unstarted_receipt(
    command: &str,
    work: &CheckedWork,
    reason: String,
    started_at: Timestamp,
) -> Receipt {
    Receipt {
        command: command.to_owned(),
        exit_status: None,
        obstacle: Some(CheckObstacle::NotStarted { reason }),
        attempts: 1,
        output_hash: hex(&Sha256::digest([])),
        output_tail: String::new(),
        tests: None,
        tree: work.tree.clone(),
        commit: work.commit.clone(),
        left_out: LeftOutFiles::list(work.large_files.clone(), Vec::new()),
        started_at,
        finished_at: now(),
    }
}

/// Runs a job to its end, or continues one that a killed server started.
pub(super) fn run(context: &RunContext, job: &Job<'_>) -> Result<JobResult, JobError> {
    for number in 1..=ATTEMPTS_MAX {
        let name = session_name(context, job.name, number);
        let found = context.host.sessions.find_exactly(&name);
        let entry = match found.map_err(|error| JobError::new(context, &error))? {
            Some(entry) => entry,
            None => match start(context, name, job) {
                Ok(entry) => entry,
                // Its holder was killed during the start.
                Err(SessionError::Holder { source: ClientError::Closed, .. }) => continue,
                Err(error) => return Err(JobError::new(context, &error)),
            },
        };
        if let Some(result) = follow(context, &entry, job)? {
            wait_for_holder_exit(context, &entry);
            // The receipt has the end of the output; the rest is not kept.
            remove_session(context, &entry);
            return Ok(result);
        }
        // Its holder was killed: its processes must not continue beside the next attempt.
        context.host.sessions.kill_orphans(&entry);
    }
    Err(JobError::Failed(format!("its holder was killed {ATTEMPTS_MAX} times")))
}

/// Tells whether a check was started, perhaps by an earlier server.
pub(super) fn has_started(context: &RunContext, name: &str) -> Result<bool, SessionError> {
    Ok(last_started_repetition(context, name)?.is_some())
}

/// Returns the last repetition of a check that was started, perhaps by a killed server.
fn last_started_repetition(context: &RunContext, name: &str) -> Result<Option<u32>, SessionError> {
    for number in (0..=RETRIES_MAX).rev() {
        for entry in find_attempt_sessions(context, &repetition_name(name, number)) {
            if entry?.is_some() {
                return Ok(Some(number));
            }
        }
    }
    Ok(None)
}

/// Returns the names of the jobs of a check: one for each repetition.
fn repetition_names(name: &str) -> impl Iterator<Item = String> {
    (0..=RETRIES_MAX).map(move |number| repetition_name(name, number))
}

fn repetition_name(name: &str, number: u32) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}-repeat{number}") }
}

/// Ends a job that a killed server left, and removes its sessions.
pub(super) fn end_job(context: &RunContext, name: &str) {
    let names: Vec<String> = repetition_names(name).collect();
    for entry in names.iter().flat_map(|name| find_attempt_sessions(context, name)) {
        match entry {
            Ok(None) => {}
            Ok(Some(entry)) => {
                // A holder that does not reply may be gone; the processes of its job are found by their environment.
                drop(context.host.sessions.request(&entry, &Request::End { grace: GRACE }, GRACE * 5));
                context.host.sessions.kill_orphans(&entry);
                remove_session(context, &entry);
            }
            Err(error) => {
                warn!(
                    job = name,
                    error = &error as &dyn Error,
                    "cannot find the processes of a job to end them"
                );
            }
        }
    }
}

/// Removes the folder of an ended job. One that stays needs space only.
fn remove_session(context: &RunContext, entry: &SessionEntry) {
    if let Err(error) = context.host.sessions.remove(entry) {
        warn!(process = entry.name, error = &error as &dyn Error, "cannot remove the files of an ended job");
    }
}

fn find_attempt_sessions(
    context: &RunContext,
    name: &str,
) -> impl Iterator<Item = Result<Option<SessionEntry>, SessionError>> {
    (1..=ATTEMPTS_MAX)
        .map(move |number| context.host.sessions.find_exactly(&session_name(context, name, number)))
}

fn session_name(context: &RunContext, name: &str, number: u32) -> String {
    format!("{}-{name}-{number}", context.run)
}

fn start(context: &RunContext, name: String, job: &Job<'_>) -> Result<SessionEntry, SessionError> {
    let variables = context.environment_variables(job.task, job.directory);
    context.host.sessions.start(&StartRequest {
        name: Some(name),
        command: vec!["sh".into(), "-c".into(), job.command.into()],
        directory: job.directory.to_owned(),
        attachment: StdioAttachment::Pipes { stderr: StderrMode::Merged },
        environment: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        memory_bytes_max: None,
        output_bytes_max: None,
        sandbox: context.sandbox_of_commands(),
        secrets: context.values_to_mask(&[]),
        agent: None,
    })
}

/// Reads the output of a job until it ends; `None` if its holder was killed, so that its exit status is unknown.
fn follow(context: &RunContext, entry: &SessionEntry, job: &Job<'_>) -> Result<Option<JobResult>, JobError> {
    let sessions = &context.host.sessions;
    // A job gets no input, so it must not wait for any. If the request fails, the job has ended, or waits until its timeout.
    drop(sessions.request(entry, &Request::CloseInput, GRACE));
    let mut follower =
        RecordFollower::open(&entry.directory, 0).map_err(|error| JobError::new(context, &error))?;
    // The timeout starts with the job, also if an earlier server started it.
    let age_ms = u64::try_from(now().0.saturating_sub(entry.metadata.started_at.0)).unwrap_or(0);
    let deadline = Instant::now() + Duration::from_millis(job.timeout_ms.saturating_sub(age_ms));
    let (mut hash, mut end) = (Sha256::new(), Vec::new());
    let mut is_timed_out = false;
    // When to request the end of a job that has timed out; `None` when its holder has accepted the request.
    let mut next_end_request = Some(deadline);
    let mut alive_at = Instant::now();
    let mut is_unreadable = false;
    let exit = loop {
        match job.stop_token.stop_request() {
            None => {}
            Some(StopRequest::Detach) => {
                return Err(JobError::Failed("the server detached from it".to_owned()));
            }
            Some(StopRequest::Kill) => {
                end_job(context, job.name);
                return Err(JobError::Failed("it was cancelled".to_owned()));
            }
        }
        let record = follower.try_next().map_err(|error| JobError::new(context, &error))?;
        if record.is_none() {
            job.stop_token.sleep(&follower, next_alive_check(deadline, is_timed_out));
        }
        match record.map(|record| record.body) {
            Some(RecordBody::Output { bytes, .. }) => {
                hash.update(&bytes);
                end.extend_from_slice(&bytes);
                // Twice the limit, so that not every record moves what is kept.
                if end.len() > 2 * INPUT_BYTES_MAX {
                    end.drain(..end.len() - INPUT_BYTES_MAX);
                }
            }
            Some(RecordBody::Exit(exit)) => break exit,
            Some(_) => {}
            None if next_end_request.is_some_and(|at| Instant::now() >= at) => {
                let requested = sessions.request(entry, &Request::End { grace: GRACE }, GRACE * 5);
                next_end_request = requested.is_err().then(|| Instant::now() + ALIVE_CHECK_INTERVAL);
                if let Err(error) = &requested {
                    // The processes of a holder that does not reply are found by their environment.
                    sessions.kill_orphans(entry);
                    if !is_timed_out {
                        warn!(
                            process = entry.name,
                            error = error as &dyn Error,
                            "the holder does not end a job that has timed out"
                        );
                    }
                }
                is_timed_out = true;
            }
            None if alive_at.elapsed() >= ALIVE_CHECK_INTERVAL => {
                alive_at = Instant::now();
                match sessions.find_exactly(&entry.name) {
                    Ok(Some(found)) if !matches!(found.state, SessionState::Lost) => {}
                    Ok(Some(_) | None) => return Ok(None),
                    // The next look may succeed; a job that runs must not be started again.
                    Err(error) if !is_unreadable => {
                        is_unreadable = true;
                        warn!(
                            process = entry.name,
                            error = &error as &dyn Error,
                            "cannot look for the holder of a job"
                        );
                    }
                    Err(_) => {}
                }
            }
            None => {}
        }
    };
    let tail = end.get(end.len().saturating_sub(TAIL_BYTES_MAX)..).unwrap_or_default();
    let mut output_tail = String::from_utf8_lossy(tail).into_owned();
    if is_timed_out {
        output_tail.push_str("\ntimed out");
    }
    let started_at = entry.metadata.started_at;
    let output_hash = hex(&hash.finalize());
    let directory = job.directory.to_string_lossy();
    let tests = read_report_files(context, job, started_at).or_else(|| parse_output(&end, &directory));
    Ok(Some(JobResult {
        exit_status: exit.code,
        signal: foreign_signal(exit),
        is_timed_out,
        output_hash,
        output_tail,
        tests,
        started_at,
        finished_at: now(),
    }))
}

/// Reads the report files of the configuration that a job wrote. Files from before its start are not its own.
fn read_report_files(context: &RunContext, job: &Job<'_>, started_at: Timestamp) -> Option<TestReport> {
    let directory = job.directory.to_string_lossy();
    let mut found: Option<TestReport> = None;
    for path in &context.environment.check_reports {
        let report = match read_new_file(job.directory, path, started_at) {
            Ok(content) => content.and_then(|content| parse_report_file(&content, &directory)),
            Err(error) => {
                warn!(path = %path.display(), error = &error as &dyn Error, "cannot read the report file of a check");
                None
            }
        };
        match (&mut found, report) {
            (Some(found), Some(report)) => merge_reports(found, report),
            (found @ None, report) => *found = report,
            (Some(_), None) => {}
        }
    }
    found
}

/// Reads a file that was written since a time, within the bound of reports. The path is not followed out of the directory.
fn read_new_file(directory: &Path, path: &Path, since: Timestamp) -> io::Result<Option<Vec<u8>>> {
    let file = match ConfinedFolder::open(directory).and_then(|folder| folder.open_file(path)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let since = UNIX_EPOCH + Duration::from_millis(u64::try_from(since.0).unwrap_or(0));
    if file.metadata()?.modified()? + FILE_CLOCK_LAG < since {
        return Ok(None);
    }
    let mut content = Vec::new();
    file.take(INPUT_BYTES_MAX as u64 + 1).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// Returns the signal that ended a job, unless Jangdan ended it.
fn foreign_signal(exit: Exit) -> Option<i32> {
    match exit.reason {
        EndReason::AgentExited | EndReason::HolderEnded => exit.signal,
        EndReason::Request | EndReason::TimeLimit | EndReason::OutputLimit => None,
    }
}

/// Waits for a holder to exit, since it still writes to its directory after the job has ended.
fn wait_for_holder_exit(context: &RunContext, entry: &SessionEntry) {
    let deadline = Instant::now() + HOLDER_EXIT_MAX;
    if let Ok(mut connection) = context.host.sessions.connect(entry) {
        // The connection is closed when the holder exits.
        while matches!(connection.receive(deadline), Ok(Some(_))) {}
    }
}

/// Returns when to check that the holder is alive, if the job prints nothing.
fn next_alive_check(deadline: Instant, is_timed_out: bool) -> Instant {
    let next = Instant::now() + ALIVE_CHECK_INTERVAL;
    if is_timed_out { next } else { deadline.min(next) }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
