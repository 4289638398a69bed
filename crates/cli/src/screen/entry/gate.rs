//! A gate: the approval of a phase, with its tasks, changed files and checks.

use domain::{ChangeSummary, FileChange, LargeFile, Locale, PhaseNumber};
use views::{
    GateRow, GateTask, InboxItem, TaskMark, TaskState, describe_check, describe_task_mark,
    translate_engine_text,
};

use super::{ChoiceTextRule, EntryAction, EntryChoice, FreeInput, InboxEntry, join_heading};
use crate::screen::{
    board::Board,
    phrases::{phase, pick_by_locale, task_state},
};

/// Limit of changed files that an entry lists.
const FILES_MAX: usize = 12;
/// Limit of tasks that an entry lists.
const TASKS_MAX: usize = 12;

pub(super) fn entry(locale: Locale, board: &Board, row: &GateRow) -> InboxEntry {
    let name = board.phases.get(&row.phase).map(|phase| phase.name.as_str()).unwrap_or_default();
    let report = row.rounds.last().and_then(|round| round.report.as_ref());
    let mut context = Vec::new();
    for receipt in report.iter().flat_map(|report| &report.receipts) {
        context.push(format!("$ {}: {}", receipt.command, describe_check(locale, receipt)));
    }
    if report.is_some_and(|report| !report.receipts.is_empty()) {
        let lead = pick_by_locale(locale, "Output of the checks:", "검증 출력:");
        context.push(format!("{lead} jangdan checks --phase {}", row.phase));
    }
    let is_unchanged = row.rounds.last().is_some_and(|round| round.is_unchanged);
    if is_unchanged {
        context.push(changes_since_rejection(locale, row.phase, &ChangeSummary::default()));
    } else if let Some(changes) = report.and_then(|report| report.changes_since_rejection.as_ref()) {
        context.push(changes_since_rejection(locale, row.phase, changes));
    }
    if let Some(changes) = report.and_then(|report| report.changes.as_ref()) {
        context.extend(change_lines(locale, row.phase, changes));
    }
    context.extend(task_list(locale, &row.tasks));
    context.extend(files_left_out(locale, &row.tasks));
    let list =
        |title: &str, items: &[String]| (!items.is_empty()).then(|| format!("{title} {}", items.join(", ")));
    context.extend(list(pick_by_locale(locale, "Artefacts:", "산출물:"), &row.artefacts));
    context.extend(list(pick_by_locale(locale, "Documents:", "문서:"), &row.documents));
    let missing = report.map(|report| report.missing.as_slice()).unwrap_or_default();
    context.extend(list(pick_by_locale(locale, "Missing:", "누락:"), missing));
    let summary = report.map(|report| report.summary.trim().to_owned()).unwrap_or_default();
    let summary = match locale {
        Locale::En => summary,
        Locale::Ko => translate_engine_text(&summary),
    };
    let waiting = pick_by_locale(locale, "Waiting for your approval", "승인이 필요합니다");
    InboxEntry {
        item: InboxItem::Gate(row.phase),
        heading: join_heading(&[
            Some(format!("gate/{}", row.phase)),
            Some(phase(locale, row.phase, name)),
            (row.round > 1).then(|| round(locale, row.round)),
        ]),
        text: if summary.is_empty() { waiting.to_owned() } else { format!("{waiting}: {summary}") },
        context,
        choices: vec![
            EntryChoice {
                label: pick_by_locale(locale, "approve", "승인").to_owned(),
                action: EntryAction::Approve(row.phase),
                text: ChoiceTextRule::Optional,
            },
            EntryChoice {
                label: pick_by_locale(locale, "request changes (say what)", "수정 요청 (내용을 입력하세요)")
                    .to_owned(),
                action: EntryAction::Reject(row.phase),
                text: ChoiceTextRule::Required,
            },
        ],
        free: FreeInput::Nothing,
        is_yes_or_no: true,
    }
}

fn round(locale: Locale, round: u32) -> String {
    match locale {
        Locale::En => format!("round {round}"),
        Locale::Ko => format!("{round}회차"),
    }
}

/// Returns the tasks of the phase and how many are checked, each task with its state if it is not done, and its marks.
/// Of many tasks, those with marks are listed first.
fn task_list(locale: Locale, tasks: &[GateTask]) -> Option<String> {
    let describe = |task: &GateTask| {
        let state = (task.state != TaskState::Done).then(|| task_state(locale, task.state).to_owned());
        let marks = task.marks.iter().map(|mark| describe_task_mark(locale, *mark).to_owned());
        let remarks: Vec<String> = state.into_iter().chain(marks).collect();
        let remarks = if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join(", ")) };
        format!("{} {}{remarks}", task.id, task.title)
    };
    let is_checked = |task: &&GateTask| {
        let is_unproved = |mark: &TaskMark| matches!(mark, TaskMark::Unchecked | TaskMark::Waived);
        task.state == TaskState::Done && !task.marks.iter().any(is_unproved)
    };
    let (n_tasks, n_checked) = (tasks.len(), tasks.iter().filter(is_checked).count());
    let mut tasks: Vec<&GateTask> = tasks.iter().collect();
    if n_tasks > TASKS_MAX {
        tasks.sort_by_key(|task| task.marks.is_empty());
    }
    let listed: Vec<String> = tasks.iter().take(TASKS_MAX).map(|task| describe(task)).collect();
    let title = match locale {
        Locale::En => format!("Tasks ({n_checked} of {n_tasks} checked):"),
        Locale::Ko => format!("작업 ({n_tasks}개 중 {n_checked}개 검증됨):"),
    };
    let more = and_more(locale, tasks.len().saturating_sub(TASKS_MAX));
    (!listed.is_empty()).then(|| format!("{title} {}{}", listed.join(", "), more.unwrap_or_default()))
}

