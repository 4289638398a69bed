//! Repositories that an agent created inside its worktree. Git would record only their HEAD, so their files are
//! stored as plain files.
//!
//! Git is never run inside them, since their configuration is controlled by the agent.

use std::{
    fs, io,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

use crate::{RepoError, git::GitClient};

/// Larger repositories are clones that can be fetched again, not an agent's work.
const FILES_MAX: usize = 10_000;

/// Writes the objects of all files in nested repositories, and returns their index entries.
pub(crate) fn store_nested_files(
    git: &GitClient,
    nested: &[PathBuf],
    is_excluded: impl Fn(&PathBuf) -> bool,
) -> Result<Vec<u8>, RepoError> {
    let mut files = Vec::new();
    for folder in nested {
        let io = |source| RepoError::Io { operation: "read", path: git.folder().join(folder), source };
        collect_files(git.folder(), folder, &mut files).map_err(io)?;
    }
    files.retain(|(path, _)| !is_excluded(path));
    let mut lines = Vec::new();
    for (path, kind) in files.iter().take(FILES_MAX) {
        let whole = git.folder().join(path);
        let io = |source| RepoError::Io { operation: "read", path: whole.clone(), source };
        let (mode, object) = match kind {
            NestedFileKind::Link => {
                let target = fs::read_link(&whole).map_err(io)?;
                let call = git.call(["hash-object", "-w", "--stdin"]).input(target.as_os_str().as_bytes());
                ("120000", call.run()?)
            }
            NestedFileKind::File { mode } => {
                (*mode, git.call(["hash-object", "-w", "--no-filters", "--"]).arg(&whole).run()?)
            }
        };
        lines.extend_from_slice(format!("{mode} {}\t", object.trimmed_text()).as_bytes());
        lines.extend_from_slice(path.as_os_str().as_bytes());
        lines.push(0);
    }
    Ok(lines)
}

enum NestedFileKind {
    Link,
    File { mode: &'static str },
}

/// Collects all files and links below a folder, except `.git` folders.
fn collect_files(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, NestedFileKind)>) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type()?);
            if entry.file_name() == ".git" || files.len() > FILES_MAX {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                files.push((path, NestedFileKind::Link));
            } else if kind.is_file() {
                let is_executable = entry.metadata()?.permissions().mode() & 0o100 != 0;
                files.push((
                    path,
                    NestedFileKind::File { mode: if is_executable { "100755" } else { "100644" } },
                ));
            }
        }
    }
    Ok(())
}
