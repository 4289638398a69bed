//! Options of bringing the work of a run into a branch of the user, and what its result means for the user.

use domain::LandReport;

/// How the work of a run is brought into a branch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LandOptions {
    /// Includes unapproved phases.
    pub is_all: bool,
    /// Target branch, instead of the one that the run started from. It must exist.
    pub into: Option<String>,
    /// Makes one commit, even if the run is configured to make a merge.
    pub is_squash: bool,
    /// Only reports what would happen.
    pub is_dry_run: bool,
}

/// Returns why the target branch does not contain the work, and what the user can do; `None` if it does.
pub fn landing_problem(report: &LandReport) -> Option<String> {
    match report {
        LandReport::Landed { .. }
        | LandReport::AlreadyLanded { .. }
        | LandReport::NoTarget { .. }
        | LandReport::Planned { .. } => None,
        LandReport::NotApproved { branch } => Some(format!(
            "no phase is approved yet: approve one, or merge all of {branch} with `jangdan land --all`"
        )),
        LandReport::CheckedOut { branch, path } => {
            Some(format!("{branch} is checked out in {}: merge into it with `jangdan land`", path))
        }
        LandReport::Conflicted { branch, files, manual_merge } => Some(format!(
            "{branch} conflicts with the run in {} file(s): merge by hand with `{}`",
            files.len(),
            manual_merge.start.join(" && ")
        )),
        LandReport::Dirty { branch, files } => Some(format!(
            "{branch} is checked out with uncommitted changes in {} file(s) that the run changes: commit them, then \
                 run `jangdan land`",
            files.len()
        )),
        LandReport::CheckFailed { branch, command, .. } => {
            Some(format!("`{command}` fails on {branch} merged with the run: see `jangdan land`"))
        }
        LandReport::CheckNotRun { branch, command, obstacle, .. } => {
            Some(format!("`{command}` could not run on {branch} merged with the run: {obstacle}"))
        }
        LandReport::UnknownBranch { branch } => {
            Some(format!("branch {branch} does not exist: create it first"))
        }
        LandReport::OwnBranch { branch } => Some(format!("only jangdan moves {branch}: name another branch")),
        LandReport::Failed { reason } => Some(reason.clone()),
    }
}
