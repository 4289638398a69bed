//! Repositories that an agent created inside its worktree. Git would record only their HEAD, so their files are
//! stored as plain files.
//!
//! Git is never run inside them, since their configuration is controlled by the agent.

use std::{
    fs, io,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

use crate::{RepoError, confined_folder::ConfinedFolder, git::GitClient};

/// Larger repositories are clones that can be fetched again, not an agent's work.
const FILES_MAX: usize = 10_000;

/// Writes the objects of all files in nested repositories, and returns their index entries.
pub(crate) fn store_nested_files(
    git: &GitClient,
    nested: &[PathBuf],
    is_excluded: impl Fn(&PathBuf) -> bool,
) -> Result<Vec<u8>, RepoError> {
    if nested.is_empty() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    let read_error =
        |path: &Path, source| RepoError::Io { operation: "read", path: git.folder().join(path), source };
    let root = ConfinedFolder::open(git.folder()).map_err(|source| read_error(Path::new(""), source))?;
    for folder in nested {
        collect_files(&root, folder, &mut files).map_err(|source| read_error(folder, source))?;
    }
    files.retain(|(path, _)| !is_excluded(path));
    let mut lines = Vec::new();
    for (path, kind) in files.iter().take(FILES_MAX) {
        let (mode, content) = match kind {
            NestedFileKind::Link => ("120000", root.read_link(path)),
            NestedFileKind::File { mode } => (*mode, root.read(path)),
        };
        let content = content.map_err(|source| read_error(path, source))?;
        let object = git.call(["hash-object", "-w", "--stdin"]).input(content).run()?;
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
fn collect_files(
    root: &ConfinedFolder,
    folder: &Path,
    files: &mut Vec<(PathBuf, NestedFileKind)>,
) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let opened = root.open_folder(&folder)?;
        for entry in fs::read_dir(opened.current_path())? {
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
