//! Brings files and folders of the project into a worktree that git ignores: `.env`, a folder of test data.
//!
//! What is there stays. No link is followed inside of a folder, and none out of the worktree: nothing is read from
//! elsewhere or written there.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

/// More files than this are packages or build output; a set-up command makes those.
const FILES_MAX: usize = 50_000;
/// What a file is called until it is whole.
const HALF: &str = "jangdan-half";

/// Brings everything that is named along; what the project has not is not missed.
pub(super) fn bring(project: &Path, names: &[PathBuf], place: &Path) -> Result<(), String> {
    let mut n_files = 0;
    for name in names {
        let failed = |why: String| format!("bring {} into the worktree: {why}", name.display());
        let from = project.join(name);
        // A file may be a link to where it is kept; the person named it.
        if from.is_file() {
            file(&from, place, name).map_err(failed)?;
        } else if from.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            folder(project, name, place, &mut n_files).map_err(failed)?;
        } else if from.symlink_metadata().is_ok() {
            return Err(failed("it is neither a file nor a folder".to_owned()));
        }
    }
    Ok(())
}

fn folder(project: &Path, name: &Path, place: &Path, n_files: &mut usize) -> Result<(), String> {
    let mut folders = vec![name.to_owned()];
    while let Some(folder) = folders.pop() {
        let words = |error: io::Error| format!("{}: {error}", folder.display());
        make_folder(place, &folder)?;
        for entry in fs::read_dir(project.join(&folder)).map_err(words)? {
            let entry = entry.map_err(words)?;
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type().map_err(words)?);
            *n_files += 1;
            if *n_files > FILES_MAX {
                return Err(format!(
                    "it has more than {FILES_MAX} files; let a command of `worktree.setup` make them"
                ));
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                link(&entry.path(), place, &path)?;
            } else if kind.is_file() {
                file(&entry.path(), place, &path)?;
            }
            // Sockets and the like are of a process, not of a project.
        }
    }
    Ok(())
}

/// Copies a file, whole or not at all.
fn file(from: &Path, place: &Path, name: &Path) -> Result<(), String> {
    let to = place.join(name);
    make_folder(place, name.parent().unwrap_or(Path::new("")))?;
    if to.symlink_metadata().is_ok() {
        return Ok(());
    }
    let mut half = to.clone().into_os_string();
    half.push(format!(".{HALF}"));
    let copied = fs::copy(from, &half).and_then(|_| fs::rename(&half, &to));
    copied.map_err(|error| {
        let _ = fs::remove_file(&half);
        format!("{}: {error}", name.display())
    })
}

/// Makes a link again that leads nowhere else than into the worktree.
fn link(from: &Path, place: &Path, name: &Path) -> Result<(), String> {
    let words = |error: io::Error| format!("{}: {error}", name.display());
    let (target, to) = (fs::read_link(from).map_err(words)?, place.join(name));
    if !stays(name, &target) {
        return Err(format!(
            "{} is a link to {}, which is not in the project; let a command of `worktree.setup` make it",
            name.display(),
            target.display()
        ));
    }
    if to.symlink_metadata().is_ok() {
        return Ok(());
    }
    std::os::unix::fs::symlink(target, to).map_err(words)
}

