//! `jangdan land [RUN]`: merges the approved work of a run into the branch that it started from.

use std::process::ExitCode;

use clap::Args;
use runtime::LandReport;

use crate::{
    arguments::{ConfirmArguments, RunOperandArguments},
    failure::Failure,
    localized::localized,
    plural::plural,
    printable::{printable, printable_json},
    remote,
};

/// How many files a message lists.
const FILES_LISTED_MAX: usize = 8;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
    /// Include unapproved phases
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let (run, landed) = remote::query_run(common, arguments.run.run_name(), |client, run| {
        client.land(&run.id, arguments.all).map_err(|error| remote::client_failure(&error))
    })?;
    if common.json {
        println!("{}", printable_json(&landed).unwrap_or_default());
    }
    let failure = |what: String, hint: String| Err(Failure { what, hint: Some(hint), exit: 1 });
    let done = match landed {
        LandReport::Landed { branch, commit, from, n_commits } => {
            let commits = plural(n_commits as usize, "commit");
            let range = match &from {
                Some(from) => format!("{}..{}", short_commit(from), short_commit(&commit)),
                None => short_commit(&commit).to_owned(),
            };
            localized(
                format!("Merged {commits} of {} into {branch} ({range})", run.id),
                format!("실행 {}의 커밋 {n_commits}개를 {branch} 브랜치에 병합했습니다 ({range})", run.id),
            )
        }
        LandReport::AlreadyLanded { branch } => localized(
            format!("{branch} already contains the work of {}", run.id),
            format!("{branch} 브랜치에 실행 {}의 결과가 이미 있습니다", run.id),
        ),
        LandReport::NoTarget { branch } => localized(
            format!("No branch was checked out when {} started; its work is in {branch}", run.id),
            format!(
                "실행 {} 시작 시 체크아웃한 브랜치가 없었습니다. 결과는 {branch} 브랜치에 있습니다",
                run.id
            ),
        ),
        LandReport::NotApproved { branch } => {
            let what = format!("No phase of run {} is approved yet.", run.id);
            return failure(
                what,
                format!("Approve one, or merge all of {branch}: jangdan land --all --run {}", run.id),
            );
        }
        LandReport::CheckedOut { branch, path } => {
            let what = format!("Cannot merge into {branch}: it is checked out in {}.", path.display());
            return failure(what, "Run the command there, or check out another branch there.".to_owned());
        }
        LandReport::Diverged { branch, tip } => {
            let what = format!(
                "Cannot merge into {branch}: it has commits that the run does not have (it is at {tip})."
            );
            return failure(
                what,
                format!("Merge the run's branch yourself: git merge jangdan/{}/run", run.id),
            );
        }
        LandReport::Dirty { branch, files } => {
            let mut named: Vec<_> =
                files.iter().take(FILES_LISTED_MAX).map(|file| file.display().to_string()).collect();
            if files.len() > FILES_LISTED_MAX {
                named.push(format!("{} more", files.len() - FILES_LISTED_MAX));
            }
            let what = format!("Cannot merge into {branch}: uncommitted changes in {}.", named.join(", "));
            return failure(what, "Commit or stash them, then run the command again.".to_owned());
        }
    };
    if !common.json {
        eprintln!("{}", printable(&done));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the usual abbreviation of a commit.
fn short_commit(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}
