//! The title of a run and its totals.

use anstyle::{AnsiColor, Style};
use domain::Locale;
use views::{
    CostCertainty, RunRow, RunState, TaskMark, TaskState, describe_task_mark, describe_used_cost,
    describe_used_tokens,
};

use super::{
    DrawContext,
    amounts::{elapsed_ms, format_duration, format_estimate},
    board::Board,
    line::{Line, collapse_whitespace},
    phrases::{pick_by_locale, run_state},
    remaining_time::remaining_ms,
};

const TITLE: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const ASKS: Style = AnsiColor::Yellow.on_default().bold();
const MARKED: Style = AnsiColor::Yellow.on_default();
const PLAIN: Style = Style::new();

/// Returns the title line.
pub(super) fn title_line(context: DrawContext, run: &RunRow) -> Line {
    let status = match run.status {
        RunState::Running => PLAIN,
        RunState::Done => GOOD,
        RunState::Paused => ASKS,
        RunState::Failed | RunState::Cancelled => BAD,
    };
    let name = if run.title.trim().is_empty() { &run.project } else { &run.title };
    let elapsed = elapsed_ms(run.started_at, run.ended_at.unwrap_or(context.now));
    Line::styled(TITLE, &collapse_whitespace(name))
        .append(FAINT, &format!(" {} ", run.id))
        .append(status, run_state(context.locale, run.status))
        .append(FAINT, &format!(" {}", format_duration(context.locale, elapsed)))
        .cut(context.width)
}

/// Returns the failed tasks of an ended run, and those that never started.
pub(super) fn unfinished_task_lines(context: DrawContext, run: &RunRow) -> Vec<Line> {
    let list = |english, korean, tasks: &[domain::TaskId]| {
        let ids: Vec<String> = tasks.iter().map(ToString::to_string).collect();
        let text = format!("{} {}", pick_by_locale(context.locale, english, korean), ids.join(", "));
        (!ids.is_empty()).then(|| Line::styled(BAD, &text).cut(context.width))
    };
    let failed = list("Failed:", "실패:", &run.failed);
    let waiting = list("Not started:", "시작 안 됨:", &run.waiting);
    failed.into_iter().chain(waiting).collect()
}

/// Returns the counts of tasks by state and the usage, wrapped to the width.
pub(super) fn totals(context: DrawContext, board: &Board) -> Vec<Line> {
    let Some(run) = &board.run else { return Vec::new() };
    let mut lines = vec![Line::default()];
    for (style, text) in totals_parts(context, board, run) {
        let last = lines.pop().unwrap_or_default();
        let is_first = last == Line::default();
        let gap = if is_first { "" } else { " · " };
        let longer = last.clone().append(FAINT, gap).append(style, &text);
        if is_first || longer.width() <= context.width {
            lines.push(longer);
        } else {
            lines.extend([last, Line::styled(style, &text)]);
        }
    }
    lines.into_iter().map(|line| line.cut(context.width)).collect()
}

/// Counts the done tasks that have each mark. What is known of a waived check is that it was waived.
fn done_marks(board: &Board) -> Vec<(TaskMark, usize)> {
    let done = || board.tasks.values().filter(|task| task.state == TaskState::Done);
    let count = |mark: TaskMark| (mark, done().filter(|task| task.marks.contains(&mark)).count());
    let marks = [
        TaskMark::Unchecked,
        TaskMark::Waived,
        TaskMark::ChangedSinceCheck,
        TaskMark::NoChanges,
        TaskMark::SameAsLastRound,
        TaskMark::NotClaimed,
    ];
    marks.into_iter().map(count).filter(|(_, n)| *n > 0).collect()
}

fn totals_parts(context: DrawContext, board: &Board, run: &RunRow) -> Vec<(Style, String)> {
    let (locale, tasks) = (context.locale, run.tasks);
    let count = |n: u32, english: &str, korean: &str| match locale {
        Locale::En => format!("{n} {english}"),
        Locale::Ko => format!("{korean} {n}"),
    };
    let done = match locale {
        Locale::En => format!("{} of {} done", tasks.done, run.n_tasks),
        Locale::Ko => format!("{}개 중 {}개 완료", run.n_tasks, tasks.done),
    };
    let mut parts = vec![(GOOD, done)];
    for (mark, n) in done_marks(board) {
        let mark = describe_task_mark(locale, mark);
        let text = match locale {
            Locale::En => format!("{n} {mark}"),
            Locale::Ko => format!("{mark} {n}"),
        };
        parts.push((MARKED, text));
    }
    let mut some = |style, n: u32, english: &str, korean: &str| {
        if n > 0 {
            parts.push((style, count(n, english, korean)));
        }
    };
    some(PLAIN, tasks.running + tasks.checking + tasks.merging, "running", "진행");
    some(PLAIN, tasks.blocked, "blocked", "막힘");
    some(PLAIN, tasks.waiting + tasks.ready, "waiting", "대기");
    some(BAD, tasks.failed, "failed", "실패");
    some(FAINT, tasks.skipped, "skipped", "건너뜀");
    some(FAINT, tasks.cancelled, "cancelled", "취소됨");
    match (run.waits_for.person, locale) {
        (0, _) => {}
        (n, Locale::En) => parts.push((ASKS, format!("{n} waiting for you"))),
        (n, Locale::Ko) => parts.push((ASKS, format!("{n}건 확인 필요"))),
    }
    if run.used.tokens > 0 {
        parts.push((FAINT, describe_used_tokens(locale, &run.used)));
    }
    if run.used.cost_micros > 0 || run.used.cost_certainty != CostCertainty::Known {
        parts.push((FAINT, describe_used_cost(locale, &run.used)));
    }
    // Less than a second is not worth mentioning.
    let left = remaining_ms(board, context.now).filter(|left| run.ended_at.is_none() && *left >= 1000);
    if let Some(left) = left {
        let time = format_estimate(locale, left);
        parts.push((
            FAINT,
            match locale {
                Locale::En => format!("about {time} left"),
                Locale::Ko => format!("약 {time} 남음"),
            },
        ));
    }
    parts
}
