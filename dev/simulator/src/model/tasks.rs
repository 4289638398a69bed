//! Tasks: their stages, when they may start, and their proof.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    AgentName, BlockReason, EscalationSubject, EscalationType, LargeFile, LargeFileDecision, PlanStatus,
    PlannedTask, SessionId, TaskId,
};

use super::{Model, evidence::Round};
use crate::rule::Rule;

/// The stage of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Without a live attempt.
    Waiting,
    /// An agent works on it.
    Working,
    /// Being checked or tested.
    Checking,
    /// Being merged, or in the merge queue.
    Merging,
    Done,
    Failed,
    Skipped,
    Cancelled,
}

impl Stage {
    /// Tells whether it has a live attempt.
    pub(crate) fn is_live(self) -> bool {
        matches!(self, Self::Working | Self::Checking | Self::Merging)
    }

    /// Tells whether tasks that depend on it may start.
    pub(crate) fn is_met(self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }

    /// Tells whether it has ended.
    pub(crate) fn has_ended(self) -> bool {
        !self.is_live() && self != Self::Waiting
    }
}

/// A task with its plan and its attempt.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub plan: PlannedTask,
    /// The tasks that it depends on.
    pub earlier: BTreeSet<TaskId>,
    pub stage: Stage,
    /// Number of its last attempt.
    pub attempt: u32,
    /// The session of its last attempt.
    pub session: Option<SessionId>,
    /// The agent of its last attempt.
    pub runner: Option<AgentName>,
    /// The reasons that block it.
    pub reasons: Vec<BlockReason>,
    /// Whether it occupies a slot.
    pub slot: bool,
    /// Whether the current work has a receipt.
    pub receipt: bool,
    /// The commit that passed the check since the last claim.
    pub checked_commit: Option<String>,
    /// Whether the last check or merge of the current work could not run its command.
    pub has_unrun_check: bool,
    /// Whether a tester accepted the current work.
    pub tested: bool,
    /// Whether its check was waived.
    pub waived: bool,
    /// Whether the wait for the end of a turn took too long, since its last check or merge.
    pub turn_wait_expired: bool,
    /// Whether its worktree is being restored to a checkpoint.
    pub restoring: bool,
    pub round: Round,
    /// Files above the size limit that its last checkpoint does not have.
    pub large_files: Vec<LargeFile>,
    /// What users decided about such files.
    pub file_decisions: BTreeMap<LargeFile, LargeFileDecision>,
    /// Number of failed attempts that count.
    pub failures: u32,
    /// Number of attempts that do not count because the process was lost.
    pub losses: u32,
    /// Whether the main agent of a thin run requested it.
    pub requested: bool,
    /// Number of messages of users since its agent received one.
    pub n_unread_messages: usize,
}

/// Maximum number of messages of users that wait for the agent of a task.
const UNREAD_MESSAGES_MAX: usize = 16;

/// Maximum number of lost processes that do not count as failures.
const LOSSES_MAX: u32 = 3;

impl Task {
    /// Creates a task from its plan.
    pub(crate) fn new(plan: PlannedTask) -> Self {
        let stage = match plan.plan_status {
            PlanStatus::Open => Stage::Waiting,
            PlanStatus::Done => Stage::Done,
            PlanStatus::Skipped => Stage::Skipped,
        };
        Self {
            earlier: plan.depends_on.iter().cloned().collect(),
            plan,
            stage,
            attempt: 0,
            session: None,
            runner: None,
            reasons: Vec::new(),
            slot: false,
            receipt: false,
            checked_commit: None,
            has_unrun_check: false,
            tested: false,
            waived: false,
            turn_wait_expired: false,
            restoring: false,
            round: Round::default(),
            large_files: Vec::new(),
            file_decisions: BTreeMap::new(),
            failures: 0,
            losses: 0,
            requested: false,
            n_unread_messages: 0,
        }
    }

