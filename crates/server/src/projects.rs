//! The listed projects. Requests have access to no other folder.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    path::{Path, PathBuf},
};

use config::PROJECT_FILE;
use runtime::Host;
use runtime::project_root;
use tracing::debug;

use crate::{
    bodies::ProjectRow,
    problem::{ApiError, shorten_client_text},
    problem_code::ProblemCode,
};

/// Returns the projects with runs, the last used first, and the one in whose folder the server was started.
pub(crate) fn projects(host: &Host) -> Result<Vec<ProjectRow>, ApiError> {
    let mut projects: BTreeMap<_, ProjectRow> = BTreeMap::new();
    // Runs are listed oldest first, so the last one wins.
    for run in host.list_runs()? {
        let environment = host.run_environment(&run.id);
        let environment = environment.inspect_err(
            |error| debug!(run = %run.id, error = error as &dyn Error, "the folder of the run is unknown"),
        );
        let folder = environment.ok().map(|environment| environment.project);
        let entry = projects.entry((run.project.clone(), folder.clone()));
        let row = entry.or_insert_with(|| new_project_row(run.project.clone(), folder));
        row.n_runs = row.n_runs.saturating_add(1);
        (row.last_run, row.last_started_at) = (Some(run.id), Some(run.started_at));
    }
    let mut projects: Vec<_> = projects.into_values().collect();
    projects.sort_by_key(|project| std::cmp::Reverse(project.last_started_at));
    let own = current_project_folder()
        .filter(|own| projects.iter().all(|project| project.folder.as_ref() != Some(own)));
    projects.extend(own.map(|own| {
        let name = own.file_name().map(|name| name.to_string_lossy().into_owned());
        new_project_row(name.unwrap_or_else(|| own.display().to_string()), Some(own))
    }));
    Ok(projects)
}

/// Checks that a folder is the one of a listed project.
pub(crate) fn check_project_listed(host: &Host, folder: &Path) -> Result<PathBuf, ApiError> {
    let is_requested = |known: &PathBuf| known == folder;
    let project = projects(host)?.into_iter().filter_map(|project| project.folder).find(is_requested);
    project.ok_or_else(|| {
        let detail =
            format!("Jangdan has no project at {}.", shorten_client_text(&folder.display().to_string()));
        ApiError::new(
            ProblemCode::UnknownProject,
            detail,
            "GET /api/projects lists all; `jangdan run` in a folder adds it.",
        )
    })
}

fn new_project_row(name: String, folder: Option<PathBuf>) -> ProjectRow {
    ProjectRow { name, folder, n_runs: 0, last_run: None, last_started_at: None }
}

/// Returns the project in whose folder the server was started; `None` if the folder is not a project.
fn current_project_folder() -> Option<PathBuf> {
    let directory = env::current_dir().ok()?;
    let root = project_root(&directory);
    let is_project = root.join(".git").exists() || root.join(PROJECT_FILE).exists();
    is_project.then(|| root.to_owned())
}
