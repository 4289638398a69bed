//! `jangdan clean [RUN]`: deletes finished worktrees. Their content is committed to git first.

use std::process::ExitCode;

use clap::Args;
use domain::{KeptRefReason, RefCleanupReport};
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
    /// Also delete branches and refs of the run whose work is in a branch of yours, and old saved states
    #[arg(long)]
    refs: bool,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

/// Deletes the worktrees and lists those that are still in use.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (run, cleaned) =
        remote::query_run(arguments.run.common(), arguments.run.run_name(), |client, run| {
            let cleaned = client.remove_finished_worktrees(&run.id, arguments.refs);
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
    if let Some(refs) = &cleaned.refs {
        print_refs(refs);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_refs(refs: &RefCleanupReport) {
    let (n_deleted, size) = (refs.deleted.len(), format_bytes(refs.freed_bytes));
    let deleted = localized(
        format!("Deleted {} ({size}, which git frees later)", plural(n_deleted, "ref")),
        format!("참조 {n_deleted}개를 삭제했습니다 ({size}, git이 나중에 정리합니다)"),
    );
    eprintln!("{deleted}");
    let kept = localized("Kept", "유지");
    for (name, reason) in &refs.kept {
        let why = match reason {
            KeptRefReason::CheckedOut => localized("checked out in a worktree", "워크트리에서 사용 중"),
            KeptRefReason::UnmergedWork => {
                localized("none of your branches contains its work", "내 브랜치에 없는 작업이 있음")
            }
            KeptRefReason::NeededToLand => {
                localized("needed to merge the rest of the run", "나머지 결과를 병합할 때 필요함")
            }
            KeptRefReason::Recent { age_s } => match age_s / 86_400 {
                0 => localized("saved in the last 24 hours", "24시간 안에 저장됨"),
                days => localized(
                    format!("saved {} ago", plural(days as usize, "day")),
                    format!("{days}일 전에 저장됨"),
                ),
            },
        };
        eprintln!("{}", printable(&format!("{kept} {name}: {why}")));
    }
}

fn format_bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}