    /// Removes the proof, because the work changes.
    pub(super) fn reset_proof(&mut self) {
        self.receipt = false;
        self.has_unrun_check = false;
        self.tested = false;
        self.waived = false;
    }

    pub(super) fn touched_paths(&self) -> Vec<String> {
        let worktree = self.plan.worktree.iter().map(|name| format!("worktree:{name}"));
        self.plan.touches.iter().cloned().chain(worktree).collect()
    }
}

impl Model {
    /// Returns the dependencies of a task that are not met.
    pub(crate) fn unmet_dependencies(&self, task: &Task) -> Vec<String> {
        let mut unmet: Vec<String> = Vec::new();
        for earlier in &task.earlier {
            if !self.tasks.get(earlier).is_some_and(|earlier| earlier.stage.is_met()) {
                unmet.push(earlier.to_string());
            }
        }
        unmet.extend(task.plan.external.iter().filter(|name| !self.externals.contains(*name)).cloned());
        unmet
    }

    /// Returns the earlier phases of a task whose gates are not approved.
    pub(crate) fn unapproved_phases_before(&self, task: &Task) -> Vec<u32> {
        let after = self.phases.get(&task.plan.phase).map_or(&[][..], |phase| &phase.after);
        let open = |number: &&u32| self.phases.get(*number).is_some_and(|phase| !phase.gate.approved);
        after.iter().filter(open).copied().collect()
    }

    /// Tells whether a task must wait for its run, its phase or disk space.
    pub(crate) fn must_wait(&self, task: &Task) -> bool {
        let is_phase_paused = self.phases.get(&task.plan.phase).is_some_and(|phase| phase.paused);
        self.paused || is_phase_paused || self.is_start_withheld() || self.lacks_disk(task)
    }

    /// Tells whether the time limit of the run is exceeded, or another program moved a ref.
    fn is_start_withheld(&self) -> bool {
        self.escalations.values().any(|escalation| {
            let is_time_limit =
                escalation.kind == EscalationType::Timeout && escalation.subject == EscalationSubject::Run;
            escalation.open && (is_time_limit || escalation.withholds_starts)
        })
    }

    /// Starts a task, and checks every rule about it.
    pub(super) fn start_task(&mut self, id: &TaskId, attempt: u32, agent: &AgentName, session: SessionId) {
        let Some(task) = self.tasks.get(id) else {
            return self.add_violation(Rule::TaskOrder, format!("{id} starts and is not a task"));
        };
        let mut violations = Vec::new();
        // A live task continues in another session, whatever happened to its dependencies.
        let continues = task.stage.is_live();
        let unmet = self.unmet_dependencies(task);
        if !unmet.is_empty() && !continues {
            violations.push((Rule::DependenciesFirst, format!("{id} waits for {}", unmet.join(", "))));
        }
        if task.losses > LOSSES_MAX {
            violations.push((
                Rule::AttemptsBounded,
                format!("{id} was lost {} times without counting", task.losses),
            ));
        }
        let gates = self.unapproved_phases_before(task);
        if !gates.is_empty() && !continues {
            violations.push((Rule::GateFirst, format!("{id} waits for the gates of phases {gates:?}")));
        }
        if attempt != task.attempt + 1 {
            let how = format!("{id}: attempt {attempt} follows attempt {} ({:?})", task.attempt, task.stage);
            violations.push((Rule::OneAttempt, how));
        }
        if let Some(before) = task.session.filter(|before| self.is_session_open(*before)) {
            violations
                .push((Rule::OneAttempt, format!("{id}: {session} starts while {before} has a process")));
        }
        if task.stage.has_ended() {
            violations.push((Rule::TaskOrder, format!("{id} starts and is {:?}", task.stage)));
        }
        if !task.reasons.is_empty() || self.must_wait(task) || self.ended || self.cancelled {
            violations.push((Rule::NotWhilePaused, format!("{id} starts: {:?}", task.reasons)));
        }
        violations.extend(self.missing_resource(id, Some(agent)));
        for (rule, how) in violations {
            self.add_violation(rule, format!("{id} starts: {how}"));
        }
        if let Some(task) = self.tasks.get_mut(id) {
            task.stage = Stage::Working;
            task.attempt = attempt;
            task.session = Some(session);
            task.runner = Some(agent.clone());
            task.slot = true;
            task.reset_proof();
        }
    }

