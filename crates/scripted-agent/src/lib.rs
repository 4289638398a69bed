//! An agent that plays a script: says, waits, asks, hangs, floods, forks and dies as the script says.
//!
//! It speaks as plain programs do, or as the agents that people use do (ACP, Claude Code, Codex), so that whatever
//! drives agents can be tried without them. Never knows of runs, tasks or plans: it is on the agent's side of the wire.

mod act;
mod fork;
mod input;
mod memory;
mod mouth;
mod noise;
mod perform;
mod placeholder;
mod play;
mod run;
mod script;
mod terminal;
mod voice;

pub use play::{Invocation, PlayError, play};
pub use run::run;
pub use script::{Script, ScriptError};
