//! Bytes → a plan, and everything that is wrong with it.

use std::borrow::Cow;

use crate::{
    assemble, checklist,
    diagnostic::{Diagnostic, DiagnosticCode, DiagnosticSink, Severity},
    draft::{PlanDraft, StatusMark},
    format::{self, PlanFormat},
    line_index::BOM,
    markdown::Outline,
    plan::Plan,
    taskmaster, tasks_md,
};

/// A larger file is no plan, but somebody's mistake.
pub const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How a file is to be read.
#[derive(Debug, Clone, Copy)]
pub struct ParseOptions {
    /// The format, where it is not to be found out.
    pub format: Option<PlanFormat>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedPlan {
    /// The plan, as far as it could be read.
    pub plan: Plan,
    /// The format, where one fits.
    pub format: Option<PlanFormat>,
    /// All that is wrong, in the file's order.
    pub diagnostics: Vec<Diagnostic>,
    /// Where each task of the plan is marked as done.
    pub(crate) status_marks: Vec<Option<StatusMark>>,
}

impl ParsedPlan {
    /// Returns a reading of a file that could not even be opened.
    pub fn failed(diagnostic: Diagnostic) -> Self {
        Self { plan: Plan::default(), format: None, diagnostics: vec![diagnostic], status_marks: Vec::new() }
    }

    /// Tells whether the plan cannot be run as it is.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Reads a plan file.
///
/// Never fails: a file that is no plan gives an empty one, and a diagnostic that says so.
///
/// ```
/// let reading = plan::read(b"- [ ] T001 Begin\n- [ ] T002 Go on\n", plan::Options { format: None });
/// assert!(!reading.has_errors());
/// assert_eq!(reading.plan.tasks[1].depends_on, [reading.plan.tasks[0].id.clone()]);
/// ```
pub fn parse(source: &[u8], options: ParseOptions) -> ParsedPlan {
    let failed = |diagnostic| ParsedPlan { format: options.format, ..ParsedPlan::failed(diagnostic) };
    if source.len() > FILE_BYTES_MAX {
        let message = format!("the file is larger than {} MiB", FILE_BYTES_MAX / (1024 * 1024));
        return failed(
            Diagnostic::error(DiagnosticCode::ParseFail, 0..0, message)
                .hint("a plan is a text of a few pages; split it"),
        );
    }
    let (offset, source) = match source.strip_prefix(BOM) {
        Some(rest) => (BOM.len(), rest),
        None => (0, source),
    };
    match std::str::from_utf8(source) {
        Ok(text) => parse_text(&normalize_carriage_returns(text), offset, options),
        Err(error) => {
            let bad = offset + error.valid_up_to();
            let is_utf16 = source.starts_with(b"\xFF\xFE") || source.starts_with(b"\xFE\xFF");
            let message = if is_utf16 { "the file is UTF-16, not UTF-8" } else { "the file is not UTF-8" };
            let end = offset + source.len();
            let span = bad..(bad + error.error_len().unwrap_or(1)).min(end);
            failed(Diagnostic::error(DiagnosticCode::ParseFail, span, message).hint("save the file as UTF-8"))
        }
    }
}

/// Turns carriage returns that stand alone, which end a line in Markdown, into line feeds. No byte changes its place.
fn normalize_carriage_returns(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_alone = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
    if !memchr::memchr_iter(b'\r', bytes).any(|at| is_alone(&at)) {
        return Cow::Borrowed(text);
    }
    let mut characters = text.chars().peekable();
    let mut changed = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        let is_alone = character == '\r' && characters.peek() != Some(&'\n');
        changed.push(if is_alone { '\n' } else { character });
    }
    Cow::Owned(changed)
}

fn parse_text(text: &str, offset: usize, options: ParseOptions) -> ParsedPlan {
    let mut diagnostics = DiagnosticSink::default();
    let is_json =
        options.format.map_or(format::looks_like_json(text), |format| format == PlanFormat::Taskmaster);
    let (format, draft) = if is_json {
        (Some(PlanFormat::Taskmaster), taskmaster::parse(text, &mut diagnostics))
    } else {
        let outline = Outline::new(text);
        let format = options.format.or_else(|| format::detect_markdown_format(text, &outline));
        (format, parse_markdown(text, &outline, format, &mut diagnostics))
    };
    let (plan, marks) = assemble::assemble_plan(text, draft, &mut diagnostics);
    if plan.tasks.is_empty() && diagnostics.is_empty() {
        diagnostics.push(no_tasks_found(text, format));
    }
    let mut marks = marks;
    for mark in marks.iter_mut().flatten() {
        let (StatusMark::Checkbox(span) | StatusMark::Word(span) | StatusMark::JsonString(span)) = mark;
        *span = span.start + offset..span.end + offset;
    }
    ParsedPlan { plan, format, diagnostics: diagnostics.finish(offset), status_marks: marks }
}

fn parse_markdown<'a>(
    text: &'a str,
    outline: &Outline,
    format: Option<PlanFormat>,
    diagnostics: &mut DiagnosticSink,
) -> PlanDraft<'a> {
    match format {
        Some(PlanFormat::TasksMd) => tasks_md::parse(text, outline, diagnostics),
        Some(PlanFormat::Checklist) => checklist::parse(text, outline, diagnostics),
        Some(PlanFormat::Taskmaster) | None => PlanDraft::default(),
    }
}

fn no_tasks_found(text: &str, format: Option<PlanFormat>) -> Diagnostic {
    let message = if text.trim().is_empty() { "the file is empty" } else { "the file has no task" };
    let hint = match format {
        None => {
            "write headings '### T1: title', a table with an ID column, or check boxes '- [ ] T001 title'"
        }
        Some(PlanFormat::TasksMd) => "write headings '### T1: title' or a table with an ID column",
        Some(PlanFormat::Checklist) => "write check boxes '- [ ] T001 title' or '- [ ] 1. title'",
        Some(PlanFormat::Taskmaster) => "write {\"tasks\": [{\"id\": 1, \"title\": \"…\"}]}",
    };
    Diagnostic::error(DiagnosticCode::TasksNotFound, 0..0, message).hint(hint)
}
