//! Tasks in the model: who may start, who runs, what they share.

use std::collections::BTreeSet;

use domain::{
    AgentName, BlockReason, EscalationSubject, EscalationType, PlanStatus, PlannedTask, SessionId, TaskId,
};

use super::Model;
use crate::rule::Rule;

/// Where a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It has no live try.
    Waiting,
    /// An agent has it.
    Working,
    /// It is checked or tested.
    Checking,
    /// It is merged, or waits for its turn.
    Merging,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// It is left out.
    Skipped,
    /// It was called off.
    Cancelled,
}

impl Stage {
    /// Tells whether a try lives.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Working | Self::Checking | Self::Merging)
    }

    /// Tells whether whoever waits for it may go on.
    pub fn is_met(self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }

    /// Tells whether it is over.
    pub fn is_over(self) -> bool {
        !self.is_live() && self != Self::Waiting
    }
}

/// One task.
#[derive(Debug, Clone)]
pub struct Task {
    /// What the plan says.
    pub plan: PlannedTask,
    /// The tasks that it waits for.
    pub earlier: BTreeSet<TaskId>,
    /// Where it is.
    pub stage: Stage,
    /// Its last try.
    pub attempt: u32,
    /// The session of that try.
    pub session: Option<SessionId>,
    /// Who does that try.
    pub runner: Option<AgentName>,
    /// Why it does not go on.
    pub reasons: Vec<BlockReason>,
    /// Whether it has a slot.
    pub slot: bool,
    /// Whether the present work has a receipt.
    pub receipt: bool,
    /// Whether a tester let the present work pass.
    pub tested: bool,
    /// Whether somebody let it pass.
    pub waived: bool,
    /// Whether its worktree is being brought back to a checkpoint.
    pub restoring: bool,
    /// The tries that count.
    pub failures: u32,
    /// The tries that do not count because the process was lost.
    pub losses: u32,
    /// Whether the main agent of a thin run asked for it.
    pub requested: bool,
}

/// So many lost processes cost a task nothing.
const LOSSES_MAX: u32 = 3;

impl Task {
    /// Takes a task from the plan.
    pub fn new(plan: PlannedTask) -> Self {
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
            tested: false,
            waived: false,
            restoring: false,
            failures: 0,
            losses: 0,
            requested: false,
        }
    }

    /// The work changes: what was proved of it no longer is.
    pub(super) fn forget_proof(&mut self) {
        self.receipt = false;
        self.tested = false;
        self.waived = false;
    }

    pub(super) fn touches(&self) -> Vec<String> {
        let worktree = self.plan.worktree.iter().map(|name| format!("worktree:{name}"));
        self.plan.touches.iter().cloned().chain(worktree).collect()
    }
}

impl Model {
    /// Returns what a task still waits for before it may start at all.
    pub fn unmet(&self, task: &Task) -> Vec<String> {
        let mut unmet: Vec<String> = Vec::new();
        for earlier in &task.earlier {
            if !self.tasks.get(earlier).is_some_and(|earlier| earlier.stage.is_met()) {
                unmet.push(earlier.to_string());
            }
        }
        unmet.extend(task.plan.external.iter().filter(|name| !self.externals.contains(*name)).cloned());
        unmet
    }

    /// Returns the phases whose gates are not approved and that a task must wait for.
    pub fn gates_before(&self, task: &Task) -> Vec<u32> {
        let after = self.phases.get(&task.plan.phase).map_or(&[][..], |phase| &phase.after);
        let open = |number: &&u32| self.phases.get(*number).is_some_and(|phase| !phase.gate.approved);
        after.iter().filter(open).copied().collect()
    }

    /// Tells whether the run, the task's phase or its worktree waits.
    pub fn is_held(&self, task: &Task) -> bool {
        let phase_waits = self.phases.get(&task.plan.phase).is_some_and(|phase| phase.paused);
        self.paused || phase_waits || self.is_exhausted() || self.lacks_room(task)
    }

    /// Tells whether the time of the whole run is used up, and nobody has allowed more.
    fn is_exhausted(&self) -> bool {
        self.escalations.values().any(|escalation| {
            escalation.open
                && escalation.kind == EscalationType::Timeout
                && escalation.subject == EscalationSubject::Run
        })
    }

