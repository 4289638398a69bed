//! Changed files and diff of the tasks of a phase, from the merges that brought them into the run's branch.
//!
//! Phases may be merged in turns, so files that only tasks of other phases changed are left out.

use std::{collections::BTreeSet, path::PathBuf};

use domain::{ChangeSummary, FileChange, LineCounts};

use crate::{CommitId, RepoError, RunRepository, git::GitOutput};

/// Paths per call of git, so that the command line stays short.
const PATHS_PER_CALL: usize = 200;

/// A step of the run's branch that brought the work of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskMerge {
    /// Tip of the run's branch before.
    pub onto: CommitId,
    /// Tip of the run's branch after.
    pub commit: CommitId,
}

/// Two commits, and the files between them that belong to a phase.
struct PhaseRange {
    from: CommitId,
    to: CommitId,
    /// `None`: all of them.
    paths: Option<Vec<PathBuf>>,
}

impl RunRepository {
    /// Summarizes the files that merges changed, oldest merge first; those since a commit if one is given.
    pub fn summarize_merges(
        &self,
        merges: &[TaskMerge],
        since: Option<&CommitId>,
    ) -> Result<ChangeSummary, RepoError> {
        let Some(range) = self.phase_range(merges, since)? else { return Ok(ChangeSummary::default()) };
        let options = ["diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
        let mut files = Vec::new();
        for output in self.diff_range(&options, &range)? {
            for entry in output.nul_parts() {
                files.push(parse_numstat(entry).ok_or_else(|| output.unexpected_output_error())?);
            }
        }
        Ok(ChangeSummary::of_files(files))
    }

    /// Returns the diff of merges, oldest merge first; the part since a commit if one is given.
    pub fn diff_merges(&self, merges: &[TaskMerge], since: Option<&CommitId>) -> Result<String, RepoError> {
        let Some(range) = self.phase_range(merges, since)? else { return Ok(String::new()) };
        let options = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames"];
        let outputs = self.diff_range(&options, &range)?;
        Ok(outputs.iter().map(|output| String::from_utf8_lossy(&output.output)).collect())
    }

    /// Returns what merges changed since a commit, or since before the first merge; `None` if nothing.
    fn phase_range(
        &self,
        merges: &[TaskMerge],
        since: Option<&CommitId>,
    ) -> Result<Option<PhaseRange>, RepoError> {
        let (Some(first), Some(last)) = (merges.first(), merges.last()) else { return Ok(None) };
        let (from, to) = (since.unwrap_or(&first.onto).clone(), last.commit.clone());
        let steps = format!("{from}..{to}");
        let steps = self.repository.git.call(["rev-list", "--first-parent", &steps]).run()?.trimmed_text();
        let steps: BTreeSet<CommitId> = steps.lines().filter_map(CommitId::parse).collect();
        let merges: Vec<_> = merges.iter().filter(|merge| steps.contains(&merge.commit)).collect();
        if merges.is_empty() {
            return Ok(None);
        }
        if merges.len() == steps.len() {
            return Ok(Some(PhaseRange { from, to, paths: None }));
        }
        let mut paths = BTreeSet::new();
        for TaskMerge { onto, commit } in merges {
            let names = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"];
            let listed = self.repository.git.call(names).arg(onto.as_str()).arg(commit.as_str()).run()?;
            paths.extend(listed.paths());
        }
        Ok(Some(PhaseRange { from, to, paths: Some(paths.into_iter().collect()) }))
    }

    fn diff_range(&self, options: &[&str], range: &PhaseRange) -> Result<Vec<GitOutput>, RepoError> {
        let PhaseRange { from, to, paths } = range;
        let call = || self.repository.git.call(options).arg(from.as_str()).arg(to.as_str()).arg("--");
        match paths {
            None => Ok(vec![call().run()?]),
            Some(paths) => paths.chunks(PATHS_PER_CALL).map(|paths| call().args(paths).run()).collect(),
        }
    }
}

/// Parses `ADDED<tab>REMOVED<tab>PATH`; a binary file has `-` for both.
fn parse_numstat(entry: &[u8]) -> Option<FileChange> {
    let mut fields = entry.splitn(3, |byte| *byte == b'\t');
    let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
    let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse().ok();
    let lines = match (added, removed) {
        (b"-", b"-") => None,
        (added, removed) => Some(LineCounts { added: number(added)?, removed: number(removed)? }),
    };
    Some(FileChange { path: String::from_utf8_lossy(path).into_owned(), lines })
}
