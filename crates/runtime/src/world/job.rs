//! Commands that prove something, or prepare a place: each in a session of its own.
//!
//! A job outlives a server that is killed, and the next one reads what it found: a long check is never run for nothing, and
//! no two run in one place.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use domain::{Receipt, TaskId, Timestamp};
use holder::{
    ClientError,
    protocol::{Attachment, Request, Stderr},
    spool::{Exit, RecordBody, RecordFollower},
};
use sessions::{Sandbox, SandboxPolicy, SessionEntry, SessionError, SessionState, StartRequest};
use sha2::{Digest, Sha256};

use super::{
    full,
    leash::{Leash, Pull},
    site::{Site, chain},
};
use crate::crank::now;

/// How much of the end of its output people and agents get to see.
const TAIL_BYTES_MAX: usize = 8 * 1024;
/// How long a job's processes may take to end when its time is over.
const GRACE: Duration = Duration::from_secs(1);
/// How long a holder may take to leave when its job has ended.
const LEAVING_MAX: Duration = Duration::from_secs(5);
/// How often it is looked at whether the holder of a silent job still lives.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often a job is begun anew whose holder was killed.
const TRIES_MAX: u32 = 3;

/// How a job ended.
pub(super) struct Ended {
    pub(super) exit_status: Option<i32>,
    pub(super) output_hash: String,
    pub(super) output_tail: String,
    pub(super) started_at: Timestamp,
    pub(super) finished_at: Timestamp,
}

/// A command in a place.
pub(super) struct Job<'a> {
    pub(super) name: &'a str,
    pub(super) command: &'a str,
    pub(super) place: &'a Path,
    pub(super) task: Option<&'a TaskId>,
    pub(super) time_max_ms: u64,
    pub(super) leash: &'a Leash,
    /// Whether it runs what agents wrote, and is kept in like them.
    pub(super) is_of_agents: bool,
}

/// Runs the check of a task in its worktree.
pub(super) fn check(
    site: &Site,
    name: &str,
    task: &TaskId,
    command: &str,
    time_max_ms: u64,
    leash: &Leash,
) -> Receipt {
    let started_at = now();
    match full::outwait(leash, || judged(site, name, task)) {
        Ok((place, tree)) => {
            let job = Job {
                name,
                command,
                place: &place,
                task: Some(task),
                time_max_ms,
                leash,
                is_of_agents: true,
            };
            receipt(site, &job, tree)
        }
        Err(reason) => failed(command, String::new(), reason, started_at),
    }
}

/// Returns where a task's check runs, and the tree that it judges: the one that was there before it began.
fn judged(site: &Site, name: &str, task: &TaskId) -> Result<(PathBuf, String), String> {
    let noted = site.shared.folder(&site.run).join(format!("{name}-tree"));
    if is_begun(site, name)
        && let Ok(tree) = fs::read_to_string(&noted)
    {
        let place = match &site.git {
            Some(git) => git.worktree(task).map_err(|error| chain(&error))?.0.path,
            None => site.outfit.project.clone(),
        };
        return Ok((place, tree));
    }
    let (place, tree) = match &site.git {
        Some(git) => git.tree(task).map_err(|error| chain(&error))?,
        None => (site.outfit.project.clone(), site.tree_in_place().unwrap_or_default()),
    };
    // Where it can't be noted, a restart takes the tree of that moment.
    let _ = fs::write(noted, &tree);
    Ok((place, tree))
}

/// Runs a job, and proves what came of it. One that can't be run has not passed, and says why.
pub(super) fn receipt(site: &Site, job: &Job<'_>, tree: String) -> Receipt {
    let started_at = now();
    match full::outwait(job.leash, || run(site, job)) {
        Ok(ended) => Receipt {
            command: job.command.to_owned(),
            exit_status: ended.exit_status,
            output_hash: ended.output_hash,
            output_tail: ended.output_tail,
            tree,
            started_at: ended.started_at,
            finished_at: ended.finished_at,
        },
        Err(reason) => failed(job.command, tree, reason, started_at),
    }
}

fn failed(command: &str, tree: String, reason: String, started_at: Timestamp) -> Receipt {
    Receipt {
        command: command.to_owned(),
        exit_status: None,
        output_hash: hex(&Sha256::digest([])),
        output_tail: format!("it could not be run: {reason}"),
        tree,
        started_at,
        finished_at: now(),
    }
}

/// Runs a job to its end, or takes up one that a killed server began.
pub(super) fn run(site: &Site, job: &Job<'_>) -> Result<Ended, String> {
    for number in 1..=TRIES_MAX {
        let name = session_name(site, job.name, number);
        let found = match site.shared.sessions.find_exactly(&name).map_err(|error| chain(&error))? {
            Some(found) => found,
            None => match start(site, name, job) {
                Ok(found) => found,
                // Its holder was killed as it began.
                Err(SessionError::Holder { source: ClientError::Closed, .. }) => continue,
                Err(error) => return Err(chain(&error)),
            },
        };
        if let Some(ended) = follow(site, &found, job)? {
            wait_until_gone(site, &found);
            // What it printed is in the receipt; whoever wants all of it runs it again.
            drop(site.shared.sessions.remove(&found));
            return Ok(ended);
        }
        // Its holder was killed: nothing of it may go on beside the next one.
        site.shared.sessions.kill_orphans(&found);
    }
    Err("it was killed each time".to_owned())
}

