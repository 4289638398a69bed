//! The supported plan formats, and how a file's format is detected.

use std::{fmt, str::FromStr};

use serde::Serialize;
use thiserror::Error;

use crate::{checklist, markdown::Outline, tasks_md};

/// A format of plan files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlanFormat {
    /// Task Master's tasks.json.
    Taskmaster,
    /// Headings `### T1.3: title`, a table with an `ID` column, or both.
    TasksMd,
    /// Check boxes as written by GitHub Spec Kit and Kiro.
    Checklist,
}

impl PlanFormat {
    /// All formats, in order of detection.
    pub const ALL: [Self; 3] = [Self::Taskmaster, Self::TasksMd, Self::Checklist];

    /// Returns the name used by `--format` and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Taskmaster => "taskmaster",
            Self::TasksMd => "tasks-md",
            Self::Checklist => "checklist",
        }
    }
}

impl fmt::Display for PlanFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The name does not belong to any format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown plan format '{0}'")]
pub struct UnknownFormat(String);

impl FromStr for PlanFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// Tells whether a text must be JSON: no Markdown plan begins with a brace, alone or in a bracket.
pub(crate) fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start();
    let list = text.strip_prefix('[').map(str::trim_start);
    text.starts_with('{') || list.is_some_and(|list| list.starts_with('{') || list.trim_end() == "]")
}

/// Returns the first Markdown format that matches the file.
pub(crate) fn detect_markdown_format(text: &str, outline: &Outline) -> Option<PlanFormat> {
    let is_index = || tasks_md::is_index_of(text, outline, || checklist::box_ids(text, outline));
    let is_list_in_phases =
        || tasks_md::has_only_phase_headings(text, outline) && checklist::is_checklist(text, outline);
    if tasks_md::is_tasks_md(text, outline, false) && !is_index() {
        Some(PlanFormat::TasksMd)
    } else if checklist::has_ids(text, outline) {
        Some(PlanFormat::Checklist)
    } else if tasks_md::is_tasks_md(text, outline, true) && !is_list_in_phases()
        || tasks_md::has_numbered_tasks(text, outline)
    {
        Some(PlanFormat::TasksMd)
    } else if checklist::is_checklist(text, outline) {
        Some(PlanFormat::Checklist)
    } else if tasks_md::has_task_table(text, outline) {
        // No row has a valid id; parsing it produces the errors that say so.
        Some(PlanFormat::TasksMd)
    } else {
        None
    }
}
