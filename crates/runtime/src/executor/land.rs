//! Brings the work of a run into a branch of the user, which moves only after the check passes on the merged result.

use std::path::PathBuf;

use domain::{LandReport, ManualMerge, MovedRef, Receipt};
use engine::{LandingCheck, LandingOrder};
use repo::{CommitId, LandingOutcome, LandingPlan, LandingStrategy, PlannedLanding, RepoError};

use super::{
    check_worktree::{self, MergeCheck},
    effect_obstacle::{EffectObstacle, JobError, moved_ref},
    run_context::RunContext,
    stop_token::StopToken,
};
use crate::{environment::LandStrategy, error_chain::error_chain, git::RunGit};

/// Attempts to move a branch that the user moves at the same time.
const ATTEMPTS_MAX: u32 = 3;
/// Length of the tree's id in the name of a check.
const TREE_CHARS: usize = 16;
/// Prefix of the branches that only Jangdan moves.
const OWN_BRANCH_PREFIX: &str = "jangdan/";

/// What happens to a branch that is checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckoutPolicy {
    /// It is not moved.
    Leave,
    /// It is moved together with its working tree.
    Update,
    /// Nothing is moved, also no other branch: the report says what would happen.
    DryRun,
}

/// Why the work of a run was not landed.
#[derive(Debug)]
pub(crate) enum LandError {
    Git(RepoError),
    Obstacle(EffectObstacle),
    /// The check did not run, or the branch did not stay in place.
    Failed(String),
}

impl LandError {
    /// Returns the ref that another program moved, if that is the error.
    pub(super) fn moved_ref(&self) -> Option<MovedRef> {
        match self {
            Self::Git(error) => moved_ref(error),
            Self::Obstacle(EffectObstacle::RefMoved(moved)) => Some(moved.clone()),
            Self::Obstacle(EffectObstacle::DiskFull { .. }) | Self::Failed(_) => None,
        }
    }

    /// Returns the error as a text for the user.
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Git(error) => error_chain(&error),
            Self::Obstacle(obstacle) => obstacle.into_text(),
            Self::Failed(error) => error,
        }
    }

    pub(super) fn into_job_error(self, context: &RunContext) -> JobError {
        match self {
            Self::Git(error) => JobError::new(context, &error),
            Self::Obstacle(obstacle) => JobError::Obstacle(obstacle),
            Self::Failed(error) => JobError::Failed(error),
        }
    }
}

/// Lands the work of a run. Repeated after a crash, it completes what was started. Just before the branch moves,
/// `before_move` gets the report of a success.
pub(crate) fn land(
    context: &RunContext,
    git: &RunGit,
    order: &LandingOrder,
    checkout: CheckoutPolicy,
    stop_token: &StopToken,
    before_move: impl Fn(&LandReport) -> Result<(), LandError>,
) -> Result<LandReport, LandError> {
    let run_branch = git.run_branch();
    let Some(branch) = order.into.clone().or_else(|| git.target_branch()) else {
        return Ok(LandReport::NoTarget { branch: run_branch });
    };
    if order.into.is_some() {
        if branch.starts_with(OWN_BRANCH_PREFIX) {
            return Ok(LandReport::OwnBranch { branch });
        }
        if !git.has_branch(&branch)? {
            return Ok(LandReport::UnknownBranch { branch });
        }
    }
    let Some(source) = git.commit_to_land(&order.work)? else {
        return Ok(LandReport::NotApproved { branch: run_branch });
    };
    let strategy = match context.environment.land_strategy {
        LandStrategy::Merge if !order.is_squash => LandingStrategy::Merge,
        LandStrategy::Rebase if !order.is_squash => LandingStrategy::Rebase,
        LandStrategy::Merge | LandStrategy::Rebase | LandStrategy::Squash => LandingStrategy::Squash,
    };
    for _ in 0..ATTEMPTS_MAX {
        let path = git.worktree_of_branch(&branch)?;
        let is_movable = match &path {
            Some(path) => checkout != CheckoutPolicy::Leave && git.has_checked_out(path, &branch)?,
            None => true,
        };
        let landing = match (git.plan_landing(&branch, &source, strategy)?, &path) {
            (LandingPlan::AlreadyLanded, _) => return Ok(LandReport::AlreadyLanded { branch }),
            (_, Some(path)) if !is_movable => {
                return Ok(LandReport::CheckedOut { branch, path: path.to_string_lossy().into_owned() });
            }
            (LandingPlan::Conflicted { files }, _) => {
                let manual_merge = manual_merge(context, git, &branch, &source, "git merge")?;
                return Ok(LandReport::Conflicted { branch, files: path_texts(&files), manual_merge });
            }
            (LandingPlan::Move(landing), _) => landing,
        };
        // Checked again when the branch moves; the check in between may take long.
        if let Some(path) = &path {
            let files = git.files_blocking_landing(&landing, path)?;
            if !files.is_empty() {
                return Ok(LandReport::Dirty { branch, files: path_texts(&files) });
            }
        }
        let check = order.check.command.as_ref().filter(|_| landing.has_new_tree);
        let is_unchecked = landing.has_new_tree && check.is_none();
        if checkout == CheckoutPolicy::DryRun {
            return Ok(planned_report(landing, check.cloned(), is_unchecked));
        }
        if let Some(command) = check {
            let receipt = run_check(context, git, &landing, command, &order.check, stop_token)?;
            let (is_passed, command) = (receipt.passed(), command.clone());
            let Receipt { obstacle, output_tail: output, .. } = receipt;
            if let Some(obstacle) = obstacle {
                return Ok(LandReport::CheckNotRun { branch, command, obstacle, output });
            }
            if !is_passed {
                let manual_merge = manual_merge(context, git, &branch, &source, "git merge --no-commit")?;
                return Ok(LandReport::CheckFailed { branch, command, output, manual_merge });
            }
        }
        let landed = landed_report(&landing, is_unchecked);
        before_move(&landed)?;
        let outcome = match &path {
            Some(path) => git.land_checked_out(&landing, path)?,
            None => git.land(&landing)?,
        };
        match outcome {
            LandingOutcome::Landed => return Ok(landed),
            LandingOutcome::Dirty { files } => {
                return Ok(LandReport::Dirty { branch, files: path_texts(&files) });
            }
            // The branch was committed to, checked out or switched away from meanwhile.
            LandingOutcome::BranchMoved | LandingOutcome::CheckedOut { .. } => {}
        }
    }
    Err(LandError::Failed(format!("branch {branch} was moved meanwhile, {ATTEMPTS_MAX} times")))
}

