//! The run of a scenario, and a second one that is given the recorded events alone.
//!
//! After every step the two must be the same, and a wish that was refused must have changed nothing.

use domain::{Actor, Command, EffectId, RecordedEvent, Timestamp};
use engine::{Effect, Guard, Run};

use crate::{clock, facts::Facts, given::Given, hands::Hands, mouth::Mouths};

/// More ticks than this without time going by is a clock that stands still.
const TICKS_MAX: usize = 1000;

/// Everything that a scenario plays with.
pub struct Stage {
    pub run: Run,
    replica: Run,
    /// The rule that is switched off, to see that it is missed.
    without: Option<Guard>,
    pub now: Timestamp,
    pub log: Vec<RecordedEvent>,
    pub facts: Facts,
    /// What the world was told and has not done yet.
    pub pending: Vec<(EffectId, Effect)>,
    /// Where this round of steps began, in the log.
    pub round_start: usize,
    /// What the world was told in this round.
    pub told: Vec<Effect>,
    /// What was refused, and not yet expected by anybody.
    pub refusals: Vec<String>,
    pub hands: Hands,
    pub mouths: Mouths,
}

impl Stage {
    /// Starts the run.
    pub fn start(given: Given, without: Option<Guard>) -> Result<Self, String> {
        let mut stage = Self {
            run: new_run(without),
            replica: new_run(without),
            without,
            now: clock::START,
            log: Vec::new(),
            facts: Facts::default(),
            pending: Vec::new(),
            round_start: 0,
            told: Vec::new(),
            refusals: Vec::new(),
            hands: Hands::default(),
            mouths: Mouths::default(),
        };
        for line in &given.world {
            if !stage.hands.take(line) {
                return Err(format!("'{line}' is nothing that can be given"));
            }
        }
        let command = Command::StartRun {
            project: "shop".to_owned(),
            work: Box::new(given.work),
            settings: Box::new(given.settings),
            team: given.team,
        };
        stage.wish(&Actor::Person("ana".to_owned()), command)?;
        stage.carry_on()?;
        Ok(stage)
    }

    /// Begins a new round: what happened before is no longer what happens.
    pub fn begin_round(&mut self) {
        self.round_start = self.log.len();
        self.told.clear();
    }

    /// Lets somebody wish something; what is refused is kept for whoever expects it.
    pub fn wish(&mut self, actor: &Actor, command: Command) -> Result<(), String> {
        if let Some(refusal) = self.decide(actor, command)? {
            self.refusals.push(refusal);
        }
        Ok(())
    }

    /// Lets the run decide, and returns the reason where it refuses.
    fn decide(&mut self, actor: &Actor, command: Command) -> Result<Option<String>, String> {
        let before = self.run.clone();
        let words = format!("{command:?}");
        let decision = match self.run.decide(self.now, actor, command) {
            Ok(decision) => decision,
            Err(rejection) if self.run == before => return Ok(Some(rejection.to_string())),
            Err(rejection) => {
                return Err(format!("was refused ({rejection}) and changed something: {words}"));
            }
        };
        let mut effects = Vec::new();
        for recorded in &decision.events {
            let expected = self.log.len() as u64 + 1;
            if recorded.sequence.0 != expected {
                return Err(format!("event {} has the place {}", expected, recorded.sequence));
            }
            self.facts.note(&recorded.event);
            effects.extend(self.replica.apply(&written_and_read(recorded)?));
            self.log.push(recorded.clone());
        }
        if effects != decision.effects {
            return Err(format!(
                "the log gives other effects: {effects:#?}, not {:#?} ({words})",
                decision.effects
            ));
        }
        self.told.extend(decision.effects.iter().map(|(_, effect)| effect.clone()));
        self.pending.extend(decision.effects);
        self.compare(&words)?;
        Ok(None)
    }

    fn compare(&self, words: &str) -> Result<(), String> {
        if self.run != self.replica {
            let differs = differing(&self.run, &self.replica);
            return Err(format!("the log gives another state after {words}: {differs}"));
        }
        if self.run.pending_effects() != self.replica.pending_effects() {
            return Err(format!("the log gives other outstanding effects after {words}"));
        }
        Ok(())
    }

    /// Lets the world do what nobody does by hand.
    pub fn carry_on(&mut self) -> Result<(), String> {
        while let Some(place) = self.pending.iter().position(|(_, effect)| self.hands.does(effect)) {
            let (id, effect) = self.pending.remove(place);
            let command = self.hands.report(id, &effect, self.now);
            // What comes too late is refused, as it is in life.
            self.decide(&Actor::System, command)?;
        }
        Ok(())
    }

    /// Lets time go by, with a tick whenever the run wants one.
    pub fn pass(&mut self, until: Timestamp) -> Result<(), String> {
        for _ in 0..TICKS_MAX {
            let Some(deadline) = self.run.next_deadline().filter(|deadline| *deadline <= until) else {
                self.now = until;
                return Ok(());
            };
            self.now = self.now.max(deadline);
            self.wish(&Actor::Clock, Command::Tick)?;
            self.carry_on()?;
        }
        Err(format!("the clock stands still at {}", clock::write_time(self.now)))
    }

    /// Ends Jangdan and starts it again with nothing but the log.
    pub fn restart(&mut self) -> Result<(), String> {
        let outstanding = self.run.pending_effects();
        self.run = replay(&self.log, self.without)?;
        self.compare("a restart")?;
        if self.run.pending_effects() != outstanding {
            return Err("a restart changes what is outstanding".to_owned());
        }
        // What was told and not reported is told again.
        self.pending = self.run.pending_effects();
        self.carry_on()
    }

    /// Looks at the whole log once more.
    pub fn finish(&mut self) -> Result<(), String> {
        if replay(&self.log, self.without)? == self.run {
            Ok(())
        } else {
            Err("the whole log gives another state".to_owned())
        }
    }
}

/// Returns a run that has not started; every rule is on, but in builds that may switch one off.
fn new_run(without: Option<Guard>) -> Run {
    #[cfg(feature = "fault-injection")]
    if let Some(guard) = without {
        return Run::without_guard(guard);
    }
    debug_assert!(without.is_none(), "only a build with fault-injection can switch a guard off");
    Run::new()
}

fn replay(log: &[RecordedEvent], without: Option<Guard>) -> Result<Run, String> {
    let mut run = new_run(without);
    for recorded in log {
        run.apply(&written_and_read(recorded)?);
    }
    Ok(run)
}

/// The log keeps events as JSON.
fn written_and_read(recorded: &RecordedEvent) -> Result<RecordedEvent, String> {
    let written = serde_json::to_string(recorded).map_err(|error| error.to_string())?;
    let read: RecordedEvent =
        serde_json::from_str(&written).map_err(|error| format!("{error}: {written}"))?;
    if &read == recorded { Ok(read) } else { Err(format!("is read back as another event: {written}")) }
}

/// Shows the first place where two states differ.
fn differing(decided: &Run, replayed: &Run) -> String {
    let (decided, replayed) = (format!("{decided:?}"), format!("{replayed:?}"));
    let same = decided.chars().zip(replayed.chars()).take_while(|(left, right)| left == right).count();
    let around = |text: &str| text.chars().skip(same.saturating_sub(60)).take(120).collect::<String>();
    format!("\n  decided: …{}…\n  replayed: …{}…", around(&decided), around(&replayed))
}
