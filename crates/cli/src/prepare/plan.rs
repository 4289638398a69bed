//! Finds the plan file, reads it, and shows what is wrong with it.

use std::path::{Path, PathBuf};

use plan::{FILE_BYTES_MAX, Format, Options, Plan};

use crate::{failure::Failure, input, plan_check, plural::plural};

/// Where plans lie, the likeliest first.
const NAMES: &[&str] = &[
    "TASKS.md",
    "tasks.md",
    "docs/planning/06-tasks.md",
    "docs/TASKS.md",
    ".taskmaster/tasks/tasks.json",
    "PLAN.md",
];
/// Folders with a plan for each feature.
const FOLDERS: &[&str] = &["specs", ".kiro/specs", ".specify/specs"];

/// Finds the plan that is meant.
pub fn find(project: &Path, named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        return std::path::absolute(named).map_err(|error| Failure {
            what: format!("find {}: {error}", named.display()),
            hint: None,
            exit: 1,
        });
    }
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
        [] => Err(Failure {
            what: format!("there is no plan in {} [TASKS_NOT_FOUND]", project.display()),
            hint: Some(format!("name one: jangdan run FILE. Looked for {}", NAMES.join(", "))),
            exit: 1,
        }),
        many => {
            let names: Vec<String> = many.iter().map(|path| path.display().to_string()).collect();
            Err(Failure {
                what: format!("there are {} plans", many.len()),
                hint: Some(format!("name one of them: {}", names.join(", "))),
                exit: 1,
            })
        }
    }
}

/// Reads a plan; one with errors is shown and refused.
pub fn read(file: &Path, format: Option<Format>) -> Result<Plan, Failure> {
    let source = input::read(file, FILE_BYTES_MAX).map_err(|error| Failure {
        what: error.to_string(),
        hint: Some(error.hint()),
        exit: 1,
    })?;
    let reading = plan::read(&source, Options { format });
    // With standard error gone there is nobody left to tell.
    let _ = plan_check::show_mistakes(file, &source, &reading);
    if reading.has_errors() {
        let count =
            reading.diagnostics.iter().filter(|found| found.severity == plan::Severity::Error).count();
        return Err(Failure {
            what: format!("the plan {} has {}", file.display(), plural(count, "error")),
            hint: Some("mend it, then look at it with `jangdan plan check`".to_owned()),
            exit: 1,
        });
    }
    Ok(reading.plan)
}
