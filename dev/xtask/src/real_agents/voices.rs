//! The player against the real agents: the same conversation with both, and nothing in it that the real one never says.

mod acp;
mod claude;
mod codex;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};
use model_server::{ModelServer, Script, Turn};
use serde_json::Value;

use super::{
    agents::Agent,
    dialogue::Dialogue,
    install,
    shape::{made_up, shapes},
    start::Place,
};
use crate::shell;

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
pub fn check(voice: &Voice, agent: &Agent, cache: &Path) -> Result<()> {
    let server = ModelServer::start(Script::of((voice.model)()))?;
    let place = Place::new(agent, cache, &server.url())?;
    let mut real = place.command(voice.program.unwrap_or(agent.program), agent, &server.url());
    real.envs(voice.environment.iter().copied());
    let theirs = talk(voice, real.args(voice.arguments), &place)?;

    let script = place.work.join("script.toml");
    fs::write(&script, voice.script)?;
    let mut player = Command::new(player()?);
    player.current_dir(&place.work).arg(&script).args(voice.arguments);
    let ours = talk(voice, &mut player, &place)?;

    // Kept for a person who wants to see more than the shapes.
    let folder = cache.join("heard");
    fs::create_dir_all(&folder)?;
    for (who, lines) in [("real", &theirs), ("player", &ours)] {
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(folder.join(format!("{}.{who}.jsonl", voice.name)), lines.concat())?;
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
    let n_fields: usize = ours.values().map(std::collections::BTreeSet::len).sum();
    eprintln!("   {} kinds of lines with {n_fields} fields, all as the real one has them", ours.len());
    let more: Vec<&str> =
        theirs.keys().filter(|kind| !ours.contains_key(*kind)).map(String::as_str).collect();
    eprintln!("   the real one says also: {}", more.join(", "));
    Ok(())
}

fn talk(voice: &Voice, command: &mut Command, place: &Place) -> Result<Vec<Value>> {
    let mut dialogue = Dialogue::start(command)?;
    (voice.talk)(&mut dialogue, &place.work.to_string_lossy())?;
    Ok(std::mem::take(&mut dialogue.heard))
}

/// Builds the player, and returns the program.
fn player() -> Result<PathBuf> {
    shell::run(&mut shell::cargo(&["build", "--quiet", "--package", "player"]))?;
    Ok(install::target().join("debug/player"))
}
