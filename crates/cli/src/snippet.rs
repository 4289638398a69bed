//! Prints a problem of a file with its line, the underlined range and a hint.

use std::{
    io::{self, Write},
    ops::Range,
};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use unicode_width::UnicodeWidthStr;

use crate::{
    localized::localized,
    plural::plural,
    printable::{printable, printable_line},
};

/// Longer lines are shown only around the range.
const LINE_BYTES_MAX: usize = 400;

/// A problem at a range of a file.
pub(crate) struct FileProblem<'a> {
    /// Display name of the file.
    pub name: &'a str,
    /// Content of the file.
    pub text: &'a str,
    /// Line of the range, from 1.
    pub line: usize,
    /// Byte range in `text`.
    pub span: &'a Range<usize>,
    pub level: ProblemLevel,
    /// Stable code of the problem, if it has one.
    pub code: Option<&'static str>,
    pub message: &'a str,
    pub hint: Option<&'a str>,
}

/// How severe a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemLevel {
    Error,
    Warning,
    Note,
}

/// Prints a problem to standard error.
pub(crate) fn print(problem: &FileProblem<'_>) -> io::Result<()> {
    let (level, name) = match problem.level {
        ProblemLevel::Error => (Level::ERROR, localized("error", "오류")),
        ProblemLevel::Warning => (Level::WARNING, localized("warning", "경고")),
        ProblemLevel::Note => (Level::NOTE, localized("note", "참고")),
    };
    let width = terminal_size::terminal_size_of(io::stderr()).map_or(140, |(width, _)| usize::from(width.0));
    // `warning[PARSE_FAIL]: ` stands before the first line, and spaces of its width before the others.
    let before_title = name.width() + problem.code.map_or(0, |code| code.len() + 2) + 2;
    let title = level.with_name(name).primary_title(wrap(&printable(problem.message), width, before_title));
    let title = match problem.code {
        Some(code) => title.id(code),
        None => title,
    };
    let (line, span) = excerpt(problem.text, problem.span);
    let (line, name) = (printable_line(line), printable(problem.name));
    let hint = problem.hint.map(|hint| {
        let name = localized("hint", "도움말");
        // `123 = hint: `
        let before_hint = problem.line.to_string().len() + 3 + name.width() + 2;
        Level::HELP.with_name(name).message(wrap(&printable(hint), width, before_hint))
    });
    let annotation = AnnotationKind::Primary.span(span);
    let snippet =
        Snippet::source(line.as_str()).path(name.as_str()).line_start(problem.line).annotation(annotation);
    let report = [title.element(snippet).elements(hint)];
    let rendered = Renderer::styled().term_width(width).render(&report);
    writeln!(anstream::stderr().lock(), "{rendered}\n")
}

/// Wraps a sentence at the width of the terminal, leaving room for what precedes each of its lines.
fn wrap(text: &str, width: usize, indent: usize) -> String {
    const WIDTH_MIN: usize = 20;
    let available = width.saturating_sub(indent).max(WIDTH_MIN);
    let mut column = 0;
    let mut wrapped = String::with_capacity(text.len());
    for (n, word) in text.split(' ').enumerate() {
        if n > 0 && column + 1 + word.width() > available {
            wrapped.push('\n');
            column = 0;
        } else if n > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += word.width();
    }
    wrapped
}

/// Prints the number of errors, warnings and notes.
pub(crate) fn print_summary(
    name: &str,
    n_errors: usize,
    n_warnings: usize,
    n_notes: usize,
) -> io::Result<()> {
    let count = |number: usize, noun: &str, korean: &str| {
        (number > 0).then(|| localized(plural(number, noun), format!("{korean} {number}개")))
    };
    let counts = [
        count(n_errors, "error", "오류"),
        count(n_warnings, "warning", "경고"),
        count(n_notes, "note", "참고"),
    ];
    let counts: Vec<_> = counts.into_iter().flatten().collect();
    if counts.is_empty() {
        return Ok(());
    }
    writeln!(anstream::stderr().lock(), "{}: {}", printable(name), counts.join(", "))
}

/// Returns the line on which a span starts, and the span relative to it.
///
/// The renderer scans all of its input, which takes minutes for a large file with many problems.
fn excerpt<'a>(text: &'a str, span: &Range<usize>) -> (&'a str, Range<usize>) {
    let start = span.start.min(text.len());
    let mut from = text[..start].rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
    let mut to = text[start..].find(['\n', '\r']).map_or(text.len(), |newline| start + newline);
    if to - from > LINE_BYTES_MAX {
        from = from.max(floor_char_boundary(text, start.saturating_sub(LINE_BYTES_MAX / 2)));
        to = to.min(floor_char_boundary(text, start + LINE_BYTES_MAX / 2));
    }
    // Skip the byte order mark.
    if text[from..to].starts_with('\u{feff}') {
        from += '\u{feff}'.len_utf8();
    }
    let start = start.max(from);
    (&text[from..to], start - from..span.end.clamp(start, to) - from)
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