    /// Adds a message of a user that waits for the agent of a task.
    pub(super) fn add_task_message(&mut self, id: &TaskId) {
        self.update_task(id, |task| task.n_unread_messages += 1);
        let n_unread = self.tasks.get(id).map_or(0, |task| task.n_unread_messages);
        if n_unread > UNREAD_MESSAGES_MAX {
            self.add_violation(
                Rule::QueuesBounded,
                format!("{n_unread} messages wait for the agent of {id}"),
            );
        }
    }

    /// Gives a slot to a task that was blocked.
    pub(super) fn resume_task(&mut self, id: &TaskId, session: SessionId) {
        let Some(task) = self.tasks.get(id) else { return };
        let mut violations = Vec::new();
        if !task.stage.is_live() || !task.reasons.is_empty() || task.slot {
            violations.push((Rule::TaskOrder, format!("{:?}, blocked by {:?}", task.stage, task.reasons)));
        }
        if self.paused || self.cancelled {
            violations.push((Rule::NotWhilePaused, "the run is paused".to_owned()));
        }
        if task.session.is_some_and(|before| before != session && self.is_session_open(before)) {
            violations.push((
                Rule::OneAttempt,
                format!("{session} continues while {:?} has a process", task.session),
            ));
        }
        violations.extend(self.missing_resource(id, task.runner.as_ref()));
        for (rule, how) in violations {
            self.add_violation(rule, format!("{id} continues: {how}"));
        }
        if let Some(task) = self.tasks.get_mut(id) {
            task.slot = true;
            task.session = Some(session);
        }
    }

    /// Ends the attempt of a task, and frees its slot.
    pub(super) fn end_attempt(&mut self, id: &TaskId, stage: Stage) {
        if let Some(task) = self.tasks.get_mut(id) {
            task.stage = stage;
            task.slot = false;
            if stage.has_ended() {
                task.reasons.clear();
            }
        }
        if self.merging.as_ref() == Some(id) && stage != Stage::Merging {
            self.merging = None;
        }
    }

    /// Ends a task as done; with a check it needs a receipt.
    pub(super) fn finish_task(&mut self, id: &TaskId, proof: domain::CompletionProof) {
        use domain::CompletionProof::{Checked, Unchecked, Waived};
        let Some(task) = self.tasks.get(id) else { return };
        let has_check = self.check_of_task(task).is_some();
        let holds = match proof {
            Checked if has_check => task.receipt,
            Checked => task.tested,
            Waived => task.waived,
            Unchecked => !has_check,
        };
        if !holds {
            let how = format!("{id} is done, {proof:?}, receipt {}, waived {}", task.receipt, task.waived);
            self.add_violation(Rule::Receipt, how);
        }
        self.end_attempt(id, Stage::Done);
    }

    /// Returns the check command of a task.
    pub(crate) fn check_of_task(&self, task: &Task) -> Option<String> {
        let of_phase = || self.phases.get(&task.plan.phase).and_then(|phase| phase.verify.clone());
        task.plan.verify.clone().or_else(of_phase).or_else(|| self.settings.verify.clone())
    }

    /// Tells whether a task depends on itself.
    pub(super) fn is_in_cycle(&self, start: &TaskId) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&TaskId> =
            self.tasks.get(start).into_iter().flat_map(|task| &task.earlier).collect();
        while let Some(id) = open.pop() {
            if id == start {
                return true;
            }
            if seen.insert(id) {
                open.extend(self.tasks.get(id).into_iter().flat_map(|task| &task.earlier));
            }
        }
        false
    }
}
