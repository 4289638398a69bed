//! An executor that reports success for every effect, except those that the scenario handles itself.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    CheckpointOutcome, EffectId, GateReport, LandReport, LargeFile, MergeOutcome, ProvisionOutcome, Receipt,
    Report, SessionId, TaskId, Timestamp,
};
use engine::Effect;

pub(crate) struct FakeExecutor {
    /// Names of the effects that the scenario reports itself.
    manual: BTreeSet<&'static str>,
    worktrees: FakeWorktrees,
}

/// The trees of the tasks' worktrees. By default an agent changes a file whenever it prints or ends its turn.
#[derive(Default)]
struct FakeWorktrees {
    are_missing: bool,
    /// Whether agents change only what the scenario says.
    are_unchanged: bool,
    versions: BTreeMap<TaskId, u32>,
    /// Paths and sizes of files above the size limit.
    large_files: BTreeMap<TaskId, BTreeMap<String, u64>>,
    /// The version that each checkpoint has, by its commit.
    checkpoints: BTreeMap<String, u32>,
    tasks: BTreeMap<SessionId, TaskId>,
}

const ALL: [&str; 16] = [
    "SpawnAgent",
    "SendInput",
    "ParkSession",
    "WakeSession",
    "EndSession",
    "RunCheck",
    "Merge",
    "CheckGate",
    "LandPhase",
    "LandRun",
    "CleanRun",
    "StopSession",
    "MakeCheckpoint",
    "RestoreCheckpoint",
    "SavePermissionRule",
    "ProvideResource",
];

impl FakeWorktrees {
    fn version(&self, task: &TaskId) -> u32 {
        self.versions.get(task).copied().unwrap_or_default()
    }
}

impl Default for FakeExecutor {
    /// The scenario decides the outcome of checks.
    fn default() -> Self {
        Self { manual: BTreeSet::from(["RunCheck"]), worktrees: FakeWorktrees::default() }
    }
}

impl FakeExecutor {
    /// Reads a line about the executor, and returns whether it is one.
    pub(crate) fn read_line(&mut self, line: &str) -> bool {
        match line {
            "the executor is slow" => self.manual.extend(ALL),
            "the executor is fast again" => self.manual = Self::default().manual,
            "there are no worktrees" => self.worktrees.are_missing = true,
            "agents change nothing" => self.worktrees.are_unchanged = true,
            "agents change files" => self.worktrees.are_unchanged = false,
            "checks pass automatically" => {
                self.manual.remove("RunCheck");
            }
            "sessions start by hand" => self.manual.extend(["SpawnAgent"]),
            "sessions end by hand" => self.manual.extend(["EndSession"]),
            "inputs are sent by hand" => self.manual.extend(["SendInput"]),
            "resources are provided by hand" => self.manual.extend(["ProvideResource"]),
            "merges are done by hand" => self.manual.extend(["Merge"]),
            "gates are checked by hand" => self.manual.extend(["CheckGate"]),
            "checkpoints are made by hand" => self.manual.extend(["MakeCheckpoint"]),
            "sessions are parked by hand" => self.manual.extend(["ParkSession", "WakeSession"]),
            _ => return false,
        }
        true
    }

    /// Returns whether the executor reports this effect itself.
    pub(crate) fn executes(&self, effect: &Effect) -> bool {
        !self.manual.contains(effect_name(effect))
    }

    pub(crate) fn set_task(&mut self, session: SessionId, task: TaskId) {
        self.worktrees.tasks.insert(session, task);
    }

    /// Changes a file in the worktree of a session's task, unless agents change nothing.
    pub(crate) fn change_by_default(&mut self, session: SessionId) {
        if !self.worktrees.are_unchanged
            && let Some(task) = self.worktrees.tasks.get(&session).cloned()
        {
            self.change_file(task);
        }
    }

    /// Adds a file above the size limit to a worktree, or changes its size.
    pub(crate) fn write_large_file(&mut self, task: TaskId, path: String, bytes: u64) {
        self.worktrees.large_files.entry(task).or_default().insert(path, bytes);
    }

    pub(crate) fn remove_large_file(&mut self, task: &TaskId, path: &str) {
        self.worktrees.large_files.entry(task.clone()).or_default().remove(path);
    }

    pub(crate) fn change_file(&mut self, task: TaskId) {
        *self.worktrees.versions.entry(task).or_default() += 1;
    }

    /// Returns the tree of a task's worktree with these large files, and the other large files.
    pub(crate) fn tree(&self, task: &TaskId, committed: &[LargeFile]) -> (Option<String>, Vec<LargeFile>) {
        let version = self.worktrees.version(task);
        let files = self.worktrees.large_files.get(task).into_iter().flatten();
        let files = files.map(|(path, bytes)| LargeFile { path: path.clone(), bytes: *bytes });
        let (committed, left_out): (Vec<_>, Vec<_>) = files.partition(|file| committed.contains(file));
        let paths: String = committed.iter().map(|file| format!("-with-{}", file.path)).collect();
        let tree = (!self.worktrees.are_missing).then(|| format!("tree-{version}-of-{task}{paths}"));
        (tree, left_out)
    }

