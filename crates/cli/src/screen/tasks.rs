//! Lines for tasks, grouped by phase.

use anstyle::{AnsiColor, Style};
use views::{TaskBlocker, TaskRow, TaskState, describe_task_mark, format_tokens};

use super::{
    DrawContext,
    amounts::{elapsed_ms, format_duration},
    board::{Board, SessionActivity},
    line::{Line, collapse_whitespace, cut, pad, pad_left},
    phrases::{party, phase, pick_by_locale, task_state, waiting_for},
};

const FAINT: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const RUNS: Style = AnsiColor::Cyan.on_default();
const ASKS: Style = AnsiColor::Yellow.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();

/// In a narrower terminal a task takes two lines.
const NARROW: usize = 60;
/// Longer titles are truncated.
const TITLE_WIDTH_MAX: usize = 40;
const AGENT_WIDTH_MAX: usize = 14;

/// Returns at most `lines_max` lines for the active tasks.
pub(super) fn task_lines(context: DrawContext, board: &Board, lines_max: usize) -> Vec<Line> {
    let mut shown: Vec<&TaskRow> =
        board.tasks.values().filter(|task| display_priority(task).is_some()).collect();
    shown.sort_by_key(|task| (display_priority(task), task.phase));
    let each = if context.width < NARROW { 2 } else { 1 };
    let mut n_shown = shown.len();
    while n_shown > 0
        && n_lines_needed(shown.get(..n_shown).unwrap_or_default(), each, n_shown < shown.len()) > lines_max
    {
        n_shown -= 1;
    }
    let n_more = shown.len() - n_shown;
    shown.truncate(n_shown);
    let mut lines = lines_by_phase(context, board, shown);
    if n_more > 0 && lines.len() < lines_max {
        let text = match context.locale {
            domain::Locale::En => format!("  … and {n_more} more"),
            domain::Locale::Ko => format!("  … 그 밖에 {n_more}개"),
        };
        lines.push(Line::styled(FAINT, &text).cut(context.width));
    }
    lines
}

/// Returns the lines for every task.
pub(super) fn all_task_lines(context: DrawContext, board: &Board) -> Vec<Line> {
    lines_by_phase(context, board, board.tasks.values().collect())
}

/// Returns a line for each done task that has marks, with a heading.
pub(super) fn marked_task_lines(context: DrawContext, board: &Board) -> Vec<Line> {
    let is_marked = |task: &&TaskRow| task.state == TaskState::Done && !task.marks.is_empty();
    let line = |task: &TaskRow| {
        Line::styled(PLAIN, &format!("  {} {}", task.id, collapse_whitespace(&task.title)))
            .append(ASKS, &format!("  {}", marks_text(context, task)))
            .cut(context.width)
    };
    let lines: Vec<Line> = board.tasks.values().filter(is_marked).map(line).collect();
    let heading = pick_by_locale(context.locale, "Done, but:", "완료됐지만 확인이 필요한 작업:");
    let heading = (!lines.is_empty()).then(|| Line::styled(FAINT, heading).cut(context.width));
    heading.into_iter().chain(lines).collect()
}

/// Returns the lines of these tasks below the headings of their phases.
fn lines_by_phase(context: DrawContext, board: &Board, mut shown: Vec<&TaskRow>) -> Vec<Line> {
    shown.sort_by(|left, right| (left.phase, &left.id).cmp(&(right.phase, &right.id)));
    let widths = ColumnWidths::for_tasks(context, &shown);
    let mut lines = Vec::new();
    let mut last = None;
    for task in shown {
        if last.replace(task.phase) != Some(task.phase) {
            lines.push(phase_line(context, board, task.phase));
        }
        if context.width < NARROW {
            lines.extend(narrow_task_lines(context, board, task));
        } else {
            lines.push(wide_task_line(context, board, task, &widths));
        }
    }
    lines
}

