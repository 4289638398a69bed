//! Errors and warnings about a plan file, as data; `cli` and the page render them.

use std::ops::Range;

use serde::Serialize;

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
}

/// A problem with its position in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code of the kind of problem.
    pub code: DiagnosticCode,
    /// Whether it prevents a run.
    pub severity: Severity,
    /// One line, without a full stop.
    pub message: String,
    /// Byte range in the file, including a byte order mark.
    pub span: Range<usize>,
    /// What to write instead, if known.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Creates an error for the given bytes.
    pub fn error(code: DiagnosticCode, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, message: message.into(), span, hint: None }
    }

    /// Creates a warning for the given bytes.
    pub fn warning(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            code: DiagnosticCode::Unclear,
            severity: Severity::Warning,
            message: message.into(),
            span,
            hint: None,
        }
    }

    /// Sets the hint: what to write instead.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
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
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < DIAGNOSTICS_MAX {
            self.diagnostics.push(diagnostic);
        } else {
            self.n_dropped += 1;
            self.has_dropped_error |= diagnostic.severity == Severity::Error;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Returns the diagnostics in file order, with spans shifted by `offset` bytes (the byte order mark).
    pub(crate) fn finish(mut self, offset: usize) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
        for diagnostic in &mut self.diagnostics {
            diagnostic.span.start += offset;
            diagnostic.span.end += offset;
        }
        if self.n_dropped > 0 {
            let message = format!("{} more problems are not shown", self.n_dropped);
            let rest = if self.has_dropped_error {
                Diagnostic::error(DiagnosticCode::ParseFail, 0..0, message)
            } else {
                Diagnostic::warning(0..0, message)
            };
            self.diagnostics.push(rest.with_hint("fix these first, then run: jangdan plan check FILE"));
        }
        self.diagnostics
    }
}
