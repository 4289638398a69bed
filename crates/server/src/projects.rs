//! The projects that are known here: no request reaches into another folder.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

use config::PROJECT_FILE;
use runtime::Host;
use runtime::project_root;

use crate::{
    bodies::ProjectRow,
    code::Code,
    problem::{Failure, echo},
};

/// Returns those that had a run, the last used first, and the one in whose folder the server was started.
pub fn projects(host: &Host) -> Result<Vec<ProjectRow>, Failure> {
    let mut projects: BTreeMap<_, ProjectRow> = BTreeMap::new();
    // The oldest first, so that the last one is the newest.
    for run in host.list()? {
        let folder = host.environment(&run.id).ok().map(|environment| environment.project);
        let known = projects.entry((run.project.clone(), folder.clone()));
        let row = known.or_insert_with(|| row(run.project.clone(), folder));
        row.n_runs = row.n_runs.saturating_add(1);
        (row.last_run, row.last_started_at) = (Some(run.id), Some(run.started_at));
    }
    let mut projects: Vec<_> = projects.into_values().collect();
    projects.sort_by_key(|project| std::cmp::Reverse(project.last_started_at));
    let own = own_folder().filter(|own| projects.iter().all(|project| project.folder.as_ref() != Some(own)));
    projects.extend(own.map(|own| {
        let name = own.file_name().map(|name| name.to_string_lossy().into_owned());
        row(name.unwrap_or_else(|| own.display().to_string()), Some(own))
    }));
    Ok(projects)
}

/// Returns the folder of a project that is known.
pub fn known_project(host: &Host, folder: &Path) -> Result<PathBuf, Failure> {
    let is_meant = |known: &PathBuf| known == folder;
    let known = projects(host)?.into_iter().filter_map(|project| project.folder).find(is_meant);
    known.ok_or_else(|| {
        let what = format!("no project is known at {}", echo(&folder.display().to_string()));
        Failure::new(
            Code::UnknownProject,
            what,
            "GET /api/projects lists all; `jangdan run` in a folder adds it",
        )
    })
}

fn row(name: String, folder: Option<PathBuf>) -> ProjectRow {
    ProjectRow { name, folder, n_runs: 0, last_run: None, last_started_at: None }
}

/// Returns the project in whose folder the server was started; a folder that is none of a project is not offered.
fn own_folder() -> Option<PathBuf> {
    let directory = env::current_dir().ok()?;
    let root = project_root(&directory);
    let is_project = root.join(".git").exists() || root.join(PROJECT_FILE).exists();
    is_project.then(|| root.to_owned())
}
