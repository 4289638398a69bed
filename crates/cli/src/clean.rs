//! `jangdan clean [RUN]`: deletes finished worktrees. Their content is committed to git first.

use std::process::ExitCode;

use clap::Args;
use runtime::CleanupReport;

use crate::{
    arguments::{ConfirmArguments, RunOperandArguments},
    failure::Failure,
    plural::plural,
    printable::{printable, printable_json},
    remote,
};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

/// Deletes the worktrees and lists those that are still in use.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (run, cleaned) =
        remote::query_run(arguments.run.common(), arguments.run.run_name(), |client, run| {
            let cleaned: Result<CleanupReport, _> = client.post(&format!("/api/runs/{}/clean", run.id), &());
            cleaned.map_err(|error| remote::client_failure(&error))
        })?;
    if arguments.run.common().json {
        println!("{}", printable_json(&cleaned).unwrap_or_default());
        return Ok(ExitCode::SUCCESS);
    }
    let n_removed = cleaned.removed_tasks.len() + cleaned.removed_sessions.len();
    eprintln!("Deleted {} of run {}", plural(n_removed, "worktree"), run.id);
    for (task, why) in &cleaned.kept_tasks {
        eprintln!("{}", printable(&format!("Kept {task}: {why}")));
    }
    for (session, why) in &cleaned.kept_sessions {
        eprintln!("{}", printable(&format!("Kept {session}: {why}")));
    }
    Ok(ExitCode::SUCCESS)
}
