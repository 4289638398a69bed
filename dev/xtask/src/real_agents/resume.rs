//! A session that is gone on with after its process was killed: the model hears again what was said before.
//!
//! Cold parking stands on this.

mod acp;
mod claude;
mod codex;

use std::{
    path::Path,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Result, ensure};
use model_server::{ModelServer, Script, Turn};
use serde_json::Value;

use super::{agents::Agent, dialogue::Dialogue, start::Place};

/// Words that come from nowhere else.
const FIRST: &str = "Remember the word persimmon.";
const SECOND: &str = "Which word was it?";

/// A way to talk with an agent over several processes.
pub struct Way {
    /// Its name.
    pub name: &'static str,
    /// The agent, by its name.
    pub agent: &'static str,
    /// The program, and what it is given; `$SESSION` stands for the session's id.
    pub fresh: &'static [&'static str],
    /// The same for one that goes on.
    pub again: &'static [&'static str],
    /// How long it rests between the two.
    pub rest: Rest,
    /// Opens a session, or the one that is named, and returns its id.
    pub open: fn(&mut Dialogue, &str, Option<&str>) -> Result<String>,
    /// Asks one thing, and waits for the end of the turn.
    pub ask: fn(&mut Dialogue, &str, &str) -> Result<()>,
}

/// How long a session that was killed rests before it is gone on with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Not at all.
    None,
    /// Until the clock shows another minute.
    NextMinute,
}

impl Rest {
    fn take(self) {
        if self == Self::NextMinute {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            thread::sleep(Duration::from_secs(61 - now % 60));
        }
    }
}

/// All ways.
pub const ALL: [Way; 6] = [claude::WAY, codex::WAY, acp::CLAUDE, acp::CODEX, acp::OPENCODE, acp::GEMINI];

/// Asks, ends the process, goes on in another, and looks at what the model heard.
pub fn check(way: &Way, agent: &Agent, cache: &Path) -> Result<()> {
    let server = ModelServer::start(Script::of([Turn::text("I will."), Turn::text("Persimmon.")]))?;
    let place = Place::new(agent, cache, &server.url())?;
    let folder = place.work.to_string_lossy().into_owned();

    let mut first = start(way.fresh, agent, &place, &server, claude::SESSION)?;
    let session = (way.open)(&mut first, &folder, None)?;
    (way.ask)(&mut first, &session, FIRST)?;
    // An agent that is killed at once after its first answer may not have written it down.
    thread::sleep(Duration::from_millis(500));
    drop(first);
    way.rest.take();

    let mut second = start(way.again, agent, &place, &server, &session)?;
    let again = (way.open)(&mut second, &folder, Some(&session))?;
    ensure!(again == session, "it goes on with {again} instead of {session}");
    (way.ask)(&mut second, &session, SECOND)?;

    let recorded = server.recorded();
    let last = recorded.iter().rfind(|request| !request.is_aside);
    let heard = last.map(|request| request.body.to_string()).unwrap_or_default();
    for words in [FIRST, "I will.", SECOND] {
        ensure!(heard.contains(words), "the model did not hear {words:?}");
    }
    eprintln!("   killed, and gone on with as {session}");
    Ok(())
}

fn start(
    words: &[&str],
    agent: &Agent,
    place: &Place,
    server: &ModelServer,
    session: &str,
) -> Result<Dialogue> {
    let (program, arguments) =
        words.split_first().map_or((agent.program, words), |(first, rest)| (*first, rest));
    let mut command = place.command(program, agent, &server.url());
    command.args(arguments.iter().map(|word| word.replace("$SESSION", session)));
    Dialogue::start(&mut command)
}

/// Returns a text of an answer.
fn text_at(value: &Value, pointer: &str) -> Result<String> {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| anyhow::anyhow!("nothing is at {pointer} of {value}"))
}
