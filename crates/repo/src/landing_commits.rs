//! The commits that landing makes itself: a merge with the user's branch, or one commit with all work.

use crate::{CommitId, GitIdentity, LandingRequest, RepoError, RunRepository};

/// Fields of a commit in the output of `git log`.
const N_FIELDS: usize = 4;

/// A commit whose work is squashed.
struct SquashedCommit {
    author: String,
    co_authors: Vec<String>,
    subject: String,
    message: String,
}

impl RunRepository {
    /// Creates a merge of the tip of the branch with the run's commit.
    pub(crate) fn create_landing_merge(
        &self,
        request: &LandingRequest<'_>,
        tip: &CommitId,
        tree: &str,
    ) -> Result<CommitId, RepoError> {
        let message = format!("Merge run {} into {}\n", self.run_id, request.branch);
        let parents = [tip.clone(), request.commit.clone()];
        self.commit_tree(tree, &parents, &landing_author(request), &message)
    }

    /// Creates one commit with the work of all commits in `range`, on top of the branch.
    ///
    /// With a configured author, the other authors are co-authors, and a single commit keeps its message.
    pub(crate) fn create_landing_squash(
        &self,
        request: &LandingRequest<'_>,
        tip: &CommitId,
        tree: &str,
        range: Vec<String>,
    ) -> Result<CommitId, RepoError> {
        let commits = self.squashed_commits(range)?;
        let subjects: String = commits.iter().map(|commit| format!("* {}\n", commit.subject)).collect();
        let as_list = format!("Work of run {}\n\n{subjects}", self.run_id);
        let message = match (request.author, commits.as_slice()) {
            (None, _) => as_list,
            (Some(author), [commit]) => with_co_authors(&commit.message, author, &commits),
            (Some(author), _) => with_co_authors(&as_list, author, &commits),
        };
        self.commit_tree(tree, std::slice::from_ref(tip), &landing_author(request), &message)
    }

    /// Returns the commits of a range without merges, oldest first.
    fn squashed_commits(&self, range: Vec<String>) -> Result<Vec<SquashedCommit>, RepoError> {
        let format = "--format=%an <%ae>%x00%(trailers:key=Co-authored-by,valueonly,unfold)%x00%s%x00%B";
        let options = ["log", "-z", "--reverse", "--no-merges", "--no-show-signature", format];
        let listed = self.repository.git.call(options).args(range).run()?;
        let fields: Vec<String> = listed
            .output
            .split(|byte| *byte == 0)
            .map(|field| String::from_utf8_lossy(field).into_owned())
            .collect();
        let commits = fields.chunks_exact(N_FIELDS).filter_map(|fields| {
            let [author, co_authors, subject, message] = fields else { return None };
            Some(SquashedCommit {
                author: author.clone(),
                co_authors: co_authors.lines().map(str::to_owned).collect(),
                subject: subject.clone(),
                message: message.clone(),
            })
        });
        Ok(commits.collect())
    }
}

fn landing_author(request: &LandingRequest<'_>) -> GitIdentity {
    request.author.cloned().unwrap_or_else(GitIdentity::jangdan)
}

/// Appends a line for each author and co-author of the commits that the message does not name yet.
fn with_co_authors(message: &str, author: &GitIdentity, commits: &[SquashedCommit]) -> String {
    let mut text = message.trim_end().to_owned();
    let author = author.to_string();
    let names = commits.iter().flat_map(|commit| [&commit.author].into_iter().chain(&commit.co_authors));
    for name in names.filter(|name| **name != author) {
        let line = format!("Co-authored-by: {name}");
        if text.lines().any(|existing| existing == line) {
            continue;
        }
        let has_trailers = text.lines().last().is_some_and(|last| last.starts_with("Co-authored-by: "));
        text.push_str(if has_trailers { "\n" } else { "\n\n" });
        text.push_str(&line);
    }
    text + "\n"
}
