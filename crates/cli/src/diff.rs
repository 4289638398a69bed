//! `jangdan diff TASK` and `jangdan diff --phase N`: the changes of a task so far, or of the merged tasks of a phase.

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::{LargeFile, PhaseNumber, RunId, TaskId};
use runtime::PhaseDiffScope;
use serde::Serialize;
use server::{Client, ClientError};
use views::{RowKind, TaskRow};

use crate::{
    arguments::{RunArguments, parse_phase, parse_task_id},
    failure::Failure,
    localized::localized,
    printable::{printable_json, printable_line},
    remote,
    run_command::missing_subject_failure,
};

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const RANGE: Style = AnsiColor::Cyan.on_default();
const HEAD: Style = Style::new().bold();

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2
    #[arg(value_parser = parse_task_id, conflicts_with = "phase")]
    task: Option<TaskId>,
    /// Number of a phase: show the changes of its merged tasks
    #[arg(long, value_name = "N", value_parser = parse_phase)]
    phase: Option<PhaseNumber>,
    /// Only what changed since you last requested changes to the phase
    #[arg(long, requires = "phase")]
    since_rejection: bool,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WorkDiff<'a> {
    run: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<PhaseNumber>,
    diff: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    left_out: &'a [LargeFile],
}

/// The work that a diff shows.
enum DiffSubject<'a> {
    Task(&'a TaskId),
    Phase(PhaseNumber, PhaseDiffScope),
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Arguments { task, phase, since_rejection, run: run_arguments } = arguments;
    let common = &run_arguments.common;
    let scope = if *since_rejection { PhaseDiffScope::SinceRejection } else { PhaseDiffScope::All };
    let subject = match (task, phase) {
        (Some(task), _) => DiffSubject::Task(task),
        (None, Some(phase)) => DiffSubject::Phase(*phase, scope),
        (None, None) => return Err(missing_subject_failure()),
    };
    let (run, (diff, left_out)) = remote::query_run(common, run_arguments.run_name(), |client, run| {
        let diff = match subject {
            DiffSubject::Task(task) => client.task_diff(&run.id, task),
            DiffSubject::Phase(phase, scope) => client.phase_diff(&run.id, phase, scope),
        };
        let left_out = files_left_out(client, &run.id, &subject);
        diff.and_then(|diff| Ok((diff, left_out?))).map_err(|error| remote::client_failure(&error))
    })?;
    if !left_out.is_empty() && !common.json {
        let files = printable_line(&LargeFile::list_text(&left_out));
        let note = localized(format!("Left out: {files}"), format!("제외된 파일: {files}"));
        eprintln!("{note}");
    }
    if diff.is_empty() && !common.json {
        eprintln!("{}", no_changes_note(&subject));
    }
    let printed = if common.json {
        let (run, task) = (run.id.as_str(), task.as_ref());
        print_json(&WorkDiff { run, task, phase: *phase, diff: &diff, left_out: &left_out })
    } else {
        print(&diff)
    };
    Failure::exit_after_output(printed)
}

/// Returns what is said instead of an empty diff.
fn no_changes_note(subject: &DiffSubject<'_>) -> String {
    match subject {
        DiffSubject::Task(task) => {
            localized(format!("{task} has changed nothing"), format!("{task}: 변경 내용이 없습니다"))
        }
        DiffSubject::Phase(phase, _) => localized(
            format!("The merged tasks of phase {phase} have changed nothing"),
            format!("{phase}단계에 병합된 변경 내용이 없습니다"),
        ),
    }
}

/// Returns the files above the size limit that the work does not have.
fn files_left_out(
    client: &Client,
    run: &RunId,
    subject: &DiffSubject<'_>,
) -> Result<Vec<LargeFile>, ClientError> {
    let tasks = client.rows(run, &[RowKind::Task])?.rows_of_kind::<TaskRow>()?;
    let is_shown = |row: &TaskRow| match subject {
        DiffSubject::Task(task) => row.id == **task,
        DiffSubject::Phase(phase, _) => row.phase == *phase,
    };
    Ok(tasks.into_iter().filter(is_shown).flat_map(|row| row.left_out).collect())
}

fn print_json(diff: &WorkDiff<'_>) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", printable_json(diff)?)
}

/// Prints a diff unchanged for programs such as `git apply`, coloured and without control characters on a terminal.
fn print(diff: &str) -> io::Result<()> {
    if !io::stdout().is_terminal() {
        return io::stdout().lock().write_all(diff.as_bytes());
    }
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    for line in diff.lines() {
        let style = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', b'i', b'f', b'f', ..] => HEAD,
            [b'+', ..] => ADDED,
            [b'-', ..] => REMOVED,
            [b'@', ..] => RANGE,
            _ => Style::new(),
        };
        writeln!(out, "{style}{}{style:#}", printable_line(line))?;
    }
    out.flush()
}
