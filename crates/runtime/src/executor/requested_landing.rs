//! Brings the work of a run into a branch because a user requested it.
//!
//! Invariant: after a crash the branch moves at most once. The report of the success is saved just before; if the branch
//! then has the commit, that report is the outcome.

use std::{error::Error, fs, path::Path};

use domain::{LandReport, LandingId, Report};
use engine::LandingOrder;
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::{
    land::{self, CheckoutPolicy, LandError},
    run_context::RunContext,
    stop_token::StopToken,
};
use crate::{error_chain::error_chain, git::RunGit};

/// File in the folder of the run.
const FILE: &str = "landing.json";

/// The last landing that was about to move its branch.
#[derive(Serialize, Deserialize)]
struct StartedLanding {
    landing: LandingId,
    /// The report if the branch has moved.
    report: LandReport,
}

/// Lands the work of a run, or completes the landing that a crash interrupted.
pub(super) fn land_as_requested(
    context: &RunContext,
    landing: LandingId,
    order: &LandingOrder,
    stop_token: &StopToken,
) -> LandReport {
    let Some(git) = &context.git else {
        return LandReport::Failed { reason: "the run has no worktrees".to_owned() };
    };
    let file = context.host.run_folder(&context.run).join(FILE);
    if let Some(report) = completed_landing(git, &file, landing) {
        return report;
    }
    let save = |report: &LandReport| save_started(&file, landing, report);
    let landed = land::land(context, git, order, CheckoutPolicy::Update, stop_token, save);
    // A user waits for the result, and can do something about a full disk or a moved ref.
    landed.unwrap_or_else(|error| {
        if let Some(moved) = error.moved_ref() {
            context.report_to_run_loop(Report::RefMoved { effect: None, moved });
        }
        LandReport::Failed { reason: error.into_text() }
    })
}

/// Reports what would happen, and changes nothing.
pub(crate) fn preview_landing(
    context: &RunContext,
    git: &RunGit,
    order: &LandingOrder,
    stop_token: &StopToken,
) -> LandReport {
    let landed = land::land(context, git, order, CheckoutPolicy::DryRun, stop_token, |_| Ok(()));
    landed.unwrap_or_else(|error| LandReport::Failed { reason: error.into_text() })
}

/// Returns the report of a landing that moved its branch before a crash.
fn completed_landing(git: &RunGit, file: &Path, landing: LandingId) -> Option<LandReport> {
    // Missing or cut off if the crash came before the branch could move.
    let started: StartedLanding = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let LandReport::Landed { branch, commit, .. } = &started.report else { return None };
    if started.landing != landing {
        return None;
    }
    match git.branch_contains(branch, commit) {
        Ok(has_moved) => has_moved.then_some(started.report),
        Err(error) => {
            // Landing reads the same branch, and reports the error.
            warn!(error = &error as &dyn Error, "cannot tell whether the branch was moved");
            None
        }
    }
}

fn save_started(file: &Path, landing: LandingId, report: &LandReport) -> Result<(), LandError> {
    let started = StartedLanding { landing, report: report.clone() };
    let text = serde_json::to_vec(&started).map_err(|error| LandError::Failed(error_chain(&error)))?;
    fs::write(file, text)
        .map_err(|error| LandError::Failed(format!("cannot write {}: {error}", file.display())))
}
