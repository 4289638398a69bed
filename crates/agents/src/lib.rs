//! A living agent: what it says in its own protocol, and how it is told things.
//!
//! A driver turns bytes into happenings and words into bytes; it does no IO itself, so that it can be tested with
//! recorded lines, and started again in the middle of a session. Knows nothing of tasks.

pub mod claude;
pub mod codex;
mod driver;
mod ear;
mod form;
mod json;
mod launch;
mod ledger;
mod lines;
mod living;
mod place;
mod program;
mod prompts;
mod sessions;
mod turn;

pub use driver::{
    Chunk, Driver, Happening, PromptOption, Reaction, Send, Stream, Told, ToolCall, ToolStatus, Trouble,
    TurnOutcome, Untold,
};
pub use launch::Launch;
pub use living::{Living, LivingError, Seen};
pub use program::holder_program;
pub use sessions::{About, Found, SessionError, Sessions, Start, State};
