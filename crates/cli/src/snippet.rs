//! A mistake in a file as a person reads it: the line, the place underlined, and what to write instead.

use std::{
    io::{self, Write},
    ops::Range,
};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::printable::{printable, printable_line};

/// A line longer than this is shown only around the place.
const LINE_BYTES_MAX: usize = 400;

/// Something that is wrong in a file.
pub struct Mistake<'a> {
    /// The file's name.
    pub name: &'a str,
    /// What is in it.
    pub text: &'a str,
    /// The line, from 1.
    pub line: usize,
    /// The bytes that it is about.
    pub span: &'a Range<usize>,
    /// Whether it is only a warning.
    pub is_warning: bool,
    /// The kind, where kinds have names.
    pub code: Option<&'static str>,
    /// What is wrong.
    pub message: &'a str,
    /// What to write instead.
    pub hint: Option<&'a str>,
}

/// Prints what is wrong to standard error.
pub fn print(mistake: &Mistake<'_>) -> io::Result<()> {
    let level = if mistake.is_warning { Level::WARNING } else { Level::ERROR };
    let title = level.primary_title(printable(mistake.message));
    let title = match mistake.code {
        Some(code) => title.id(code),
        None => title,
    };
    let (line, span) = excerpt(mistake.text, mistake.span);
    let (line, name) = (printable_line(line), printable(mistake.name));
    let hint = mistake.hint.map(|hint| Level::HELP.with_name("hint").message(printable(hint)));
    let annotation = AnnotationKind::Primary.span(span);
    let snippet =
        Snippet::source(line.as_str()).path(name.as_str()).line_start(mistake.line).annotation(annotation);
    let report = [title.element(snippet).elements(hint)];
    let width = terminal_size::terminal_size_of(io::stderr()).map_or(140, |(width, _)| usize::from(width.0));
    let words = Renderer::styled().term_width(width).render(&report);
    writeln!(anstream::stderr().lock(), "{words}\n")
}

/// Prints how much is wrong altogether.
pub fn print_summary(name: &str, n_errors: usize, n_warnings: usize) -> io::Result<()> {
    let count = |number: usize, word: &str| match number {
        0 => None,
        1 => Some(format!("1 {word}")),
        number => Some(format!("{number} {word}s")),
    };
    let counts: Vec<_> =
        [count(n_errors, "error"), count(n_warnings, "warning")].into_iter().flatten().collect();
    if counts.is_empty() {
        return Ok(());
    }
    writeln!(anstream::stderr().lock(), "{}: {}", printable(name), counts.join(", "))
}

/// Cuts out the line that a span begins on, and moves the span into it.
///
/// The renderer looks through all of what it is given, which for a large file with many errors would take minutes.
fn excerpt<'a>(text: &'a str, span: &Range<usize>) -> (&'a str, Range<usize>) {
    let start = span.start.min(text.len());
    let mut from = text[..start].rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
    let mut to = text[start..].find(['\n', '\r']).map_or(text.len(), |newline| start + newline);
    if to - from > LINE_BYTES_MAX {
        from = from.max(floor(text, start.saturating_sub(LINE_BYTES_MAX / 2)));
        to = to.min(floor(text, start + LINE_BYTES_MAX / 2));
    }
    // A byte order mark is no part of what the person wrote.
    if text[from..to].starts_with('\u{feff}') {
        from += '\u{feff}'.len_utf8();
    }
    let start = start.max(from);
    (&text[from..to], start - from..span.end.clamp(start, to) - from)
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
