//! Which actions of a user the state allows. `decide` performs an action only after the same check, so that an offered
//! action is never rejected for the state of its object.

mod affected;
mod inbox;

use domain::{
    BlockReason, ParkMode, RunAction, RunOutcome, SessionAction, SessionId, SessionInput, TaskAction, TaskId,
};

use crate::{
    rejection::Rejection,
    run::{Run, RunStatus},
    state::{EffectKey, Task, TaskStage},
};

/// Maximum number of unsent messages to the agent of a task.
const TASK_MESSAGES_MAX: usize = 16;

const MERGING: &str = "wait until the merge has finished";
const DONE: &str = "request changes to its phase at the gate";

/// Why the state of a task does not allow an action: its state and what to do.
type StateConflict = (&'static str, &'static str);

impl Run {
    /// Returns what a user may do with the run.
    pub fn run_actions(&self) -> Vec<RunAction> {
        let is_allowed = |action: &RunAction| self.check_run_action(*action).is_ok();
        RunAction::ALL.into_iter().filter(is_allowed).collect()
    }

    /// Returns what a user may do with a task; nothing if there is no such task.
    pub fn task_actions(&self, task: &TaskId) -> Vec<TaskAction> {
        let Some(task) = self.find_task(task).filter(|_| self.check_accepts_commands().is_ok()) else {
            return Vec::new();
        };
        let task = self.task(task);
        TaskAction::ALL.into_iter().filter(|action| check_task_action(task, *action).is_ok()).collect()
    }

    /// Returns what a user may do with a session.
    pub fn session_actions(&self, session: SessionId) -> Vec<SessionAction> {
        let session = self.session(session);
        let has_process = session.may_have_process() && session.park_mode() != Some(ParkMode::Cold);
        if has_process { vec![SessionAction::Stop] } else { Vec::new() }
    }

    /// Rejects commands before the start of the run, and those that continue it after its cancellation.
    pub(crate) fn check_accepts_commands(&self) -> Result<(), Rejection> {
        match self.status {
            RunStatus::NotStarted => Err(Rejection::NotStarted),
            RunStatus::Ended(RunOutcome::Cancelled) => Err(Rejection::Cancelled),
            RunStatus::Active | RunStatus::Paused | RunStatus::Ended(_) => Ok(()),
        }
    }

    pub(crate) fn check_run_action(&self, action: RunAction) -> Result<(), Rejection> {
        let (state, hint) = match (action, self.status) {
            (RunAction::Land | RunAction::Clean, RunStatus::NotStarted) => return Err(Rejection::NotStarted),
            (RunAction::Land | RunAction::Clean, _) if !self.settings.has_worktrees => {
                return Err(Rejection::NoWorktrees);
            }
            (RunAction::Land, _) if self.pending_effects.has(&EffectKey::LandRun) => {
                ("already being merged", "wait until that has finished")
            }
            (RunAction::Clean, _) if self.pending_effects.has(&EffectKey::CleanRun) => {
                ("already being cleaned up", "wait until that has finished")
            }
            (RunAction::Land | RunAction::Clean, _) => return Ok(()),
            (RunAction::Pause, RunStatus::Active)
            | (RunAction::Continue, RunStatus::Paused)
            | (RunAction::Cancel, RunStatus::Active | RunStatus::Paused) => return Ok(()),
            (RunAction::Pause, RunStatus::Paused) => {
                ("already paused", "continue it when its agents should work again")
            }
            (RunAction::Pause, RunStatus::NotStarted | RunStatus::Ended(_)) => {
                ("not active", "only active runs can be paused")
            }
            (RunAction::Continue, RunStatus::NotStarted | RunStatus::Active | RunStatus::Ended(_)) => {
                ("not paused", "only paused runs can be continued")
            }
            (RunAction::Cancel, RunStatus::NotStarted | RunStatus::Ended(_)) => {
                ("already finished", "only unfinished runs can be cancelled")
            }
        };
        Err(Rejection::WrongRunState { object: "the run".to_owned(), state, hint })
    }
}

