//! `jangdan clean [RUN]`: deletes finished worktrees. Their content is committed to git first.

use std::process::ExitCode;

use clap::Args;
use runtime::CleanupReport;
use views::translate_engine_text;

use crate::{
    arguments::{ConfirmArguments, RunOperandArguments},
    failure::Failure,
    localized::localized,
    plural::plural,
    printable::{printable, printable_json},
    remote,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

/// Deletes the worktrees and lists those that are still in use.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
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
    let deleted = localized(
        format!("Deleted {} of run {}", plural(n_removed, "worktree"), run.id),
        format!("실행 {}의 워크트리 {n_removed}개를 삭제했습니다", run.id),
    );
    eprintln!("{deleted}");
    let kept = localized("Kept", "유지");
    for (task, why) in &cleaned.kept_tasks {
        eprintln!(
            "{}",
            printable(&format!("{kept} {task}: {}", localized(why.as_str(), translate_engine_text(why))))
        );
    }
    for (session, why) in &cleaned.kept_sessions {
        eprintln!(
            "{}",
            printable(&format!("{kept} {session}: {}", localized(why.as_str(), translate_engine_text(why))))
        );
    }
    Ok(ExitCode::SUCCESS)
}
