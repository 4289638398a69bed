//! A living agent: what it says in its own protocol, and how it is told things.
//!
//! A driver turns bytes into happenings and words into bytes; it does no IO itself, so that it can be tested with
//! recorded lines, and started again in the middle of a session. Knows nothing of tasks.

pub mod claude;
pub mod codex;
mod driver;
mod ledger;
mod living;
mod program;
mod sessions;
mod form;
mod json;
mod launch;
mod lines;
mod place;
mod prompts;
mod turn;
mod words;

pub use driver::{
    Chunk, Driver, Happening, PromptOption, Reaction, Send, Stream, Told, ToolCall, ToolStatus, Trouble,
    TurnOutcome, Untold,
};
pub use living::{Living, LivingError, Seen};
pub use program::holder_program;
pub use sessions::{About, Found, SessionError, Sessions, Start, State};
pub use launch::Launch;