/// Returns the display priority of a task; `None` if it is not active.
fn display_priority(task: &TaskRow) -> Option<u8> {
    match task.state {
        TaskState::Running | TaskState::Checking | TaskState::Merging => Some(0),
        TaskState::Blocked if task.blocked.iter().any(TaskBlocker::needs_user) => Some(1),
        TaskState::Blocked => Some(2),
        TaskState::Waiting | TaskState::Ready => None,
        TaskState::Done | TaskState::Failed | TaskState::Skipped | TaskState::Cancelled => None,
    }
}

fn n_lines_needed(shown: &[&TaskRow], each: usize, has_more: bool) -> usize {
    let mut phases: Vec<_> = shown.iter().map(|task| task.phase).collect();
    phases.sort_unstable();
    phases.dedup();
    shown.len() * each + phases.len() + usize::from(has_more)
}

fn phase_line(context: DrawContext, board: &Board, number: domain::PhaseNumber) -> Line {
    let row = board.phases.get(&number);
    let name = phase(
        context.locale,
        number,
        &collapse_whitespace(row.map(|row| row.name.as_str()).unwrap_or_default()),
    );
    let done = row.map(|row| format!("  {}/{}", row.tasks.done, row.n_tasks)).unwrap_or_default();
    Line::styled(FAINT, &format!("{name}{done}")).cut(context.width)
}

/// Widths of the columns.
struct ColumnWidths {
    id: usize,
    title: usize,
    agent: usize,
    state: usize,
    time: usize,
    tokens: usize,
}

impl ColumnWidths {
    fn for_tasks(context: DrawContext, shown: &[&TaskRow]) -> Self {
        use unicode_width::UnicodeWidthStr;
        let widest = |text: &dyn Fn(&TaskRow) -> String| {
            shown.iter().map(|task| text(task).width()).max().unwrap_or(0)
        };
        let id = widest(&|task| task.id.to_string());
        let agent = widest(&agent_text).min(AGENT_WIDTH_MAX);
        let state = widest(&|task| task_state(context.locale, task.state).to_owned());
        let time = widest(&|task| elapsed(context, task));
        let tokens = widest(&tokens_text);
        // The title takes up to half of the remaining width, the last activity the rest.
        let fixed = 2 + id + agent + state + time + tokens + 12;
        let left = context.width.saturating_sub(fixed);
        let title =
            widest(&|task| collapse_whitespace(&task.title)).min(TITLE_WIDTH_MAX).min((left / 2).max(8));
        Self { id, title, agent, state, time, tokens }
    }
}

fn wide_task_line(context: DrawContext, board: &Board, task: &TaskRow, widths: &ColumnWidths) -> Line {
    let (mark, style) = state_mark(task);
    let line = Line::styled(style, mark)
        .append(PLAIN, &pad(&task.id.to_string(), widths.id + 2))
        .append(PLAIN, &pad(&collapse_whitespace(&task.title), widths.title))
        .append(FAINT, &format!("  {}", pad(&agent_text(task), widths.agent)))
        .append(style, &format!("  {}", pad(task_state(context.locale, task.state), widths.state)))
        .append(FAINT, &format!("  {}", pad_left(&elapsed(context, task), widths.time)));
    let line = match widths.tokens {
        0 => line.append(FAINT, "  "),
        width => line.append(FAINT, &format!("  {}  ", pad_left(&tokens_text(task), width))),
    };
    let (style, text) = activity_text(context, board, task);
    line.append(style, &text).cut(context.width)
}

