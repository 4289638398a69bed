//! Parses plan files (Task Master's tasks.json, TASKS.md, the checklists of Spec Kit and Kiro) into a [`Plan`] of
//! phases, tasks and dependencies, marks a task done in its file, and writes a plan as TASKS.md.
//!
//! Performs no IO and never fails: every problem is a [`Diagnostic`] with a position, next to the parts that could be
//! read.

mod assemble;
mod checklist;
mod coverage;
mod dependencies;
mod diagnostic;
mod diagram;
mod draft;
mod explain;
mod field_keys;
mod format;
mod graph;
mod heading;
mod ids;
mod line_index;
mod list_item;
mod mark_done;
mod markdown;
mod parse;
mod paths;
mod phases;
mod plan;
mod problem;
mod rename;
mod report;
mod resolve;
mod taskmaster;
mod tasks_md;
mod tasks_md_writer;
mod text;
mod values;

pub use diagnostic::{DIAGNOSTICS_MAX, Diagnostic, DiagnosticCode, Severity};
pub use diagram::{to_dot, to_mermaid};
pub use explain::{FieldOrigin, ValueOrigin, explain};
pub use format::PlanFormat;
pub use graph::{Cycle, CycleNode, TaskGraph};
pub use line_index::{LineColumn, LineIndex};
pub use mark_done::{MarkDoneOutcome, TextEdit, mark_done};
pub use parse::{FILE_BYTES_MAX, ParseOptions, ParsedPlan, parse};
pub use plan::{Phase, Plan, Task};
pub use problem::{NearestLine, Problem, ProblemText, ValueField};
pub use rename::{RenamedTask, rename_duplicates};
pub use report::{PlanReport, ReportedDiagnostic};
pub use tasks_md_writer::to_tasks_md;
