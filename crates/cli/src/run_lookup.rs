//! Which run a command means: the one it names, or the active run of this project.

use domain::RunId;
use views::{RunRow, RunState};

use crate::{failure::Failure, localized::localized};

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
            let what = localized(
                format!("{} run ids start with '{name}'.", matches.len()),
                format!("'{name}' 접두어의 실행이 {}개 있습니다.", matches.len()),
            );
            let names = join_descriptions(&matches, describe);
            let hint =
                localized(format!("Write more of the id: {names}"), format!("더 길게 입력하세요: {names}"));
            Err(Failure { what, hint: Some(hint), exit: 1 })
        }
        (None, _) => {
            let hint = match others.is_empty() {
                true => localized(
                    "No run was started yet. Start one: jangdan run PLAN",
                    "아직 시작한 실행이 없습니다. 시작하려면: jangdan run PLAN",
                ),
                false => {
                    let names = join_descriptions(&others, describe);
                    localized(format!("Runs: {names}"), format!("실행: {names}"))
                }
            };
            let what = localized(format!("Unknown run '{name}'."), format!("알 수 없는 실행: '{name}'"));
            Err(Failure { what, hint: Some(hint), exit: 1 })
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
            None => localized("Start one: jangdan run PLAN", "시작하려면: jangdan run PLAN"),
            Some(newest) => {
                let (names, newest) = (describe_runs(&elsewhere), &newest.id);
                localized(
                    format!("Other projects have {names}. Add a name: --run {newest}"),
                    format!("다른 프로젝트의 실행: {names}. 이름을 지정하세요: --run {newest}"),
                )
            }
        };
        let what = localized("This project has no run.", "이 프로젝트에는 실행이 없습니다.");
        Failure { what, hint: Some(hint), exit: 1 }
    })
}

/// Reports that several runs are active, so that the command must name one.
pub(crate) fn several_active_failure(active: &[RunRow], newest: &RunRow) -> Failure {
    let what = localized(
        format!("{} runs are active here: {}.", number_word(active.len()), describe_runs(active)),
        format!("진행 중인 실행이 {}개 있습니다: {}.", active.len(), describe_runs(active)),
    );
    let hint = localized(
        format!("Add a name: --run {}", newest.id),
        format!("이름을 지정하세요: --run {}", newest.id),
    );
    Failure { what, hint: Some(hint), exit: 1 }
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
        let n_more = runs.len() - RUNS_LISTED_MAX;
        names.push(localized(format!("{n_more} more"), format!("외 {n_more}개")));
    }
    names.join(", ")
}
