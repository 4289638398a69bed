//! Draws the screen: title, tasks, totals, one entry of the inbox, and the input line.

use anstyle::{AnsiColor, Style};
use domain::Locale;

use super::{
    DrawContext,
    board::Board,
    entry::{ChoiceTextRule, FreeInput, InboxEntry},
    line::{Line, pad, wrap},
    overlaps,
    phrases::pick_by_locale,
    prompt::{Prompt, PromptMode},
    tasks, totals,
};

const FAINT: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const BOLD: Style = Style::new().bold();
const ASKS: Style = AnsiColor::Yellow.on_default().bold();
const MARK: Style = AnsiColor::Cyan.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default();

/// Lines kept for tasks beside a long entry; fewer in a small terminal.
const TASK_LINES_MIN: usize = 4;

/// Overlaps take at most one of this many free lines.
const OVERLAPS_SHARE: usize = 4;

/// Width of the key column in the help.
const KEY_WIDTH: usize = 14;

/// The lines of the screen and the position of the cursor.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Frame {
    pub lines: Vec<Line>,
    /// Line and column of the cursor.
    pub cursor: (usize, usize),
}

/// Draws the screen on fewer lines than the terminal has.
pub(crate) fn draw(context: DrawContext, board: &Board, prompt: &Prompt) -> Frame {
    let Some(run) = &board.run else { return Frame::default() };
    // Keep one line free, so that the first line of the frame does not scroll away.
    let height = context.height.saturating_sub(1).max(1);
    let (below, column) = input_area(context, board, prompt);
    let totals = totals::totals(context, board);
    let around = 1 + totals.len() + below.len();
    let free = height.saturating_sub(around);
    let overlaps = overlaps::overlap_lines(context, board, free / OVERLAPS_SHARE);
    let free = free.saturating_sub(overlaps.len());
    let mut lines = vec![totals::title_line(context, run)];
    if run.ended_at.is_some() {
        lines.extend(totals::unfinished_task_lines(context, run));
        lines.extend(totals);
        return Frame { cursor: (lines.len().saturating_sub(1), 0), lines };
    }
    let entry = prompt.entry(board, context.locale, context.now);
    let n_kept = tasks::task_lines(context, board, free).len().min(TASK_LINES_MIN).min(free / 3);
    let card = match &entry {
        Some(entry) => {
            entry_lines(context, entry, entry_position(board, prompt), free.saturating_sub(n_kept))
        }
        None => Vec::new(),
    };
    let mut middle = tasks::task_lines(context, board, free.saturating_sub(card.len()));
    if middle.is_empty() && card.is_empty() && free > 0 {
        middle.push(tasks::no_tasks_line(context));
    }
    lines.extend(middle);
    lines.extend(overlaps);
    lines.extend(totals);
    lines.extend(card);
    lines.extend(below);
    // A small terminal shows the last lines, which contain the input line.
    let lines = lines.split_off(lines.len().saturating_sub(height));
    Frame { cursor: (lines.len().saturating_sub(1), column), lines }
}

/// Draws every task of a run, whatever its state.
pub(crate) fn all_tasks(context: DrawContext, board: &Board) -> Vec<Line> {
    let Some(run) = &board.run else { return Vec::new() };
    let title = totals::title_line(context, run);
    let tasks = tasks::all_task_lines(context, board);
    [title].into_iter().chain(tasks).chain(totals::totals(context, board)).collect()
}

/// Draws the done tasks that have marks.
pub(crate) fn marked_tasks(context: DrawContext, board: &Board) -> Vec<Line> {
    tasks::marked_task_lines(context, board)
}

fn entry_position(board: &Board, prompt: &Prompt) -> Option<(usize, usize)> {
    let n_entries = board.inbox().len();
    prompt.position(board).filter(|_| n_entries > 1).map(|position| (position, n_entries))
}

