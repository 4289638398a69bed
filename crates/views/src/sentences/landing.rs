//! Sentences about the results of landings and cleanups, in both languages.

use domain::{CleanupReport, LandReport, Locale};

use super::describe_check_obstacle;
use crate::sentence::short_commit;

/// Describes the result of a landing.
pub(super) fn landing_result(locale: Locale, report: &LandReport) -> String {
    let (english, korean) = match report {
        LandReport::Landed { branch, commit, n_commits, .. } => {
            let (commit, plural) = (short_commit(commit), if *n_commits == 1 { "" } else { "s" });
            (
                format!("Merged {n_commits} commit{plural} into {branch} ({commit})"),
                format!("{branch} 브랜치에 커밋 {n_commits}개를 병합했습니다 ({commit})"),
            )
        }
        LandReport::Planned { branch, n_commits, .. } => (
            format!("Would merge {n_commits} commits into {branch}"),
            format!("{branch} 브랜치에 커밋 {n_commits}개를 병합할 수 있습니다"),
        ),
        LandReport::AlreadyLanded { branch } => {
            (format!("{branch} already contains the work"), format!("{branch} 브랜치에 결과가 이미 있습니다"))
        }
        LandReport::CheckedOut { branch, path } => (
            format!("Not merged: {branch} is in use in {path}"),
            format!("병합하지 않았습니다: {branch} 브랜치를 사용 중입니다 ({path})"),
        ),
        LandReport::Conflicted { branch, files, .. } => (
            format!("Not merged: {branch} conflicts in {}", join_files(files)),
            format!("병합하지 않았습니다: {branch} 브랜치와 충돌 ({})", join_files(files)),
        ),
        LandReport::Dirty { branch, files } => (
            format!("Not merged: {branch} has uncommitted changes in {}", join_files(files)),
            format!(
                "병합하지 않았습니다: {branch} 브랜치에 커밋하지 않은 변경이 있습니다 ({})",
                join_files(files)
            ),
        ),
        LandReport::CheckFailed { branch, command, .. } => (
            format!("Not merged: `{command}` fails on the result of merging into {branch}"),
            format!("병합하지 않았습니다: {branch} 브랜치와 합친 결과에서 `{command}` 검증이 실패했습니다"),
        ),
        LandReport::CheckNotRun { command, obstacle, .. } => (
            format!(
                "Not merged: `{command}` could not run: {}",
                describe_check_obstacle(Locale::En, obstacle)
            ),
            format!(
                "병합하지 않았습니다: `{command}` 검증을 실행하지 못했습니다 ({})",
                describe_check_obstacle(Locale::Ko, obstacle)
            ),
        ),
        LandReport::NotApproved { .. } => (
            "Not merged: no phase is approved yet".to_owned(),
            "병합하지 않았습니다: 승인된 단계가 아직 없습니다".to_owned(),
        ),
        LandReport::NoTarget { branch } => (
            format!("Not merged: no target branch is known, the work is in {branch}"),
            format!("병합하지 않았습니다: 대상 브랜치가 없습니다. 결과는 {branch} 브랜치에 있습니다"),
        ),
        LandReport::UnknownBranch { branch } => (
            format!("Not merged: branch {branch} does not exist"),
            format!("병합하지 않았습니다: {branch} 브랜치가 없습니다"),
        ),
        LandReport::OwnBranch { branch } => (
            format!("Not merged: only Jangdan moves {branch}"),
            format!("병합하지 않았습니다: {branch} 브랜치는 Jangdan만 변경합니다"),
        ),
        LandReport::Failed { reason } => {
            (format!("Merging failed: {reason}"), format!("병합에 실패했습니다: {reason}"))
        }
    };
    choose(locale, english, korean)
}

/// Describes the result of a cleanup.
pub(super) fn cleanup_result(locale: Locale, report: &CleanupReport, error: Option<&str>) -> String {
    let n_worktrees = report.removed_tasks.len() + report.removed_sessions.len();
    let n_refs = report.refs.as_ref().map(|refs| refs.deleted.len());
    let (plural, refs) = (
        if n_worktrees == 1 { "" } else { "s" },
        n_refs.map(|n| format!(" and {n} refs")).unwrap_or_default(),
    );
    let korean_refs = n_refs.map(|n| format!(", 참조 {n}개")).unwrap_or_default();
    let (english, korean) = (
        format!("Deleted {n_worktrees} worktree{plural}{refs}"),
        format!("워크트리 {n_worktrees}개{korean_refs} 삭제"),
    );
    match error {
        None => choose(locale, english, korean),
        Some(error) => choose(
            locale,
            format!("{english}, then cleaning up failed: {error}"),
            format!("{korean} 후 정리에 실패했습니다: {error}"),
        ),
    }
}

fn choose(locale: Locale, english: String, korean: String) -> String {
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
}

/// Number of files that a sentence names.
const FILES_NAMED_MAX: usize = 3;

fn join_files(files: &[String]) -> String {
    let named = files.iter().take(FILES_NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    if files.len() > FILES_NAMED_MAX { format!("{named}, …") } else { named }
}
