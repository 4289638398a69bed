//! Starts, finds, reads and ends sessions: agent processes that outlive Jangdan, each with a holder and a folder.
//!
//! `drivers` has the protocols that agents speak. Knows nothing of tasks and runs.

pub mod detect;
mod error;
mod hidden;
mod input_queue;
mod input_record;
mod launch;
mod ledger;
mod living;
mod program;
mod sandbox;
mod sessions;
mod standing;
mod typist;

pub use error::SessionError;
pub use input_queue::{INPUTS_MAX, InputOrder, InputQueue, RefusedInput, SentInput};
pub use input_record::{InputRecord, Progress};
pub use launch::{CommandLine, Hired, command_line, new_session_id};
pub use living::{Living, Moment, Seen, Waker, Watching};
pub use program::{HOLDER_TARGET, holder_program};
pub use sandbox::{Bounds, Demand, Enforcement, Report, RestrictError, Sandbox, restrict};
pub use sessions::{About, Found, Sessions, Start, State, boot_id, name_of_mark};
pub use standing::{Stand, Standing};
pub use typist::Typist;
