//! One step: the engine decides on an input, the rules are checked, effects are executed; the server may crash between.

use domain::{EffectId, RunInput, UserCommand};
use engine::{Decision, Effect, Rejection};

use crate::{
    rule::{Rule, RuleViolation},
    simulation::{InputOutcome, Simulation},
};

/// Number of inputs between two comparisons of the whole state, which cost more than everything else.
const COMPARE_EVERY: u64 = 128;
/// Number of inputs between two comparisons of the allowed actions. A prime, so that every task has its turn.
const COMPARE_ACTIONS_EVERY: u64 = 37;
/// One run in this number also tries all actions: each attempt copies the state.
const TRY_ACTIONS_ONCE_IN: u64 = 4;

impl Simulation {
    pub(crate) fn send_user_command(
        &mut self,
        person: &str,
        command: UserCommand,
    ) -> Result<InputOutcome, RuleViolation> {
        self.send_input(RunInput::User { person: person.to_owned(), origin: None, command })
    }

    /// Sends an input to the engine, and checks and executes its decision.
    pub(crate) fn send_input(&mut self, input: RunInput) -> Result<InputOutcome, RuleViolation> {
        self.step += 1;
        let now = self.environment.now();
        self.trace.add_input(self.step, self.environment.elapsed_ms(), &input);
        let expected = self.model.input_expectation(&input);
        let crash = self.random_crash_point();
        match self.run.decide(now, input.clone()) {
            Err(rejection) => {
                self.summary.refused += 1;
                self.trace.add_refusal(&rejection);
                self.check_unchanged(&rejection)?;
            }
            Ok(_) if crash == Some(CrashPoint::BeforeLog) => {
                self.restart("before the log")?;
                return Ok(InputOutcome::Lost);
            }
            Ok(decision) => {
                self.trace.add_events(&decision.events);
                let violation = expected.check(&input, &decision.events);
                self.record_decision(&decision)?;
                if let Some(violation) = violation {
                    return Err(violation);
                }
                if crash == Some(CrashPoint::BeforeEffects) {
                    self.restart("before the effects")?;
                    return Ok(InputOutcome::Processed);
                }
                for (id, effect) in &decision.effects {
                    self.environment.execute(*id, effect, &self.model);
                }
            }
        }
        if self.step.is_multiple_of(COMPARE_ACTIONS_EVERY) {
            self.check_action_updates()?;
            if self.seed.is_multiple_of(TRY_ACTIONS_ONCE_IN) {
                self.check_allowed_actions()?;
            }
        }
        if self.step.is_multiple_of(COMPARE_EVERY) {
            self.check_replay_matches()?;
        }
        if crash == Some(CrashPoint::BetweenInputs) {
            self.restart("between inputs")?;
        }
        Ok(InputOutcome::Processed)
    }

    /// Checks that a refused input has emitted no event. A change without an event is found by the comparison with the
    /// replay.
    fn check_unchanged(&self, rejection: &Rejection) -> Result<(), RuleViolation> {
        if self.run.sequence() == self.mirror.sequence() {
            return Ok(());
        }
        let how = format!("event {} precedes the rejection: {rejection}", self.run.sequence());
        Err(RuleViolation::new(Rule::RefusalChangesNothing, how))
    }

    /// Appends a decision to the log, and checks every rule.
    pub(crate) fn record_decision(&mut self, decision: &Decision) -> Result<(), RuleViolation> {
        let mut mirrored = Vec::new();
        for recorded in &decision.events {
            self.model.apply(recorded);
            mirrored.extend(self.mirror.apply(recorded));
        }
        decision.actions.iter().for_each(|update| self.actions.apply(update));
        self.log.extend(decision.events.iter().cloned());
        self.model.check_idle_tasks();
        self.model.check_no_ended_overlaps();
        if let Some(violation) = self.model.take_violations().into_iter().next() {
            return Err(violation);
        }
        if mirrored != decision.effects {
            let how = format!("decided {:?}, replayed {mirrored:?}", decision.effects);
            return Err(RuleViolation::new(Rule::SameLogSameState, how));
        }
        self.check_effects(decision)
    }

    fn check_effects(&mut self, decision: &Decision) -> Result<(), RuleViolation> {
        for (id, effect) in &decision.effects {
            self.model.check_large_files(effect);
            self.model.check_project_effect(effect);
            let recorded = decision.events.iter().any(|recorded| recorded.sequence == id.sequence);
            if !recorded || !self.effects_seen.insert(*id) {
                return Err(RuleViolation::new(
                    Rule::EffectOnce,
                    format!("{id:?} {effect:?}, recorded {recorded}"),
                ));
            }
        }
        if decision.events.is_empty() && !decision.effects.is_empty() {
            return Err(RuleViolation::new(Rule::EffectOnce, "effects without an event"));
        }
        self.model.take_violations().into_iter().next().map_or(Ok(()), Err)
    }

    fn random_crash_point(&mut self) -> Option<CrashPoint> {
        let n = self.faults.crash_once_in;
        let crashes = n > 0 && self.model.started && self.random.once_in(n);
        let when = [CrashPoint::BeforeLog, CrashPoint::BeforeEffects, CrashPoint::BetweenInputs];
        if crashes { self.random.pick(&when).copied() } else { None }
    }

    /// Executes again the effects that were not reported before a crash.
    pub(crate) fn redo_effects(&mut self, outstanding: &[(EffectId, Effect)]) -> Result<(), RuleViolation> {
        for (id, effect) in outstanding {
            if !self.effects_seen.contains(id) {
                return Err(RuleViolation::new(
                    Rule::EffectOnce,
                    format!("{id:?} {effect:?} was never ordered"),
                ));
            }
            self.environment.execute(*id, effect, &self.model);
        }
        Ok(())
    }
}

/// When the server crashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CrashPoint {
    BeforeLog,
    BeforeEffects,
    BetweenInputs,
}
