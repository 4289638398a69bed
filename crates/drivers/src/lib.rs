//! The protocols of real agents as state machines: an agent's output becomes events, inputs for it become bytes.
//!
//! Pure: no IO, processes, clock or randomness, so that a driver can be tested with recorded lines and started again in
//! the middle of a session. `sessions` has the processes.

mod acp;
pub mod claude;
pub mod codex;
mod driver;
mod driver_setup;
pub mod input_text;
mod json;
mod lines;
mod message_reader;
mod pending_prompts;
pub mod preset;
mod pty;
mod question_form;
mod side_channel;
mod turn;
mod turn_transcript;
mod worktree_path;

pub use acp::{AcpDriver, AcpOptions, AcpStart, EnvironmentVariable, McpServer};
pub use driver::{
    AgentInput, AgentWarning, Driver, DriverEvent, OutgoingBytes, OutputStream, PlanStep, PromptOption,
    Reaction, SendError, SpoolChunk, StepStatus, ToolCall, ToolStatus, TurnOutcome,
};
pub use driver_setup::{AgentConfinement, DriverCheckpoint, DriverContext, DriverSetup, set_up_driver};
pub use pty::{PtyDriver, PtyMode, PtyOptions, TypingOptions};
pub use side_channel::SideChannelReader;
