//! The JSON object of `jangdan plan check --json`.
//!
//! Other programs read it: fields may be added, never changed or removed.

use domain::Locale;
use serde::Serialize;

use crate::{
    diagnostic::{DiagnosticCode, Severity},
    format::PlanFormat,
    graph::TaskGraph,
    line_index::LineIndex,
    parse::ParsedPlan,
    plan::{Phase, Task},
};

/// A plan with its analysis and diagnostics.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanReport<'a> {
    /// Null if no format matches.
    pub format: Option<PlanFormat>,
    /// Empty if the file has none.
    pub title: &'a str,
    /// Sorted by phase number.
    pub phases: &'a [Phase],
    /// In file order.
    pub tasks: &'a [Task],
    /// Ids of the longest path by complexity.
    pub critical_path: Vec<&'a str>,
    /// Largest number of tasks that can run at the same time.
    pub widest: usize,
    /// Errors and warnings in file order.
    pub diagnostics: Vec<ReportedDiagnostic>,
}

/// A diagnostic with line and column instead of byte offsets.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PlanDiagnostic", optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = PlanDiagnostic))]
#[serde(rename_all = "camelCase")]
pub struct ReportedDiagnostic {
    /// Stable code of the problem.
    pub code: DiagnosticCode,
    /// Whether it prevents a run.
    pub severity: Severity,
    /// One line, without a full stop.
    pub message: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl<'a> PlanReport<'a> {
    /// Builds the report from a parsed plan and the source bytes, with sentences in a language.
    pub fn new(parsed: &'a ParsedPlan, source: &[u8], locale: Locale) -> Self {
        let graph = TaskGraph::new(&parsed.plan);
        let tasks = &parsed.plan.tasks;
        let path = graph.critical_path();
        let lines = LineIndex::new(source);
        let diagnostics = parsed.diagnostics.iter().map(|diagnostic| {
            let position = lines.line_column(diagnostic.span.start);
            let text = diagnostic.text(locale);
            ReportedDiagnostic {
                code: diagnostic.code(),
                severity: diagnostic.severity(),
                message: text.message,
                line: position.line,
                column: position.column,
                hint: text.hint,
            }
        });
        Self {
            format: parsed.format,
            title: &parsed.plan.title,
            phases: &parsed.plan.phases,
            tasks,
            critical_path: path
                .into_iter()
                .filter_map(|task| tasks.get(task))
                .map(|task| task.id.as_str())
                .collect(),
            widest: graph.max_parallel_tasks(),
            diagnostics: diagnostics.collect(),
        }
    }
}
