//! Copies files and folders that git ignores from the project into a worktree, such as `.env` or a folder of test data.
//!
//! Existing files are not overwritten. Links in folders are not followed, and no copy is placed outside of the worktree, so
//! nothing is read or written elsewhere.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use repo::ConfinedFolder;

/// Limit of files in a folder. More are probably packages or build output, which a set-up command can create.
const FILES_MAX: usize = 50_000;
/// Suffix of a file that is not complete yet.
const PARTIAL_SUFFIX: &str = "jangdan-partial";

/// Copies the named files and folders. Names that the project does not have are skipped.
pub(super) fn copy_ignored_files(project: &Path, names: &[PathBuf], worktree: &Path) -> Result<(), String> {
    let mut n_files = 0;
    let worktree = ConfinedFolder::open(worktree)
        .map_err(|error| format!("cannot open the worktree {}: {error}", worktree.display()))?;
    for name in names {
        let failed = |problem: String| format!("cannot copy {} into the worktree: {problem}", name.display());
        let from = project.join(name);
        // A named file may itself be a link to elsewhere, since the user chose it.
        if from.is_file() {
            copy_file(&from, &worktree, name).map_err(failed)?;
        } else if from.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            copy_folder(project, name, &worktree, &mut n_files).map_err(failed)?;
        } else if from.symlink_metadata().is_ok() {
            return Err(failed("it is neither a file nor a folder".to_owned()));
        }
    }
    Ok(())
}

fn copy_folder(
    project: &Path,
    name: &Path,
    worktree: &ConfinedFolder,
    n_files: &mut usize,
) -> Result<(), String> {
    let mut folders = vec![name.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |error: io::Error| format!("{}: {error}", folder.display());
        create_folder(worktree, &folder)?;
        for entry in fs::read_dir(project.join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type().map_err(failed)?);
            *n_files += 1;
            if *n_files > FILES_MAX {
                return Err(format!(
                    "it has more than {FILES_MAX} files; create them with a command of `worktree.setup`"
                ));
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                copy_link(&entry.path(), worktree, &path)?;
            } else if kind.is_file() {
                copy_file(&entry.path(), worktree, &path)?;
            }
            // Sockets and other special files belong to a process, not to the project.
        }
    }
    Ok(())
}

/// Copies a file atomically.
fn copy_file(from: &Path, worktree: &ConfinedFolder, name: &Path) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {error}", name.display());
    let (Some(parent), Some(file_name)) = (name.parent(), name.file_name()) else {
        return Err(format!("{} is not the name of a file", name.display()));
    };
    let folder = create_folder(worktree, parent)?;
    let file_name = Path::new(file_name);
    if folder.exists(file_name).map_err(failed)? {
        return Ok(());
    }
    let mut partial = file_name.as_os_str().to_owned();
    partial.push(format!(".{PARTIAL_SUFFIX}"));
    let partial = Path::new(&partial);
    let copied = fs::File::open(from).and_then(|mut from| {
        // Left by a crash, or a link of the agent.
        match folder.remove_file(partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut to = folder.create_file(partial)?;
        io::copy(&mut from, &mut to)?;
        to.set_permissions(from.metadata()?.permissions())?;
        folder.rename(partial, file_name.as_os_str())
    });
    copied.map_err(|error| {
        // The next copy replaces it.
        drop(folder.remove_file(partial));
        failed(error)
    })
}

/// Copies a link. Fails if its target is outside the project.
fn copy_link(from: &Path, worktree: &ConfinedFolder, name: &Path) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {error}", name.display());
    let target = fs::read_link(from).map_err(failed)?;
    if !is_link_target_inside(name, &target) {
        return Err(format!(
            "{} is a link to {}, which is not in the project; create it with a command of `worktree.setup`",
            name.display(),
            target.display()
        ));
    }
    if worktree.exists(name).map_err(failed)? {
        return Ok(());
    }
    worktree.create_link(&target, name).map_err(failed)
}

/// Tells whether the target of a link is below the root that its name is relative to.
fn is_link_target_inside(name: &Path, target: &Path) -> bool {
    let mut depth = name.components().count().saturating_sub(1);
    target.components().all(|part| match part {
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        Component::ParentDir if depth > 0 => {
            depth -= 1;
            true
        }
        Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
    })
}

