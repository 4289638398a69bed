//! The whole screen: what the run is, what happens in it, how much is where, what waits for the person, what they type.

use anstyle::{AnsiColor, Style};
use domain::Locale;

use super::{
    Look,
    board::Board,
    entry::{Entry, Free, Words},
    line::{Line, pad, wrap},
    overlaps,
    prompt::{Mode, Prompt},
    tasks, totals,
    words::pick,
};

const FAINT: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const BOLD: Style = Style::new().bold();
const ASKS: Style = AnsiColor::Yellow.on_default().bold();
const MARK: Style = AnsiColor::Cyan.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default();

/// How many lines the tasks keep, however much an entry has to say; fewer in a small window.
const TASK_LINES_MIN: usize = 4;

/// What tasks change in common takes one line of so many at most.
const OVERLAPS_SHARE: usize = 4;

/// How wide the column of keys is in the help.
const KEY_WIDTH: usize = 12;

/// What stands on the screen, and where the cursor is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Picture {
    /// The lines.
    pub lines: Vec<Line>,
    /// The line and the column of the cursor.
    pub cursor: (usize, usize),
}

/// Draws everything, on fewer lines than the terminal has.
pub fn draw(look: Look, board: &Board, prompt: &Prompt) -> Picture {
    let Some(run) = &board.run else { return Picture::default() };
    // One line stays free, so that the first line of the picture never scrolls away.
    let height = look.height.saturating_sub(1).max(1);
    let (below, column) = bottom(look, board, prompt);
    let totals = totals::totals(look, board);
    let around = 1 + totals.len() + below.len();
    let room = height.saturating_sub(around);
    let overlaps = overlaps::overlaps(look, board, room / OVERLAPS_SHARE);
    let room = room.saturating_sub(overlaps.len());
    let mut lines = vec![totals::title(look, run)];
    if run.ended_at.is_some() {
        lines.extend(totals::ended(look, run));
        lines.extend(totals);
        return Picture { cursor: (lines.len().saturating_sub(1), 0), lines };
    }
    let entry = prompt.entry(board, look.locale, look.now);
    let n_kept = tasks::tasks(look, board, room).len().min(TASK_LINES_MIN).min(room / 3);
    let card = match &entry {
        Some(entry) => card(look, entry, place(board, prompt), room.saturating_sub(n_kept)),
        None => Vec::new(),
    };
    let mut middle = tasks::tasks(look, board, room.saturating_sub(card.len()));
    if middle.is_empty() && card.is_empty() && room > 0 {
        middle.push(tasks::nothing(look));
    }
    lines.extend(middle);
    lines.extend(overlaps);
    lines.extend(totals);
    lines.extend(card);
    lines.extend(below);
    // A window of a few lines shows the last ones: there the person types.
    let lines = lines.split_off(lines.len().saturating_sub(height));
    Picture { cursor: (lines.len().saturating_sub(1), column), lines }
}

fn place(board: &Board, prompt: &Prompt) -> Option<(usize, usize)> {
    let n_entries = board.inbox().len();
    prompt.place(board).filter(|_| n_entries > 1).map(|place| (place, n_entries))
}

/// Returns an entry on at most so many lines: what could be known is cut first, then what is asked.
fn card(look: Look, entry: &Entry, place: Option<(usize, usize)>, lines_max: usize) -> Vec<Line> {
    let choices = choices(look, entry);
    let room = lines_max.saturating_sub(1 + choices.len());
    let indented = |style: Style, text: &str| -> Vec<Line> {
        let lines = wrap(text, look.width.saturating_sub(2));
        lines.iter().map(|line| Line::of(style, &format!("  {line}"))).collect()
    };
    let text = shortened(indented(BOLD, &entry.text), room, look);
    let about: Vec<Line> = entry.context.iter().flat_map(|text| indented(PLAIN, text)).collect();
    let about = shortened(about, room.saturating_sub(text.len()), look);
    let place = place.map(|(place, of)| format!("{place}/{of} ")).unwrap_or_default();
    let mut lines = vec![Line::of(FAINT, &place).and(ASKS, &entry.heading)];
    lines.extend(text);
    lines.extend(about);
    lines.extend(choices);
    lines.truncate(lines_max);
    lines.into_iter().map(|line| line.cut(look.width)).collect()
}