    /// Returns the report of a successful effect.
    pub(crate) fn success_report(&mut self, id: EffectId, effect: &Effect, now: Timestamp) -> Report {
        match effect {
            Effect::SpawnAgent(assignment) => {
                let session = &assignment.session;
                Report::SessionStarted { session: *session, agent_session: Some(format!("own-{session}")) }
            }
            Effect::SendInput { session, input, reports_tree, large_files, .. } => {
                let task = self.worktrees.tasks.get(session).filter(|_| *reports_tree);
                let tree = task.and_then(|task| self.tree(task, large_files).0);
                Report::InputSent { session: *session, input: *input, text: None, tree }
            }
            Effect::EndSession { session } => Report::SessionEnded { session: *session, exit_status: None },
            Effect::RunCheck(order) => Report::CheckFinished {
                task: order.task.clone(),
                attempt: order.attempt,
                receipt: check_receipt(&order.command, 0, "all passed", now),
            },
            Effect::Merge(order) => Report::MergeFinished {
                task: order.task.clone(),
                attempt: order.attempt,
                outcome: MergeOutcome::Merged {
                    commit: format!("merge-of-{}", order.task),
                    receipt: None,
                    tree: None,
                    onto: Some(format!("before-{}", order.task)),
                },
            },
            Effect::CheckGate(gate) => Report::GateChecked {
                phase: gate.phase,
                round: gate.round,
                report: GateReport {
                    passed: true,
                    summary: "all passed".to_owned(),
                    ..GateReport::default()
                },
            },
            Effect::MakeCheckpoint { checkpoint, task, large_files, .. } => {
                let (tree, large_files) = self.tree(task, large_files);
                let commit = format!("commit-of-{checkpoint}");
                self.worktrees.checkpoints.insert(commit.clone(), self.worktrees.version(task));
                let outcome = CheckpointOutcome::Made { commit, agent_session: None, tree, large_files };
                Report::CheckpointFinished { checkpoint: *checkpoint, outcome }
            }
            Effect::RestoreCheckpoint { task, commit } => {
                let version = commit.as_ref().and_then(|commit| self.worktrees.checkpoints.get(commit));
                self.worktrees.versions.insert(task.clone(), version.copied().unwrap_or_default());
                Report::EffectFinished { effect: id, error: None }
            }
            Effect::LandRun { landing, .. } => {
                let report = LandReport::AlreadyLanded { branch: "main".to_owned() };
                Report::LandingFinished { landing: *landing, report: Box::new(report) }
            }
            Effect::CleanRun { cleanup, .. } => {
                Report::CleanupFinished { cleanup: *cleanup, report: Box::default(), error: None }
            }
            Effect::ProvideResource(order) => Report::ProvisionFinished {
                effect: id,
                request: order.request,
                outcome: ProvisionOutcome::Provided { provided: order.provided.clone(), detail: None },
            },
            Effect::ParkSession { .. }
            | Effect::WakeSession { .. }
            | Effect::LandPhase { .. }
            | Effect::StopSession { .. }
            | Effect::SavePermissionRule { .. }
            | Effect::TickPlan { .. }
            | Effect::RecordDuration(_)
            | Effect::ReleaseWorktree { .. }
            | Effect::RemoveWorktree { .. } => Report::EffectFinished { effect: id, error: None },
        }
    }
}

pub(crate) fn effect_name(effect: &Effect) -> &'static str {
    match effect {
        Effect::SpawnAgent(_) => "SpawnAgent",
        Effect::SendInput { .. } => "SendInput",
        Effect::ParkSession { .. } => "ParkSession",
        Effect::WakeSession { .. } => "WakeSession",
        Effect::EndSession { .. } => "EndSession",
        Effect::RunCheck(_) => "RunCheck",
        Effect::Merge(_) => "Merge",
        Effect::CheckGate(_) => "CheckGate",
        Effect::LandPhase { .. } => "LandPhase",
        Effect::LandRun { .. } => "LandRun",
        Effect::CleanRun { .. } => "CleanRun",
        Effect::StopSession { .. } => "StopSession",
        Effect::MakeCheckpoint { .. } => "MakeCheckpoint",
        Effect::RestoreCheckpoint { .. } => "RestoreCheckpoint",
        Effect::SavePermissionRule { .. } => "SavePermissionRule",
        Effect::TickPlan { .. } => "TickPlan",
        Effect::RecordDuration(_) => "RecordDuration",
        Effect::ReleaseWorktree { .. } => "ReleaseWorktree",
        Effect::RemoveWorktree { .. } => "RemoveWorktree",
        Effect::ProvideResource(_) => "ProvideResource",
    }
}

pub(crate) fn check_receipt(command: &str, exit_status: i32, output: &str, now: Timestamp) -> Receipt {
    Receipt {
        command: command.to_owned(),
        exit_status: Some(exit_status),
        obstacle: None,
        attempts: 1,
        output_hash: format!("hash-of-{output}"),
        output_tail: output.to_owned(),
        tests: test_reports::parse_output(output.as_bytes(), "").map(Box::new),
        tree: "tree".to_owned(),
        commit: None,
        left_out: None,
        started_at: now,
        finished_at: now,
    }
}