/// Creates a folder of the worktree and its parents. Fails if one of them is a link, which may lead elsewhere.
fn create_folder(worktree: &ConfinedFolder, name: &Path) -> Result<ConfinedFolder, String> {
    worktree
        .create_folder(name)
        .map_err(|error| format!("{} is not a folder in the worktree ({error})", name.display()))
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::symlink,
        path::{Path, PathBuf},
    };

    use super::{PARTIAL_SUFFIX, copy_ignored_files};

    /// A folder with a project and a worktree.
    struct CopyTest(tempfile::TempDir);

    impl CopyTest {
        fn new(files: &[(&str, &str)]) -> Self {
            let test = Self(tempfile::tempdir().unwrap());
            fs::create_dir_all(test.path("project")).unwrap();
            fs::create_dir_all(test.path("worktree")).unwrap();
            for (path, text) in files {
                let path = test.path(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                match text.strip_prefix("-> ") {
                    Some(target) => symlink(target, path).unwrap(),
                    None => fs::write(path, text).unwrap(),
                }
            }
            test
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn copy(&self, names: &[&str]) -> Result<(), String> {
            let names: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            copy_ignored_files(&self.path("project"), &names, &self.path("worktree"))
        }

        /// Lists a folder recursively: files with their text, links with their target.
        fn list(&self, folder: &str) -> String {
            let mut entries = Vec::new();
            let mut folders = vec![self.path(folder)];
            while let Some(next) = folders.pop() {
                for entry in fs::read_dir(&next).unwrap().flatten() {
                    let path = entry.path();
                    let name = path.strip_prefix(self.path(folder)).unwrap().display().to_string();
                    match entry.file_type().unwrap() {
                        kind if kind.is_dir() => folders.push(path),
                        kind if kind.is_symlink() => {
                            entries.push(format!("{name} -> {}", fs::read_link(&path).unwrap().display()));
                        }
                        _ => entries.push(format!("{name}={}", fs::read_to_string(&path).unwrap())),
                    }
                }
            }
            entries.sort();
            entries.join(" ")
        }
    }

    #[test]
    fn files_and_folders_are_copied_and_existing_files_are_kept() {
        let test = CopyTest::new(&[
            ("project/.env", "A"),
            ("project/data/one", "1"),
            ("project/data/deep/er/two", "2"),
            ("project/data/deep/link", "-> ../one"),
            ("worktree/data/one", "mine"),
        ]);
        test.copy(&[".env", "data", "missing"]).unwrap();
        let expected = ".env=A data/deep/er/two=2 data/deep/link -> ../one data/one=mine";
        assert_eq!(test.list("worktree"), expected);
        test.copy(&[".env", "data", "missing"]).unwrap();
        assert_eq!(test.list("worktree"), expected, "a second copy changes nothing");
    }

    #[test]
    fn named_file_may_be_a_link_out_of_the_project() {
        let test = CopyTest::new(&[("elsewhere/.env", "A"), ("project/.env", "-> ../elsewhere/.env")]);
        test.copy(&[".env"]).unwrap();
        assert_eq!(test.list("worktree"), ".env=A");
    }

    #[test]
    fn partial_file_after_a_crash_is_replaced() {
        let test = CopyTest::new(&[("project/.env", "whole")]);
        fs::write(test.path("worktree").join(format!(".env.{PARTIAL_SUFFIX}")), "wh").unwrap();
        test.copy(&[".env"]).unwrap();
        assert_eq!(test.list("worktree"), ".env=whole");
    }

    #[test]
    fn file_is_not_written_through_links_of_the_agent() {
        let partial = format!("worktree/.env.{PARTIAL_SUFFIX}");
        let test = CopyTest::new(&[
            ("project/.env", "A"),
            ("elsewhere/victim", "V"),
            (&partial, "-> ../elsewhere/victim"),
        ]);
        test.copy(&[".env"]).unwrap();
        assert_eq!(test.list("elsewhere"), "victim=V");
        assert_eq!(test.list("worktree"), ".env=A");
    }

    #[test]
    fn nothing_is_read_or_written_outside_of_the_project_and_the_worktree() {
        let check = |files: &[(&str, &str)], name: &str, expected: &str| {
            let test = CopyTest::new(&[&[("elsewhere/secret", "S")], files].concat());
            let error = test.copy(&[name]).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert_eq!(test.list("elsewhere"), "secret=S");
            assert!(!test.list("worktree").contains("=S"), "{}", test.list("worktree"));
        };
        let data = ("project/data/file", "1");
        check(&[data, ("project/data/out", "-> /etc")], "data", "data/out is a link to /etc");
        check(&[data, ("project/data/out", "-> ../../elsewhere")], "data", "not in the project");
        check(&[data, ("project/data/out", "-> ../x/../../elsewhere/secret")], "data", "not in the project");
        check(&[("project/data", "-> ../elsewhere")], "data", "neither a file nor a folder");
        check(&[data, ("worktree/data", "-> ../elsewhere")], "data", "is not a folder in the worktree");
        check(&[data, ("worktree/data", "-> ../elsewhere")], "data/file", "is not a folder in the worktree");
    }

    #[test]
    fn folder_with_too_many_files_is_rejected() {
        let test = CopyTest::new(&[("project/data/one", "1"), ("project/data/two", "2")]);
        let copy = |mut n_files: usize| {
            let worktree = super::ConfinedFolder::open(&test.path("worktree")).unwrap();
            super::copy_folder(&test.path("project"), Path::new("data"), &worktree, &mut n_files)
        };
        copy(super::FILES_MAX - 2).unwrap();
        let error = copy(super::FILES_MAX - 1).unwrap_err();
        assert!(error.contains("more than 50000 files"), "{error}");
    }
}
