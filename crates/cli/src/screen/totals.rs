//! The first and the last word about a run: what it is, and how much of it is where.

use anstyle::{AnsiColor, Style};
use domain::Locale;
use views::{RunRow, RunState, TaskRow, TaskState};

use super::{
    Look,
    amount::{about, cost, since, span, tokens},
    board::Board,
    left::left_ms,
    line::{Line, flat},
    words::{pick, run_state},
};

const TITLE: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const ASKS: Style = AnsiColor::Yellow.on_default().bold();
const PLAIN: Style = Style::new();

/// Returns what the run is, in one line.
pub fn title(look: Look, run: &RunRow) -> Line {
    let status = match run.status {
        RunState::Running => PLAIN,
        RunState::Done => GOOD,
        RunState::Paused => ASKS,
        RunState::Failed | RunState::Cancelled => BAD,
    };
    let name = if run.title.trim().is_empty() { &run.project } else { &run.title };
    let elapsed = since(run.started_at, run.ended_at.unwrap_or(look.now));
    Line::of(TITLE, &flat(name))
        .and(FAINT, &format!(" {} ", run.id))
        .and(status, run_state(look.locale, run.status))
        .and(FAINT, &format!(" {}", span(look.locale, elapsed)))
        .cut(look.width)
}

/// Returns what failed in a run that is over, and what never started because of it.
pub fn ended(look: Look, run: &RunRow) -> Vec<Line> {
    let list = |english, korean, tasks: &[domain::TaskId]| {
        let ids: Vec<String> = tasks.iter().map(ToString::to_string).collect();
        let text = format!("{} {}", pick(look.locale, english, korean), ids.join(", "));
        (!ids.is_empty()).then(|| Line::of(BAD, &text).cut(look.width))
    };
    let failed = list("failed:", "실패:", &run.failed);
    let waiting = list("never started:", "시작하지 못함:", &run.waiting);
    failed.into_iter().chain(waiting).collect()
}

/// Returns how much is where and what was used, on as many lines as that takes.
pub fn totals(look: Look, board: &Board) -> Vec<Line> {
    let Some(run) = &board.run else { return Vec::new() };
    let mut lines = vec![Line::default()];
    for (style, text) in parts(look, board, run) {
        let last = lines.pop().unwrap_or_default();
        let is_first = last == Line::default();
        let gap = if is_first { "" } else { " · " };
        let longer = last.clone().and(FAINT, gap).and(style, &text);
        if is_first || longer.width() <= look.width {
            lines.push(longer);
        } else {
            lines.extend([last, Line::of(style, &text)]);
        }
    }
    lines.into_iter().map(|line| line.cut(look.width)).collect()
}

/// Counts the tasks that are done and whose last check saw another tree than was merged.
fn n_stale(board: &Board) -> u32 {
    let is_stale = |task: &&TaskRow| {
        task.state == TaskState::Done && task.receipt.as_ref().is_some_and(|receipt| receipt.is_stale)
    };
    u32::try_from(board.tasks.values().filter(is_stale).count()).unwrap_or(u32::MAX)
}

fn parts(look: Look, board: &Board, run: &RunRow) -> Vec<(Style, String)> {
    let (locale, tasks) = (look.locale, run.tasks);
    let count = |n: u32, english: &str, korean: &str| match locale {
        Locale::En => format!("{n} {english}"),
        Locale::Ko => format!("{korean} {n}"),
    };
    let done = match locale {
        Locale::En => format!("{} of {} done", tasks.done, run.n_tasks),
        Locale::Ko => format!("{}개 중 {}개 완료", run.n_tasks, tasks.done),
    };
    let mut parts = vec![(GOOD, done)];
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
    some(FAINT, tasks.cancelled, "cancelled", "취소");
    some(BAD, n_stale(board), "done on a stale check", "검사 후 변경된 완료");
    match (run.waits_for.person, locale) {
        (0, _) => {}
        (1, Locale::En) => parts.push((ASKS, "1 waits for you".to_owned())),
        (n, Locale::En) => parts.push((ASKS, format!("{n} wait for you"))),
        (n, Locale::Ko) => parts.push((ASKS, format!("내 차례 {n}"))),
    }
    if run.used.tokens > 0 {
        let unit = pick(locale, "tokens", "토큰");
        parts.push((FAINT, format!("{} {unit}", tokens(run.used.tokens))));
    }
    if run.used.cost_micros > 0 {
        parts.push((FAINT, cost(run.used.cost_micros)));
    }
    if let Some(left) = left_ms(board, look.now).filter(|_| run.ended_at.is_none()) {
        let time = about(locale, left);
        parts.push((
            FAINT,
            match locale {
                Locale::En => format!("about {time} left"),
                Locale::Ko => format!("남은 시간 약 {time}"),
            },
        ));
    }
    parts
}
