//! The model of a run, built from its events alone: small, slow, and independent of the engine.
//!
//! An event that breaks a rule is a violation.

mod apply_event;
mod calls;
mod evidence;
mod expectation;
mod gates;
mod idle;
mod landing;
mod large_files;
mod overlaps;
mod permitted_messages;
mod plans;
mod questions;
mod resources;
mod sessions;
mod tasks;
mod transitions;

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    AgentName, CheckpointId, CleanupId, EffectId, EscalationId, InvocationId, LandingId, LoopId, OfferId,
    PhaseNumber, QuestionId, RecordedEvent, RequestId, Role, RunSettings, Sequence, SessionId, TaskId,
    TeamMember,
};

pub(crate) use calls::Call;
pub(crate) use gates::{Escalation, Phase};
pub(crate) use questions::{Question, QuestionState, Request};
pub(crate) use sessions::{Session, SessionState};
pub(crate) use tasks::{Stage, Task};

use crate::rule::{Rule, RuleViolation};

/// The state of a run according to its events.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub started: bool,
    pub paused: bool,
    pub ended: bool,
    pub cancelled: bool,
    pub settings: RunSettings,
    pub team: Vec<TeamMember>,
    pub phases: BTreeMap<PhaseNumber, Phase>,
    pub tasks: BTreeMap<TaskId, Task>,
    /// External dependencies that are met.
    pub externals: BTreeSet<String>,
    pub sessions: BTreeMap<SessionId, Session>,
    pub questions: BTreeMap<QuestionId, Question>,
    pub requests: BTreeMap<RequestId, Request>,
    pub calls: BTreeMap<InvocationId, Call>,
    pub escalations: BTreeMap<EscalationId, Escalation>,
    /// Checkpoints with their tasks, and whether they are finished.
    pub checkpoints: BTreeMap<CheckpointId, (TaskId, bool)>,
    /// Effects that were reported as done.
    pub finished: BTreeSet<EffectId>,
    /// Effects that restore the worktree of a task.
    pub restoring: BTreeMap<EffectId, TaskId>,
    /// Effects that failed because the disk is full, also those that were executed again.
    pub postponed: BTreeSet<EffectId>,
    /// Feedback loops with their tasks.
    pub loops: BTreeMap<LoopId, TaskId>,
    /// The task of the current merge.
    pub merging: Option<TaskId>,
    /// The last commit that a merge made.
    pub merged_commit: Option<String>,
    /// The landing that has not finished.
    pub landing: Option<LandingId>,
    /// The cleanup that has not finished.
    pub cleanup: Option<CleanupId>,
    /// The plan change that is offered.
    pub offer: Option<OfferId>,
    /// Pairs of tasks with reported overlaps.
    pub overlaps: BTreeSet<[TaskId; 2]>,
    /// The escalation about missing disk space, and the tasks that wait for it.
    pub disk_shortage: Option<(EscalationId, BTreeSet<TaskId>)>,
    /// Number of the last event.
    pub sequence: Sequence,
    /// Violations since the last call of `take_violations`.
    violations: Vec<RuleViolation>,
}

impl Model {
    /// Applies an event, and checks its number.
    pub(crate) fn apply(&mut self, recorded: &RecordedEvent) {
        if recorded.sequence != self.sequence.next() {
            self.add_violation(Rule::Sequence, format!("{} follows {}", recorded.sequence, self.sequence));
        }
        self.sequence = recorded.sequence;
        self.apply_event(recorded);
    }

    /// Returns the violations since the last call, in their order.
    pub(crate) fn take_violations(&mut self) -> Vec<RuleViolation> {
        std::mem::take(&mut self.violations)
    }

    /// Adds a violation of a rule.
    pub(crate) fn add_violation(&mut self, rule: Rule, how: impl Into<String>) {
        self.violations.push(RuleViolation::new(rule, how));
    }

    /// Returns the role of an agent; `None` if it is not in the team.
    pub(crate) fn agent_role(&self, agent: &AgentName) -> Option<Role> {
        self.team.iter().find(|member| member.name == *agent).map(|member| member.role)
    }

    /// Returns the questions that are with the person.
    pub(crate) fn questions_with_person(&self) -> Vec<QuestionId> {
        let pending = |(id, question): (&QuestionId, &Question)| {
            (question.state == QuestionState::Person).then_some(*id)
        };
        self.questions.iter().filter_map(pending).collect()
    }

    /// Returns the number of questions that the user sees. Equal permission requests are one.
    pub(crate) fn n_cards(&self) -> usize {
        let mut actions = std::collections::BTreeSet::new();
        let with_person = self.questions_with_person();
        let mut is_new = |id: &&QuestionId| {
            let action = self.questions.get(id).and_then(|question| question.action.as_ref());
            action.is_none_or(|(kind, subject)| actions.insert((kind.pattern_name(), subject)))
        };
        with_person.iter().filter(|id| is_new(id)).count()
    }
}
