//! The run's branch as a history without merges: one commit for each task that was merged.
//!
//! Author, dates and message are those of the merge, so that the same merges always give the same commits, and a later
//! landing continues the history of an earlier one.

use crate::{CommitId, RepoError, RunRepository};

/// Fields of a commit in the output of `git log`.
const N_FIELDS: usize = 8;

impl RunRepository {
    /// Returns a commit with the tree of `commit`, a commit of the run's branch, whose history since `base` has one commit
    /// for each step of the branch.
    pub fn linearize(&self, base: &CommitId, commit: &CommitId) -> Result<CommitId, RepoError> {
        let git = &self.repository.git;
        let format = "--format=%T%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B";
        let options =
            ["log", "-z", "--first-parent", "--reverse", "--no-show-signature", "--date=raw", format];
        let listed = git.call(options).arg(format!("{base}..{commit}")).run()?;
        let fields: Vec<String> = listed
            .output
            .split(|byte| *byte == 0)
            .map(|field| String::from_utf8_lossy(field).into_owned())
            .collect();
        let mut tip = base.clone();
        for fields in fields.chunks_exact(N_FIELDS) {
            let [tree, name, email, date, committer, committer_email, commit_date, message] = fields else {
                return Err(listed.unexpected_output_error());
            };
            let call = git.call(["commit-tree", tree, "-p", tip.as_str()]).input(message.as_bytes());
            let answer = call
                .env("GIT_AUTHOR_NAME", name)
                .env("GIT_AUTHOR_EMAIL", email)
                .env("GIT_AUTHOR_DATE", format!("@{date}"))
                .env("GIT_COMMITTER_NAME", committer)
                .env("GIT_COMMITTER_EMAIL", committer_email)
                .env("GIT_COMMITTER_DATE", format!("@{commit_date}"))
                .run()?;
            tip = CommitId::parse(&answer.trimmed_text()).ok_or_else(|| answer.unexpected_output_error())?;
        }
        Ok(tip)
    }
}
