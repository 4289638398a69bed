//! The loop: the next thing happens, the engine decides, the rules are asked, the world acts.

use std::collections::BTreeSet;

use domain::{Actor, Command, EffectId, Event, Mode, Recorded, SessionId};
use engine::Run;

use crate::{
    Options, Summary, Violation,
    imagine::{Imagined, imagine},
    model::Model,
    people,
    random::Random,
    rule::{Breach, Rule},
    trace::Trace,
    world::{Happening, World},
};

/// What came of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// It is in the log, or was refused.
    Settled,
    /// The crash came before the log.
    Lost,
}

/// One imagined run.
pub struct Simulation<'a> {
    pub(crate) seed: u64,
    pub(crate) options: Options,
    pub(crate) make: &'a dyn Fn() -> Run,
    pub(crate) run: Run,
    /// A run that only ever hears of events: the same log must give the same state.
    pub(crate) mirror: Run,
    pub(crate) model: Model,
    pub(crate) world: World,
    pub(crate) log: Vec<Recorded>,
    pub(crate) told: BTreeSet<EffectId>,
    pub(crate) random: Random,
    /// The chance of whoever edits the plan, so that the rest of a run is what it was without them.
    pub(crate) editor: Random,
    /// Decides what is seen of worktrees. A stream of its own, so that looking changes nothing else.
    pub(crate) eyes: Random,
    pub(crate) trace: Trace,
    pub(crate) step: u64,
    pub(crate) summary: Summary,
    pub(crate) temper: Temper,
}

/// How much goes wrong in a run.
#[derive(Debug, Clone, Copy)]
pub struct Temper {
    /// Once in so many commands the server dies; never where it is 0.
    pub crash_once_in: usize,
    /// Whether the clock is set now and then.
    pub clock_jumps: bool,
    /// How long people take, in seconds.
    pub wish_seconds: u32,
}

impl<'a> Simulation<'a> {
    /// Imagines the beginning.
    pub fn new(seed: u64, options: &Options, make: &'a dyn Fn() -> Run, trace: Trace) -> Self {
        let mut random = Random::new(seed);
        let temper = Temper {
            crash_once_in: if random.once_in(2) { 0 } else { random.below(60) + 20 },
            clock_jumps: random.once_in(6),
            wish_seconds: random.between(20, 900),
        };
        // Only some runs are short of room, so that the others stay as they were when a seed was found.
        let rooms = (seed % 8 == 1).then(|| Random::new(seed ^ 0x0D15_CF01_1000_0001));
        let world = World::new(Random::new(seed ^ 0x5EED_0F77_E017_D5A5), rooms);
        Self {
            seed,
            options: *options,
            make,
            run: make(),
            mirror: make(),
            model: Model::default(),
            world,
            log: Vec::new(),
            told: BTreeSet::new(),
            random,
            editor: Random::new(seed ^ 0xED17_0F77_E91A_4F11),
            eyes: Random::new(seed ^ 0x0E7E_5000_0000_0001),
            trace,
            step: 0,
            summary: Summary::default(),
            temper,
        }
    }

    /// Lets the run happen.
    pub fn run(&mut self) -> Result<Summary, Violation> {
        let outcome = self
            .begin()
            .and_then(|()| self.live())
            .and_then(|()| self.come_to_rest())
            .and_then(|()| self.come_to_an_end());
        match outcome {
            Ok(()) => {
                self.summary.runs = 1;
                self.summary.commands = self.step;
                self.summary.events = self.log.len() as u64;
                let done = |task: &&crate::model::Task| task.stage == crate::model::Stage::Done;
                self.summary.done = self.model.tasks.values().filter(done).count() as u64;
                let taken = |recorded: &&Recorded| matches!(recorded.event, Event::PlanTaken { .. });
                self.summary.amended = self.log.iter().filter(taken).count() as u64;
                Ok(self.summary)
            }
            Err(breach) => {
                self.tell_open_ends();
                Err(Violation { seed: self.seed, step: self.step, breach })
            }
        }
    }

    /// Returns what was written down.
    pub fn into_lines(self) -> Vec<String> {
        self.trace.into_lines()
    }

