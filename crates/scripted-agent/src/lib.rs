//! A scripted agent: a program that behaves as a TOML script says (writes, waits, asks, hangs, floods, forks,
//! crashes).
//!
//! It speaks plain text or the protocol of a real agent (ACP, Claude Code, Codex), so that drivers can be tested
//! without one. It knows nothing about runs, tasks or plans. Scripts are described in docs/scripted-agents.md.

mod effects;
mod fork;
mod input;
mod noise;
mod output;
mod placeholder;
mod program;
mod protocol;
mod run_script;
mod script;
mod script_runner;
mod session_store;
mod terminal;

pub use program::run_program;
pub use run_script::{AgentInvocation, ScriptRunError, run_script};
pub use script::{Script, ScriptError};