/// Runs the check on the commit that the branch would be moved to.
fn run_check(
    context: &RunContext,
    git: &RunGit,
    landing: &PlannedLanding,
    command: &str,
    settings: &LandingCheck,
    stop_token: &StopToken,
) -> Result<Receipt, LandError> {
    let tree = landing.tree.clone();
    // A check of the same tree that a killed server left is continued.
    let name = format!("land-{}", tree.get(..TREE_CHARS).unwrap_or(&tree));
    let check = MergeCheck {
        name: &name,
        command,
        commit: &landing.to,
        tree,
        task: None,
        timeout_ms: settings.timeout_ms,
        retries: settings.retries,
    };
    let receipt = check_worktree::run_merge_check(context, git, check, stop_token)?;
    if stop_token.is_stopped() {
        return Err(LandError::Failed("the server stopped during the check of the merged result".to_owned()));
    }
    Ok(receipt)
}

fn planned_report(landing: PlannedLanding, check: Option<String>, is_unchecked: bool) -> LandReport {
    let PlannedLanding { branch, from, n_commits, kind, files, .. } = landing;
    let from = from.map(|from| from.to_string());
    let files = path_texts(&files);
    LandReport::Planned { branch, from, n_commits, kind, files, check, is_unchecked }
}

fn landed_report(landing: &PlannedLanding, is_unchecked: bool) -> LandReport {
    LandReport::Landed {
        branch: landing.branch.clone(),
        commit: landing.to.to_string(),
        from: landing.from.as_ref().map(ToString::to_string),
        n_commits: landing.n_commits,
        kind: landing.kind,
        is_unchecked,
    }
}

/// Returns paths as texts. A name that is not UTF-8 is shown as well as possible.
fn path_texts(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Returns the commands that merge the run's commit by hand, to be typed in the project's folder.
fn manual_merge(
    context: &RunContext,
    git: &RunGit,
    branch: &str,
    source: &CommitId,
    merge: &str,
) -> Result<ManualMerge, LandError> {
    let project = &context.environment.project;
    let checkout = git.worktree_of_branch(branch)?;
    let is_elsewhere = |path: &PathBuf| !project.starts_with(path);
    let (folder, prefix) = match checkout.as_ref().filter(|path| is_elsewhere(path)) {
        Some(path) => (path, format!("git -C {} ", quote(&path.to_string_lossy()))),
        None => (project, "git ".to_owned()),
    };
    let command = |words: &str| words.replacen("git ", &prefix, 1);
    // Git merges nothing while files are staged, or changed files would be overwritten.
    let has_changes = git.has_uncommitted_changes(folder)?;
    let (run_tip, _) = git.run_branch_tip()?;
    let name = if run_tip == *source { git.run_branch() } else { source.to_string() };
    let mut start = Vec::new();
    let mut finish = vec![command("git commit --all --no-edit")];
    if has_changes {
        start.push(command("git stash"));
        finish.push(command("git stash pop"));
    }
    if checkout.is_none() {
        start.push(format!("git switch {}", quote(branch)));
    }
    start.push(command(&format!("{merge} {name}")));
    Ok(ManualMerge { start, finish })
}

/// Quotes a word for a shell, if necessary.
fn quote(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_./-".contains(char);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

impl From<RepoError> for LandError {
    fn from(error: RepoError) -> Self {
        Self::Git(error)
    }
}

impl From<JobError> for LandError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Obstacle(obstacle) => Self::Obstacle(obstacle),
            JobError::Failed(error) => Self::Failed(error),
        }
    }
}
