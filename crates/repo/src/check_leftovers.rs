//! Files that a check or the set-up created, changed or deleted in a worktree, and that are therefore not part of its
//! work.
//!
//! A record in the worktree's git directory has the content of each such file afterwards. As long as a file is
//! unchanged since then, trees of the worktree have the file of HEAD instead; a file that is changed again is work. The
//! files themselves stay, since the agent may need them to understand the check.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::Metadata,
    io::{self, Write},
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

use domain::LargeFile;

use crate::{
    CommitId, GitIdentity, RepoError, RunRepository, TaskWorktree,
    confined_folder::{ConfinedFolder, read_regular_file},
    git::{GitClient, GitOutput, nul_list, to_path},
    untracked_files::large_file,
    worktree_slot::{WorktreeSlot, ignore_not_found},
    worktree_tree::{WorktreeTree, write_tree_with_leftovers, write_worktree_tree},
};

/// Name of the record in the git directory of a worktree.
const RECORD_FILE: &str = "jangdan-check-leftovers";
const NEW_RECORD_FILE: &str = "jangdan-check-leftovers.new";

/// Mode of a path that does not exist.
const MISSING_MODE: &str = "000000";

/// In place of the mode of a file above the size limit, whose object is not written.
const LARGE_MODE: &str = "large";

/// The difference of one path between two trees, as git lists it.
pub(crate) struct TreeChange {
    pub(crate) path: PathBuf,
    pub(crate) before: EntryContent,
    pub(crate) after: EntryContent,
}

/// Mode and object of a path in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntryContent {
    mode: String,
    object: String,
}

impl EntryContent {
    /// Describes a file above the size limit by size and modification time.
    fn of_large_file(metadata: &Metadata) -> Self {
        let object = format!("{}-{}.{}", metadata.len(), metadata.mtime(), metadata.mtime_nsec());
        Self { mode: LARGE_MODE.to_owned(), object }
    }

    fn exists(&self) -> bool {
        self.mode != MISSING_MODE
    }

    /// Returns the input for `git update-index -z --index-info` that gives a path this content, or removes it.
    pub(crate) fn index_line(&self, path: &Path) -> Vec<u8> {
        let mode = if self.exists() { self.mode.as_str() } else { "0" };
        let mut line = format!("{mode} {}\t", self.object).into_bytes();
        line.extend_from_slice(path.as_os_str().as_bytes());
        line.push(0);
        line
    }
}

/// Content of each leftover of the last check.
#[derive(Debug, Default)]
pub(crate) struct CheckLeftovers(BTreeMap<PathBuf, EntryContent>);