/// Returns an entry on at most `lines_max` lines: the context is shortened first, then the text.
fn entry_lines(
    context: DrawContext,
    entry: &InboxEntry,
    position: Option<(usize, usize)>,
    lines_max: usize,
) -> Vec<Line> {
    let choices = choice_lines(context, entry);
    let free = lines_max.saturating_sub(1 + choices.len());
    let indented = |style: Style, text: &str| -> Vec<Line> {
        let lines = wrap(text, context.width.saturating_sub(2));
        lines.iter().map(|line| Line::styled(style, &format!("  {line}"))).collect()
    };
    let text = shorten_lines(indented(BOLD, &entry.text), free, context);
    let details: Vec<Line> = entry.context.iter().flat_map(|text| indented(PLAIN, text)).collect();
    let details = shorten_lines(details, free.saturating_sub(text.len()), context);
    let position = position.map(|(position, of)| format!("{position}/{of} ")).unwrap_or_default();
    let mut lines = vec![Line::styled(FAINT, &position).append(ASKS, &entry.heading)];
    lines.extend(text);
    lines.extend(details);
    lines.extend(choices);
    lines.truncate(lines_max);
    lines.into_iter().map(|line| line.cut(context.width)).collect()
}

/// Returns the full entry, to be printed above the screen.
pub(crate) fn full_entry_lines(context: DrawContext, entry: &InboxEntry) -> Vec<Line> {
    let heading = wrap(&entry.heading, context.width);
    let card = entry_lines(context, entry, None, usize::MAX).into_iter().skip(1);
    heading.iter().map(|line| Line::styled(ASKS, line).cut(context.width)).chain(card).collect()
}

fn shorten_lines(mut lines: Vec<Line>, lines_max: usize, context: DrawContext) -> Vec<Line> {
    if lines.len() > lines_max {
        lines.truncate(lines_max.saturating_sub(1));
        if lines_max > 0 {
            lines.push(Line::styled(
                FAINT,
                pick_by_locale(context.locale, "  … (v: show all)", "  … (v: 전체 보기)"),
            ));
        }
    }
    lines
}

/// Returns the choices on one line if they fit, else one line each.
fn choice_lines(context: DrawContext, entry: &InboxEntry) -> Vec<Line> {
    let marked = entry.choices.iter().enumerate().map(|(index, choice)| (entry.choice_mark(index), choice));
    let piece = |line: Line, (mark, choice): (String, &super::entry::EntryChoice)| {
        line.append(PLAIN, "  ").append(MARK, &mark).append(PLAIN, &format!(" {}", choice.label))
    };
    let on_one = marked.clone().fold(Line::default(), piece);
    if entry.choices.is_empty() || on_one.width() <= context.width {
        return Some(on_one).filter(|line| line.width() > 0).into_iter().collect();
    }
    marked.map(|choice| piece(Line::default(), choice).cut(context.width)).collect()
}

/// Returns the notice and the input line, and the column of the cursor.
fn input_area(context: DrawContext, board: &Board, prompt: &Prompt) -> (Vec<Line>, usize) {
    let mut lines: Vec<Line> = prompt
        .notice
        .iter()
        .flat_map(|notice| wrap(notice, context.width))
        .map(|line| Line::styled(BAD, &line).cut(context.width))
        .collect();
    if prompt.mode == PromptMode::Leave {
        lines.extend(leave_question(context));
        let column = lines.last().map_or(0, Line::width).min(context.width.saturating_sub(1));
        return (lines, column);
    }
    let entry = prompt.entry(board, context.locale, context.now);
    let lead = match (prompt.mode, &entry) {
        (PromptMode::ChoiceText(choice), Some(entry)) => {
            let label = entry.choices.get(choice).map(|choice| choice.label.as_str()).unwrap_or_default();
            format!("{label}> ")
        }
        _ => "> ".to_owned(),
    };
    let lead = Line::styled(MARK, &lead).cut(context.width / 2);
    let (text, column) = prompt.line.window(context.width.saturating_sub(lead.width()));
    let column = lead.width() + column;
    let line = if prompt.line.is_empty() {
        lead.append(FAINT, &placeholder(context, board, prompt, entry.as_ref()))
    } else {
        lead.append(PLAIN, &text)
    };
    lines.push(line.cut(context.width));
    (lines, column.min(context.width.saturating_sub(1)))
}

