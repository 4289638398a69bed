//! Finds the files of a user's checkout that moving its branch would overwrite.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{CommitId, RepoError, git::GitClient, status::working_tree_status};

/// Number of listed files per folder that is in the way of a file.
const LISTED_FILES_MAX: usize = 100;

/// Files of a checkout that differ from its commit and that the branch's move concerns.
#[derive(Debug, Default)]
pub(crate) struct CheckoutObstacles {
    /// Files whose content would be lost.
    pub(crate) blocking: Vec<PathBuf>,
    /// Files that already have the new content, such as those of an interrupted move.
    pub(crate) already_written: Vec<PathBuf>,
    /// Files that still have the content with which the run started, so that the new content includes it.
    pub(crate) included: Vec<PathBuf>,
}

/// Compares a checkout with the files that a move to `to` changes. `included` is the commit of uncommitted changes with
/// which the run started.
///
/// Files with unresolved conflicts always block: git moves no branch while there are any.
pub(crate) fn find_obstacles(
    git: &GitClient,
    to: &CommitId,
    included: Option<&CommitId>,
    moved_files: &[PathBuf],
) -> Result<CheckoutObstacles, RepoError> {
    let status = working_tree_status(git, None)?;
    if !status.unmerged.is_empty() {
        return Ok(CheckoutObstacles { blocking: status.unmerged, ..CheckoutObstacles::default() });
    }
    let moved: BTreeSet<&PathBuf> = moved_files.iter().collect();
    let changed = status.changed.into_iter().chain(status.missing).chain(status.staged);
    let mut candidates: BTreeSet<PathBuf> = changed.filter(|file| moved.contains(file)).collect();
    let tracked = tracked_files(git)?;
    for file in moved_files.iter().filter(|file| !tracked.contains(*file)) {
        candidates.extend(untracked_obstacles(git.folder(), file, &moved, &tracked));
    }
    let mut obstacles = CheckoutObstacles::default();
    for file in candidates {
        if has_target_content(git, to, &file)? {
            obstacles.already_written.push(file);
        } else if included.map_or(Ok(false), |included| has_target_content(git, included, &file))? {
            obstacles.included.push(file);
        } else {
            obstacles.blocking.push(file);
        }
    }
    Ok(obstacles)
}

fn tracked_files(git: &GitClient) -> Result<BTreeSet<PathBuf>, RepoError> {
    Ok(git.call(["ls-files", "-z", "--cached"]).run()?.paths().collect())
}

/// Returns untracked files, also ignored ones, that are in the way of a file that the index does not have.
fn untracked_obstacles(
    root: &Path,
    file: &Path,
    moved: &BTreeSet<&PathBuf>,
    tracked: &BTreeSet<PathBuf>,
) -> Vec<PathBuf> {
    for parent in file.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()) {
        let is_folder = fs::symlink_metadata(root.join(parent)).is_ok_and(|metadata| metadata.is_dir());
        let exists = fs::symlink_metadata(root.join(parent)).is_ok();
        if exists && !is_folder {
            // A tracked file that the move deletes makes room for the folder.
            let is_removed = tracked.contains(parent) && moved.contains(&parent.to_owned());
            return if is_removed { Vec::new() } else { vec![parent.to_owned()] };
        }
    }
    match fs::symlink_metadata(root.join(file)) {
        Err(_) => Vec::new(),
        Ok(metadata) if metadata.is_dir() => files_below(root, file)
            .into_iter()
            .filter(|inner| !(tracked.contains(inner) && moved.contains(inner)))
            .collect(),
        Ok(_) => vec![file.to_owned()],
    }
}

fn files_below(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
        if files.len() >= LISTED_FILES_MAX {
            break;
        }
    }
    files
}

/// Tells whether a file on disk is as in the target commit, so that nothing is lost if git takes it from there. A staged
/// version must be that of the target or of HEAD.
fn has_target_content(git: &GitClient, to: &CommitId, file: &Path) -> Result<bool, RepoError> {
    let listed = git.call(["ls-tree", "-z", "--full-tree", to.as_str(), "--"]).arg(file).run()?;
    let target = listed.trimmed_text();
    let mut fields = target.split(['\t', ' ']);
    let (mode, object) = (fields.next().unwrap_or_default(), fields.nth(1).unwrap_or_default());
    let on_disk = fs::symlink_metadata(git.folder().join(file));
    let staged = git.call(["diff-index", "--cached", "-z", "--no-renames", "HEAD", "--"]).arg(file);
    // Without a commit, nothing can differ from it.
    let staged = staged.run_accepting_codes(&[128])?;
    let staged = staged.trimmed_text();
    let staged_object = staged.split(' ').nth(3).unwrap_or_default();
    let is_staged = !staged.is_empty();
    let is_deleted_in_target = target.is_empty();
    match on_disk {
        Err(_) => Ok(is_deleted_in_target && (!is_staged || staged_object.bytes().all(|byte| byte == b'0'))),
        Ok(_) if is_deleted_in_target || (is_staged && staged_object != object) => Ok(false),
        Ok(metadata) if metadata.is_file() => {
            let disk_mode = if metadata.permissions().mode() & 0o100 == 0 { "100644" } else { "100755" };
            if mode != disk_mode {
                return Ok(false);
            }
            // Applies the filters of the path, as `git add` does.
            Ok(git.call(["hash-object", "--"]).arg(file).run()?.trimmed_text() == object)
        }
        // Links and folders are rare; asking the user is always safe.
        Ok(_) => Ok(false),
    }
}