fn narrow_task_lines(context: DrawContext, board: &Board, task: &TaskRow) -> Vec<Line> {
    use unicode_width::UnicodeWidthStr;
    let (mark, style) = state_mark(task);
    let (id, time) = (task.id.to_string(), elapsed(context, task));
    let title_width = context.width.saturating_sub(2 + id.width() + 1 + 1 + time.width());
    let first = Line::styled(style, mark)
        .append(PLAIN, &format!("{id} "))
        .append(PLAIN, &pad(&collapse_whitespace(&task.title), title_width))
        .append(FAINT, &format!(" {time}"));
    let (tail_style, text) = activity_text(context, board, task);
    let state = [task_state(context.locale, task.state).to_owned(), agent_text(task)].join(" ");
    let second =
        Line::styled(FAINT, &format!("  {} ", cut(&state, context.width / 2))).append(tail_style, &text);
    vec![first.cut(context.width), second.cut(context.width)]
}

fn state_mark(task: &TaskRow) -> (&'static str, Style) {
    match task.state {
        TaskState::Blocked if display_priority(task) == Some(1) => ("? ", ASKS),
        TaskState::Blocked => ("- ", FAINT),
        TaskState::Failed | TaskState::Cancelled => ("! ", BAD),
        TaskState::Done => ("\u{2713} ", GOOD),
        TaskState::Running | TaskState::Checking | TaskState::Merging => ("> ", RUNS),
        TaskState::Waiting | TaskState::Ready | TaskState::Skipped => ("  ", FAINT),
    }
}

/// Returns the end of a line: what the task waits for, else the last activity of its agent.
fn activity_text(context: DrawContext, board: &Board, task: &TaskRow) -> (Style, String) {
    if task.state == TaskState::Blocked {
        let (pauses, others): (Vec<_>, Vec<_>) = task.blocked.iter().partition(|blocked| blocked.is_pause());
        let mut parties: Vec<String> = others.iter().map(|on| party(context.locale, &on.on)).collect();
        parties.dedup();
        let paused =
            (!pauses.is_empty()).then(|| pick_by_locale(context.locale, "paused", "일시 정지").to_owned());
        let waiting = (!parties.is_empty()).then(|| waiting_for(context.locale, &parties.join(", ")));
        let style = if display_priority(task) == Some(1) { ASKS } else { FAINT };
        return (style, paused.into_iter().chain(waiting).collect::<Vec<_>>().join(", "));
    }
    let marks = marks_text(context, task);
    if task.state.is_final() {
        return (if marks.is_empty() { FAINT } else { ASKS }, marks);
    }
    let marks = if marks.is_empty() { marks } else { format!("{marks} · ") };
    let progress = task.progress.map(|part| format!("{:.0}% ", part * 100.0)).unwrap_or_default();
    let progress = format!("{marks}{progress}");
    match board.last_activity(task) {
        Some(SessionActivity::Tool(title)) => (FAINT, format!("{progress}$ {}", collapse_whitespace(&title))),
        Some(SessionActivity::Error(text)) => (BAD, format!("{progress}{}", collapse_whitespace(&text))),
        Some(SessionActivity::Message(text)) => (FAINT, format!("{progress}{}", collapse_whitespace(&text))),
        None => (FAINT, progress),
    }
}

/// Returns the marks that stand beside the state of a task.
fn marks_text(context: DrawContext, task: &TaskRow) -> String {
    let marks: Vec<_> = task.marks.iter().map(|mark| describe_task_mark(context.locale, *mark)).collect();
    marks.join(", ")
}

fn agent_text(task: &TaskRow) -> String {
    task.agent.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn elapsed(context: DrawContext, task: &TaskRow) -> String {
    let until = task.ended_at.unwrap_or(context.now);
    task.started_at.map(|at| format_duration(context.locale, elapsed_ms(at, until))).unwrap_or_default()
}

fn tokens_text(task: &TaskRow) -> String {
    if task.used.tokens == 0 { String::new() } else { format_tokens(task.used.tokens) }
}

/// Returns the line for a run without active tasks.
pub(super) fn no_tasks_line(context: DrawContext) -> Line {
    Line::styled(FAINT, pick_by_locale(context.locale, "No task is running", "진행 중인 작업 없음"))
        .cut(context.width)
}
