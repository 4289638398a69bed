//! Everything comes to rest without people: then all that does not move must wait for somebody, and say for whom.

use domain::{BlockReason, EscalationLevel, TaskId};

use crate::{
    model::{Stage, Standing, Task},
    rule::{Breach, Rule},
    simulation::Simulation,
    world::Awake,
};

/// A run that goes on for longer without people is looked at when it ends.
const STEPS_MAX: u64 = 1_500;

impl Simulation<'_> {
    /// Lets the world come to rest, and asks whom everything waits for.
    pub(crate) fn come_to_rest(&mut self) -> Result<(), Breach> {
        self.trace.note("people go home, and the world comes to rest");
        self.temper.crash_once_in = 0;
        self.world.forget_wishes();
        // A main agent asks what is next for ever.
        let is_thin = self.model.settings.mode == domain::OrchestrationMode::Thin;
        let last = self.step + if is_thin { STEPS_MAX / 10 } else { STEPS_MAX };
        while self.world.is_busy() {
            if self.step > last {
                return Ok(());
            }
            self.happen()?;
        }
        if self.model.paused || self.model.ended || self.model.cancelled {
            return Ok(());
        }
        let tasks = self.model.tasks.iter().map(|(id, task)| self.task_waits(id, task));
        let phases = self.model.phases.keys().map(|number| self.gate_waits(*number));
        let others = [self.questions_wait(), self.effects_wait()];
        match tasks.chain(phases).chain(others).flatten().next() {
            Some(how) => Err(Breach::new(Rule::WaitsForSomebody, how)),
            None => Ok(()),
        }
    }

    /// Says what is wrong with a task that does not move.
    fn task_waits(&self, id: &TaskId, task: &Task) -> Option<String> {
        if let Some(reason) = task.reasons.iter().find(|reason| !self.is_open(reason)) {
            return Some(format!("{id} waits for {reason:?}, which is over"));
        }
        if !task.reasons.is_empty() || self.model.is_held(task) {
            return None;
        }
        let session = task.session.filter(|_| task.slot)?;
        match task.stage {
            Stage::Working if !self.is_at_work(session) => Some(format!("nobody works at {id} in {session}")),
            Stage::Checking if !self.is_checked(id) => Some(format!("nobody checks {id}")),
            Stage::Merging if self.model.merging.is_none() => Some(format!("nobody merges {id}")),
            _ => None,
        }
    }

    /// Tells whether what blocks a task can still go away.
    fn is_open(&self, reason: &BlockReason) -> bool {
        let model = &self.model;
        match reason {
            BlockReason::Question { question } => {
                model.questions.get(question).is_some_and(|question| question.standing.is_open())
            }
            BlockReason::Request { request } => model.requests.get(request).is_some_and(|known| known.open),
            BlockReason::Invocation { invocation } => {
                model.calls.get(invocation).is_some_and(|call| call.open)
            }
            BlockReason::Approval { phase } => {
                model.phases.get(phase).is_some_and(|phase| !phase.gate.approved)
            }
            BlockReason::Escalated { escalation } => {
                model.escalations.get(escalation).is_some_and(|known| known.open)
            }
            BlockReason::RateLimited { .. } => self.run.next_deadline().is_some(),
            BlockReason::Paused { .. } => true,
        }
    }

    /// Tells whether a process is there that has something to do, or sits there until its time is over.
    fn is_at_work(&self, session: domain::SessionId) -> bool {
        self.world.process(session).is_some_and(|process| match process.awake {
            Awake::Yes => process.hangs,
            Awake::Unborn => true,
            Awake::Parked | Awake::Dead => false,
        })
    }

    /// A check that is under way has an effect, a test an agent.
    fn is_checked(&self, id: &TaskId) -> bool {
        let tests = |session: &crate::model::Session| {
            session.task.as_ref() == Some(id) && session.role == domain::Role::Tester
        };
        let mut testers = self.model.sessions.iter().filter(|(_, session)| tests(session));
        testers.any(|(tester, _)| self.is_at_work(*tester))
    }

    /// Says what is wrong with a phase whose tasks are all done and that does not pass.
    fn gate_waits(&self, number: u32) -> Option<String> {
        let phase = self.model.phases.get(&number)?;
        let mut tasks = self.model.tasks.values().filter(|task| task.plan.phase == number);
        let rests = |task: &Task| {
            let marked = task.reasons.iter().all(|reason| matches!(reason, BlockReason::Approval { .. }));
            task.stage.is_met() || (marked && !task.reasons.is_empty())
        };
        let before = phase.after.iter().filter_map(|before| self.model.phases.get(before));
        let is_due = tasks.all(rests) && before.into_iter().all(|before| before.gate.approved);
        let gate = &phase.gate;
        let judged = gate.judge.is_some_and(|judge| self.is_at_work(judge));
        let escalated = self.model.escalations.values().any(|escalation| {
            escalation.open && escalation.subject == domain::EscalationSubject::Phase { phase: number }
        });
        let explained =
            gate.approved || gate.passed || judged || escalated || phase.paused || phase.cancelled;
        (is_due && !explained).then(|| format!("phase {number} is done and nobody has its gate: {gate:?}"))
    }

    /// Says what is wrong with a question or an escalation that nobody has.
    fn questions_wait(&self) -> Option<String> {
        let asked = self.model.questions.iter().find(|(_, question)| question.standing == Standing::Asked);
        let behind = |session| {
            let open = self.model.questions.values().filter(|question| question.standing.is_open());
            open.filter(|question| question.session == session).count() > 1
        };
        if let Some((id, _)) = asked.filter(|(_, question)| !behind(question.session)) {
            return Some(format!("{id} is asked, and nobody has it"));
        }
        let low = self.model.escalations.iter().find(|(_, escalation)| {
            escalation.open
                && escalation.level != EscalationLevel::Person
                && escalation.session.is_none_or(|session| !self.model.lives(session))
        });
        low.map(|(id, escalation)| format!("{id} is at {:?}, and nobody has it", escalation.level))
    }

    /// Says which effect the world has done, and said so, and that is still asked for.
    fn effects_wait(&self) -> Option<String> {
        let outstanding = self.run.outstanding();
        let left = outstanding.into_iter().find(|(id, effect)| !self.world.is_under_way(*id, effect));
        left.map(|left| format!("{left:?} was reported, and is still asked for"))
    }
}
