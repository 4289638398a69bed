//! Repositories that an agent made inside its worktree: git would keep their name alone, so their files are kept as files.
//!
//! Never runs git inside one: its settings are the agent's.

use std::{
    fs, io,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

use crate::{RepoError, git::Git};

/// More files than this are a clone that can be had again, not what an agent wrote.
const FILES_MAX: usize = 10_000;

/// Returns the entries of an index for all files in nested repositories. The objects are written.
pub(crate) fn entries(git: &Git, nested: &[PathBuf], leave_out: &[PathBuf]) -> Result<Vec<u8>, RepoError> {
    let mut files = Vec::new();
    for folder in nested {
        let io = |source| RepoError::Io { operation: "read", path: git.folder().join(folder), source };
        walk(git.folder(), folder, &mut files).map_err(io)?;
    }
    files.retain(|(path, _)| !leave_out.contains(path));
    let mut lines = Vec::new();
    for (path, kind) in files.iter().take(FILES_MAX) {
        let whole = git.folder().join(path);
        let io = |source| RepoError::Io { operation: "read", path: whole.clone(), source };
        let (mode, object) = match kind {
            Kind::Link => {
                let target = fs::read_link(&whole).map_err(io)?;
                let call = git.call(["hash-object", "-w", "--stdin"]).input(target.as_os_str().as_bytes());
                ("120000", call.run()?)
            }
            Kind::File { mode } => {
                (*mode, git.call(["hash-object", "-w", "--no-filters", "--"]).arg(&whole).run()?)
            }
        };
        lines.extend_from_slice(format!("{mode} {}\t", object.line()).as_bytes());
        lines.extend_from_slice(path.as_os_str().as_bytes());
        lines.push(0);
    }
    Ok(lines)
}

enum Kind {
    Link,
    File { mode: &'static str },
}

/// Finds all files and links below a folder, but those of repositories themselves.
fn walk(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, Kind)>) -> io::Result<()> {
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
                files.push((path, Kind::Link));
            } else if kind.is_file() {
                let is_executable = entry.metadata()?.permissions().mode() & 0o100 != 0;
                files.push((path, Kind::File { mode: if is_executable { "100755" } else { "100644" } }));
            }
        }
    }
    Ok(())
}
