//! `jangdan logs [RUN] TASK`: what a task's agent says and does, from the spool of its session.
//!
//! Reads beside everybody else, so it works whether or not a server runs.

mod reading;

use std::{fs, path::Path, process::ExitCode, thread, time::Duration};

use clap::Args;
use domain::{RunId, TaskId};
use runtime::{Outfit, processes};
use sessions::Sessions;
use views::{AttemptRow, SessionRow, TaskRow};

use self::reading::Reading;
use crate::{
    failure::Failure,
    remote::{Common, chain},
    session,
    source::Source,
    wish::{Words, no_more},
};

/// How often it is looked whether an agent that is awaited has come.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Which task.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The run, where it is not this project's only one; the task
    #[arg(value_name = "WORDS", required = true, num_args = 1..=2)]
    words: Vec<String>,
    /// Go on with what the agent says from now on, until its process ends
    #[arg(long, short)]
    follow: bool,
    /// Another try at the task than the last one
    #[arg(long, value_name = "NUMBER")]
    attempt: Option<u32>,
    #[command(flatten)]
    common: Common,
}

/// Prints it.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Words<'_, TaskId> = Words::split(&arguments.words)?;
    no_more(words.rest)?;
    let source = Source::open(&arguments.common)?;
    let run = source.find(words.run)?.id;
    let mut session = session_of(&source, &run, &words.about, arguments.attempt)?;
    let data = arguments.common.data()?;
    let sessions = Sessions::open(&data).map_err(session::failure)?;
    let found = |session: &SessionRow| processes(&sessions, &run, session.id).map_err(session::failure);
    let mut processes = found(&session)?;
    while arguments.follow && processes.is_empty() && session.ended_at.is_none() {
        thread::sleep(LOOK_EVERY);
        session = session_of(&source, &run, &words.about, arguments.attempt)?;
        processes = found(&session)?;
    }
    if processes.is_empty() {
        eprintln!("{} has no process yet", words.about);
    }
    let outfit = outfit(&data, &run)?;
    let n_processes = processes.len();
    for (index, found) in processes.into_iter().enumerate() {
        let follow = arguments.follow && index + 1 == n_processes;
        let reading =
            Reading { found, session: &session, outfit: &outfit, json: arguments.common.json, follow };
        if let Some(failure) = reading.print()? {
            return Failure::from_output(&failure).map_or(Ok(ExitCode::SUCCESS), Err);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the session of a try at a task.
fn session_of(
    source: &Source,
    run: &RunId,
    task: &TaskId,
    attempt: Option<u32>,
) -> Result<SessionRow, Failure> {
    let tasks: Vec<TaskRow> = source.all(run)?;
    let row = tasks.iter().find(|row| row.id == *task).ok_or_else(|| Failure {
        what: format!("there is no task {task} in {run}"),
        hint: Some(format!("jangdan replay {run} lists them")),
        exit: 1,
    })?;
    let session = match attempt {
        None => row.session,
        Some(number) => {
            let attempts: Vec<AttemptRow> = source.all(run)?;
            attempts.iter().find(|row| row.task == *task && row.number == number).map(|row| row.session)
        }
    };
    let rows: Vec<SessionRow> = source.all(run)?;
    let found = session.and_then(|session| rows.into_iter().find(|row| row.id == session));
    found.ok_or_else(|| Failure {
        what: match attempt {
            Some(number) => format!("there was no try {number} at {task}"),
            None => format!("nobody has worked at {task} yet"),
        },
        hint: Some(format!("jangdan status {run} shows how it stands")),
        exit: 1,
    })
}

fn outfit(data: &Path, run: &RunId) -> Result<Outfit, Failure> {
    let path = data.join("runs").join(run.as_str()).join("outfit.json");
    let read = fs::read(&path).map_err(|error| chain(&error));
    let outfit = read.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| chain(&error)));
    outfit.map_err(|error| Failure {
        what: format!("read {}: {error}", path.display()),
        hint: Some("is it the right data directory?".to_owned()),
        exit: 1,
    })
}
