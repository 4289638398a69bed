//! The world outside of the engine: processes, git, checks and time, all imagined.
//!
//! It remembers which effects it has done, so that doing one twice does it once, and forgets what a crash forgets.

mod effects;
mod process;
mod speech;
mod spool;

use std::collections::BTreeMap;

use domain::{Command, EffectId, SessionId, Timestamp};

pub use process::{Awake, Process};
pub use spool::Spoken;

use engine::Effect;

use crate::random::Random;

/// The moment at which every imagined run begins.
const BEGINNING_MS: i64 = 1_700_000_000_000;

/// What happens next somewhere.
#[derive(Debug, Clone)]
pub enum Happening {
    /// The world says what came of an effect.
    Report(Box<Command>),
    /// An agent says the next thing.
    Speak(SessionId),
    /// The next thing in an agent's output is read.
    Read(SessionId),
    /// The next input of a session is typed.
    Type(SessionId),
    /// A person wants something.
    Wish,
    /// Somebody changes the plan file.
    Edit,
    /// The clock is set.
    Jump,
}

/// What is outside.
#[derive(Debug, Clone)]
pub struct World {
    /// How long it is since the beginning.
    elapsed_ms: i64,
    /// How wrong the clock is.
    skew_ms: i64,
    queue: BTreeMap<(i64, u64), Happening>,
    order: u64,
    processes: BTreeMap<SessionId, Process>,
    /// What was done, and what is said about it; nothing where nothing ever comes of it.
    done: BTreeMap<EffectId, Option<Command>>,
    /// Whether everybody does their part from now on.
    kind: bool,
    random: Random,
    /// Decides which sessions get no worktree; nothing where there is always room.
    rooms: Option<Random>,
}

impl World {
    /// Makes a world in which nothing has happened.
    pub fn new(random: Random, rooms: Option<Random>) -> Self {
        Self {
            elapsed_ms: 0,
            skew_ms: 0,
            queue: BTreeMap::new(),
            order: 0,
            processes: BTreeMap::new(),
            done: BTreeMap::new(),
            kind: false,
            random,
            rooms,
        }
    }

    /// Returns what the clock shows.
    pub fn now(&self) -> Timestamp {
        Timestamp(BEGINNING_MS + self.elapsed_ms + self.skew_ms)
    }

    /// Returns how long it is since the beginning.
    pub fn elapsed_ms(&self) -> i64 {
        self.elapsed_ms
    }

    /// Lets something happen after a while.
    pub fn plan(&mut self, delay_ms: i64, happening: Happening) {
        self.order += 1;
        self.queue.insert((self.elapsed_ms + delay_ms.max(0), self.order), happening);
    }

    /// Returns whether a deadline comes before everything else that is to happen.
    pub fn is_first(&self, deadline: Timestamp) -> bool {
        let at_ms = self.moment_of(deadline);
        self.queue.first_key_value().is_none_or(|((next, _), _)| at_ms <= *next)
    }

    /// Lets time go by until a moment that the clock will show.
    pub fn wait_until(&mut self, deadline: Timestamp) {
        self.elapsed_ms = self.elapsed_ms.max(self.moment_of(deadline));
    }

    /// Lets time go by until the next thing happens.
    pub fn next(&mut self) -> Option<Happening> {
        let ((at_ms, _), happening) = self.queue.pop_first()?;
        self.elapsed_ms = self.elapsed_ms.max(at_ms);
        Some(happening)
    }

    /// Sets the clock forwards or backwards.
    pub fn jump(&mut self) {
        let by_ms = self.random.seconds(1, 7_200);
        self.skew_ms += if self.random.once_in(2) { by_ms } else { -by_ms };
    }

    /// From now on everybody does their part, also those who sat there and did nothing.
    pub fn be_kind(&mut self) {
        self.kind = true;
        let sessions: Vec<SessionId> = self.processes.keys().copied().collect();
        for session in sessions {
            self.rouse(session);
        }
    }

    /// People no longer meddle, nobody edits the plan or sets the clock.
    pub fn forget_wishes(&mut self) {
        self.queue
            .retain(|_, happening| !matches!(happening, Happening::Wish | Happening::Edit | Happening::Jump));
    }

    /// Tells whether something is to happen by itself.
    pub fn is_busy(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Returns a process.
    pub fn process(&self, session: SessionId) -> Option<&Process> {
        self.processes.get(&session)
    }

    /// Tells whether the world has not done an effect yet, or will never say so by itself.
    pub fn is_under_way(&self, id: EffectId, effect: &Effect) -> bool {
        match effect {
            Effect::Say { .. } => self.must_wait(effect),
            // Its end is in its output, which is read.
            Effect::EndSession { .. } => false,
            _ => self.done.get(&id).is_some_and(Option::is_none),
        }
    }

    fn moment_of(&self, deadline: Timestamp) -> i64 {
        deadline.0.saturating_sub(BEGINNING_MS).saturating_sub(self.skew_ms)
    }
}
