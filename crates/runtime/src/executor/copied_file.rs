//! Copies a file that a user provides into a worktree. No link that an agent made there is followed.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, renameat, unlinkat};

use super::provision::is_inside;

/// Size limit of a provided file.
const BYTES_MAX: u64 = 10 << 20;
const TEMPORARY_NAME: &str = ".jangdan-provided";

/// Copies a file, or finds the agent's own default, and returns its path in the worktree.
///
/// `source` is absolute or relative to the project; `target` is a path in the worktree, or only names what is requested.
pub(super) fn copy_into_worktree(
    project: &Path,
    worktree: &Path,
    source: &str,
    target: &str,
    is_default: bool,
) -> Result<String, String> {
    if is_default {
        let path = Path::new(source);
        let is_there = is_inside(path) && worktree.join(path).is_file();
        return if is_there {
            Ok(source.to_owned())
        } else {
            Err(format!("its default {source} does not exist"))
        };
    }
    let source = project.join(source);
    let content =
        read_source(&source).map_err(|error| format!("cannot read {}: {error}", source.display()))?;
    let target = target_path(target, &source).ok_or("the target must be a path inside the worktree")?;
    write_target(worktree, &target, &content)
        .map_err(|error| format!("cannot write {} in the worktree: {error}", target.display()))?;
    match fs::read(worktree.join(&target)) {
        Ok(copied) if copied == content => Ok(target.to_string_lossy().into_owned()),
        Ok(_) | Err(_) => Err(format!("{} was not copied completely", target.display())),
    }
}

fn read_source(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if metadata.len() > BYTES_MAX {
        return Err(io::Error::other("it is larger than 10 MiB"));
    }
    let mut content = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut content)?;
    Ok(content)
}

/// Returns the path in the worktree; a request that names no path gets the file under its own name.
fn target_path(target: &str, source: &Path) -> Option<PathBuf> {
    let path = Path::new(target);
    let is_git = |path: &Path| path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
    if path.is_absolute() || target.contains("..") || is_git(path) {
        return None;
    }
    let names_path = is_inside(path) && !target.contains(char::is_whitespace);
    match names_path {
        true => Some(path.to_owned()),
        false => source.file_name().map(PathBuf::from),
    }
}

/// Writes a file below a folder, component by component, so that no link is followed.
fn write_target(worktree: &Path, target: &Path, content: &[u8]) -> io::Result<()> {
    let folder_flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder: OwnedFd = rustix::fs::open(worktree, folder_flags, Mode::empty())?;
    let name = target.file_name().ok_or_else(|| io::Error::other("it has no name"))?;
    for part in target.parent().into_iter().flat_map(Path::components) {
        match mkdirat(&folder, part.as_os_str(), Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        folder = openat(&folder, part.as_os_str(), folder_flags, Mode::empty())?;
    }
    // Renamed over the target: what is there may be a link.
    match unlinkat(&folder, TEMPORARY_NAME, AtFlags::empty()) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(&folder, TEMPORARY_NAME, flags, Mode::from_raw_mode(0o644))?);
    file.write_all(content).and_then(|()| file.sync_all())?;
    Ok(renameat(&folder, TEMPORARY_NAME, &folder, name)?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn file_is_copied_to_the_requested_path_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (project, worktree) = (folder.path().join("project"), folder.path().join("worktree"));
        for path in [&project, &worktree, &folder.path().join("secret")] {
            fs::create_dir(path).unwrap();
        }
        fs::write(project.join("logo.svg"), "<svg/>").unwrap();
        let copy = |target: &str| copy_into_worktree(&project, &worktree, "logo.svg", target, false);
        assert_eq!(copy("brand/logo.svg").unwrap(), "brand/logo.svg");
        assert_eq!(fs::read_to_string(worktree.join("brand/logo.svg")).unwrap(), "<svg/>");
        assert_eq!(copy("the logo of the shop").unwrap(), "logo.svg");
        // An agent put links in the way.
        symlink(folder.path().join("secret"), worktree.join("linked")).unwrap();
        assert!(copy("linked/logo.svg").is_err());
        assert!(fs::read_dir(folder.path().join("secret")).unwrap().next().is_none());
        fs::write(folder.path().join("outside"), "untouched").unwrap();
        symlink(folder.path().join("outside"), worktree.join("target")).unwrap();
        assert_eq!(copy("target").unwrap(), "target");
        assert_eq!(fs::read_to_string(folder.path().join("outside")).unwrap(), "untouched");
        for target in ["../x", "/etc/x", "a/../../x", ".git/hooks/pre-commit"] {
            assert!(copy(target).is_err(), "{target}");
        }
        let missing = copy_into_worktree(&project, &worktree, "no.svg", "a.svg", false).unwrap_err();
        assert!(missing.starts_with("cannot read"), "{missing}");
    }

    #[test]
    fn default_is_provided_only_if_it_is_in_the_worktree() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("there.csv"), "1").unwrap();
        let find = |path: &str| copy_into_worktree(folder.path(), folder.path(), path, "data", true);
        assert_eq!(find("there.csv").unwrap(), "there.csv");
        assert!(
            find("missing.csv").is_err() && find("../there.csv").is_err() && find("/etc/passwd").is_err()
        );
    }
}
