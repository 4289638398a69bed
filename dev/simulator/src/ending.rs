//! How an imagined run ends: everything settles, then everybody does their part, then it must come to an end.

use domain::{
    Actor, BlockReason, Command, EscalationLevel, EscalationSubject, EscalationType, OrchestrationMode, Role,
    SessionId,
};

use crate::{
    model::{Life, Session, Standing, Task},
    people,
    rule::{Breach, Rule},
    simulation::Simulation,
    world::Awake,
};

/// So many commands are enough for a run in which everybody does their part.
const KIND_STEPS_MAX: u64 = 6_000;

/// People try so often in vain before nothing can be done.
const QUIET_MAX: u32 = 30;

impl Simulation<'_> {
    /// Lets everybody do their part until the run is over.
    pub(crate) fn come_to_an_end(&mut self) -> Result<(), Breach> {
        self.trace.note("from here on everybody does their part");
        self.world.be_kind();
        let last = self.step + KIND_STEPS_MAX;
        let mut quiet = 0;
        while !self.model.ended && !self.model.cancelled {
            if self.step > last {
                return Err(Breach::new(Rule::ComesToAnEnd, self.open_ends()));
            }
            let moved = self.happen()?;
            if !moved {
                self.world.be_kind();
            }
            if !moved && let Some(main) = self.silent_main() {
                self.world.prompt_main(main);
            }
            if !moved && self.waits_for_main() {
                return Ok(());
            }
            // People look when nothing else is to be done, and now and then.
            if !moved || self.step.is_multiple_of(5) {
                let before = self.log.len();
                self.do_duties()?;
                if !moved && self.model.settings.mode == OrchestrationMode::Thin {
                    // A main agent that ended its turn asks again what is next when somebody tells it to.
                    let text = "go on".to_owned();
                    self.give(&Actor::Person("ana".to_owned()), Command::Chat { text, talk_only: false })?;
                }
                quiet = if moved || self.log.len() > before { 0 } else { quiet + 1 };
                if quiet > QUIET_MAX {
                    return Err(self.stuck());
                }
            }
        }
        self.settle()?;
        self.compare()
    }

    fn do_duties(&mut self) -> Result<(), Breach> {
        let person = Actor::Person("ana".to_owned());
        for command in people::release(&self.model) {
            self.give(&person, command)?;
        }
        if let Some(command) = people::duty(&mut self.random, &self.model) {
            self.give(&person, command)?;
        }
        Ok(())
    }

    /// After the end everything that was ordered comes to an end too.
    fn settle(&mut self) -> Result<(), Breach> {
        let last = self.step + KIND_STEPS_MAX;
        while self.step < last && self.world.is_busy() && self.happen()? {}
        let left: Vec<_> = self
            .run
            .outstanding()
            .into_iter()
            .filter(|(id, effect)| !self.world.is_under_way(*id, effect))
            .collect();
        match left.first() {
            Some(effect) => Err(Breach::new(Rule::EffectEnds, format!("{effect:?} is still to be done"))),
            None => Ok(()),
        }
    }

    /// A thin run whose main agent is gone waits for somebody to start another.
    fn waits_for_main(&self) -> bool {
        let lives = self.model.sessions.iter().any(|(id, session)| {
            session.role == Role::Orchestrator
                && session.life != Life::Over
                && self.world.process(*id).is_some_and(|process| process.awake != Awake::Dead)
        });
        self.model.settings.mode == OrchestrationMode::Thin && !lives
    }

    /// Returns the main agent that people were told of: it says nothing, and somebody looks after it.
    fn silent_main(&self) -> Option<SessionId> {
        let is_told = self.model.escalations.values().any(|escalation| {
            let is_about_run =
                escalation.subject == EscalationSubject::Run && escalation.kind == EscalationType::Blocked;
            is_about_run && escalation.open && escalation.level == EscalationLevel::Person
        });
        let lives = |session: &Session| session.role == Role::Orchestrator && session.life != Life::Over;
        let mains = self.model.sessions.iter().filter(|(_, session)| lives(session));
        mains
            .map(|(id, _)| *id)
            .next_back()
            .filter(|_| is_told && self.model.settings.mode == OrchestrationMode::Thin)
    }

    fn stuck(&self) -> Breach {
        Breach::new(Rule::WaitsForSomebody, self.open_ends())
    }

    /// Says what is not over, for people.
    fn open_ends(&self) -> String {
        self.list_open_ends().join("; ")
    }

    /// Writes down what is not over.
    pub(crate) fn tell_open_ends(&mut self) {
        for end in self.list_open_ends() {
            self.trace.note(&end);
        }
    }

    fn list_open_ends(&self) -> Vec<String> {
        let model = &self.model;
        let mut ends = Vec::new();
        for (id, task) in model.tasks.iter().filter(|(_, task)| !task.stage.is_over()) {
            let engine = self.run.task_state(id);
            ends.push(format!("{id} {:?} {}, to the engine {engine:?}", task.stage, self.why(task)));
        }
        for (id, question) in model.questions.iter().filter(|(_, question)| question.standing.is_open()) {
            let with = if question.standing == Standing::Person { "person" } else { "orchestrator" };
            ends.push(format!("{id} with the {with}"));
        }
        ends.extend(model.requests.iter().filter(|(_, request)| request.open).map(|(id, _)| id.to_string()));
        let escalated = model.escalations.iter().filter(|(_, escalation)| escalation.open);
        ends.extend(
            escalated.map(|(id, escalation)| format!("{id} {:?} at {:?}", escalation.kind, escalation.level)),
        );
        for (number, phase) in model.phases.iter().filter(|(_, phase)| !phase.gate.approved) {
            ends.push(format!("phase {number} {:?}", phase.gate));
        }
        ends.push(format!("deadline {:?}", self.run.next_deadline()));
        ends
    }

    fn why(&self, task: &Task) -> String {
        let unmet = self.model.unmet(task);
        let gates = self.model.gates_before(task);
        let session = task.session.and_then(|session| self.model.sessions.get(&session));
        let life = session.map(|session| session.life);
        let process = task.session.and_then(|session| self.world.process(session));
        let awake = process.map(|process| process.awake);
        let reasons: Vec<&BlockReason> = task.reasons.iter().collect();
        format!(
            "slot {}, {reasons:?}, waits for {unmet:?} and gates {gates:?}, {:?} {life:?} {awake:?}",
            task.slot, task.session
        )
    }
}