/// Returns all of an entry, to be read above the screen.
pub fn whole(look: Look, entry: &Entry) -> Vec<Line> {
    let heading = wrap(&entry.heading, look.width);
    let card = card(look, entry, None, usize::MAX).into_iter().skip(1);
    heading.iter().map(|line| Line::of(ASKS, line).cut(look.width)).chain(card).collect()
}

fn shortened(mut lines: Vec<Line>, lines_max: usize, look: Look) -> Vec<Line> {
    if lines.len() > lines_max {
        lines.truncate(lines_max.saturating_sub(1));
        if lines_max > 0 {
            lines.push(Line::of(FAINT, pick(look.locale, "  … (v shows all of it)", "  … (v: 모두 보기)")));
        }
    }
    lines
}

/// Returns what can be done: on one line where that fits, else a line each.
fn choices(look: Look, entry: &Entry) -> Vec<Line> {
    let marked = entry.choices.iter().enumerate().map(|(index, choice)| (entry.mark(index), choice));
    let piece = |line: Line, (mark, choice): (String, &super::entry::Choice)| {
        line.and(PLAIN, "  ").and(MARK, &mark).and(PLAIN, &format!(" {}", choice.label))
    };
    let on_one = marked.clone().fold(Line::default(), piece);
    if entry.choices.is_empty() || on_one.width() <= look.width {
        return Some(on_one).filter(|line| line.width() > 0).into_iter().collect();
    }
    marked.map(|choice| piece(Line::default(), choice).cut(look.width)).collect()
}

/// Returns where the person types, and the column of the cursor.
fn bottom(look: Look, board: &Board, prompt: &Prompt) -> (Vec<Line>, usize) {
    let mut lines: Vec<Line> = prompt
        .notice
        .iter()
        .flat_map(|notice| wrap(notice, look.width))
        .map(|line| Line::of(BAD, &line).cut(look.width))
        .collect();
    if prompt.mode == Mode::Leave {
        lines.extend(leave(look));
        let column = lines.last().map_or(0, Line::width).min(look.width.saturating_sub(1));
        return (lines, column);
    }
    let entry = prompt.entry(board, look.locale, look.now);
    let lead = match (prompt.mode, &entry) {
        (Mode::Words(choice), Some(entry)) => {
            let label = entry.choices.get(choice).map(|choice| choice.label.as_str()).unwrap_or_default();
            format!("{label}> ")
        }
        _ => "> ".to_owned(),
    };
    let lead = Line::of(MARK, &lead).cut(look.width / 2);
    let (text, column) = prompt.typed.window(look.width.saturating_sub(lead.width()));
    let column = lead.width() + column;
    let line = if prompt.typed.is_empty() {
        lead.and(FAINT, &placeholder(look, board, prompt, entry.as_ref()))
    } else {
        lead.and(PLAIN, &text)
    };
    lines.push(line.cut(look.width));
    (lines, column.min(look.width.saturating_sub(1)))
}

