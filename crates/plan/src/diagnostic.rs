//! Errors, warnings and notes about a plan file, as data; `cli` and the page render them.

use std::ops::Range;

use domain::Locale;
use serde::Serialize;

use crate::problem::{Problem, ProblemText};

/// A malicious file could produce millions; beyond this number they are only counted.
pub const DIAGNOSTICS_MAX: usize = 1_000;

/// The kind of problem, as a stable machine-readable code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PlanDiagnosticCode"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = PlanDiagnosticCode))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DiagnosticCode {
    /// The file does not exist or has no task.
    TasksNotFound,
    /// The file, a row or a value could not be parsed.
    ParseFail,
    /// A dependency names a task that is not in the plan.
    MissingDep,
    /// Tasks or phases depend on each other in a cycle.
    CircularDep,
    /// The text was read, but possibly not as intended. Always a warning.
    Unclear,
    /// How a line was read whose meaning is not certain. Always a note.
    Note,
}

impl DiagnosticCode {
    /// Returns the code as printed by `plan check --json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TasksNotFound => "TASKS_NOT_FOUND",
            Self::ParseFail => "PARSE_FAIL",
            Self::MissingDep => "MISSING_DEP",
            Self::CircularDep => "CIRCULAR_DEP",
            Self::Unclear => "UNCLEAR",
            Self::Note => "NOTE",
        }
    }
}

/// Whether the plan can still be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PlanDiagnosticSeverity"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = PlanDiagnosticSeverity))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The plan cannot be run.
    Error,
    /// The plan can be run, but the author should check it.
    Warning,
    /// Says how a line was read.
    Note,
}

/// A problem with its position in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Byte range in the file, including a byte order mark.
    pub span: Range<usize>,
    pub problem: Problem,
}

impl Diagnostic {
    pub fn new(span: Range<usize>, problem: Problem) -> Self {
        Self { span, problem }
    }

    /// Returns the stable code of the kind of problem.
    pub fn code(&self) -> DiagnosticCode {
        self.problem.code()
    }

    /// Returns whether the problem prevents a run.
    pub fn severity(&self) -> Severity {
        self.problem.severity()
    }

    /// Returns the sentences in a language.
    pub fn text(&self, locale: Locale) -> ProblemText {
        self.problem.text(locale)
    }
}

/// Collects diagnostics while a file is parsed, up to [`DIAGNOSTICS_MAX`].
#[derive(Debug, Default)]
pub(crate) struct DiagnosticSink {
    diagnostics: Vec<Diagnostic>,
    n_dropped: usize,
    /// Whether at least one of the dropped diagnostics is an error.
    has_dropped_error: bool,
}

impl DiagnosticSink {
    pub(crate) fn push(&mut self, span: Range<usize>, problem: Problem) {
        let diagnostic = Diagnostic::new(span, problem);
        if self.diagnostics.len() < DIAGNOSTICS_MAX {
            self.diagnostics.push(diagnostic);
        } else {
            self.n_dropped += 1;
            self.has_dropped_error |= diagnostic.severity() == Severity::Error;
        }
    }

    pub(crate) fn has_error(&self) -> bool {
        self.has_dropped_error
            || self.diagnostics.iter().any(|diagnostic| diagnostic.severity() == Severity::Error)
    }

    /// Returns the sorted positions of the diagnostics so far.
    pub(crate) fn sorted_starts(&self) -> Vec<usize> {
        let mut starts: Vec<usize> =
            self.diagnostics.iter().map(|diagnostic| diagnostic.span.start).collect();
        starts.sort_unstable();
        starts
    }

    /// Returns the diagnostics in file order, with spans shifted by `offset` bytes (the byte order mark).
    pub(crate) fn finish(mut self, offset: usize) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
        for diagnostic in &mut self.diagnostics {
            diagnostic.span.start += offset;
            diagnostic.span.end += offset;
        }
        if self.n_dropped > 0 {
            let problem = Problem::MoreProblems { n: self.n_dropped, has_error: self.has_dropped_error };
            self.diagnostics.push(Diagnostic::new(0..0, problem));
        }
        self.diagnostics
    }
}
