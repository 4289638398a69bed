//! One prompt, one answer: the agent asks the scripted model, and says what the model said.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use model_server::{ModelServer, Script, Speech, Turn, Usage};
use serde_json::{Value, json};

use super::{
    agents::{Agent, PromptBy},
    start::{Place, Run, run},
};

/// Quotes and Hangul are in it: both have been lost on the way before.
const PROMPT: &str = "Say \"hello\" to 장단, please.";
const ANSWER: &str = "Hello 장단, this is the scripted model.";
const TOKENS: Usage = Usage { input: 1234, output: 56 };

/// Asks an agent one thing, and looks at the answer, at what it sent, and at the tokens.
pub fn check(agent: &Agent, cache: &Path) -> Result<()> {
    let speech = Speech {
        says: vec![model_server::Says::Text(ANSWER.to_owned())],
        usage: Some(TOKENS),
        ..Speech::default()
    };
    let server = ModelServer::start(Script::of([Turn::Says(speech)]))?;
    let place = Place::new(agent, cache, &server.url())?;
    let mut command = place.command(agent.program, agent, &server.url());
    command.args(agent.arguments);
    let input = match agent.prompt_by {
        PromptBy::Argument => {
            command.arg(PROMPT);
            String::new()
        }
        PromptBy::Input => PROMPT.to_owned(),
        PromptBy::JsonLine => {
            format!("{}\n", json!({ "type": "user", "message": { "role": "user", "content": PROMPT } }))
        }
    };
    let run = run(&mut command, &input)?;
    judge(agent, &run, &server).with_context(|| {
        let asked: Vec<_> =
            server.recorded().iter().map(|one| (one.target.clone(), shown(&one.words))).collect();
        let (output, complaints) = (shown(&run.output), shown(&run.complaints));
        format!("it asked {asked:#?}\nit wrote:\n{output}\n{complaints}")
    })
}

fn judge(agent: &Agent, run: &Run, server: &ModelServer) -> Result<()> {
    ensure!(run.status == Some(0), "it ended with {:?}", run.status);
    let lines: Vec<Value> = run.output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let found = |(kind, place): (&str, &str)| -> Vec<Value> {
        let of_kind = |line: &&Value| line.get("type").and_then(Value::as_str) == Some(kind);
        lines.iter().filter(of_kind).filter_map(|line| line.pointer(place).cloned()).collect()
    };
    let answer: String = found(agent.answer).iter().filter_map(Value::as_str).collect();
    ensure!(answer.contains(ANSWER), "its answer is {answer:?}");

    let recorded = server.recorded();
    let asked: Vec<_> = recorded.iter().filter(|request| !request.is_aside).collect();
    let [asked] = asked.as_slice() else { bail!("it asked the model {} times", asked.len()) };
    ensure!(asked.dialect == agent.dialect, "it asked in {:?}", asked.dialect);
    ensure!(asked.words.contains(PROMPT), "the model heard {:?}", asked.words);

    let told: Vec<u64> = found(agent.tokens).iter().filter_map(Value::as_u64).collect();
    let told = told.last().copied().context("it told no tokens")?;
    ensure!(told >= TOKENS.input, "it told {told} tokens, the model said {}", TOKENS.input);
    eprintln!("   {} of {} requests were asides; it told {told} tokens", recorded.len() - 1, recorded.len());
    Ok(())
}

/// Shows the end of what was written.
fn shown(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    signs.iter().skip(signs.len().saturating_sub(2_000)).collect()
}
