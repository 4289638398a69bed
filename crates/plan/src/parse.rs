//! Entry point of the parser: bytes in, a plan and its diagnostics out.

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

/// Larger files are rejected without being read.
pub const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How a file is parsed.
#[derive(Debug, Clone, Copy)]
pub struct ParseOptions {
    /// Forces a format; `None` detects it.
    pub format: Option<PlanFormat>,
}

/// A plan and the problems found in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedPlan {
    /// The parts that could be read.
    pub plan: Plan,
    /// `None` if no format matches.
    pub format: Option<PlanFormat>,
    /// Errors and warnings in file order.
    pub diagnostics: Vec<Diagnostic>,
    /// For each task of the plan, where the file says whether it is done.
    pub(crate) status_marks: Vec<Option<StatusMark>>,
}

impl ParsedPlan {
    /// Creates the result for a file that could not be opened.
    pub fn from_failure(diagnostic: Diagnostic) -> Self {
        Self { plan: Plan::default(), format: None, diagnostics: vec![diagnostic], status_marks: Vec::new() }
    }

    /// Tells whether an error prevents a run.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Parses a plan file.
///
/// Never fails: a file that is not a plan yields an empty plan and a diagnostic.
///
/// ```
/// let parsed = plan::parse(b"- [ ] T001 Build\n- [ ] T002 Test\n", plan::ParseOptions { format: None });
/// assert!(!parsed.has_errors());
/// assert_eq!(parsed.plan.tasks[1].depends_on, [parsed.plan.tasks[0].id.clone()]);
/// ```
pub fn parse(source: &[u8], options: ParseOptions) -> ParsedPlan {
    let failed = |diagnostic| ParsedPlan { format: options.format, ..ParsedPlan::from_failure(diagnostic) };
    if source.len() > FILE_BYTES_MAX {
        let message = format!("the file is larger than {} MiB", FILE_BYTES_MAX / (1024 * 1024));
        return failed(
            Diagnostic::error(DiagnosticCode::ParseFail, 0..0, message)
                .with_hint("split the plan into several files"),
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
            failed(
                Diagnostic::error(DiagnosticCode::ParseFail, span, message)
                    .with_hint("save the file as UTF-8"),
            )
        }
    }
}

/// Replaces lone carriage returns, which end a line in Markdown, by line feeds. Byte offsets do not change.
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
        diagnostics.push(no_tasks_error(text, format));
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

fn no_tasks_error(text: &str, format: Option<PlanFormat>) -> Diagnostic {
    let message = if text.trim().is_empty() { "the file is empty" } else { "the file contains no tasks" };
    let hint = match format {
        None => "add headings '### T1: title', a table with an ID column, or check boxes '- [ ] T001 title'",
        Some(PlanFormat::TasksMd) => "add headings '### T1: title' or a table with an ID column",
        Some(PlanFormat::Checklist) => "add check boxes '- [ ] T001 title' or '- [ ] 1. title'",
        Some(PlanFormat::Taskmaster) => "write {\"tasks\": [{\"id\": 1, \"title\": \"…\"}]}",
    };
    Diagnostic::error(DiagnosticCode::TasksNotFound, 0..0, message).with_hint(hint)
}
