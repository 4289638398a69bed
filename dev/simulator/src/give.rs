//! One command: the engine decides, the rules are asked, the world acts, and sometimes the server dies in between.

use domain::{Actor, Command, EffectId};
use engine::{Decision, Effect};

use crate::{
    rule::{Breach, Rule},
    simulation::{Given, Simulation},
};

/// How often the whole state is compared, in commands; it costs more than everything else.
const COMPARE_EVERY: u64 = 128;

impl Simulation<'_> {
    /// Gives a command to the engine, and looks at what comes of it.
    pub(crate) fn give(&mut self, actor: &Actor, command: Command) -> Result<Given, Breach> {
        self.step += 1;
        let now = self.world.now();
        self.trace.wish(self.step, self.world.elapsed_ms(), actor, &command);
        let expected = self.model.expect(actor, &command);
        let crash = self.crash();
        match self.run.decide(now, actor, command.clone()) {
            Err(rejection) => {
                self.summary.refused += 1;
                self.trace.refusal(&rejection);
            }
            Ok(_) if crash == Some(Crash::BeforeTheLog) => {
                self.restart("before the log")?;
                return Ok(Given::Lost);
            }
            Ok(decision) => {
                self.trace.events(&decision.events);
                let wrong = expected.judge(&command, &decision.events);
                self.take(&decision)?;
                if let Some(breach) = wrong {
                    return Err(breach);
                }
                if crash == Some(Crash::BeforeTheEffects) {
                    self.restart("before the effects")?;
                    return Ok(Given::Settled);
                }
                for (id, effect) in &decision.effects {
                    self.world.carry_out(*id, effect, &self.model);
                }
            }
        }
        if self.step.is_multiple_of(COMPARE_EVERY) {
            self.compare()?;
        }
        if crash == Some(Crash::BetweenCommands) {
            self.restart("between commands")?;
        }
        Ok(Given::Settled)
    }

    /// Takes a decision into the log, and asks every rule.
    pub(crate) fn take(&mut self, decision: &Decision) -> Result<(), Breach> {
        let mut mirrored = Vec::new();
        for recorded in &decision.events {
            self.model.take(recorded);
            mirrored.extend(self.mirror.apply(recorded));
        }
        self.log.extend(decision.events.iter().cloned());
        self.model.check_nobody_idle();
        self.model.check_overlaps();
        if let Some(breach) = self.model.breaches().into_iter().next() {
            return Err(breach);
        }
        if mirrored != decision.effects {
            let how = format!("decided {:?}, replayed {mirrored:?}", decision.effects);
            return Err(Breach::new(Rule::SameLogSameState, how));
        }
        self.check_effects(decision)
    }

    fn check_effects(&mut self, decision: &Decision) -> Result<(), Breach> {
        for (id, effect) in &decision.effects {
            let recorded = decision.events.iter().any(|recorded| recorded.sequence == id.sequence);
            if !recorded || !self.told.insert(*id) {
                return Err(Breach::new(Rule::EffectOnce, format!("{id:?} {effect:?}, recorded {recorded}")));
            }
        }
        if decision.events.is_empty() && !decision.effects.is_empty() {
            return Err(Breach::new(Rule::EffectOnce, "effects without an event"));
        }
        Ok(())
    }

    fn crash(&mut self) -> Option<Crash> {
        let n = self.temper.crash_once_in;
        let crashes = n > 0 && self.model.started && self.random.once_in(n);
        let when = [Crash::BeforeTheLog, Crash::BeforeTheEffects, Crash::BetweenCommands];
        if crashes { self.random.pick(&when).copied() } else { None }
    }

    /// Does again what was ordered before a crash and never reported.
    pub(crate) fn redo(&mut self, outstanding: &[(EffectId, Effect)]) -> Result<(), Breach> {
        for (id, effect) in outstanding {
            if !self.told.contains(id) {
                return Err(Breach::new(Rule::EffectOnce, format!("{id:?} {effect:?} was never told")));
            }
            self.world.carry_out(*id, effect, &self.model);
        }
        Ok(())
    }
}

/// When the server dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Crash {
    BeforeTheLog,
    BeforeTheEffects,
    BetweenCommands,
}
