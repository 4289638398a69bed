//! The plan of a run: found, read, and whether it is right.

use std::path::{Path, PathBuf};

use ::plan::{FILE_BYTES_MAX, ParseOptions, ParsedPlan, PlanFormat, Severity, parse};

use super::{
    PrepareError,
    input::{self, InputError},
    plans::{FOLDERS, NAMES, inside},
};

/// A plan that was read, with all that is wrong with it.
#[derive(Debug)]
pub struct ReadPlan {
    /// Its file; none where it is only a text.
    pub file: Option<PathBuf>,
    /// Its name for people.
    pub name: String,
    /// What was read.
    pub source: Vec<u8>,
    /// The format, where it was said.
    pub format: Option<PlanFormat>,
    /// What it means.
    pub reading: ParsedPlan,
}

impl ReadPlan {
    /// Reads the plan that is named, or else the one that a project has.
    pub fn find(
        project: &Path,
        named: Option<&Path>,
        format: Option<PlanFormat>,
    ) -> Result<Self, PrepareError> {
        let file = match named {
            Some(named) => std::path::absolute(named).map_err(|error| InputError::of(named, error))?,
            None => find(project)?,
        };
        Self::of_file(file, format)
    }

    /// Reads one of the plans that [`super::plans`] lists, by its path from the project's folder on.
    pub fn listed(project: &Path, path: &Path, format: Option<PlanFormat>) -> Result<Self, PrepareError> {
        let is_meant = |found: &&super::FoundPlan| found.path == path;
        let found = super::plans(project);
        let file = found.iter().find(is_meant).and_then(|found| inside(project, &found.path));
        Self::of_file(file.ok_or_else(|| PrepareError::NoPlan { project: project.to_owned() })?, format)
    }

    /// Reads a plan that is only a text.
    pub fn of_text(name: &str, text: String, format: Option<PlanFormat>) -> Self {
        let source = text.into_bytes();
        let reading = parse(&source, ParseOptions { format });
        Self { file: None, name: name.to_owned(), source, format, reading }
    }

    fn of_file(file: PathBuf, format: Option<PlanFormat>) -> Result<Self, PrepareError> {
        let source = input::read(&file, FILE_BYTES_MAX)?;
        let reading = parse(&source, ParseOptions { format });
        Ok(Self { name: file.display().to_string(), file: Some(file), source, format, reading })
    }

    /// Refuses a plan with errors.
    pub(crate) fn must_be_right(&self) -> Result<(), PrepareError> {
        let errors = self.reading.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        match errors.count() {
            0 => Ok(()),
            n_errors => Err(PrepareError::PlanMistakes { name: self.name.clone(), n_errors }),
        }
    }
}

/// Finds the plan that is meant where none is named.
fn find(project: &Path) -> Result<PathBuf, PrepareError> {
    if let Some(found) = NAMES.iter().map(|name| project.join(name)).find(|path| path.is_file()) {
        return Ok(found);
    }
    let mut found: Vec<PathBuf> = FOLDERS
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
