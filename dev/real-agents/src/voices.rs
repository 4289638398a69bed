//! Compares the scripted agent with the real agents: it must not send a line that the real agent never sends.

mod acp;
mod claude;
mod codex;

use std::{fs, path::Path, process::Command};

use anyhow::{Result, bail};
use model_server::ScriptedTurn;
use serde_json::Value;

use crate::{
    agent_home::AgentHome,
    dialogue::JsonLinesDialogue,
    programs::Agent,
    shape::{scripted_only_fields, shapes},
};

/// A conversation with a real agent and with the scripted agent.
pub(crate) struct VoiceComparison {
    /// The name of the voice in scripts.
    pub name: &'static str,
    /// The name of the real agent.
    pub agent: &'static str,
    /// The program that speaks the protocol, if it is not the agent itself.
    pub program: Option<&'static str>,
    /// Variables in addition to the agent's own.
    pub environment: &'static [(&'static str, &'static str)],
    /// Arguments of both programs.
    pub arguments: &'static [&'static str],
    /// Turns of the model for the real agent.
    pub model: fn() -> Vec<ScriptedTurn>,
    /// Script of the scripted agent.
    pub script: &'static str,
    /// Our side of the conversation.
    pub talk: fn(&mut JsonLinesDialogue, &str) -> Result<()>,
    /// Returns the kind of a line; lines of a kind are compared.
    pub kind: fn(&Value) -> String,
}

/// All voices that a real agent exists for.
pub(crate) const ALL: [VoiceComparison; 6] =
    [claude::VOICE, codex::VOICE, acp::CLAUDE, acp::CODEX, acp::OPENCODE, acp::GEMINI];

/// Has the conversation with both, and compares their lines.
pub(crate) fn check(
    voice: &VoiceComparison,
    agent: &Agent,
    home: &AgentHome,
    scripted_agent: &Path,
) -> Result<()> {
    let mut real = home.command(voice.program.unwrap_or(agent.program));
    real.envs(voice.environment.iter().copied());
    let real = run_conversation(voice, real.args(voice.arguments), home)?;

    let script = home.work.join("script.toml");
    fs::write(&script, voice.script)?;
    let mut scripted = Command::new(scripted_agent);
    scripted.current_dir(&home.work).arg(&script).args(voice.arguments);
    let scripted = run_conversation(voice, &mut scripted, home)?;

    // All lines, for looking into a failure.
    for (name, lines) in [("real", &real), ("scripted", &scripted)] {
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(home.work.join(format!("{name}.jsonl")), lines.concat())?;
    }
    let (real, scripted) = (shapes(&real, voice.kind), shapes(&scripted, voice.kind));
    let invented = scripted_only_fields(&scripted, &real);
    if !invented.is_empty() {
        let known: Vec<String> = real.iter().map(|(kind, fields)| format!("{kind}: {fields:?}")).collect();
        bail!(
            "the scripted agent sends fields that the real agent does not:\n{}\nthe real agent sends:\n{}",
            invented.join("\n"),
            known.join("\n")
        );
    }
    Ok(())
}

fn run_conversation(voice: &VoiceComparison, command: &mut Command, home: &AgentHome) -> Result<Vec<Value>> {
    let mut dialogue = JsonLinesDialogue::start(command)?;
    (voice.talk)(&mut dialogue, &home.work.to_string_lossy())?;
    Ok(std::mem::take(&mut dialogue.received))
}