    /// A task starts: everything must allow it.
    pub(super) fn start_task(&mut self, id: &TaskId, attempt: u32, agent: &AgentName, session: SessionId) {
        let Some(task) = self.tasks.get(id) else {
            return self.breach(Rule::TaskOrder, format!("{id} starts and is no task"));
        };
        let mut found = Vec::new();
        // One that has begun goes on in another session, whatever happened to what it waited for.
        let goes_on = task.stage.is_live();
        let unmet = self.unmet(task);
        if !unmet.is_empty() && !goes_on {
            found.push((Rule::DependenciesFirst, format!("{id} waits for {}", unmet.join(", "))));
        }
        if task.losses > LOSSES_MAX {
            found.push((Rule::TriesBounded, format!("{id} was lost {} times, uncounted", task.losses)));
        }
        let gates = self.gates_before(task);
        if !gates.is_empty() && !goes_on {
            found.push((Rule::GateFirst, format!("{id} waits for the gates of phases {gates:?}")));
        }
        if attempt != task.attempt + 1 {
            let how = format!("{id}: try {attempt} follows try {} ({:?})", task.attempt, task.stage);
            found.push((Rule::OneAttempt, how));
        }
        if let Some(before) = task.session.filter(|before| self.has_process(*before)) {
            found.push((Rule::OneAttempt, format!("{id}: {session} starts while {before} lives")));
        }
        if task.stage.is_over() {
            found.push((Rule::TaskOrder, format!("{id} starts and is {:?}", task.stage)));
        }
        if !task.reasons.is_empty() || self.is_held(task) || self.ended || self.cancelled {
            found.push((Rule::NotWhilePaused, format!("{id} starts: {:?}", task.reasons)));
        }
        found.extend(self.obstacle(id, Some(agent)));
        for (rule, how) in found {
            self.breach(rule, format!("{id} starts: {how}"));
        }
        if let Some(task) = self.tasks.get_mut(id) {
            task.stage = Stage::Working;
            task.attempt = attempt;
            task.session = Some(session);
            task.runner = Some(agent.clone());
            task.slot = true;
            task.forget_proof();
        }
    }

    /// A blocked task has a slot again.
    pub(super) fn resume_task(&mut self, id: &TaskId, session: SessionId) {
        let Some(task) = self.tasks.get(id) else { return };
        let mut found = Vec::new();
        if !task.stage.is_live() || !task.reasons.is_empty() || task.slot {
            found.push((Rule::TaskOrder, format!("{:?}, blocked by {:?}", task.stage, task.reasons)));
        }
        if self.paused || self.cancelled {
            found.push((Rule::NotWhilePaused, "the run waits".to_owned()));
        }
        if task.session.is_some_and(|before| before != session && self.has_process(before)) {
            found.push((Rule::OneAttempt, format!("{session} goes on while {:?} lives", task.session)));
        }
        found.extend(self.obstacle(id, task.runner.as_ref()));
        for (rule, how) in found {
            self.breach(rule, format!("{id} goes on: {how}"));
        }
        if let Some(task) = self.tasks.get_mut(id) {
            task.slot = true;
            task.session = Some(session);
        }
    }

    /// A task comes to rest: no try lives, no slot is held.
    pub(super) fn rest(&mut self, id: &TaskId, stage: Stage) {
        if let Some(task) = self.tasks.get_mut(id) {
            task.stage = stage;
            task.slot = false;
            if stage.is_over() {
                task.reasons.clear();
            }
        }
        if self.merging.as_ref() == Some(id) && stage != Stage::Merging {
            self.merging = None;
        }
    }

    /// A task is done: with a receipt, where it has a check.
    pub(super) fn finish_task(&mut self, id: &TaskId, proof: domain::CompletionProof) {
        use domain::CompletionProof::{Checked, Unchecked, Waived};
        let Some(task) = self.tasks.get(id) else { return };
        let has_check = self.check_of(task).is_some();
        let holds = match proof {
            Checked if has_check => task.receipt,
            Checked => task.tested,
            Waived => task.waived,
            Unchecked => !has_check,
        };
        if !holds {
            let how = format!("{id} is done, {proof:?}, receipt {}, waived {}", task.receipt, task.waived);
            self.breach(Rule::Receipt, how);
        }
        self.rest(id, Stage::Done);
    }

    /// Returns the command that proves a task.
    pub fn check_of(&self, task: &Task) -> Option<String> {
        let of_phase = || self.phases.get(&task.plan.phase).and_then(|phase| phase.verify.clone());
        task.plan.verify.clone().or_else(of_phase).or_else(|| self.settings.verify.clone())
    }

    /// Tells whether a task waits for itself.
    pub(super) fn in_circle(&self, start: &TaskId) -> bool {
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
