//! A commit of the uncommitted changes in a user's checkout, from which a run can start. Index, files and branch of the
//! checkout stay as they are.
//!
//! Landing recognizes the commit by its trailer: files that still have its content are not obstacles, since the work of
//! the run contains them.

use std::{fs, path::PathBuf};

use crate::{
    CommitId, GitIdentity, RepoError, Repository, UntrackedFileRules,
    git::{GitClient, nul_list},
    worktree_tree::write_checkout_tree,
};

/// Marks the commit in its message.
const TRAILER: &str = "Jangdan-Included-Changes";

impl Repository {
    /// Commits everything in the checkout that is not ignored, except the excluded paths, on top of HEAD. Paths are
    /// relative to the root of the checkout. Fails if an untracked file is above the size limit.
    pub fn commit_checkout_changes(
        &self,
        person: &str,
        excluded: &[PathBuf],
        bytes_max: Option<u64>,
    ) -> Result<CommitId, RepoError> {
        let git = self.git.in_folder(&self.opened_from);
        let root = git.call(["rev-parse", "--show-toplevel"]).run()?.trimmed_text();
        let git_dir = git.call(["rev-parse", "--absolute-git-dir"]).run()?.trimmed_text();
        let git = self.git.in_folder(&PathBuf::from(root));
        let limit = UntrackedFileRules { bytes_max, ..UntrackedFileRules::default() };
        let tree = write_checkout_tree(&git, &PathBuf::from(git_dir), excluded, &limit)?;
        if !tree.large_files.is_empty() {
            let (path, files) = (self.opened_from.clone(), tree.listed_large_files());
            return Err(RepoError::LargeFiles { path, files });
        }
        if !tree.unmerged.is_empty() {
            return Err(RepoError::UnresolvedConflicts {
                path: self.opened_from.clone(),
                files: tree.unmerged,
            });
        }
        let identity = GitIdentity::jangdan();
        let message = format!("Uncommitted changes of {person}\n\n{TRAILER}: true\n");
        let mut call = git.call(["commit-tree", &tree.tree]).input(message);
        if let Some(head) = &tree.head {
            call = call.arg("-p").arg(head.as_str());
        }
        let answer = call
            .env("GIT_AUTHOR_NAME", &identity.name)
            .env("GIT_AUTHOR_EMAIL", &identity.email)
            .env("GIT_COMMITTER_NAME", &identity.name)
            .env("GIT_COMMITTER_EMAIL", &identity.email)
            .run()?;
        CommitId::parse(&answer.trimmed_text()).ok_or_else(|| answer.unexpected_output_error())
    }
}

/// Returns the commit of included changes that a branch gets with `source`; `None` if it has none or already has it.
pub(crate) fn find_included_changes(
    git: &GitClient,
    from: &CommitId,
    source: &CommitId,
) -> Result<Option<CommitId>, RepoError> {
    let trailer = format!("--grep=^{TRAILER}: true$");
    let listed = git
        .call(["log", "--no-show-signature", "--format=%H", "--max-count=1", &trailer])
        .arg(source.as_str())
        .arg(format!("^{from}"))
        .run()?;
    Ok(CommitId::parse(&listed.trimmed_text()))
}

/// Gives files of a checkout, and their entries in its index, the content of a commit.
pub(crate) fn write_files_of_commit(
    git: &GitClient,
    commit: &CommitId,
    files: &[PathBuf],
) -> Result<(), RepoError> {
    let (mut present, mut deleted) = (Vec::new(), Vec::new());
    for file in files {
        let listed =
            git.call(["ls-tree", "-z", "--full-tree", "--name-only", commit.as_str(), "--"]).arg(file);
        if listed.run()?.trimmed_text().is_empty() {
            deleted.push(file.clone());
        } else {
            present.push(file.clone());
        }
    }
    for file in &deleted {
        let path = git.folder().join(file);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(RepoError::Io { operation: "remove", path, source });
            }
            Ok(()) | Err(_) => {}
        }
    }
    if !deleted.is_empty() {
        git.call(["update-index", "--force-remove", "-z", "--stdin"]).input(nul_list(&deleted)).run()?;
    }
    if !present.is_empty() {
        git.call(["checkout", "--quiet", commit.as_str(), "--pathspec-from-file=-", "--pathspec-file-nul"])
            .env("GIT_LITERAL_PATHSPECS", "1")
            .input(nul_list(&present))
            .run()?;
    }
    Ok(())
}
