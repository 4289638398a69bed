//! Imagined runs: the real engine against random plans, agents, people, crashes and clocks.
//!
//! A seed decides everything, so that what went wrong once goes wrong again. Whether something is wrong is judged from
//! the events alone, by a model that knows the rules and not the engine.

mod editing;
mod ending;
mod give;
mod imagine;
mod looks;
mod model;
mod people;
mod random;
mod restart;
mod rule;
mod search;
mod simulation;
mod trace;
mod waiting;
mod world;

use std::fmt;

use engine::Run;

pub use rule::{Breach, Rule};
pub use search::{Found, search};

use simulation::Simulation;
use trace::Trace;

/// How large the imagined runs are.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The most tasks that a plan has.
    pub tasks: u32,
    /// How many wishes are made before everybody begins to do their part.
    pub steps: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { tasks: 30, steps: 160 }
    }
}

/// What happened in runs that broke no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Runs.
    pub runs: u64,
    /// Commands that were decided.
    pub commands: u64,
    /// Commands that were refused.
    pub refused: u64,
    /// Events that came of them.
    pub events: u64,
    /// Crashes that were survived.
    pub crashes: u64,
    /// Tasks that were done.
    pub done: u64,
    /// Changes of the plan that were taken.
    pub amended: u64,
}

impl Summary {
    /// Adds another.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            commands: self.commands + other.commands,
            refused: self.refused + other.refused,
            events: self.events + other.events,
            crashes: self.crashes + other.crashes,
            done: self.done + other.done,
            amended: self.amended + other.amended,
        }
    }
}

/// A run that broke a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The run.
    pub seed: u64,
    /// After how many commands.
    pub step: u64,
    /// The rule, and how it was broken.
    pub breach: Breach,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, step, breach } = self;
        write!(f, "seed {seed} breaks a rule at step {step}: {}: {}", breach.rule, breach.how)
    }
}

/// Imagines the run of a seed, and says what happened or which rule was broken.
pub fn simulate(seed: u64, options: &Options) -> Result<Summary, Violation> {
    simulate_with(seed, options, &Run::new)
}

/// Imagines the run of a seed with an engine that somebody else makes, such as one that lacks a rule.
pub fn simulate_with(seed: u64, options: &Options, make: &dyn Fn() -> Run) -> Result<Summary, Violation> {
    Simulation::new(seed, options, make, Trace::none()).run()
}

/// Writes down all that happens in the run of a seed, for people.
pub fn show(seed: u64, options: &Options) -> (Vec<String>, Result<Summary, Violation>) {
    let mut simulation = Simulation::new(seed, options, &Run::new, Trace::all());
    let outcome = simulation.run();
    (simulation.into_lines(), outcome)
}