/// Tells whether somebody began a job, who may have been another server.
pub(super) fn is_begun(site: &Site, name: &str) -> bool {
    numbered(site, name).next().is_some()
}

/// Ends a job that a killed server left, as if nobody had begun it.
pub(super) fn end(site: &Site, name: &str) {
    for found in numbered(site, name) {
        drop(site.shared.sessions.request(&found, &Request::End { grace: GRACE }, GRACE * 5));
        site.shared.sessions.kill_orphans(&found);
        drop(site.shared.sessions.remove(&found));
    }
}

fn numbered<'a>(site: &'a Site, name: &'a str) -> impl Iterator<Item = SessionEntry> + 'a {
    (1..=TRIES_MAX).filter_map(move |number| {
        site.shared.sessions.find_exactly(&session_name(site, name, number)).ok().flatten()
    })
}

fn session_name(site: &Site, name: &str, number: u32) -> String {
    format!("{}-{name}-{number}", site.run)
}

fn start(site: &Site, name: String, job: &Job<'_>) -> Result<SessionEntry, SessionError> {
    let variables = site.variables(job.task, job.place);
    site.shared.sessions.start(&StartRequest {
        name: Some(name),
        command: vec!["sh".into(), "-c".into(), job.command.into()],
        directory: job.place.to_owned(),
        attachment: Attachment::Pipes { stderr: Stderr::Merged },
        environment: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        memory_bytes_max: None,
        sandbox: if job.is_of_agents {
            site.sandbox()
        } else {
            Sandbox { policy: SandboxPolicy::Off, write: Vec::new() }
        },
        agent: None,
    })
}

/// Reads what a job prints until it ends; nothing where its holder is gone and nobody knows how it ended.
fn follow(site: &Site, found: &SessionEntry, job: &Job<'_>) -> Result<Option<Ended>, String> {
    // Nothing is typed to it, so it must not wait for anything either.
    let sessions = &site.shared.sessions;
    drop(sessions.request(found, &Request::CloseInput, GRACE));
    let mut follower = RecordFollower::open(&found.directory, 0).map_err(|error| chain(&error))?;
    // Its time runs from its start, whichever server that was.
    let age_ms = u64::try_from(now().0.saturating_sub(found.metadata.started_at.0)).unwrap_or(0);
    let deadline = Instant::now() + Duration::from_millis(job.time_max_ms.saturating_sub(age_ms));
    let (mut hash, mut tail) = (Sha256::new(), Vec::new());
    let mut is_late = false;
    let mut looked_at = Instant::now();
    let exit = loop {
        match job.leash.pulled() {
            None => {}
            Some(Pull::Leave) => return Err("nobody waits for it any more".to_owned()),
            Some(Pull::End) => {
                end(site, job.name);
                return Err("it was called off".to_owned());
            }
        }
        let record = follower.try_next().map_err(|error| chain(&error))?;
        if record.is_none() {
            job.leash.sleep(&follower, next_look(deadline, is_late));
        }
        match record.map(|record| record.body) {
            Some(RecordBody::Output { bytes, .. }) => {
                hash.update(&bytes);
                tail.extend_from_slice(&bytes);
                let excess = tail.len().saturating_sub(TAIL_BYTES_MAX);
                tail.drain(..excess);
            }
            Some(RecordBody::Exit(exit)) => break exit,
            Some(_) => {}
            None if !is_late && Instant::now() >= deadline => {
                is_late = true;
                drop(sessions.request(found, &Request::End { grace: GRACE }, GRACE * 5));
            }
            None if looked_at.elapsed() >= LOOK_EVERY => {
                looked_at = Instant::now();
                if is_gone(site, &found.name) {
                    return Ok(None);
                }
            }
            None => {}
        }
    };
    let mut output_tail = String::from_utf8_lossy(&tail).into_owned();
    if is_late {
        output_tail.push_str("\nits time was over");
    }
    let started_at = found.metadata.started_at;
    let output_hash = hex(&hash.finalize());
    Ok(Some(Ended { exit_status: status(exit), output_hash, output_tail, started_at, finished_at: now() }))
}

/// Waits for a holder to leave: it has a last word to write down.
fn wait_until_gone(site: &Site, found: &SessionEntry) {
    let deadline = Instant::now() + LEAVING_MAX;
    if let Ok(mut connection) = site.shared.sessions.connect(found) {
        // It says nothing more, but goodbye.
        while matches!(connection.receive(deadline), Ok(Some(_))) {}
    }
}

/// Returns when to look whether the holder still lives, although nothing is printed.
fn next_look(deadline: Instant, is_late: bool) -> Instant {
    let soon = Instant::now() + LOOK_EVERY;
    if is_late { soon } else { deadline.min(soon) }
}

fn is_gone(site: &Site, name: &str) -> bool {
    match site.shared.sessions.find_exactly(name) {
        Ok(Some(found)) => matches!(found.state, SessionState::Lost),
        Ok(None) | Err(_) => true,
    }
}

fn status(exit: Exit) -> Option<i32> {
    exit.code
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
