//! What is wrong with a plan file, and where.
//!
//! A diagnostic is data; only the command line turns it into coloured words.

use std::ops::Range;

use serde::Serialize;

/// More diagnostics than this help nobody, and a hostile file could make millions.
pub const DIAGNOSTICS_MAX: usize = 1_000;

/// What kind of thing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "MistakeCode"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = MistakeCode))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DiagnosticCode {
    /// There is no such file, or it has no task.
    TasksNotFound,
    /// The file, a row or a value of it cannot be read.
    ParseFail,
    /// A dependency names a task that the plan does not have.
    MissingDep,
    /// Tasks wait for each other.
    CircularDep,
    /// Something was read, but perhaps not as it was meant. Only ever a warning.
    Unclear,
}

impl DiagnosticCode {
    /// Returns the code as it is written in `plan check --json`.
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

/// Whether a plan can be run in spite of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "MistakeSeverity"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = MistakeSeverity))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The plan cannot be run.
    Error,
    /// The plan can be run, and somebody should look.
    Warning,
}

/// One thing that is wrong, with its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind.
    pub code: DiagnosticCode,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// The bytes of the file that it is about.
    pub span: Range<usize>,
    /// What to write instead, where that can be said.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Returns an error at the given place.
    pub fn error(code: DiagnosticCode, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, message: message.into(), span, hint: None }
    }

    /// Returns a warning at the given place.
    pub fn warning(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            code: DiagnosticCode::Unclear,
            severity: Severity::Warning,
            message: message.into(),
            span,
            hint: None,
        }
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Gathers diagnostics while a file is read, up to the bound.
#[derive(Debug, Default)]
pub(crate) struct DiagnosticSink {
    diagnostics: Vec<Diagnostic>,
    n_dropped: usize,
    /// Whether one of those left off is an error.
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

    /// Returns what was found in the order of the file, moved by the bytes that were cut off before reading.
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
            self.diagnostics.push(rest.hint("mend these first, then check again"));
        }
        self.diagnostics
    }
}
