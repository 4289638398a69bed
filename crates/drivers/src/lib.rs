//! The protocols of real agents as state machines: an agent's output becomes events, inputs for it become bytes.
//!
//! Pure: no IO, processes, clock or randomness, so that a driver can be tested with recorded lines and started again in
//! the middle of a session. `sessions` has the processes.

mod account;
mod acp;
mod aside;
pub mod claude;
pub mod codex;
mod driver;
mod ear;
mod form;
mod hire;
mod json;
mod lines;
mod place;
pub mod preset;
mod prompts;
mod pty;
mod turn;
pub mod words;

pub use acp::{Acp, AcpOptions, AcpStart, McpServer, Variable};
pub use aside::AsideReader;
pub use driver::{
    Chunk, Driver, Happening, PlanStep, PromptOption, Reaction, Send, StepStatus, Stream, Told, ToolCall,
    ToolStatus, Trouble, TurnOutcome, Untold,
};
pub use hire::{Begin, DriverSetup, Left, set_up_driver};
pub use pty::{Pty, PtyMode, PtyOptions, Typing};