/// Returns what could be typed.
fn placeholder(look: Look, board: &Board, prompt: &Prompt, entry: Option<&Entry>) -> String {
    let locale = look.locale;
    let what = match entry {
        None => pick(locale, "say something to the orchestrator", "오케스트레이터에게 말하기"),
        Some(_) if matches!(prompt.mode, Mode::Words(_)) => pick(locale, "in a few words", "짧게 쓰세요"),
        Some(entry) => match (&entry.free, entry.choices.is_empty()) {
            (Free::Answer(_), false) => pick(locale, "a number, or your answer", "번호 또는 답"),
            (Free::Answer(_), true) => pick(locale, "your answer", "답"),
            (Free::Path(_), _) => pick(locale, "the path of the file, or a number", "파일 경로 또는 번호"),
            (Free::Nothing, _) if entry.choices.iter().any(|choice| choice.words != Words::None) => {
                pick(locale, "a number, and words where needed", "번호, 필요하면 설명도")
            }
            (Free::Nothing, _) => pick(locale, "a number", "번호"),
        },
    };
    if let Mode::Words(_) = prompt.mode {
        return format!("{what} · {}", pick(locale, "Esc goes back", "Esc 돌아가기"));
    }
    let mut parts = vec![what, pick(locale, "? help", "? 도움말")];
    if board.inbox().len() > 1 {
        parts.push(pick(locale, "Tab next", "Tab 다음"));
    }
    parts.push(pick(locale, "q leave", "q 나가기"));
    parts.join(" · ")
}

fn leave(look: Look) -> Vec<Line> {
    let (ask, ways) = match look.locale {
        Locale::En => ("Leave?", ["let the agents work on", "stop them", "stay here"]),
        Locale::Ko => ("나갈까요?", ["에이전트는 계속 일하기", "에이전트 멈추기", "계속 보기"]),
    };
    let way = |line: Line, (index, way): (usize, &&str)| {
        line.and(MARK, &format!("  {}", index + 1)).and(PLAIN, &format!(" {way}"))
    };
    let on_one = ways.iter().enumerate().fold(Line::of(ASKS, ask), way);
    if on_one.width() < look.width {
        return vec![on_one];
    }
    let each = ways.iter().enumerate().map(|each| way(Line::default(), each).cut(look.width));
    [Line::of(ASKS, ask)].into_iter().chain(each).collect()
}

/// Returns what can be typed, to be read above the screen.
pub fn help(look: Look) -> Vec<Line> {
    let lines: &[(&str, &str)] = match look.locale {
        Locale::En => &[
            ("1, 2, …", "choose; words may follow where the choice takes some: 2 the tests are missing"),
            ("text", "the answer to a question, or a word to the orchestrator where no question waits"),
            ("= text", "the answer exactly as it is, also where it is a number or one letter"),
            ("n, Tab", "the next entry"),
            ("v", "all of the entry, above the screen"),
            ("/ask text", "asks the agent back before you answer"),
            ("/chat text", "says something to the orchestrator that is no answer, whatever waits"),
            ("Esc", "forgets what is typed"),
            ("q, Ctrl-C", "leaves; asks what becomes of the agents"),
        ],
        Locale::Ko => &[
            ("1, 2, …", "선택; 설명이 필요한 선택은 뒤에 이어 쓰기: 2 테스트가 빠졌음"),
            ("글", "질문의 답, 기다리는 것이 없으면 오케스트레이터에게 하는 말"),
            ("= 글", "숫자나 한 글자라도 쓴 그대로 답하기"),
            ("n, Tab", "다음 항목"),
            ("v", "항목 전체를 화면 위에 보기"),
            ("/ask 글", "답하기 전에 에이전트에게 되묻기"),
            ("/chat 글", "무엇이 기다리든 답이 아닌 말을 오케스트레이터에게 하기"),
            ("Esc", "쓰던 것 지우기"),
            ("q, Ctrl-C", "나가기; 에이전트를 어떻게 할지 묻습니다"),
        ],
    };
    let described = lines.iter().flat_map(|(key, what)| {
        let what = wrap(what, look.width.saturating_sub(KEY_WIDTH));
        what.into_iter().enumerate().map(move |(index, what)| {
            let key = if index == 0 { key } else { "" };
            Line::of(MARK, &pad(key, KEY_WIDTH)).and(PLAIN, &what).cut(look.width)
        })
    });
    described.collect()
}
