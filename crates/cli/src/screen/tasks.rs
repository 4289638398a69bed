//! Lines for active tasks, grouped by phase.

use anstyle::{AnsiColor, Style};
use views::{ResponsibleParty, TaskRow, TaskState};

use super::{
    DrawContext,
    amounts::{duration, since, tokens},
    board::{Board, SessionActivity},
    line::{Line, cut, flat, pad, pad_left},
    phrases::{party, phase, pick, task_mark, task_state, waiting_for},
};

const FAINT: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const RUNS: Style = AnsiColor::Cyan.on_default();
const ASKS: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default();

/// In a narrower terminal a task takes two lines.
const NARROW: usize = 60;
/// Longer titles are truncated.
const TITLE_WIDTH_MAX: usize = 40;
const AGENT_WIDTH_MAX: usize = 14;

/// Returns at most `lines_max` lines for the active tasks.
pub fn tasks(context: DrawContext, board: &Board, lines_max: usize) -> Vec<Line> {
    let mut shown: Vec<&TaskRow> = board.tasks.values().filter(|task| rank(task).is_some()).collect();
    shown.sort_by_key(|task| (rank(task), task.phase));
    let each = if context.width < NARROW { 2 } else { 1 };
    let mut n_shown = shown.len();
    while n_shown > 0
        && height(shown.get(..n_shown).unwrap_or_default(), each, n_shown < shown.len()) > lines_max
    {
        n_shown -= 1;
    }
    let n_more = shown.len() - n_shown;
    shown.truncate(n_shown);
    shown.sort_by(|left, right| (left.phase, &left.id).cmp(&(right.phase, &right.id)));
    let widths = ColumnWidths::of(context, &shown);
    let mut lines = Vec::new();
    let mut last = None;
    for task in shown {
        if last.replace(task.phase) != Some(task.phase) {
            lines.push(phase_line(context, board, task.phase));
        }
        lines.extend(if each == 2 {
            narrow(context, board, task)
        } else {
            vec![wide(context, board, task, &widths)]
        });
    }
    if n_more > 0 && lines.len() < lines_max {
        let text = match context.locale {
            domain::Locale::En => format!("  … and {n_more} more"),
            domain::Locale::Ko => format!("  … 그 밖에 {n_more}개"),
        };
        lines.push(Line::of(FAINT, &text).cut(context.width));
    }
    lines
}

/// Returns the display priority of a task; `None` if it is not active.
fn rank(task: &TaskRow) -> Option<u8> {
    match task.state {
        TaskState::Running | TaskState::Checking | TaskState::Merging => Some(0),
        TaskState::Blocked if task.blocked.iter().any(|blocked| blocked.on == ResponsibleParty::Person) => {
            Some(1)
        }
        TaskState::Blocked => Some(2),
        TaskState::Waiting | TaskState::Ready => None,
        TaskState::Done | TaskState::Failed | TaskState::Skipped | TaskState::Cancelled => None,
    }
}

fn height(shown: &[&TaskRow], each: usize, has_more: bool) -> usize {
    let mut phases: Vec<_> = shown.iter().map(|task| task.phase).collect();
    phases.sort_unstable();
    phases.dedup();
    shown.len() * each + phases.len() + usize::from(has_more)
}

fn phase_line(context: DrawContext, board: &Board, number: domain::PhaseNumber) -> Line {
    let row = board.phases.get(&number);
    let name = phase(context.locale, number, &flat(row.map(|row| row.name.as_str()).unwrap_or_default()));
    let done = row.map(|row| format!("  {}/{}", row.tasks.done, row.n_tasks)).unwrap_or_default();
    Line::of(FAINT, &format!("{name}{done}")).cut(context.width)
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
    fn of(context: DrawContext, shown: &[&TaskRow]) -> Self {
        use unicode_width::UnicodeWidthStr;
        let widest = |text: &dyn Fn(&TaskRow) -> String| {
            shown.iter().map(|task| text(task).width()).max().unwrap_or(0)
        };
        let id = widest(&|task| task.id.to_string());
        let agent = widest(&agent).min(AGENT_WIDTH_MAX);
        let state = widest(&|task| task_state(context.locale, task.state).to_owned());
        let time = widest(&|task| elapsed(context, task));
        let tokens = widest(&used);
        // The title takes up to half of the remaining width, the last activity the rest.
        let fixed = 2 + id + agent + state + time + tokens + 12;
        let left = context.width.saturating_sub(fixed);
        let title = widest(&|task| flat(&task.title)).min(TITLE_WIDTH_MAX).min((left / 2).max(8));
        Self { id, title, agent, state, time, tokens }
    }
}

