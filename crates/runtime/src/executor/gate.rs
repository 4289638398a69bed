//! Examines a phase for its gate: runs the phase's check on the merged tree, and looks for the expected artefacts. The
//! engine decides whether the phase passes.

use domain::GateReport;
use engine::GateCheck;
use repo::RepoError;

use super::{
    check_worktree::{self, MergeCheck},
    effect_obstacle::{EffectObstacle, JobError},
    job::{CheckedWork, Job, run_check},
    run_context::RunContext,
    stop_token::StopToken,
};

/// Limit of listed artefacts.
const ARTEFACTS_MAX: usize = 1000;

/// Examines a phase. An error is reported as a failed gate.
pub(super) fn examine_phase(
    context: &RunContext,
    name: &str,
    work: &GateCheck,
    stop_token: &StopToken,
) -> Result<GateReport, EffectObstacle> {
    match try_examine_phase(context, name, work, stop_token) {
        Ok(report) => Ok(report),
        Err(JobError::Obstacle(obstacle)) => Err(obstacle),
        Err(JobError::Failed(reason)) => {
            let summary = format!("cannot examine the phase: {reason}");
            Ok(GateReport { summary, ..GateReport::default() })
        }
    }
}

fn try_examine_phase(
    context: &RunContext,
    name: &str,
    work: &GateCheck,
    stop_token: &StopToken,
) -> Result<GateReport, JobError> {
    let job_error = |error: RepoError| JobError::new(context, &error);
    let mut report = GateReport { passed: true, ..GateReport::default() };
    let Some(git) = &context.git else {
        if let Some(command) = &work.check {
            let job = Job {
                name,
                command,
                directory: &context.environment.project,
                task: None,
                timeout_ms: work.timeout_ms,
                retries: work.retries,
                stop_token,
            };
            let work =
                CheckedWork { tree: context.project_tree().unwrap_or_default(), ..CheckedWork::default() };
            report.receipts.push(run_check(context, &job, &work).map_err(JobError::Obstacle)?);
        }
        return Ok(report);
    };
    let (tip, tree) = git.run_branch_tip().map_err(job_error)?;
    git.record_gate(work.phase, &tip).map_err(job_error)?;
    report.commit = Some(tip.to_string());
    report.changes = Some(git.summarize_merges(&work.merges, None).map_err(job_error)?);
    if let Some(rejected) = &work.rejected_commit {
        let changes = git.summarize_merges(&work.merges, Some(rejected)).map_err(job_error)?;
        report.changes_since_rejection = Some(changes);
    }
    for pattern in &work.artefacts {
        let files = git.files_matching(&tip, pattern).map_err(job_error)?;
        if files.is_empty() {
            report.missing.push(pattern.clone());
        }
        report.artefacts.extend(files.iter().map(|file| file.to_string_lossy().into_owned()));
    }
    report.artefacts.sort();
    report.artefacts.dedup();
    report.artefacts.truncate(ARTEFACTS_MAX);
    if let Some(command) = &work.check {
        let check = MergeCheck {
            name,
            command,
            commit: &tip,
            tree,
            task: None,
            timeout_ms: work.timeout_ms,
            retries: work.retries,
        };
        let receipt = check_worktree::run_merge_check(context, git, check, stop_token);
        report.receipts.push(receipt?);
    }
    Ok(report)
}