/// Returns the files above the size limit that the tasks do not have, with their sizes.
fn files_left_out(locale: Locale, tasks: &[GateTask]) -> Option<String> {
    let files: Vec<LargeFile> = tasks.iter().flat_map(|task| task.left_out.clone()).collect();
    let title = pick_by_locale(locale, "Left out:", "제외된 파일:");
    let listed = LargeFile::list_text(files.get(..FILES_MAX).unwrap_or(&files));
    let more = and_more(locale, files.len().saturating_sub(FILES_MAX));
    (!files.is_empty()).then(|| format!("{title} {listed}{}", more.unwrap_or_default()))
}

/// Returns the changed files of the phase, one on each line, and the command that shows the changes.
fn change_lines(locale: Locale, phase: PhaseNumber, changes: &ChangeSummary) -> Vec<String> {
    if changes.n_files == 0 {
        let none = pick_by_locale(locale, "No files were changed.", "변경된 파일이 없습니다.");
        return vec![none.to_owned()];
    }
    let mut lines = vec![format!("{}: jangdan diff --phase {phase}", change_totals(locale, changes))];
    lines.extend(changes.files.iter().take(FILES_MAX).map(|file| format!("  {}", file_line(locale, file))));
    let n_shown = changes.files.len().min(FILES_MAX);
    let n_files = usize::try_from(changes.n_files).unwrap_or(usize::MAX);
    let more = and_more(locale, n_files.saturating_sub(n_shown));
    lines.extend(more.map(|more| format!("  {}", more.trim_start_matches([',', ' ']))));
    lines
}

fn changes_since_rejection(locale: Locale, phase: PhaseNumber, changes: &ChangeSummary) -> String {
    let totals = change_totals(locale, changes);
    match locale {
        Locale::En if changes.n_files == 0 => "Nothing has changed since you requested changes.".to_owned(),
        Locale::Ko if changes.n_files == 0 => "수정 요청 이후 변경된 내용이 없습니다.".to_owned(),
        Locale::En => {
            format!("Since the last round: {totals}: jangdan diff --phase {phase} --since-rejection")
        }
        Locale::Ko => format!("지난 회차 이후: {totals}: jangdan diff --phase {phase} --since-rejection"),
    }
}

/// Returns the number of changed files and lines.
pub(crate) fn change_totals(locale: Locale, changes: &ChangeSummary) -> String {
    let ChangeSummary { n_files, n_added, n_removed, .. } = changes;
    match locale {
        Locale::En if *n_files == 1 => format!("1 file changed, +{n_added} −{n_removed}"),
        Locale::En => format!("{n_files} files changed, +{n_added} −{n_removed}"),
        Locale::Ko => format!("파일 {n_files}개 변경, +{n_added} −{n_removed}"),
    }
}

fn file_line(locale: Locale, file: &FileChange) -> String {
    match &file.lines {
        Some(lines) => format!("{} +{} −{}", file.path, lines.added, lines.removed),
        None => format!("{} {}", file.path, pick_by_locale(locale, "(binary)", "(바이너리)")),
    }
}

/// Returns the end of a list that is not complete.
fn and_more(locale: Locale, n_more: usize) -> Option<String> {
    match locale {
        _ if n_more == 0 => None,
        Locale::En => Some(format!(", and {n_more} more")),
        Locale::Ko => Some(format!(", 외 {n_more}개")),
    }
}

#[cfg(test)]
mod tests {
    use domain::LineCounts;

    use super::*;

    #[test]
    fn changed_files_are_listed_up_to_a_limit_in_both_languages() {
        let file = |number: usize| FileChange {
            path: format!("src/file{number}.rs"),
            lines: (number > 0).then_some(LineCounts { added: 2, removed: 1 }),
        };
        let changes = ChangeSummary::of_files((0..24).map(file).collect());
        let english = change_lines(Locale::En, 3, &changes);
        assert_eq!(english[0], "24 files changed, +46 −23: jangdan diff --phase 3");
        assert_eq!(english[1], "  src/file0.rs (binary)");
        assert_eq!(english[2], "  src/file1.rs +2 −1");
        assert_eq!((english.len(), english[13].as_str()), (14, "  and 12 more"));
        let korean = change_lines(Locale::Ko, 3, &changes);
        assert_eq!(korean[0], "파일 24개 변경, +46 −23: jangdan diff --phase 3");
        assert_eq!(korean[1], "  src/file0.rs (바이너리)");
        assert_eq!(korean[13], "  외 12개");
        assert_eq!(change_lines(Locale::En, 3, &ChangeSummary::default()), ["No files were changed."]);
    }

    #[test]
    fn rework_without_changes_says_so() {
        let none = ChangeSummary::default();
        let text = changes_since_rejection(Locale::En, 1, &none);
        assert_eq!(text, "Nothing has changed since you requested changes.");
        let text = changes_since_rejection(Locale::Ko, 1, &none);
        assert_eq!(text, "수정 요청 이후 변경된 내용이 없습니다.");
    }
}