    fn begin(&mut self) -> Result<(), Breach> {
        let Imagined { work, settings, team } = imagine(&mut self.random, self.options.tasks);
        let command = Command::StartRun {
            project: "imagined".to_owned(),
            work: Box::new(work),
            settings: Box::new(settings),
            team,
        };
        self.give(&Actor::Person("ana".to_owned()), command)?;
        if !self.model.started {
            return Err(Breach::new(Rule::ComesToAnEnd, "the run does not start"));
        }
        let delay_ms = self.random.seconds(1, self.temper.wish_seconds);
        self.world.plan(delay_ms, Happening::Wish);
        // In the other runs nobody does: what was once found there is still found.
        if self.seed % 3 == 1 {
            self.plan_edit();
        }
        if self.temper.clock_jumps {
            let delay_ms = self.random.seconds(60, 3_600);
            self.world.plan(delay_ms, Happening::Jump);
        }
        Ok(())
    }

    /// Everything goes wrong that can, for a while.
    fn live(&mut self) -> Result<(), Breach> {
        let steps = u64::from(self.options.steps);
        while self.step < steps && self.happen()? {}
        Ok(())
    }

    /// Lets the next thing happen; tells whether there was one.
    pub(crate) fn happen(&mut self) -> Result<bool, Breach> {
        if let Some(deadline) = self.run.next_deadline()
            && self.world.is_first(deadline)
        {
            self.world.wait_until(deadline);
            let now = self.world.now();
            let before = self.log.len();
            let given = self.give(&Actor::Clock, Command::Tick)?;
            let nothing_came = given == Given::Settled && self.log.len() == before;
            if nothing_came && self.run.next_deadline().is_some_and(|next| next <= now) {
                let how = format!("{now:?} is past {:?}", self.run.next_deadline());
                return Err(Breach::new(Rule::DeadlineMoves, how));
            }
            return Ok(true);
        }
        let Some(happening) = self.world.next() else { return Ok(false) };
        match happening {
            Happening::Report(command) => self.report(*command)?,
            Happening::Speak(session) => self.world.speak(session),
            Happening::Read(session) => self.read(session)?,
            Happening::Type(session) => {
                if let Some(input) = self.world.type_next(session, &self.model) {
                    self.world.report(Command::ReportTyped { session, input });
                }
            }
            Happening::Wish => {
                if let Some((actor, command)) = people::wish(&mut self.random, &self.model) {
                    self.give(&actor, command)?;
                }
                let delay_ms = self.random.seconds(1, self.temper.wish_seconds);
                self.world.plan(delay_ms, Happening::Wish);
            }
            Happening::Edit => self.edit()?,
            Happening::Jump => {
                self.world.jump();
                self.trace.note("the clock is set");
                let delay_ms = self.random.seconds(60, 7_200);
                self.world.plan(delay_ms, Happening::Jump);
            }
        }
        Ok(true)
    }

    fn report(&mut self, command: Command) -> Result<(), Breach> {
        let started = match &command {
            Command::ReportStarted { session, .. } => Some(*session),
            _ => None,
        };
        let is_kept = matches!(command, Command::ReportCheckpoint { .. });
        let given = self.give(&Actor::System, command.clone())?;
        if is_kept && given == Given::Settled {
            self.look_at_worktrees()?;
        }
        if given == Given::Lost {
            // Whoever reports does so until it is in the log.
            self.world.report(command);
        } else if let Some(session) = started.filter(|session| self.is_main(*session)) {
            self.world.prompt_main(session);
        }
        Ok(())
    }

    fn is_main(&self, session: SessionId) -> bool {
        let leads = |session: &crate::model::Session| session.role == domain::Role::Orchestrator;
        self.model.settings.mode == Mode::Thin && self.model.sessions.get(&session).is_some_and(leads)
    }

    fn read(&mut self, session: SessionId) -> Result<(), Breach> {
        let Some(command) = self.world.read(session) else {
            self.world.end_read(session);
            return Ok(());
        };
        let actor = match command {
            Command::ReportEnded { .. } | Command::ReportLost { .. } => Actor::System,
            _ => Actor::Agent(session),
        };
        match self.give(&actor, command)? {
            Given::Settled => self.world.settle(session),
            Given::Lost => self.world.end_read(session),
        }
        Ok(())
    }
}
