//! Which run a command means: the one it names, or the active run of this project.

use domain::RunId;
use views::{RunRow, RunState};

use crate::failure::Failure;

/// How many runs a message lists.
const RUNS_LISTED_MAX: usize = 8;

/// Tells whether a run has not ended.
pub(crate) fn is_active(run: &RunRow) -> bool {
    match run.status {
        RunState::Running | RunState::Paused => true,
        RunState::Done | RunState::Failed | RunState::Cancelled => false,
    }
}

/// Returns the run with this id, else the only one whose id starts so. `runs` has the oldest first.
pub(crate) fn find_by_name<T>(
    mut runs: Vec<T>,
    name: &str,
    id: impl Fn(&T) -> &RunId,
    describe: impl Fn(&T) -> String,
) -> Result<T, Failure> {
    if let Some(exact) = runs.iter().position(|run| id(run).as_str() == name) {
        return Ok(runs.swap_remove(exact));
    }
    let (mut matches, others): (Vec<_>, Vec<_>) =
        runs.into_iter().partition(|run| id(run).as_str().starts_with(name));
    match (matches.pop(), matches.is_empty()) {
        (Some(run), true) => Ok(run),
        (Some(run), false) => {
            matches.push(run);
            let what = format!("{} run ids start with '{name}'.", matches.len());
            let hint = format!("Write more of the id: {}", join_descriptions(&matches, describe));
            Err(Failure { what, hint: Some(hint), exit: 1 })
        }
        (None, _) => {
            let hint = match others.is_empty() {
                true => "No run was started yet. Start one: jangdan run PLAN".to_owned(),
                false => format!("Runs: {}", join_descriptions(&others, describe)),
            };
            Err(Failure { what: format!("Unknown run '{name}'."), hint: Some(hint), exit: 1 })
        }
    }
}

/// Returns the only active run of this project, else its newest. If the data directory has one run, that is it.
pub(crate) fn find_by_project(
    runs: Vec<RunRow>,
    is_here: impl Fn(&RunId) -> bool,
) -> Result<RunRow, Failure> {
    if let [run] = runs.as_slice() {
        return Ok(run.clone());
    }
    let (here, elsewhere): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| is_here(&run.id));
    let (active, mut ended): (Vec<_>, Vec<_>) = here.into_iter().partition(is_active);
    match active.as_slice() {
        [run] => return Ok(run.clone()),
        [] => {}
        [.., newest] => return Err(several_active_failure(&active, newest)),
    }
    ended.pop().ok_or_else(|| {
        let hint = match elsewhere.last() {
            None => "Start one: jangdan run PLAN".to_owned(),
            Some(newest) => {
                format!("Other projects have {}. Add a name: --run {}", describe_runs(&elsewhere), newest.id)
            }
        };
        Failure { what: "This project has no run.".to_owned(), hint: Some(hint), exit: 1 }
    })
}

/// Reports that several runs are active, so that the command must name one.
pub(crate) fn several_active_failure(active: &[RunRow], newest: &RunRow) -> Failure {
    let what = format!("{} runs are active here: {}.", number_word(active.len()), describe_runs(active));
    Failure { what, hint: Some(format!("Add a name: --run {}", newest.id)), exit: 1 }
}

fn number_word(number: usize) -> String {
    let names = ["Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
    let name = number.checked_sub(2).and_then(|index| names.get(index));
    name.map_or_else(|| number.to_string(), |name| (*name).to_owned())
}

fn describe_runs(runs: &[RunRow]) -> String {
    join_descriptions(runs, describe)
}

/// Returns a run's id and title.
pub(crate) fn describe(run: &RunRow) -> String {
    let title = if run.title.trim().is_empty() { &run.project } else { &run.title };
    format!("{} ({})", run.id, title.trim())
}

/// Lists runs, the newest first.
fn join_descriptions<T>(runs: &[T], describe: impl Fn(&T) -> String) -> String {
    let mut names: Vec<_> = runs.iter().rev().take(RUNS_LISTED_MAX).map(describe).collect();
    if runs.len() > RUNS_LISTED_MAX {
        names.push(format!("{} more", runs.len() - RUNS_LISTED_MAX));
    }
    names.join(", ")
}
