//! The player against the real agents: the same conversation with both, and nothing in it that the real one never says.

mod acp;
mod claude;
mod codex;

use std::{fs, path::Path, process::Command};

use anyhow::{Result, bail};
use model_server::Turn;
use serde_json::Value;

use crate::{
    dialogue::Dialogue,
    place::Place,
    programs::Agent,
    shape::{made_up, shapes},
};

/// A conversation that is held with a real agent and with the player.
pub struct Voice {
    /// Its name in scripts.
    pub name: &'static str,
    /// The agent, by its name.
    pub agent: &'static str,
    /// The program that speaks the protocol, where it is another.
    pub program: Option<&'static str>,
    /// What is in its environment beside the agent's own.
    pub environment: &'static [(&'static str, &'static str)],
    /// What the real program is given.
    pub arguments: &'static [&'static str],
    /// What the model says to the real one.
    pub model: fn() -> Vec<Turn>,
    /// What the player plays.
    pub script: &'static str,
    /// The conversation.
    pub talk: fn(&mut Dialogue, &str) -> Result<()>,
    /// What tells one kind of line from another.
    pub kind: fn(&Value) -> String,
}

/// The voices whose agents are here.
pub const ALL: [Voice; 6] =
    [claude::VOICE, codex::VOICE, acp::CLAUDE, acp::CODEX, acp::OPENCODE, acp::GEMINI];

/// Holds the conversation with both, and compares what they said.
pub fn check(voice: &Voice, agent: &Agent, place: &Place, player: &Path) -> Result<()> {
    let mut real = place.command(voice.program.unwrap_or(agent.program));
    real.envs(voice.environment.iter().copied());
    let theirs = talk(voice, real.args(voice.arguments), place)?;

    let script = place.work.join("script.toml");
    fs::write(&script, voice.script)?;
    let mut player = Command::new(player);
    player.current_dir(&place.work).arg(&script).args(voice.arguments);
    let ours = talk(voice, &mut player, place)?;

    // For a person who wants to see more than the shapes.
    for (who, lines) in [("real", &theirs), ("player", &ours)] {
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(place.work.join(format!("{who}.jsonl")), lines.concat())?;
    }
    let (theirs, ours) = (shapes(&theirs, voice.kind), shapes(&ours, voice.kind));
    let made_up = made_up(&ours, &theirs);
    if !made_up.is_empty() {
        let known: Vec<String> = theirs.iter().map(|(kind, fields)| format!("{kind}: {fields:?}")).collect();
        bail!(
            "the player says what the real one does not:\n{}\nthe real one says:\n{}",
            made_up.join("\n"),
            known.join("\n")
        );
    }
    Ok(())
}

fn talk(voice: &Voice, command: &mut Command, place: &Place) -> Result<Vec<Value>> {
    let mut dialogue = Dialogue::start(command)?;
    (voice.talk)(&mut dialogue, &place.work.to_string_lossy())?;
    Ok(std::mem::take(&mut dialogue.heard))
}
