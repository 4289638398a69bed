//! Lists the files of a project that look like plans, for the user to pick one.
//!
//! Searches a few folders, not recursively and with a limit of entries. Links out of the project are skipped.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ::plan::FILE_BYTES_MAX;

/// Common paths of plans, the most likely first.
pub const NAMES: &[&str] = &[
    "TASKS.md",
    "tasks.md",
    "docs/planning/06-tasks.md",
    "docs/TASKS.md",
    ".taskmaster/tasks/tasks.json",
    "PLAN.md",
];
/// Folders with a subfolder and a plan for each feature.
pub(super) const FEATURE_FOLDERS: &[&str] = &["specs", ".kiro/specs", ".specify/specs"];
/// Folders that contain plans among other files.
const MIXED_FOLDERS: &[&str] = &["", "docs", "docs/planning", "plans"];
/// Parts of the names of plan files.
const NAME_PARTS: &[&str] = &["task", "plan", "todo", "roadmap"];
/// Limit of listed plans.
const PLANS_MAX: usize = 100;
/// Limit of entries read from a folder.
const ENTRIES_MAX: usize = 2_000;

/// A file that looks like a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFile {
    /// Path relative to the project.
    pub path: PathBuf,
    /// Size of the file.
    pub bytes: u64,
}

/// Returns the files of a project that look like plans, the most likely first.
pub fn find_plan_files(project: &Path) -> Vec<PlanFile> {
    let named = NAMES.iter().map(PathBuf::from);
    let of_features = FEATURE_FOLDERS.iter().flat_map(|folder| {
        sorted_entry_names(&project.join(folder))
            .into_iter()
            .map(move |name| Path::new(folder).join(name).join("tasks.md"))
    });
    let beside = MIXED_FOLDERS.iter().flat_map(|folder| {
        sorted_entry_names(&project.join(folder))
            .into_iter()
            .filter(|name| has_plan_name(name))
            .map(move |name| Path::new(folder).join(name))
    });
    let mut found: Vec<PlanFile> = Vec::new();
    for path in named.chain(of_features).chain(beside) {
        let Some(file) = resolve_inside(project, &path) else { continue };
        let Ok(about) = fs::metadata(&file) else { continue };
        // On a case-insensitive file system two names can be the same file.
        let is_known = found.iter().any(|known| resolve_inside(project, &known.path).as_ref() == Some(&file));
        if about.is_file() && about.len() <= FILE_BYTES_MAX as u64 && !is_known {
            found.push(PlanFile { path, bytes: about.len() });
        }
        if found.len() == PLANS_MAX {
            break;
        }
    }
    found
}

/// Resolves a path of a project; `None` if it is outside of the project or does not exist.
pub(super) fn resolve_inside(project: &Path, path: &Path) -> Option<PathBuf> {
    let root = project.canonicalize().ok()?;
    let file = root.join(path).canonicalize().ok()?;
    file.starts_with(&root).then_some(file)
}

/// Returns the sorted names of a folder.
fn sorted_entry_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().take(ENTRIES_MAX).flatten();
    let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn has_plan_name(name: &str) -> bool {
    let name = name.to_lowercase();
    name.ends_with(".md") && NAME_PARTS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn plans_are_found_and_links_out_of_the_project_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let (project, outside) = (folder.path().join("project"), folder.path().join("outside"));
        for path in [
            "TASKS.md",
            "README.md",
            "tasks.sh",
            "Big-Plan.md",
            "docs/todo.md",
            "docs/deep/plan.md",
            "specs/login/tasks.md",
            "specs/login/spec.md",
            ".taskmaster/tasks/tasks.json",
            "../outside/plan.md",
        ] {
            fs::create_dir_all(project.join(path).parent().unwrap()).unwrap();
            fs::write(project.join(path), "- [ ] T1.1 x\n").unwrap();
        }
        symlink(outside.join("plan.md"), project.join("plan-out.md")).unwrap();
        symlink(&outside, project.join("plans")).unwrap();
        symlink(project.join("Big-Plan.md"), project.join("plan-in.md")).unwrap();
        fs::create_dir(project.join("plan-folder.md")).unwrap();
        let found: Vec<_> =
            find_plan_files(&project).into_iter().map(|found| found.path.display().to_string()).collect();
        let expected = [
            "TASKS.md",
            ".taskmaster/tasks/tasks.json",
            "specs/login/tasks.md",
            "Big-Plan.md",
            "docs/todo.md",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_number_of_listed_plans_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..=PLANS_MAX {
            fs::write(folder.path().join(format!("plan-{number}.md")), "").unwrap();
        }
        assert_eq!(find_plan_files(folder.path()).len(), PLANS_MAX);
        assert_eq!(find_plan_files(&folder.path().join("nothing")), []);
    }
}
