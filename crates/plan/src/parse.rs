//! Entry point of the parser: bytes in, a plan and its diagnostics out.

use std::borrow::Cow;

use crate::{
    assemble, checklist, coverage,
    diagnostic::{Diagnostic, DiagnosticSink, Severity},
    draft::{PlanDraft, StatusMark},
    format::{self, PlanFormat},
    line_index::{BOM, LineIndex},
    markdown::Outline,
    plan::Plan,
    problem::Problem,
    taskmaster, tasks_md,
};

/// Larger files are rejected without being read.
pub const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Characters that may be Markdown inside of a line. The parser needs about 70 bytes for each.
const MARKS: &[u8] = b"[]*_~`<&!\\^$|";
/// Ten times as many as a plan of 5,000 tasks has.
const MARKS_MAX: usize = 1 << 20;
/// For each byte, whether it is one of [`MARKS`].
const IS_MARK: [bool; 256] = {
    let mut is_mark = [false; 256];
    let mut at = 0;
    while at < MARKS.len() {
        is_mark[MARKS[at] as usize] = true;
        at += 1;
    }
    is_mark
};

/// How a file is parsed.
#[derive(Debug, Clone, Copy, Default)]
pub struct ParseOptions<'a> {
    /// Forces a format; `None` detects it.
    pub format: Option<PlanFormat>,
    /// Tag of Task Master to read; `None` reads `master` or the first.
    pub tag: Option<&'a str>,
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
    /// Whether the ids were assigned in file order, because the file has none.
    pub has_assigned_ids: bool,
    /// For each task of the plan, where the file says whether it is done.
    pub(crate) status_marks: Vec<Option<StatusMark>>,
}

impl ParsedPlan {
    /// Creates the result for a file that could not be opened.
    pub fn from_failure(diagnostic: Diagnostic) -> Self {
        Self {
            plan: Plan::default(),
            format: None,
            diagnostics: vec![diagnostic],
            has_assigned_ids: false,
            status_marks: Vec::new(),
        }
    }

    /// Returns the line that says whether a task is done, from 1.
    pub(crate) fn status_line(&self, index: usize, source: &[u8]) -> Option<usize> {
        let (StatusMark::Checkbox(span)
        | StatusMark::Word(span)
        | StatusMark::Symbol(span)
        | StatusMark::JsonString(span)) = self.status_marks.get(index)?.as_ref()?;
        Some(LineIndex::new(source).line_of(span.start))
    }

    /// Tells whether an error prevents a run.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity() == Severity::Error)
    }
}

/// Parses a plan file.
///
/// Never fails: a file that is not a plan yields an empty plan and a diagnostic.
///
/// ```
/// let parsed = plan::parse(b"- [ ] T001 Build\n- [ ] T002 Test\n", plan::ParseOptions::default());
/// assert!(!parsed.has_errors());
/// assert_eq!(parsed.plan.tasks[1].depends_on, [parsed.plan.tasks[0].id.clone()]);
/// ```
pub fn parse(source: &[u8], options: ParseOptions<'_>) -> ParsedPlan {
    let failed = |diagnostic| ParsedPlan { format: options.format, ..ParsedPlan::from_failure(diagnostic) };
    if source.len() > FILE_BYTES_MAX {
        let mib = FILE_BYTES_MAX / (1024 * 1024);
        return failed(Diagnostic::new(0..0, Problem::FileTooLarge { mib }));
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
            let problem = if is_utf16 { Problem::Utf16 } else { Problem::NotUtf8 };
            let end = offset + source.len();
            let span = bad..(bad + error.error_len().unwrap_or(1)).min(end);
            failed(Diagnostic::new(span, problem))
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

fn parse_text(text: &str, offset: usize, options: ParseOptions<'_>) -> ParsedPlan {
    let mut diagnostics = DiagnosticSink::default();
    let is_json =
        options.format.map_or(format::looks_like_json(text), |format| format == PlanFormat::Taskmaster);
    // Each mark takes memory while Markdown is parsed.
    if !is_json && has_too_many_marks(text) {
        let diagnostic = Diagnostic::new(0..0, Problem::TooManyMarks { max: MARKS_MAX });
        return ParsedPlan { format: options.format, ..ParsedPlan::from_failure(diagnostic) };
    }
    let (format, mut draft) = if is_json {
        (Some(PlanFormat::Taskmaster), taskmaster::parse(text, options.tag, &mut diagnostics))
    } else {
        let outline = Outline::new(text);
        let format = options.format.or_else(|| format::detect_markdown_format(text, &outline));
        (format, parse_markdown(text, &outline, format, &mut diagnostics))
    };
    let covered = std::mem::take(&mut draft.covered);
    let has_assigned_ids = draft.has_assigned_ids;
    let (plan, mut marks) = assemble::assemble_plan(text, draft, &mut diagnostics);
    if let Some(format @ (PlanFormat::TasksMd | PlanFormat::Checklist)) = format
        && !plan.tasks.is_empty()
    {
        coverage::report_unread_lines(text, covered, format, &plan.tasks, &mut diagnostics);
    }
    if plan.tasks.is_empty() && !diagnostics.has_error() {
        diagnostics.push(0..0, no_tasks_problem(text, format));
    }
    if offset > 0 {
        marks = marks.into_iter().map(|mark| mark.map(|mark| mark.moved_by(offset))).collect();
    }
    ParsedPlan {
        plan,
        format,
        diagnostics: diagnostics.finish(offset),
        has_assigned_ids,
        status_marks: marks,
    }
}

fn has_too_many_marks(text: &str) -> bool {
    // Most plans are shorter.
    text.len() > MARKS_MAX && text.bytes().filter(|byte| IS_MARK[usize::from(*byte)]).count() > MARKS_MAX
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

fn no_tasks_problem(text: &str, format: Option<PlanFormat>) -> Problem {
    if text.trim().is_empty() {
        return Problem::EmptyFile;
    }
    let nearest = match format {
        Some(PlanFormat::Taskmaster) => taskmaster::find_nearest_object(text),
        Some(PlanFormat::TasksMd | PlanFormat::Checklist) | None => coverage::find_nearest_line(text),
    };
    Problem::NoTasks { format, nearest }
}
