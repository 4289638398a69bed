//! Checks that the commands of a run can start on this machine.

use std::{collections::BTreeSet, env, path::Path};

use config::Config;
use domain::{PlanStatus, PlannedWork};

use super::{PrepareError, StartRemark};
use crate::check_program::find_missing_program;

/// A check that cannot start on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnrunnableCheck {
    /// Program that was looked for.
    pub program: String,
    /// Command of the check.
    pub command: String,
}

/// Fails if the first program of a check is a bare name that is neither on `PATH` nor a word of the shell. If worktrees
/// are set up by commands, which may install it, returns a remark instead.
pub(super) fn check_commands(
    work: &PlannedWork,
    config: &Config,
    root: &Path,
) -> Result<Vec<StartRemark>, PrepareError> {
    let mut remarks = Vec::new();
    for UnrunnableCheck { program, command } in find_unrunnable_checks(work, config, root) {
        if config.worktree.setup.is_empty() {
            return Err(PrepareError::CheckProgram { program, command });
        }
        remarks.push(StartRemark::CheckProgramMissing { program, command });
    }
    Ok(remarks)
}

/// Returns the checks whose first program is a bare name that is neither on `PATH` nor a word of the shell.
pub fn find_unrunnable_checks(work: &PlannedWork, config: &Config, root: &Path) -> Vec<UnrunnableCheck> {
    let path = env::var_os("PATH");
    let unrunnable = |command: &str| {
        let program = find_missing_program(command, None, path.as_deref(), root)?;
        Some(UnrunnableCheck { program, command: command.to_owned() })
    };
    commands_of(work, config).into_iter().filter_map(unrunnable).collect()
}

/// Returns the checks of the open tasks and their phases, each once.
fn commands_of<'a>(work: &'a PlannedWork, config: &'a Config) -> Vec<&'a str> {
    let open: Vec<_> = work.tasks.iter().filter(|task| task.plan_status == PlanStatus::Open).collect();
    let open_phases: BTreeSet<_> = open.iter().map(|task| task.phase).collect();
    let phases = work.phases.iter().filter(|phase| open_phases.contains(&phase.number));
    let default = config.settings.verify.as_deref().filter(|_| !open.is_empty());
    let of_phases = phases.filter_map(|phase| phase.verify.as_deref());
    let of_tasks = open.iter().filter_map(|task| task.verify.as_deref());
    let mut seen = BTreeSet::new();
    default.into_iter().chain(of_phases).chain(of_tasks).filter(|command| seen.insert(*command)).collect()
}
