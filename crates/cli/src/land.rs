//! `jangdan land [RUN]`: merges the approved work of a run into the branch that it started from.

use std::process::ExitCode;

use clap::Args;
use runtime::Landed;

use crate::{
    arguments::{ConfirmArguments, RunOperandArguments},
    failure::Failure,
    printable::{json, printable},
    remote,
};

/// How many files are named.
const FILES_NAMED_MAX: usize = 8;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
    /// Include unapproved phases
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    _confirm: ConfirmArguments,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let (run, landed) = remote::query_run(common, arguments.run.name(), |client, run| {
        client.land(&run.id, arguments.all).map_err(|error| remote::failure(&error))
    })?;
    if common.json {
        println!("{}", json(&landed).unwrap_or_default());
    }
    let failure = |what: String, hint: String| Err(Failure { what, hint: Some(hint), exit: 1 });
    let done = match landed {
        Landed::Landed { branch, .. } => format!("{branch} has what {} merged", run.id),
        Landed::Already { branch } => format!("{branch} has it already"),
        Landed::NoTarget { branch } => {
            format!("nobody was on a branch when the run began; it is all in {branch}")
        }
        Landed::NotApproved { branch } => {
            let what = format!("no phase of {} has passed its gate, so nothing is approved yet", run.id);
            return failure(what, format!("approve one, or land all of {branch}: jangdan land --all"));
        }
        Landed::CheckedOut { branch, path } => {
            let what = format!("{branch} is checked out in {}", path.display());
            return failure(what, "go there and land again, or check out another branch".to_owned());
        }
        Landed::Diverged { branch, tip } => {
            let what = format!("{branch} has commits that the run has not; it is at {tip}");
            return failure(
                what,
                format!("merge the run's branch yourself: git merge jangdan/{}/run", run.id),
            );
        }
        Landed::Dirty { branch, files } => {
            let mut named: Vec<_> =
                files.iter().take(FILES_NAMED_MAX).map(|file| file.display().to_string()).collect();
            if files.len() > FILES_NAMED_MAX {
                named.push(format!("{} more", files.len() - FILES_NAMED_MAX));
            }
            let what = format!("{branch} is checked out with changes in {}", named.join(", "));
            return failure(what, "commit or stash them, then land again".to_owned());
        }
    };
    if !common.json {
        eprintln!("{}", printable(&done));
    }
    Ok(ExitCode::SUCCESS)
}
