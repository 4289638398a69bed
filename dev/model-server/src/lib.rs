//! A model that says what a script says, on loopback, in the dialects that real agents ask in.
//!
//! Anthropic Messages, OpenAI Responses and Chat Completions, Google generateContent; streamed and whole. It keeps every
//! request, so that a test can look at what an agent sent. Never listens on anything but loopback.

mod dialect;
mod http;
mod script;
mod server;

pub use dialect::Dialect;
pub use script::{KEY, Refusal, Rule, Says, Script, Speech, Turn, Usage};
pub use server::{ModelServer, Recorded};
