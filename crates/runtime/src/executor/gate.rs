//! Examines a phase for its gate: runs the phase's check on the merged tree, and looks for the expected artefacts. The
//! engine decides whether the phase passes.

use std::path::{Component, Path, PathBuf};

use domain::{DocumentState, GateReport, ReportedDocument};
use engine::{ArtefactRule, GateCheck};
use repo::{EntryKind, RepoError};

use super::{
    check_worktree::{self, MergeCheck},
    effect_obstacle::{EffectObstacle, JobError},
    job::{CheckedWork, Job, run_check},
    run_context::RunContext,
    stop_token::StopToken,
};

/// Limit of listed artefacts.
const ARTEFACTS_MAX: usize = 1000;

/// Examines a phase. An error is reported as a failed gate.
pub(super) fn examine_phase(
    context: &RunContext,
    name: &str,
    work: &GateCheck,
    stop_token: &StopToken,
) -> Result<GateReport, EffectObstacle> {
    match try_examine_phase(context, name, work, stop_token) {
        Ok(report) => Ok(report),
        Err(JobError::Obstacle(obstacle)) => Err(obstacle),
        Err(JobError::Failed(reason)) => {
            let summary = format!("cannot examine the phase: {reason}");
            Ok(GateReport { summary, ..GateReport::default() })
        }
    }
}

fn try_examine_phase(
    context: &RunContext,
    name: &str,
    work: &GateCheck,
    stop_token: &StopToken,
) -> Result<GateReport, JobError> {
    let job_error = |error: RepoError| JobError::new(context, &error);
    let mut report = GateReport { passed: true, ..GateReport::default() };
    let Some(git) = &context.git else {
        if let Some(command) = &work.check {
            let job = Job {
                name,
                command,
                directory: &context.environment.project,
                task: None,
                timeout_ms: work.timeout_ms,
                retries: work.retries,
                stop_token,
            };
            let work =
                CheckedWork { tree: context.project_tree().unwrap_or_default(), ..CheckedWork::default() };
            report.receipts.push(run_check(context, &job, &work).map_err(JobError::Obstacle)?);
        }
        let project = &context.environment.project;
        report.documents = reported_documents(work, |path| Ok(document_in_folder(project, path)))?;
        return Ok(report);
    };
    let (tip, tree) = git.run_branch_tip().map_err(job_error)?;
    git.record_gate(work.phase, &tip).map_err(job_error)?;
    report.commit = Some(tip.to_string());
    report.changes = Some(git.summarize_merges(&work.merges, None).map_err(job_error)?);
    if let Some(rejected) = &work.rejected_commit {
        let changes = git.summarize_merges(&work.merges, Some(rejected)).map_err(job_error)?;
        report.changes_since_rejection = Some(changes);
    }
    for ArtefactRule { pattern, n_min } in &work.artefacts {
        let files = git.files_matching(&tip, pattern).map_err(job_error)?;
        if files.len() < *n_min {
            report.missing.push(match n_min {
                1 => pattern.clone(),
                n_min => format!("{pattern} ({} of {n_min})", files.len()),
            });
        }
        report.artefacts.extend(files.iter().map(|file| file.to_string_lossy().into_owned()));
    }
    report.artefacts.sort();
    report.artefacts.dedup();
    report.artefacts.truncate(ARTEFACTS_MAX);
    report.documents = reported_documents(work, |path| {
        let entry = git.entry_kind(&tip, path).map_err(job_error)?;
        Ok(match entry {
            None => DocumentState::Missing,
            Some(EntryKind::File) => DocumentState::Found,
            Some(EntryKind::Other) => DocumentState::NotAFile,
        })
    })?;
    if let Some(command) = &work.check {
        let check = MergeCheck {
            name,
            command,
            commit: &tip,
            tree,
            task: None,
            timeout_ms: work.timeout_ms,
            retries: work.retries,
        };
        let receipt = check_worktree::run_merge_check(context, git, check, stop_token);
        report.receipts.push(receipt?);
    }
    Ok(report)
}

/// Looks for each document that an agent reported. A path that leaves the project is not looked for.
fn reported_documents(
    work: &GateCheck,
    find: impl Fn(&Path) -> Result<DocumentState, JobError>,
) -> Result<Vec<ReportedDocument>, JobError> {
    let look = |path: &String| {
        let state = match inner_path(path) {
            Some(inner) => find(&inner)?,
            None => DocumentState::Outside,
        };
        Ok(ReportedDocument { path: path.clone(), state })
    };
    work.documents.iter().map(look).collect()
}

/// Returns a path as relative to the project, `None` if it is absolute or leaves the project.
fn inner_path(path: &str) -> Option<PathBuf> {
    let mut inner = PathBuf::new();
    for component in Path::new(path.trim()).components() {
        match component {
            Component::Normal(name) => inner.push(name),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => return None,
        }
    }
    let is_git = inner.components().next().is_some_and(|first| first.as_os_str() == ".git");
    (!inner.as_os_str().is_empty() && !is_git && !path.contains('\0')).then_some(inner)
}

/// Looks for a document below a folder, without following links.
fn document_in_folder(folder: &Path, path: &Path) -> DocumentState {
    let mut current = folder.to_owned();
    let mut components = path.components().peekable();
    while let Some(component) = components.next() {
        current.push(component);
        let Ok(metadata) = current.symlink_metadata() else { return DocumentState::Missing };
        let is_last = components.peek().is_none();
        if is_last && metadata.is_file() {
            return DocumentState::Found;
        }
        if is_last || !metadata.is_dir() {
            return DocumentState::NotAFile;
        }
    }
    DocumentState::Missing
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use domain::DocumentState;

    use super::{document_in_folder, inner_path};

    #[test]
    fn paths_outside_the_project_are_refused() {
        assert_eq!(inner_path("./docs/plan.md").as_deref(), Some(Path::new("docs/plan.md")));
        for path in ["/etc/passwd", "../secret.md", "docs/../../x", "", ".", ".git/config", "a\0b"] {
            assert_eq!(inner_path(path), None, "{path}");
        }
    }

    #[test]
    fn links_are_not_documents() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        std::fs::write(folder.path().join("docs/plan.md"), "plan").unwrap();
        std::os::unix::fs::symlink("plan.md", folder.path().join("docs/link.md")).unwrap();
        std::os::unix::fs::symlink("docs", folder.path().join("linked")).unwrap();
        let state = |path: &str| document_in_folder(folder.path(), Path::new(path));
        assert_eq!(state("docs/plan.md"), DocumentState::Found);
        assert_eq!(state("docs/none.md"), DocumentState::Missing);
        assert_eq!(state("docs"), DocumentState::NotAFile);
        assert_eq!(state("docs/link.md"), DocumentState::NotAFile);
        assert_eq!(state("linked/plan.md"), DocumentState::NotAFile);
    }
}
