//! `jangdan logs TASK`: messages and tool calls of a task's agent, from the spool of its session.
//!
//! Reads the spool directly, so it works with and without a server.

mod spool_printer;

use std::{process::ExitCode, thread, time::Duration};

use clap::Args;
use domain::{RunId, TaskId};
use runtime::session_processes;
use sessions::Sessions;
use views::{AttemptRow, SessionRow, TaskRow};

use self::spool_printer::SpoolPrinter;
use crate::{
    arguments::{RunArguments, parse_task_id},
    failure::Failure,
    localized::localized,
    number::parse_number,
    row_source::RowSource,
    session,
};

/// How often it checks whether the agent has started.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2
    #[arg(value_parser = parse_task_id)]
    task: TaskId,
    /// Continue with new output until the agent's process ends
    #[arg(long, short)]
    follow: bool,
    /// Attempt at the task [default: the last one]
    #[arg(long, value_name = "NUMBER", value_parser = parse_number::<u32>)]
    attempt: Option<u32>,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (task, common) = (&arguments.task, &arguments.run.common);
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?.id;
    let mut session = session_of(&source, &run, task, arguments.attempt)?;
    let data = common.data_directory()?;
    let sessions = Sessions::open(&data).map_err(session::session_failure)?;
    let processes_of = |session: &SessionRow| {
        session_processes(&sessions, &run, session.id).map_err(session::session_failure)
    };
    let mut processes = processes_of(&session)?;
    while arguments.follow && processes.is_empty() && session.ended_at.is_none() {
        thread::sleep(POLL_INTERVAL);
        session = session_of(&source, &run, task, arguments.attempt)?;
        processes = processes_of(&session)?;
    }
    if processes.is_empty() {
        eprintln!(
            "{}",
            localized(
                format!("{task} has no process yet"),
                format!("{task} 작업의 프로세스가 아직 시작되지 않았습니다"),
            )
        );
    }
    let n_processes = processes.len();
    for (index, entry) in processes.into_iter().enumerate() {
        let follow = arguments.follow && index + 1 == n_processes;
        let printer = SpoolPrinter { entry, json: common.json, follow };
        if let Some(failure) = printer.print()? {
            return Failure::from_output_error(&failure).map_or(Ok(ExitCode::SUCCESS), Err);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports a task that is not in the plan of the run.
pub(crate) fn unknown_task_failure(run: &RunId, task: &TaskId) -> Failure {
    Failure {
        what: localized(
            format!("Unknown task {task} in run {run}."),
            format!("실행 {run}에 {task} 작업이 없습니다."),
        ),
        hint: Some(localized(
            format!("List the tasks: jangdan status --all {run}"),
            format!("작업 목록: jangdan status --all {run}"),
        )),
        exit: 1,
    }
}

/// Returns the session of an attempt at a task.
fn session_of(
    source: &RowSource,
    run: &RunId,
    task: &TaskId,
    attempt: Option<u32>,
) -> Result<SessionRow, Failure> {
    let tasks: Vec<TaskRow> = source.rows_of_kind(run)?;
    let row = tasks.iter().find(|row| row.id == *task).ok_or_else(|| unknown_task_failure(run, task))?;
    let session = match attempt {
        None => row.session,
        Some(number) => {
            let attempts: Vec<AttemptRow> = source.rows_of_kind(run)?;
            attempts.iter().find(|row| row.task == *task && row.number == number).map(|row| row.session)
        }
    };
    let rows: Vec<SessionRow> = source.rows_of_kind(run)?;
    let row = session.and_then(|session| rows.into_iter().find(|row| row.id == session));
    row.ok_or_else(|| Failure {
        what: match attempt {
            Some(number) => localized(
                format!("{task} has no attempt {number}."),
                format!("{task} 작업에 {number}차 시도가 없습니다."),
            ),
            None => localized(
                format!("{task} has not started yet."),
                format!("{task} 작업이 아직 시작되지 않았습니다."),
            ),
        },
        hint: Some(localized(
            format!("Show its state: jangdan status {run}"),
            format!("상태 보기: jangdan status {run}"),
        )),
        exit: 1,
    })
}