/// Returns the placeholder of the empty input line.
fn placeholder(context: DrawContext, board: &Board, prompt: &Prompt, entry: Option<&InboxEntry>) -> String {
    let locale = context.locale;
    let input = match entry {
        None => pick_by_locale(locale, "message to the orchestrator", "오케스트레이터에게 보낼 메시지"),
        Some(_) if matches!(prompt.mode, PromptMode::ChoiceText(_)) => {
            pick_by_locale(locale, "text", "내용을 입력하세요")
        }
        Some(entry) => match (&entry.free, entry.choices.is_empty()) {
            (FreeInput::Answer(_), false) => {
                pick_by_locale(locale, "a number, or your answer", "번호 또는 답변")
            }
            (FreeInput::Answer(_), true) => pick_by_locale(locale, "your answer", "답변"),
            (FreeInput::Path(_), _) => {
                pick_by_locale(locale, "a file path, or a number", "파일 경로 또는 번호")
            }
            (FreeInput::Nothing, _)
                if entry.choices.iter().any(|choice| choice.text != ChoiceTextRule::None) =>
            {
                pick_by_locale(locale, "a number, with text if needed", "번호 (필요하면 설명 추가)")
            }
            (FreeInput::Nothing, _) => pick_by_locale(locale, "a number", "번호"),
        },
    };
    if let PromptMode::ChoiceText(_) = prompt.mode {
        return format!("{input} · {}", pick_by_locale(locale, "Esc back", "Esc 돌아가기"));
    }
    let mut parts = vec![input, pick_by_locale(locale, "? help", "? 도움말")];
    if board.inbox().len() > 1 {
        parts.push(pick_by_locale(locale, "Tab next", "Tab 다음"));
    }
    parts.push(pick_by_locale(locale, "q leave", "q 나가기"));
    parts.join(" · ")
}

fn leave_question(context: DrawContext) -> Vec<Line> {
    let (question, options) = match context.locale {
        Locale::En => ("Leave?", ["keep agents working", "stop agents", "stay"]),
        Locale::Ko => ("나갈까요?", ["에이전트 계속 실행", "에이전트 중지", "계속 보기"]),
    };
    let option = |line: Line, (index, option): (usize, &&str)| {
        line.append(MARK, &format!("  {}", index + 1)).append(PLAIN, &format!(" {option}"))
    };
    let on_one = options.iter().enumerate().fold(Line::styled(ASKS, question), option);
    if on_one.width() < context.width {
        return vec![on_one];
    }
    let each = options.iter().enumerate().map(|each| option(Line::default(), each).cut(context.width));
    [Line::styled(ASKS, question)].into_iter().chain(each).collect()
}

/// Returns the list of inputs and keys, to be printed above the screen.
pub(crate) fn help(context: DrawContext) -> Vec<Line> {
    let lines: &[(&str, &str)] = match context.locale {
        Locale::En => &[
            ("1, 2, …", "choose; some choices take text: 2 the tests are missing"),
            ("text", "answer to the question, or message to the orchestrator if no question is open"),
            ("= text", "answer exactly as written, even if it is a number or one letter"),
            ("n, Tab", "next entry"),
            ("v", "show the full entry above the screen"),
            ("/ask text", "reply with a question to the agent"),
            ("/chat text", "message to the orchestrator, even if a question is open"),
            ("Esc", "clear the input"),
            ("q, Ctrl-C", "leave; asks whether agents keep working"),
        ],
        Locale::Ko => &[
            ("1, 2, …", "선택. 설명을 덧붙일 수 있는 항목도 있습니다: 2 테스트 누락"),
            ("텍스트", "질문에 대한 답변, 열린 질문이 없으면 오케스트레이터에게 보내는 메시지"),
            ("= 텍스트", "숫자나 한 글자여도 입력한 그대로 답변"),
            ("n, Tab", "다음 항목"),
            ("v", "항목 전체 보기"),
            ("/ask 텍스트", "에이전트에게 되묻기"),
            ("/chat 텍스트", "열린 질문이 있어도 오케스트레이터에게 메시지 보내기"),
            ("Esc", "입력 지우기"),
            ("q, Ctrl-C", "나가기. 에이전트를 계속 실행할지 묻습니다"),
        ],
    };
    let described = lines.iter().flat_map(|(key, meaning)| {
        let meaning = wrap(meaning, context.width.saturating_sub(KEY_WIDTH));
        meaning.into_iter().enumerate().map(move |(index, meaning)| {
            let key = if index == 0 { key } else { "" };
            Line::styled(MARK, &pad(key, KEY_WIDTH)).append(PLAIN, &meaning).cut(context.width)
        })
    });
    described.collect()
}
