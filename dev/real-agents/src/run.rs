//! Whole runs: `jangdan run` with a plan of four tasks, each done by another real agent, all at once.
//!
//! The model makes every agent write a file with a tool of its own, then say that it is done. A person answers what is
//! asked with `jangdan answer`. What came of it is judged by the files on the branch, the log and the processes.

mod hands;
mod judge;
mod project;

use std::{
    fs,
    path::Path,
    process::{Child, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use hands::HANDS;
use judge::Log;
use project::Project;

/// A run that has not ended by then never will.
const RUN_MAX: Duration = Duration::from_secs(180);
/// How often it is looked whether something has happened.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What happens on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// Nothing but the plan: one asks, one wants a permission.
    Quiet,
    /// The server is killed while two agents speak, and the run is resumed.
    Killed,
    /// All ask, and are answered only when their processes have ended.
    Parked,
}

impl Course {
    /// All courses.
    pub const ALL: [Self; 3] = [Self::Quiet, Self::Killed, Self::Parked];

    /// Returns its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quiet => "run",
            Self::Killed => "run, server killed",
            Self::Parked => "run, answers come late",
        }
    }
}

/// Goes through a run from its plan to the branch.
pub fn go(course: Course, folder: &Path, jangdan: &Path) -> Result<()> {
    let project = Project::new(course, folder, jangdan)?;
    let said = project.said.display().to_string();
    let status = attend(course, &project).with_context(|| format!("what it said is in {said}"))?;
    ensure!(status.success(), "it ended with {status}; what it said is in {said}");
    let log = Log::read(&project)?;
    log.judge(course)?;
    judge::landed(&project)?;
    judge::model_was_heard(course, &project)?;
    judge::nobody_left(folder)
}

/// Starts the run, is the person in front of it, and returns how it ended.
fn attend(course: Course, project: &Project) -> Result<ExitStatus> {
    let deadline = Instant::now() + RUN_MAX;
    let mut watching = Watching(watch(project, &["run", "TASKS.md"])?);
    if course == Course::Killed {
        wait("both agents speak", deadline, || speak(project))?;
        watching.kill()?;
        let log = Log::read(project)?;
        let n_ended = log.of("TurnEnded").count();
        ensure!(n_ended == 0, "the server was killed too late: {n_ended} turns had ended");
        watching = Watching(watch(project, &["resume"])?);
    }
    let mut answered = Vec::new();
    loop {
        if let Some(status) = watching.0.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= deadline {
            bail!("it does not end");
        }
        for (question, answer) in Log::read(project).map(|log| log.to_answer(course)).unwrap_or_default() {
            if !answered.contains(&question) {
                project.jangdan(&["answer", &question, answer])?;
                answered.push(question);
            }
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Tells whether those whose first words come slowly have begun with them.
fn speak(project: &Project) -> bool {
    let is_slow = |hand: &&hands::Hand| hand.is_slow;
    let speaks = |name: &str| {
        let log = Log::read(project).unwrap_or_default();
        project.model(name).recorded().iter().any(|request| !request.is_aside)
            && log.sessions_of(name).any(|session| log.about("InputTyped", session).next().is_some())
    };
    HANDS.iter().filter(is_slow).all(|hand| speaks(hand.agent))
}

fn watch(project: &Project, arguments: &[&str]) -> Result<Child> {
    let said = fs::OpenOptions::new().create(true).append(true).open(&project.said)?;
    let mut command = project.command(arguments);
    command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said);
    command.spawn().context("start jangdan")
}

fn wait(what: &str, deadline: Instant, is_so: impl Fn() -> bool) -> Result<()> {
    while !is_so() {
        ensure!(Instant::now() < deadline, "waited in vain until {what}");
        thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

/// Whoever watches the run, and with it the server; it never outlives us.
struct Watching(Child);

impl Watching {
    fn kill(&mut self) -> Result<()> {
        self.0.kill()?;
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
