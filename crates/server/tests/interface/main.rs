//! The interface over its real socket, with real runs behind it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can't run its run has failed")]

mod attacks;
mod described;
mod documented;
mod hostile;
mod life;
mod looking;
mod pictures;
mod plans;
mod runs;
mod secrets;
mod site;
mod subscribers;
mod ways_in;
