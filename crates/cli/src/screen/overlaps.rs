//! Lines for pairs of unfinished tasks that changed the same files.

use anstyle::{AnsiColor, Style};
use domain::Locale;
use views::OverlapRow;

use super::{
    DrawContext,
    board::Board,
    line::{Line, collapse_whitespace},
};
use crate::plural::plural;

const FAINT: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const BAD: Style = AnsiColor::Red.on_default();

/// Files listed per line; the rest are counted.
const FILES_LISTED_MAX: usize = 3;

/// Returns at most `lines_max` lines.
pub(super) fn overlap_lines(context: DrawContext, board: &Board, lines_max: usize) -> Vec<Line> {
    let n_pairs = board.overlaps.len();
    let n_shown = if n_pairs > lines_max { lines_max.saturating_sub(1) } else { n_pairs };
    let mut lines: Vec<Line> = board
        .overlaps
        .values()
        .take(n_shown)
        .map(|row| overlap_line(context, row).cut(context.width))
        .collect();
    let n_more = n_pairs - n_shown;
    if n_more > 0 && lines_max > 0 {
        let text = match context.locale {
            Locale::En => format!("  … and {} that change the same files", plural(n_more, "more pair")),
            Locale::Ko => format!("  … 같은 파일을 고치는 쌍 {n_more}개 더"),
        };
        lines.push(Line::styled(FAINT, &text).cut(context.width));
    }
    lines
}

fn overlap_line(context: DrawContext, row: &OverlapRow) -> Line {
    let [first, second] = &row.tasks;
    let mut files: Vec<String> =
        row.files.iter().take(FILES_LISTED_MAX).map(|file| collapse_whitespace(file)).collect();
    let n_more = usize::try_from(row.n_files).unwrap_or(usize::MAX).saturating_sub(files.len());
    if n_more > 0 {
        files.push(format!("+{n_more}"));
    }
    let files = files.join(", ");
    let text = match context.locale {
        Locale::En => format!("{first} and {second} both change {files}"),
        Locale::Ko => format!("{first}, {second} 같은 파일 수정: {files}"),
    };
    Line::styled(BAD, "! ").append(PLAIN, &text)
}
