//! The files of a project that look like plans, for somebody who picks one.
//!
//! Looks into a few folders, never further, and at so many entries at most. What leads out of the project is not there.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ::plan::FILE_BYTES_MAX;

/// Where plans lie, the likeliest first.
pub const NAMES: &[&str] = &[
    "TASKS.md",
    "tasks.md",
    "docs/planning/06-tasks.md",
    "docs/TASKS.md",
    ".taskmaster/tasks/tasks.json",
    "PLAN.md",
];
/// Folders with a plan for each feature.
pub const FOLDERS: &[&str] = &["specs", ".kiro/specs", ".specify/specs"];
/// Folders in which plans lie beside other things.
const BESIDE: &[&str] = &["", "docs", "docs/planning", "plans"];
/// What plans are called.
const WORDS: &[&str] = &["task", "plan", "todo", "roadmap"];
/// Nobody picks from a longer list.
const PLANS_MAX: usize = 100;
/// A folder with more entries than this is none that people keep plans in.
const ENTRIES_MAX: usize = 2_000;

/// A file that looks like a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPlan {
    /// From the project's folder on.
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
}

/// Returns the files of a project that look like plans, the likeliest first.
pub fn plans(project: &Path) -> Vec<FoundPlan> {
    let named = NAMES.iter().map(PathBuf::from);
    let of_features = FOLDERS.iter().flat_map(|folder| {
        entries(&project.join(folder))
            .into_iter()
            .map(move |name| Path::new(folder).join(name).join("tasks.md"))
    });
    let beside = BESIDE.iter().flat_map(|folder| {
        entries(&project.join(folder))
            .into_iter()
            .filter(|name| is_called_so(name))
            .map(move |name| Path::new(folder).join(name))
    });
    let mut found: Vec<FoundPlan> = Vec::new();
    for path in named.chain(of_features).chain(beside) {
        let Some(file) = inside(project, &path) else { continue };
        let Ok(about) = fs::metadata(&file) else { continue };
        // On a disk that knows no capitals two names are one file.
        let is_known = found.iter().any(|known| inside(project, &known.path).as_ref() == Some(&file));
        if about.is_file() && about.len() <= FILE_BYTES_MAX as u64 && !is_known {
            found.push(FoundPlan { path, bytes: about.len() });
        }
        if found.len() == PLANS_MAX {
            break;
        }
    }
    found
}

/// Returns where a path of a project really is; nothing where that is outside.
pub fn inside(project: &Path, path: &Path) -> Option<PathBuf> {
    let root = project.canonicalize().ok()?;
    let file = root.join(path).canonicalize().ok()?;
    file.starts_with(&root).then_some(file)
}

/// Returns the names in a folder, sorted.
fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().take(ENTRIES_MAX).flatten();
    let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn is_called_so(name: &str) -> bool {
    let name = name.to_lowercase();
    name.ends_with(".md") && WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_looks_like_a_plan_is_found_and_nothing_that_leads_out() {
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
            plans(&project).into_iter().map(|found| found.path.display().to_string()).collect();
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
    fn a_list_of_plans_has_an_end() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..=PLANS_MAX {
            fs::write(folder.path().join(format!("plan-{number}.md")), "").unwrap();
        }
        assert_eq!(plans(folder.path()).len(), PLANS_MAX);
        assert_eq!(plans(&folder.path().join("nothing")), []);
    }
}
