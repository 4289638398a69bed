//! A run as its events tell it, and nothing else: small, slow, and written without a look at the engine.
//!
//! Whatever an event says that must not be, is a breach. Never asks the engine.

mod calls;
mod gates;
mod idle;
mod overlaps;
mod plans;
mod room;
mod see;
mod sessions;
mod stale;
mod steps;
mod talks;
mod tasks;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    AgentName, CheckpointId, EffectId, EscalationId, InvocationId, LoopId, OfferId, PhaseNumber, QuestionId,
    RecordedEvent, RequestId, Role, RunSettings, Sequence, SessionId, TaskId, TeamMember,
};

pub use calls::Call;
pub use gates::{Escalation, Phase};
pub use sessions::{Life, Session};
pub use talks::{Question, Request, Standing};
pub use tasks::{Stage, Task};

use crate::rule::{Breach, Rule};

/// What the events of a run say so far.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Whether it began.
    pub started: bool,
    /// Whether it waits.
    pub paused: bool,
    /// Whether it came to its end.
    pub ended: bool,
    /// Whether it was called off.
    pub cancelled: bool,
    /// How it behaves.
    pub settings: RunSettings,
    /// By whom it is done.
    pub team: Vec<TeamMember>,
    /// The phases, by number.
    pub phases: BTreeMap<PhaseNumber, Phase>,
    /// The tasks, by id.
    pub tasks: BTreeMap<TaskId, Task>,
    /// What is there of what tasks wait for outside of the plan.
    pub externals: BTreeSet<String>,
    /// The sessions.
    pub sessions: BTreeMap<SessionId, Session>,
    /// The questions.
    pub questions: BTreeMap<QuestionId, Question>,
    /// The requests.
    pub requests: BTreeMap<RequestId, Request>,
    /// The calls.
    pub calls: BTreeMap<InvocationId, Call>,
    /// The escalations.
    pub escalations: BTreeMap<EscalationId, Escalation>,
    /// The checkpoints, and whether they are finished.
    pub checkpoints: BTreeMap<CheckpointId, (TaskId, bool)>,
    /// The effects that were reported as done.
    pub finished: BTreeSet<EffectId>,
    /// Worktrees that are brought back to a checkpoint.
    pub restoring: BTreeMap<EffectId, TaskId>,
    /// The rounds of testing, by whose task they are.
    pub loops: BTreeMap<LoopId, TaskId>,
    /// The task that is being merged.
    pub merging: Option<TaskId>,
    /// The change of the plan that may be taken.
    pub offer: Option<OfferId>,
    /// The pairs of tasks that are said to have changed the same files.
    pub overlaps: BTreeSet<[TaskId; 2]>,
    /// The problem that there is no room for worktrees, and the tasks that wait for some.
    pub no_room: Option<(EscalationId, BTreeSet<TaskId>)>,
    /// The last event.
    pub sequence: Sequence,
    /// What was broken since somebody last asked.
    breaches: Vec<Breach>,
}

impl Model {
    /// Takes in an event.
    pub fn take(&mut self, recorded: &RecordedEvent) {
        if recorded.sequence != self.sequence.next() {
            self.breach(Rule::Sequence, format!("{} follows {}", recorded.sequence, self.sequence));
        }
        self.sequence = recorded.sequence;
        self.see(recorded);
    }

    /// Returns what was broken since the last time, the first first.
    pub fn breaches(&mut self) -> Vec<Breach> {
        std::mem::take(&mut self.breaches)
    }

    /// Notes what must not be.
    pub fn breach(&mut self, rule: Rule, how: impl Into<String>) {
        self.breaches.push(Breach::new(rule, how));
    }

    /// Returns what an agent is in the team for.
    pub fn role(&self, agent: &AgentName) -> Option<Role> {
        self.team.iter().find(|member| member.name == *agent).map(|member| member.role)
    }

    /// Returns the questions that wait for the person.
    pub fn pending(&self) -> Vec<QuestionId> {
        let pending =
            |(id, question): (&QuestionId, &Question)| (question.standing == Standing::Person).then_some(*id);
        self.questions.iter().filter_map(pending).collect()
    }
}
