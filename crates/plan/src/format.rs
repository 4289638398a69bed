//! The formats of plan files, and which of them a file is in.

use std::{fmt, str::FromStr};

use serde::Serialize;
use thiserror::Error;

use crate::{checklist, markdown::Outline, tasks_md};

/// A format of plan files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PlanFormat"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = PlanFormat))]
#[serde(rename_all = "kebab-case")]
pub enum PlanFormat {
    /// Task Master's tasks.json.
    Taskmaster,
    /// Headings `### T1.3: title`, a table with an `ID` column, or both.
    TasksMd,
    /// Check boxes, as GitHub Spec Kit and Kiro write them.
    Checklist,
}

impl PlanFormat {
    /// All formats, in the order in which they are tried.
    pub const ALL: [Self; 3] = [Self::Taskmaster, Self::TasksMd, Self::Checklist];

    /// Returns the format's name.
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

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no plan format")]
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

/// Tells whether a text can only be meant as JSON: no Markdown plan begins with a brace.
pub(crate) fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Returns the first Markdown format that fits.
pub(crate) fn detect_markdown_format(text: &str, outline: &Outline) -> Option<PlanFormat> {
    if tasks_md::is_tasks_md(text, outline) {
        Some(PlanFormat::TasksMd)
    } else if checklist::is_checklist(text, outline) {
        Some(PlanFormat::Checklist)
    } else if tasks_md::has_task_table(text, outline) {
        // No row of it has an id that can be read; its errors say so.
        Some(PlanFormat::TasksMd)
    } else {
        None
    }
}