impl CheckLeftovers {
    /// Reads the record of a worktree; empty if no check left files behind.
    pub(crate) fn read(slot: &WorktreeSlot) -> Result<Self, RepoError> {
        let path = record_path(slot);
        let bytes = read_regular_file(&path);
        let bytes =
            bytes.map_err(|source| RepoError::Io { operation: "read", path, source })?.unwrap_or_default();
        let mut parts = bytes.split(|byte| *byte == 0);
        let mut leftovers = BTreeMap::new();
        while let (Some(content), Some(name)) = (parts.next(), parts.next()) {
            let content = String::from_utf8_lossy(content);
            // An incomplete record of a crashed server ends here.
            let Some((mode, object)) = content.split_once(' ') else { break };
            let content = EntryContent { mode: mode.to_owned(), object: object.to_owned() };
            leftovers.insert(to_path(name), content);
        }
        Ok(Self(leftovers))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn has_path(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    /// Tells whether a file above the size limit is as the check left it.
    pub(crate) fn has_large_file(&self, path: &Path, metadata: &Metadata) -> bool {
        self.0.get(path).is_some_and(|content| *content == EntryContent::of_large_file(metadata))
    }

    /// Tells whether a changed path is as the check left it.
    pub(crate) fn contains(&self, change: &TreeChange) -> bool {
        self.0.get(&change.path) == Some(&change.after)
    }

    fn write(&self, slot: &WorktreeSlot) -> Result<(), RepoError> {
        let path = record_path(slot);
        let mut bytes = Vec::new();
        for (name, EntryContent { mode, object }) in &self.0 {
            bytes.extend_from_slice(format!("{mode} {object}\0").as_bytes());
            bytes.extend_from_slice(name.as_os_str().as_bytes());
            bytes.push(0);
        }
        // The agent can write to the folder, also links.
        let written = ConfinedFolder::open(&slot.git_dir).and_then(|folder| {
            let (file, new) = (Path::new(RECORD_FILE), Path::new(NEW_RECORD_FILE));
            if bytes.is_empty() {
                return ignore_not_found(folder.remove_file(file));
            }
            ignore_not_found(folder.remove_file(new))?;
            folder.create_file(new)?.write_all(&bytes)?;
            folder.rename(new, file.as_os_str())
        });
        written.map_err(|source| RepoError::Io { operation: "write", path, source })
    }
}

impl RunRepository {
    /// Records what a check changed in a worktree whose work had this tree before, and these files above the size limit;
    /// later commits and snapshots leave it out.
    ///
    /// An agent that did not wait may have changed files too, so all of it is preserved under a ref, except files above
    /// the limit. Returns the paths.
    pub fn record_check_leftovers(
        &self,
        worktree: &TaskWorktree,
        tree: &str,
        large_files: &[LargeFile],
    ) -> Result<Vec<PathBuf>, RepoError> {
        let slot = &worktree.slot;
        let after = write_tree_with_leftovers(slot)?;
        let leftovers = find_leftovers(slot, tree, large_files, &after)?;
        if !leftovers.is_empty() {
            let refs = self.snapshot_refs(&slot.name)?;
            if refs.iter().all(|snapshot_ref| snapshot_ref.tree != after.tree) {
                let author = GitIdentity::jangdan();
                let message = "keep: left behind by a check\n";
                let commit = self.commit_tree(&after.tree, after.head.as_slice(), &author, message)?;
                self.preserve_commit(&slot.name, &commit, &refs)?;
            }
        }
        leftovers.write(slot)?;
        Ok(leftovers.0.into_keys().collect())
    }

    /// Records what the set-up of a worktree changed whose work had this tree before, and these files above the size
    /// limit; later commits and snapshots leave it out. No agent works meanwhile.
    pub fn record_setup_leftovers(
        &self,
        worktree: &TaskWorktree,
        tree: &str,
        large_files: &[LargeFile],
    ) -> Result<(), RepoError> {
        let after = write_tree_with_leftovers(&worktree.slot)?;
        find_leftovers(&worktree.slot, tree, large_files, &after)?.write(&worktree.slot)
    }

    /// Removes leftovers that would prevent a merge of `tip` into the worktree: those of its last check, and caches and
    /// files above the size limit that `tip` has as files.
    pub(crate) fn discard_leftovers(&self, worktree: &TaskWorktree, tip: &CommitId) -> Result<(), RepoError> {
        let slot = &worktree.slot;
        let tree = write_worktree_tree(slot, &[])?;
        let (changed, created): (Vec<_>, Vec<_>) =
            tree.leftovers.into_iter().partition(|change| change.before.exists());
        let mut removed: Vec<PathBuf> = created.into_iter().map(|change| change.path).collect();
        let left_out = tree.caches.iter().chain(tree.large_files.keys()).chain(&tree.large_leftovers);
        let left_out: BTreeSet<&PathBuf> = left_out.collect();
        if !left_out.is_empty() {
            let names = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "HEAD"];
            let incoming = slot.git.call(names).arg(tip.as_str()).arg("--").run()?;
            removed.extend(incoming.paths().filter(|path| left_out.contains(path)));
        }
        if removed.iter().any(|path| tree.large_files.contains_key(path)) {
            self.snapshot_with_large_files(slot, "before a merge", &[])?;
        }
        let folder = ConfinedFolder::open(&slot.path).map_err(|_| slot.replaced_error())?;
        for path in removed {
            let gone = match folder.remove_file(&path) {
                // The check may have created a folder where it had deleted a file.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(()),
                gone => ignore_not_found(gone),
            };
            let path = slot.path.join(path);
            gone.map_err(|source| RepoError::Io { operation: "remove", path, source })?;
        }
        if changed.is_empty() {
            return Ok(());
        }
        let paths: Vec<PathBuf> = changed.into_iter().map(|change| change.path).collect();
        let checkout = ["checkout", "--quiet", "HEAD", "--pathspec-from-file=-", "--pathspec-file-nul"];
        slot.git.call(checkout).input(nul_list(&paths)).run().map(drop)
    }
}

/// Returns what changed in a worktree since its work had this tree and these files above the size limit.
fn find_leftovers(
    slot: &WorktreeSlot,
    before: &str,
    large_before: &[LargeFile],
    after: &WorktreeTree,
) -> Result<CheckLeftovers, RepoError> {
    let changes = tree_changes(&slot.git.call(DIFF_TREE).arg(before).arg(&after.tree).run()?)?;
    let changes = changes.into_iter().map(|change| (change.path, change.after));
    let is_new =
        |(path, metadata): &(&PathBuf, &Metadata)| !large_before.contains(&large_file(path, metadata.len()));
    let large = after.large_files.iter().filter(is_new);
    let large = large.map(|(path, metadata)| (path.clone(), EntryContent::of_large_file(metadata)));
    Ok(CheckLeftovers(changes.chain(large).collect()))
}

const DIFF_TREE: [&str; 4] = ["diff-tree", "-r", "-z", "--no-renames"];

/// Returns the paths at which an index differs from a commit.
pub(crate) fn index_changes(
    git: &GitClient,
    index: &Path,
    head: &CommitId,
) -> Result<Vec<TreeChange>, RepoError> {
    let call = git.call(["diff-index", "--cached", "-r", "-z", "--no-renames", head.as_str()]);
    tree_changes(&call.env("GIT_INDEX_FILE", index).run()?)
}

/// Parses raw differences: `:OLDMODE NEWMODE OLDOBJECT NEWOBJECT STATUS`, NUL, path, NUL.
fn tree_changes(answer: &GitOutput) -> Result<Vec<TreeChange>, RepoError> {
    let parse = |fields: &[u8], name: &[u8]| {
        let fields = std::str::from_utf8(fields).ok()?.strip_prefix(':')?;
        let mut fields = fields.split(' ').map(str::to_owned);
        let (old_mode, new_mode) = (fields.next()?, fields.next()?);
        let (old_object, new_object) = (fields.next()?, fields.next()?);
        Some(TreeChange {
            path: to_path(name),
            before: EntryContent { mode: old_mode, object: old_object },
            after: EntryContent { mode: new_mode, object: new_object },
        })
    };
    let mut parts = answer.nul_parts();
    let mut changes = Vec::new();
    while let (Some(fields), Some(name)) = (parts.next(), parts.next()) {
        changes.push(parse(fields, name).ok_or_else(|| answer.unexpected_output_error())?);
    }
    Ok(changes)
}

fn record_path(slot: &WorktreeSlot) -> PathBuf {
    slot.git_dir.join(RECORD_FILE)
}
