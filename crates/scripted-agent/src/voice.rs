//! How the player speaks and listens: one trait, a file for each voice.
//!
//! A voice knows its protocol and no script; what it hears becomes one of a few things that a script can act on.

mod acp;
mod claude;
mod codex;
mod plain;
mod rpc;
mod screen;

pub use acp::Likeness;

use std::{
    io, process,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{
    memory::Memory,
    script::{Failure, Limits, PlanEntry, Question, Refusal, ScreenStyle, Stop, Tool, Usage, VoiceName},
};

/// What a line meant.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// Nothing that a script acts on.
    Nothing,
    /// The player cannot begin; it ends.
    Over,
    /// A session is open; steps can begin.
    Opened {
        /// It goes on with an older one.
        resumed: bool,
    },
    /// A line, or a prompt that begins a turn.
    Prompt(String),
    /// The answer to what was asked.
    Answer(Answer),
    /// The turn is to end now.
    Cancel,
}

/// An answer to a question or a wish for a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What it means for the tool that was asked about.
    pub verdict: Verdict,
    /// What was chosen or said.
    pub text: String,
}

/// What an answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Allow,
    /// Go on without.
    Deny,
    /// End the turn.
    Stop,
}

/// What comes of asking.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// The answer comes later.
    Waiting,
    /// Nobody can be asked; this is taken instead.
    Nobody(Answer),
}

/// How the use of a tool ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It answered.
    Output(String),
    /// It was not allowed.
    Denied(String),
}

/// A way to speak and to listen.
pub trait Voice {
    /// Tells whether there are turns, or only lines.
    fn has_turns(&self) -> bool {
        true
    }
    /// Tells whether it hears single keys instead of lines.
    fn wants_keys(&self) -> bool {
        false
    }
    /// Takes keys, and says what they meant.
    fn hear_keys(&mut self, _keys: &[u8]) -> io::Result<Vec<Heard>> {
        Ok(Vec::new())
    }
    /// Takes a line, answers what the protocol answers by itself, and says what it meant.
    fn hear(&mut self, line: &str) -> io::Result<Heard>;
    /// Begins the turn of a prompt.
    fn begin_turn(&mut self, prompt: &str) -> io::Result<()>;
    /// Says words.
    fn say(&mut self, text: &str) -> io::Result<()>;
    /// Thinks aloud.
    fn think(&mut self, text: &str) -> io::Result<()>;
    /// Shows that a tool is to be used.
    fn tool_begins(&mut self, tool: &Tool) -> io::Result<()>;
    /// Asks whether it may be used.
    fn ask_permission(&mut self, tool: &Tool) -> io::Result<Asked>;
    /// Shows what came of it.
    fn tool_ends(&mut self, tool: &Tool, outcome: &Outcome) -> io::Result<()>;
    /// Asks with the protocol's own question tool.
    fn ask_question(&mut self, question: &Question) -> io::Result<Asked>;
    /// Tells the plan.
    fn plan(&mut self, entries: &[PlanEntry]) -> io::Result<()>;
    /// Sets what the turn is said to have cost.
    fn usage(&mut self, usage: Usage) -> io::Result<()>;
    /// Tells how much of the plan's limit is used, where the protocol can.
    fn limits(&mut self, _limits: Limits) -> io::Result<()> {
        Ok(())
    }
    /// Ends the turn.
    fn end_turn(&mut self, stop: Stop) -> io::Result<()>;
    /// Ends the turn with an error of the model's service.
    fn fail(&mut self, failure: &Failure) -> io::Result<()>;
    /// Returns the exit status where the input has ended.
    fn exit_status(&self) -> u8 {
        0
    }
}

/// What every voice is made of.
pub struct Character {
    /// The model that it says it is.
    pub model: String,
    /// Where its sessions are remembered.
    pub memory: Memory,
    /// Requests that it answers with an error.
    pub refusals: Vec<Refusal>,
    /// What it was given on its command line.
    pub arguments: Vec<String>,
    /// The agent that it is like, in ACP.
    pub like: Likeness,
    /// How its screen looks and behaves.
    pub screen: ScreenStyle,
}

/// Makes a voice, and says what it means that it begins.
pub fn voice(name: VoiceName, character: Character) -> io::Result<(Box<dyn Voice>, Heard)> {
    Ok(match name {
        VoiceName::Plain => (Box::new(plain::Plain), Heard::Opened { resumed: false }),
        VoiceName::Screen => {
            (Box::new(screen::Screen::new(character.screen)?), Heard::Opened { resumed: false })
        }
        VoiceName::Acp => (Box::new(acp::Acp::new(character)), Heard::Nothing),
        VoiceName::Codex => (Box::new(codex::Codex::new(character)), Heard::Nothing),
        VoiceName::Claude => {
            let (claude, heard) = claude::Claude::new(character)?;
            (Box::new(claude), heard)
        }
    })
}

/// Returns an id that no other player has, in the form of a UUID.
pub fn fresh_id() -> String {
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let mixed =
        nanoseconds.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) ^ u128::from(process::id()) << 64;
    let digits = format!("{mixed:032x}");
    let part = |from, to| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}
