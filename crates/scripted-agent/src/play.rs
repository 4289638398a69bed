//! Plays a script from its beginning to the exit status.

use std::{ffi::OsString, io, path::PathBuf, time::Duration};

use thiserror::Error;

use crate::{
    fork::{self, Part},
    memory::Memory,
    perform::{Flow, Performer},
    script::{Script, VoiceName},
    voice::{Character, Heard, voice},
};

/// How the player was started, so that it can start itself again.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, the script's path among them.
    pub arguments: Vec<OsString>,
    /// Those behind the script's path, which an agent would be given.
    pub agent_arguments: Vec<String>,
}

/// Why a script could not be played to its end.
#[derive(Debug, Error)]
pub enum PlayError {
    /// Reading or writing failed.
    #[error("play the script: {0}")]
    Io(#[from] io::Error),
    /// What was waited for did not come.
    #[error("the script waited for something that did not come: {0}")]
    NotHeard(&'static str),
}

/// Plays a script, and returns the exit status.
pub fn play(script: &Script, invocation: Invocation) -> Result<u8, PlayError> {
    let beside = match fork::part(script, &invocation)? {
        Part::Player => None,
        Part::Beside(fork) => Some(fork),
        Part::Done => return Ok(0),
    };
    let name = if beside.is_some() { VoiceName::Plain } else { script.voice };
    let character = Character {
        model: script.model.clone(),
        memory: Memory { folder: script.memory.as_ref().map(PathBuf::from) },
        refusals: script.refusals.clone(),
        arguments: invocation.agent_arguments.clone(),
        like: script.like,
        screen: script.screen.clone(),
    };
    let (voice, beginning) = voice(name, character)?;
    let has_turns = voice.has_turns();
    let mut performer = Performer::new(script, invocation, voice);

    let steps = match beside {
        Some(fork) if fork.steps.is_empty() => {
            std::thread::sleep(Duration::from_secs(60));
            return Ok(0);
        }
        Some(fork) => &fork.steps,
        None => {
            let Some(resumed) = performer.open(beginning)? else { return Ok(performer.exit_status()) };
            script.resumed.as_ref().filter(|_| resumed).unwrap_or(&script.steps)
        }
    };
    match performer.steps(steps)? {
        Flow::Exit(status) => Ok(status),
        Flow::InputEnded if has_turns => Ok(performer.exit_status()),
        Flow::InputEnded => Err(PlayError::NotHeard("the input has ended")),
        Flow::Next | Flow::Cancelled if has_turns => {
            performer.attend()?;
            Ok(performer.exit_status())
        }
        Flow::Next | Flow::Cancelled => Ok(0),
    }
}

impl Performer<'_> {
    /// Listens until a session is open, and says whether it is an older one; `None` where the input ends before.
    fn open(&mut self, beginning: Heard) -> Result<Option<bool>, PlayError> {
        let mut heard = beginning;
        loop {
            match heard {
                Heard::Opened { resumed } => return Ok(Some(resumed)),
                Heard::Over => return Ok(None),
                Heard::Nothing | Heard::Prompt(_) | Heard::Answer(_) | Heard::Cancel => {}
            }
            match self.listen(None)? {
                Some(next) => heard = next,
                None => return Ok(None),
            }
        }
    }
}
