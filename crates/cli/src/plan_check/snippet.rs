//! A diagnostic as a person reads it: the line, the place underlined, and what to write instead.

use std::{
    io::{self, Write},
    ops::Range,
};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use plan::{Diagnostic, Places, Severity};

use crate::printable::{printable, printable_line};

/// A line longer than this is shown only around the place.
const LINE_BYTES_MAX: usize = 400;

/// Prints one diagnostic to standard error.
pub fn print(name: &str, text: &str, places: &Places<'_>, diagnostic: &Diagnostic) -> io::Result<()> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(printable(&diagnostic.message)).id(diagnostic.code.as_str());
    let place = places.place(diagnostic.span.start);
    let (line, span) = excerpt(text, &diagnostic.span);
    let (line, name) = (printable_line(line), printable(name));
    let hint = diagnostic.hint.as_deref().map(|hint| Level::HELP.with_name("hint").message(printable(hint)));
    let annotation = AnnotationKind::Primary.span(span);
    let snippet =
        Snippet::source(line.as_str()).path(name.as_str()).line_start(place.line).annotation(annotation);
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
