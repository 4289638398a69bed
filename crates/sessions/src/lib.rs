//! Starts, finds, reads and ends sessions: agent processes that outlive Jangdan, each with a holder and a folder.
//!
//! `drivers` has the protocols that agents speak. Knows nothing of tasks and runs.

mod activity;
mod caller;
pub mod detect;
mod environment_file;
mod error;
mod holder_program;
mod input_ledger;
mod input_queue;
mod input_record;
mod input_writer;
mod launch;
mod own_program;
mod sandbox;
mod secrets;
mod session;
mod sessions;

pub use activity::{ActivityTracker, AgentActivity};
pub use caller::CallerOrigin;
pub use environment_file::{ENV_FILE_VARIABLE, EnvironmentFile, EnvironmentFileError};
pub use error::SessionError;
pub use holder_program::{HOLDER_TARGET, holder_program};
pub use input_queue::{DequeuedInput, INPUTS_MAX, InputQueue, RefusedInput, SendPolicy};
pub use input_record::{ConversationProgress, InputRecord};
pub use input_writer::InputWriter;
pub use launch::{AgentLaunch, CommandLine, command_line, new_session_id};
pub use own_program::own_program;
pub use sandbox::{
    Enforcement, PackageCaches, RestrictError, Sandbox, SandboxGap, SandboxPaths, SandboxPolicy,
    SandboxReport, restrict, sandbox_gaps, supported_sandbox,
};
pub use session::{Session, SessionObserver, SessionReport, TimedReports, Waker};
pub use sessions::{
    OUTPUT_BYTES_MAX, SessionEntry, SessionMetadata, SessionState, Sessions, StartRequest, boot_id,
    session_name_from_tag,
};