/// Tells whether a link stays below the root from which its own name goes.
fn stays(name: &Path, target: &Path) -> bool {
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

/// Makes a folder of the worktree, and those above it. One that is a link may lead anywhere.
fn make_folder(place: &Path, name: &Path) -> Result<(), String> {
    let mut folder = place.to_owned();
    for part in name.components() {
        folder.push(part);
        match folder.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(format!("{} is no folder in the worktree", name.display())),
            Err(_) => fs::create_dir(&folder).map_err(|error| format!("{}: {error}", name.display()))?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::symlink,
        path::{Path, PathBuf},
    };

    use super::{HALF, bring};

    /// A project and a worktree beside each other.
    struct Both(tempfile::TempDir);

    impl Both {
        fn new(files: &[(&str, &str)]) -> Self {
            let both = Self(tempfile::tempdir().unwrap());
            fs::create_dir_all(both.at("project")).unwrap();
            fs::create_dir_all(both.at("place")).unwrap();
            for (path, text) in files {
                let path = both.at(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                match text.strip_prefix("-> ") {
                    Some(target) => symlink(target, path).unwrap(),
                    None => fs::write(path, text).unwrap(),
                }
            }
            both
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn bring(&self, names: &[&str]) -> Result<(), String> {
            let names: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            bring(&self.at("project"), &names, &self.at("place"))
        }

        /// Returns what is below a folder: files with their text, links with their target.
        fn seen(&self, folder: &str) -> String {
            let mut found = Vec::new();
            let mut folders = vec![self.at(folder)];
            while let Some(next) = folders.pop() {
                for entry in fs::read_dir(&next).unwrap().flatten() {
                    let path = entry.path();
                    let name = path.strip_prefix(self.at(folder)).unwrap().display().to_string();
                    match entry.file_type().unwrap() {
                        kind if kind.is_dir() => folders.push(path),
                        kind if kind.is_symlink() => {
                            found.push(format!("{name} -> {}", fs::read_link(&path).unwrap().display()));
                        }
                        _ => found.push(format!("{name}={}", fs::read_to_string(&path).unwrap())),
                    }
                }
            }
            found.sort();
            found.join(" ")
        }
    }

    #[test]
    fn files_and_whole_folders_are_brought_and_what_is_there_stays() {
        let both = Both::new(&[
            ("project/.env", "A"),
            ("project/data/one", "1"),
            ("project/data/deep/er/two", "2"),
            ("project/data/deep/link", "-> ../one"),
            ("place/data/one", "mine"),
        ]);
        both.bring(&[".env", "data", "missing"]).unwrap();
        let seen = ".env=A data/deep/er/two=2 data/deep/link -> ../one data/one=mine";
        assert_eq!(both.seen("place"), seen);
        both.bring(&[".env", "data", "missing"]).unwrap();
        assert_eq!(both.seen("place"), seen, "twice is once");
    }

    #[test]
    fn a_file_that_is_named_may_be_kept_elsewhere() {
        let both = Both::new(&[("elsewhere/.env", "A"), ("project/.env", "-> ../elsewhere/.env")]);
        both.bring(&[".env"]).unwrap();
        assert_eq!(both.seen("place"), ".env=A");
    }

    #[test]
    fn what_a_kill_left_of_a_file_is_no_file() {
        let both = Both::new(&[("project/.env", "whole")]);
        fs::write(both.at("place").join(format!(".env.{HALF}")), "wh").unwrap();
        both.bring(&[".env"]).unwrap();
        assert_eq!(both.seen("place"), ".env=whole");
    }

    #[test]
    fn nothing_is_read_from_elsewhere_or_written_there() {
        let check = |files: &[(&str, &str)], named: &str, expected: &str| {
            let both = Both::new(&[&[("elsewhere/secret", "S")], files].concat());
            let refused = both.bring(&[named]).unwrap_err();
            assert!(refused.contains(expected), "{refused}");
            assert_eq!(both.seen("elsewhere"), "secret=S");
            assert!(!both.seen("place").contains("=S"), "{}", both.seen("place"));
        };
        let data = ("project/data/file", "1");
        check(&[data, ("project/data/out", "-> /etc")], "data", "data/out is a link to /etc");
        check(&[data, ("project/data/out", "-> ../../elsewhere")], "data", "not in the project");
        check(&[data, ("project/data/out", "-> ../x/../../elsewhere/secret")], "data", "not in the project");
        check(&[("project/data", "-> ../elsewhere")], "data", "neither a file nor a folder");
        check(&[data, ("place/data", "-> ../elsewhere")], "data", "is no folder in the worktree");
        check(&[data, ("place/data", "-> ../elsewhere")], "data/file", "is no folder in the worktree");
    }

    #[test]
    fn a_folder_without_end_is_refused() {
        let both = Both::new(&[("project/data/one", "1"), ("project/data/two", "2")]);
        let folder = |mut n_files: usize| {
            super::folder(&both.at("project"), Path::new("data"), &both.at("place"), &mut n_files)
        };
        folder(super::FILES_MAX - 2).unwrap();
        let refused = folder(super::FILES_MAX - 1).unwrap_err();
        assert!(refused.contains("more than 50000 files"), "{refused}");
    }
}
