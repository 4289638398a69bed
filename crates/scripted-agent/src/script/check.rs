//! What the shape of a script cannot say: parts that exist, and steps that the voice knows.

use std::ops::Range;

use toml::Spanned;

use super::{Script, ScriptError, Step, Steps, VoiceName};

/// Returns the first mistake.
pub fn check(script: &Script) -> Result<(), ScriptError> {
    for steps in script.roots() {
        check_steps(script, steps, &mut Vec::new())?;
    }
    for (name, steps) in &script.parts {
        check_steps(script, steps, &mut vec![name])?;
    }
    Ok(())
}

fn check_steps<'a>(
    script: &'a Script,
    steps: &'a Steps,
    inside: &mut Vec<&'a str>,
) -> Result<(), ScriptError> {
    for step in steps {
        check_step(script, step, inside)?;
    }
    Ok(())
}

fn check_step<'a>(
    script: &'a Script,
    step: &'a Spanned<Step>,
    inside: &mut Vec<&'a str>,
) -> Result<(), ScriptError> {
    match step.get_ref() {
        Step::Play(name) => {
            if inside.contains(&name.as_str()) {
                return Err(ScriptError {
                    span: step.span(),
                    message: format!("the part `{name}` plays itself"),
                    hint: "write repeat = { times = \"forever\", steps = [{ play = \"…\" }] } outside of it"
                        .to_owned(),
                });
            }
            let Some(part) = script.parts.get(name) else {
                return Err(ScriptError::about("play", step.span(), format!("there is no part `{name}`")));
            };
            inside.push(name);
            check_steps(script, part, inside)?;
            inside.pop();
            Ok(())
        }
        Step::Repeat(repeat) => check_steps(script, &repeat.steps, inside),
        Step::Choose(cases) => cases.iter().try_for_each(|case| check_steps(script, &case.steps, inside)),
        // A process beside the player has the plain voice; what it cannot say is its own affair.
        Step::Fork(_) => Ok(()),
        Step::Fail(_) => needs_turns(script, step.span(), "turns that fail"),
        Step::EndTurn(_) => needs_turns(script, step.span(), "turns"),
        Step::Usage(_) | Step::Limits(_) => needs_turns(script, step.span(), "figures"),
        Step::Plan(_) => needs_turns(script, step.span(), "plans"),
        Step::Question(_) => needs_turns(script, step.span(), "question tool"),
        Step::Say(_)
        | Step::Bytes(_)
        | Step::Raw(_)
        | Step::Think(_)
        | Step::Ask(_)
        | Step::Wait(_)
        | Step::Tool(_)
        | Step::Sleep(_)
        | Step::Exit(_)
        | Step::Signal(_)
        | Step::Hang(_)
        | Step::Flood(_)
        | Step::Ignore(_)
        | Step::Noise(_)
        | Step::Spinner(_)
        | Step::Terminal(_)
        | Step::Write(_) => Ok(()),
    }
}

fn needs_turns(script: &Script, span: Range<usize>, what: &str) -> Result<(), ScriptError> {
    if script.voice != VoiceName::Plain {
        return Ok(());
    }
    Err(ScriptError {
        span,
        message: format!("the plain voice has no {what}"),
        hint: "write voice = \"acp\" (or \"claude\", \"codex\") above the steps; a plain program can say, ask and exit".to_owned(),
    })
}
