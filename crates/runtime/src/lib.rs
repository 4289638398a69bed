//! Runs plans: decides on each command, records the resulting events, publishes the changed rows and executes the effects,
//! in this order.
//!
//! [`Host`] owns all runs of a data directory. Each active run has a loop on its own thread. Effects are executed on other
//! threads: one for each session with a process, and a limited number for checks and for short work. All decisions are made
//! by the engine.

mod check_program;
mod commit_style;
mod disk_budget;
mod durable_run;
mod environment;
mod error_chain;
mod event_trace;
mod executor;
mod git;
mod host;
mod host_event;
mod inventory;
mod land;
mod plan_file;
mod ports;
pub mod prepare;
mod private_data;
mod project_secrets;
mod replayed_run;
mod run_loop;
mod saved_permissions;
mod session_access;
mod task_durations;
mod variable_values;

pub use commit_style::CommitStyle;
pub use durable_run::{AppliedEvent, DurableRun, DurableRunError, ExecutedInput};
pub use environment::{Isolation, LandStrategy, PlanOptions, Ports, RunEnvironment, SandboxMode};
pub use error_chain::error_chain;
pub use git::{PhaseDiffScope, installed_git_version};
pub use host::{CommandSender, Host, HostError, NewRun, ProvidedValue, RunSnapshot, ShutdownMode};
pub use host_event::{AgentActivity, HostEvent};
pub use inventory::{DamagedRun, RunDamage, find_damaged_runs};
pub use land::{LandOptions, landing_problem};
pub use private_data::create_data_directory;
pub use project_secrets::project_secret_scope;
pub use replayed_run::ReplayedRun;
pub use saved_permissions::{project_root, saved_permissions_file};
pub use session_access::{
    IoDirection, IoRecord, IoRecordPage, IoRecordQuery, OutputChunk, OutputQuery, PageStart, ScreenSnapshot,
    ScreenStream, ScreenUpdate, session_processes,
};
pub use sessions::CallerOrigin;