fn wide(context: DrawContext, board: &Board, task: &TaskRow, widths: &ColumnWidths) -> Line {
    let (mark, style) = mark(task);
    let line = Line::of(style, mark)
        .and(PLAIN, &pad(&task.id.to_string(), widths.id + 2))
        .and(PLAIN, &pad(&flat(&task.title), widths.title))
        .and(FAINT, &format!("  {}", pad(&agent(task), widths.agent)))
        .and(style, &format!("  {}", pad(task_state(context.locale, task.state), widths.state)))
        .and(FAINT, &format!("  {}", pad_left(&elapsed(context, task), widths.time)));
    let line = match widths.tokens {
        0 => line.and(FAINT, "  "),
        width => line.and(FAINT, &format!("  {}  ", pad_left(&used(task), width))),
    };
    let (style, text) = tail(context, board, task);
    line.and(style, &text).cut(context.width)
}

fn narrow(context: DrawContext, board: &Board, task: &TaskRow) -> Vec<Line> {
    use unicode_width::UnicodeWidthStr;
    let (mark, style) = mark(task);
    let (id, time) = (task.id.to_string(), elapsed(context, task));
    let title_width = context.width.saturating_sub(2 + id.width() + 1 + 1 + time.width());
    let first = Line::of(style, mark)
        .and(PLAIN, &format!("{id} "))
        .and(PLAIN, &pad(&flat(&task.title), title_width))
        .and(FAINT, &format!(" {time}"));
    let (tail_style, text) = tail(context, board, task);
    let state = [task_state(context.locale, task.state).to_owned(), agent(task)].join(" ");
    let second = Line::of(FAINT, &format!("  {} ", cut(&state, context.width / 2))).and(tail_style, &text);
    vec![first.cut(context.width), second.cut(context.width)]
}

fn mark(task: &TaskRow) -> (&'static str, Style) {
    match task.state {
        TaskState::Blocked if rank(task) == Some(1) => ("? ", ASKS),
        TaskState::Blocked => ("- ", FAINT),
        TaskState::Failed | TaskState::Cancelled => ("! ", BAD),
        TaskState::Running | TaskState::Checking | TaskState::Merging => ("> ", RUNS),
        TaskState::Waiting | TaskState::Ready | TaskState::Done | TaskState::Skipped => ("  ", PLAIN),
    }
}

/// Returns the end of a line: what the task waits for, else the last activity of its agent.
fn tail(context: DrawContext, board: &Board, task: &TaskRow) -> (Style, String) {
    if task.state == TaskState::Blocked {
        let mut parties: Vec<String> = task.blocked.iter().map(|on| party(context.locale, &on.on)).collect();
        parties.dedup();
        let style = if rank(task) == Some(1) { ASKS } else { FAINT };
        return (style, waiting_for(context.locale, &parties.join(", ")));
    }
    let progress = task.progress.map(|part| format!("{:.0}% ", part * 100.0)).unwrap_or_default();
    let progress = format!("{}{progress}", marks(context, task));
    match board.last_activity(task) {
        Some(SessionActivity::Tool(title)) => (FAINT, format!("{progress}$ {}", flat(&title))),
        Some(SessionActivity::Error(text)) => (BAD, format!("{progress}{}", flat(&text))),
        Some(SessionActivity::Message(text)) => (FAINT, format!("{progress}{}", flat(&text))),
        None => (FAINT, progress),
    }
}

/// Returns the marks that stand beside the state of a task, with a separator behind them.
fn marks(context: DrawContext, task: &TaskRow) -> String {
    let marks: Vec<_> = task.marks.iter().map(|mark| task_mark(context.locale, *mark)).collect();
    if marks.is_empty() { String::new() } else { format!("{} · ", marks.join(", ")) }
}

fn agent(task: &TaskRow) -> String {
    task.agent.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn elapsed(context: DrawContext, task: &TaskRow) -> String {
    task.started_at.map(|at| duration(context.locale, since(at, context.now))).unwrap_or_default()
}

fn used(task: &TaskRow) -> String {
    if task.used.tokens == 0 { String::new() } else { tokens(task.used.tokens) }
}

/// Returns the line for a run without active tasks.
pub fn no_tasks_line(context: DrawContext) -> Line {
    Line::of(FAINT, pick(context.locale, "No task is running", "진행 중인 작업 없음")).cut(context.width)
}
