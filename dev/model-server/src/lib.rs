//! A scripted model on loopback that speaks the API dialects of real agents.
//!
//! Anthropic Messages, OpenAI Responses and Chat Completions, Google generateContent; streamed or in one piece. It records
//! every request, so that a test can check what an agent sent. Listens on loopback only.

mod dialect;
mod http;
mod script;
mod server;

pub use dialect::Dialect;
pub use script::{KEY, ReplyPart, Rule, Script, ScriptedError, ScriptedReply, ScriptedTurn, Usage};
pub use server::{ModelServer, RecordedRequest};