pub(crate) fn check_task_action(task: &Task, action: TaskAction) -> Result<(), Rejection> {
    let stage = task.stage;
    let conflict = match action {
        TaskAction::Pause if is_paused(task) && !stage.is_final() && !stage.is_merging() => {
            Some(("already paused", "continue it when its agent should work again"))
        }
        TaskAction::Pause => closed_conflict(stage, "only unfinished tasks can be paused"),
        TaskAction::Continue => (!is_paused(task))
            .then(|| (stage.label(), "it is not paused: only paused tasks can be continued")),
        TaskAction::Cancel => closed_conflict(stage, "only unfinished tasks can be cancelled"),
        // A failed task can still be skipped, so that its dependents continue.
        TaskAction::Skip if matches!(stage, TaskStage::Failed | TaskStage::Cancelled) => None,
        TaskAction::Skip => closed_conflict(stage, "only tasks that are not done can be skipped"),
        TaskAction::Retry if matches!(stage, TaskStage::Waiting | TaskStage::Ready) => {
            Some(("not started", "wait until it has started"))
        }
        TaskAction::Rewind if has_no_work(task) => {
            Some(("not started", "only started tasks have work to rewind"))
        }
        TaskAction::Retry | TaskAction::Reassign => merged_conflict(stage, DONE),
        TaskAction::Rewind => merged_conflict(stage, "merged work cannot be rewound"),
        TaskAction::Prioritize => {
            stage.is_final().then(|| (stage.label(), "only unfinished tasks have a priority"))
        }
        TaskAction::CreateCheckpoint => {
            (!stage.is_in_progress()).then(|| (stage.label(), "only tasks in progress have work to save"))
        }
        TaskAction::SendMessage => {
            let is_unsent = |input: &&SessionInput| matches!(input, SessionInput::UserMessage { .. });
            let conflict = undeliverable_conflict(stage);
            if conflict.is_none() && task.pending_inputs.iter().filter(is_unsent).count() >= TASK_MESSAGES_MAX
            {
                return Err(Rejection::TooMany {
                    object: "unread messages for the agent",
                    max: TASK_MESSAGES_MAX,
                    hint: "wait until the agent has read some of them",
                });
            }
            conflict
        }
    };
    match conflict {
        None => Ok(()),
        Some((state, hint)) => Err(Rejection::WrongTaskState { task: task.planned.id.clone(), state, hint }),
    }
}

pub(crate) fn is_paused(task: &Task) -> bool {
    task.block_reasons.iter().any(|reason| matches!(reason, BlockReason::Paused { .. }))
}

fn has_no_work(task: &Task) -> bool {
    matches!(task.stage, TaskStage::Waiting | TaskStage::Ready) && task.attempt() == 0
}

/// Conflict of an action on a task that has ended or is being merged.
fn closed_conflict(stage: TaskStage, hint: &'static str) -> Option<StateConflict> {
    if stage.is_merging() {
        return Some((stage.label(), MERGING));
    }
    stage.is_final().then(|| (stage.label(), hint))
}

/// Conflict of an action that starts a task again, whatever its end was, unless its work is merged.
fn merged_conflict(stage: TaskStage, hint: &'static str) -> Option<StateConflict> {
    let has_unmerged_end = matches!(stage, TaskStage::Failed | TaskStage::Cancelled | TaskStage::Skipped);
    if has_unmerged_end { None } else { closed_conflict(stage, hint) }
}

fn undeliverable_conflict(stage: TaskStage) -> Option<StateConflict> {
    let hint = match stage {
        TaskStage::Waiting | TaskStage::Ready | TaskStage::Running(_) | TaskStage::AttemptFailed => {
            return None;
        }
        TaskStage::Done => "request changes to its phase at the gate: no agent works on it",
        TaskStage::Failed | TaskStage::Skipped | TaskStage::Cancelled => {
            "retry it with a hint: no agent works on it"
        }
        TaskStage::Claimed(_)
        | TaskStage::Accepted
        | TaskStage::Checking
        | TaskStage::Checked
        | TaskStage::ChecksFailed
        | TaskStage::Testing
        | TaskStage::Mergeable(_)
        | TaskStage::Merging(_)
        | TaskStage::Conflicted
        | TaskStage::Merged(_) => "wait for the result of its check or merge: no agent works on it",
    };
    Some((stage.label(), hint))
}
