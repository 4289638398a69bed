//! Finds and reads the plan of a run.

use std::path::{Path, PathBuf};

use ::plan::{FILE_BYTES_MAX, ParseOptions, ParsedPlan, PlanFormat, Severity, parse};

use super::{
    PrepareError,
    input::{self, InputError},
    plan_files::{FEATURE_FOLDERS, NAMES, resolve_inside},
};

/// A plan that was read, with its problems.
#[derive(Debug)]
pub struct LoadedPlan {
    /// Path of the file; `None` for a plan given as text.
    pub file: Option<PathBuf>,
    /// Name of the plan in messages.
    pub name: String,
    /// Source text of the plan.
    pub source: Vec<u8>,
    /// Format, if it was named.
    pub format: Option<PlanFormat>,
    /// Tag of Task Master, if one was named.
    pub tag: Option<String>,
    /// Parsed plan and its diagnostics.
    pub reading: ParsedPlan,
}

impl LoadedPlan {
    /// Reads the named plan, or the plan of the project if none is named.
    pub fn find(
        project: &Path,
        named: Option<&Path>,
        options: ParseOptions<'_>,
    ) -> Result<Self, PrepareError> {
        let file = match named {
            Some(named) => {
                std::path::absolute(named).map_err(|error| InputError::from_io_error(named, error))?
            }
            None => find_plan_path(project)?,
        };
        Self::load_file(file, options)
    }

    /// Reads a plan that [`super::find_plan_files`] lists, by its path relative to the project.
    pub fn load_listed(project: &Path, path: &Path, options: ParseOptions<'_>) -> Result<Self, PrepareError> {
        let is_named = |found: &&super::PlanFile| found.path == path;
        let found = super::find_plan_files(project);
        let file = found.iter().find(is_named).and_then(|found| resolve_inside(project, &found.path));
        Self::load_file(file.ok_or_else(|| PrepareError::NoPlan { project: project.to_owned() })?, options)
    }

    /// Reads a plan given as text.
    pub fn from_text(name: &str, text: String, options: ParseOptions<'_>) -> Self {
        let source = text.into_bytes();
        let reading = parse(&source, options);
        let (format, tag) = (options.format, options.tag.map(str::to_owned));
        Self { file: None, name: name.to_owned(), source, format, tag, reading }
    }

    fn load_file(file: PathBuf, options: ParseOptions<'_>) -> Result<Self, PrepareError> {
        let source = input::read(&file, FILE_BYTES_MAX)?;
        let reading = parse(&source, options);
        let (format, tag) = (options.format, options.tag.map(str::to_owned));
        Ok(Self { name: file.display().to_string(), file: Some(file), source, format, tag, reading })
    }

    /// Fails if the plan has errors.
    pub(crate) fn check_valid(&self) -> Result<(), PrepareError> {
        let errors = self.reading.diagnostics.iter().filter(|found| found.severity() == Severity::Error);
        match errors.count() {
            0 => Ok(()),
            n_errors => Err(PrepareError::PlanMistakes { name: self.name.clone(), n_errors }),
        }
    }
}

/// Finds the plan of a project. Fails if there is none or if several have the same precedence.
fn find_plan_path(project: &Path) -> Result<PathBuf, PrepareError> {
    if let Some(found) = NAMES.iter().map(|name| project.join(name)).find(|path| path.is_file()) {
        return Ok(found);
    }
    let mut found: Vec<PathBuf> = FEATURE_FOLDERS
        .iter()
        .filter_map(|folder| project.join(folder).read_dir().ok())
        .flat_map(|entries| entries.flatten())
        .map(|entry| entry.path().join("tasks.md"))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(PrepareError::NoPlan { project: project.to_owned() }),
        _ => Err(PrepareError::SeveralPlans { found }),
    }
}
