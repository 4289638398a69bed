//! `jangdan land [RUN]`: merges the approved work of a run into a branch of the user.

use std::process::ExitCode;

use clap::Args;
use domain::{LandKind, LandReport, ManualMerge, RunId};
use runtime::LandOptions;
use views::describe_check_obstacle;

use crate::{
    arguments::{ConfirmArguments, RunOperandArguments},
    failure::Failure,
    localized::localized,
    plural::plural,
    printable::{printable, printable_json, printable_line},
    remote,
    remote::environment_locale,
};

/// How many files a message lists.
const FILES_LISTED_MAX: usize = 8;
/// How many lines of a failed check are shown.
const OUTPUT_LINES_MAX: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
    /// Include unapproved phases
    #[arg(long)]
    all: bool,
    /// Merge into this branch [default: the branch that the run started from]
    #[arg(long, value_name = "BRANCH")]
    into: Option<String>,
    /// Make one commit instead of keeping the run's commits
    #[arg(long)]
    squash: bool,
    /// Only print what would happen
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let options = LandOptions {
        is_all: arguments.all,
        into: arguments.into.clone(),
        is_squash: arguments.squash,
        is_dry_run: arguments.dry_run,
    };
    let (run, landed) = remote::query_run(common, arguments.run.run_name(), |client, run| {
        client.land(&run.id, &options).map_err(|error| remote::client_failure(&error))
    })?;
    if common.json {
        println!("{}", printable_json(&landed).unwrap_or_default());
    }
    if let (false, LandReport::CheckFailed { output, .. } | LandReport::CheckNotRun { output, .. }) =
        (common.json, &landed)
    {
        print_lines(last_lines(output));
    }
    let done = describe(landed, &run.id)?;
    if !common.json {
        print_lines(done.lines());
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the message of a success, or the failure if the branch does not have the work.
fn describe(report: LandReport, run: &RunId) -> Result<String, Failure> {
    let failure = |what: String, hint: String| Err(Failure { what, hint: Some(hint), exit: 1 });
    match report {
        LandReport::Landed { branch, commit, from, n_commits, kind, is_unchecked } => {
            let note = if is_unchecked { unchecked_note() } else { String::new() };
            Ok(describe_landed(run, &branch, &commit, from.as_deref(), n_commits, kind) + &note)
        }
        LandReport::Planned { branch, from: _, n_commits, kind, files, check, is_unchecked } => {
            let note = if is_unchecked { unchecked_note() } else { String::new() };
            Ok(describe_plan(run, &branch, n_commits, kind, &files, check.as_deref()) + &note)
        }
        LandReport::AlreadyLanded { branch } => Ok(localized(
            format!("{branch} already contains the work of {run}"),
            format!("{branch} 브랜치에 실행 {run}의 결과가 이미 있습니다"),
        )),
        LandReport::NoTarget { branch } => failure(
            localized(
                format!("No branch was checked out when {run} started; its work is in {branch}."),
                format!(
                    "실행 {run} 시작 시 체크아웃한 브랜치가 없었습니다. 결과는 {branch} 브랜치에 있습니다."
                ),
            ),
            localized(
                format!("Name the target: jangdan land --into BRANCH --run {run}"),
                format!("대상 브랜치를 지정하세요: jangdan land --into BRANCH --run {run}"),
            ),
        ),
        LandReport::NotApproved { branch } => failure(
            localized(
                format!("No phase of run {run} is approved yet."),
                format!("실행 {run}에서 승인된 단계가 아직 없습니다."),
            ),
            localized(
                format!("Approve one, or merge all of {branch}: jangdan land --all --run {run}"),
                format!(
                    "단계를 승인하거나 {branch} 브랜치를 모두 병합하세요: jangdan land --all --run {run}"
                ),
            ),
        ),
        LandReport::CheckedOut { branch, path } => failure(
            localized(
                format!("Cannot merge into {branch}: it is being rebased in {}.", path),
                format!("{branch} 브랜치에 병합할 수 없습니다. {}에서 리베이스 중입니다.", path),
            ),
            localized(
                "Finish or abort the rebase, then run the command again.",
                "리베이스를 마치거나 취소한 뒤 다시 실행하세요.",
            ),
        ),
        LandReport::Conflicted { branch, files, manual_merge } => {
            let (files, steps) = (listed(&files), Steps::new(&manual_merge));
            failure(
                localized(
                    format!("Cannot merge into {branch}: conflicts in {files}. Nothing was changed."),
                    format!("{branch} 브랜치에 병합할 수 없습니다. 충돌: {files}. 변경된 것은 없습니다."),
                ),
                localized(
                    format!(
                        "Merge by hand: `{}`, resolve the conflicts, then `{}`",
                        steps.start, steps.finish
                    ),
                    format!("직접 병합하세요: `{}`. 충돌을 해결한 뒤: `{}`", steps.start, steps.finish),
                ),
            )
        }
        LandReport::Dirty { branch, files } => {
            let files = listed(&files);
            failure(
                localized(
                    format!("Cannot merge into {branch}: uncommitted changes in {files}."),
                    format!("{branch} 브랜치에 병합할 수 없습니다. 커밋하지 않은 변경: {files}."),
                ),
                localized(
                    "Commit or stash them (git stash --include-untracked), then run the command again.",
                    "커밋하거나 스태시한 뒤(git stash --include-untracked) 다시 실행하세요.",
                ),
            )
        }
        LandReport::CheckFailed { branch, command, output: _, manual_merge } => {
            let steps = Steps::new(&manual_merge);
            failure(
                localized(
                    format!("`{command}` fails on {branch} merged with {run}. {branch} was not changed."),
                    format!(
                        "{branch} 브랜치와 실행 {run}의 결과를 합치면 `{command}` 검증이 실패합니다. 브랜치는 \
                         변경되지 않았습니다."
                    ),
                ),
                localized(
                    format!("Merge by hand: `{}`, make the check pass, then `{}`", steps.start, steps.finish),
                    format!("직접 병합하세요: `{}`. 검증을 통과시킨 뒤: `{}`", steps.start, steps.finish),
                ),
            )
        }
        LandReport::CheckNotRun { branch, command, obstacle, output: _ } => {
            let reason = describe_check_obstacle(environment_locale(), &obstacle);
            failure(
                localized(
                    format!(
                        "`{command}` could not run on {branch} merged with {run}: {reason}. {branch} was not changed."
                    ),
                    format!(
                        "{branch} 브랜치와 실행 {run}의 결과를 합친 뒤 `{command}` 검증을 실행하지 못했습니다: {reason}. \
                         브랜치는 변경되지 않았습니다."
                    ),
                ),
                localized("Fix the cause, then run the command again.", "원인을 해결한 뒤 다시 실행하세요."),
            )
        }
        LandReport::UnknownBranch { branch } => failure(
            localized(format!("Branch '{branch}' does not exist."), format!("'{branch}' 브랜치가 없습니다.")),
            localized(
                "List the branches: git branch. Create one: git branch NAME",
                "브랜치 목록: git branch. 새로 만들기: git branch NAME",
            ),
        ),
        LandReport::OwnBranch { branch } => failure(
            localized(
                format!("Cannot merge into {branch}: only jangdan moves branches below jangdan/."),
                format!(
                    "{branch} 브랜치에는 병합할 수 없습니다. jangdan/ 아래의 브랜치는 jangdan만 변경합니다."
                ),
            ),
            localized("Name another branch.", "다른 브랜치를 지정하세요."),
        ),
        // The server answers with a problem instead.
        LandReport::Failed { reason } => failure(
            reason,
            localized("Fix the cause, then run the command again.", "원인을 해결한 뒤 다시 실행하세요."),
        ),
    }
}

fn describe_landed(
    run: &RunId,
    branch: &str,
    commit: &str,
    from: Option<&str>,
    n_commits: u32,
    kind: LandKind,
) -> String {
    let commits = plural(n_commits as usize, "commit");
    let range = match from {
        Some(from) => format!("{}..{}", short_commit(from), short_commit(commit)),
        None => short_commit(commit).to_owned(),
    };
    let (how, how_korean) = match kind {
        LandKind::FastForward | LandKind::Merge => ("", ""),
        LandKind::Rebase => (" by rebasing them", "리베이스하여 "),
        LandKind::MergeInsteadOfRebase => (
            " with a merge commit, because they cannot be rebased one by one",
            "하나씩 리베이스할 수 없어 병합 커밋으로 ",
        ),
        LandKind::Squash => (" as one commit", "하나의 커밋으로 "),
    };
    localized(
        format!("Merged {commits} of {run} into {branch}{how} ({range})"),
        format!("실행 {run}의 커밋 {n_commits}개를 {branch} 브랜치에 {how_korean}병합했습니다 ({range})"),
    )
}

/// Returns a line about a merged result that no check examined.
fn unchecked_note() -> String {
    localized(
        "\nNot checked after merging: no check is set (checks.verify)",
        "\n병합 결과 검증 없음: 설정된 검증이 없습니다 (checks.verify)",
    )
}

fn describe_plan(
    run: &RunId,
    branch: &str,
    n_commits: u32,
    kind: LandKind,
    files: &[String],
    check: Option<&str>,
) -> String {
    let commits = plural(n_commits as usize, "commit");
    let (how, how_korean) = match kind {
        LandKind::FastForward => ("by fast-forward", "빨리 감기로"),
        LandKind::Merge => ("with a merge commit", "병합 커밋으로"),
        LandKind::Rebase => ("by rebasing them", "리베이스하여"),
        LandKind::MergeInsteadOfRebase => (
            "with a merge commit, because they cannot be rebased one by one",
            "하나씩 리베이스할 수 없어 병합 커밋으로",
        ),
        LandKind::Squash => ("as one commit", "하나의 커밋으로"),
    };
    let (n_files, names) = (files.len(), listed(files));
    let check_line = check.map(|check| {
        localized(format!("\nChecked before: {check}"), format!("\n병합 전에 실행할 검증: {check}"))
    });
    localized(
        format!(
            "Would merge {commits} of {run} into {branch} {how}\nChanges {}: {names}",
            plural(n_files, "file")
        ),
        format!(
            "실행 {run}의 커밋 {n_commits}개를 {branch} 브랜치에 {how_korean} 병합합니다\n변경되는 파일 \
             {n_files}개: {names}"
        ),
    ) + &check_line.unwrap_or_default()
}

/// The commands of a merge by hand, as lines for a shell.
struct Steps {
    start: String,
    finish: String,
}

impl Steps {
    fn new(ManualMerge { start, finish }: &ManualMerge) -> Self {
        Self { start: start.join(" && "), finish: finish.join(" && ") }
    }
}

fn listed(files: &[String]) -> String {
    let mut names: Vec<_> = files.iter().take(FILES_LISTED_MAX).map(|file| printable(file)).collect();
    if files.len() > FILES_LISTED_MAX {
        let n_more = files.len() - FILES_LISTED_MAX;
        names.push(localized(format!("{n_more} more"), format!("외 {n_more}개")));
    }
    names.join(", ")
}

fn last_lines(output: &str) -> impl Iterator<Item = &str> {
    let n_lines = output.trim_end().lines().count();
    output.trim_end().lines().skip(n_lines.saturating_sub(OUTPUT_LINES_MAX))
}

fn print_lines<'a>(lines: impl Iterator<Item = &'a str>) {
    for line in lines {
        eprintln!("{}", printable_line(line));
    }
}

/// Returns the usual abbreviation of a commit.
fn short_commit(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}
