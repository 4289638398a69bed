//! Sentences about events, inputs and plan changes, in English and Korean.

pub(crate) mod en;
pub(crate) mod ko;
mod landing;
pub(crate) mod test_report;
pub(crate) mod usage;

use domain::{AttemptFailure, CheckObstacle, CommandOrigin, CompletionProof, Locale, Receipt, TaskId};

use crate::{Rows, TaskMark};

/// Describes the outcome of a check: "failed with exit status 1".
pub fn describe_check(locale: Locale, receipt: &Receipt) -> String {
    match locale {
        Locale::En => en::check_result(receipt),
        Locale::Ko => ko::check_result(receipt),
    }
}

/// Describes where a command came from: "terminal, jangdan (4711)".
pub fn command_origin_text(origin: &CommandOrigin, locale: Locale) -> String {
    match locale {
        Locale::En => origin.to_string(),
        Locale::Ko => ko::command_origin(origin),
    }
}

/// Describes a mark beside the state of a task: "no changes".
pub fn describe_task_mark(locale: Locale, mark: TaskMark) -> &'static str {
    let (english, korean) = match mark {
        TaskMark::Unchecked => ("unchecked", "검증 없음"),
        TaskMark::Waived => ("check waived", "검증 면제"),
        TaskMark::CheckFailed => ("check failed", "검증 실패"),
        TaskMark::CheckNotRun => ("check could not run", "검증 실행 불가"),
        TaskMark::ChangedSinceCheck => ("changed since check", "검증 이후 변경"),
        TaskMark::NoChanges => ("no changes", "변경 없음"),
        TaskMark::SameAsLastRound => ("same as last round", "지난 회차와 동일"),
        TaskMark::NotClaimed => ("not claimed", "완료 보고 없음"),
        TaskMark::FilesLeftOut => ("files left out", "제외된 파일 있음"),
    };
    match locale {
        Locale::En => english,
        Locale::Ko => korean,
    }
}

/// Describes how far a done task is proved: "checked, no changes".
fn describe_proof(locale: Locale, rows: &Rows, task: &TaskId, proof: CompletionProof) -> String {
    let marks = rows.tasks.get(task).map(|row| row.marks.as_slice()).unwrap_or_default();
    let proof = match (proof, locale) {
        (CompletionProof::Checked, Locale::En) => "checked",
        (CompletionProof::Checked, Locale::Ko) => "검증됨",
        (CompletionProof::Unchecked, _) => describe_task_mark(locale, TaskMark::Unchecked),
        (CompletionProof::Waived, _) => describe_task_mark(locale, TaskMark::Waived),
    };
    let is_other = |mark: &&TaskMark| !matches!(mark, TaskMark::Unchecked | TaskMark::Waived);
    let others = marks.iter().filter(is_other).map(|mark| describe_task_mark(locale, *mark));
    std::iter::once(proof).chain(others).collect::<Vec<_>>().join(", ")
}

/// Describes why a check could not run: "pytest is not on PATH".
/// Describes why an attempt failed.
pub fn describe_attempt_failure(locale: Locale, failure: &AttemptFailure) -> String {
    match locale {
        Locale::En => en::failure_reason(failure),
        Locale::Ko => ko::failure_reason(failure),
    }
}
pub fn describe_check_obstacle(locale: Locale, obstacle: &CheckObstacle) -> String {
    match locale {
        Locale::En => obstacle.to_string(),
        Locale::Ko => ko::check_obstacle(obstacle),
    }
}
