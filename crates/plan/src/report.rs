//! The object that `jangdan plan check --json` prints.
//!
//! Other programs read it: fields are added, never changed.

use serde::Serialize;

use crate::{
    diagnostic::{DiagnosticCode, Severity},
    format::PlanFormat,
    graph::TaskGraph,
    line_index::LineIndex,
    parse::ParsedPlan,
    plan::{Phase, Task},
};

/// A plan with what can be said about it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PlanReport"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = PlanReport))]
#[serde(rename_all = "camelCase")]
pub struct PlanReport<'a> {
    /// The format, or null where none fits.
    pub format: Option<PlanFormat>,
    /// The plan's title.
    pub title: &'a str,
    /// The phases by number.
    pub phases: &'a [Phase],
    /// The tasks in the file's order.
    pub tasks: &'a [Task],
    /// The longest way by complexity.
    pub critical_path: Vec<&'a str>,
    /// The largest number of tasks that an unlimited run would have at once.
    pub widest: usize,
    /// All that is wrong, in the file's order.
    pub diagnostics: Vec<ReportedDiagnostic<'a>>,
}

/// A diagnostic with its line and column instead of bytes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Mistake", optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Mistake))]
#[serde(rename_all = "camelCase")]
pub struct ReportedDiagnostic<'a> {
    /// The kind.
    pub code: DiagnosticCode,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: &'a str,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'a str>,
}

impl<'a> PlanReport<'a> {
    /// Makes the object of a reading and the bytes that were read.
    pub fn new(parsed: &'a ParsedPlan, source: &[u8]) -> Self {
        let graph = TaskGraph::new(&parsed.plan);
        let tasks = &parsed.plan.tasks;
        let path = graph.critical_path();
        let lines = LineIndex::new(source);
        let diagnostics = parsed.diagnostics.iter().map(|diagnostic| {
            let position = lines.line_column(diagnostic.span.start);
            ReportedDiagnostic {
                code: diagnostic.code,
                severity: diagnostic.severity,
                message: &diagnostic.message,
                line: position.line,
                column: position.column,
                hint: diagnostic.hint.as_deref(),
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
