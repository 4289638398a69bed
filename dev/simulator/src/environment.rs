//! The simulated environment of the engine: processes, git, checks and time.
//!
//! It stores which effects it has executed, so that each is executed once, and loses what a crash loses.

mod behaviour;
mod effects;
mod process;
mod spool;

use std::collections::BTreeMap;

use domain::{EffectId, LargeFile, Report, SessionId, TaskId, Timestamp};

pub(crate) use process::{Process, ProcessState};
pub(crate) use spool::OutputItem;

use engine::Effect;

use crate::random::Random;

/// The start time of every simulated run.
const START_MS: i64 = 1_700_000_000_000;

/// An event outside of the engine that is scheduled for a time.
#[derive(Debug, Clone)]
pub(crate) enum ScheduledEvent {
    /// The outcome of an effect is reported.
    Report(Box<Report>),
    /// An agent does its next action.
    Output(SessionId),
    /// The next item of an agent's output is read.
    Read(SessionId),
    /// The next input of a session is typed.
    TypeInput(SessionId),
    /// A user sends a command.
    UserCommand,
    /// A user sends many messages to the agent of a task at once.
    ManyMessages,
    /// The plan file is changed.
    PlanEdit,
    /// A user lands the run, cleans it up or stops a session.
    ProjectCommand,
    /// The clock jumps.
    ClockJump,
}

/// Everything outside of the engine.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    /// Time since the start of the run.
    elapsed_ms: i64,
    /// Error of the clock.
    skew_ms: i64,
    queue: BTreeMap<(i64, u64), ScheduledEvent>,
    order: u64,
    processes: BTreeMap<SessionId, Process>,
    /// Content of the worktree of each task: the number of the last change.
    contents: BTreeMap<TaskId, u32>,
    /// Number of changes in all worktrees.
    n_changes: u32,
    /// Content of checkpoints by their commits.
    checkpoints: BTreeMap<String, u32>,
    /// Files above the size limit in the worktree of each task.
    large_files: BTreeMap<TaskId, LargeFile>,
    /// Executed effects with their reports; `None` if there is no report.
    executed: BTreeMap<EffectId, Option<Report>>,
    /// Whether there are no more faults.
    is_faultless: bool,
    random: Random,
    /// Random numbers for sessions without disk space for a worktree; `None` if there is always space.
    disk_random: Option<Random>,
}

impl Environment {
    /// Creates the environment at the start of a run.
    pub(crate) fn new(random: Random, disk_random: Option<Random>) -> Self {
        Self {
            elapsed_ms: 0,
            skew_ms: 0,
            queue: BTreeMap::new(),
            order: 0,
            processes: BTreeMap::new(),
            contents: BTreeMap::new(),
            n_changes: 0,
            checkpoints: BTreeMap::new(),
            large_files: BTreeMap::new(),
            executed: BTreeMap::new(),
            is_faultless: false,
            random,
            disk_random,
        }
    }

