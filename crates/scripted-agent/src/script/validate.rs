//! Checks that types cannot express: parts exist, and the protocol supports all steps.

use std::ops::Range;

use toml::Spanned;

use super::{ProtocolName, Script, ScriptError, Step, Steps};

/// Returns the first error.
pub(super) fn validate(script: &Script) -> Result<(), ScriptError> {
    for steps in script.top_level_steps() {
        validate_steps(script, steps, &mut Vec::new())?;
    }
    for (name, steps) in &script.parts {
        validate_steps(script, steps, &mut vec![name])?;
    }
    Ok(())
}

fn validate_steps<'a>(
    script: &'a Script,
    steps: &'a Steps,
    enclosing_parts: &mut Vec<&'a str>,
) -> Result<(), ScriptError> {
    for step in steps {
        validate_step(script, step, enclosing_parts)?;
    }
    Ok(())
}

fn validate_step<'a>(
    script: &'a Script,
    step: &'a Spanned<Step>,
    enclosing_parts: &mut Vec<&'a str>,
) -> Result<(), ScriptError> {
    match step.get_ref() {
        Step::Play(name) => {
            if enclosing_parts.contains(&name.as_str()) {
                return Err(ScriptError {
                    span: step.span(),
                    message: format!("the part `{name}` includes itself"),
                    hint: "write repeat = { times = \"forever\", steps = [{ play = \"…\" }] } outside of it"
                        .to_owned(),
                });
            }
            let Some(part) = script.parts.get(name) else {
                return Err(ScriptError::for_key("play", step.span(), format!("unknown part `{name}`")));
            };
            enclosing_parts.push(name);
            validate_steps(script, part, enclosing_parts)?;
            enclosing_parts.pop();
            Ok(())
        }
        Step::Repeat(repeat) => validate_steps(script, &repeat.steps, enclosing_parts),
        Step::Choose(cases) => {
            cases.iter().try_for_each(|case| validate_steps(script, &case.steps, enclosing_parts))
        }
        // Forked processes always use the plain protocol; unsupported steps have no effect there.
        Step::Fork(_) => Ok(()),
        Step::Fail(_) => require_turns(script, step.span(), "failing turns"),
        Step::EndTurn(_) => require_turns(script, step.span(), "turns"),
        Step::Usage(_) | Step::Limits(_) => require_turns(script, step.span(), "figures"),
        Step::Plan(_) => require_turns(script, step.span(), "plans"),
        Step::Question(_) => require_turns(script, step.span(), "question tool"),
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

fn require_turns(script: &Script, span: Range<usize>, what: &str) -> Result<(), ScriptError> {
    if script.protocol != ProtocolName::Plain {
        return Ok(());
    }
    Err(ScriptError {
        span,
        message: format!("the voice \"plain\" does not support {what}"),
        hint: "write voice = \"acp\" (or \"claude\", \"codex\") above the steps; a plain program can only write, ask and exit".to_owned(),
    })
}
