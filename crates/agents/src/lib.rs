//! A living agent: what it says in its own protocol, and how it is told things.
//!
//! A driver turns bytes into happenings and words into bytes; it does no IO itself, so that it can be tested with
//! recorded lines, and started again in the middle of a session. Knows nothing of tasks.

mod account;
mod acp;
pub mod claude;
pub mod codex;
pub mod detect;
mod driver;
mod ear;
mod form;
mod hidden;
mod hire;
mod json;
mod ledger;
mod lines;
mod living;
mod place;
pub mod preset;
mod program;
mod prompts;
mod pty;
mod sandbox;
mod sessions;
mod standing;
mod talk;
mod turn;
mod typist;
pub mod words;

pub use acp::{Acp, AcpOptions, AcpStart, McpServer, Variable};
pub use driver::{
    Chunk, Driver, Happening, PlanStep, PromptOption, Reaction, Send, StepStatus, Stream, Told, ToolCall,
    ToolStatus, Trouble, TurnOutcome, Untold,
};
pub use hire::{Begin, CommandLine, Hired, Left, driver, new_session_id};
pub use living::{Living, LivingError, Moment, Seen, Waker, Watching};
pub use program::{HOLDER_TARGET, holder_program};
pub use pty::{Pty, PtyMode, PtyOptions, Typing};
pub use sandbox::{Bounds, Demand, Enforcement, Report, RestrictError, Sandbox, restrict};
pub use sessions::{About, Found, SessionError, Sessions, Start, State, name_of_mark};
pub use standing::{Stand, Standing};
pub use talk::{Talk, TalkError};
pub use typist::Typist;
