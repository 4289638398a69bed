//! Simulated runs: the real engine with random plans, agents, user commands, crashes and clocks.
//!
//! A seed determines a run completely, so a failure can be reproduced. The events of a run are checked by a model that
//! knows the rules and not the engine.

mod allowed_actions;
mod completion;
mod environment;
mod generate;
mod model;
mod overlap_reports;
mod plan_edits;
mod quiescence;
mod random;
mod restart;
mod rule;
mod search;
mod simulation;
mod step;
mod trace;
mod user_commands;

use std::fmt;

pub use rule::{Rule, RuleViolation};
pub use search::{SearchResult, search_expected_violation, search_failing_seed};

use simulation::Simulation;
use trace::Trace;

/// The size of the simulated runs.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Maximum number of tasks in a plan.
    pub tasks: u32,
    /// Number of commands before the faults stop.
    pub steps: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { tasks: 30, steps: 160 }
    }
}

/// Counts of the runs that broke no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of runs.
    pub runs: u64,
    /// Commands that were sent to the engine.
    pub commands: u64,
    /// Commands that the engine refused.
    pub refused: u64,
    /// Events that the engine recorded.
    pub events: u64,
    /// Simulated crashes of the server.
    pub crashes: u64,
    /// Tasks that ended as done.
    pub done: u64,
    /// Plan changes that were applied.
    pub amended: u64,
}

impl Summary {
    /// Returns the sum of two summaries.
    #[must_use]
    pub fn combined_with(self, other: Self) -> Self {
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
pub struct FailedRun {
    /// The seed that reproduces the run.
    pub seed: u64,
    /// Number of commands until the failure.
    pub step: u64,
    /// The broken rule, and how it was broken.
    pub violation: RuleViolation,
}

impl fmt::Display for FailedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, step, violation } = self;
        write!(f, "seed {seed} breaks a rule at step {step}: {}: {}", violation.rule, violation.how)
    }
}

/// Simulates the run of a seed; an error names the broken rule.
pub fn simulate(seed: u64, options: &Options) -> Result<Summary, FailedRun> {
    Simulation::new(seed, options, Trace::disabled()).run()
}

/// Simulates the run of a seed, and returns a line for each command, event and crash.
pub fn simulate_with_trace(seed: u64, options: &Options) -> (Vec<String>, Result<Summary, FailedRun>) {
    let mut simulation = Simulation::new(seed, options, Trace::enabled());
    let outcome = simulation.run();
    (simulation.into_trace(), outcome)
}
