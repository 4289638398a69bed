//! Replays the commits of a run on top of a branch, without a working tree.

use crate::{
    CommitId, GitIdentity, RepoError, RunRepository,
    conflicts::{self, MergeTreeResult},
    repository::find_commit,
};

impl RunRepository {
    /// Replays commits, oldest first, on top of `tip`. Author, date and message stay; commits without a change are left
    /// out.
    ///
    /// Returns `None` if a commit conflicts or the result is not `expected_tree`, the tree of a merge: then merge commits
    /// of the run resolved something that its other commits do not show.
    pub(crate) fn replay_commits(
        &self,
        commits: &[CommitId],
        tip: &CommitId,
        expected_tree: &str,
    ) -> Result<Option<CommitId>, RepoError> {
        let git = &self.repository.git;
        let mut current = tip.clone();
        for commit in commits {
            let Some(parent) = find_commit(git, &format!("{commit}^"))? else { return Ok(None) };
            let before = self.tree_of(&current)?;
            // Git merges commits: a child of the parent stands for the current state.
            let parents = std::slice::from_ref(&parent);
            let side = self.commit_tree(&before, parents, &GitIdentity::jangdan(), "side of a merge\n")?;
            let MergeTreeResult::Merged { tree } = conflicts::merge_tree(git, &side, commit)? else {
                return Ok(None);
            };
            if tree != before {
                current = self.repeat_commit(commit, &tree, &current)?;
            }
        }
        Ok((self.tree_of(&current)? == expected_tree).then_some(current))
    }

    /// Creates a commit with the author, date and message of another one.
    fn repeat_commit(&self, commit: &CommitId, tree: &str, parent: &CommitId) -> Result<CommitId, RepoError> {
        let git = &self.repository.git;
        let format = "--format=%an%x00%ae%x00%aI%x00%B";
        let shown = git.call(["log", "-1", "--no-show-signature", format, commit.as_str()]).run()?;
        let mut parts = shown.nul_parts().map(|part| String::from_utf8_lossy(part).into_owned());
        let mut next = || parts.next().unwrap_or_default();
        let (name, email, date, message) = (next(), next(), next(), next());
        let committer = GitIdentity::jangdan();
        let call = git
            .call(["commit-tree", tree, "-p", parent.as_str()])
            .input(message.trim_end().to_owned() + "\n");
        let answer = call
            .env("GIT_AUTHOR_NAME", &name)
            .env("GIT_AUTHOR_EMAIL", &email)
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_NAME", committer.name)
            .env("GIT_COMMITTER_EMAIL", committer.email)
            .run()?;
        CommitId::parse(&answer.trimmed_text()).ok_or_else(|| answer.unexpected_output_error())
    }
}