    /// Returns the time of the clock, including its error.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp(START_MS + self.elapsed_ms + self.skew_ms)
    }

    /// Returns the time since the start of the run.
    pub(crate) fn elapsed_ms(&self) -> i64 {
        self.elapsed_ms
    }

    /// Schedules an event.
    pub(crate) fn schedule(&mut self, delay_ms: i64, event: ScheduledEvent) {
        self.order += 1;
        self.queue.insert((self.elapsed_ms + delay_ms.max(0), self.order), event);
    }

    /// Tells whether a deadline is before all scheduled events.
    pub(crate) fn is_deadline_next(&self, deadline: Timestamp) -> bool {
        let at_ms = self.elapsed_at(deadline);
        self.queue.first_key_value().is_none_or(|((next, _), _)| at_ms <= *next)
    }

    /// Advances the time to a deadline.
    pub(crate) fn wait_until(&mut self, deadline: Timestamp) {
        self.elapsed_ms = self.elapsed_ms.max(self.elapsed_at(deadline));
    }

    /// Advances the time to the next scheduled event and returns it.
    pub(crate) fn next_event(&mut self) -> Option<ScheduledEvent> {
        let ((at_ms, _), event) = self.queue.pop_first()?;
        self.elapsed_ms = self.elapsed_ms.max(at_ms);
        Some(event)
    }

    /// Moves the clock forwards or backwards.
    pub(crate) fn jump_clock(&mut self) -> i64 {
        let by_ms = self.random.seconds_as_ms(1, 7_200);
        let by_ms = if self.random.once_in(2) { by_ms } else { -by_ms };
        self.skew_ms += by_ms;
        by_ms
    }

    /// Ends all faults; agents that hang continue.
    pub(crate) fn stop_faults(&mut self) {
        self.is_faultless = true;
        let sessions: Vec<SessionId> = self.processes.keys().copied().collect();
        for session in sessions {
            self.resume_hung_process(session);
        }
    }

    /// Removes user commands, plan edits and clock jumps from the schedule.
    pub(crate) fn stop_user_commands(&mut self) {
        self.queue.retain(|_, event| {
            !matches!(
                event,
                ScheduledEvent::UserCommand
                    | ScheduledEvent::ManyMessages
                    | ScheduledEvent::PlanEdit
                    | ScheduledEvent::ProjectCommand
                    | ScheduledEvent::ClockJump
            )
        });
    }

    /// Tells whether an event is scheduled.
    pub(crate) fn has_scheduled_events(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Returns the process of a session.
    pub(crate) fn process_of_session(&self, session: SessionId) -> Option<&Process> {
        self.processes.get(&session)
    }

    /// Tells whether an effect is not executed yet, or will not be reported by itself.
    pub(crate) fn may_stay_unreported(&self, id: EffectId, effect: &Effect) -> bool {
        match effect {
            Effect::SendInput { .. } => self.is_reported_later(effect),
            // Its end is reported with its output.
            Effect::EndSession { .. } => false,
            Effect::SpawnAgent(_)
            | Effect::ParkSession { .. }
            | Effect::WakeSession { .. }
            | Effect::RunCheck(_)
            | Effect::Merge(_)
            | Effect::CheckGate(_)
            | Effect::LandPhase { .. }
            | Effect::LandRun { .. }
            | Effect::CleanRun { .. }
            | Effect::StopSession { .. }
            | Effect::MakeCheckpoint { .. }
            | Effect::RestoreCheckpoint { .. }
            | Effect::SavePermissionRule { .. }
            | Effect::TickPlan { .. }
            | Effect::RecordDuration(_)
            | Effect::ReleaseWorktree { .. }
            | Effect::RemoveWorktree { .. }
            | Effect::ProvideResource(_) => self.executed.get(&id).is_some_and(Option::is_none),
        }
    }

    /// Returns the number of the last change in a task's worktree.
    fn content(&self, task: &TaskId) -> u32 {
        self.contents.get(task).copied().unwrap_or_default()
    }

    /// Changes a file in a task's worktree. Some agents also leave a large file there, change or remove it.
    fn change_file(&mut self, task: TaskId) {
        self.n_changes += 1;
        self.contents.insert(task.clone(), self.n_changes);
        if self.is_faultless || !self.random.once_in(12) {
            return;
        }
        if self.random.once_in(3) {
            self.large_files.remove(&task);
        } else {
            let bytes = u64::from(self.n_changes) << 24;
            self.large_files.insert(task, LargeFile { path: "data.bin".to_owned(), bytes });
        }
    }

    /// Returns the tree of a task's worktree with these large files, and the large files that it does not have.
    fn tree(&self, task: &TaskId, committed: &[LargeFile]) -> (String, Vec<LargeFile>) {
        let tree = format!("tree-{}", self.content(task));
        match self.large_files.get(task) {
            None => (tree, Vec::new()),
            Some(file) if committed.contains(file) => (format!("{tree}-with-{}", file.bytes), Vec::new()),
            Some(file) => (tree, vec![file.clone()]),
        }
    }

    fn elapsed_at(&self, deadline: Timestamp) -> i64 {
        deadline.0.saturating_sub(START_MS).saturating_sub(self.skew_ms)
    }
}
